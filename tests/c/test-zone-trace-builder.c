/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <pthread.h>
#include <string.h>

#include "zone-fixture.h"

static void
test_empty (void)
{
  SwZoneTraceBuilder *builder = sw_zone_trace_builder_new (G_MAXSIZE);
  SwZoneTraceInfo info = { .start_ns = 5, .stop_ns = 9, .stop_reason = SW_STOP_REASON_REQUESTED };
  g_autoptr (SwZoneTrace) trace = sw_zone_trace_builder_finish (builder, &info);
  g_autoptr (GPtrArray) chunks = sw_zone_trace_dup_zone_chunks (trace);
  g_autoptr (GPtrArray) sites = sw_zone_trace_dup_sites (trace);

  g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), ==, 0);
  g_assert_cmpuint (sw_zone_trace_get_start_ns (trace), ==, 5);
  g_assert_cmpuint (sw_zone_trace_get_stop_ns (trace), ==, 9);
  g_assert_false (sw_zone_trace_get_truncated (trace));
  g_assert_cmpuint (chunks->len, ==, 0);
  g_assert_cmpuint (sites->len, ==, 0);
}

/* Every column of every row comes back, whatever the number of rows. */
static void
check_columns (guint32 n)
{
  SwZoneTraceBuilder *builder = make_builder (2);
  g_autoptr (SwZoneTrace) trace = NULL;
  g_autoptr (GPtrArray) chunks = NULL;
  guint32 index = 0;

  for (guint32 i = 0; i < n; i++)
    {
      SwZoneRow row = { 10 + i, 3 * i, 7 * i, SW_ZONE_NO_ROW, i % 2, 1 + i % 5, i / 10 };

      g_assert_cmpint (sw_zone_trace_builder_append (builder, &row), ==, i);
    }
  trace = finish (builder);
  chunks = sw_zone_trace_dup_zone_chunks (trace);
  g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), ==, n);
  g_assert_cmpuint (chunks->len, ==, (n + 4095) / 4096);
  for (guint k = 0; k < chunks->len; k++)
    {
      SwZoneChunk *chunk = chunks->pdata[k];
      guint32 n_zones = sw_zone_chunk_get_zone_count (chunk);

      g_assert_cmpuint (sw_zone_chunk_get_first_index (chunk), ==, index);
      g_assert_cmpuint (n_zones, ==, MIN (4096, n - index));
      for (guint32 j = 0; j < n_zones; j++, index++)
        {
          g_assert_cmpuint (column_at (chunk, SW_ZONE_COLUMN_START_NS, j), ==, 10 + index);
          g_assert_cmpuint (column_at (chunk, SW_ZONE_COLUMN_DURATION_NS, j), ==, 3 * index);
          g_assert_cmpuint (column_at (chunk, SW_ZONE_COLUMN_CORRELATION_ID, j), ==, 7 * index);
          g_assert_cmpuint (column_at (chunk, SW_ZONE_COLUMN_TIMELINE_ID, j), ==, index % 2);
          g_assert_cmpuint (column_at (chunk, SW_ZONE_COLUMN_SITE_ID, j), ==, 1 + index % 5);
          g_assert_cmpint ((gint32) column_at (chunk, SW_ZONE_COLUMN_PARENT_INDEX, j), ==, -1);
          g_assert_cmpuint (column_at (chunk, SW_ZONE_COLUMN_FRAME_INDEX, j), ==, index / 10);
        }
    }
}

