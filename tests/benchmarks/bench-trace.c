/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tracing costs, beside floors that are measured in the same run.
 *
 * Usage: bench-trace [ROUNDS]                      one JSON object: name -> a figure for each round
 *        bench-trace sustained [RATE [MILLIONS]]   one thread emits RATE million spans a second, MILLIONS in all; says what
 *                                                  became of them, and of the memory of the process */
#include "config.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <strideweave.h>
#include <unistd.h>

#include "sw/base/sw-clock-private.h"

#define BATCH 4000 /* far less than wakes the worker */
#define BATCHES 64
#define WARM_UP 4
#define N_EMPTY 100000
#define N_FILE 1000000
#define MAX_ROUNDS 101
#define NS_PER_S 1000000000

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
static guint n_evaluated;

static void
record (const char *name,
        double value)
{
  int i;

  for (i = 0; i < n_results && !g_str_equal (results[i].name, name); i++)
    ;
  if (i == n_results)
    results[n_results++].name = name;
  if (results[i].n < MAX_ROUNDS)
    results[i].values[results[i].n++] = value;
}

static int
compare (const void *a,
         const void *b)
{
  double difference = *(const double *) a - *(const double *) b;

  return difference < 0 ? -1 : difference > 0;
}

/* Of batches after the first few, so that neither a page that is touched first nor an interruption counts. */
static double
get_median (double *values)
{
  qsort (values + WARM_UP, BATCHES - WARM_UP, sizeof *values, compare);
  return values[WARM_UP + (BATCHES - WARM_UP) / 2];
}

static gint64
evaluate (guint i)
{
  n_evaluated++;
  return i;
}

#define TIME(name, n, body)                                         \
  static G_GNUC_NO_INLINE double time_##name (void)                 \
  {                                                                 \
    gint64 start = sw_clock_monotonic_ns ();                        \
                                                                    \
    for (guint i = 0; i < (n); i++)                                 \
      {                                                             \
        body;                                                       \
        keep (i);                                                   \
      }                                                             \
    return (double) (sw_clock_monotonic_ns () - start) / (n);       \
  }

static guint64 floor_words[4 * BATCH];

TIME (empty, N_EMPTY, )
TIME (off_span, N_EMPTY, SW_TRACE_SPAN ("span", "bench", SW_TRACE_VERBOSITY_FULL, SW_TRACE_INT64 ("n", evaluate (i))))
TIME (off_instant, N_EMPTY, SW_TRACE_INSTANT ("instant", "bench", SW_TRACE_VERBOSITY_FULL, SW_TRACE_INT64 ("n", evaluate (i))))
TIME (off_counter, N_EMPTY, SW_TRACE_COUNTER ("counter", SW_TRACE_VERBOSITY_FULL, (double) evaluate (i)))
TIME (floor, BATCH, floor_words[4 * i] = sw_clock_ticks (); floor_words[4 * i + 1] = sw_clock_ticks ();
      floor_words[4 * i + 2] = i)
TIME (span, BATCH, SW_TRACE_SPAN ("span", "bench", SW_TRACE_VERBOSITY_OPERATIONS))
TIME (span_with_argument, BATCH,
      SW_TRACE_SPAN ("span", "bench", SW_TRACE_VERBOSITY_OPERATIONS, SW_TRACE_INT64 ("n", i)))
TIME (instant, BATCH, SW_TRACE_INSTANT ("instant", "bench", SW_TRACE_VERBOSITY_OPERATIONS))
TIME (counter, BATCH, SW_TRACE_COUNTER ("counter", SW_TRACE_VERBOSITY_OPERATIONS, i))

static void
bench_off (const char *empty_name,
           const char *span_name,
           const char *instant_name,
           const char *counter_name)
{
  double empty[BATCHES], span[BATCHES], instant[BATCHES], counter[BATCHES];

  for (guint batch = 0; batch < BATCHES; batch++)
    {
      empty[batch] = time_empty ();
      span[batch] = time_off_span ();
      instant[batch] = time_off_instant ();
      counter[batch] = time_off_counter ();
    }
  record (empty_name, get_median (empty));
  record (span_name, get_median (span));
  record (instant_name, get_median (instant));
  record (counter_name, get_median (counter));
  if (n_evaluated != 0)
    g_error ("arguments that nobody wants are evaluated");
}

static SwFileCollector *
make_collector (const char *path)
{
  g_autoptr (GError) error = NULL;
  SwFileCollector *collector = sw_file_collector_new (path, SW_TRACE_FORMAT_PERFETTO, &error);

  if (collector == NULL)
    g_error ("%s", error->message);
  return collector;
}

static void
close_collector (SwFileCollector *collector)
{
  g_autoptr (GError) error = NULL;

  sw_trace_context_set_collector (sw_trace_context_get_default (), NULL);
  if (!sw_collector_close (SW_COLLECTOR (collector), &error))
    g_error ("%s", error->message);
}

static void
bench_emission (SwTraceContext *context)
{
  double floor[BATCHES], span[BATCHES], argument[BATCHES], instant[BATCHES], counter[BATCHES];

  for (guint batch = 0; batch < BATCHES; batch++)
    {
      floor[batch] = time_floor ();
      span[batch] = time_span ();
      sw_trace_context_flush (context, NULL);
      argument[batch] = time_span_with_argument ();
      sw_trace_context_flush (context, NULL);
      instant[batch] = time_instant ();
      counter[batch] = time_counter ();
      sw_trace_context_flush (context, NULL);
    }
  record ("two ticks and two stores", get_median (floor));
  record ("span", get_median (span));
  record ("span with an argument", get_median (argument));
  record ("instant", get_median (instant));
  record ("counter", get_median (counter));
}

