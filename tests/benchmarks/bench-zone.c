/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a zone costs, beside floors that are measured in the same run.
 *
 * Usage: bench-zone [ROUNDS]        one JSON object: name -> a figure in nanoseconds for each round
 *        bench-zone sustained [S]   two threads record without a pause for S seconds; says what became of the zones */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strideweave.h>
#include <unistd.h>

#include "sw/base/sw-clock-private.h"

#define CAPACITY 8192
#define BATCH 4000 /* as many as are recorded before the worker is woken */
#define BATCHES 64
#define WARM_UP 4
#define N_EMPTY 100000
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

typedef struct
{
  guint64 words[4];
} Event;

/* What cannot be had for less: the clock twice, and two stores of 16 bytes into a buffer as large as a queue. */
static G_GNUC_NO_INLINE double
time_floor (Event *events)
{
  gint64 start = sw_clock_monotonic_ns ();

  for (guint i = 0; i < BATCH; i++)
    {
      Event *event = &events[i & (CAPACITY - 1)];
      guint64 begin = sw_clock_ticks ();
      guint64 end = sw_clock_ticks ();

      event->words[0] = begin;
      event->words[1] = end;
      event->words[2] = i;
      event->words[3] = 0;
      keep (event);
    }
  return (double) (sw_clock_monotonic_ns () - start) / BATCH;
}

static G_GNUC_NO_INLINE double
time_zones (guint n)
{
  gint64 start = sw_clock_monotonic_ns ();

  for (guint i = 0; i < n; i++)
    {
      SW_PROFILE_ZONE ("zone");
      keep (i);
    }
  return (double) (sw_clock_monotonic_ns () - start) / n;
}

static G_GNUC_NO_INLINE double
time_tokens (guint n)
{
  guint site = sw_profile_site_register (__FILE__, __LINE__, __func__, "token");
  gint64 start = sw_clock_monotonic_ns ();

  for (guint i = 0; i < n; i++)
    sw_profile_zone_end (sw_profile_zone_begin (site), NULL);
  return (double) (sw_clock_monotonic_ns () - start) / n;
}

static G_GNUC_NO_INLINE double
time_empty (void)
{
  gint64 start = sw_clock_monotonic_ns ();

  for (guint i = 0; i < N_EMPTY; i++)
    keep (i);
  return (double) (sw_clock_monotonic_ns () - start) / N_EMPTY;
}

static void
bench_disabled (const char *empty_name,
                const char *zone_name)
{
  double empty[BATCHES];
  double zone[BATCHES];

  for (guint batch = 0; batch < BATCHES; batch++)
    {
      empty[batch] = time_empty ();
      zone[batch] = time_zones (N_EMPTY);
    }
  record (empty_name, get_median (empty));
  record (zone_name, get_median (zone));
}

static SwZoneProfiler *
make_profiler (gint64 capacity)
{
  g_autoptr (SwZoneProfilerDesc) desc = sw_zone_profiler_desc_new ();
  g_autoptr (GError) error = NULL;
  SwZoneProfiler *profiler;

  desc->thread_event_capacity = capacity;
  profiler = sw_zone_profiler_new (desc, &error);
  if (profiler == NULL)
    g_error ("%s", error->message);
  return profiler;
}

typedef struct
{
  pthread_barrier_t *barrier;
  SwZoneProfiler *profiler; /* NULL: the floor */
  double ns;
} Producer;

static void *
produce (void *data)
{
  Producer *self = data;
  Event *events = g_malloc0 (CAPACITY * sizeof (Event));
  double values[BATCHES];

  if (self->profiler != NULL && !sw_zone_profiler_enter (self->profiler, NULL))
    g_error ("cannot enter");
  for (guint batch = 0; batch < BATCHES; batch++)
    {
      pthread_barrier_wait (self->barrier);
      values[batch] = self->profiler != NULL ? time_zones (BATCH) : time_floor (events);
      pthread_barrier_wait (self->barrier);
    }
  if (self->profiler != NULL)
    sw_zone_profiler_exit (self->profiler, NULL);
  self->ns = get_median (values);
  g_free (events);
  return NULL;
}

/* Two threads at once; between batches the queues are emptied, and nobody is timed. */
static double
time_two (SwZoneProfiler *profiler)
{
  pthread_barrier_t barrier;
  pthread_t threads[2];
  Producer producers[2];

  pthread_barrier_init (&barrier, NULL, 3);
  for (guint i = 0; i < 2; i++)
    {
      producers[i] = (Producer){ &barrier, profiler, 0 };
      pthread_create (&threads[i], NULL, produce, &producers[i]);
    }
  for (guint batch = 0; batch < BATCHES; batch++)
    {
      pthread_barrier_wait (&barrier);
      pthread_barrier_wait (&barrier);
      if (profiler != NULL)
        sw_zone_profiler_flush (profiler);
    }
  for (guint i = 0; i < 2; i++)
    pthread_join (threads[i], NULL);
  pthread_barrier_destroy (&barrier);
  return (producers[0].ns + producers[1].ns) / 2;
}

