/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles, deviations and shares, and the columns that show them. */
#include "config.h"

#include "fake-events.h"

#include <locale.h>
#include <math.h>

#include "sw-profiler/operation/sw-duration-statistics-private.h"
#include "sw/base/sw-error.h"

static int
compare (gconstpointer a,
         gconstpointer b)
{
  gint64 x = *(const gint64 *) a;
  gint64 y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Each of some ranks, and then the same again among what is partly in order. */
static void
assert_selects (const gint64 *numbers,
                gsize n)
{
  g_autofree gint64 *sorted = g_memdup2 (numbers, (n + 1) * sizeof *numbers);
  g_autofree gint64 *selected = g_memdup2 (numbers, (n + 1) * sizeof *numbers);
  const gsize ranks[] = { n / 2, 0, n - 1, n / 10, n - 1 - n / 10 };

  qsort (sorted, n, sizeof *sorted, compare);
  for (gsize r = 0; r < G_N_ELEMENTS (ranks); r++)
    {
      gsize rank = ranks[r];

      sw_durations_select (selected, n, rank);
      g_assert_cmpint (selected[rank], ==, sorted[rank]);
      for (gsize i = 0; i < n; i++)
        g_assert_true (i < rank ? selected[i] <= selected[rank] : selected[i] >= selected[rank]);
    }
  /* The same numbers as before. */
  qsort (selected, n, sizeof *selected, compare);
  g_assert_cmpmem (selected, n * sizeof *selected, sorted, n * sizeof *sorted);
}

static gint64
random_number (guint n_bits)
{
  guint64 bits = ((guint64) g_test_rand_int () << 32) | (guint32) g_test_rand_int ();

  return (gint64) (bits >> (64 - n_bits));
}

static void
test_select (void)
{
  const gsize sizes[] = { 1, 2, 3, 16, 17, 18, 64, 255, 1000, 5000 };
  g_autofree gint64 *numbers = g_new0 (gint64, 5001);

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      gsize n = sizes[s];

      for (guint n_bits = 1; n_bits <= 64; n_bits += 7)
        {
          for (gsize i = 0; i < n; i++)
            numbers[i] = random_number (n_bits);
          assert_selects (numbers, n);
        }
      for (gsize i = 0; i < n; i++)
        numbers[i] = -(gint64) i;
      assert_selects (numbers, n);
      for (gsize i = 0; i < n; i++)
        numbers[i] = (gint64) (i % 2 == 0 ? i : n - i);
      assert_selects (numbers, n);
      for (gsize i = 0; i < n; i++)
        numbers[i] = (gint64) MIN (i, n - i);
      numbers[n / 3] = G_MININT64;
      numbers[n / 2] = G_MAXINT64;
      assert_selects (numbers, n);
    }
}

/* An order that is bad for medians of three: each division takes off a few only. */
static void
test_select_adversary (void)
{
  const gsize n = 1 << 16;
  g_autofree gint64 *numbers = g_new (gint64, n + 1);

  for (gsize i = 0; i < n; i++)
    numbers[i] = i < n / 2 ? (gint64) i : (gint64) (n - i);
  numbers[0] = numbers[(n - 1) / 2] = 0;
  assert_selects (numbers, n);
}

static double
get_percentile (const gint64 *numbers,
                gsize n,
                double fraction)
{
  g_autofree gint64 *copy = g_memdup2 (numbers, n * sizeof *numbers);
  gsize n_lower = 0;

  return sw_durations_take_percentile (copy, n, fraction, &n_lower);
}

