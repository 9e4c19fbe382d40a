/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results as columns, as comma-separated values, and as a list of items. */
#include "config.h"

#include "fake-events.h"
#include "profiler-fixtures.h"

#include <gio/gio.h>
#include <locale.h>

#include "sw-profiler/operation/sw-columns-csv-private.h"

static gint64
read_value (SwProfilerColumns *columns,
            const char *name,
            gsize row)
{
  const guint8 *at = g_bytes_get_data (sw_profiler_columns_get_bytes (columns), NULL);
  guint c = 0;

  while (strcmp (sw_profiler_columns_get_name (columns, c), name) != 0)
    c++;
  at += sw_profiler_columns_get_offset (columns, c) + row * sw_profiler_columns_get_stride (columns, c);
  switch (sw_profiler_columns_get_kind (columns, c))
    {
    case SW_COLUMN_KIND_BOOL:
      return *at;
    case SW_COLUMN_KIND_INT32:
    case SW_COLUMN_KIND_LABEL:
      return *(const gint32 *) (gconstpointer) at;
    default:
      return *(const gint64 *) (gconstpointer) at;
    }
}

static void
assert_label (SwProfilerColumns *columns,
              const char *name,
              gsize row,
              const char *expected)
{
  g_auto (GStrv) labels = sw_profiler_columns_dup_labels (columns, name, NULL);
  g_autofree char *valid = g_utf8_make_valid (expected, -1);

  g_assert_cmpstr (labels[read_value (columns, name, row)], ==, valid);
}

static void
assert_row (SwProfilerColumns *columns,
            gsize row,
            SwProfilerEvent *event)
{
  SwInputShapes *shapes = sw_profiler_event_get_input_shapes (event);
  SwInputShapes *labelled = sw_profiler_columns_get_input_shapes (columns, read_value (columns, "input_shapes", row));
  gint64 parent_id;

  sw_profiler_event_get_parent_id (event, &parent_id);
  g_assert_cmpint (read_value (columns, "id", row), ==, sw_profiler_event_get_id (event));
  g_assert_cmpint (read_value (columns, "parent_id", row), ==, parent_id);
  g_assert_cmpint (read_value (columns, "start_time_ns", row), ==, sw_profiler_event_get_start_time_ns (event));
  g_assert_cmpint (read_value (columns, "duration_ns", row), ==, sw_profiler_event_get_duration_ns (event));
  g_assert_cmpint (read_value (columns, "self_time_ns", row), ==, sw_profiler_event_get_self_time_ns (event));
  g_assert_cmpuint ((guint64) read_value (columns, "thread_id", row), ==, sw_profiler_event_get_thread_id (event));
  g_assert_cmpint (read_value (columns, "succeeded", row), ==, sw_profiler_event_get_succeeded (event));
  assert_label (columns, "name", row, sw_profiler_event_get_name (event));
  assert_label (columns, "carrier_type", row, sw_profiler_event_get_carrier_name (event));
  assert_label (columns, "implementation_type", row, sw_profiler_event_get_implementation_name (event));
  g_assert_true (shapes == NULL ? labelled == NULL : sw_input_shapes_equal (shapes, labelled));
}

static void
test_events (void)
{
  for (guint round = 0; round < 6; round++)
    {
      g_autoptr (FakeEvents) fake = fake_events_new_random (round == 0 ? 0 : 300);
      SwEventSource source;
      g_autoptr (GPtrArray) events = NULL;
      g_autoptr (SwProfilerColumns) columns = NULL;

      fake->records_shapes = round != 1;
      source = fake_events_get_source (fake);
      events = sw_event_source_dup_events (&source);
      columns = sw_event_source_tabulate_events (&source, round % 2 ? SW_COLUMN_ORDER_ROWS : SW_COLUMN_ORDER_COLUMNS);
      g_assert_cmpint (sw_profiler_columns_get_n_rows (columns), ==, events->len);
      g_assert_cmpuint (sw_profiler_columns_get_n_columns (columns), ==, 11);
      for (guint i = 0; i < events->len; i++)
        assert_row (columns, i, events->pdata[i]);
    }
}

