/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>
#include <string.h>
#include <strideweave.h>

#include "sw-profiler/zone/sw-frame-accumulator-private.h"
#include "sw/base/sw-site-registry-private.h"

#define MS G_GUINT64_CONSTANT (1000000)

static guint32
site (const char *name)
{
  return sw_site_registry_intern ("frames.c", 1, "run", name);
}

static SwFrameZone
zone (gint32 parent,
      const char *name,
      guint64 cpu_ns)
{
  return (SwFrameZone){ .parent = parent, .site_id = site (name), .cpu_ns = cpu_ns };
}

static SwFrameZone
gpu_zone (gint32 parent,
          const char *name,
          SwFrameGpu gpu,
          guint64 gpu_ns,
          guint64 token)
{
  return (SwFrameZone){ .parent = parent, .site_id = site (name), .cpu_ns = MS, .gpu = gpu, .gpu_ns = gpu_ns, .gpu_token = token };
}

static guint
add (SwFrameAccumulator *accumulator,
     guint32 index,
     guint64 duration_ns,
     const SwFrameZone *zones,
     gsize n)
{
  SwSealedFrame frame = { index, "frame", 20 * MS * index, 20 * MS * index + duration_ns };

  return sw_frame_accumulator_add_frame (accumulator, &frame, zones, n);
}

static SwFrameStats *
snapshot (SwFrameAccumulator *accumulator)
{
  SwDiagnosticCounters diagnostics = { .queue_full = 1 };

  return sw_frame_accumulator_snapshot (accumulator, &diagnostics);
}

static gsize
n_bytes (GBytes *bytes)
{
  gsize size = g_bytes_get_size (bytes);

  g_bytes_unref (bytes);
  return size;
}

/* "a>b" for an entry b inside of a, and so on, in order. */
static char *
describe_paths (SwFrameStats *stats)
{
  g_autoptr (GPtrArray) entries = sw_frame_stats_dup_entries (stats);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < entries->len; i++)
    {
      SwFrameStatsEntry *entry = entries->pdata[i];
      gint32 parent = sw_frame_stats_entry_get_parent_index (entry);

      g_string_append_printf (text, "%s%d:%s", i > 0 ? " " : "", parent, sw_frame_stats_entry_get_name (entry));
    }
  return g_string_free (text, FALSE);
}

static void
assert_paths (SwFrameStats *stats,
              const char *expected)
{
  g_autofree char *paths = describe_paths (stats);

  g_assert_cmpstr (paths, ==, expected);
}

static void
test_empty (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 8);
  g_autoptr (SwFrameStats) stats = snapshot (accumulator);
  g_autofree char *text = sw_frame_stats_to_string (stats);

  g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 0);
  g_assert_cmpuint (sw_frame_stats_get_entry_count (stats), ==, 0);
  g_assert_cmpfloat (sw_frame_stats_get_fps (stats), ==, 0);
  g_assert_cmpuint (sw_duration_statistics_get_count (sw_frame_stats_get_frame_time (stats)), ==, 0);
  g_assert_cmpuint (n_bytes (sw_frame_stats_dup_sample_call_count (stats)), ==, 0);
  g_assert_cmpstr (text, ==,
                   "diagnostics: producer_drop_count=1 thread_event_queue_high_water_mark=0 hierarchy_loss_count=0 "
                   "gpu_query_exhaustion_count=0 pending_gpu_zone_count=0\nframes: 0 completed, 0 pending\n");
  sw_frame_accumulator_free (accumulator);
}

/* Frames without any zone have rows of no columns. */
static void
test_frames_only (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 8);
  g_autoptr (SwFrameStats) stats = NULL;

  for (guint32 i = 0; i < 5; i++)
    add (accumulator, i, (i + 1) * MS, NULL, 0);
  stats = snapshot (accumulator);
  g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 5);
  g_assert_cmpuint (sw_frame_stats_get_entry_count (stats), ==, 0);
  g_assert_cmpfloat (sw_frame_stats_get_latest_frame_ms (stats), ==, 5);
  g_assert_cmpfloat (sw_duration_statistics_get_mean_ms (sw_frame_stats_get_frame_time (stats)), ==, 3);
  g_assert_cmpuint (sw_duration_statistics_get_count (sw_frame_stats_get_frame_interval (stats)), ==, 4);
  g_assert_cmpfloat (sw_duration_statistics_get_mean_ms (sw_frame_stats_get_frame_interval (stats)), ==, 20);
  g_assert_cmpfloat (sw_frame_stats_get_fps (stats), ==, 50);
  g_assert_cmpuint (n_bytes (sw_frame_stats_dup_sample_frame_index (stats)), ==, 20);
  g_assert_cmpuint (n_bytes (sw_frame_stats_dup_sample_frame_start_ns (stats)), ==, 40);
  g_assert_cmpuint (n_bytes (sw_frame_stats_dup_sample_gpu_status (stats)), ==, 0);
  sw_frame_accumulator_free (accumulator);
}

