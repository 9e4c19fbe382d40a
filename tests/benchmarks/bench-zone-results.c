/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What it takes to ask a zone trace, beside floors that are measured in the same run.
 *
 * Usage: bench-zone-results [ROUNDS]    one JSON object: name -> a figure in milliseconds for each round */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <strideweave.h>
#include <unistd.h>

#include "sw-profiler/zone/sw-frame-accumulator-private.h"
#include "sw-profiler/zone/sw-zone-trace-builder-private.h"
#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-site-registry-private.h"

#define N_QUERIED 5000000
#define N_MEASURED 1000000
#define N_SITES 64
#define N_FRAMES 120
#define N_ENTRIES 200
#define MAX_ROUNDS 101

#define keep(value) __asm__ volatile(""           \
                                     :            \
                                     : "r"(value) \
                                     : "memory")

typedef struct
{
  const char *name;
  int n;
  double values[MAX_ROUNDS];
} Result;

static Result results[32];
static int n_results;
static const char *rare_name = "rare";

static void
record (const char *name,
        gint64 start_ns)
{
  double ms = (double) (sw_clock_monotonic_ns () - start_ns) / 1e6;
  int i;

  for (i = 0; i < n_results && !g_str_equal (results[i].name, name); i++)
    ;
  if (i == n_results)
    results[n_results++].name = name;
  if (results[i].n < MAX_ROUNDS)
    results[i].values[results[i].n++] = ms;
}

static guint64
next_random (guint64 *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* Nested three deep, from four threads, of 64 sites; one zone in 10,000 is of another. Durations over four decades. */
static SwZoneTrace *
make_trace (guint32 n)
{
  SwZoneTraceBuilder *builder = sw_zone_trace_builder_new (G_MAXSIZE);
  SwZoneTraceInfo info = { .stop_ns = (guint64) n * 100 };
  guint32 sites[N_SITES], rare = sw_site_registry_intern ("bench.c", 1, "bench", rare_name);
  gint64 waiting[4] = { SW_ZONE_NO_ROW, SW_ZONE_NO_ROW, SW_ZONE_NO_ROW, SW_ZONE_NO_ROW };
  guint64 state = 88172645463325252, at[4] = { 0 };

  for (guint i = 0; i < N_SITES; i++)
    {
      g_autofree char *name = g_strdup_printf ("zone %u", i);

      sites[i] = sw_site_registry_intern ("bench.c", 10 + i, "bench", name);
    }
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (SwTimeline) timeline = sw_timeline_new (SW_TIMELINE_TYPE_CPU, "thread", 100 + i, 0, 0);

      sw_zone_trace_builder_add_timeline (builder, i, timeline);
    }
  for (guint32 i = 0; i < n; i++)
    {
      guint thread = i / 1000 % 4;
      guint64 random = next_random (&state);
      guint64 duration = 50 + (random >> 40) % (10u << (random % 14));
      gboolean is_parent = i % 4 == 3;
      SwZoneRow row = { at[thread], duration, 0, SW_ZONE_NO_ROW, thread, random % 10000 == 0 ? rare : sites[random % N_SITES], i / 40000 };
      gint64 number;

      if (is_parent)
        {
          row.start_ns = at[thread] > 400000 ? at[thread] - 400000 : 0;
          row.duration_ns = at[thread] - row.start_ns + 10;
        }
      number = sw_zone_trace_builder_append (builder, &row);
      if (is_parent)
        sw_zone_trace_builder_adopt (builder, &waiting[thread], number);
      else
        sw_zone_trace_builder_wait (builder, number, &waiting[thread]);
      at[thread] += is_parent ? 400100 : duration;
    }
  return sw_zone_trace_builder_finish (builder, &info);
}

static void
bench_query (SwZoneTrace *trace,
             const char *result,
             const char *name,
             gint64 frame_begin,
             gint64 frame_end)
{
  gint64 start = sw_clock_monotonic_ns ();
  g_autoptr (SwZoneSelection) selection = sw_zone_trace_query_zones (trace, name, -1, frame_begin, frame_end, -1, -1, NULL);

  keep (selection);
  record (result, start);
}

