/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What slices come to, by name, category and thread, and by path; and what else a trace says. */
#include "config.h"

#include "analysis-fixture.h"

#include <math.h>

#include "sw-profiler/analysis/sw-call-tree-private.h"
#include "sw-profiler/analysis/sw-slice-table-private.h"
#include "sw-profiler/analysis/sw-spill-private.h"

static const SwSliceRow *
find_row (SwSliceTable *table,
          SwSliceKind kind,
          const char *text)
{
  for (guint i = 0; i < sw_slice_table_get_n_rows (table); i++)
    if (sw_slice_table_get_row (table, i)->kind == kind && g_str_equal (sw_slice_table_get_row_text (table, i), text))
      return sw_slice_table_get_row (table, i);
  return NULL;
}

static SwSliceTable *
make_table (Fixture *fixture,
            SwSliceFilter *filter,
            SwSliceGrouping grouping)
{
  g_autoptr (GError) error = NULL;
  SwSliceTable *table = sw_slice_table_new (fixture->analysis, filter, grouping, SW_SLICE_SAMPLES_DURATION, &error);

  g_assert_no_error (error);
  return table;
}

static void
make_plain (Fixture *fixture)
{
  fixture_init (fixture, 0);
  fixture_track (fixture, 1, SW_TRACE_TRACK_THREAD, "main");
  fixture_track (fixture, 2, SW_TRACE_TRACK_THREAD, NULL);
  fixture_track (fixture, 3, SW_TRACE_TRACK_GPU_QUEUE, "queue");
  fixture_track (fixture, 4, SW_TRACE_TRACK_ASYNC, "frames");
  /* step 0..100 { load 10..30, add 40..60 { add 45..50 } } */
  fixture_slice (fixture, 1, "add", "op", 45, 5, -1, 0);
  fixture_slice (fixture, 1, "load", "io", 10, 20, -1, 0);
  fixture_slice (fixture, 1, "add", "op", 40, 20, -1, 0);
  fixture_slice (fixture, 1, "step", "op", 0, 100, -1, 0);
  fixture_slice (fixture, 2, "load", "io", 200, 1000, -1, SW_TRACE_READ_UNFINISHED);
  fixture_slice (fixture, 3, "add", "gpu", 50, 70, -1, 0);
  fixture_slice (fixture, 4, "frame", "frame", 0, 150, -1, 0);
  fixture_slice (fixture, 4, "frame", "frame", 100, 250, -1, 0);
  fixture_slice (fixture, 4, "request", "net", 0, 1, -1, 0);
  fixture_finish (fixture);
}

static void
assert_row (const SwSliceRow *row,
            guint64 calls,
            gint64 total,
            gint64 self,
            gint64 min,
            gint64 max,
            double p50)
{
  g_assert_nonnull (row);
  g_assert_cmpuint (row->calls, ==, calls);
  g_assert_cmpint (row->total_ns, ==, total);
  g_assert_cmpint (row->self_ns, ==, self);
  g_assert_cmpint (row->min_ns, ==, min);
  g_assert_cmpint (row->max_ns, ==, max);
  g_assert_cmpfloat (row->p50_ns, ==, p50);
}

