/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "workload-results.h"

#include <string.h>

static const char *const sort_fields[] = {
  "name",
  "carrier_type",
  "input_shapes",
  "count",
  "total_time_ns",
  "self_total_time_ns",
  "mean_time_ns",
  "min_time_ns",
  "max_time_ns",
};

static const char *
type_name (GType type)
{
  const char *name = g_type_name (type);

  return name + strlen (g_str_has_prefix (name, "Workload") ? "Workload" : "Sw");
}

static char *
dup_shapes_text (SwInputShapes *shapes)
{
  return shapes != NULL ? sw_input_shapes_to_string (shapes) : g_strdup ("None");
}

static void
print_event (SwProfilerEvent *event)
{
  g_autofree char *shapes = dup_shapes_text (sw_profiler_event_get_input_shapes (event));
  g_autofree char *parent = NULL;
  gint64 parent_id;

  if (sw_profiler_event_get_parent_id (event, &parent_id))
    parent = g_strdup_printf ("%" G_GINT64_FORMAT, parent_id);
  g_print ("event %" G_GINT64_FORMAT " parent=%s name=%s carrier=%s implementation=%s shapes=%s "
           "start=%" G_GINT64_FORMAT " duration=%" G_GINT64_FORMAT " self=%" G_GINT64_FORMAT " %s\n",
           sw_profiler_event_get_id (event), parent != NULL ? parent : "-", sw_profiler_event_get_name (event),
           type_name (sw_profiler_event_get_carrier_type (event)),
           type_name (sw_profiler_event_get_implementation_type (event)), shapes,
           sw_profiler_event_get_start_time_ns (event), sw_profiler_event_get_duration_ns (event),
           sw_profiler_event_get_self_time_ns (event), sw_profiler_event_get_succeeded (event) ? "succeeded" : "failed");
}

static void
print_row (SwProfilerAggregate *row)
{
  g_autofree char *shapes = dup_shapes_text (sw_profiler_aggregate_get_input_shapes (row));
  double mean = sw_profiler_aggregate_get_mean_time_ns (row);
  guint64 bits;

  memcpy (&bits, &mean, sizeof bits);
  g_print ("row name=%s carrier=%s shapes=%s count=%" G_GINT64_FORMAT " total=%" G_GINT64_FORMAT
           " self=%" G_GINT64_FORMAT " mean=%016" G_GINT64_MODIFIER "x min=%" G_GINT64_FORMAT
           " max=%" G_GINT64_FORMAT "\n",
           sw_profiler_aggregate_get_name (row), type_name (sw_profiler_aggregate_get_carrier_type (row)), shapes,
           sw_profiler_aggregate_get_count (row), sw_profiler_aggregate_get_total_time_ns (row),
           sw_profiler_aggregate_get_self_total_time_ns (row), bits, sw_profiler_aggregate_get_min_time_ns (row),
           sw_profiler_aggregate_get_max_time_ns (row));
}

static void
print_table (SwProfiler *profiler,
             const char *title,
             const char *sort_by,
             gboolean descending,
             gboolean by_shape,
             gint64 row_limit)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *table = sw_profiler_dup_table (profiler, sort_by, descending, by_shape, row_limit, &error);

  g_assert_no_error (error);
  g_print ("table%s%s\n%s\n", *title != '\0' ? " " : "", title, table);
}

static void
print_rows (SwProfiler *profiler,
            gboolean by_shape)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = sw_profiler_dup_key_averages (profiler, by_shape, &error);

  g_assert_no_error (error);
  g_print (by_shape ? "rows by shape\n" : "rows\n");
  for (guint i = 0; i < rows->len; i++)
    print_row (rows->pdata[i]);
}

void
workload_summarize (SwProfiler *profiler)
{
  print_rows (profiler, FALSE);
  print_rows (profiler, TRUE);
  print_table (profiler, "", NULL, TRUE, FALSE, -1);
}

void
workload_show (SwProfiler *profiler,
               const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) events = sw_profiler_dup_events (profiler, &error);
  g_autoptr (GHashTable) threads = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  g_assert_no_error (error);
  for (guint i = 0; i < events->len; i++)
    {
      guint64 thread_id = sw_profiler_event_get_thread_id (events->pdata[i]);

      g_hash_table_add (threads, g_memdup2 (&thread_id, sizeof thread_id));
    }
  g_print ("profiler %s threads=%u\n", name, g_hash_table_size (threads));
  for (guint i = 0; i < events->len; i++)
    print_event (events->pdata[i]);
  workload_summarize (profiler);
}

void
workload_print_tables (SwProfiler *profiler)
{
  const gint64 limits[] = { 0, 1, 2, 1000000 };

  for (guint i = 0; i < G_N_ELEMENTS (sort_fields) * 4; i++)
    {
      gboolean descending = i % 4 < 2, by_shape = i % 2 == 1;
      g_autofree char *title = g_strconcat (sort_fields[i / 4], descending ? " descending" : "",
                                            by_shape ? " by shape" : "", NULL);

      print_table (profiler, title, sort_fields[i / 4], descending, by_shape, -1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autofree char *title = g_strdup_printf ("limit %" G_GINT64_FORMAT, limits[i]);

      print_table (profiler, title, NULL, TRUE, FALSE, limits[i]);
    }
}