/* Only this thread's own time counts: the worker may be at work at the same time. */
static gint64
get_cpu_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * (gint64) NS_PER_S + now.tv_nsec;
}

/* Spans that nest four deep, a hundred microseconds apart at most, of eight names. */
static void
emit_some (guint n)
{
  for (guint i = 0; i < n; i += 4)
    {
      SW_TRACE_SPAN ("request", "bench", SW_TRACE_VERBOSITY_OPERATIONS);
      {
        SW_TRACE_SPAN ("phase", "bench", SW_TRACE_VERBOSITY_OPERATIONS);
        {
          SW_TRACE_SPAN ("operation", "bench", SW_TRACE_VERBOSITY_OPERATIONS);
          keep (i);
        }
        {
          SW_TRACE_SPAN ("another operation", "bench", SW_TRACE_VERBOSITY_OPERATIONS);
          keep (i);
        }
      }
    }
}

static void
bench_drain (SwTraceContext *context,
             const char *path)
{
  g_autoptr (SwFileCollector) collector = make_collector (path);
  gint64 drain_ns = 0;
  GStatBuf status;

  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  for (guint i = 0; i < N_FILE / 20000; i++)
    {
      gint64 start;

      emit_some (20000);
      start = get_cpu_ns ();
      sw_trace_context_flush (context, NULL);
      drain_ns += get_cpu_ns () - start;
    }
  close_collector (collector);
  if (g_stat (path, &status) != 0)
    g_error ("%s is not there", path);
  record ("drained to the file, ns a span", (double) drain_ns / N_FILE);
  record ("bytes a span", (double) status.st_size / N_FILE);
  g_unlink (path);
}

static void
bench_round (const char *path)
{
  SwTraceContext *context = sw_trace_context_get_default ();
  g_autoptr (SwFileCollector) collector = NULL;

  bench_off ("empty loop", "span, nothing enabled", "instant, nothing enabled", "counter, nothing enabled");
  collector = make_collector (path);
  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_OPERATIONS);
  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  bench_off ("empty loop, again", "span above the verbosity", "instant above the verbosity", "counter above the verbosity");
  bench_emission (context);
  close_collector (collector);
  g_unlink (path);
  bench_drain (context, path);
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

static guint64
get_resident_bytes (void)
{
  g_autofree char *text = NULL;
  guint64 pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    sscanf (text, "%*u %" G_GUINT64_FORMAT, &pages);
  return pages * (guint64) sysconf (_SC_PAGESIZE);
}

/* A millisecond's worth of spans, then nothing until the next one. */
static void
run_sustained (const char *path,
               double rate,
               double millions)
{
  SwTraceContext *context = sw_trace_context_get_default ();
  g_autoptr (SwFileCollector) collector = make_collector (path);
  guint batch = (guint) (rate * 1000) & ~3u;
  guint64 n_batches = (guint64) (millions * 1e6) / batch;
  gint64 start;
  guint64 early = 0;
  guint64 most = 0;
  GStatBuf status;

  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  start = sw_clock_monotonic_ns ();
  for (guint64 i = 0; i < n_batches; i++)
    {
      emit_some (batch);
      if (i == n_batches / 10)
        early = get_resident_bytes ();
      if (i % 1000 == 0)
        most = MAX (most, get_resident_bytes ());
      while (sw_clock_monotonic_ns () < start + (gint64) (i + 1) * 1000000)
        g_usleep (50);
    }
  most = MAX (most, get_resident_bytes ());
  millions = (double) (n_batches * batch) / 1e6;
  g_print ("{\"spans, million\": %.1f,\n \"spans a second, million\": %.2f,\n", millions,
           millions * 1e9 / (double) (sw_clock_monotonic_ns () - start));
  close_collector (collector);
  g_stat (path, &status);
  g_print (" \"dropped\": %" G_GUINT64_FORMAT ",\n \"bytes a span\": %.2f,\n", sw_trace_context_get_dropped_count (context),
           (double) status.st_size / (double) (n_batches * batch));
  g_print (" \"resident after a tenth, MiB\": %.1f,\n \"most resident, MiB\": %.1f}\n", (double) early / 1048576,
           (double) most / 1048576);
  g_unlink (path);
}

int
main (int argc,
      char *argv[])
{
  g_autofree char *folder = g_dir_make_tmp ("sw-bench-trace-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trace.pftrace", NULL);

  /* The floor reads the clock that the library chose for itself. */
  sw_clock_init ();
  if (argc > 1 && g_str_equal (argv[1], "sustained"))
    run_sustained (path, argc > 2 ? g_ascii_strtod (argv[2], NULL) : 2, argc > 3 ? g_ascii_strtod (argv[3], NULL) : 20);
  else
    {
      int rounds = argc > 1 ? atoi (argv[1]) : 5;

      for (int i = 0; i < MIN (rounds, MAX_ROUNDS); i++)
        bench_round (path);
      print_results ();
    }
  g_rmdir (folder);
  return 0;
}
