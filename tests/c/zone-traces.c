/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes zone traces in every format into a folder, with their raw columns and with what queries, statistics, histograms
 * and the like answer, for tests in Python to compute again: zone-traces FOLDER. */
#include "config.h"

#include <strideweave.h>

#include "sw-profiler/operation/sw-text-private.h"
#include "sw-profiler/zone/sw-zone-trace-builder-private.h"
#include "sw/base/sw-site-registry-private.h"

#define BASE G_GUINT64_CONSTANT (5000000000000)
#define FRAME_NS 100000
#define N_FRAMES 100

typedef struct
{
  SwZoneTraceBuilder *builder;
  GRand *random;
  const char *const *names;
  guint32 n_names;
  guint64 correlation_id;
} Maker;

static const char *const plain_names[] = { "update", "draw", "wait", "load texture", "simulate" };

static const char *const hostile_names[] = {
  "quotes \" and \\",
  "line\nbreak",
  "tab\t, comma",
  "{\"name\": 1}",
  "\x01\x1f\x7f",
  "not \xff utf-8",
  "naïve 日本 🎉",
  "",
  "=1+1",
};

static guint32
random_site (Maker *self)
{
  guint32 i = (guint32) g_rand_int_range (self->random, 0, (gint32) self->n_names);

  /* Each name at one or two places. */
  return sw_site_registry_intern ("src/dir/maker.cc", 10 + i % 2 + (guint32) g_rand_int_range (self->random, 0, 2),
                                  "void maker::Box<int>::run(int) const", self->names[i]);
}

static guint32
frame_at (guint64 time_ns)
{
  guint64 frame = (time_ns - BASE) / FRAME_NS;

  /* A tenth of the time is between frames. */
  return frame < N_FRAMES && (time_ns - BASE) % FRAME_NS < FRAME_NS * 9 / 10 ? (guint32) frame : SW_ZONE_NO_FRAME;
}

/* Zones in all of @start to @end, those inside first. */
static void
make_zones (Maker *self,
            guint32 timeline,
            guint64 start,
            guint64 end,
            guint depth,
            gint64 *waiting)
{
  guint64 at = start;

  while (at < end && g_rand_int_range (self->random, 0, 5) > 0)
    {
      /* Often none, so that beginnings coincide. */
      guint64 gap = g_rand_int_range (self->random, 0, 4) > 0 ? (guint64) g_rand_int_range (self->random, 0, 500) : 0;
      guint64 zone_start = MIN (end, at + gap);
      guint64 zone_end = zone_start + (guint64) g_rand_int_range (self->random, 0, (gint32) MIN (end - zone_start, 900000) + 1);
      gint64 children = SW_ZONE_NO_ROW, row;
      SwZoneRow zone = { zone_start, zone_end - zone_start, 0, SW_ZONE_NO_ROW, timeline, random_site (self), frame_at (zone_start) };

      if (depth < 5)
        make_zones (self, timeline, zone_start, zone_end, depth + 1, &children);
      if (g_rand_int_range (self->random, 0, 10) == 0)
        zone.correlation_id = ++self->correlation_id;
      row = sw_zone_trace_builder_append (self->builder, &zone);
      sw_zone_trace_builder_adopt (self->builder, &children, row);
      sw_zone_trace_builder_wait (self->builder, row, waiting);
      at = zone_end;
    }
}

/* Works of a queue, which overlap and are reported in any order. */
static void
make_gpu_zones (Maker *self,
                guint32 timeline,
                guint n)
{
  for (guint i = 0; i < n; i++)
    {
      guint64 start = BASE + (guint64) g_rand_int_range (self->random, 0, 9000000);
      SwZoneRow zone = {
        start, (guint64) g_rand_int_range (self->random, 0, 200000), (guint64) g_rand_int_range (self->random, 0, 200),
        SW_ZONE_NO_ROW, timeline, random_site (self), frame_at (start)
      };

      sw_zone_trace_builder_append (self->builder, &zone);
    }
}

static void
add_timeline (Maker *self,
              SwTimelineType type,
              const char *name,
              guint32 id)
{
  g_autoptr (SwTimeline) timeline = type == SW_TIMELINE_TYPE_CPU ? sw_timeline_new (type, name, 1000 + id, 0, 0)
                                                                 : sw_timeline_new (type, name, 0, 1, id);

  g_assert_cmpuint (sw_zone_trace_builder_add_timeline (self->builder, id, timeline), ==, id);
}

static void
add_frames (Maker *self)
{
  for (guint32 i = 0; i < N_FRAMES; i++)
    g_assert_true (sw_zone_trace_builder_add_frame (self->builder, i, "frame", BASE + (guint64) i * FRAME_NS,
                                                    BASE + (guint64) i * FRAME_NS + FRAME_NS * 9 / 10 - i));
}

