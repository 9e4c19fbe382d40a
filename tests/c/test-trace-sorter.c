/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib.h>
#include <string.h>

#include "sw-profiler/analysis/sw-trace-sorter-private.h"

#define N 20000
/* So little that there are some hundred runs in the file. */
#define LITTLE (16 * 1024)
#define MUCH ((gsize) 1 << 30)

/* What an event is follows from its number. */
static void
add (SwTraceSorter *sorter,
     guint32 i,
     guint32 file)
{
  g_autofree char *text = g_strnfill (i % 97, (char) ('a' + i % 26));
  SwTraceArg args[2] = { { .key = i, .type = SW_TRACE_ARG_STRING, .value.string = text },
                         { .key = file, .type = SW_TRACE_ARG_INT64, .value.int64 = -(gint64) i } };
  SwTraceFlow flow = { i, SW_TRACE_FLOW_STEP, i % 2 != 0 ? 5 : 0 };
  SwTraceSlice slice = {
    .track = i % 7 + 1,
    .name = i,
    .category = i % 3,
    .start_ns = (gint64) (i * G_GUINT64_CONSTANT (7919) % 5003) - 2000,
    .duration_ns = i % 11,
    .args = args,
    .n_args = i % 3,
    .flows = &flow,
    .n_flows = i % 5 == 0,
  };

  if (i % 13 == 0)
    {
      SwTraceReadCounter counter = { .track = 9, .time_ns = slice.start_ns, .is_integer = TRUE, .integer = i };

      sw_trace_sorter_add_counter (sorter, &counter);
      return;
    }
  sw_trace_sorter_add (sorter, SW_SORTED_SLICE, &slice, i % 2, i % 4);
}

