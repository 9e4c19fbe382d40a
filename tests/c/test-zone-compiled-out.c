/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Zones that a program leaves out when it is compiled. */
#define SW_DISABLE_PROFILE_ZONES

#include "config.h"

#include <strideweave.h>

static int
compute (int value)
{
  SW_PROFILE_FUNCTION ();
  SW_PROFILE_FRAME ("frame");
  SW_PROFILE_ZONE ("zone");
  if (value > 0)
    return value;
  return -value;
}

static void
test_compiled_out (void)
{
  g_autoptr (SwZoneProfiler) profiler = sw_zone_profiler_new (NULL, NULL);
  g_autoptr (SwProfilerDiagnostics) counts = NULL;

  g_assert_cmpint (compute (-3), ==, 3);
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  g_assert_cmpuint (sw_profiler_diagnostics_get_emitted_count (counts), ==, 0);
  g_assert_cmpuint (sw_profile_frame_begin ("the first frame", NULL) & G_MAXUINT32, ==, 1);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zone-compiled-out/compiled-out", test_compiled_out);
  return g_test_run ();
}