/* Parents after children or before, siblings in any order: the entries come out the same. */
static void
test_order (void)
{
  SwFrameZone children_first[] = { zone (2, "load", 1), zone (2, "draw", 2), zone (-1, "main", 9), zone (-1, "audio", 3) };
  SwFrameZone parents_first[] = { zone (-1, "audio", 3), zone (-1, "main", 9), zone (1, "load", 1), zone (1, "draw", 2) };

  for (int i = 0; i < 2; i++)
    {
      SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 8);
      g_autoptr (SwFrameStats) stats = NULL;

      g_assert_cmpuint (add (accumulator, 0, MS, i == 0 ? children_first : parents_first, 4), ==, 0);
      stats = snapshot (accumulator);
      assert_paths (stats, "-1:audio -1:main 1:draw 1:load");
      sw_frame_accumulator_free (accumulator);
    }
}

/* The same site in two places is two entries; the same path twice is one, summed. */
static void
test_paths (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 8);
  SwFrameZone zones[] = {
    zone (-1, "a", 10 * MS),
    zone (0, "x", 1 * MS),
    zone (0, "x", 3 * MS),
    zone (-1, "b", 9 * MS),
    zone (3, "x", 5 * MS),
    zone (4, "x", 2 * MS),
  };
  g_autoptr (SwFrameStats) stats = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (GBytes) calls = NULL;
  g_autoptr (GBytes) cpu = NULL;
  SwCallStatistics *per_call;

  add (accumulator, 0, 20 * MS, zones, G_N_ELEMENTS (zones));
  add (accumulator, 1, 20 * MS, zones, 1);
  stats = snapshot (accumulator);
  assert_paths (stats, "-1:a 0:x -1:b 2:x 3:x");
  entries = sw_frame_stats_dup_entries (stats);
  per_call = sw_frame_stats_entry_get_cpu_time_per_call (entries->pdata[1]);
  g_assert_cmpuint (sw_call_statistics_get_count (per_call), ==, 2);
  g_assert_cmpfloat (sw_call_statistics_get_min_ms (per_call), ==, 1);
  g_assert_cmpfloat (sw_call_statistics_get_mean_ms (per_call), ==, 2);
  g_assert_cmpfloat (sw_call_statistics_get_stddev_ms (per_call), ==, 1);
  g_assert_cmpuint (sw_frame_stats_entry_get_depth (entries->pdata[4]), ==, 2);
  /* Where it did not run, a path counts with nothing. */
  g_assert_cmpfloat (sw_duration_statistics_get_mean_ms (sw_frame_stats_entry_get_cpu_time_per_frame (entries->pdata[1])), ==, 2);
  calls = sw_frame_stats_dup_sample_call_count (stats);
  cpu = sw_frame_stats_dup_sample_cpu_time_ms (stats);
  g_assert_cmpmem (g_bytes_get_data (calls, NULL), g_bytes_get_size (calls),
                   ((const guint32[]){ 1, 2, 1, 1, 1, 1, 0, 0, 0, 0 }), 40);
  g_assert_cmpmem (g_bytes_get_data (cpu, NULL), g_bytes_get_size (cpu),
                   ((const double[]){ 10, 4, 9, 5, 2, 10, 0, 0, 0, 0 }), 80);
  sw_frame_accumulator_free (accumulator);
}

static void
test_broken_hierarchy (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 8);
  SwFrameZone zones[] = {
    zone (1, "a", 1), zone (0, "b", 1),   /* a circle */
    zone (99, "c", 1), zone (-7, "d", 1), /* to nowhere */
    zone (4, "e", 1),                     /* to itself */
    zone (2, "f", 1),                     /* inside of what was made a root */
  };
  g_autoptr (SwFrameStats) stats = NULL;

  g_assert_cmpuint (add (accumulator, 0, MS, zones, G_N_ELEMENTS (zones)), ==, 4);
  stats = snapshot (accumulator);
  assert_paths (stats, "-1:a 0:b -1:c 2:f -1:d -1:e");
  sw_frame_accumulator_free (accumulator);
}

