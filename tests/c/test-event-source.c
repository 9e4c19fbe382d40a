/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "fake-events.h"

#include "sw-profiler/operation/sw-input-shapes-private.h"

static void
assert_event (SwProfilerEvent *event,
              const FakeEvents *fake,
              gsize i,
              guint64 thread_id)
{
  guint32 site = g_array_index (fake->site, guint32, i);
  guint32 parent = g_array_index (fake->parent, guint32, i);
  const SwEventSite *info = &g_array_index (fake->sites, SwEventSite, site & ~SW_EVENT_FAILED);
  SwInputShapes *shapes = g_ptr_array_index (fake->shapes_by_id, g_array_index (fake->shapes, guint32, i));
  gint64 parent_id;

  g_assert_cmpint (sw_profiler_event_get_id (event), ==, i);
  g_assert_true (sw_profiler_event_get_parent_id (event, &parent_id) == (parent != SW_EVENT_NO_PARENT));
  g_assert_cmpint (parent_id, ==, parent == SW_EVENT_NO_PARENT ? -1 : (gint64) parent);
  g_assert_cmpstr (sw_profiler_event_get_name (event), ==, info->name);
  g_assert_true (sw_profiler_event_get_carrier_type (event) == info->carrier_type);
  g_assert_true (sw_profiler_event_get_implementation_type (event) == info->implementation_type);
  g_assert_true (sw_profiler_event_get_input_shapes (event) == (fake->records_shapes ? shapes : NULL));
  g_assert_cmpint (sw_profiler_event_get_start_time_ns (event), ==, g_array_index (fake->start, gint64, i));
  g_assert_cmpint (sw_profiler_event_get_duration_ns (event), ==, g_array_index (fake->duration, gint64, i));
  g_assert_cmpint (sw_profiler_event_get_self_time_ns (event), ==, g_array_index (fake->self, gint64, i));
  g_assert_cmpuint (sw_profiler_event_get_thread_id (event), ==, thread_id);
  g_assert_true (sw_profiler_event_get_succeeded (event) == ((site & SW_EVENT_FAILED) == 0));
}

/* The columns say the same as the events. */
static void
assert_columns (const SwEventSource *source,
                GPtrArray *events)
{
  g_autoptr (GBytes) bytes = sw_event_source_dup_columns (source);
  const gint64 *numbers = g_bytes_get_data (bytes, NULL);
  gsize n = source->n_events;

  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 8 * n * sizeof (gint64));
  for (gsize i = 0; i < n; i++)
    {
      SwProfilerEvent *event = events->pdata[i];
      const SwEventSite *site = &source->sites[numbers[6 * n + i]];
      gint64 shapes = numbers[7 * n + i];
      gint64 parent_id;

      sw_profiler_event_get_parent_id (event, &parent_id);
      g_assert_cmpint (numbers[i], ==, parent_id);
      g_assert_cmpint (numbers[n + i], ==, sw_profiler_event_get_start_time_ns (event));
      g_assert_cmpint (numbers[2 * n + i], ==, sw_profiler_event_get_duration_ns (event));
      g_assert_cmpint (numbers[3 * n + i], ==, sw_profiler_event_get_self_time_ns (event));
      g_assert_cmpuint ((guint64) numbers[4 * n + i], ==, sw_profiler_event_get_thread_id (event));
      g_assert_cmpint (numbers[5 * n + i], ==, sw_profiler_event_get_succeeded (event));
      g_assert_cmpstr (site->name, ==, sw_profiler_event_get_name (event));
      g_assert_true (site->carrier_type == sw_profiler_event_get_carrier_type (event));
      g_assert_true (site->implementation_type == sw_profiler_event_get_implementation_type (event));
      g_assert_true ((shapes == -1 ? NULL : source->shapes[shapes]) == sw_profiler_event_get_input_shapes (event));
    }
}

