/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes each workload in each format: trace-workloads FOLDER makes FOLDER/NAME.json, .jsonl and .pftrace.
 * What must be in them is known to the test that reads them. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strideweave.h>
#include <unistd.h>

#include "sw-profiler/export/sw-trace-writer-private.h"

#define BASE G_GINT64_CONSTANT (1000000000123)
#define PID 4321

static guint32
name_of (SwTraceWriter *writer,
         const char *name)
{
  return sw_trace_writer_intern (writer, name, -1);
}

static guint32
add_track (SwTraceWriter *writer,
           SwTraceTrackKind kind,
           SwTraceOrder order,
           gint64 id,
           const char *name)
{
  SwTraceTrackInfo info = { .kind = kind, .order = order, .id = id, .name = name, .rank = SW_TRACE_NO_RANK };

  return sw_trace_writer_add_track (writer, &info);
}

static guint32
add_thread (SwTraceWriter *writer,
            SwTraceOrder order,
            gint64 tid,
            const char *name)
{
  return add_track (writer, SW_TRACE_TRACK_THREAD, order, tid, name);
}

static void
put (SwTraceWriter *writer,
     guint32 track,
     const char *name,
     gint32 depth,
     gint64 start,
     gint64 end)
{
  SwTraceSlice slice = {
    .track = track,
    .name = name_of (writer, name),
    .category = name_of (writer, "test"),
    .depth = depth,
    .start_ns = BASE + start,
    .duration_ns = end - start,
  };

  sw_trace_writer_slice (writer, &slice);
}

static void
put_instant (SwTraceWriter *writer,
             guint32 track,
             const char *name,
             gint32 depth,
             gint64 time)
{
  SwTraceSlice instant = {
    .track = track,
    .name = name_of (writer, name),
    .depth = depth,
    .start_ns = BASE + time,
  };

  sw_trace_writer_instant (writer, &instant);
}

static void
write_empty (SwTraceWriter *writer)
{
}

/* Equal times in all the ways there are, in both orders, with and without depths. */
static void
write_ties (SwTraceWriter *writer)
{
  guint32 by_start = add_thread (writer, SW_TRACE_ORDER_START, PID, "by start");
  guint32 by_end = add_thread (writer, SW_TRACE_ORDER_END, PID + 1, "by end");
  guint32 no_depth = add_thread (writer, SW_TRACE_ORDER_END, PID + 2, "no depth");

  put (writer, by_start, "outer", 0, 10, 20);
  put (writer, by_start, "middle", 1, 10, 20);
  put (writer, by_start, "inner", 2, 10, 15);
  put (writer, by_start, "empty", 2, 15, 15);
  put (writer, by_start, "next", 2, 15, 20);
  put (writer, by_start, "after", 0, 20, 21);
  put (writer, by_start, "empty root", 0, 30, 30);
  put (writer, by_start, "last", 0, 30, 31);

  put (writer, by_end, "inner", 2, 10, 15);
  put (writer, by_end, "empty", 2, 15, 15);
  put (writer, by_end, "next", 2, 15, 20);
  put (writer, by_end, "middle", 1, 10, 20);
  put (writer, by_end, "outer", 0, 10, 20);
  put (writer, by_end, "after", 0, 20, 21);
  put (writer, by_end, "empty root", 0, 30, 30);
  put (writer, by_end, "last", 0, 30, 31);

  put (writer, no_depth, "inner", -1, 10, 15);
  put (writer, no_depth, "next", -1, 15, 19);
  put (writer, no_depth, "middle", -1, 10, 20);
  put (writer, no_depth, "outer", -1, 10, 21);
  put (writer, no_depth, "after", -1, 21, 22);
}

/* Whole and part microseconds, a nanosecond, an hour. */
static void
write_times (SwTraceWriter *writer)
{
  static const gint64 lengths[] = { 0, 1, 9, 10, 300, 999, 1000, 1001, 999999, 1000000, G_GINT64_CONSTANT (3600000000000) };
  guint32 track = add_thread (writer, SW_TRACE_ORDER_START, PID, "main");
  gint64 at = 0;

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, lengths[i]);

      put (writer, track, name, 0, at, at + lengths[i]);
      at += lengths[i] + 1;
    }
}