static void
test_by_name (void)
{
  Fixture fixture;
  SwSliceFilter filter;
  g_autoptr (SwSliceTable) table = NULL;

  make_plain (&fixture);
  sw_slice_filter_init (&filter);
  table = make_table (&fixture, &filter, SW_SLICE_GROUP_NAME);
  g_assert_cmpuint (sw_slice_table_get_n_rows (table), ==, 6);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "add"), 2, 25, 20, 5, 20, 12.5);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "load"), 2, 1020, 1020, 20, 1000, 510);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "step"), 1, 100, 60, 100, 100, 100);
  assert_row (find_row (table, SW_SLICE_KIND_GPU, "add"), 1, 70, 70, 70, 70, 70);
  assert_row (find_row (table, SW_SLICE_KIND_FRAME, "frame"), 2, 400, 400, 150, 250, 200);
  assert_row (find_row (table, SW_SLICE_KIND_ASYNC, "request"), 1, 1, 1, 1, 1, 1);
  g_assert_cmpuint (find_row (table, SW_SLICE_KIND_THREAD, "load")->n_unfinished, ==, 1);
  g_assert_cmpint (sw_slice_table_get_whole_ns (table, SW_SLICE_KIND_THREAD), ==, 1100);
  g_assert_cmpint (sw_slice_table_get_track (table, 1)->busy_ns, ==, 100);
  g_assert_cmpint (sw_slice_table_get_track (table, 2)->busy_ns, ==, 1000);
  g_assert_null (sw_slice_table_get_track (table, 5));
  g_assert_cmpuint (fixture.analysis->n_unfinished, ==, 1);
  g_assert_cmpint (fixture.analysis->last_ns, ==, 1200);
  sw_slice_filter_clear (&filter);
  fixture_clear (&fixture);
}

static void
test_by_category_and_thread (void)
{
  Fixture fixture;
  SwSliceFilter filter;
  g_autoptr (SwSliceTable) categories = NULL;
  g_autoptr (SwSliceTable) threads = NULL;

  make_plain (&fixture);
  sw_slice_filter_init (&filter);
  categories = make_table (&fixture, &filter, SW_SLICE_GROUP_CATEGORY);
  assert_row (find_row (categories, SW_SLICE_KIND_THREAD, "op"), 3, 125, 80, 5, 100, 20);
  assert_row (find_row (categories, SW_SLICE_KIND_THREAD, "io"), 2, 1020, 1020, 20, 1000, 510);
  assert_row (find_row (categories, SW_SLICE_KIND_FRAME, "frame"), 2, 400, 400, 150, 250, 200);
  threads = make_table (&fixture, &filter, SW_SLICE_GROUP_THREAD);
  assert_row (find_row (threads, SW_SLICE_KIND_THREAD, "main"), 4, 145, 100, 5, 100, 20);
  assert_row (find_row (threads, SW_SLICE_KIND_THREAD, "102"), 1, 1000, 1000, 1000, 1000, 1000);
  assert_row (find_row (threads, SW_SLICE_KIND_GPU, "queue"), 1, 70, 70, 70, 70, 70);
  sw_slice_filter_clear (&filter);
  fixture_clear (&fixture);
}

static GPtrArray *
patterns (const char *text)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_text_pattern_free);
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (found, sw_text_pattern_new (text, &error));
  g_assert_no_error (error);
  return found;
}

/* Self times stay those of all slices, and shares those of the whole time. */
static void
test_filters (void)
{
  Fixture fixture;
  SwSliceFilter filter;
  SwSliceTable *table;

  make_plain (&fixture);
  sw_slice_filter_init (&filter);
  filter.names = patterns ("st?p");
  table = make_table (&fixture, &filter, SW_SLICE_GROUP_NAME);
  g_assert_cmpuint (sw_slice_table_get_n_rows (table), ==, 1);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "step"), 1, 100, 60, 100, 100, 100);
  g_assert_cmpint (sw_slice_table_get_whole_ns (table, SW_SLICE_KIND_THREAD), ==, 1100);
  sw_slice_table_free (table);
  sw_slice_filter_clear (&filter);

  sw_slice_filter_init (&filter);
  filter.names = patterns ("/^(add|load)$/");
  filter.categories = patterns ("o*");
  filter.threads = patterns ("101");
  filter.min_duration_ns = 6;
  table = make_table (&fixture, &filter, SW_SLICE_GROUP_NAME);
  g_assert_cmpuint (sw_slice_table_get_n_rows (table), ==, 1);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "add"), 1, 20, 15, 20, 20, 20);
  g_assert_cmpint (sw_slice_table_get_whole_ns (table, SW_SLICE_KIND_THREAD), ==, 100);
  sw_slice_table_free (table);
  sw_slice_filter_clear (&filter);

  /* What touches the time only with its end is outside. */
  sw_slice_filter_init (&filter);
  filter.from_ns = 30;
  filter.to_ns = 45;
  table = make_table (&fixture, &filter, SW_SLICE_GROUP_NAME);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "add"), 1, 20, 15, 20, 20, 20);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "step"), 1, 100, 60, 100, 100, 100);
  g_assert_null (find_row (table, SW_SLICE_KIND_THREAD, "load"));
  sw_slice_table_free (table);
  sw_slice_filter_clear (&filter);
  fixture_clear (&fixture);
}

