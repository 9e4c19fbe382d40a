/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "zone-fixture.h"

#define assert_value_error(error, expected)           \
  G_STMT_START                                        \
  {                                                   \
    g_assert_error (error, SW_ERROR, SW_ERROR_VALUE); \
    g_assert_cmpstr (error->message, ==, expected);   \
    g_clear_error (&error);                           \
  }                                                   \
  G_STMT_END

/* Ten frames of 50 ns, 100 ns apart; in each a zone "a" in a zone "b", and then a "c" outside the frame. */
static SwZoneTrace *
make_trace (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  guint32 a = sw_site_registry_intern ("trace.c", 1, "f", "a");
  guint32 b = sw_site_registry_intern ("trace.c", 2, "f", "b");
  guint32 c = sw_site_registry_intern ("trace.c", 3, "f", "c");

  for (guint32 frame = 0; frame < 10; frame++)
    {
      guint64 start = 1000 + 100 * frame;
      SwZoneRow inner = { start + 10, 10 + frame, 0, SW_ZONE_NO_ROW, 0, a, frame };
      SwZoneRow outer = { start, 40, 0, SW_ZONE_NO_ROW, 0, b, frame };
      SwZoneRow outside = { start + 60, 0, 0, SW_ZONE_NO_ROW, 0, c, SW_ZONE_NO_FRAME };
      gint64 child = sw_zone_trace_builder_append (builder, &inner);

      sw_zone_trace_builder_set_parent (builder, child, sw_zone_trace_builder_append (builder, &outer));
      sw_zone_trace_builder_append (builder, &outside);
      g_assert_true (sw_zone_trace_builder_add_frame (builder, frame, "frame", start, start + 50));
    }
  return finish (builder);
}

static guint32
count (SwZoneTrace *trace,
       const char *name,
       gint64 frame_begin,
       gint64 frame_end,
       gint64 start_ns,
       gint64 end_ns)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwZoneSelection) selection = sw_zone_trace_query_zones (trace, name, -1, frame_begin, frame_end, start_ns, end_ns, &error);

  g_assert_no_error (error);
  return sw_zone_selection_get_count (selection);
}

static void
test_query (void)
{
  g_autoptr (SwZoneTrace) trace = make_trace ();

  g_assert_cmpuint (count (trace, NULL, -1, -1, -1, -1), ==, 30);
  g_assert_cmpuint (count (trace, "a", -1, -1, -1, -1), ==, 10);
  g_assert_cmpuint (count (trace, "A", -1, -1, -1, -1), ==, 0);
  g_assert_cmpuint (count (trace, NULL, 3, 5, -1, -1), ==, 4);
  /* Any bound for frames leaves out what is outside of all. */
  g_assert_cmpuint (count (trace, NULL, 0, -1, -1, -1), ==, 20);
  g_assert_cmpuint (count (trace, NULL, -1, G_MAXINT64, -1, -1), ==, 20);
  /* It overlaps [1000, 1040): its last ns, and not the one behind. */
  g_assert_cmpuint (count (trace, "b", -1, -1, 1039, 1040), ==, 1);
  g_assert_cmpuint (count (trace, "b", -1, -1, 1040, 1100), ==, 0);
  g_assert_cmpuint (count (trace, "b", -1, -1, 1040, 1101), ==, 1);
  /* An instant is where it began. */
  g_assert_cmpuint (count (trace, "c", -1, -1, 1060, 1061), ==, 1);
  g_assert_cmpuint (count (trace, "c", -1, -1, 1061, 1100), ==, 0);
  g_assert_cmpuint (count (trace, NULL, -1, -1, 500, 400), ==, 0);
}

/* More sites of one name than are compared one by one. */
static void
test_query_many_sites (void)
{
  SwZoneTraceBuilder *builder = make_builder (1);
  g_autoptr (SwZoneTrace) trace = NULL;

  for (guint32 i = 0; i < 10000; i++)
    {
      SwZoneRow row = { i, 1, 0, SW_ZONE_NO_ROW, 0, sw_site_registry_intern ("many.c", i % 100, "f", i % 2 ? "odd" : "even"), 0 };

      sw_zone_trace_builder_append (builder, &row);
    }
  trace = finish (builder);
  g_assert_cmpuint (count (trace, "odd", -1, -1, -1, -1), ==, 5000);
  g_assert_cmpuint (count (trace, "even", -1, -1, 10, 20), ==, 5);
}