/* The window moves on; paths that no frame has any more are gone, and their memory. */
static void
test_window (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (10, 8);
  gsize memory = 0;

  for (guint32 i = 0; i < 5000; i++)
    {
      char name[32];
      SwFrameZone zones[2];

      g_snprintf (name, sizeof name, "name %u", i % 3000);
      zones[0] = zone (-1, "stays", MS);
      zones[1] = zone (0, name, MS);
      add (accumulator, i, MS, zones, 2);
      if (i == 2000)
        memory = sw_frame_accumulator_memory_bytes (accumulator);
    }
  g_assert_cmpuint (sw_frame_accumulator_memory_bytes (accumulator), <=, 2 * memory);
  {
    g_autoptr (SwFrameStats) stats = snapshot (accumulator);
    g_autoptr (GBytes) index = sw_frame_stats_dup_sample_frame_index (stats);

    g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 10);
    g_assert_cmpuint (sw_frame_stats_get_entry_count (stats), ==, 11);
    g_assert_cmpuint (((const guint32 *) g_bytes_get_data (index, NULL))[0], ==, 4990);
    sw_frame_accumulator_clear (accumulator);
    /* What was taken before stays as it was. */
    g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 10);
  }
  {
    g_autoptr (SwFrameStats) stats = snapshot (accumulator);

    g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 0);
    g_assert_cmpuint (sw_frame_stats_get_entry_count (stats), ==, 0);
  }
  sw_frame_accumulator_free (accumulator);
}

static void
assert_status (SwFrameStats *stats,
               const guint8 *expected,
               gsize n)
{
  g_autoptr (GBytes) status = sw_frame_stats_dup_sample_gpu_status (stats);

  g_assert_cmpmem (g_bytes_get_data (status, NULL), g_bytes_get_size (status), expected, n);
}

static void
test_gpu_status (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 8);
  SwFrameZone zones[] = {
    gpu_zone (-1, "a complete", SW_FRAME_GPU_COMPLETE, 2 * MS, 0),
    gpu_zone (-1, "a complete", SW_FRAME_GPU_COMPLETE, 3 * MS, 0),
    gpu_zone (-1, "b none", SW_FRAME_GPU_NONE, 0, 0),
    gpu_zone (-1, "c incomplete", SW_FRAME_GPU_COMPLETE, 4 * MS, 0),
    gpu_zone (-1, "c incomplete", SW_FRAME_GPU_INCOMPLETE, 0, 0),
    gpu_zone (-1, "d some", SW_FRAME_GPU_NONE, 0, 0),
    gpu_zone (-1, "d some", SW_FRAME_GPU_COMPLETE, 1 * MS, 0),
  };
  static const guint8 expected[] = {
    SW_GPU_STATUS_COMPLETE, SW_GPU_STATUS_UNAVAILABLE, SW_GPU_STATUS_INCOMPLETE, SW_GPU_STATUS_COMPLETE,
    SW_GPU_STATUS_COMPLETE, SW_GPU_STATUS_ABSENT, SW_GPU_STATUS_ABSENT, SW_GPU_STATUS_ABSENT
  };
  g_autoptr (SwFrameStats) stats = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (GBytes) gpu = NULL;

  add (accumulator, 0, MS, zones, G_N_ELEMENTS (zones));
  add (accumulator, 1, MS, zones, 1);
  stats = snapshot (accumulator);
  assert_status (stats, expected, sizeof expected);
  gpu = sw_frame_stats_dup_sample_gpu_time_ms (stats);
  g_assert_cmpmem (g_bytes_get_data (gpu, NULL), g_bytes_get_size (gpu), ((const double[]){ 5, 0, 0, 1, 2, 0, 0, 0 }), 64);
  entries = sw_frame_stats_dup_entries (stats);
  /* Of the frames in which all times are there, the calls of any. */
  g_assert_cmpuint (sw_duration_statistics_get_count (sw_frame_stats_entry_get_gpu_time_per_frame (entries->pdata[0])), ==, 2);
  g_assert_cmpfloat (sw_duration_statistics_get_mean_ms (sw_frame_stats_entry_get_gpu_time_per_frame (entries->pdata[0])), ==, 3.5);
  g_assert_cmpuint (sw_duration_statistics_get_count (sw_frame_stats_entry_get_gpu_time_per_frame (entries->pdata[2])), ==, 0);
  g_assert_cmpuint (sw_call_statistics_get_count (sw_frame_stats_entry_get_gpu_time_per_call (entries->pdata[2])), ==, 1);
  sw_frame_accumulator_free (accumulator);
}