#define DEPTH 64

static void
write_deep (SwTraceWriter *writer)
{
  guint32 by_start = add_thread (writer, SW_TRACE_ORDER_START, PID, "by start");
  guint32 by_end = add_thread (writer, SW_TRACE_ORDER_END, PID + 1, "by end");

  for (int round = 0; round < 3; round++)
    {
      for (int i = 0; i < DEPTH; i++)
        put (writer, by_start, "recurse", i, 1000 * round + i, 1000 * round + 500 - i);
      for (int i = DEPTH; i-- > 0;)
        put (writer, by_end, "recurse", i, 1000 * round + i, 1000 * round + 500 - i);
    }
}

#define N_THREADS 200

static void
write_threads (SwTraceWriter *writer)
{
  guint32 tracks[N_THREADS];

  for (int i = 0; i < N_THREADS; i++)
    {
      g_autofree char *name = g_strdup_printf ("worker %d", i);

      tracks[i] = add_thread (writer, i % 2 == 0 ? SW_TRACE_ORDER_END : SW_TRACE_ORDER_START, 10000 + i, name);
    }
  for (int round = 0; round < 5; round++)
    for (int i = 0; i < N_THREADS; i++)
      {
        g_autofree char *name = g_strdup_printf ("worker %d", i);

        put (writer, tracks[i], name, 0, 100 * round + i, 100 * round + i + 50);
      }
}

/* A later thread with the number of one that ended; a new name; an order. */
static void
write_lanes (SwTraceWriter *writer)
{
  SwTraceTrackInfo ranked = { SW_TRACE_TRACK_THREAD, SW_TRACE_ORDER_END, 0, 7, 77, "ranked", NULL };
  SwTraceTrackInfo zero = { SW_TRACE_TRACK_THREAD, SW_TRACE_ORDER_END, 0, -7, 0, "zero", NULL };
  SwTraceTrackInfo other = { .kind = SW_TRACE_TRACK_PROCESS, .id = 99, .name = "other process", .rank = 3 };
  SwTraceTrackInfo inner = { SW_TRACE_TRACK_THREAD, SW_TRACE_ORDER_END, 0, SW_TRACE_NO_RANK, 77, "elsewhere", NULL };
  guint32 old = add_thread (writer, SW_TRACE_ORDER_END, 55, "old");
  guint32 new;

  put (writer, old, "first", 0, 0, 10);
  new = add_thread (writer, SW_TRACE_ORDER_END, 55, "new");
  put (writer, new, "second", 0, 20, 30);
  new = add_thread (writer, SW_TRACE_ORDER_END, 56, "before");
  put (writer, new, "third", 0, 20, 30);
  sw_trace_writer_rename_track (writer, new, "renamed");
  put (writer, new, "fourth", 0, 30, 40);
  put (writer, sw_trace_writer_add_track (writer, &ranked), "fifth", 0, 0, 1);
  put (writer, sw_trace_writer_add_track (writer, &zero), "sixth", 0, 0, 1);
  inner.process = sw_trace_writer_add_track (writer, &other);
  put (writer, sw_trace_writer_add_track (writer, &inner), "seventh", 0, 0, 1);
}

/* What overlaps without nesting is shown on other lanes, whatever is said of depths. */
static void
write_overlaps (SwTraceWriter *writer)
{
  guint32 queue = add_track (writer, SW_TRACE_TRACK_GPU_QUEUE, SW_TRACE_ORDER_START, 0, "queue 0");
  guint32 thread = add_thread (writer, SW_TRACE_ORDER_END, PID, "thread");

  put (writer, queue, "a", 0, 0, 100);
  put (writer, queue, "b", 0, 50, 150);
  put (writer, queue, "b child", 1, 60, 70);
  put (writer, queue, "c", 0, 70, 80);
  put (writer, queue, "d", 0, 100, 110);

  put (writer, thread, "e", -1, 0, 100);
  put (writer, thread, "f", -1, 50, 150);
  put (writer, thread, "around", -1, 0, 160);
  put (writer, thread, "g", 0, 200, 300);
  put (writer, thread, "h", 0, 250, 350);
}

