/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a value costs from 4096 of them to 4 million, in operations on Float32.
 *
 * Usage: bench-growth ROUNDS [THREADS]
 *
 * Prints {"caches": {level: bytes}, "sizes": [...], "cases": {name: {"bytes": bytes that a value takes in all operands and the
 * result, "ns": [[nanoseconds a value, for each round], for each size]}}}. The measurements alternate: a round goes through all
 * of them. Inputs are written before, and results are made in memory that the cache of carriers keeps, so none is fresh. */
#include <stdio.h>
#include <stdlib.h>
#include <strideweave.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_ROUNDS 51
#define N_SIZES 21 /* from 2^12 to 2^22, by half a doubling */
#define TURN_NS 2000000

typedef enum
{
  ADD,
  RELU,
  EXP,
  LT,
  SUM,
  MAX_OF_ALL,
  SOFTMAX,
  LAYER_NORM,
  CUMSUM,
  COPY,
  N_CASES
} Case;

static const struct
{
  const char *name;
  int n_bytes;
} cases[N_CASES] = {
  [ADD] = { "add", 12 },
  [RELU] = { "relu", 8 },
  [EXP] = { "exp", 8 },
  [LT] = { "lt", 9 },
  [SUM] = { "reduce_sum", 4 },
  [MAX_OF_ALL] = { "reduce_max", 4 },
  [SOFTMAX] = { "softmax of rows of 256", 8 },
  [LAYER_NORM] = { "layer_norm of rows of 256", 8 },
  [CUMSUM] = { "cumsum", 8 },
  [COPY] = { "memcpy ()", 12 },
};

static double results[N_CASES][N_SIZES][MAX_ROUNDS];
static clockid_t used_clock = CLOCK_THREAD_CPUTIME_ID;

typedef struct
{
  gint64 n;
  SwTensor *a;
  SwTensor *b;
  SwTensor *rows; /* a, in rows */
  gsize n_copied;
  gpointer from;
  gpointer to;
} Input;

/* Multiples of 256, half a doubling apart. */
static gint64
get_size (int i)
{
  return (i % 2 == 0 ? (gint64) 4096 : (gint64) 5888) << i / 2;
}