static void
test_percentile (void)
{
  const gint64 numbers[] = { 8, 1, 1000, 4, 2 };
  const gint64 far[] = { G_MININT64, G_MAXINT64 };
  const gint64 large[] = { ((gint64) 1 << 60) + 1, ((gint64) 1 << 60) + 3 };

  g_assert_cmpfloat (get_percentile (numbers, 1, 0.99), ==, 8);
  g_assert_cmpfloat (get_percentile (numbers, 2, 0.5), ==, 4.5);
  g_assert_cmpfloat (get_percentile (numbers, 5, 0), ==, 1);
  g_assert_cmpfloat (get_percentile (numbers, 5, 0.5), ==, 4);
  g_assert_cmpfloat (get_percentile (numbers, 5, 1), ==, 1000);
  g_assert_cmpfloat_with_epsilon (get_percentile (numbers, 5, 0.9), 8 + 0.6 * 992, 1e-9);
  g_assert_cmpfloat_with_epsilon (get_percentile (numbers, 5, 0.99), 8 + 0.96 * 992, 1e-9);
  g_assert_true (isfinite (get_percentile (far, 2, 0.5)));
  g_assert_cmpfloat (get_percentile (large, 2, 0.5), ==, 0x1p60);
}

static void
test_stddev (void)
{
  const gint64 numbers[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
  gint64 uptime[4];

  g_assert_cmpfloat (sw_durations_get_stddev (numbers, 8, 5), ==, 2);
  g_assert_cmpfloat (sw_durations_get_stddev (numbers, 1, 2), ==, 0);
  /* Where the difference of squares would have nothing left. */
  for (guint i = 0; i < 4; i++)
    uptime[i] = G_GINT64_CONSTANT (4000000000000000) + i;
  g_assert_cmpfloat_with_epsilon (sw_durations_get_stddev (uptime, 4, 4000000000000001.5), sqrt (1.25), 1e-12);
}

/* outer (relu) 100 with an inner (add) of 30, and another add of 100 by itself. */
static FakeEvents *
make_nested (void)
{
  FakeEvents *fake = fake_events_new ();
  guint32 shapes = fake_events_add_shapes (fake, (const gint64[]){ -3, -3, 5 }, 3);

  fake_events_add_site (fake, "relu", fake_type ("FakeCarrier"), G_TYPE_OBJECT);
  fake_events_add_site (fake, "add", fake_type ("FakeCarrier"), G_TYPE_OBJECT);
  fake_events_add (fake, 0, shapes, SW_EVENT_NO_PARENT, 0, 100, 70, TRUE);
  fake_events_end_block (fake);
  fake_events_add (fake, 1, 0, 0, 0, 30, 30, FALSE);
  fake_events_add (fake, 1, shapes, SW_EVENT_NO_PARENT, 0, 100, 100, TRUE);
  return fake;
}

static void
assert_statistics (SwProfilerAggregate *row,
                   double p50,
                   double p90,
                   double p99,
                   double stddev,
                   double total_percent,
                   double self_total_percent)
{
  g_assert_true (sw_profiler_aggregate_has_statistics (row));
  g_assert_cmpfloat_with_epsilon (sw_profiler_aggregate_get_p50_time_ns (row), p50, 1e-9);
  g_assert_cmpfloat_with_epsilon (sw_profiler_aggregate_get_p90_time_ns (row), p90, 1e-9);
  g_assert_cmpfloat_with_epsilon (sw_profiler_aggregate_get_p99_time_ns (row), p99, 1e-9);
  g_assert_cmpfloat_with_epsilon (sw_profiler_aggregate_get_stddev_time_ns (row), stddev, 1e-9);
  g_assert_cmpfloat_with_epsilon (sw_profiler_aggregate_get_total_percent (row), total_percent, 1e-9);
  g_assert_cmpfloat_with_epsilon (sw_profiler_aggregate_get_self_total_percent (row), self_total_percent, 1e-9);
}

static void
test_rows (void)
{
  g_autoptr (FakeEvents) fake = make_nested ();
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GPtrArray) plain = sw_event_source_dup_key_averages (&source, FALSE);
  g_autoptr (GPtrArray) rows = sw_event_source_dup_key_statistics (&source, FALSE);
  g_autoptr (GPtrArray) by_shape = sw_event_source_dup_key_statistics (&source, TRUE);

  g_assert_cmpuint (rows->len, ==, 2);
  assert_statistics (rows->pdata[0], 65, 93, 99.3, 35, 65, 65);
  assert_statistics (rows->pdata[1], 100, 100, 100, 0, 50, 35);
  g_assert_cmpuint (by_shape->len, ==, 3);
  assert_statistics (by_shape->pdata[0], 100, 100, 100, 0, 50, 50);
  assert_statistics (by_shape->pdata[1], 30, 30, 30, 0, 15, 15);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *text = sw_profiler_aggregate_to_string (rows->pdata[i]);
      g_autofree char *plain_text = sw_profiler_aggregate_to_string (plain->pdata[i]);

      g_assert_false (sw_profiler_aggregate_has_statistics (plain->pdata[i]));
      g_assert_true (isnan (sw_profiler_aggregate_get_p50_time_ns (plain->pdata[i])));
      g_assert_true (isnan (sw_profiler_aggregate_get_self_total_percent (plain->pdata[i])));
      g_assert_true (sw_profiler_aggregate_equal (rows->pdata[i], plain->pdata[i]));
      g_assert_cmpuint (sw_profiler_aggregate_hash (rows->pdata[i]), ==, sw_profiler_aggregate_hash (plain->pdata[i]));
      g_assert_cmpstr (text, ==, plain_text);
    }
}