static void
put_with_args (SwTraceWriter *writer,
               guint32 track,
               const char *name,
               gint64 start,
               gint64 end)
{
  SwTraceArg arg = { name_of (writer, "tokens"), SW_TRACE_ARG_INT64, { .int64 = 12 } };
  SwTraceSlice slice = {
    .track = track,
    .name = name_of (writer, name),
    .start_ns = BASE + start,
    .duration_ns = end - start,
    .args = &arg,
    .n_args = 1,
  };

  sw_trace_writer_slice (writer, &slice);
}

static void
write_async (SwTraceWriter *writer)
{
  guint32 requests = add_track (writer, SW_TRACE_TRACK_ASYNC, SW_TRACE_ORDER_END, 0, "request");
  guint32 thread = add_thread (writer, SW_TRACE_ORDER_END, PID, "thread");

  put (writer, thread, "work", 0, 5, 20);
  put (writer, requests, "request", 0, 20, 30);
  put (writer, requests, "request", 0, 10, 40);
  put (writer, requests, "request", 0, 15, 50);
  put (writer, requests, "request", 0, 50, 60);
  put (writer, requests, "request", 0, 0, 100);
  put_with_args (writer, requests, "request", 20, 100);
}

static void
put_flowing (SwTraceWriter *writer,
             guint32 track,
             const char *name,
             gint32 depth,
             gint64 start,
             gint64 end,
             guint64 id,
             SwTraceFlowStep step)
{
  SwTraceFlow flows[] = { { id, step, 0 }, { id + 1000, step, 0 } };
  SwTraceSlice slice = {
    .track = track,
    .name = name_of (writer, name),
    .depth = depth,
    .start_ns = BASE + start,
    .duration_ns = end - start,
    .flows = flows,
    .n_flows = G_N_ELEMENTS (flows),
  };

  sw_trace_writer_slice (writer, &slice);
}

/* Two flows at once. */
static void
write_flows (SwTraceWriter *writer)
{
  guint32 first = add_thread (writer, SW_TRACE_ORDER_END, PID, "first");
  guint32 second = add_thread (writer, SW_TRACE_ORDER_END, PID + 1, "second");
  guint32 third = add_thread (writer, SW_TRACE_ORDER_START, PID + 2, "third");

  put (writer, first, "child", 1, 11, 20);
  put_flowing (writer, first, "submit", 0, 10, 20, 1, SW_TRACE_FLOW_START);
  put_flowing (writer, second, "queue", 1, 30, 40, 1, SW_TRACE_FLOW_STEP);
  put (writer, second, "outer", 0, 30, 50);
  put_flowing (writer, third, "run", 0, 60, 70, 1, SW_TRACE_FLOW_END);
  put (writer, third, "inner", 1, 61, 70);
  put_flowing (writer, first, "submit 2", 0, 100, 120, 2, SW_TRACE_FLOW_START);
  put_flowing (writer, third, "run 2", 0, 130, 140, 2, SW_TRACE_FLOW_END);
}

static void
write_counters (SwTraceWriter *writer)
{
  SwTraceTrackInfo info = { SW_TRACE_TRACK_COUNTER, SW_TRACE_ORDER_END, 0, SW_TRACE_NO_RANK, 0, "bytes", "B" };
  guint32 bytes = sw_trace_writer_add_track (writer, &info);
  guint32 ratio = add_track (writer, SW_TRACE_TRACK_COUNTER, SW_TRACE_ORDER_END, 0, "ratio");
  static const double values[] = { 0, -0.0, 0.5, 0.1, 1e-9, -123456.789, 1e300, 5e-324, NAN, INFINITY, -INFINITY, 1.0 / 3 };
  static const gint64 integers[] = { 0, 1, -1, 4096, G_GINT64_CONSTANT (1) << 53, -12345678901 };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    sw_trace_writer_counter (writer, ratio, BASE + i, values[i]);
  for (guint i = 0; i < G_N_ELEMENTS (integers); i++)
    sw_trace_writer_counter_int64 (writer, bytes, BASE + 10 * i, integers[i]);
}