static gint64
now (void)
{
  struct timespec time;

  clock_gettime (used_clock, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static SwTensor *
new_tensor (SwCarrier *carrier,
            const gint64 *extents,
            guint rank)
{
  g_autoptr (SwShape) shape = sw_shape_new (extents, rank, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_row_major (shape);

  return sw_tensor_new (carrier, 0, layout, NULL);
}

static SwCarrier *
new_carrier (gint64 n)
{
  SwCarrier *carrier = sw_cpu_new (n, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  float *values = (float *) (gsize) sw_cpu_get_address (SW_CPU (carrier), NULL);

  for (gint64 i = 0; i < n; i++)
    values[i] = (float) (i * 7919 % 1000) / 500 - 1;
  return carrier;
}

static void
input_init (Input *self,
            gint64 n)
{
  g_autoptr (SwCarrier) a = new_carrier (n);
  g_autoptr (SwCarrier) b = new_carrier (n);

  self->n = n;
  self->a = new_tensor (a, &n, 1);
  self->b = new_tensor (b, &n, 1);
  self->rows = new_tensor (a, (gint64[]){ n / 256, 256 }, 2);
  /* As much in all as most that an operation takes. */
  self->n_copied = n / 2 * 3 * sizeof (float);
  self->from = g_malloc (self->n_copied);
  self->to = g_malloc (self->n_copied);
  memset (self->from, 1, self->n_copied);
  memset (self->to, 1, self->n_copied);
}

static void
input_clear (Input *self)
{
  g_free (self->to);
  g_free (self->from);
  sw_tensor_unref (self->rows);
  sw_tensor_unref (self->b);
  sw_tensor_unref (self->a);
}

static SwTensor *
call (const Input *self,
      Case what)
{
  static const gint64 last[] = { 1 };

  switch (what)
    {
    case ADD:
      return sw_add (self->a, self->b, NULL);
    case RELU:
      return sw_relu (self->a, NULL);
    case EXP:
      return sw_exp (self->a, NULL);
    case LT:
      return sw_lt (self->a, self->b, NULL);
    case SUM:
      return sw_reduce_sum (self->a, NULL, NULL);
    case MAX_OF_ALL:
      return sw_reduce_max (self->a, NULL);
    case SOFTMAX:
      return sw_softmax (self->rows, last, 1, NULL);
    case LAYER_NORM:
      return sw_layer_norm (self->rows, last, 1, NULL, NULL, 1e-5, NULL);
    case CUMSUM:
      return sw_cumsum (self->a, 0, NULL);
    case COPY:
    case N_CASES:
    default:
      memcpy (self->to, self->from, self->n_copied);
      return NULL;
    }
}

/* Nanoseconds a value. */
static double
measure (const Input *self,
         Case what)
{
  gint64 start, n = 0, taken = 0;
  SwTensor *result = call (self, what);

  g_clear_pointer (&result, sw_tensor_unref);
  start = now ();
  for (gint64 count = 1; taken < TURN_NS; count *= 2)
    {
      for (gint64 i = 0; i < count; i++)
        {
          result = call (self, what);
          g_clear_pointer (&result, sw_tensor_unref);
        }
      n += count;
      taken = now () - start;
    }
  return (double) taken / (double) n / (double) self->n;
}

/* Of data caches, by what the kernel says, else by what the C library finds out; 0: not known. */
static gint64
get_cache_size (int level)
{
  static const int names[] = { 0, _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE };

  for (int i = 0; i < 8; i++)
    {
      g_autofree char *folder = g_strdup_printf ("/sys/devices/system/cpu/cpu0/cache/index%d/", i);
      g_autofree char *level_file = g_strconcat (folder, "level", NULL);
      g_autofree char *type_file = g_strconcat (folder, "type", NULL);
      g_autofree char *size_file = g_strconcat (folder, "size", NULL);
      g_autofree char *level_text = NULL;
      g_autofree char *type_text = NULL;
      g_autofree char *size_text = NULL;

      if (g_file_get_contents (level_file, &level_text, NULL, NULL) && atoi (level_text) == level &&
          g_file_get_contents (type_file, &type_text, NULL, NULL) && !g_str_has_prefix (type_text, "Instruction") &&
          g_file_get_contents (size_file, &size_text, NULL, NULL))
        return g_ascii_strtoll (size_text, NULL, 10) * (strchr (size_text, 'M') != NULL ? 1 << 20 : 1 << 10);
    }
  return MAX (0, sysconf (names[level]));
}

static void
print_results (int n_rounds)
{
  g_print ("{\"caches\": {\"L1\": %" G_GINT64_FORMAT ", \"L2\": %" G_GINT64_FORMAT ", \"L3\": %" G_GINT64_FORMAT "},\n\"sizes\": [",
           get_cache_size (1), get_cache_size (2), get_cache_size (3));
  for (int i = 0; i < N_SIZES; i++)
    g_print ("%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", get_size (i));
  g_print ("],\n\"cases\": {");
  for (int c = 0; c < N_CASES; c++)
    {
      g_print ("%s\n\"%s\": {\"bytes\": %d, \"ns\": [", c > 0 ? "," : "", cases[c].name, cases[c].n_bytes);
      for (int i = 0; i < N_SIZES; i++)
        {
          g_print ("%s[", i > 0 ? ", " : "");
          for (int round = 0; round < n_rounds; round++)
            g_print ("%s%.5f", round > 0 ? ", " : "", results[c][i][round]);
          g_print ("]");
        }
      g_print ("]}");
    }
  g_print ("}}\n");
}

int
main (int argc,
      char **argv)
{
  int n_rounds = CLAMP (argc > 1 ? atoi (argv[1]) : 5, 1, MAX_ROUNDS), n_threads = argc > 2 ? atoi (argv[2]) : 1;

  if (n_threads > 1)
    used_clock = CLOCK_MONOTONIC;
  sw_cpu_set_n_threads ((guint) n_threads, NULL);
  for (int round = 0; round < n_rounds; round++)
    {
      for (int i = 0; i < N_SIZES; i++)
        {
          Input input;

          input_init (&input, get_size (i));
          for (int c = 0; c < N_CASES; c++)
            results[c][i][round] = measure (&input, c);
          input_clear (&input);
        }
    }
  print_results (n_rounds);
  return 0;
}