/* The floor: every site id is read once. */
static void
bench_site_floor (SwZoneTrace *trace)
{
  g_autoptr (GPtrArray) chunks = sw_zone_trace_dup_zone_chunks (trace);
  gint64 start = sw_clock_monotonic_ns ();
  guint64 sum = 0;

  for (guint k = 0; k < chunks->len; k++)
    {
      g_autoptr (GBytes) bytes = sw_zone_chunk_dup_site_id (chunks->pdata[k]);
      gsize size;
      const guint32 *ids = g_bytes_get_data (bytes, &size);

      for (gsize i = 0; i < size / sizeof *ids; i++)
        sum += ids[i];
    }
  keep (sum);
  record ("floor: read 5M site ids", start);
}

static int
compare_durations (gconstpointer a,
                   gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

static void
bench_statistics (SwZoneTrace *trace)
{
  g_autoptr (SwZoneSelection) all = sw_zone_trace_query_zones (trace, NULL, -1, -1, -1, -1, -1, NULL);
  g_autoptr (GBytes) bytes = sw_zone_selection_dup_column (all, SW_ZONE_COLUMN_DURATION_NS, NULL);
  gint64 start = sw_clock_monotonic_ns ();
  g_autoptr (SwDurationStatistics) statistics = sw_zone_selection_dup_statistics (all);
  g_autoptr (SwDurationHistogram) histogram = NULL;
  g_autoptr (SwZoneSelection) slowest = NULL;
  g_autofree guint64 *sorted = NULL;

  record ("statistics of 1M zones", start);
  start = sw_clock_monotonic_ns ();
  histogram = sw_zone_selection_dup_histogram (all, 100, 0, 0, NULL);
  record ("histogram of 1M zones", start);
  start = sw_clock_monotonic_ns ();
  slowest = sw_zone_selection_slowest (all, 100);
  record ("slowest 100 of 1M zones", start);
  start = sw_clock_monotonic_ns ();
  sorted = g_memdup2 (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  record ("floor: copy 1M durations", start);
  start = sw_clock_monotonic_ns ();
  qsort (sorted, N_MEASURED, sizeof *sorted, compare_durations);
  record ("peer: qsort of 1M durations", start);
}

static long
get_peak_kib (void)
{
  g_autofree char *status = NULL;
  const char *line;

  g_file_get_contents ("/proc/self/status", &status, NULL, NULL);
  line = status != NULL ? strstr (status, "VmHWM:") : NULL;
  return line != NULL ? strtol (line + 6, NULL, 10) : 0;
}

/* The floor: as many bytes, handed to the operating system as they are. */
static void
bench_write_floor (const char *path,
                   const char *result)
{
  g_autofree char *bytes = g_malloc0 (256 * 1024);
  struct stat written;
  gint64 start;
  int fd;

  if (stat (path, &written) != 0)
    g_error ("%s is not there", path);
  fd = open (path, O_WRONLY | O_TRUNC);
  start = sw_clock_monotonic_ns ();
  for (off_t at = 0; at < written.st_size; at += 256 * 1024)
    if (write (fd, bytes, 256 * 1024) < 0)
      g_error ("cannot write");
  if (fsync (fd) != 0)
    g_error ("cannot write");
  record (result, start);
  close (fd);
}

static void
bench_export (SwZoneTrace *trace,
              const char *result,
              const char *floor_name,
              gboolean (*write_to) (SwZoneTrace *self, const char *path, GError **error))
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "bench-zone-results", NULL);
  long before = get_peak_kib ();
  gint64 start = sw_clock_monotonic_ns ();

  if (!write_to (trace, path, NULL))
    g_error ("cannot write %s", path);
  record (result, start);
  if (results[0].n == 1)
    g_printerr ("%s: %ld KiB more at the peak\n", result, get_peak_kib () - before);
  if (floor_name != NULL)
    bench_write_floor (path, floor_name);
  g_unlink (path);
}

