/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What recording costs, in nanoseconds beside floors that are measured in the same run.
 *
 * Prints one JSON object: name -> a figure for each round, so that whoever reads it can take medians and ratios.
 * The measurements alternate: a round goes through all of them. */
#include "config.h"

#include <malloc.h>
#include <stdlib.h>
#include <strideweave.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "sw/base/sw-clock-private.h"
#include "sw/operations/sw-boundary-private.h"

#define N_ITERATIONS 200000
#define MAX_ROUNDS 101
#define MAX_RESULTS 64

#define keep(value) __asm__ volatile ("" : : "r" (value) : "memory")

typedef struct
{
  const char *name;
  int n;
  double values[MAX_ROUNDS];
} Result;

static Result results[MAX_RESULTS];
static int n_results;

static SwTensor *tensor;
static const char *relu_name;

static void
record (const char *name,
        double value)
{
  int i;

  for (i = 0; i < n_results && !g_str_equal (results[i].name, name); i++)
    ;
  if (i == n_results)
    results[n_results++].name = g_intern_string (name);
  if (results[i].n < MAX_ROUNDS)
    results[i].values[results[i].n++] = value;
}

static void
record_sized (const char *name,
              const char *size,
              double value)
{
  g_autofree char *full = g_strdup_printf ("%s, %s", name, size);

  record (full, value);
}

static double
get_ns_each (gint64 start,
             guint n)
{
  return (double) (sw_clock_monotonic_ns () - start) / n;
}

static void
bench_clocks (void)
{
  gint64 start = sw_clock_monotonic_ns ();

  for (guint i = 0; i < N_ITERATIONS; i++)
    {
      keep (sw_clock_monotonic_ns ());
      keep (sw_clock_monotonic_ns ());
    }
  record ("two clock_gettime", get_ns_each (start, N_ITERATIONS));

#if defined(__x86_64__)
  start = sw_clock_monotonic_ns ();
  for (guint i = 0; i < N_ITERATIONS; i++)
    {
      keep (__rdtsc ());
      keep (__rdtsc ());
    }
  record ("two TSC reads", get_ns_each (start, N_ITERATIONS));
#endif

  start = sw_clock_monotonic_ns ();
  for (guint i = 0; i < N_ITERATIONS; i++)
    {
      keep (sw_clock_ticks ());
      keep (sw_clock_ticks ());
    }
  record ("two ticks", get_ns_each (start, N_ITERATIONS));
}

static void
bench_floors (void)
{
  gint64 start = sw_clock_monotonic_ns ();

  for (guint i = 0; i < N_ITERATIONS; i++)
    keep (i);
  record ("empty loop", get_ns_each (start, N_ITERATIONS));

  bench_clocks ();

  start = sw_clock_monotonic_ns ();
  for (guint i = 0; i < N_ITERATIONS; i++)
    g_object_unref (g_object_new (G_TYPE_OBJECT, NULL));
  record ("one GObject", get_ns_each (start, N_ITERATIONS));
}

static G_GNUC_NO_INLINE void
pass_observed (const SwOperand *operand)
{
  SwBoundaryInfo info = { relu_name, SW_TYPE_CPU, SW_TYPE_CPU_RELU_OPERATION, operand, 1 };
  SwBoundary boundary;
  gboolean observed = sw_boundary_enter (&boundary, &info);

  keep (operand);
  if (observed)
    sw_boundary_leave (&boundary, TRUE);
}

/* What every execution does around its computation, with nothing computed. */
static double
time_boundaries (guint n)
{
  SwOperand operand = sw_operand_tensor (tensor);
  gint64 start = sw_clock_monotonic_ns ();

  for (guint i = 0; i < n; i++)
    {
      if (sw_gate_is_open ())
        pass_observed (&operand);
      else
        keep (&operand);
    }
  return get_ns_each (start, n);
}

static double
time_relu (guint n)
{
  gint64 start = sw_clock_monotonic_ns ();

  for (guint i = 0; i < n; i++)
    sw_tensor_unref (sw_relu (tensor, NULL));
  return get_ns_each (start, n);
}

static SwProfiler *
enter (gboolean record_shapes)
{
  SwProfiler *profiler = sw_profiler_new (record_shapes);

  if (!sw_profiler_enter (profiler, NULL))
    g_error ("cannot enter");
  return profiler;
}

