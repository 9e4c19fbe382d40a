/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "fake-events.h"

#include <math.h>

#include "sw-profiler/operation/sw-input-shapes-private.h"
#include "sw-profiler/operation/sw-profiler-aggregate.h"

typedef struct
{
  const char *name;
  GType carrier_type;
  SwInputShapes *input_shapes;
  gint64 count, total, self_total;
  double mean;
  gint64 min, max;
} Fields;

static SwProfilerAggregate *
make (const Fields *fields)
{
  return sw_profiler_aggregate_new (fields->name, fields->carrier_type, fields->input_shapes, fields->count,
                                    fields->total, fields->self_total, fields->mean, fields->min, fields->max);
}

static void
assert_fields (SwProfilerAggregate *row,
               const Fields *fields)
{
  g_assert_cmpstr (sw_profiler_aggregate_get_name (row), ==, fields->name);
  g_assert_true (sw_profiler_aggregate_get_carrier_type (row) == fields->carrier_type);
  g_assert_true (sw_input_shapes_equal0 (sw_profiler_aggregate_get_input_shapes (row), fields->input_shapes));
  g_assert_cmpint (sw_profiler_aggregate_get_count (row), ==, fields->count);
  g_assert_cmpint (sw_profiler_aggregate_get_total_time_ns (row), ==, fields->total);
  g_assert_cmpint (sw_profiler_aggregate_get_self_total_time_ns (row), ==, fields->self_total);
  g_assert_cmpfloat (sw_profiler_aggregate_get_mean_time_ns (row), ==, fields->mean);
  g_assert_cmpint (sw_profiler_aggregate_get_min_time_ns (row), ==, fields->min);
  g_assert_cmpint (sw_profiler_aggregate_get_max_time_ns (row), ==, fields->max);
}

static void
test_new (void)
{
  g_autoptr (SwInputShapes) shapes = sw_input_shapes_new_from_tokens ((const gint64[]){ -3, -3, 5 }, 3, NULL);
  const Fields fields = { "relu", G_TYPE_OBJECT, shapes, -2, G_MAXINT64, G_MININT64, -0.5, 9, 3 };
  g_autoptr (SwProfilerAggregate) row = make (&fields);

  assert_fields (row, &fields);
}

static void
test_equal (void)
{
  g_autoptr (SwInputShapes) shapes = sw_input_shapes_new_from_tokens ((const gint64[]){ -3, -3, 5 }, 3, NULL);
  const Fields a = { "relu", G_TYPE_OBJECT, shapes, 2, 30, 20, 0.0, 10, 20 };
  Fields b = a;
  g_autoptr (SwProfilerAggregate) x = make (&a);
  g_autoptr (SwProfilerAggregate) y = NULL;

  b.mean = -0.0;
  y = make (&b);
  g_assert_true (sw_profiler_aggregate_equal (x, y));
  g_assert_cmpuint (sw_profiler_aggregate_hash (x), ==, sw_profiler_aggregate_hash (y));

#define ASSERT_COUNTS(field, value)                      \
  G_STMT_START                                           \
  {                                                      \
    Fields changed = a;                                  \
    g_autoptr (SwProfilerAggregate) z = NULL;            \
    changed.field = (value);                             \
    z = make (&changed);                                 \
    g_assert_false (sw_profiler_aggregate_equal (x, z)); \
  }                                                      \
  G_STMT_END
  ASSERT_COUNTS (name, "relv");
  ASSERT_COUNTS (carrier_type, G_TYPE_STRING);
  ASSERT_COUNTS (input_shapes, NULL);
  ASSERT_COUNTS (count, 3);
  ASSERT_COUNTS (total, 31);
  ASSERT_COUNTS (self_total, 21);
  ASSERT_COUNTS (mean, 0.5);
  ASSERT_COUNTS (mean, NAN);
  ASSERT_COUNTS (min, 11);
  ASSERT_COUNTS (max, 21);
#undef ASSERT_COUNTS
}