static void
test_columns (void)
{
  static const guint32 sizes[] = { 1, 63, 64, 65, 256, 257, 4095, 4096, 4097, 9000 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    check_columns (sizes[i]);
}

/* Set one by one, to older and newer rows and across chunks. */
static void
test_parents (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  g_autoptr (SwZoneTrace) trace = NULL;

  for (int i = 0; i < 10000; i++)
    append (builder, i, 1);
  sw_zone_trace_builder_set_parent (builder, 0, 9999);
  sw_zone_trace_builder_set_parent (builder, 9999, 0);
  sw_zone_trace_builder_set_parent (builder, 4095, 4096);
  sw_zone_trace_builder_set_parent (builder, 4096, 4095);
  sw_zone_trace_builder_set_parent (builder, 5, 6);
  sw_zone_trace_builder_set_parent (builder, 5, SW_ZONE_NO_ROW);
  /* Rows that are not there are passed over. */
  sw_zone_trace_builder_set_parent (builder, 10000, 1);
  sw_zone_trace_builder_set_parent (builder, -1, 1);
  trace = finish (builder);
  g_assert_cmpint (parent_of (trace, 0), ==, 9999);
  g_assert_cmpint (parent_of (trace, 9999), ==, 0);
  g_assert_cmpint (parent_of (trace, 4095), ==, 4096);
  g_assert_cmpint (parent_of (trace, 4096), ==, 4095);
  g_assert_cmpint (parent_of (trace, 5), ==, -1);
  g_assert_cmpint (parent_of (trace, 1), ==, -1);
}

static void
test_parent_given (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  gint64 parent = append (builder, 0, 1);
  SwZoneRow row = { 1, 1, 0, parent, 0, 1, 0 };
  g_autoptr (SwZoneTrace) trace = NULL;

  sw_zone_trace_builder_append (builder, &row);
  trace = finish (builder);
  g_assert_cmpint (parent_of (trace, 0), ==, -1);
  g_assert_cmpint (parent_of (trace, 1), ==, 0);
}

/* Children of two zones that are open at once, interleaved. */
static void
test_waiting (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  gint64 waiting[2] = { SW_ZONE_NO_ROW, SW_ZONE_NO_ROW };
  g_autoptr (SwZoneTrace) trace = NULL;
  g_autoptr (SwZoneTrace) before = NULL;

  for (int i = 0; i < 10000; i++)
    {
      gint64 row = append (builder, i, 1);

      if (i % 3 < 2)
        sw_zone_trace_builder_wait (builder, row, &waiting[i % 3]);
    }
  before = snapshot (builder);
  append (builder, 0, 10000);
  sw_zone_trace_builder_adopt (builder, &waiting[0], 10000);
  sw_zone_trace_builder_adopt (builder, &waiting[1], SW_ZONE_NO_ROW);
  g_assert_cmpint (waiting[0], ==, SW_ZONE_NO_ROW);
  trace = finish (builder);
  for (guint32 i = 0; i < 10000; i++)
    {
      g_assert_cmpint (parent_of (trace, i), ==, i % 3 == 0 ? 10000 : -1);
      /* What waits has no parent yet. */
      g_assert_cmpint (parent_of (before, i), ==, -1);
    }
}

static void
test_limit (gconstpointer data)
{
  gsize limit = GPOINTER_TO_SIZE (data);
  SwZoneTraceBuilder *builder = sw_zone_trace_builder_new (limit);
  g_autoptr (SwTimeline) timeline = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "t", 1, 0, 0);
  g_autoptr (SwZoneTrace) trace = NULL;
  SwZoneRow row = { 1, 1, 0, SW_ZONE_NO_ROW, 0, 1, 0 };
  guint32 n = 0;

  g_assert_cmpuint (sw_zone_trace_builder_add_timeline (builder, 1, timeline), ==, 0);
  for (;; n++)
    {
      gsize before = sw_zone_trace_builder_memory_bytes (builder);
      gsize next = sw_zone_trace_builder_bytes_for_next (builder);
      gint64 number = sw_zone_trace_builder_append (builder, &row);

      g_assert_cmpuint (sw_zone_trace_builder_memory_bytes (builder), <=, limit);
      if (number == SW_ZONE_NO_ROW)
        break;
      g_assert_cmpuint (sw_zone_trace_builder_memory_bytes (builder) - before, <=, next);
      g_assert_cmpint (number, ==, n);
    }
  /* Full is full, and changes nothing. */
  g_assert_cmpint (sw_zone_trace_builder_append (builder, &row), ==, SW_ZONE_NO_ROW);
  g_assert_cmpint (sw_zone_trace_builder_end_row (builder), ==, n);
  trace = finish (builder);
  g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), ==, n);
  g_assert_cmpuint (sw_zone_trace_get_memory_bytes (trace), <=, limit);
  /* It is made use of: a zone takes 40 bytes. */
  if (limit >= 100000)
    g_assert_cmpuint (n, >, limit / 40 * 3 / 4);
}

