/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation-files-private.h"

#include <string.h>

#include "sw-profiler/operation/sw-columns-csv-private.h"
#include "sw-profiler/operation/sw-profiler-group-private.h"
#include "sw-profiler/operation/sw-profiler-thread-private.h"
#include "sw-profiler/operation/sw-text-private.h"
#include "sw-profiler/trace/sw-activation-private.h"

#define END_OF_OBJECT "}\n"

/* out.csv has out.zones.csv beside it. */
static char *
make_name_beside (const char *path,
                  const char *what)
{
  gsize length = strlen (path) - strlen (".csv");

  return g_strdup_printf ("%.*s.%s.csv", (int) length, path, what);
}

static gboolean
save_beside (const char *path,
             const char *what,
             const GString *text,
             GError **error)
{
  g_autofree char *wanted = make_name_beside (path, what);
  g_autofree char *claimed = NULL;
  SwFileWriter *file;

  if (text->len == 0)
    return TRUE;
  claimed = sw_activation_claim_new_path (wanted, error);
  file = claimed != NULL ? sw_file_writer_new (claimed, error) : NULL;
  if (file == NULL)
    return FALSE;
  sw_activation_tell_of_path ("STRIDEWEAVE_PROFILE", wanted, claimed);
  sw_file_writer_put (file, text->str, text->len);
  return sw_file_writer_commit (file, error);
}

static gboolean
save_operations (SwProfilerGroup *group,
                 const char *path,
                 GError **error)
{
  g_autoptr (SwProfilerColumns) columns = sw_profiler_group_tabulate_aggregates (group, SW_COLUMN_ORDER_ROWS, FALSE, TRUE, error);
  SwFileWriter *file = columns != NULL ? sw_file_writer_new (path, error) : NULL;

  if (file == NULL)
    return FALSE;
  sw_profiler_columns_write_csv (columns, file);
  return sw_file_writer_commit (file, error);
}

gboolean
sw_activation_save_csv (SwProfilerGroup *group,
                        SwKernelTally *kernels,
                        const char *path,
                        GError **error)
{
  g_autoptr (GString) of_zones = g_string_new (NULL);
  g_autoptr (GString) of_kernels = g_string_new (NULL);
  SwZoneTally *zones = sw_activation_get_zone_tally ();
  gboolean succeeded;

  if (zones != NULL)
    sw_tally_append_csv (&zones->tally, of_zones);
  if (kernels != NULL)
    sw_tally_append_csv (&kernels->tally, of_kernels);
  /* One that fails takes none of the others along; the first error is told. */
  succeeded = save_operations (group, path, error);
  succeeded &= save_beside (path, "zones", of_zones, succeeded ? error : NULL);
  succeeded &= save_beside (path, "kernels", of_kernels, succeeded ? error : NULL);
  return succeeded;
}

/* Threads by the numbers of their lanes: which of them have zones or kernels. */
static GHashTable *
find_lanes (SwZoneTally *zones,
            SwKernelTally *kernels)
{
  GHashTable *lanes = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) sw_lane_unref, NULL);

  if (zones != NULL)
    sw_tally_find_lanes (&zones->tally, lanes);
  if (kernels != NULL)
    sw_tally_find_lanes (&kernels->tally, lanes);
  return lanes;
}

static int
compare_lanes (gconstpointer a,
               gconstpointer b)
{
  guint64 x = sw_lane_get_id (a);
  guint64 y = sw_lane_get_id (b);

  return (x > y) - (x < y);
}

static SwLane *
find_lane (GHashTable *lanes,
           guint64 id)
{
  GHashTableIter iter;
  gpointer lane;

  g_hash_table_iter_init (&iter, lanes);
  while (g_hash_table_iter_next (&iter, &lane, NULL))
    if (sw_lane_get_id (lane) == id)
      return lane;
  return NULL;
}