static void
assert_mean_text (double mean,
                  const char *expected)
{
  const Fields fields = { "x", G_TYPE_OBJECT, NULL, 1, 2, 3, mean, 4, 5 };
  g_autoptr (SwProfilerAggregate) row = make (&fields);
  g_autofree char *text = sw_profiler_aggregate_to_string (row);
  g_autofree char *whole = g_strdup_printf ("ProfilerAggregate(name='x', carrier_type=GObject, input_shapes=None, "
                                            "count=1, total_time_ns=2, self_total_time_ns=3, mean_time_ns=%s, "
                                            "min_time_ns=4, max_time_ns=5)",
                                            expected);

  g_assert_cmpstr (text, ==, whole);
}

static void
test_to_string (void)
{
  assert_mean_text (2, "2.0");
  assert_mean_text (0.1, "0.1");
  assert_mean_text (1.0 / 3, "0.3333333333333333");
  assert_mean_text (-1e300, "-1e+300");
  assert_mean_text (INFINITY, "inf");
  assert_mean_text (NAN, "nan");
}

/* The slow way: each event looks through all rows. */
static GArray *
expect_rows (const SwEventSource *source,
             const FakeEvents *fake,
             gboolean group_by_shape)
{
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (Fields));

  for (gsize i = 0; i < source->n_events; i++)
    {
      const SwEventSite *site = &source->sites[g_array_index (fake->site, guint32, i) & ~SW_EVENT_FAILED];
      SwInputShapes *shapes = group_by_shape ? source->shapes[g_array_index (fake->shapes, guint32, i)] : NULL;
      gint64 duration = g_array_index (fake->duration, gint64, i);
      Fields *row = NULL;

      for (guint k = 0; k < rows->len && row == NULL; k++)
        {
          Fields *other = &g_array_index (rows, Fields, k);

          if (strcmp (other->name, site->name) == 0 && other->carrier_type == site->carrier_type && sw_input_shapes_equal0 (other->input_shapes, shapes))
            row = other;
        }
      if (row == NULL)
        {
          g_array_set_size (rows, rows->len + 1);
          row = &g_array_index (rows, Fields, rows->len - 1);
          *row = (Fields){ site->name, site->carrier_type, shapes, 0, 0, 0, 0, duration, duration };
        }
      row->count++;
      row->total += duration;
      row->self_total += g_array_index (fake->self, gint64, i);
      row->mean = (double) row->total / (double) row->count;
      row->min = MIN (row->min, duration);
      row->max = MAX (row->max, duration);
    }
  return rows;
}

static const Fields *
find_expected (GArray *rows,
               SwProfilerAggregate *row)
{
  for (guint i = 0; i < rows->len; i++)
    {
      const Fields *fields = &g_array_index (rows, Fields, i);

      if (strcmp (fields->name, sw_profiler_aggregate_get_name (row)) == 0 && fields->carrier_type == sw_profiler_aggregate_get_carrier_type (row) && sw_input_shapes_equal0 (fields->input_shapes, sw_profiler_aggregate_get_input_shapes (row)))
        return fields;
    }
  return NULL;
}

static void
assert_ascending (SwProfilerAggregate *a,
                  SwProfilerAggregate *b)
{
  GType a_type = sw_profiler_aggregate_get_carrier_type (a);
  GType b_type = sw_profiler_aggregate_get_carrier_type (b);
  SwInputShapes *a_shapes = sw_profiler_aggregate_get_input_shapes (a);
  SwInputShapes *b_shapes = sw_profiler_aggregate_get_input_shapes (b);
  g_autofree char *a_text = a_shapes != NULL ? sw_input_shapes_to_string (a_shapes) : g_strdup ("None");
  g_autofree char *b_text = b_shapes != NULL ? sw_input_shapes_to_string (b_shapes) : g_strdup ("None");
  const char *keys[][2] = {
    { sw_profiler_aggregate_get_name (a), sw_profiler_aggregate_get_name (b) },
    { sw_profiler_get_type_name (a_type), sw_profiler_get_type_name (b_type) },
    { g_type_name (a_type), g_type_name (b_type) },
    { a_text, b_text },
  };
  int order = 0;

  for (guint i = 0; i < G_N_ELEMENTS (keys) && order == 0; i++)
    order = strcmp (keys[i][0], keys[i][1]);
  g_assert_cmpint (order, <, 0);
}

