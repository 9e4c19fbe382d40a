/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "sw-profiler/operation/sw-profiler-event.h"
#include "sw-profiler/operation/sw-type-name.h"

typedef struct
{
  gint64 id, parent_id;
  const char *name;
  GType carrier_type, implementation_type;
  SwInputShapes *input_shapes;
  gint64 start, duration, self;
  guint64 thread;
  gboolean succeeded;
} Fields;

static SwProfilerEvent *
make (const Fields *fields)
{
  return sw_profiler_event_new (fields->id, fields->parent_id, fields->name, fields->carrier_type,
                                fields->implementation_type, fields->input_shapes, fields->start, fields->duration,
                                fields->self, fields->thread, fields->succeeded);
}

static SwInputShapes *
shapes_of (gint64 extent)
{
  return sw_input_shapes_new_from_tokens ((const gint64[]){ -4, -3, extent, -1 }, 4, NULL);
}

static void
test_new (void)
{
  g_autoptr (SwInputShapes) shapes = shapes_of (5);
  /* Values that contradict each other are kept as they are. */
  const Fields fields = { -3, 77, "relu", G_TYPE_OBJECT, G_TYPE_STRING, shapes, -9, G_MININT64, G_MAXINT64, G_MAXUINT64, 7 };
  g_autoptr (SwProfilerEvent) event = make (&fields);
  gint64 parent = 0;

  g_assert_cmpint (sw_profiler_event_get_id (event), ==, -3);
  g_assert_true (sw_profiler_event_get_parent_id (event, &parent));
  g_assert_true (sw_profiler_event_get_parent_id (event, NULL));
  g_assert_cmpint (parent, ==, 77);
  g_assert_cmpstr (sw_profiler_event_get_name (event), ==, "relu");
  g_assert_true (sw_profiler_event_get_carrier_type (event) == G_TYPE_OBJECT);
  g_assert_true (sw_profiler_event_get_implementation_type (event) == G_TYPE_STRING);
  g_assert_true (sw_profiler_event_get_input_shapes (event) == shapes);
  g_assert_cmpint (sw_profiler_event_get_start_time_ns (event), ==, -9);
  g_assert_cmpint (sw_profiler_event_get_duration_ns (event), ==, G_MININT64);
  g_assert_cmpint (sw_profiler_event_get_self_time_ns (event), ==, G_MAXINT64);
  g_assert_cmpuint (sw_profiler_event_get_thread_id (event), ==, G_MAXUINT64);
  g_assert_cmpint (sw_profiler_event_get_succeeded (event), ==, TRUE);
}

static void
test_no_parent (void)
{
  const Fields fields = { 0, -1, "x", G_TYPE_OBJECT, G_TYPE_OBJECT };
  g_autoptr (SwProfilerEvent) event = make (&fields);
  gint64 parent = 5;

  g_assert_false (sw_profiler_event_get_parent_id (event, &parent));
  g_assert_cmpint (parent, ==, -1);
  g_assert_null (sw_profiler_event_get_input_shapes (event));
}

/* The name is the event's own, whatever happens to the caller's buffer. */
static void
test_name_is_copied (void)
{
  char buffer[] = "matmul";
  const Fields fields = { 0, -1, buffer, G_TYPE_OBJECT, G_TYPE_OBJECT };
  g_autoptr (SwProfilerEvent) event = make (&fields);

  memset (buffer, 'x', sizeof (buffer));
  g_assert_cmpstr (sw_profiler_event_get_name (event), ==, "matmul");
}

static void
assert_differs (const Fields *a,
                const Fields *b)
{
  g_autoptr (SwProfilerEvent) x = make (a);
  g_autoptr (SwProfilerEvent) y = make (b);

  g_assert_false (sw_profiler_event_equal (x, y));
  g_assert_false (sw_profiler_event_equal (y, x));
}

