/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an operation on small tensors costs beside what it computes, in nanoseconds.
 *
 * Prints one JSON object: name -> a figure for each round, so that whoever reads it can take medians and ratios.
 * The measurements alternate: a round goes through all of them; what other programs take of the processor is not counted. Uses
 * the shared library, as programs do. */
#include <stdlib.h>
#include <strideweave.h>
#include <time.h>

#define N_ITERATIONS 20000
#define MAX_ROUNDS 101
#define MAX_RESULTS 16
#define N_VALUES 64

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

static Result results[MAX_RESULTS];
static int n_results;

static SwTensor *lhs, *rhs, *out;
static float a[N_VALUES], b[N_VALUES], sum[N_VALUES];

static gint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static void
record (const char *name,
        gint64 start)
{
  double value = (double) (now () - start) / N_ITERATIONS;
  int i;

  for (i = 0; i < n_results && !g_str_equal (results[i].name, name); i++)
    ;
  if (i == n_results)
    results[n_results++].name = name;
  if (results[i].n < MAX_ROUNDS)
    results[i].values[results[i].n++] = value;
}

static SwTensor *
new_tensor (gint64 n)
{
  g_autoptr (SwCarrier) carrier = sw_cpu_new (n, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwShape) shape = sw_shape_new (&n, 1, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);

  return sw_tensor_new (carrier, 0, layout, NULL);
}

static void
bench_floors (void)
{
  gint64 start = now ();

  for (guint i = 0; i < N_ITERATIONS; i++)
    {
      for (guint j = 0; j < N_VALUES; j++)
        sum[j] = a[j] + b[j];
      keep (sum);
    }
  record ("loop over 64 values", start);

  start = now ();
  for (guint i = 0; i < N_ITERATIONS; i++)
    {
      gpointer memory = malloc (N_VALUES * sizeof (float));

      keep (memory);
      free (memory);
    }
  record ("malloc () and free ()", start);

  start = now ();
  for (guint i = 0; i < N_ITERATIONS; i++)
    g_object_unref (g_object_new (G_TYPE_OBJECT, NULL));
  record ("one GObject", start);
}

static void
bench_fresh (void)
{
  gint64 start = now ();

  for (guint i = 0; i < N_ITERATIONS; i++)
    sw_tensor_unref (sw_add (lhs, rhs, NULL));
  record ("add of 64, fresh result", start);
}

static void
bench_out (void)
{
  gint64 start = now ();

  for (guint i = 0; i < N_ITERATIONS; i++)
    keep (sw_binary_into (out, "add", lhs, rhs, NULL));
  record ("add of 64 into a tensor", start);
}

static void
print_results (void)
{
  g_print ("{");
  for (int i = 0; i < n_results; i++)
    {
      g_print ("%s\n\"%s\": [", i > 0 ? "," : "", results[i].name);
      for (int j = 0; j < results[i].n; j++)
        g_print ("%s%.3f", j > 0 ? ", " : "", results[i].values[j]);
      g_print ("]");
    }
  g_print ("\n}\n");
}

int
main (int argc,
      char **argv)
{
  int n_rounds = argc > 1 ? atoi (argv[1]) : 11;

  lhs = new_tensor (N_VALUES);
  rhs = new_tensor (N_VALUES);
  out = new_tensor (N_VALUES);
  for (int i = 0; i < CLAMP (n_rounds, 1, MAX_ROUNDS); i++)
    {
      bench_floors ();
      bench_fresh ();
      bench_out ();
    }
  sw_tensor_unref (out);
  sw_tensor_unref (rhs);
  sw_tensor_unref (lhs);
  print_results ();
  return 0;
}