static void
test_bad_patterns (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_text_pattern_new ("/(/", &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "/(/"));
  g_clear_error (&error);
  g_assert_null (sw_text_pattern_new ("\xff", &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
}

/* Percentiles as NumPy has them, whether samples stayed in memory or not. */
static void
test_percentiles (void)
{
  Fixture fixture;
  SwSliceFilter filter;
  g_autoptr (SwSliceTable) table = NULL;
  const SwSliceRow *row;

  fixture_init (&fixture, 1);
  fixture_track (&fixture, 1, SW_TRACE_TRACK_THREAD, "main");
  for (gint64 i = 0; i < 1001; i++)
    fixture_slice (&fixture, 1, "call", "", i * 10000, i * 7919 % 1001 * 3, -1, 0);
  fixture_finish (&fixture);
  sw_slice_filter_init (&filter);
  table = make_table (&fixture, &filter, SW_SLICE_GROUP_NAME);
  row = find_row (table, SW_SLICE_KIND_THREAD, "call");
  g_assert_cmpfloat (row->p50_ns, ==, 1500);
  g_assert_cmpfloat_with_epsilon (row->p90_ns, 2700, 1e-9);
  g_assert_cmpfloat_with_epsilon (row->p95_ns, 2850, 1e-9);
  g_assert_cmpfloat_with_epsilon (row->p99_ns, 2970, 1e-9);
  sw_slice_filter_clear (&filter);
  fixture_clear (&fixture);
}

static void
test_overlaps_are_cut (void)
{
  Fixture fixture;
  SwSliceFilter filter;
  g_autoptr (SwSliceTable) table = NULL;
  const SwTrackTotals *track;

  fixture_init (&fixture, 0);
  fixture_track (&fixture, 1, SW_TRACE_TRACK_THREAD, "main");
  fixture_slice (&fixture, 1, "outer", "", 0, 100, -1, 0);
  fixture_slice (&fixture, 1, "runaway", "", 50, 100000, -1, 0);
  fixture_slice (&fixture, 1, "late", "", 90, 20, -1, 0);
  fixture_finish (&fixture);
  sw_slice_filter_init (&filter);
  table = make_table (&fixture, &filter, SW_SLICE_GROUP_NAME);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "outer"), 1, 100, 50, 100, 100, 100);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "runaway"), 1, 50, 40, 50, 50, 50);
  assert_row (find_row (table, SW_SLICE_KIND_THREAD, "late"), 1, 10, 10, 10, 10, 10);
  track = sw_slice_table_get_track (table, 1);
  g_assert_cmpuint (track->n_clipped, ==, 2);
  g_assert_cmpint (track->clipped_ns, ==, 99950 + 10);
  g_assert_cmpint (track->most_clipped_ns, ==, 99950);
  g_assert_cmpint (track->busy_ns, ==, 100);
  sw_slice_filter_clear (&filter);
  fixture_clear (&fixture);
}

static void
append_path (GString *text,
             SwCallTree *tree,
             guint32 node)
{
  const SwCallNode *at = sw_call_tree_get_node (tree, node);

  g_string_append_printf (text, "%*s%s %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", (int) at->depth, "",
                          sw_call_tree_get_text (tree, node), at->calls, at->total_ns, at->self_ns);
}