/* With all that one can have. */
static void
put_rich_instant (SwTraceWriter *writer,
                  guint32 track,
                  const char *name,
                  gint64 time,
                  SwTraceFlowStep step)
{
  SwTraceArg arg = { name_of (writer, "reason"), SW_TRACE_ARG_STRING, { .string = name } };
  SwTraceFlow flow = { 9, step, 0 };
  SwTraceSlice instant = {
    .track = track,
    .name = name_of (writer, name),
    .category = name_of (writer, "test"),
    .start_ns = BASE + time,
    .args = &arg,
    .n_args = 1,
    .flows = &flow,
    .n_flows = 1,
  };

  sw_trace_writer_instant (writer, &instant);
}

/* An instant at the beginning of a slice is inside it. */
static void
write_instants (SwTraceWriter *writer)
{
  guint32 by_start = add_thread (writer, SW_TRACE_ORDER_START, PID, "by start");
  guint32 by_end = add_thread (writer, SW_TRACE_ORDER_END, PID + 1, "by end");

  put (writer, by_start, "outer", 0, 10, 20);
  put_instant (writer, by_start, "at start", 1, 10);
  put_instant (writer, by_start, "between", 1, 15);
  put_instant (writer, by_start, "outside", 0, 25);
  put_instant (writer, by_end, "at start", 1, 10);
  put_instant (writer, by_end, "between", 1, 15);
  put (writer, by_end, "outer", 0, 10, 20);
  put_instant (writer, by_end, "outside", 0, 25);
  put (writer, by_start, "between two", 0, 30, 40);
  put_instant (writer, by_start, "at both", 0, 40);
  put (writer, by_start, "empty at both", 0, 40, 40);
  put (writer, by_start, "second", 0, 40, 50);
  put_instant (writer, by_start, "at end", 1, 50);
  put (writer, by_end, "between two", 0, 30, 40);
  put_instant (writer, by_end, "at both", 0, 40);
  put (writer, by_end, "empty at both", 0, 40, 40);
  put_instant (writer, by_end, "at end", 1, 50);
  put (writer, by_end, "second", 0, 40, 50);
  put_instant (writer, 1, "of the process", 0, 30);
  put_rich_instant (writer, by_start, "sends", 100, SW_TRACE_FLOW_START);
  put_rich_instant (writer, by_end, "receives", 110, SW_TRACE_FLOW_END);
}

static void
write_args (SwTraceWriter *writer)
{
  static const SwTraceArgType integer = SW_TRACE_ARG_INT64;
  guint32 track = add_thread (writer, SW_TRACE_ORDER_END, PID, "main");
  g_autoptr (SwShape) shape = sw_shape_new_from_string ("((2, 3), 4)", NULL);
  SwTraceArg args[] = {
    { name_of (writer, "text"), SW_TRACE_ARG_STRING, { .string = "a \"quoted\" line\n" } },
    { name_of (writer, "name"), SW_TRACE_ARG_NAME, { .name = name_of (writer, "strideweave.CPU") } },
    { name_of (writer, "smallest"), integer, { .int64 = G_MININT64 } },
    { name_of (writer, "largest"), integer, { .int64 = G_MAXINT64 } },
    { name_of (writer, "unsigned"), SW_TRACE_ARG_UINT64, { .uint64 = (G_GUINT64_CONSTANT (1) << 53) + 1 } },
    { name_of (writer, "real"), SW_TRACE_ARG_DOUBLE, { .real = 0.1 } },
    { name_of (writer, "nan"), SW_TRACE_ARG_DOUBLE, { .real = NAN } },
    { name_of (writer, "yes"), SW_TRACE_ARG_BOOL, { .boolean = TRUE } },
    { name_of (writer, "no"), SW_TRACE_ARG_BOOL, { .boolean = FALSE } },
    { name_of (writer, "twice"), integer, { .int64 = 1 } },
    { name_of (writer, "twice"), integer, { .int64 = 2 } },
    { name_of (writer, "empty"), SW_TRACE_ARG_STRING, { .string = "" } },
    { name_of (writer, "shape"), SW_TRACE_ARG_SHAPE, { .shape = shape } },
  };
  SwTraceSlice slice = { .track = track, .name = name_of (writer, "all"), .start_ns = BASE, .duration_ns = 5 };

  slice.args = args;
  slice.n_args = G_N_ELEMENTS (args);
  sw_trace_writer_slice (writer, &slice);
  slice.name = name_of (writer, "one");
  slice.n_args = 1;
  slice.start_ns += 10;
  sw_trace_writer_slice (writer, &slice);
}