static void
test_gpu_pending (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 8);
  SwFrameZone late[] = { gpu_zone (-1, "late", SW_FRAME_GPU_PENDING, 0, 71), gpu_zone (-1, "late", SW_FRAME_GPU_PENDING, 0, 72) };

  add (accumulator, 0, MS, late, 2);
  add (accumulator, 1, MS, late, 0);
  g_assert_cmpuint (sw_frame_accumulator_pending_frames (accumulator), ==, 2);
  {
    g_autoptr (SwFrameStats) stats = snapshot (accumulator);

    g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 0);
    g_assert_cmpuint (sw_frame_stats_get_pending_frame_count (stats), ==, 2);
  }
  g_assert_false (sw_frame_accumulator_resolve (accumulator, 70, SW_FRAME_GPU_COMPLETE, 1));
  g_assert_true (sw_frame_accumulator_resolve (accumulator, 72, SW_FRAME_GPU_COMPLETE, 2 * MS));
  g_assert_false (sw_frame_accumulator_resolve (accumulator, 72, SW_FRAME_GPU_COMPLETE, 2 * MS));
  g_assert_cmpuint (sw_frame_accumulator_pending_frames (accumulator), ==, 2);
  g_assert_true (sw_frame_accumulator_resolve (accumulator, 71, SW_FRAME_GPU_COMPLETE, 5 * MS));
  g_assert_cmpuint (sw_frame_accumulator_pending_frames (accumulator), ==, 0);
  {
    g_autoptr (SwFrameStats) stats = snapshot (accumulator);

    g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 2);
    assert_status (stats, (const guint8[]){ SW_GPU_STATUS_COMPLETE, SW_GPU_STATUS_ABSENT }, 2);
  }
  sw_frame_accumulator_free (accumulator);
}

/* What never comes holds nothing up for ever, and is reported as missing. */
static void
test_gpu_abandoned (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 3);
  SwFrameZone lost = gpu_zone (-1, "lost", SW_FRAME_GPU_PENDING, 0, 5);
  g_autoptr (SwFrameStats) stats = NULL;
  g_autofree char *text = NULL;

  add (accumulator, 0, MS, &lost, 1);
  for (guint32 i = 1; i <= 3; i++)
    {
      add (accumulator, i, MS, NULL, 0);
      g_assert_cmpuint (sw_frame_accumulator_pending_frames (accumulator), ==, i < 3 ? i + 1 : 0);
    }
  g_assert_false (sw_frame_accumulator_resolve (accumulator, 5, SW_FRAME_GPU_COMPLETE, MS));
  stats = snapshot (accumulator);
  g_assert_cmpuint (sw_frame_stats_get_sample_count (stats), ==, 4);
  assert_status (stats, (const guint8[]){ SW_GPU_STATUS_INCOMPLETE, 0, 0, 0 }, 4);
  text = sw_frame_stats_to_string (stats);
  g_assert_nonnull (strstr (text, "n/a\n"));
  sw_frame_accumulator_free (accumulator);
}

/* Two zones that wait for the same time: the second one gets none. Clearing and freeing with some pending. */
static void
test_gpu_tokens (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 8);
  SwFrameZone twice[] = { gpu_zone (-1, "a", SW_FRAME_GPU_PENDING, 0, 9), gpu_zone (-1, "b", SW_FRAME_GPU_PENDING, 0, 9) };

  add (accumulator, 0, MS, twice, 2);
  g_assert_true (sw_frame_accumulator_resolve (accumulator, 9, SW_FRAME_GPU_INCOMPLETE, 0));
  g_assert_false (sw_frame_accumulator_resolve (accumulator, 9, SW_FRAME_GPU_COMPLETE, 1));
  g_assert_cmpuint (sw_frame_accumulator_pending_frames (accumulator), ==, 0);
  add (accumulator, 1, MS, twice, 1);
  sw_frame_accumulator_clear (accumulator);
  g_assert_false (sw_frame_accumulator_resolve (accumulator, 9, SW_FRAME_GPU_COMPLETE, 1));
  add (accumulator, 2, MS, twice, 1);
  sw_frame_accumulator_free (accumulator);
}