static void
test_limit_of_nothing (void)
{
  SwZoneTraceBuilder *builder = sw_zone_trace_builder_new (0);
  g_autoptr (SwTimeline) timeline = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "t", 1, 0, 0);
  g_autoptr (SwZoneTrace) trace = NULL;

  g_assert_cmpuint (sw_zone_trace_builder_add_timeline (builder, 1, timeline), ==, SW_ZONE_NO_TIMELINE);
  g_assert_cmpuint (sw_zone_trace_builder_find_timeline (builder, 1), ==, SW_ZONE_NO_TIMELINE);
  g_assert_false (sw_zone_trace_builder_add_frame (builder, 0, "frame", 0, 1));
  trace = finish (builder);
  g_assert_cmpuint (sw_zone_trace_get_memory_bytes (trace), ==, 0);
}

/* The history keeps the last zones, and parents follow them or are gone. */
static void
test_trim (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  gsize memory = 0;

  for (gint64 i = 0; i < 50000; i++)
    {
      gint64 row = append (builder, i, 1);

      sw_zone_trace_builder_set_parent (builder, row - 10, row);
      sw_zone_trace_builder_trim (builder, 5000, 100);
      g_assert_cmpint (sw_zone_trace_builder_first_row (builder), ==, MAX (0, i - 4999));
      if (i == 20000)
        memory = sw_zone_trace_builder_memory_bytes (builder);
      if (i > 20000)
        g_assert_cmpuint (sw_zone_trace_builder_memory_bytes (builder), <=, memory + 2 * 4096 * 41);
      if (i % 997 == 0)
        {
          g_autoptr (SwZoneTrace) trace = snapshot (builder);
          guint32 n = sw_zone_trace_get_zone_count (trace);

          g_assert_cmpuint (n, ==, MIN (i + 1, 5000));
          for (guint32 k = 0; k < n; k += 7)
            g_assert_cmpint (parent_of (trace, k), ==, k + 10 < n ? (gint64) k + 10 : -1);
          g_assert_cmpuint (zone_at (trace, SW_ZONE_COLUMN_START_NS, 0), ==, i + 1 - n);
        }
    }
  sw_zone_trace_builder_free (builder);
}

/* Of a list of children that wait, the dropped ones are passed over. */
static void
test_trim_waiting (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  gint64 waiting = SW_ZONE_NO_ROW;
  g_autoptr (SwZoneTrace) trace = NULL;
  gint64 row = 0;

  for (int i = 0; i < 20000; i++)
    {
      row = append (builder, i, 1);
      sw_zone_trace_builder_wait (builder, row, &waiting);
      sw_zone_trace_builder_trim (builder, 100, 100);
    }
  row = append (builder, 0, 20000);
  sw_zone_trace_builder_adopt (builder, &waiting, row);
  trace = snapshot (builder);
  g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), ==, 101);
  for (guint32 i = 0; i < 100; i++)
    g_assert_cmpint (parent_of (trace, i), ==, 100);
  sw_zone_trace_builder_free (builder);
}

static void
test_trim_to_nothing (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);

  for (int i = 0; i < 10000; i++)
    {
      g_assert_cmpint (append (builder, i, 1), ==, i);
      sw_zone_trace_builder_trim (builder, i % 100 == 0 ? 0 : 10, 0);
    }
  sw_zone_trace_builder_trim (builder, 0, 0);
  {
    g_autoptr (SwZoneTrace) trace = snapshot (builder);

    g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), ==, 0);
  }
  sw_zone_trace_builder_free (builder);
}

/* With the oldest frame go its zones, and those outside frames that ended before what is left. */
static void
test_trim_frames (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  g_autoptr (SwZoneTrace) trace = NULL;
  g_autoptr (GPtrArray) frames = NULL;

  for (guint32 frame = 0; frame < 10; frame++)
    {
      SwZoneRow inside = { 100 * frame, 50, 0, SW_ZONE_NO_ROW, 0, 1, frame };
      SwZoneRow outside = { 100 * frame + 60, 20, 0, SW_ZONE_NO_ROW, 0, 1, SW_ZONE_NO_FRAME };

      sw_zone_trace_builder_append (builder, &inside);
      g_assert_true (sw_zone_trace_builder_add_frame (builder, frame, "frame", 100 * frame, 100 * frame + 50));
      sw_zone_trace_builder_append (builder, &outside);
      sw_zone_trace_builder_trim (builder, 1000, 3);
    }
  trace = finish (builder);
  frames = sw_zone_trace_dup_frames (trace);
  g_assert_cmpuint (frames->len, ==, 3);
  g_assert_cmpuint (sw_zone_frame_get_index (frames->pdata[0]), ==, 7);
  g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), ==, 6);
  g_assert_cmpuint (zone_at (trace, SW_ZONE_COLUMN_FRAME_INDEX, 0), ==, 7);
}

