/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What reading a trace of a million zones costs, beside counting the lines of the same file, and what a summary of it costs, beside
 * reading it: bench-read ROUNDS [FOLDER]
 *
 * Prints one JSON object: name -> a figure for each round. bench-read FILE... reads those instead, and says how long it took. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <strideweave.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sw-profiler/analysis/sw-slice-table-private.h"
#include "sw-profiler/read/sw-trace-reader-private.h"
#include "sw/base/sw-clock-private.h"

#define N_ZONES 1000000
#define N_NAMES 48
#define MAX_ROUNDS 101
#define BASE G_GINT64_CONSTANT (1000000000000)
#define WINDOW (1024 * 1024)

static const struct
{
  const char *name;
  const char *suffix;
  SwTraceFormat format;
} formats[] = {
  { "Chrome JSON", "json", SW_TRACE_FORMAT_CHROME_JSON },
  { "JSONL", "jsonl", SW_TRACE_FORMAT_JSONL },
  { "Perfetto", "pftrace", SW_TRACE_FORMAT_PERFETTO },
  { "Chrome JSON with gzip", "json.gz", SW_TRACE_FORMAT_CHROME_JSON },
};

typedef struct
{
  guint64 n;
  gint64 total_ns;
} Sum;

/* What a summary cannot do without. */
static void
on_slice (gpointer data,
          const SwTraceReadSlice *slice)
{
  Sum *sum = data;

  sum->n++;
  sum->total_ns += slice->slice.duration_ns;
}

static guint
put_zones (SwTraceWriter *writer,
           SwTraceSlice *slice,
           const guint32 *names,
           guint at,
           gint64 start,
           gint64 duration)
{
  gint32 depth = slice->depth;

  if (at == N_ZONES)
    return at;
  slice->start_ns = BASE + start;
  slice->duration_ns = duration;
  slice->name = names[(at * 7 + (guint) depth) % N_NAMES];
  sw_trace_writer_slice (writer, slice);
  at++;
  for (gint64 i = 0; depth < 3 && i < 4; i++)
    {
      slice->depth = depth + 1;
      at = put_zones (writer, slice, names, at, start + i * duration / 4 + 31, duration / 4 - 97);
    }
  slice->depth = depth;
  return at;
}

static void
write_zones (SwTraceFormat format,
             const char *path)
{
  SwTraceSession session = { { 1, 2 }, BASE, 0, 4321, "bench-read" };
  SwTraceTrackInfo thread = { SW_TRACE_TRACK_THREAD, SW_TRACE_ORDER_START, 0, SW_TRACE_NO_RANK, 4321, "main", NULL };
  SwTraceSlice slice = { 0 };
  guint32 names[N_NAMES];
  g_autoptr (GError) error = NULL;
  SwTraceWriter *writer = sw_trace_writer_new_for_path (format, path, SW_TRACE_SINK_STREAM, &session, &error);
  guint n = 0;

  if (writer == NULL)
    g_error ("%s", error->message);
  slice.track = sw_trace_writer_add_track (writer, &thread);
  slice.category = sw_trace_writer_intern (writer, "cpu", -1);
  for (guint i = 0; i < N_NAMES; i++)
    {
      g_autofree char *name = g_strdup_printf ("Renderer.pass_%u", i);

      names[i] = sw_trace_writer_intern (writer, name, -1);
    }
  for (gint64 frame = 0; n < N_ZONES; frame++)
    n = put_zones (writer, &slice, names, n, frame * 16666667, 16000000);
  if (!sw_trace_writer_close (writer, &error))
    g_error ("%s", error->message);
}

static double
read_zones (const char *path,
            guint64 *n_bytes)
{
  SwTraceVisitor visitor = { .no_args = TRUE, .slice = on_slice };
  Sum sum = { 0 };
  g_autoptr (GError) error = NULL;
  gint64 before = sw_clock_monotonic_ns ();
  g_autoptr (SwTraceReader) reader = sw_trace_reader_new_for_path (path, &error);

  if (reader == NULL || !sw_trace_reader_read (reader, &visitor, &sum, &error))
    g_error ("%s: %s", path, error->message);
  *n_bytes = sw_trace_reader_get_report (reader)->n_bytes;
  return (double) (sw_clock_monotonic_ns () - before);
}