static void
test_bad_queries (void)
{
  g_autoptr (SwZoneTrace) trace = make_trace ();
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_zone_trace_query_zones (trace, NULL, 2, -1, -1, -1, -1, &error));
  assert_value_error (error, "timeline_type is 2, which is neither a type nor -1 for any");
  g_assert_null (sw_zone_trace_query_zones (trace, NULL, -1, -2, -1, -1, -1, &error));
  assert_value_error (error, "frame_begin is -2, which is neither a bound nor -1 for none");
  g_assert_null (sw_zone_trace_query_zones (trace, NULL, -1, -1, G_MININT64, -1, -1, &error));
  assert_value_error (error, "frame_end is -9223372036854775808, which is neither a bound nor -1 for none");
  g_assert_null (sw_zone_trace_query_zones (trace, NULL, -1, -1, -1, -3, -1, &error));
  assert_value_error (error, "start_ns is -3, which is neither a bound nor -1 for none");
  g_assert_null (sw_zone_trace_query_zones (trace, NULL, -1, -1, -1, -1, -4, &error));
  assert_value_error (error, "end_ns is -4, which is neither a bound nor -1 for none");
  g_assert_null (sw_zone_trace_dup_frame_statistics (trace, -2, -1, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
}

static void
test_columns (void)
{
  g_autoptr (SwZoneTrace) trace = make_trace ();
  g_autoptr (SwZoneSelection) selection = sw_zone_trace_query_zones (trace, "a", -1, 2, 4, -1, -1, NULL);
  g_autoptr (GBytes) indices = sw_zone_selection_dup_indices (selection);
  g_autoptr (GBytes) parents = sw_zone_selection_dup_column (selection, SW_ZONE_COLUMN_PARENT_INDEX, NULL);
  g_autoptr (GBytes) durations = sw_zone_selection_dup_column (selection, SW_ZONE_COLUMN_DURATION_NS, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpmem (g_bytes_get_data (indices, NULL), g_bytes_get_size (indices), ((const guint32[]){ 6, 9 }), 8);
  g_assert_cmpmem (g_bytes_get_data (parents, NULL), g_bytes_get_size (parents), ((const gint32[]){ 7, 10 }), 8);
  g_assert_cmpmem (g_bytes_get_data (durations, NULL), g_bytes_get_size (durations), ((const guint64[]){ 12, 13 }), 16);
  g_assert_null (sw_zone_selection_dup_column (selection, (SwZoneColumn) 7, &error));
  assert_value_error (error, "column is 7, which is no column");
  g_assert_true (sw_zone_selection_get_trace (selection) == trace);
}

static void
test_slowest (void)
{
  g_autoptr (SwZoneTrace) trace = make_trace ();
  g_autoptr (SwZoneSelection) all = sw_zone_trace_query_zones (trace, NULL, -1, -1, -1, -1, -1, NULL);
  g_autoptr (SwZoneSelection) three = sw_zone_selection_slowest (all, 3);
  g_autoptr (SwZoneSelection) every = sw_zone_selection_slowest (all, G_MAXUINT32);
  g_autoptr (SwZoneSelection) none = sw_zone_selection_slowest (all, 0);
  g_autoptr (GBytes) indices = sw_zone_selection_dup_indices (three);

  /* All "b" are equally long: the first ones. */
  g_assert_cmpmem (g_bytes_get_data (indices, NULL), g_bytes_get_size (indices), ((const guint32[]){ 1, 4, 7 }), 12);
  g_assert_cmpuint (sw_zone_selection_get_count (every), ==, 30);
  g_assert_cmpuint (sw_zone_selection_get_count (none), ==, 0);
}

static void
test_histogram (void)
{
  g_autoptr (SwZoneTrace) trace = make_trace ();
  g_autoptr (SwZoneSelection) a = sw_zone_trace_query_zones (trace, "a", -1, -1, -1, -1, -1, NULL);
  g_autoptr (SwZoneSelection) none = sw_zone_trace_query_zones (trace, "none", -1, -1, -1, -1, -1, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwDurationHistogram) whole = sw_zone_selection_dup_histogram (a, 2, 0, 0, &error);
  g_autoptr (SwDurationHistogram) part = sw_zone_selection_dup_histogram (a, 3, 11.5e-6, 16.5e-6, &error);
  g_autoptr (SwDurationHistogram) empty = sw_zone_selection_dup_histogram (none, 5, 0, 0, &error);
  g_autoptr (GBytes) counts = sw_duration_histogram_dup_counts (whole);
  g_autoptr (GBytes) edges = sw_duration_histogram_dup_edges_ms (whole);
  g_autoptr (GBytes) part_counts = sw_duration_histogram_dup_counts (part);

  g_assert_no_error (error);
  g_assert_nonnull (empty);
  /* 10 to 19 ns. */
  g_assert_cmpmem (g_bytes_get_data (counts, NULL), g_bytes_get_size (counts), ((const guint64[]){ 5, 5 }), 16);
  g_assert_cmpuint (g_bytes_get_size (edges), ==, 3 * sizeof (double));
  g_assert_cmpmem (g_bytes_get_data (part_counts, NULL), g_bytes_get_size (part_counts), ((const guint64[]){ 2, 1, 2 }), 24);
  g_assert_cmpuint (sw_duration_histogram_get_below (part), ==, 2);
  g_assert_cmpuint (sw_duration_histogram_get_above (part), ==, 3);
  g_assert_cmpuint (sw_duration_histogram_get_bin_count (part), ==, 3);
  g_assert_null (sw_zone_selection_dup_histogram (a, 0, 0, 1, &error));
  assert_value_error (error, "n_bins is 0, which is not from 1 to 1048576");
  g_assert_null (sw_zone_selection_dup_histogram (a, 3, 2, 1, &error));
  assert_value_error (error, "max_ms is 1, which is no end of a range from 2");
  g_assert_null (sw_zone_selection_dup_histogram (a, 3, 0, G_MAXDOUBLE * 2, &error));
  assert_value_error (error, "max_ms is inf, which is not finite");
}

static void
test_frames (void)
{
  g_autoptr (SwZoneTrace) trace = make_trace ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SwDurationStatistics) all = sw_zone_trace_dup_frame_statistics (trace, -1, -1, &error);
  g_autoptr (SwDurationStatistics) some = sw_zone_trace_dup_frame_statistics (trace, 1100, 1400, &error);
  g_autoptr (GBytes) index = sw_zone_trace_dup_frame_index (trace);
  g_autoptr (GBytes) start = sw_zone_trace_dup_frame_start_ns (trace);
  g_autoptr (GBytes) duration = sw_zone_trace_dup_frame_duration_ns (trace);

  g_assert_cmpuint (sw_duration_statistics_get_count (all), ==, 10);
  g_assert_cmpuint (sw_duration_statistics_get_count (some), ==, 3);
  g_assert_cmpfloat (sw_duration_statistics_get_mean_ms (some), ==, 50e-6);
  /* One begins every 100 ns, whatever each takes. */
  g_assert_cmpfloat (sw_zone_trace_get_fps (trace, -1, -1, &error), ==, 1e7);
  g_assert_cmpfloat (sw_zone_trace_get_fps (trace, 1100, 1200, &error), ==, 0);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (index), ==, 40);
  g_assert_cmpuint (((const guint64 *) g_bytes_get_data (start, NULL))[9], ==, 1900);
  g_assert_cmpuint (((const guint64 *) g_bytes_get_data (duration, NULL))[9], ==, 50);
  g_assert_cmpfloat (sw_zone_trace_get_fps (trace, -5, -1, &error), ==, 0);
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
}