/* A snapshot does not change with what comes after it, and outlives the builder. */
static void
test_snapshot_is_frozen (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  SwZoneTrace *traces[50];

  for (guint32 i = 0; i < 50; i++)
    {
      for (guint32 k = 0; k < 300; k++)
        append (builder, i * 300 + k, 1);
      traces[i] = snapshot (builder);
      sw_zone_trace_builder_set_parent (builder, i * 300, 0);
      sw_zone_trace_builder_trim (builder, 6000, 10);
    }
  sw_zone_trace_builder_free (builder);
  for (guint32 i = 0; i < 50; i++)
    {
      guint32 end = (i + 1) * 300, n = MIN (end, 6300);

      g_assert_cmpuint (sw_zone_trace_get_zone_count (traces[i]), ==, n);
      for (guint32 k = 0; k < n; k++)
        {
          gboolean has_parent = i >= 1 && end - n + k < i * 300 && (end - n + k) % 300 == 0 && end - n == 0 && k > 0;

          g_assert_cmpuint (zone_at (traces[i], SW_ZONE_COLUMN_START_NS, k), ==, end - n + k);
          g_assert_cmpint (parent_of (traces[i], k), ==, has_parent ? 0 : -1);
        }
      sw_zone_trace_unref (traces[i]);
    }
}

static void
test_timelines (void)
{
  SwZoneTraceBuilder *builder = sw_zone_trace_builder_new (G_MAXSIZE);
  g_autoptr (SwTimeline) a = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "a", 1, 0, 0);
  g_autoptr (SwTimeline) b = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "b", 1, 0, 0);
  g_autoptr (SwTimeline) renamed = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "renamed", 1, 0, 0);
  g_autoptr (GPtrArray) timelines = NULL;
  g_autoptr (SwZoneTrace) trace = NULL;

  g_assert_cmpuint (sw_zone_trace_builder_find_timeline (builder, 7), ==, SW_ZONE_NO_TIMELINE);
  g_assert_cmpuint (sw_zone_trace_builder_add_timeline (builder, 7, a), ==, 0);
  /* The same thread id, another thread. */
  g_assert_cmpuint (sw_zone_trace_builder_add_timeline (builder, 8, b), ==, 1);
  g_assert_cmpuint (sw_zone_trace_builder_add_timeline (builder, 7, renamed), ==, 0);
  g_assert_cmpuint (sw_zone_trace_builder_find_timeline (builder, 8), ==, 1);
  g_assert_cmpuint (sw_zone_trace_builder_find_timeline (builder, 7), ==, 0);
  trace = finish (builder);
  timelines = sw_zone_trace_dup_timelines (trace);
  g_assert_cmpuint (timelines->len, ==, 2);
  g_assert_true (timelines->pdata[0] == renamed);
  g_assert_true (timelines->pdata[1] == b);
}

/* Ten thousand threads, one after the other, in a history of a hundred zones. */
static void
test_timelines_are_forgotten (void)
{
  SwZoneTraceBuilder *builder = sw_zone_trace_builder_new (G_MAXSIZE);
  g_autoptr (SwZoneTrace) trace = NULL;
  g_autoptr (GPtrArray) timelines = NULL;

  for (guint64 key = 0; key < 10000; key++)
    {
      g_autofree char *name = g_strdup_printf ("thread %" G_GUINT64_FORMAT, key);
      g_autoptr (SwTimeline) timeline = sw_timeline_new (SW_TIMELINE_TYPE_CPU, name, key, 0, 0);
      guint32 id = sw_zone_trace_builder_add_timeline (builder, key, timeline);
      SwZoneRow row = { key, 1, 0, SW_ZONE_NO_ROW, id, 1, 0 };

      g_assert_cmpint (sw_zone_trace_builder_append (builder, &row), ==, (gint64) key);
      sw_zone_trace_builder_trim (builder, 100, 1);
    }
  trace = finish (builder);
  timelines = sw_zone_trace_dup_timelines (trace);
  g_assert_cmpuint (timelines->len, <=, 102);
  for (guint32 i = 0; i < 100; i++)
    g_assert_cmpuint (sw_timeline_get_thread_id (timelines->pdata[zone_at (trace, SW_ZONE_COLUMN_TIMELINE_ID, i)]), ==,
                      zone_at (trace, SW_ZONE_COLUMN_START_NS, i));
}

