/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>
#include <strideweave.h>

static void
test_fields (void)
{
  g_autoptr (SwTimeline) cpu = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "worker", 4711, 0, 0);
  g_autoptr (SwTimeline) gpu = sw_timeline_new (SW_TIMELINE_TYPE_GPU, "compute", 0, 2, 3);

  g_assert_cmpint (sw_timeline_get_timeline_type (cpu), ==, SW_TIMELINE_TYPE_CPU);
  g_assert_cmpstr (sw_timeline_get_name (cpu), ==, "worker");
  g_assert_cmpuint (sw_timeline_get_thread_id (cpu), ==, 4711);
  g_assert_cmpint (sw_timeline_get_timeline_type (gpu), ==, SW_TIMELINE_TYPE_GPU);
  g_assert_cmpuint (sw_timeline_get_device_id (gpu), ==, 2);
  g_assert_cmpuint (sw_timeline_get_queue (gpu), ==, 3);
}

static void
test_name_is_copied (void)
{
  char name[] = "first";
  g_autoptr (SwTimeline) self = sw_timeline_new (SW_TIMELINE_TYPE_CPU, name, 1, 0, 0);

  memcpy (name, "other", sizeof name);
  g_assert_cmpstr (sw_timeline_get_name (self), ==, "first");
}

static void
test_equal (void)
{
  g_autoptr (SwTimeline) a = sw_timeline_new (SW_TIMELINE_TYPE_GPU, "q", 1, 2, 3);
  g_autoptr (SwTimeline) same = sw_timeline_new (SW_TIMELINE_TYPE_GPU, "q", 1, 2, 3);
  SwTimeline *others[] = {
    sw_timeline_new (SW_TIMELINE_TYPE_CPU, "q", 1, 2, 3),
    sw_timeline_new (SW_TIMELINE_TYPE_GPU, "r", 1, 2, 3),
    sw_timeline_new (SW_TIMELINE_TYPE_GPU, "q", 9, 2, 3),
    sw_timeline_new (SW_TIMELINE_TYPE_GPU, "q", 1, 9, 3),
    sw_timeline_new (SW_TIMELINE_TYPE_GPU, "q", 1, 2, 9),
  };

  g_assert_true (sw_timeline_equal (a, same));
  g_assert_cmpuint (sw_timeline_hash (a), ==, sw_timeline_hash (same));
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_assert_false (sw_timeline_equal (a, others[i]));
      sw_timeline_unref (others[i]);
    }
}

static void
test_to_string (void)
{
  g_autoptr (SwTimeline) self = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "it's\n", 7, 0, 0);
  g_autofree char *text = sw_timeline_to_string (self);

  g_assert_cmpstr (text, ==, "Timeline(type=cpu, name='it\\'s\\n', thread_id=7, device_id=0, queue=0)");
}

static void
test_boxed (void)
{
  g_autoptr (SwTimeline) self = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "t", 7, 0, 0);
  SwTimeline *copy = g_boxed_copy (SW_TYPE_TIMELINE, self);

  g_assert_true (copy == self);
  g_boxed_free (SW_TYPE_TIMELINE, copy);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timeline/fields", test_fields);
  g_test_add_func ("/timeline/name-is-copied", test_name_is_copied);
  g_test_add_func ("/timeline/equal", test_equal);
  g_test_add_func ("/timeline/to-string", test_to_string);
  g_test_add_func ("/timeline/boxed", test_boxed);
  return g_test_run ();
}
