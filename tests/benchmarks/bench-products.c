/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of matrices and convolutions beside OpenBLAS and, where it was found, oneDNN, called directly.
 *
 * Usage: bench-products ROUNDS [THREADS [WORD]]
 *
 * Prints one JSON object: name -> nanoseconds for each round. The measurements alternate: what is compared runs in turn within
 * a round. All memory is warm: the peers write to the same place each time, and results are made in memory that the cache of
 * carriers keeps. With a word, only cases whose name has it. */
#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include <strideweave.h>
#include <time.h>

#ifdef HAVE_ONEDNN
#include "bench-onednn.h"
#else
typedef struct
{
  gint64 n_images, n_inputs, extent, n_outputs, window, stride, groups;
} BenchConvolution;

static gint64
bench_convolution_get_count (const BenchConvolution *self)
{
  return (self->extent - self->window) / self->stride + 1;
}
#endif

#define MAX_ROUNDS 101
#define MAX_RESULTS 256
/* So long a call is repeated before the clock is read again. */
#define TURN_NS 4000000

typedef void (*Call) (gpointer data);

typedef struct
{
  char *name;
  int n;
  double values[MAX_ROUNDS];
} Result;

static Result results[MAX_RESULTS];
static int n_results;
static clockid_t used_clock = CLOCK_THREAD_CPUTIME_ID;
static const char *word;