static void
test_nothing (void)
{
  g_autoptr (FakeEvents) empty = fake_events_new ();
  SwEventSource source = fake_events_get_source (empty);
  g_autoptr (GPtrArray) none = sw_event_source_dup_key_statistics (&source, TRUE);
  g_autoptr (FakeEvents) instant = fake_events_new ();
  g_autoptr (GPtrArray) rows = NULL;

  g_assert_cmpuint (none->len, ==, 0);
  fake_events_add_site (instant, "relu", fake_type ("FakeCarrier"), G_TYPE_OBJECT);
  fake_events_add (instant, 0, 0, SW_EVENT_NO_PARENT, 0, 0, 0, TRUE);
  source = fake_events_get_source (instant);
  rows = sw_event_source_dup_key_statistics (&source, FALSE);
  assert_statistics (rows->pdata[0], 0, 0, 0, 0, 0, 0);
}

/* The durations of a row, collected one by one. */
static gint64 *
collect (GPtrArray *events,
         SwProfilerAggregate *row,
         gboolean by_shape,
         gsize *n)
{
  GArray *durations = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < events->len; i++)
    {
      SwProfilerEvent *event = events->pdata[i];
      SwInputShapes *shapes = sw_profiler_event_get_input_shapes (event);
      SwInputShapes *key = sw_profiler_aggregate_get_input_shapes (row);
      gint64 duration = sw_profiler_event_get_duration_ns (event);

      if (strcmp (sw_profiler_event_get_name (event), sw_profiler_aggregate_get_name (row)) == 0 &&
          sw_profiler_event_get_carrier_type (event) == sw_profiler_aggregate_get_carrier_type (row) &&
          (!by_shape || (shapes == NULL ? key == NULL : key != NULL && sw_input_shapes_equal (shapes, key))))
        g_array_append_val (durations, duration);
    }
  *n = durations->len;
  return (gint64 *) (gpointer) g_array_free (durations, FALSE);
}