/* The members that follow those of Profiler.save_json (), and the end of the object. @lane: NULL where there is nothing. */
static void
put_rest (SwFileWriter *file,
          const char *name,
          guint64 os_thread_id,
          SwLane *lane,
          SwKernelTally *kernels)
{
  SwZoneTally *zones = sw_activation_get_zone_tally ();
  g_autoptr (GString) text = g_string_new (",\"thread_name\":");

  sw_text_append_json (text, name);
  g_string_append_printf (text, ",\"os_thread_id\":%" G_GUINT64_FORMAT ",\n\"zones\":", os_thread_id);
  if (lane != NULL && zones != NULL)
    sw_tally_append_json (&zones->tally, lane, text);
  else
    g_string_append (text, "[]");
  g_string_append (text, ",\n\"kernels\":");
  if (lane != NULL && kernels != NULL)
    sw_tally_append_json (&kernels->tally, lane, text);
  else
    g_string_append (text, "[]");
  g_string_append (text, END_OF_OBJECT);
  sw_file_writer_put (file, text->str, text->len);
}

static void
put_thread (SwFileWriter *file,
            SwProfilerThread *thread,
            SwLane *lane,
            SwKernelTally *kernels)
{
  g_autofree char *json = sw_profiler_dup_json (sw_profiler_thread_get_profiler (thread), NULL);

  /* Opened again. */
  g_assert (g_str_has_suffix (json, END_OF_OBJECT));
  sw_file_writer_put (file, json, strlen (json) - strlen (END_OF_OBJECT));
  put_rest (file, sw_profiler_thread_get_name (thread), (guint64) sw_profiler_thread_get_os_thread_id (thread), lane, kernels);
}

/* Of a thread that has executed nothing. */
static void
put_lane (SwFileWriter *file,
          SwLane *lane,
          SwKernelTally *kernels)
{
  g_autofree char *name = sw_lane_dup_name (lane);

  sw_file_writer_put_string (file, "{\"format\":\"strideweave-operations\",\"version\":1,\"thread_id\":");
  sw_file_writer_put_uint64 (file, sw_lane_get_handle (lane));
  sw_file_writer_put_string (file, ",\"n_dropped_events\":0,\"events\":[\n]");
  put_rest (file, name, sw_lane_get_thread_id (lane), lane, kernels);
}

static void
put_lanes (SwFileWriter *file,
           GHashTable *lanes,
           SwKernelTally *kernels,
           gboolean is_first)
{
  g_autoptr (GList) sorted = g_list_sort (g_hash_table_get_keys (lanes), compare_lanes);

  for (GList *item = sorted; item != NULL; item = item->next)
    {
      if (!is_first || item != sorted)
        sw_file_writer_put_string (file, ",\n");
      put_lane (file, item->data, kernels);
    }
}

gboolean
sw_activation_save_json (SwProfilerGroup *group,
                         SwKernelTally *kernels,
                         const char *path,
                         GError **error)
{
  g_autoptr (GPtrArray) threads = sw_profiler_group_dup_threads (group, error);
  g_autoptr (GHashTable) lanes = find_lanes (sw_activation_get_zone_tally (), kernels);
  SwFileWriter *file = threads != NULL ? sw_file_writer_new (path, error) : NULL;

  if (file == NULL)
    return FALSE;
  sw_file_writer_put_string (file, "[\n");
  for (guint i = 0; i < threads->len; i++)
    {
      SwProfilerThread *thread = g_ptr_array_index (threads, i);
      SwLane *lane = find_lane (lanes, sw_profiler_thread_get_lane_id (thread));

      if (i > 0)
        sw_file_writer_put_string (file, ",\n");
      put_thread (file, thread, lane, kernels);
      if (lane != NULL)
        g_hash_table_remove (lanes, lane);
    }
  put_lanes (file, lanes, kernels, threads->len == 0);
  sw_file_writer_put_string (file, "]\n");
  return sw_file_writer_commit (file, error);
}