static void
check_rows (FakeEvents *fake,
            gboolean group_by_shape)
{
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GArray) expected = expect_rows (&source, fake, group_by_shape && fake->records_shapes);
  g_autoptr (GPtrArray) rows = sw_event_source_dup_key_averages (&source, group_by_shape);

  g_assert_cmpuint (rows->len, ==, expected->len);
  for (guint i = 0; i < rows->len; i++)
    {
      const Fields *fields = find_expected (expected, rows->pdata[i]);

      g_assert_nonnull (fields);
      assert_fields (rows->pdata[i], fields);
      if (i > 0)
        assert_ascending (rows->pdata[i - 1], rows->pdata[i]);
    }
}

static void
test_random (void)
{
  /* Covers: 10.5, 10.6, 10.7, 10.8 */
  for (guint round = 0; round < 40; round++)
    {
      g_autoptr (FakeEvents) fake = fake_events_new_random (g_test_rand_int_range (0, 1500));

      fake->records_shapes = round % 4 != 0;
      check_rows (fake, FALSE);
      check_rows (fake, TRUE);
    }
}

/* More keys than any table begins with. */
static void
test_many_keys (void)
{
  g_autoptr (FakeEvents) fake = fake_events_new ();
  SwEventSource source;
  g_autoptr (GPtrArray) rows = NULL;
  const guint n = 5000;

  fake_events_add_site (fake, "relu", G_TYPE_OBJECT, G_TYPE_OBJECT);
  for (guint i = 0; i < n; i++)
    fake_events_add_shapes (fake, (const gint64[]){ -3, -3, 1 + i }, 3);
  for (guint i = 0; i < 3 * n; i++)
    fake_events_add (fake, 0, 1 + i % n, SW_EVENT_NO_PARENT, 0, i, i, TRUE);
  source = fake_events_get_source (fake);
  rows = sw_event_source_dup_key_averages (&source, TRUE);
  g_assert_cmpuint (rows->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      SwProfilerAggregate *row = rows->pdata[i];
      gint64 extent;
      g_autofree gint64 *tokens = NULL;
      gsize n_tokens;

      tokens = sw_input_shapes_dup_tokens (sw_profiler_aggregate_get_input_shapes (row), &n_tokens);
      extent = tokens[2] - 1;
      g_assert_cmpint (sw_profiler_aggregate_get_count (row), ==, 3);
      g_assert_cmpint (sw_profiler_aggregate_get_total_time_ns (row), ==, 3 * extent + 3 * n);
      if (i > 0)
        assert_ascending (rows->pdata[i - 1], row);
    }
}

/* Names of 4 KiB that differ in the last byte, and one name in three places of memory. */
static void
test_names_by_text (void)
{
  /* Covers: 10.7 */
  g_autoptr (FakeEvents) fake = fake_events_new ();
  g_autofree char *x = fake_long_name ("x");
  g_autofree char *y = fake_long_name ("y");
  SwEventSource source;
  g_autoptr (GPtrArray) rows = NULL;

  fake_events_add_site (fake, y, G_TYPE_OBJECT, G_TYPE_OBJECT);
  fake_events_add_site (fake, x, G_TYPE_OBJECT, G_TYPE_OBJECT);
  fake_events_add_site (fake, x, G_TYPE_OBJECT, G_TYPE_OBJECT);
  fake_events_add_site (fake, x, G_TYPE_OBJECT, G_TYPE_STRING);
  for (guint i = 0; i < 4; i++)
    fake_events_add (fake, i, 0, SW_EVENT_NO_PARENT, 0, 1 + i, 1, i % 2 == 0);
  source = fake_events_get_source (fake);
  rows = sw_event_source_dup_key_averages (&source, FALSE);
  g_assert_cmpuint (rows->len, ==, 2);
  assert_fields (rows->pdata[0], &(const Fields){ x, G_TYPE_OBJECT, NULL, 3, 9, 3, 3, 2, 4 });
  assert_fields (rows->pdata[1], &(const Fields){ y, G_TYPE_OBJECT, NULL, 1, 1, 1, 1, 1, 1 });
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler-aggregate/new", test_new);
  g_test_add_func ("/profiler-aggregate/equal", test_equal);
  g_test_add_func ("/profiler-aggregate/to-string", test_to_string);
  g_test_add_func ("/profiler-aggregate/random", test_random);
  g_test_add_func ("/profiler-aggregate/many-keys", test_many_keys);
  g_test_add_func ("/profiler-aggregate/names-by-text", test_names_by_text);
  return g_test_run ();
}