static SwZoneTrace *
make_trace (const char *name)
{
  gboolean is_hostile = g_str_equal (name, "hostile");
  Maker maker = {
    sw_zone_trace_builder_new (G_MAXSIZE), g_rand_new_with_seed (7), is_hostile ? hostile_names : plain_names,
    is_hostile ? G_N_ELEMENTS (hostile_names) : G_N_ELEMENTS (plain_names), 0
  };
  SwZoneTraceInfo info = { .start_ns = BASE + 50, .stop_ns = BASE + 10000000, .stop_reason = SW_STOP_REASON_REQUESTED };
  guint32 n_threads = is_hostile ? 1 : 3;

  if (!g_str_equal (name, "empty"))
    {
      for (guint32 id = 0; id < n_threads; id++)
        add_timeline (&maker, SW_TIMELINE_TYPE_CPU, is_hostile ? "thread \"1\",\n" : "thread", id);
      add_frames (&maker);
      for (guint round = 0; round < 12; round++)
        for (guint32 id = 0; id < n_threads; id++)
          {
            gint64 roots = SW_ZONE_NO_ROW;

            make_zones (&maker, id, BASE + round * 800000, BASE + round * 800000 + 790000, 0, &roots);
            sw_zone_trace_builder_adopt (maker.builder, &roots, SW_ZONE_NO_ROW);
          }
    }
  if (g_str_equal (name, "gpu"))
    {
      add_timeline (&maker, SW_TIMELINE_TYPE_GPU, "compute", 3);
      make_gpu_zones (&maker, 3, 400);
      info.diagnostics = (SwDiagnosticCounters){ .queue_full = 3, .stack_full = 2, .unresolved = 1 };
    }
  g_rand_free (maker.random);
  return sw_zone_trace_builder_finish (maker.builder, &info);
}

static void
save (const char *folder,
      const char *trace,
      const char *suffix,
      gconstpointer bytes,
      gsize n)
{
  g_autofree char *name = g_strdup_printf ("%s.%s", trace, suffix);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, bytes != NULL ? bytes : "", (gssize) n, &error);
  g_assert_no_error (error);
}

static void
save_bytes (const char *folder,
            const char *trace,
            const char *suffix,
            GBytes *bytes)
{
  save (folder, trace, suffix, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_bytes_unref (bytes);
}

static void
append_numbers (GString *json,
                const char *key,
                GBytes *bytes,
                guint width)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  g_string_append_printf (json, ", \"%s\": [", key);
  for (gsize i = 0; i < size / width; i++)
    {
      g_string_append (json, i > 0 ? ", " : "");
      if (width == 4)
        g_string_append_printf (json, "%u", ((const guint32 *) data)[i]);
      else
        g_string_append_printf (json, "%" G_GUINT64_FORMAT, ((const guint64 *) data)[i]);
    }
  g_string_append_c (json, ']');
  g_bytes_unref (bytes);
}

static void
append_statistics (GString *json,
                   SwDurationStatistics *statistics)
{
  const double figures[] = {
    sw_duration_statistics_get_total_ms (statistics),
    sw_duration_statistics_get_min_ms (statistics),
    sw_duration_statistics_get_max_ms (statistics),
    sw_duration_statistics_get_mean_ms (statistics),
    sw_duration_statistics_get_stddev_ms (statistics),
    sw_duration_statistics_get_p50_ms (statistics),
    sw_duration_statistics_get_p90_ms (statistics),
    sw_duration_statistics_get_p95_ms (statistics),
    sw_duration_statistics_get_p99_ms (statistics),
  };

  g_string_append_printf (json, ", \"statistics\": [%" G_GUINT64_FORMAT, sw_duration_statistics_get_count (statistics));
  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      g_string_append (json, ", ");
      sw_text_append_double (json, figures[i]);
    }
  g_string_append_c (json, ']');
  sw_duration_statistics_unref (statistics);
}

static void
append_query (GString *json,
              SwZoneTrace *trace,
              const char *name,
              int type,
              gint64 frame_begin,
              gint64 frame_end,
              gint64 start_ns,
              gint64 end_ns)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwZoneSelection) selection = sw_zone_trace_query_zones (trace, name, type, frame_begin, frame_end, start_ns, end_ns, &error);
  g_autoptr (SwZoneSelection) slowest = NULL;
  g_autoptr (SwDurationHistogram) histogram = NULL;

  g_assert_no_error (error);
  slowest = sw_zone_selection_slowest (selection, 10);
  histogram = sw_zone_selection_dup_histogram (selection, 17, 0.01, 0.2, &error);
  g_assert_no_error (error);
  g_string_append (json, json->len > 1 ? ",\n{\"name\": " : "{\"name\": ");
  if (name != NULL)
    sw_text_append_json (json, name);
  else
    g_string_append (json, "null");
  g_string_append_printf (json, ", \"type\": %d, \"frames\": [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "], \"times\": [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", type, frame_begin, frame_end, start_ns, end_ns);
  append_numbers (json, "indices", sw_zone_selection_dup_indices (selection), 4);
  append_numbers (json, "slowest", sw_zone_selection_dup_indices (slowest), 4);
  append_numbers (json, "histogram", sw_duration_histogram_dup_counts (histogram), 8);
  append_statistics (json, sw_zone_selection_dup_statistics (selection));
  g_string_append_c (json, '}');
}