static void
test_columns_access (void)
{
  g_autoptr (FakeEvents) fake = fake_events_new_random (50);
  SwEventSource source = fake_events_get_source (fake);
  SwProfilerColumns *columns = sw_event_source_tabulate_events (&source, SW_COLUMN_ORDER_COLUMNS);
  g_autoptr (SwProfilerColumns) rows = sw_event_source_tabulate_events (&source, SW_COLUMN_ORDER_ROWS);
  g_autoptr (GBytes) bytes = sw_profiler_columns_dup_column (columns, "duration_ns", NULL);
  g_autoptr (GError) error = NULL;
  gsize n;

  g_assert_cmpmem (sw_profiler_columns_get_int64s (columns, "duration_ns", &n, NULL), n * 8, fake->duration->data, 50 * 8);
  g_assert_cmpint (sw_profiler_columns_get_int32s (columns, "id", &n, NULL)[49], ==, 49);
  g_assert_nonnull (sw_profiler_columns_get_int32s (columns, "name", &n, NULL));
  g_assert_null (sw_profiler_columns_get_doubles (columns, "name", &n, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
  g_assert_cmpstr (error->message, ==, "column name holds values of the kind label, not double");
  g_clear_error (&error);
  g_assert_null (sw_profiler_columns_dup_labels (columns, "duration_ns", &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_null (sw_profiler_columns_dup_column (columns, "dur\n", &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "name is 'dur\\n', which is none of the columns id, parent_id"));
  g_clear_error (&error);
  g_assert_null (sw_profiler_columns_get_int64s (rows, "duration_ns", &n, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_null (sw_profiler_columns_get_name (columns, 11));
  g_assert_cmpuint (sw_profiler_columns_get_stride (columns, 11), ==, 0);
  g_assert_null (sw_profiler_columns_get_input_shapes (columns, 1000));
  g_assert_null (sw_profiler_columns_get_input_shapes (columns, G_MININT64));
  /* What lies by row is one structure a row. */
  for (guint c = 0; c < 11; c++)
    g_assert_cmpuint (sw_profiler_columns_get_stride (rows, c), ==, 64);
  /* A column outlives the others. */
  sw_profiler_columns_unref (columns);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), fake->duration->data, 50 * 8);
}

static void
test_aggregates (void)
{
  g_autoptr (FakeEvents) fake = fake_events_new_random (500);
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GPtrArray) rows = sw_event_source_dup_key_statistics (&source, TRUE);
  g_autoptr (SwProfilerColumns) columns = sw_event_source_tabulate_aggregates (&source, SW_COLUMN_ORDER_COLUMNS, TRUE, TRUE);
  g_autoptr (SwProfilerColumns) plain = sw_event_source_tabulate_aggregates (&source, SW_COLUMN_ORDER_ROWS, FALSE, FALSE);
  gsize n;
  const double *p99 = sw_profiler_columns_get_doubles (columns, "p99_time_ns", &n, NULL);

  g_assert_cmpuint (n, ==, rows->len);
  g_assert_cmpuint (sw_profiler_columns_get_n_columns (columns), ==, 15);
  g_assert_cmpuint (sw_profiler_columns_get_n_columns (plain), ==, 9);
  for (guint i = 0; i < rows->len; i++)
    {
      SwProfilerAggregate *row = rows->pdata[i];
      SwInputShapes *shapes = sw_profiler_aggregate_get_input_shapes (row);
      SwInputShapes *labelled = sw_profiler_columns_get_input_shapes (columns, read_value (columns, "input_shapes", i));

      assert_label (columns, "name", i, sw_profiler_aggregate_get_name (row));
      assert_label (columns, "carrier_type", i, sw_profiler_aggregate_get_carrier_name (row));
      g_assert_true (shapes == NULL ? labelled == NULL : sw_input_shapes_equal (shapes, labelled));
      g_assert_cmpint (read_value (columns, "count", i), ==, sw_profiler_aggregate_get_count (row));
      g_assert_cmpint (read_value (columns, "max_time_ns", i), ==, sw_profiler_aggregate_get_max_time_ns (row));
      g_assert_cmpfloat (p99[i], ==, sw_profiler_aggregate_get_p99_time_ns (row));
    }
}

static char *
to_csv (SwProfilerColumns *columns)
{
  SwFileWriter *file = sw_file_writer_new_in_memory ();

  sw_profiler_columns_write_csv (columns, file);
  return sw_file_writer_finish (file);
}

static void
test_csv (void)
{
  g_autoptr (FakeEvents) fake = fake_events_new ();
  guint32 shapes = fake_events_add_shapes (fake, (const gint64[]){ -4, -4, 2, -3, 3, -1 }, 6);
  g_autoptr (SwProfilerColumns) events = NULL;
  g_autoptr (SwProfilerColumns) rows = NULL;
  g_autofree char *text = NULL;
  g_autofree char *row_text = NULL;
  SwEventSource source;

  fake_events_add_site (fake, "a,\"b\"\r\nc\xff", fake_type ("SwFakeCPU"), fake_type ("FakeOperation"));
  fake_events_add_site (fake, "", fake_type ("SwFakeCPU"), fake_type ("FakeOperation"));
  fake_events_add (fake, 0, shapes, SW_EVENT_NO_PARENT, G_MAXINT64, 3, -1, TRUE);
  fake_events_add (fake, 1, 0, 0, G_MININT64, 4, 4, FALSE);
  source = fake_events_get_source (fake);
  events = sw_event_source_tabulate_events (&source, SW_COLUMN_ORDER_COLUMNS);
  text = to_csv (events);
  g_assert_cmpstr (text, ==,
                   "id,parent_id,name,carrier_type,implementation_type,input_shapes,start_time_ns,duration_ns,self_time_ns,"
                   "thread_id,succeeded\r\n"
                   "0,,\"a,\"\"b\"\"\r\nc\xef\xbf\xbd\",Strideweave.FakeCPU,FakeOperation,\"((2, (3,)), None)\","
                   "9223372036854775807,3,-1,18446744073709551610,true\r\n"
                   "1,0,\"\",Strideweave.FakeCPU,FakeOperation,,-9223372036854775808,4,4,18446744073709551610,false\r\n");
  rows = sw_event_source_tabulate_aggregates (&source, SW_COLUMN_ORDER_ROWS, FALSE, TRUE);
  row_text = to_csv (rows);
  g_assert_cmpstr (row_text, ==,
                   "name,carrier_type,input_shapes,count,total_time_ns,self_total_time_ns,mean_time_ns,min_time_ns,max_time_ns,"
                   "p50_time_ns,p90_time_ns,p99_time_ns,stddev_time_ns,total_percent,self_total_percent\r\n"
                   "\"\",Strideweave.FakeCPU,,1,4,4,4.0,4,4,4.0,4.0,4.0,0.0,133.33333333333334,133.33333333333334\r\n"
                   "\"a,\"\"b\"\"\r\nc\xef\xbf\xbd\",Strideweave.FakeCPU,,1,3,-1,3.0,3,3,3.0,3.0,3.0,0.0,100.0,-33.333333333333336\r\n");
}

static void
count_change (GListModel *list,
              guint position,
              guint n_removed,
              guint n_added,
              guint *n_changes)
{
  *n_changes += 1;
  g_assert_cmpuint (position, ==, 0);
  g_assert_cmpuint (n_removed, ==, 0);
  g_assert_cmpuint (n_added, ==, 3);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 3);
}

static void
test_list (void)
{
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  SwProfiler *profiler = test_profiler_entered (TRUE);
  GListModel *list = G_LIST_MODEL (profiler);
  SwProfilerEventItem *item = NULL;
  g_autofree char *name = NULL;
  guint n_changes = 0;
  gint64 id, parent_id;

  g_signal_connect (list, "items-changed", G_CALLBACK (count_change), &n_changes);
  for (guint i = 0; i < 3; i++)
    test_relu (tensor);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 0);
  g_assert_null (g_list_model_get_item (list, 0));
  test_profiler_exit (profiler);
  g_assert_cmpuint (n_changes, ==, 1);
  g_assert_cmpuint (g_list_model_get_item_type (list), ==, SW_TYPE_PROFILER_EVENT_ITEM);
  g_assert_null (g_list_model_get_item (list, 3));
  g_assert_null (g_list_model_get_item (list, G_MAXUINT));
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (SwProfilerEvent) event = sw_profiler_dup_event (profiler, i, NULL);
      g_autoptr (SwProfilerEventItem) same = NULL;

      g_clear_object (&item);
      item = g_list_model_get_item (list, i);
      same = g_list_model_get_item (list, i);
      g_assert_true (item == same);
      g_assert_true (sw_profiler_event_equal (sw_profiler_event_item_get_event (item), event));
    }
  g_object_get (item, "name", &name, "id", &id, "parent-id", &parent_id, NULL);
  g_assert_cmpstr (name, ==, "relu");
  g_assert_cmpint (id, ==, 2);
  g_assert_cmpint (parent_id, ==, -1);
  /* An item keeps its profiler, and nothing is left when it goes. */
  g_object_add_weak_pointer (G_OBJECT (profiler), (gpointer *) &profiler);
  g_object_unref (profiler);
  g_assert_nonnull (profiler);
  g_assert_finalize_object (item);
  g_assert_null (profiler);
}

