/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* That what has a bound stays within it, and that memory comes back. */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "zone-profiler-fixture.h"

#define MEBIBYTE ((gint64) 1 << 20)

/* Sanitizers keep what is freed. */
static gboolean
skip_here (void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  g_test_skip ("a sanitizer keeps memory");
  return TRUE;
#else
  return FALSE;
#endif
}

static gint64
get_resident_bytes (void)
{
  g_autofree char *text = NULL;
  gint64 pages = 0;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  g_assert_cmpint (sscanf (text, "%*d %" G_GINT64_FORMAT, &pages), ==, 1);
  return pages * sysconf (_SC_PAGESIZE);
}

static void
record (SwZoneProfiler *profiler,
        guint n)
{
  for (guint i = 0; i < n; i++)
    {
      SW_PROFILE_ZONE ("zone");
      if (i % 4000 == 0)
        sw_zone_profiler_flush (profiler);
    }
}

static void
test_live_plateau (void)
{
  g_autoptr (SwZoneProfiler) profiler = NULL;
  gint64 before;

  if (skip_here ())
    return;
  profiler = test_zone_profiler_new (8192);
  record (profiler, 400000);
  before = get_resident_bytes ();
  for (guint i = 0; i < 8; i++)
    {
      record (profiler, 300000);
      sw_zone_profiler_set_enabled (profiler, FALSE);
      record (profiler, 300000);
      sw_zone_profiler_set_enabled (profiler, TRUE);
    }
  g_assert_cmpint (get_resident_bytes () - before, <, 4 * MEBIBYTE);
}

static void
test_frames_plateau (void)
{
  g_autoptr (SwZoneProfiler) profiler = NULL;
  gint64 before = 0;

  if (skip_here ())
    return;
  profiler = test_zone_profiler_new (8192);
  sw_zone_profiler_set_slow_frame_threshold_ns (profiler, 0);
  for (guint i = 0; i < 60000; i++)
    {
      SW_PROFILE_FRAME ("frame");
      record (profiler, 10);
      if (i == 20000)
        before = get_resident_bytes ();
    }
  g_assert_cmpint (get_resident_bytes () - before, <, 4 * MEBIBYTE);
}

static void
test_capture_is_given_back (void)
{
  g_autoptr (SwZoneProfiler) profiler = NULL;
  gint64 before;
  gint64 during;

  if (skip_here ())
    return;
  profiler = test_zone_profiler_new (8192);
  record (profiler, 400000);
  before = get_resident_bytes ();
  for (guint i = 0; i < 3; i++)
    {
      SwZoneTrace *trace;

      g_assert_true (sw_zone_profiler_start_capture (profiler, NULL, NULL));
      record (profiler, 1000000);
      trace = test_zone_profiler_stop (profiler);
      g_assert_cmpuint (sw_zone_trace_get_zone_count (trace), >, 900000);
      during = get_resident_bytes ();
      g_assert_cmpint (during - before, >, 30 * MEBIBYTE);
      sw_zone_trace_unref (trace);
      sw_zone_profiler_trim (profiler);
      g_assert_cmpint (get_resident_bytes () - before, <, 8 * MEBIBYTE);
    }
}

static gpointer
record_a_little (gpointer profiler)
{
  g_assert_true (sw_zone_profiler_enter (profiler, NULL));
  record (profiler, 4000);
  g_assert_true (sw_zone_profiler_exit (profiler, NULL));
  return NULL;
}

/* Many threads, one after the other, in one service. */
static void
test_threads_plateau (void)
{
  g_autoptr (SwZoneProfiler) profiler = NULL;
  gint64 before = 0;

  if (skip_here ())
    return;
  profiler = test_zone_profiler_new (8192);
  for (guint i = 0; i < 600; i++)
    {
      g_thread_join (g_thread_new ("short", record_a_little, profiler));
      if (i == 100)
        before = get_resident_bytes ();
    }
  g_assert_cmpint (get_resident_bytes () - before, <, 6 * MEBIBYTE);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-memory/live-plateau", test_live_plateau);
  g_test_add_func ("/zone-memory/frames-plateau", test_frames_plateau);
  g_test_add_func ("/zone-memory/capture-is-given-back", test_capture_is_given_back);
  g_test_add_func ("/zone-memory/threads-plateau", test_threads_plateau);
  return g_test_run ();
}