/* Each byte that is a character of its own, and what else people have found to break readers. */
static void
write_hostile (SwTraceWriter *writer)
{
  g_autofree char *long_name = g_strnfill (4096, 'x');
  g_autofree char *long_name_2 = g_strconcat (long_name, "2", NULL);
  const char *names[] = {
    "\"quoted\"",
    "back\\slash",
    "{\"json\": [1, 2]}",
    "tab\tline\nreturn\r",
    "\xff",
    "a\xc3(",
    "\xed\xa0\x80",
    "\xf0\x9f\xa6\x8a",
    "Grüße aus Köln",
    "\xe2\x80\xa8",
    "\xc0\xaf",
    "</script>",
    "%s%n",
    "",
    long_name,
    long_name_2,
  };
  guint32 track = add_thread (writer, SW_TRACE_ORDER_END, PID, "名前 \"quoted\"\n\x01\xff");
  SwTraceArg arg = { 0, SW_TRACE_ARG_STRING, { .string = NULL } };
  SwTraceSlice slice = { .track = track, .category = name_of (writer, "c\"\x02\xfe"), .start_ns = BASE, .duration_ns = 1 };

  slice.args = &arg;
  slice.n_args = 1;
  for (int i = 1; i < 0x80 + (int) G_N_ELEMENTS (names); i++)
    {
      char one[] = { (char) i, '\0' };
      const char *name = i < 0x80 ? one : names[i - 0x80];

      /* In turn interned and not. */
      slice.name = i % 2 == 0 ? name_of (writer, name) : 0;
      slice.name_text = name;
      arg.key = name_of (writer, "key");
      arg.value.string = name;
      slice.start_ns += 10;
      sw_trace_writer_slice (writer, &slice);
    }
}

static void
write_losses (SwTraceWriter *writer)
{
  guint32 track = add_thread (writer, SW_TRACE_ORDER_END, PID, "main");

  put (writer, track, "before", 0, -50, 10);
  put (writer, track, "backwards", 0, 20, 15);
  sw_trace_writer_add_drops (writer, "queue full", 5);
  sw_trace_writer_add_drops (writer, "no memory", 1);
  sw_trace_writer_add_drops (writer, "queue full", 2);
}

/* Calls that touch each other, begin together and take no time far more often than real ones. */
typedef struct
{
  char name[16];
  gint32 depth;
  gint64 start;
  gint64 end;
} Call;

static gint64
make_calls (GRand *random,
            GArray *by_start,
            GArray *by_end,
            gint32 depth,
            gint64 start,
            gint64 end)
{
  Call call = { "", depth, start, end };
  gint64 at = start;

  g_snprintf (call.name, sizeof call.name, "call %u", by_start->len);
  g_array_append_val (by_start, call);
  while (depth < 6 && end > start && g_rand_int_range (random, 0, 3) > 0)
    {
      gint64 child = at + (end > at ? g_rand_int_range (random, 0, 3) : 0);
      gint64 child_end;

      if (child > end)
        break;
      child_end = g_rand_boolean (random) ? end : child + g_rand_int_range (random, 0, (gint32) (end - child) + 1);
      at = make_calls (random, by_start, by_end, depth + 1, child, child_end);
    }
  g_array_append_val (by_end, call);
  return end;
}

static void
put_calls (SwTraceWriter *writer,
           guint32 track,
           GArray *calls,
           gboolean knows_depths)
{
  for (guint i = 0; i < calls->len; i++)
    {
      Call *call = &g_array_index (calls, Call, i);

      put (writer, track, call->name, knows_depths ? call->depth : -1, call->start, call->end);
    }
}