static void
test_empty_list (void)
{
  g_autoptr (SwProfiler) profiler = test_profiler_entered (FALSE);
  guint n_changes = 0;

  g_signal_connect (profiler, "items-changed", G_CALLBACK (count_change), &n_changes);
  test_profiler_exit (profiler);
  g_assert_cmpuint (n_changes, ==, 0);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (profiler)), ==, 0);
}

static gpointer
take_items (gpointer list)
{
  for (guint i = 0; i < 3000; i++)
    {
      g_autoptr (SwProfilerEventItem) item = g_list_model_get_item (list, i % 2);

      g_assert_cmpint (sw_profiler_event_get_id (sw_profiler_event_item_get_event (item)), ==, i % 2);
    }
  return NULL;
}

static void
test_list_threads (void)
{
  g_autoptr (SwTensor) tensor = test_generic_tensor (2);
  SwProfiler *profiler = test_profiler_entered (FALSE);
  GThread *threads[4];

  test_relu (tensor);
  test_relu (tensor);
  test_profiler_exit (profiler);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("items", take_items, profiler);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_finalize_object (profiler);
}

int
main (int argc,
      char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/columns/events", test_events);
  g_test_add_func ("/columns/access", test_columns_access);
  g_test_add_func ("/columns/aggregates", test_aggregates);
  g_test_add_func ("/columns/csv", test_csv);
  g_test_add_func ("/columns/list", test_list);
  g_test_add_func ("/columns/empty-list", test_empty_list);
  g_test_add_func ("/columns/list-threads", test_list_threads);
  return g_test_run ();
}