static void
test_sites (void)
{
  g_autoptr (SwZoneTrace) trace = make_trace ();
  g_autoptr (GPtrArray) sites = sw_zone_trace_dup_sites (trace);
  SwProfilerSite *site;
  g_autofree char *text = NULL;

  g_assert_cmpuint (sites->len, ==, 3);
  site = sites->pdata[0];
  g_assert_cmpstr (sw_profiler_site_get_name (site), ==, "a");
  g_assert_cmpstr (sw_profiler_site_get_file (site), ==, "trace.c");
  g_assert_cmpstr (sw_profiler_site_get_function (site), ==, "f");
  g_assert_cmpuint (sw_profiler_site_get_line (site), ==, 1);
  g_assert_true (sw_profiler_site_lookup (sw_profiler_site_get_id (site)) == site);
  g_assert_true (sw_profiler_site_equal (site, site));
  g_assert_false (sw_profiler_site_equal (site, sites->pdata[1]));
  g_assert_null (sw_profiler_site_lookup (0));
  text = sw_profiler_site_to_string (site);
  g_assert_true (g_str_has_suffix (text, ", name='a', function='f', file='trace.c', line=1)"));
}

static void
test_diagnostics (void)
{
  SwDiagnosticCounters counters = { .emitted = 15, .recorded = 5, .queue_full = 1, .stack_full = 2, .memory_limit = 3, .high_water_mark = 8 };
  SwZoneTraceBuilder *builder = make_builder (1);
  SwZoneTraceInfo info = { .stop_reason = SW_STOP_REASON_MEMORY_LIMIT, .truncated = TRUE, .diagnostics = counters };
  g_autoptr (SwZoneTrace) trace = sw_zone_trace_builder_finish (builder, &info);
  g_autoptr (SwProfilerDiagnostics) same = sw_profiler_diagnostics_new (&counters);
  g_autoptr (SwProfilerDiagnostics) other = NULL;
  SwProfilerDiagnostics *diagnostics = sw_zone_trace_get_diagnostics (trace);
  g_autofree char *text = sw_profiler_diagnostics_to_string (diagnostics);
  g_autofree char *trace_text = sw_zone_trace_to_string (trace);

  g_assert_cmpuint (sw_profiler_diagnostics_get_producer_drop_count (diagnostics), ==, 3);
  g_assert_cmpuint (sw_profiler_diagnostics_get_memory_limit_count (diagnostics), ==, 3);
  g_assert_cmpuint (sw_profiler_diagnostics_get_thread_event_queue_high_water_mark (diagnostics), ==, 8);
  g_assert_nonnull (strstr (text, "producer_drop_count=3, queue_full_count=1, stack_full_count=2"));
  g_assert_true (sw_profiler_diagnostics_equal (diagnostics, same));
  counters.misplaced_ends = 1;
  other = sw_profiler_diagnostics_new (&counters);
  g_assert_false (sw_profiler_diagnostics_equal (diagnostics, other));
  g_assert_true (sw_zone_trace_get_truncated (trace));
  g_assert_nonnull (strstr (trace_text, "stop_reason=memory_limit, truncated=True"));
}

