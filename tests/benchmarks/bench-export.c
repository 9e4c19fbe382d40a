/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What writing a trace of a million zones costs, beside writing the same bytes alone: bench-export ROUNDS [FOLDER]
 *
 * Prints one JSON object: name -> a figure for each round. Zones are those of a program that renders frames: nested four
 * deep, a few dozen names, some microseconds long. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <strideweave.h>
#include <unistd.h>

#include "sw-profiler/export/sw-trace-writer-private.h"
#include "sw/base/sw-clock-private.h"

#define N_ZONES 1000000
#define N_NAMES 48
#define MAX_ROUNDS 101
#define BASE G_GINT64_CONSTANT (1000000000000)

/* Columns, as recorders keep them. */
static gint64 starts[N_ZONES];
static gint64 durations[N_ZONES];
static guint32 sites[N_ZONES];
static gint32 depths[N_ZONES];

static const struct
{
  const char *name;
  const char *suffix;
} formats[] = {
  [SW_TRACE_FORMAT_CHROME_JSON] = { "Chrome JSON", "json" },
  [SW_TRACE_FORMAT_JSONL] = { "JSONL", "jsonl" },
  [SW_TRACE_FORMAT_PERFETTO] = { "Perfetto", "pftrace" },
};

static double figures[G_N_ELEMENTS (formats)][3][MAX_ROUNDS];

/* Zones of a frame, parents before children. */
static guint
make_zones (guint at,
            gint32 depth,
            gint64 start,
            gint64 duration)
{
  guint n = at;

  if (n == N_ZONES)
    return n;
  starts[n] = start;
  durations[n] = duration;
  depths[n] = depth;
  sites[n] = (n * 7 + (guint) depth) % N_NAMES;
  n++;
  for (gint64 i = 0; depth < 3 && i < 4; i++)
    n = make_zones (n, depth + 1, start + i * duration / 4 + 31, duration / 4 - 97);
  return n;
}

static double
write_zones (SwTraceFormat format,
             const char *path)
{
  SwTraceSession session = { { 1, 2 }, BASE, 0, 4321, "bench-export" };
  SwTraceTrackInfo thread = { SW_TRACE_TRACK_THREAD, SW_TRACE_ORDER_START, 0, SW_TRACE_NO_RANK, 4321, "main", NULL };
  SwTraceSlice slice = { 0 };
  guint32 names[N_NAMES];
  g_autoptr (GError) error = NULL;
  gint64 before = sw_clock_monotonic_ns ();
  SwTraceWriter *writer = sw_trace_writer_new_for_path (format, path, SW_TRACE_SINK_STREAM, &session, &error);

  if (writer == NULL)
    g_error ("%s", error->message);
  slice.track = sw_trace_writer_add_track (writer, &thread);
  slice.category = sw_trace_writer_intern (writer, "cpu", -1);
  for (guint i = 0; i < N_NAMES; i++)
    {
      g_autofree char *name = g_strdup_printf ("Renderer.pass_%u", i);

      names[i] = sw_trace_writer_intern (writer, name, -1);
    }
  for (guint i = 0; i < N_ZONES; i++)
    {
      slice.name = names[sites[i]];
      slice.depth = depths[i];
      slice.start_ns = starts[i];
      slice.duration_ns = durations[i];
      sw_trace_writer_slice (writer, &slice);
    }
  if (!sw_trace_writer_close (writer, &error))
    g_error ("%s", error->message);
  return (double) (sw_clock_monotonic_ns () - before);
}

/* The floor: the same bytes, in pieces of the same size. */
static double
write_bytes (const char *bytes,
             gsize n_bytes,
             const char *path)
{
  gint64 before = sw_clock_monotonic_ns ();
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  for (gsize at = 0; at < n_bytes;)
    {
      gssize n = write (fd, bytes + at, MIN (n_bytes - at, SW_TRACE_SINK_FLUSH_AT));

      if (n <= 0)
        g_error ("cannot write %s", path);
      at += (gsize) n;
    }
  close (fd);
  return (double) (sw_clock_monotonic_ns () - before);
}

static void
measure (SwTraceFormat format,
         const char *folder,
         int round)
{
  g_autofree char *path = g_strdup_printf ("%s/bench-export.%s", folder, formats[format].suffix);
  g_autofree char *bytes = NULL;
  gsize n_bytes;

  figures[format][0][round] = write_zones (format, path) / N_ZONES;
  if (!g_file_get_contents (path, &bytes, &n_bytes, NULL))
    g_error ("cannot read %s", path);
  g_unlink (path);
  figures[format][1][round] = write_bytes (bytes, n_bytes, path) / N_ZONES;
  figures[format][2][round] = (double) n_bytes / N_ZONES;
  g_unlink (path);
}

static void
print_figures (int n_rounds)
{
  static const struct
  {
    const char *before;
    const char *after;
  } kinds[] = {
    { "", ", ns a zone" },
    { "write () of the same bytes, ", ", ns a zone" },
    { "", ", bytes a zone" },
  };
  const char *separator = "{\n";

  for (guint format = 0; format < G_N_ELEMENTS (formats); format++)
    for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
      {
        g_print ("%s\"", separator);
        g_print ("%s%s%s", kinds[kind].before, formats[format].name, kinds[kind].after);
        g_print ("\": [");
        for (int i = 0; i < n_rounds; i++)
          g_print ("%s%.3f", i > 0 ? ", " : "", figures[format][kind][i]);
        g_print ("]");
        separator = ",\n";
      }
  g_print ("\n}\n");
}

int
main (int argc,
      char **argv)
{
  int n_rounds = argc > 1 ? atoi (argv[1]) : 5;
  const char *folder = argc > 2 ? argv[2] : g_get_tmp_dir ();
  guint n = 0;

  if (n_rounds < 1 || n_rounds > MAX_ROUNDS)
    {
      g_printerr ("usage: bench-export ROUNDS [FOLDER]\n");
      return 2;
    }
  for (gint64 at = BASE; n < N_ZONES; at += 1000000)
    n = make_zones (n, 0, at, 900000);
  for (int round = 0; round < n_rounds; round++)
    for (guint format = 0; format < G_N_ELEMENTS (formats); format++)
      measure (format, folder, round);
  print_figures (n_rounds);
  return 0;
}
