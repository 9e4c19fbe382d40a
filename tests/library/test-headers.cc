/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a C++ program gets: every public header, and functions that link. */
#include <strideweave.h>

#include <cstring>
#include <initializer_list>

static void
test_version ()
{
  g_assert_cmpint (std::strcmp (sw_version (), ""), !=, 0);
  g_assert_true (SW_CHECK_VERSION (SW_MAJOR_VERSION, SW_MINOR_VERSION, SW_MICRO_VERSION));
  g_assert_true (SW_CHECK_VERSION (0, 1, 0));
  g_assert_false (SW_CHECK_VERSION (SW_MAJOR_VERSION, SW_MINOR_VERSION, SW_MICRO_VERSION + 1));
  g_assert_false (SW_CHECK_VERSION (SW_MAJOR_VERSION + 1, 0, 0));
}

static void
test_classes ()
{
  g_assert_true (g_type_is_a (SW_TYPE_GENERIC_RELU_OPERATION, SW_TYPE_OPERATION));
  g_assert_true (g_type_is_a (SW_TYPE_CPU, SW_TYPE_CARRIER));
}

static void
test_cleanup ()
{
  const gint64 extents[] = { 2, 3 };
  GError *error = nullptr;
  g_autoptr (SwShape) shape = sw_shape_new (extents, G_N_ELEMENTS (extents), &error);

  g_assert_no_error (error);
  g_assert_cmpint (sw_shape_get_size (shape), ==, 6);
}

namespace scopes
{
  template <typename T> struct Recorded
  {
    static T
    twice (T value)
    {
      SW_PROFILE_FUNCTION ();
      SW_PROFILE_ZONE ("inside");
      return value + value;
    }
  };
}

static void
test_zones ()
{
  GError *error = nullptr;
  g_autoptr (SwZoneProfiler) profiler = sw_zone_profiler_new (nullptr, &error);
  SwZoneTrace *trace;

  g_assert_no_error (error);
  sw_zone_profiler_start_capture (profiler, nullptr, &error);
  g_assert_no_error (error);
  {
    SW_PROFILE_FRAME ("frame");
    try
      {
        SW_PROFILE_ZONE ("thrown out of");
        g_assert_cmpint (scopes::Recorded<int>::twice (2), ==, 4);
        throw 1;
      }
    catch (int)
      {
      }
  }
  trace = sw_zone_profiler_stop_capture (profiler, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), ==, 3);
  for (const char *name : { "scopes::Recorded<T>::twice", "inside", "thrown out of" })
    {
      SwZoneSelection *found = sw_zone_trace_query_zones (trace, name, -1, -1, -1, -1, -1, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (sw_zone_selection_get_count (found), ==, 1);
      sw_zone_selection_unref (found);
    }
  sw_zone_trace_unref (trace);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, nullptr);
  g_test_add_func ("/c++/version", test_version);
  g_test_add_func ("/c++/classes", test_classes);
  g_test_add_func ("/c++/cleanup", test_cleanup);
  g_test_add_func ("/c++/zones", test_zones);
  return g_test_run ();
}