static void
test_unwritable (void)
{
  g_autoptr (SwZoneTrace) trace = make_trace ();
  g_autoptr (SwZoneSelection) selection = sw_zone_trace_query_zones (trace, NULL, -1, -1, -1, -1, -1, NULL);
  g_autoptr (GError) error = NULL;
  const char *path = "/nowhere/at/all/trace";

  g_assert_false (sw_zone_trace_write_to_json (trace, path, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (sw_zone_trace_write_to_jsonl (trace, path, NULL));
  g_assert_false (sw_zone_trace_write_to_perfetto (trace, path, NULL));
  g_assert_false (sw_zone_trace_write_to_csv (trace, path, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (sw_zone_selection_write_to_csv (selection, "/dev/full", &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
}

/* Written twice, a trace is the same but for the session's random id and the wall clock. */
static void
test_written_again (void)
{
  g_autoptr (SwZoneTrace) trace = make_trace ();
  g_autoptr (SwZoneSelection) a = sw_zone_trace_query_zones (trace, "a", -1, -1, -1, -1, -1, NULL);
  g_autofree char *folder = g_dir_make_tmp ("zone-trace-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "zones.csv", NULL);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  for (int i = 0; i < 2; i++)
    {
      g_assert_true (sw_zone_selection_write_to_csv (a, path, NULL));
      g_assert_true (g_file_get_contents (path, i == 0 ? &first : &second, NULL, NULL));
    }
  g_assert_cmpstr (first, ==, second);
  g_assert_true (g_str_has_prefix (strchr (first, '\n') + 1, "0,1010,10,0,0,cpu,thread,100,1,0,"));
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-trace/query", test_query);
  g_test_add_func ("/zone-trace/query-many-sites", test_query_many_sites);
  g_test_add_func ("/zone-trace/bad-queries", test_bad_queries);
  g_test_add_func ("/zone-trace/columns", test_columns);
  g_test_add_func ("/zone-trace/slowest", test_slowest);
  g_test_add_func ("/zone-trace/histogram", test_histogram);
  g_test_add_func ("/zone-trace/frames", test_frames);
  g_test_add_func ("/zone-trace/sites", test_sites);
  g_test_add_func ("/zone-trace/diagnostics", test_diagnostics);
  g_test_add_func ("/zone-trace/unwritable", test_unwritable);
  g_test_add_func ("/zone-trace/written-again", test_written_again);
  return g_test_run ();
}