static SwFrameAccumulator *
make_frames (void)
{
  SwFrameAccumulator *accumulator = sw_frame_accumulator_new (N_FRAMES, 8);
  g_autofree SwFrameZone *zones = g_new0 (SwFrameZone, N_ENTRIES);
  guint64 state = 1234567;

  for (guint32 frame = 0; frame < N_FRAMES; frame++)
    {
      SwSealedFrame sealed = { frame, "frame", frame * G_GUINT64_CONSTANT (16000000), (frame + 1) * G_GUINT64_CONSTANT (16000000) };

      for (guint32 i = 0; i < N_ENTRIES; i++)
        {
          g_autofree char *name = g_strdup_printf ("entry %u", i);

          zones[i] = (SwFrameZone){
            .parent = i % 5 == 4 || i + 1 == N_ENTRIES ? -1 : (gint32) i + 1,
            .site_id = sw_site_registry_intern ("bench.c", 1, "frames", name),
            .gpu = i % 2 == 0 ? SW_FRAME_GPU_COMPLETE : SW_FRAME_GPU_NONE,
            .cpu_ns = next_random (&state) % 1000000,
            .gpu_ns = next_random (&state) % 1000000,
          };
        }
      sw_frame_accumulator_add_frame (accumulator, &sealed, zones, N_ENTRIES);
    }
  return accumulator;
}

static void
bench_frames (SwFrameAccumulator *accumulator)
{
  SwDiagnosticCounters diagnostics = { .emitted = 0 };
  gint64 start = sw_clock_monotonic_ns ();
  SwFrameWindow *window = sw_frame_accumulator_freeze (accumulator);
  g_autoptr (SwFrameStats) stats = NULL;
  g_autofree char *text = NULL;

  record ("freeze 120 frames of 200 entries", start);
  stats = sw_frame_window_finish (window, &diagnostics);
  record ("snapshot of 120 frames of 200 entries", start);
  start = sw_clock_monotonic_ns ();
  text = sw_frame_stats_to_string (stats);
  record ("text of 200 entries", start);
}

static void
bench_building (void)
{
  gint64 start = sw_clock_monotonic_ns ();
  g_autoptr (SwZoneTrace) trace = make_trace (N_MEASURED);

  record ("build a trace of 1M zones", start);
}

static void
print_results (void)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_print ("{");
  for (int i = 0; i < n_results; i++)
    {
      g_print ("%s\"%s\": [", i > 0 ? ",\n " : "", results[i].name);
      for (int j = 0; j < results[i].n; j++)
        g_print ("%s%s", j > 0 ? ", " : "", g_ascii_formatd (text, sizeof text, "%.4f", results[i].values[j]));
      g_print ("]");
    }
  g_print ("}\n");
}

int
main (int argc,
      char **argv)
{
  int n_rounds = argc > 1 ? CLAMP (atoi (argv[1]), 1, MAX_ROUNDS) : 5;
  g_autoptr (SwZoneTrace) large = make_trace (N_QUERIED);
  g_autoptr (SwZoneTrace) trace = make_trace (N_MEASURED);
  SwFrameAccumulator *accumulator = make_frames ();

  for (int round = 0; round < n_rounds; round++)
    {
      bench_site_floor (large);
      bench_query (large, "query 5M zones: a name that is not there", "nowhere", -1, -1);
      bench_query (large, "query 5M zones: a rare name", rare_name, -1, -1);
      bench_query (large, "query 5M zones: one name of 64", "zone 5", -1, -1);
      bench_query (large, "query 5M zones: a name in 10 of 125 frames", "zone 5", 50, 60);
      bench_query (large, "query 5M zones: all", NULL, -1, -1);
      bench_statistics (trace);
      bench_export (trace, "Chrome JSON of 1M zones", "floor: write as many bytes as Chrome JSON", sw_zone_trace_write_to_json);
      bench_export (trace, "JSONL of 1M zones", NULL, sw_zone_trace_write_to_jsonl);
      bench_export (trace, "Perfetto of 1M zones", NULL, sw_zone_trace_write_to_perfetto);
      bench_export (trace, "CSV of 1M zones", NULL, sw_zone_trace_write_to_csv);
      bench_frames (accumulator);
      bench_building ();
    }
  print_results ();
  sw_frame_accumulator_free (accumulator);
  return 0;
}