static void
save_queries (const char *folder,
              const char *name,
              SwZoneTrace *trace)
{
  g_autoptr (GString) json = g_string_new ("[");
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  gint64 base = (gint64) BASE;

  append_query (json, trace, NULL, -1, -1, -1, -1, -1);
  append_query (json, trace, "draw", -1, -1, -1, -1, -1);
  append_query (json, trace, "not there", -1, -1, -1, -1, -1);
  append_query (json, trace, NULL, SW_TIMELINE_TYPE_CPU, -1, -1, -1, -1);
  append_query (json, trace, "draw", SW_TIMELINE_TYPE_GPU, -1, -1, -1, -1);
  append_query (json, trace, NULL, -1, 0, -1, -1, -1);
  append_query (json, trace, NULL, -1, -1, 1, -1, -1);
  append_query (json, trace, NULL, -1, 5, 5, -1, -1);
  append_query (json, trace, NULL, -1, 50, 20, -1, -1);
  append_query (json, trace, NULL, -1, 0, G_MAXINT64, -1, -1);
  append_query (json, trace, NULL, -1, G_MAXUINT32, G_MAXINT64, -1, -1);
  append_query (json, trace, NULL, -1, -1, -1, base + 3000000, base + 3000000);
  append_query (json, trace, NULL, -1, -1, -1, base + 3000000, base + 3000001);
  append_query (json, trace, NULL, -1, -1, -1, 0, base);
  append_query (json, trace, NULL, -1, -1, -1, base + 9000000, -1);
  for (int i = 0; i < 60; i++)
    append_query (json, trace, g_rand_boolean (random) ? plain_names[g_rand_int_range (random, 0, 5)] : NULL,
                  g_rand_int_range (random, -1, 2), g_rand_int_range (random, -1, 60), g_rand_int_range (random, 20, N_FRAMES),
                  g_rand_boolean (random) ? base + g_rand_int_range (random, 0, 9000000) : -1,
                  g_rand_boolean (random) ? base + g_rand_int_range (random, 0, 9000000) : -1);
  g_string_append (json, "]");
  save (folder, name, "queries", json->str, json->len);
}

static void
save_formats (const char *folder,
              const char *name,
              SwZoneTrace *trace)
{
  static const struct
  {
    const char *suffix;
    gboolean (*write) (SwZoneTrace *self, const char *path, GError **error);
  } formats[] = {
    { "json", sw_zone_trace_write_to_json },
    { "jsonl", sw_zone_trace_write_to_jsonl },
    { "pftrace", sw_zone_trace_write_to_perfetto },
    { "csv", sw_zone_trace_write_to_csv },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *file = g_strdup_printf ("%s.%s", name, formats[i].suffix);
      g_autofree char *path = g_build_filename (folder, file, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_true (formats[i].write (trace, path, &error));
      g_assert_no_error (error);
    }
}

static void
save_columns (const char *folder,
              const char *name,
              SwZoneTrace *trace)
{
  static const char *const columns[] = {
    "start_ns", "duration_ns", "correlation_id", "timeline_id", "site_id", "parent_index", "frame_index"
  };
  g_autoptr (SwZoneSelection) all = sw_zone_trace_query_zones (trace, NULL, -1, -1, -1, -1, -1, NULL);
  g_autoptr (GPtrArray) sites = sw_zone_trace_dup_sites (trace);
  g_autoptr (GString) names = g_string_new ("{");

  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    save_bytes (folder, name, columns[i], sw_zone_selection_dup_column (all, (SwZoneColumn) i, NULL));
  for (guint i = 0; i < sites->len; i++)
    {
      g_string_append_printf (names, "%s\"%u\": ", i > 0 ? ", " : "", sw_profiler_site_get_id (sites->pdata[i]));
      sw_text_append_json (names, sw_profiler_site_get_name (sites->pdata[i]));
    }
  g_string_append_c (names, '}');
  save (folder, name, "sites", names->str, names->len);
}

int
main (int argc,
      char **argv)
{
  static const char *const names[] = { "empty", "plain", "gpu", "hostile" };

  g_assert_cmpint (argc, ==, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (SwZoneTrace) trace = make_trace (names[i]);

      save_formats (argv[1], names[i], trace);
      save_columns (argv[1], names[i], trace);
      save_queries (argv[1], names[i], trace);
    }
  return 0;
}