static void
test_text (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (120, 8);
  SwFrameZone zones[] = {
    zone (-1, "main", 9 * MS), gpu_zone (0, "draw\x1b[31m\n", SW_FRAME_GPU_COMPLETE, 4 * MS, 0), zone (0, "a, \"b\"", 1500)
  };
  g_autoptr (SwFrameStats) stats = NULL;
  g_autofree char *text = NULL;
  g_autofree char *csv = NULL;

  add (accumulator, 0, 10 * MS, zones, 3);
  add (accumulator, 1, 10 * MS, zones, 3);
  stats = snapshot (accumulator);
  text = sw_frame_stats_to_string (stats);
  g_assert_cmpstr (strchr (text, '\n') + 1, ==,
                   "frames: 2 completed, 0 pending, latest 10.000 ms, mean 10.000 ms, p95 10.000 ms, max 10.000 ms, 50.000 frames/s\n"
                   "zone                 calls/frame     cpu/frame     gpu/frame\n"
                   "main                       1.000      9.000 ms           n/a\n"
                   "  a, \"b\"                   1.000      0.002 ms           n/a\n"
                   "  draw\\u001b[31m\\n         1.000      1.000 ms      4.000 ms\n");
  csv = sw_frame_stats_to_csv (stats);
  g_assert_true (g_str_has_prefix (csv, "index,parent_index,depth,site_id,name,cpu_time_per_frame_count,cpu_time_per_frame_total_ms,"));
  g_assert_nonnull (strstr (csv, ",\"a, \"\"b\"\"\",2,0.003,"));
  sw_frame_accumulator_free (accumulator);
}

/* A chain of nested zones far deeper than any stack of calls should be. */
static void
test_deep (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (2, 8);
  gsize n = 100000;
  g_autofree SwFrameZone *zones = g_new (SwFrameZone, n);
  g_autoptr (SwFrameStats) stats = NULL;
  g_autoptr (GPtrArray) entries = NULL;

  for (gsize i = 0; i < n; i++)
    zones[i] = zone (i + 1 < n ? (gint32) i + 1 : -1, "deep", 1);
  add (accumulator, 0, MS, zones, n);
  stats = snapshot (accumulator);
  entries = sw_frame_stats_dup_entries (stats);
  g_assert_cmpuint (entries->len, ==, n);
  g_assert_cmpuint (sw_frame_stats_entry_get_depth (entries->pdata[n - 1]), ==, n - 1);
  sw_frame_accumulator_free (accumulator);
}

/* Random frames against sums made the plain way. */
static void
test_random (void)
{
  static const char *const names[] = { "p", "q", "r", "s" };
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (16, 8);
  double total[16] = { 0 };
  g_autoptr (SwFrameStats) stats = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const double *cpu;
  guint32 n_entries;

  for (guint32 frame = 0; frame < 100; frame++)
    {
      SwFrameZone zones[64];
      gsize n = (gsize) g_test_rand_int_range (0, 64);

      total[frame % 16] = 0;
      for (gsize i = 0; i < n; i++)
        {
          gint32 parent = i + 1 < n && g_test_rand_bit () ? g_test_rand_int_range ((gint32) i + 1, (gint32) n) : -1;

          zones[i] = zone (parent, names[g_test_rand_int_range (0, 4)], (guint64) g_test_rand_int_range (0, 1000000));
          total[frame % 16] += zones[i].cpu_ns / 1e6;
        }
      g_assert_cmpuint (add (accumulator, frame, MS, zones, n), ==, 0);
    }
  stats = snapshot (accumulator);
  bytes = sw_frame_stats_dup_sample_cpu_time_ms (stats);
  cpu = g_bytes_get_data (bytes, NULL);
  n_entries = sw_frame_stats_get_entry_count (stats);
  for (guint32 s = 0; s < 16; s++)
    {
      double sum = 0;

      for (guint32 e = 0; e < n_entries; e++)
        sum += cpu[s * n_entries + e];
      g_assert_cmpfloat_with_epsilon (sum, total[(84 + s) % 16], 1e-9);
    }
  sw_frame_accumulator_free (accumulator);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frame-stats/empty", test_empty);
  g_test_add_func ("/frame-stats/frames-only", test_frames_only);
  g_test_add_func ("/frame-stats/order", test_order);
  g_test_add_func ("/frame-stats/paths", test_paths);
  g_test_add_func ("/frame-stats/broken-hierarchy", test_broken_hierarchy);
  g_test_add_func ("/frame-stats/window", test_window);
  g_test_add_func ("/frame-stats/gpu-status", test_gpu_status);
  g_test_add_func ("/frame-stats/gpu-pending", test_gpu_pending);
  g_test_add_func ("/frame-stats/gpu-abandoned", test_gpu_abandoned);
  g_test_add_func ("/frame-stats/gpu-tokens", test_gpu_tokens);
  g_test_add_func ("/frame-stats/text", test_text);
  g_test_add_func ("/frame-stats/deep", test_deep);
  g_test_add_func ("/frame-stats/random", test_random);
  return g_test_run ();
}