static const SwTraceName *
get_name (gpointer reader,
          guint32 id)
{
  return sw_trace_reader_name (reader, id);
}

/* All of it: what is inside of what, self times and exact percentiles by name. */
static double
summarise_zones (const char *path)
{
  g_autoptr (GError) error = NULL;
  gint64 before = sw_clock_monotonic_ns ();
  g_autoptr (SwTraceReader) reader = sw_trace_reader_new_for_path (path, &error);
  g_autoptr (SwTraceAnalysis) analysis = sw_trace_analysis_new (get_name, reader, 0);
  g_autoptr (SwSliceTable) table = NULL;
  SwSliceFilter filter;

  sw_slice_filter_init (&filter);
  if (reader != NULL && sw_trace_reader_read (reader, &sw_trace_analysis_visitor, analysis, &error) &&
      sw_trace_analysis_finish (analysis, &error))
    table = sw_slice_table_new (analysis, &filter, SW_SLICE_GROUP_NAME, SW_SLICE_SAMPLES_DURATION, &error);
  if (table == NULL || sw_slice_table_get_n_rows (table) != N_NAMES)
    g_error ("%s: %s", path, error != NULL ? error->message : "not all names");
  sw_slice_filter_clear (&filter);
  return (double) (sw_clock_monotonic_ns () - before);
}

/* The floor: each byte is looked at once. */
static double
count_lines (const char *path)
{
  gint64 before = sw_clock_monotonic_ns ();
  g_autofree char *window = g_malloc (WINDOW);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  guint64 n_lines = 0;
  gssize n;

  while ((n = read (fd, window, WINDOW)) > 0)
    for (const char *at = window; (at = memchr (at, '\n', (gsize) (window + n - at))) != NULL; at++)
      n_lines++;
  close (fd);
  if (n_lines == 0)
    g_error ("%s has no lines", path);
  return (double) (sw_clock_monotonic_ns () - before);
}

static int
read_files (int n_files,
            char **paths)
{
  struct rusage usage;

  for (int i = 0; i < n_files; i++)
    {
      guint64 n_bytes;
      double ns = read_zones (paths[i], &n_bytes);
      double floor_ns = count_lines (paths[i]);

      getrusage (RUSAGE_SELF, &usage);
      g_print ("%s: %.0f ms, %.0f MB/s, %.1f times counting its lines, %ld MB resident at most\n", paths[i], ns / 1e6,
               (double) n_bytes * 1e3 / ns, ns / floor_ns, usage.ru_maxrss / 1024);
    }
  return 0;
}

int
main (int argc,
      char **argv)
{
  int n_rounds = argc > 1 ? atoi (argv[1]) : 5;
  const char *folder = argc > 2 ? argv[2] : g_get_tmp_dir ();
  const char *separator = "{\n";

  if (argc > 1 && n_rounds == 0)
    return read_files (argc - 1, argv + 1);
  n_rounds = CLAMP (n_rounds, 1, MAX_ROUNDS);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/bench-read.%s", folder, formats[i].suffix);
      double figures[3][MAX_ROUNDS];
      static const char *const kinds[] = { "reading ", "counting the lines of ", "summarising " };
      guint64 n_bytes;

      write_zones (formats[i].format, path);
      for (int round = 0; round < n_rounds; round++)
        {
          figures[0][round] = read_zones (path, &n_bytes) / N_ZONES;
          figures[1][round] = count_lines (path) / N_ZONES;
          figures[2][round] = summarise_zones (path) / N_ZONES;
        }
      g_unlink (path);
      for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
        {
          g_print ("%s  \"%s%s, ns a zone\": [", separator, kinds[kind], formats[i].name);
          for (int round = 0; round < n_rounds; round++)
            g_print ("%s%.2f", round > 0 ? ", " : "", figures[kind][round]);
          g_print ("]");
          separator = ",\n";
        }
    }
  g_print ("\n}\n");
  return 0;
}