static char *
print_tree (Fixture *fixture,
            SwSliceFilter *filter,
            SwCallGrouping grouping)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCallTree) tree = sw_call_tree_new (fixture->analysis, filter, grouping, &error);
  GString *text = g_string_new (NULL);

  g_assert_no_error (error);
  sw_call_tree_sort (tree);
  for (guint32 node = 0; node != SW_CALL_TREE_NONE; node = sw_call_tree_next (tree, node, FALSE))
    append_path (text, tree, node);
  return g_string_free (text, FALSE);
}

static void
test_tree (void)
{
  Fixture fixture;
  SwSliceFilter filter;
  g_autofree char *by_kind = NULL;
  g_autofree char *by_track = NULL;
  g_autofree char *by_time = NULL;

  make_plain (&fixture);
  sw_slice_filter_init (&filter);
  by_kind = print_tree (&fixture, &filter, SW_CALL_GROUP_KIND);
  g_assert_cmpstr (by_kind, ==,
                   " 6 1571 0\n"
                   " threads 2 1100 0\n"
                   "  load 1 1000 1000\n"
                   "  step 1 100 60\n"
                   "   add 1 20 15\n"
                   "    add 1 5 5\n"
                   "   load 1 20 20\n"
                   " asynchronous 3 401 0\n"
                   "  frame 2 400 400\n"
                   "  request 1 1 1\n"
                   " GPU queues 1 70 0\n"
                   "  add 1 70 70\n");
  filter.threads = patterns ("main");
  by_track = print_tree (&fixture, &filter, SW_CALL_GROUP_TRACK);
  g_assert_cmpstr (by_track, ==,
                   " 1 100 0\n"
                   " main 1 100 0\n"
                   "  step 1 100 60\n"
                   "   add 1 20 15\n"
                   "    add 1 5 5\n"
                   "   load 1 20 20\n");
  filter.from_ns = 61;
  by_time = print_tree (&fixture, &filter, SW_CALL_GROUP_TRACK);
  g_assert_cmpstr (by_time, ==, " 1 60 0\n main 1 60 0\n  step 1 60 60\n");
  sw_slice_filter_clear (&filter);
  fixture_clear (&fixture);
}

static void
test_tree_passes_over_depths (void)
{
  enum
  {
    N = 100000
  };
  Fixture fixture;
  SwSliceFilter filter;
  g_autoptr (SwCallTree) tree = NULL;
  guint32 n = 0;

  fixture_init (&fixture, 0);
  fixture_track (&fixture, 1, SW_TRACE_TRACK_THREAD, "main");
  for (gint64 i = 0; i < N; i++)
    fixture_slice (&fixture, 1, "deep", "", i, 2 * (N - i), -1, 0);
  fixture_finish (&fixture);
  sw_slice_filter_init (&filter);
  tree = sw_call_tree_new (fixture.analysis, &filter, SW_CALL_GROUP_KIND, NULL);
  sw_call_tree_sort (tree);
  for (guint32 node = 0; node != SW_CALL_TREE_NONE; node = sw_call_tree_next (tree, node, FALSE))
    n++;
  g_assert_cmpuint (n, ==, N + 2);
  g_assert_cmpint (sw_call_tree_get_node (tree, SW_CALL_TREE_ROOT)->total_ns, ==, 2 * N);
  sw_slice_filter_clear (&filter);
  fixture_clear (&fixture);
}

static void
put_counter (Fixture *fixture,
             gint64 time,
             gboolean is_integer,
             gint64 integer,
             double real)
{
  SwTraceReadCounter counter = { 6, time, is_integer, integer, real };

  sw_trace_analysis_visitor.counter (fixture->analysis, &counter);
}

