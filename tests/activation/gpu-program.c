/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program with zones of a GPU, that knows nothing of how it is recorded: gpu-program WAY [N]. */
#include "config.h"

#include <stdlib.h>
#include <time.h>

#include "../c/fake-gpu.h"

static long n_zones = 10;
static gint64 last_ns;

/* Of the device: every two nanoseconds, and long ago by its count. */
static guint64
read_device_clock (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  last_ns = now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
  return (guint64) last_ns / 2 + 12345;
}

static gint64
read_host_clock (void)
{
  return last_ns & ~(gint64) 1;
}

static guint64
begin (const char *name,
       GObject *encoder)
{
  return sw_profile_zone_begin_with_encoder (sw_profile_site_register (__FILE__, __LINE__, "work", name), encoder, NULL);
}

static void
work (GObject *encoder)
{
  for (long i = 0; i < n_zones; i++)
    {
      guint64 pass = begin ("pass", encoder);
      guint64 draw = begin ("draw", encoder);

      g_assert_true (sw_profile_zone_end (draw, NULL));
      g_assert_true (sw_profile_zone_end (pass, NULL));
    }
}

int
main (int argc,
      char **argv)
{
  const char *way = argc > 1 ? argv[1] : "ready";
  g_autoptr (FakeGpu) gpu = fake_gpu_new (64, 2, 1);
  g_autoptr (FakeEncoder) encoder = fake_encoder_new (gpu);
  g_autoptr (SwZoneProfilerDesc) desc = sw_zone_profiler_desc_new ();
  g_autoptr (SwZoneProfiler) profiler = NULL;

  gpu->device_now = read_device_clock;
  gpu->host_now = read_host_clock;
  if (argc > 2)
    n_zones = strtol (argv[2], NULL, 10);
  desc->gpu_query_pool_size = g_str_equal (way, "exhausted") ? 2 : 4 * n_zones + 2;
  profiler = sw_zone_profiler_new (desc, NULL);
  work (G_OBJECT (encoder));
  if (g_str_equal (way, "lost"))
    fake_gpu_lose (gpu);
  else if (g_str_equal (way, "open"))
    begin ("never ended", G_OBJECT (encoder));
  if (!g_str_equal (way, "lost") && !g_str_equal (way, "pending"))
    fake_gpu_finish (gpu);
  sw_zone_profiler_tick (profiler);
  /* Also what brings that part of the library into the program. */
  if (g_str_equal (way, "finish"))
    sw_activation_finish ();
  /* With its profiler. */
  if (g_str_equal (way, "open"))
    exit (0);
  return 0;
}