static void
bench_round (Event *events)
{
  SwZoneProfiler *profiler;
  double floor[BATCHES];
  double zone[BATCHES];
  double token[BATCHES];

  bench_disabled ("empty loop", "zone, nothing enabled");
  profiler = make_profiler (CAPACITY);
  for (guint batch = 0; batch < BATCHES; batch++)
    {
      floor[batch] = time_floor (events);
      zone[batch] = time_zones (BATCH);
      sw_zone_profiler_flush (profiler);
      token[batch] = time_tokens (BATCH);
      sw_zone_profiler_flush (profiler);
    }
  record ("two ticks and two stores of 16 bytes", get_median (floor));
  record ("zone", get_median (zone));
  record ("zone by token", get_median (token));

  record ("two ticks and two stores, on each of two threads", time_two (NULL));
  record ("zone, on each of two threads", time_two (profiler));
  sw_zone_profiler_set_enabled (profiler, FALSE);
  bench_disabled ("empty loop, again", "zone, disabled");
  g_object_unref (profiler);
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

typedef struct
{
  SwZoneProfiler *profiler;
  gint64 until;
  guint64 n_zones;
  gint64 longest;
} Sustained;

static void *
sustain (void *data)
{
  Sustained *self = data;
  gint64 before;

  if (!sw_zone_profiler_enter (self->profiler, NULL))
    g_error ("cannot enter");
  before = sw_clock_monotonic_ns ();
  while (before < self->until)
    {
      gint64 after;

      for (guint i = 0; i < 16; i++)
        {
          SW_PROFILE_ZONE ("sustained");
        }
      self->n_zones += 16;
      after = sw_clock_monotonic_ns ();
      self->longest = MAX (self->longest, after - before);
      before = after;
    }
  sw_zone_profiler_exit (self->profiler, NULL);
  return NULL;
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

static void
run_sustained (int seconds)
{
  g_autoptr (SwZoneProfiler) profiler = make_profiler (8192);
  g_autoptr (SwProfilerDiagnostics) counts = NULL;
  guint64 resident = get_resident_bytes ();
  guint64 most = resident;
  gint64 start = sw_clock_monotonic_ns ();
  gint64 until = start + seconds * G_GINT64_CONSTANT (1000000000);
  Sustained work[2];
  pthread_t threads[2];
  double zones = 0;

  for (guint i = 0; i < 2; i++)
    {
      work[i] = (Sustained){ profiler, until, 0, 0 };
      pthread_create (&threads[i], NULL, sustain, &work[i]);
    }
  while (sw_clock_monotonic_ns () < until)
    {
      g_usleep (200000);
      most = MAX (most, get_resident_bytes ());
    }
  for (guint i = 0; i < 2; i++)
    {
      pthread_join (threads[i], NULL);
      zones += (double) work[i].n_zones;
    }
  counts = sw_zone_profiler_dup_diagnostics (profiler);
  g_print ("{\"zones\": %.0f, \"zones a second\": %.0f, \"emitted\": %" G_GUINT64_FORMAT ", \"recorded\": %" G_GUINT64_FORMAT
           ", \"dropped\": %" G_GUINT64_FORMAT ", \"longest 16 zones, ns\": %" G_GINT64_FORMAT
           ", \"memory grew, bytes\": %" G_GUINT64_FORMAT "}\n",
           zones, zones / seconds, sw_profiler_diagnostics_get_emitted_count (counts),
           sw_profiler_diagnostics_get_recorded_count (counts), sw_profiler_diagnostics_get_producer_drop_count (counts),
           MAX (work[0].longest, work[1].longest), most - resident);
}

int
main (int argc,
      char **argv)
{
  int n_rounds = argc > 1 ? atoi (argv[1]) : 5;
  Event *events;

  sw_clock_init ();
  if (argc > 1 && strcmp (argv[1], "sustained") == 0)
    {
      run_sustained (argc > 2 ? MAX (atoi (argv[2]), 1) : 10);
      return 0;
    }

  events = g_malloc0 (CAPACITY * sizeof (Event));
  for (int round = 0; round < CLAMP (n_rounds, 1, MAX_ROUNDS); round++)
    bench_round (events);
  print_results ();
  g_free (events);
  return 0;
}