static void
leave (SwProfiler *profiler)
{
  if (!sw_profiler_exit (profiler, NULL))
    g_error ("cannot leave");
  g_object_unref (profiler);
}

/* This thread alone: what a member of a group pays for being one. */
static void
bench_group (void)
{
  g_autoptr (SwProfiler) options = sw_profiler_new (FALSE);
  g_autoptr (SwProfilerGroup) group = sw_profiler_group_new (options);

  if (!sw_profiler_group_enter (group, NULL))
    g_error ("cannot enter");
  record ("event in a group", time_boundaries (N_ITERATIONS));
  if (!sw_profiler_group_exit (group, NULL))
    g_error ("cannot leave");
}

static void
bench_events (void)
{
  GType other = SW_TYPE_GENERIC;
  SwProfiler *profiler;

  record ("boundary, gate closed", time_boundaries (N_ITERATIONS));
  record ("relu of 1 element", time_relu (N_ITERATIONS));

  profiler = enter (FALSE);
  record ("event", time_boundaries (N_ITERATIONS));
  leave (profiler);

  bench_group ();

  profiler = enter (TRUE);
  record ("event with shapes", time_boundaries (N_ITERATIONS));
  leave (profiler);

  profiler = sw_profiler_new_for_carriers (&other, 1, TRUE, NULL);
  if (!sw_profiler_enter (profiler, NULL))
    g_error ("cannot enter");
  record ("event filtered out", time_boundaries (N_ITERATIONS));
  leave (profiler);

  profiler = enter (FALSE);
  record ("relu of 1 element, recorded", time_relu (N_ITERATIONS));
  leave (profiler);
}

static gsize
get_bytes_in_use (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

static void
bench_aggregation (SwProfiler *profiler,
                   guint n,
                   const char *size)
{
  gint64 start = sw_clock_monotonic_ns ();

  g_ptr_array_unref (sw_profiler_dup_key_averages (profiler, FALSE, NULL));
  record_sized ("dup_key_averages, ns an event", size, get_ns_each (start, n));

  start = sw_clock_monotonic_ns ();
  g_ptr_array_unref (sw_profiler_dup_key_averages (profiler, TRUE, NULL));
  record_sized ("dup_key_averages by shape, ns an event", size, get_ns_each (start, n));

  start = sw_clock_monotonic_ns ();
  g_ptr_array_unref (sw_profiler_dup_key_statistics (profiler, FALSE, NULL));
  record_sized ("dup_key_statistics, ns an event", size, get_ns_each (start, n));

  start = sw_clock_monotonic_ns ();
  g_free (sw_profiler_dup_table (profiler, NULL, TRUE, FALSE, -1, NULL));
  record_sized ("dup_table, ns an event", size, get_ns_each (start, n));
}

static void
bench_results (guint n,
               const char *size)
{
  gsize before = get_bytes_in_use ();
  SwProfiler *profiler = enter (TRUE);
  gint64 start;

  time_boundaries (n);
  record_sized ("bytes an event while recording", size, (double) (get_bytes_in_use () - before) / n);
  start = sw_clock_monotonic_ns ();
  if (!sw_profiler_exit (profiler, NULL))
    g_error ("cannot leave");
  record_sized ("exit, ns an event", size, get_ns_each (start, n));
  record_sized ("bytes an event after exit", size, (double) (get_bytes_in_use () - before) / n);

  bench_aggregation (profiler, n, size);
  start = sw_clock_monotonic_ns ();
  g_ptr_array_unref (sw_profiler_dup_events (profiler, NULL));
  record_sized ("dup_events, ns an event", size, get_ns_each (start, n));

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

static SwTensor *
make_tensor (void)
{
  const gint64 n = 1;
  g_autoptr (SwShape) shape = sw_shape_new (&n, 1, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  g_autoptr (SwCarrier) carrier = sw_cpu_new (n, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);

  return sw_tensor_new (carrier, 0, layout, NULL);
}

int
main (int argc,
      char **argv)
{
  int n_rounds = argc > 1 ? atoi (argv[1]) : 5;

  sw_clock_init ();
  relu_name = g_intern_static_string ("relu");
  tensor = make_tensor ();
  for (int round = 0; round < CLAMP (n_rounds, 1, MAX_ROUNDS); round++)
    {
      bench_floors ();
      bench_events ();
      bench_results (100000, "100k events");
      bench_results (1000000, "1M events");
    }
  print_results ();
  sw_tensor_unref (tensor);
  return 0;
}