static SwTraceSorter *
make_sorter (gsize budget,
             guint32 file)
{
  SwTraceSorter *sorter = sw_trace_sorter_new (budget);
  g_autoptr (GError) error = NULL;

  for (guint32 i = 0; i < N; i++)
    add (sorter, i, file);
  g_assert_true (sw_trace_sorter_finish (sorter, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (sw_trace_sorter_get_n_events (sorter), ==, N);
  return sorter;
}

static void
check_slice (const SwSortedEvent *event,
             gint64 shift)
{
  guint32 i = event->slice.name;
  gint64 start = (gint64) (i * G_GUINT64_CONSTANT (7919) % 5003) - 2000;

  g_assert_cmpint (event->slice.start_ns, ==, start + shift);
  g_assert_cmpint (event->slice.duration_ns, ==, i % 11);
  g_assert_cmpuint (event->slice.track, ==, i % 7 + 1);
  g_assert_cmpuint (event->flags, ==, i % 2);
  g_assert_cmpuint (event->slice.n_args, ==, i % 3);
  g_assert_cmpuint (event->slice.n_flows, ==, i % 5 == 0);
  if (event->slice.n_flows > 0)
    g_assert_cmpint (event->slice.flows[0].time_ns, ==, i % 2 != 0 ? 5 + shift : 0);
  if (event->slice.n_args > 0)
    {
      g_assert_cmpuint (strlen (event->slice.args[0].value.string), ==, i % 97);
      g_assert_cmpuint (strspn (event->slice.args[0].value.string, (char[]){ (char) ('a' + i % 26), 0 }), ==, i % 97);
    }
  if (event->slice.n_args > 1)
    {
      g_assert_cmpuint (event->slice.args[1].key, ==, event->file);
      g_assert_cmpint (event->slice.args[1].value.int64, ==, -(gint64) i);
    }
}

/* All of them, in order, each once; the names of the slices as they come. */
static GArray *
read_all (SwTraceSorter *const *sorters,
          const gint64 *shifts,
          guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwSortedEvents) events = sw_sorted_events_new (sorters, shifts, n, &error);
  GArray *names = g_array_new (FALSE, FALSE, sizeof (guint64));
  gint64 last = G_MININT64;
  SwSortedEvent event;

  g_assert_no_error (error);
  while (sw_sorted_events_next (events, &event, &error))
    {
      guint64 name = (guint64) event.file << 32 | event.slice.name;

      g_assert_cmpint (event.slice.start_ns, >=, last);
      last = event.slice.start_ns;
      if (event.kind == SW_SORTED_SLICE)
        check_slice (&event, shifts[event.file]);
      else
        name |= (guint64) event.slice.args[0].value.int64 | G_GUINT64_CONSTANT (1) << 63;
      g_array_append_val (names, name);
    }
  g_assert_no_error (error);
  g_assert_cmpuint (names->len, ==, n * N);
  return names;
}

/* The file changes nothing. */
static void
test_spilled (void)
{
  g_autoptr (SwTraceSorter) little = make_sorter (LITTLE, 0);
  g_autoptr (SwTraceSorter) much = make_sorter (MUCH, 0);
  const gint64 shift = 0;
  g_autoptr (GArray) spilled = read_all (&little, &shift, 1);
  g_autoptr (GArray) kept = read_all (&much, &shift, 1);

  g_assert_cmpmem (spilled->data, spilled->len * sizeof (guint64), kept->data, kept->len * sizeof (guint64));
}

static void
test_merged (void)
{
  g_autoptr (SwTraceSorter) first = make_sorter (LITTLE, 0);
  g_autoptr (SwTraceSorter) second = make_sorter (MUCH, 1);
  SwTraceSorter *const sorters[] = { first, second };
  const gint64 shifts[] = { 1000000, -3 };
  g_autoptr (GArray) names = read_all (sorters, shifts, 2);

  /* All of the second come first, then. */
  g_assert_cmpuint (g_array_index (names, guint64, N - 1) >> 32 & 1, ==, 1);
  g_assert_cmpuint (g_array_index (names, guint64, N) >> 32 & 1, ==, 0);
}

static void
test_empty (void)
{
  g_autoptr (SwTraceSorter) sorter = sw_trace_sorter_new (LITTLE);
  g_autoptr (SwSortedEvents) events = NULL;
  const gint64 shift = 0;
  SwSortedEvent event;
  gint64 first, last;

  g_assert_true (sw_trace_sorter_finish (sorter, NULL));
  g_assert_false (sw_trace_sorter_get_times (sorter, &first, &last));
  events = sw_sorted_events_new (&sorter, &shift, 1, NULL);
  g_assert_false (sw_sorted_events_next (events, &event, NULL));
}

/* One larger than the buffers and the memory that there may be. */
static void
test_large_event (void)
{
  g_autoptr (SwTraceSorter) sorter = sw_trace_sorter_new (LITTLE);
  g_autofree char *text = g_strnfill (1000000, 'x');
  SwTraceArg arg = { .type = SW_TRACE_ARG_STRING, .value.string = text };
  g_autoptr (SwSortedEvents) events = NULL;
  const gint64 shift = 0;
  SwSortedEvent event;

  for (gint64 i = 0; i < 5; i++)
    {
      SwTraceSlice slice = { .track = 1, .start_ns = -i, .args = &arg, .n_args = 1 };

      sw_trace_sorter_add (sorter, SW_SORTED_INSTANT, &slice, 0, 0);
    }
  g_assert_true (sw_trace_sorter_finish (sorter, NULL));
  events = sw_sorted_events_new (&sorter, &shift, 1, NULL);
  for (gint64 i = -4; i <= 0; i++)
    {
      g_assert_true (sw_sorted_events_next (events, &event, NULL));
      g_assert_cmpint (event.slice.start_ns, ==, i);
      g_assert_cmpstr (event.slice.args[0].value.string, ==, text);
    }
  g_assert_false (sw_sorted_events_next (events, &event, NULL));
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace-sorter/spilled", test_spilled);
  g_test_add_func ("/trace-sorter/merged", test_merged);
  g_test_add_func ("/trace-sorter/empty", test_empty);
  g_test_add_func ("/trace-sorter/large-event", test_large_event);
  return g_test_run ();
}