static void
write_random_calls (SwTraceWriter *writer,
                    guint32 seed)
{
  static const struct
  {
    const char *name;
    SwTraceOrder order;
    gboolean knows_depths;
  } tracks[] = {
    { "by start", SW_TRACE_ORDER_START, TRUE },
    { "by start, no depth", SW_TRACE_ORDER_START, FALSE },
    { "by end", SW_TRACE_ORDER_END, TRUE },
    { "by end, no depth", SW_TRACE_ORDER_END, FALSE },
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GArray) by_start = g_array_new (FALSE, FALSE, sizeof (Call));
  g_autoptr (GArray) by_end = g_array_new (FALSE, FALSE, sizeof (Call));

  for (gint64 at = 0; by_start->len < 250; at++)
    at = make_calls (random, by_start, by_end, 0, at, at + g_rand_int_range (random, 0, 30));
  for (guint i = 0; i < G_N_ELEMENTS (tracks); i++)
    {
      g_autofree char *name = g_strdup_printf ("%u: %s", seed, tracks[i].name);
      guint32 track = add_thread (writer, tracks[i].order, PID + 10 * seed + i, name);

      put_calls (writer, track, tracks[i].order == SW_TRACE_ORDER_START ? by_start : by_end, tracks[i].knows_depths);
    }
}

static void
write_random (SwTraceWriter *writer)
{
  for (guint32 seed = 1; seed <= 4; seed++)
    write_random_calls (writer, seed);
}

static const struct
{
  const char *name;
  void (*write) (SwTraceWriter *writer);
} workloads[] = {
  { "empty", write_empty },
  { "ties", write_ties },
  { "times", write_times },
  { "deep", write_deep },
  { "threads", write_threads },
  { "lanes", write_lanes },
  { "overlaps", write_overlaps },
  { "async", write_async },
  { "flows", write_flows },
  { "counters", write_counters },
  { "instants", write_instants },
  { "args", write_args },
  { "hostile", write_hostile },
  { "losses", write_losses },
  { "random", write_random },
};

static const char *const suffixes[] = {
  [SW_TRACE_FORMAT_CHROME_JSON] = "json",
  [SW_TRACE_FORMAT_JSONL] = "jsonl",
  [SW_TRACE_FORMAT_PERFETTO] = "pftrace",
};

static void
write_workload (const char *folder,
                guint i,
                SwTraceFormat format)
{
  SwTraceSession session = { { 0x0123456789abcdef, 0xfedcba9876543210 }, BASE, G_GINT64_CONSTANT (1700000000000000000), PID, "workloads" };
  g_autofree char *path = g_strdup_printf ("%s/%s.%s", folder, workloads[i].name, suffixes[format]);
  g_autoptr (GError) error = NULL;
  SwTraceWriter *writer = sw_trace_writer_new_for_path (format, path, SW_TRACE_SINK_STREAM, &session, &error);

  g_assert_no_error (error);
  workloads[i].write (writer);
  if (!sw_trace_writer_close (writer, &error))
    g_error ("%s", error->message);
}

/* A program that ends without a word, in the middle of calls: what it flushed is there. */
static void
write_killed (const char *folder,
              SwTraceFormat format)
{
  SwTraceSession session = { { 3, 4 }, BASE, 0, PID, "killed" };
  g_autofree char *path = g_strdup_printf ("%s/killed.%s", folder, suffixes[format]);
  g_autoptr (GError) error = NULL;
  SwTraceWriter *writer = sw_trace_writer_new_for_path (format, path, SW_TRACE_SINK_STREAM, &session, &error);
  guint32 track;

  g_assert_no_error (error);
  track = add_thread (writer, SW_TRACE_ORDER_END, PID, "main");
  for (int i = 0; i < 10000; i++)
    {
      put (writer, track, "inner", 2, 100 * i + 1, 100 * i + 10);
      put (writer, track, "inner", 2, 100 * i + 20, 100 * i + 30);
      put (writer, track, "middle", 1, 100 * i, 100 * i + 40);
    }
  if (!sw_trace_writer_flush (writer, &error))
    g_error ("%s", error->message);
  put (writer, track, "lost", 1, 2000000, 2000001);
}

int
main (int argc,
      char **argv)
{
  if (argc != 2)
    {
      g_printerr ("usage: trace-workloads FOLDER\n");
      return 2;
    }
  for (guint i = 0; i < G_N_ELEMENTS (workloads); i++)
    for (guint format = 0; format < G_N_ELEMENTS (suffixes); format++)
      write_workload (argv[1], i, format);
  for (guint format = 0; format < G_N_ELEMENTS (suffixes); format++)
    write_killed (argv[1], format);
  _exit (0);
}