static void
test_random (void)
{
  for (guint round = 0; round < 6; round++)
    {
      g_autoptr (FakeEvents) fake = fake_events_new_random (1200);
      SwEventSource source = fake_events_get_source (fake);
      gboolean by_shape = round % 2;
      g_autoptr (GPtrArray) events = sw_event_source_dup_events (&source);
      g_autoptr (GPtrArray) plain = sw_event_source_dup_key_averages (&source, by_shape);
      g_autoptr (GPtrArray) rows = sw_event_source_dup_key_statistics (&source, by_shape);

      g_assert_cmpuint (rows->len, ==, plain->len);
      for (guint i = 0; i < rows->len; i++)
        {
          SwProfilerAggregate *row = rows->pdata[i];
          gsize n;
          g_autofree gint64 *durations = collect (events, row, by_shape, &n);

          g_assert_true (sw_profiler_aggregate_equal (row, plain->pdata[i]));
          g_assert_cmpuint (n, ==, sw_profiler_aggregate_get_count (row));
          qsort (durations, n, sizeof *durations, compare);
          g_assert_cmpfloat (sw_profiler_aggregate_get_p50_time_ns (row), ==, get_percentile (durations, n, 0.5));
          g_assert_cmpfloat (sw_profiler_aggregate_get_p90_time_ns (row), ==, get_percentile (durations, n, 0.9));
          g_assert_cmpfloat (sw_profiler_aggregate_get_p99_time_ns (row), ==, get_percentile (durations, n, 0.99));
        }
    }
}

static char *
table_with (const SwEventSource *source,
            const char *const *further,
            const char *sort_by,
            GError **error)
{
  return sw_event_source_dup_table_with_columns (source, further, sort_by, TRUE, FALSE, -1, error);
}

static void
test_table (void)
{
  const char *further[] = { "p99_time_ns", "total_percent", "stddev_time_ns", NULL };
  g_autoptr (FakeEvents) fake = make_nested ();
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GError) error = NULL;
  g_autofree char *table = table_with (&source, further, "p99_time_ns", &error);
  g_autofree char *plain = sw_event_source_dup_table (&source, NULL, TRUE, FALSE, -1, &error);
  g_autofree char *none = table_with (&source, (const char *[]){ NULL }, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (none, ==, plain);
  g_assert_cmpstr (table, ==,
                   "Name  Carrier      Calls  Total (ns)  Self total (ns)  Mean (ns)  Min (ns)  Max (ns)  p99 (ns)  Total %  Std dev (ns)\n"
                   "----  -----------  -----  ----------  ---------------  ---------  --------  --------  --------  -------  ------------\n"
                   "relu  FakeCarrier      1         100               70      100.0       100       100     100.0    50.00           0.0\n"
                   "add   FakeCarrier      2         130              130       65.0        30       100      99.3    65.00          35.0");
}

static void
assert_refused (const char *const *further,
                const char *sort_by,
                const char *message)
{
  g_autoptr (FakeEvents) fake = make_nested ();
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GError) error = NULL;

  g_assert_null (table_with (&source, further, sort_by, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_refused (void)
{
  assert_refused ((const char *[]){ "p98_time_ns", NULL }, NULL, "columns: 'p98_time_ns' is not one of p50_time_ns, ");
  assert_refused ((const char *[]){ "p50_time_ns", "", NULL }, NULL, "columns: '' is not one of");
  assert_refused ((const char *[]){ "\xff\n", NULL }, NULL, "columns: '\\xff\\n' is not one of");
  assert_refused ((const char *[]){ "count", NULL }, NULL, "what every table shows: 'count'");
  assert_refused ((const char *[]){ "p50_time_ns", "p90_time_ns", "p50_time_ns", NULL }, NULL, "p50_time_ns twice");
  /* Only what the table shows can order it. */
  assert_refused (NULL, "p50_time_ns", "sort field 'p50_time_ns' is not one of name, ");
  assert_refused ((const char *[]){ "p50_time_ns", NULL }, "p90_time_ns", "max_time_ns, p50_time_ns");
}

int
main (int argc,
      char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/statistics/select", test_select);
  g_test_add_func ("/statistics/select-adversary", test_select_adversary);
  g_test_add_func ("/statistics/percentile", test_percentile);
  g_test_add_func ("/statistics/stddev", test_stddev);
  g_test_add_func ("/statistics/rows", test_rows);
  g_test_add_func ("/statistics/nothing", test_nothing);
  g_test_add_func ("/statistics/random", test_random);
  g_test_add_func ("/statistics/table", test_table);
  g_test_add_func ("/statistics/refused", test_refused);
  return g_test_run ();
}