static gint64
now (void)
{
  struct timespec time;

  clock_gettime (used_clock, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static void
measure (const char *peer,
         const char *name,
         Call call,
         gpointer data)
{
  g_autofree char *full = *peer != '\0' ? g_strdup_printf ("%s, %s", name, peer) : g_strdup (name);
  gint64 start, n = 0, taken = 0;
  int i;

  for (i = 0; i < n_results && !g_str_equal (results[i].name, full); i++)
    ;
  if (i == n_results)
    results[n_results++].name = g_strdup (full);
  call (data);
  start = now ();
  for (gint64 count = 1; taken < TURN_NS; count *= 2)
    {
      for (gint64 j = 0; j < count; j++)
        call (data);
      n += count;
      taken = now () - start;
    }
  if (results[i].n < MAX_ROUNDS)
    results[i].values[results[i].n++] = (double) taken / (double) n;
}

/* The last mode fastest. */
static SwTensor *
new_tensor (const gint64 *extents,
            guint rank)
{
  gint64 strides[8], size = 1;
  g_autoptr (SwCarrier) carrier = NULL;
  g_autoptr (SwShape) shape = sw_shape_new (extents, rank, NULL);
  g_autoptr (SwStride) stride = NULL;
  g_autoptr (SwLayout) layout = NULL;
  float *values;

  for (guint i = rank; i > 0; i--)
    {
      strides[i - 1] = size;
      size *= extents[i - 1];
    }
  carrier = sw_cpu_new (size, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  values = (float *) (gsize) sw_cpu_get_address (SW_CPU (carrier), NULL);
  for (gint64 i = 0; i < size; i++)
    values[i] = (float) (i * 7919 % 1000) / 500 - 1;
  stride = sw_stride_new (strides, rank, NULL);
  layout = sw_layout_new (shape, stride, NULL);
  return sw_tensor_new (carrier, 0, layout, NULL);
}

static float *
get_values (SwTensor *tensor)
{
  return (float *) (gsize) sw_cpu_get_address (SW_CPU (sw_tensor_get_carrier (tensor)), NULL);
}

typedef struct
{
  SwTensor *lhs;
  SwTensor *rhs;
  SwTensor *out;
  gint64 n_matrices;
  gint64 n;
  float *result;
} Product;

static void
multiply (gpointer data)
{
  Product *self = data;

  sw_tensor_unref (sw_matmul (self->lhs, self->rhs, NULL, NULL));
}

static void
multiply_into (gpointer data)
{
  Product *self = data;

  sw_binary_into (self->out, "matmul", self->lhs, self->rhs, NULL);
}

static void
call_sgemm (gpointer data)
{
  Product *self = data;
  const float *lhs = get_values (self->lhs), *rhs = get_values (self->rhs);
  int n = (int) self->n;

  for (gint64 i = 0; i < self->n_matrices; i++)
    cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, lhs + i * n * n, n, rhs + i * n * n, n, 0, self->result + i * n * n, n);
}

static void
bench_product (gint64 n_matrices,
               gint64 n)
{
  gint64 extents[] = { n_matrices, n, n };
  const gint64 *shape = n_matrices == 1 ? extents + 1 : extents;
  guint rank = n_matrices == 1 ? 2 : 3;
  g_autofree char *name = n_matrices == 1 ? g_strdup_printf ("matmul %dx%d", (int) n, (int) n)
                                          : g_strdup_printf ("matmul %d of %dx%d", (int) n_matrices, (int) n, (int) n);
  Product product = { new_tensor (shape, rank), new_tensor (shape, rank), new_tensor (shape, rank), n_matrices, n };

  if (word == NULL || strstr (name, word) != NULL)
    {
      product.result = g_new0 (float, n_matrices *n *n);
      measure ("", name, multiply, &product);
      measure ("sgemm", name, call_sgemm, &product);
      measure ("into a tensor", name, multiply_into, &product);
      g_free (product.result);
    }
  sw_tensor_unref (product.out);
  sw_tensor_unref (product.rhs);
  sw_tensor_unref (product.lhs);
}

typedef struct
{
  BenchConvolution shape;
  SwTensor *input;
  SwTensor *weight;
  float *columns;
  float *result;
} Convolution;

static void
convolve (gpointer data)
{
  Convolution *self = data;
  gint64 strides[] = { self->shape.stride, self->shape.stride };

  sw_tensor_unref (sw_conv_general (self->input, self->weight, strides, 2, NULL, 0, NULL, 0, self->shape.groups, NULL));
}

/* The values in the windows of one image: a row of all positions for each channel and place. */
static void
unfold (const BenchConvolution *self,
        const float *image,
        float *columns)
{
  gint64 count = bench_convolution_get_count (self);

  for (gint64 k = 0; k < self->n_inputs * self->window * self->window; k++)
    {
      gint64 x = k % self->window, y = k / self->window % self->window, channel = k / self->window / self->window;

      for (gint64 row = 0; row < count; row++, columns += count)
        {
          const float *from = image + (channel * self->extent + row * self->stride + y) * self->extent + x;

          if (self->stride == 1)
            memcpy (columns, from, count * sizeof (float));
          else
            for (gint64 i = 0; i < count; i++)
              columns[i] = from[i * self->stride];
        }
    }
}

static void
unfold_and_multiply (gpointer data)
{
  Convolution *self = data;
  const BenchConvolution *shape = &self->shape;
  gint64 count = bench_convolution_get_count (shape);
  const float *input = get_values (self->input), *weight = get_values (self->weight);
  int m = (int) shape->n_outputs, n = (int) (count * count), k = (int) (shape->n_inputs * shape->window * shape->window);

  for (gint64 i = 0; i < shape->n_images; i++)
    {
      unfold (shape, input + i * shape->n_inputs * shape->extent * shape->extent, self->columns);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, weight, k, self->columns, n, 0, self->result + (gint64) i * m * n, n);
    }
}

#ifdef HAVE_ONEDNN
static void
run_onednn (gpointer data)
{
  bench_onednn_run (data);
}

static void
run_onednn_reordered (gpointer data)
{
  bench_onednn_run_reordered (data);
}

static void
bench_onednn (const char *name,
              Convolution *self)
{
  BenchOnednn *plain = bench_onednn_new (&self->shape, TRUE, get_values (self->input), get_values (self->weight), self->result);
  BenchOnednn *own = bench_onednn_new (&self->shape, FALSE, get_values (self->input), get_values (self->weight), self->result);

  if (plain != NULL)
    measure ("oneDNN as the values lie", name, run_onednn, plain);
  if (own != NULL)
    {
      measure ("oneDNN, order brought about", name, run_onednn, own);
      measure ("oneDNN in its own order", name, run_onednn_reordered, own);
    }
  g_clear_pointer (&own, bench_onednn_free);
  g_clear_pointer (&plain, bench_onednn_free);
}
#endif

static void
bench_convolution (const BenchConvolution *shape)
{
  gint64 input[] = { shape->n_images, shape->n_inputs, shape->extent, shape->extent }, count = bench_convolution_get_count (shape);
  gint64 weight[] = { shape->n_outputs, shape->n_inputs / shape->groups, shape->window, shape->window };
  g_autofree char *name = g_strdup_printf ("conv %dx%d %d>%d %dx%d%s", (int) shape->window, (int) shape->window, (int) shape->n_inputs,
                                           (int) shape->n_outputs, (int) count, (int) count, shape->groups > 1 ? " by channels" : "");
  Convolution self = { *shape };

  if (word != NULL && strstr (name, word) == NULL)
    return;

  self.input = new_tensor (input, 4);
  self.weight = new_tensor (weight, 4);
  self.columns = g_new0 (float, shape->n_inputs * shape->window * shape->window * count * count);
  self.result = g_new0 (float, shape->n_images * shape->n_outputs * count * count);
  measure ("", name, convolve, &self);
  if (shape->groups == 1)
    measure ("im2col + sgemm", name, unfold_and_multiply, &self);
#ifdef HAVE_ONEDNN
  bench_onednn (name, &self);
#endif
  g_free (self.result);
  g_free (self.columns);
  sw_tensor_unref (self.weight);
  sw_tensor_unref (self.input);
}

static void
print_results (void)
{
  g_print ("{");
  for (int i = 0; i < n_results; i++)
    {
      g_print ("%s\n\"%s\": [", i > 0 ? "," : "", results[i].name);
      for (int j = 0; j < results[i].n; j++)
        g_print ("%s%.1f", j > 0 ? ", " : "", results[i].values[j]);
      g_print ("]");
      g_free (results[i].name);
    }
  g_print ("\n}\n");
}

int
main (int argc,
      char **argv)
{
  static const gint64 sizes[] = { 8, 16, 32, 64, 128, 256, 512, 1024 };
  static const gint64 batches[][2] = { { 1000, 8 }, { 256, 16 }, { 64, 64 }, { 16, 128 }, { 8, 256 } };
  static const BenchConvolution convolutions[] = {
    { 1, 16, 58, 32, 3, 1, 1 },
    { 4, 64, 30, 64, 3, 1, 1 },
    { 1, 64, 56, 128, 1, 1, 1 },
    { 1, 3, 132, 16, 5, 1, 1 },
    { 1, 3, 229, 64, 7, 2, 1 },
    { 1, 256, 16, 256, 3, 1, 1 },
    { 1, 64, 58, 64, 3, 1, 64 },
  };
  int n_rounds = argc > 1 ? atoi (argv[1]) : 5, n_threads = argc > 2 ? atoi (argv[2]) : 1;

  word = argc > 3 ? argv[3] : NULL;
  if (n_threads > 1)
    used_clock = CLOCK_MONOTONIC;
  sw_cpu_set_n_threads ((guint) n_threads, NULL);
  for (int i = 0; i < CLAMP (n_rounds, 1, MAX_ROUNDS); i++)
    {
      for (gsize j = 0; j < G_N_ELEMENTS (sizes); j++)
        bench_product (1, sizes[j]);
      for (gsize j = 0; j < G_N_ELEMENTS (batches); j++)
        bench_product (batches[j][0], batches[j][1]);
      for (gsize j = 0; j < G_N_ELEMENTS (convolutions); j++)
        bench_convolution (&convolutions[j]);
    }
  print_results ();
  return 0;
}