static void
test_counters (void)
{
  Fixture fixture;
  const SwAnalysisCounter *counter;

  fixture_init (&fixture, 0);
  fixture_track (&fixture, 6, SW_TRACE_TRACK_COUNTER, "bytes");
  put_counter (&fixture, 20, TRUE, G_MAXINT64, 0);
  put_counter (&fixture, 10, TRUE, G_MAXINT64 - 1, 0);
  counter = &g_array_index (fixture.analysis->counters, SwAnalysisCounter, 6);
  g_assert_true (counter->is_integer);
  g_assert_cmpint (counter->last_integer, ==, G_MAXINT64);
  g_assert_cmpint (counter->min_integer, ==, G_MAXINT64 - 1);
  put_counter (&fixture, 30, FALSE, 0, NAN);
  put_counter (&fixture, 15, FALSE, 0, -0.5);
  counter = &g_array_index (fixture.analysis->counters, SwAnalysisCounter, 6);
  g_assert_false (counter->is_integer);
  g_assert_cmpfloat (counter->min, ==, -0.5);
  g_assert_cmpuint (counter->n, ==, 4);
  g_assert_cmpuint (counter->n_not_finite, ==, 1);
  fixture_clear (&fixture);
}

static void
test_instants_and_losses (void)
{
  Fixture fixture;
  SwTraceSlice instant = { .track = 1, .start_ns = 7 };
  const SwAnalysisInstants *instants;

  fixture_init (&fixture, 0);
  fixture_track (&fixture, 1, SW_TRACE_TRACK_THREAD, "main");
  instant.name = fixture_intern (&fixture, "mark");
  sw_trace_analysis_visitor.instant (fixture.analysis, &instant);
  instant.start_ns = 3;
  sw_trace_analysis_visitor.instant (fixture.analysis, &instant);
  instant.track = 2;
  sw_trace_analysis_visitor.instant (fixture.analysis, &instant);
  sw_trace_analysis_visitor.drops (fixture.analysis, "queue full", 3);
  sw_trace_analysis_visitor.drops (fixture.analysis, "queue full", G_MAXUINT64);
  sw_trace_analysis_visitor.diagnostic (fixture.analysis, "other_lane", 2);
  fixture_finish (&fixture);
  g_assert_cmpuint (fixture.analysis->instants->len, ==, 2);
  instants = &g_array_index (fixture.analysis->instants, SwAnalysisInstants, 0);
  g_assert_cmpuint (instants->n, ==, 2);
  g_assert_cmpint (instants->first_ns, ==, 3);
  g_assert_cmpint (instants->last_ns, ==, 7);
  g_assert_cmpuint (fixture.analysis->drops->len, ==, 1);
  g_assert_cmpuint (g_array_index (fixture.analysis->drops, SwAnalysisCount, 0).n, ==, G_MAXUINT64);
  g_assert_cmpuint (g_array_index (fixture.analysis->diagnostics, SwAnalysisCount, 0).n, ==, 2);
  fixture_clear (&fixture);
}

static void
add_moment (Fixture *fixture,
            gint64 time_ns)
{
  SwTraceSlice mark = { .track = 1, .name = fixture_intern (fixture, "mark"), .start_ns = time_ns };
  SwTraceReadCounter integer = { .track = 2, .time_ns = time_ns, .is_integer = TRUE, .integer = G_MAXINT64 - time_ns };
  SwTraceReadCounter real = { .track = 3, .time_ns = time_ns, .real = time_ns % 2 == 0 ? NAN : (double) time_ns };

  sw_trace_analysis_visitor.instant (fixture->analysis, &mark);
  sw_trace_analysis_visitor.counter (fixture->analysis, &integer);
  sw_trace_analysis_visitor.counter (fixture->analysis, &real);
}