/* The bytes of a column keep its chunk, when all else is gone. */
static void
test_columns_outlive (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  g_autoptr (GBytes) bytes = NULL;

  for (int i = 0; i < 5000; i++)
    append (builder, i, 1);
  {
    g_autoptr (SwZoneTrace) trace = finish (builder);
    g_autoptr (GPtrArray) chunks = sw_zone_trace_dup_zone_chunks (trace);

    bytes = sw_zone_chunk_dup_start_ns (chunks->pdata[1]);
  }
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, (5000 - 4096) * 8);
  g_assert_cmpuint (((const guint64 *) g_bytes_get_data (bytes, NULL))[903], ==, 4999);
}

/* Traces of a history that goes on, read by another thread. */
static void *
read_trace (void *data)
{
  SwZoneTrace *trace = data;
  guint32 n = sw_zone_trace_get_zone_count (trace);
  g_autoptr (GPtrArray) sites = sw_zone_trace_dup_sites (trace);
  guint64 first = zone_at (trace, SW_ZONE_COLUMN_START_NS, 0);

  g_assert_cmpuint (sites->len, ==, 1);
  for (guint32 i = 0; i < n; i += 13)
    g_assert_cmpuint (zone_at (trace, SW_ZONE_COLUMN_START_NS, i), ==, first + i);
  sw_zone_trace_unref (trace);
  return NULL;
}

static void
test_threads (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  pthread_t readers[40];
  guint64 at = 0;

  for (gsize r = 0; r < G_N_ELEMENTS (readers); r++)
    {
      SwZoneTrace *trace;

      for (int k = 0; k < 1500; k++)
        {
          append (builder, at++, 1);
          sw_zone_trace_builder_trim (builder, 10000, 1);
        }
      trace = snapshot (builder);
      sw_zone_trace_ref (trace);
      g_assert_cmpint (pthread_create (&readers[r], NULL, read_trace, trace), ==, 0);
      read_trace (trace);
    }
  for (gsize r = 0; r < G_N_ELEMENTS (readers); r++)
    pthread_join (readers[r], NULL);
  sw_zone_trace_builder_free (builder);
}

int
main (int argc,
      char **argv)
{
  static const gsize limits[] = { 2000, 5000, 50000, 170000, 400000, 3000001 };

  g_test_init (&argc, &argv, NULL);
  sw_site_registry_intern ("fixture.c", 1, "fixture", "site");
  g_test_add_func ("/zone-trace-builder/empty", test_empty);
  g_test_add_func ("/zone-trace-builder/columns", test_columns);
  g_test_add_func ("/zone-trace-builder/parents", test_parents);
  g_test_add_func ("/zone-trace-builder/parent-given", test_parent_given);
  g_test_add_func ("/zone-trace-builder/waiting", test_waiting);
  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autofree char *path = g_strdup_printf ("/zone-trace-builder/limit/%" G_GSIZE_FORMAT, limits[i]);

      g_test_add_data_func (path, GSIZE_TO_POINTER (limits[i]), test_limit);
    }
  g_test_add_func ("/zone-trace-builder/limit-of-nothing", test_limit_of_nothing);
  g_test_add_func ("/zone-trace-builder/trim", test_trim);
  g_test_add_func ("/zone-trace-builder/trim-waiting", test_trim_waiting);
  g_test_add_func ("/zone-trace-builder/trim-to-nothing", test_trim_to_nothing);
  g_test_add_func ("/zone-trace-builder/trim-frames", test_trim_frames);
  g_test_add_func ("/zone-trace-builder/snapshot-is-frozen", test_snapshot_is_frozen);
  g_test_add_func ("/zone-trace-builder/timelines", test_timelines);
  g_test_add_func ("/zone-trace-builder/timelines-are-forgotten", test_timelines_are_forgotten);
  g_test_add_func ("/zone-trace-builder/columns-outlive", test_columns_outlive);
  g_test_add_func ("/zone-trace-builder/threads", test_threads);
  return g_test_run ();
}