static void
test_equal (void)
{
  g_autoptr (SwInputShapes) five = shapes_of (5);
  g_autoptr (SwInputShapes) also_five = shapes_of (5);
  g_autoptr (SwInputShapes) six = shapes_of (6);
  char name[] = "relu";
  const Fields a = { 1, 0, "relu", G_TYPE_OBJECT, G_TYPE_STRING, five, 10, 20, 15, 99, TRUE };
  Fields b = a;
  g_autoptr (SwProfilerEvent) x = make (&a);
  g_autoptr (SwProfilerEvent) y = NULL;

  b.name = name;
  b.input_shapes = also_five;
  b.succeeded = 2;
  y = make (&b);
  g_assert_true (sw_profiler_event_equal (x, x));
  g_assert_true (sw_profiler_event_equal (x, y));
  g_assert_cmpuint (sw_profiler_event_hash (x), ==, sw_profiler_event_hash (y));

#define ASSERT_COUNTS(field, value) \
  G_STMT_START                      \
  {                                 \
    Fields changed = a;             \
    changed.field = (value);        \
    assert_differs (&a, &changed);  \
  }                                 \
  G_STMT_END
  ASSERT_COUNTS (id, 2);
  ASSERT_COUNTS (parent_id, -1);
  ASSERT_COUNTS (name, "reluu");
  ASSERT_COUNTS (carrier_type, G_TYPE_INITIALLY_UNOWNED);
  ASSERT_COUNTS (implementation_type, G_TYPE_INT);
  ASSERT_COUNTS (input_shapes, NULL);
  ASSERT_COUNTS (input_shapes, six);
  ASSERT_COUNTS (start, 11);
  ASSERT_COUNTS (duration, 21);
  ASSERT_COUNTS (self, 16);
  ASSERT_COUNTS (thread, 98);
  ASSERT_COUNTS (succeeded, FALSE);
#undef ASSERT_COUNTS
}

static void
test_to_string (void)
{
  g_autoptr (SwInputShapes) shapes = shapes_of (5);
  const Fields a = { 0, -1, "relu", G_TYPE_OBJECT, G_TYPE_INITIALLY_UNOWNED, NULL, 10, 20, 15, G_MAXUINT64, TRUE };
  const Fields b = { 1, 0, "a'b\n\\\"", G_TYPE_OBJECT, G_TYPE_OBJECT, shapes, -1, 2, 3, 4, FALSE };
  g_autoptr (SwProfilerEvent) x = make (&a);
  g_autoptr (SwProfilerEvent) y = make (&b);
  g_autofree char *x_text = sw_profiler_event_to_string (x);
  g_autofree char *y_text = sw_profiler_event_to_string (y);

  g_assert_cmpstr (x_text, ==,
                   "ProfilerEvent(id=0, parent_id=None, name='relu', carrier_type=GObject, "
                   "implementation_type=GInitiallyUnowned, input_shapes=None, start_time_ns=10, duration_ns=20, "
                   "self_time_ns=15, thread_id=18446744073709551615, succeeded=True)");
  g_assert_cmpstr (y_text, ==,
                   "ProfilerEvent(id=1, parent_id=0, name='a\\'b\\n\\\\\"', carrier_type=GObject, "
                   "implementation_type=GObject, input_shapes=((5,), None), start_time_ns=-1, duration_ns=2, "
                   "self_time_ns=3, thread_id=4, succeeded=False)");
}

static GType
make_type (const char *name)
{
  return g_type_register_static_simple (G_TYPE_OBJECT, name, sizeof (GObjectClass), NULL, sizeof (GObject), NULL, 0);
}

static void
test_type_names (void)
{
  GType library = make_type ("SwTestThing");
  GType other = make_type ("SwitchOfTheTest");

  g_assert_cmpstr (sw_profiler_get_type_name (library), ==, "Strideweave.TestThing");
  g_assert_cmpstr (sw_profiler_get_type_name (other), ==, "SwitchOfTheTest");
  g_assert_cmpstr (sw_profiler_get_type_name (G_TYPE_INVALID), ==, "invalid");
  sw_profiler_set_type_name (library, "package.module.Thing");
  g_assert_cmpstr (sw_profiler_get_type_name (library), ==, "package.module.Thing");
  sw_profiler_set_type_name (library, "package.module.Other");
  g_assert_cmpstr (sw_profiler_get_type_name (library), ==, "package.module.Other");
  sw_profiler_set_type_name (library, NULL);
  g_assert_cmpstr (sw_profiler_get_type_name (library), ==, "Strideweave.TestThing");
}

static gpointer
use_on_thread (gpointer data)
{
  for (guint i = 0; i < 10000; i++)
    sw_profiler_event_unref (sw_profiler_event_ref (data));
  sw_profiler_event_unref (data);
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (SwInputShapes) shapes = shapes_of (5);
  const Fields fields = { 0, -1, "relu", G_TYPE_OBJECT, G_TYPE_OBJECT, shapes };
  SwProfilerEvent *event = make (&fields);
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("user", use_on_thread, sw_profiler_event_ref (event));
  sw_profiler_event_unref (event);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler-event/new", test_new);
  g_test_add_func ("/profiler-event/no-parent", test_no_parent);
  g_test_add_func ("/profiler-event/name-is-copied", test_name_is_copied);
  g_test_add_func ("/profiler-event/equal", test_equal);
  g_test_add_func ("/profiler-event/to-string", test_to_string);
  g_test_add_func ("/profiler-event/type-names", test_type_names);
  g_test_add_func ("/profiler-event/threads", test_threads);
  return g_test_run ();
}