static void
assert_moments (Fixture *fixture,
                gint64 from_ns,
                gint64 to_ns)
{
  const SwAnalysisInstants *marks = &g_array_index (fixture->analysis->instants, SwAnalysisInstants, 0);
  const SwAnalysisCounter *integer = &g_array_index (fixture->analysis->counters, SwAnalysisCounter, 2);
  const SwAnalysisCounter *real = &g_array_index (fixture->analysis->counters, SwAnalysisCounter, 3);
  guint64 n = (guint64) (to_ns - from_ns);
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_trace_analysis_narrow_moments (fixture->analysis, from_ns, to_ns, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (marks->n, ==, n);
  g_assert_cmpuint (integer->n, ==, n);
  g_assert_cmpuint (real->n, ==, n);
  if (n == 0)
    return;
  g_assert_cmpint (marks->first_ns, ==, from_ns);
  g_assert_cmpint (marks->last_ns, ==, to_ns - 1);
  g_assert_true (integer->is_integer);
  g_assert_cmpint (integer->max_integer, ==, G_MAXINT64 - from_ns);
  g_assert_cmpint (integer->last_integer, ==, G_MAXINT64 - to_ns + 1);
  g_assert_cmpint (integer->min_integer, ==, integer->last_integer);
  g_assert_cmpuint (real->n_not_finite, ==, (guint64) ((to_ns + 1) / 2 - (from_ns + 1) / 2));
  if (real->n_not_finite < n)
    g_assert_cmpfloat (real->max, ==, (double) ((to_ns - 2) | 1));
}

/* More than what has room in memory, and as often as somebody asks. */
static void
test_moments_of_a_time (void)
{
  const gint64 n = 300000;
  Fixture fixture;

  fixture_init (&fixture, 0);
  sw_trace_analysis_keep_moments (fixture.analysis);
  add_moment (&fixture, 77);
  /* What came before is void. */
  sw_trace_analysis_visitor.restart (fixture.analysis);
  for (gint64 i = 0; i < n; i++)
    add_moment (&fixture, i);
  fixture_finish (&fixture);
  assert_moments (&fixture, 1000, 2000);
  assert_moments (&fixture, 0, n);
  assert_moments (&fixture, n - 1, n);
  assert_moments (&fixture, 4, 5);
  assert_moments (&fixture, 500, 500);
  assert_moments (&fixture, 1000, 2000);
  g_assert_cmpuint (sw_spill_get_n_spilled (fixture.analysis->moments), >, 0);
  g_assert_cmpuint (fixture.analysis->n_instants, ==, (guint64) n);
  g_assert_cmpuint (fixture.analysis->n_counters, ==, (guint64) (2 * n));
  fixture_clear (&fixture);
}

static void
test_no_moments (void)
{
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  fixture_init (&fixture, 0);
  sw_trace_analysis_keep_moments (fixture.analysis);
  fixture_finish (&fixture);
  g_assert_true (sw_trace_analysis_narrow_moments (fixture.analysis, 0, 1, &error));
  g_assert_no_error (error);
  fixture_clear (&fixture);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace-analysis/by-name", test_by_name);
  g_test_add_func ("/trace-analysis/by-category-and-thread", test_by_category_and_thread);
  g_test_add_func ("/trace-analysis/filters", test_filters);
  g_test_add_func ("/trace-analysis/bad-patterns", test_bad_patterns);
  g_test_add_func ("/trace-analysis/percentiles", test_percentiles);
  g_test_add_func ("/trace-analysis/overlaps-are-cut", test_overlaps_are_cut);
  g_test_add_func ("/trace-analysis/tree", test_tree);
  g_test_add_func ("/trace-analysis/tree-passes-over-depths", test_tree_passes_over_depths);
  g_test_add_func ("/trace-analysis/counters", test_counters);
  g_test_add_func ("/trace-analysis/instants-and-losses", test_instants_and_losses);
  g_test_add_func ("/trace-analysis/moments-of-a-time", test_moments_of_a_time);
  g_test_add_func ("/trace-analysis/no-moments", test_no_moments);
  return g_test_run ();
}