static void
check_events (FakeEvents *fake)
{
  SwEventSource source = fake_events_get_source (fake);
  g_autoptr (GPtrArray) events = sw_event_source_dup_events (&source);

  g_assert_cmpuint (events->len, ==, fake->site->len);
  assert_columns (&source, events);
  for (gsize i = 0; i < source.n_events; i++)
    {
      g_autoptr (SwProfilerEvent) one = sw_event_source_dup_event (&source, i);

      assert_event (events->pdata[i], fake, i, source.thread_id);
      assert_event (one, fake, i, source.thread_id);
      g_assert_true (sw_profiler_event_equal (one, events->pdata[i]));
    }
}

static void
test_empty (void)
{
  g_autoptr (FakeEvents) fake = fake_events_new ();

  check_events (fake);
}

static void
test_random (void)
{
  for (guint round = 0; round < 20; round++)
    {
      g_autoptr (FakeEvents) fake = fake_events_new_random (g_test_rand_int_range (0, 400));

      fake->records_shapes = g_test_rand_bit ();
      check_events (fake);
    }
}

/* What an event shares with others lives as long as it does, and no longer. */
static void
test_outlives_source (void)
{
  FakeEvents *fake = fake_events_new ();
  guint32 shapes = fake_events_add_shapes (fake, (const gint64[]){ -3, -3, 5 }, 3);
  g_autoptr (SwInputShapes) probe = sw_input_shapes_ref (g_ptr_array_index (fake->shapes_by_id, shapes));
  SwEventSource source;
  GPtrArray *events;
  SwProfilerEvent *last;

  fake_events_add_site (fake, "relu", fake_type ("FakeCarrier"), fake_type ("FakeOperation"));
  for (guint i = 0; i < 100; i++)
    fake_events_add (fake, 0, i % 3 == 0 ? 0 : shapes, SW_EVENT_NO_PARENT, i, 1, 1, TRUE);
  source = fake_events_get_source (fake);
  events = sw_event_source_dup_events (&source);
  g_assert_cmpint (probe->ref_count, ==, 2 + 66);
  fake_events_free (fake);
  last = sw_profiler_event_ref (g_ptr_array_index (events, 98));
  g_ptr_array_unref (events);
  g_assert_cmpint (probe->ref_count, ==, 2);
  g_assert_cmpstr (sw_profiler_event_get_name (last), ==, "relu");
  g_assert_true (sw_profiler_event_get_input_shapes (last) == probe);
  sw_profiler_event_unref (last);
  g_assert_cmpint (probe->ref_count, ==, 1);
}

#define N_MANY 70001

static gpointer
unref_all (gpointer data)
{
  g_ptr_array_unref (data);
  return NULL;
}

/* So many that they share memory: each still lives for as long as somebody has it, on whichever thread. */
static void
test_many (void)
{
  FakeEvents *fake = fake_events_new_random (N_MANY);
  SwEventSource source = fake_events_get_source (fake);
  GPtrArray *shares[3];
  GThread *threads[2];

  check_events (fake);
  for (guint i = 0; i < 3; i++)
    shares[i] = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_profiler_event_unref);
  {
    g_autoptr (GPtrArray) events = sw_event_source_dup_events (&source);

    for (guint i = 0; i < N_MANY; i++)
      g_ptr_array_add (shares[i % 997 == 0 ? 2 : i % 2], sw_profiler_event_ref (events->pdata[i]));
  }
  for (guint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("share", unref_all, shares[i]);
  for (guint i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < shares[2]->len; i++)
    assert_event (shares[2]->pdata[i], fake, 997 * i, source.thread_id);
  g_ptr_array_unref (shares[2]);
  fake_events_free (fake);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/event-source/empty", test_empty);
  g_test_add_func ("/event-source/random", test_random);
  g_test_add_func ("/event-source/outlives-source", test_outlives_source);
  g_test_add_func ("/event-source/many", test_many);
  return g_test_run ();
}
