/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench-onednn.h"

#include <dnnl.h>

enum
{
  INPUT,
  WEIGHT,
  RESULT,
  N_MEMORIES
};

struct _BenchOnednn
{
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_memory_t plain[N_MEMORIES];
  dnnl_memory_t own[N_MEMORIES];
  dnnl_primitive_t reorders[N_MEMORIES];
  dnnl_primitive_t convolution;
  gboolean is_plain;
};

static void
describe (const BenchConvolution *self,
          dnnl_memory_desc_t *descriptions,
          gboolean is_plain)
{
  gint64 count = bench_convolution_get_count (self);
  dnnl_dims_t input = { self->n_images, self->n_inputs, self->extent, self->extent };
  dnnl_dims_t weight = { self->n_outputs, self->n_inputs, self->window, self->window };
  dnnl_dims_t grouped = { self->groups, self->n_outputs / self->groups, self->n_inputs / self->groups, self->window, self->window };
  dnnl_dims_t result = { self->n_images, self->n_outputs, count, count };

  dnnl_memory_desc_init_by_tag (&descriptions[INPUT], 4, input, dnnl_f32, is_plain ? dnnl_nchw : dnnl_format_tag_any);
  if (self->groups == 1)
    dnnl_memory_desc_init_by_tag (&descriptions[WEIGHT], 4, weight, dnnl_f32, is_plain ? dnnl_oihw : dnnl_format_tag_any);
  else
    dnnl_memory_desc_init_by_tag (&descriptions[WEIGHT], 5, grouped, dnnl_f32, is_plain ? dnnl_goihw : dnnl_format_tag_any);
  dnnl_memory_desc_init_by_tag (&descriptions[RESULT], 4, result, dnnl_f32, is_plain ? dnnl_nchw : dnnl_format_tag_any);
}

static dnnl_primitive_t
make_reorder (BenchOnednn *self,
              dnnl_memory_t from,
              dnnl_memory_t to)
{
  const dnnl_memory_desc_t *from_description, *to_description;
  dnnl_primitive_desc_t description;
  dnnl_primitive_t reorder = NULL;

  dnnl_memory_get_memory_desc (from, &from_description);
  dnnl_memory_get_memory_desc (to, &to_description);
  if (dnnl_reorder_primitive_desc_create (&description, from_description, self->engine, to_description, self->engine, NULL) != dnnl_success)
    return NULL;
  dnnl_primitive_create (&reorder, description);
  dnnl_primitive_desc_destroy (description);
  return reorder;
}

static gboolean
make_own (BenchOnednn *self,
          const_dnnl_primitive_desc_t description)
{
  static const dnnl_query_t queries[] = { dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md };

  for (int i = 0; i < N_MEMORIES; i++)
    {
      dnnl_memory_create (&self->own[i], dnnl_primitive_desc_query_md (description, queries[i], 0), self->engine, DNNL_MEMORY_ALLOCATE);
      self->reorders[i] = i == RESULT ? make_reorder (self, self->own[i], self->plain[i]) : make_reorder (self, self->plain[i], self->own[i]);
      if (self->reorders[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

BenchOnednn *
bench_onednn_new (const BenchConvolution *convolution,
                  gboolean is_plain,
                  const float *input,
                  const float *weight,
                  float *result)
{
  BenchOnednn *self = g_new0 (BenchOnednn, 1);
  dnnl_memory_desc_t plain[N_MEMORIES], wanted[N_MEMORIES];
  gpointer data[N_MEMORIES] = { (gpointer) input, (gpointer) weight, result };
  dnnl_dims_t strides = { convolution->stride, convolution->stride }, none = { 0, 0 };
  dnnl_primitive_desc_t description = NULL;
  dnnl_convolution_desc_t wish;
  gboolean is_there;

  self->is_plain = is_plain;
  dnnl_engine_create (&self->engine, dnnl_cpu, 0);
  dnnl_stream_create (&self->stream, self->engine, dnnl_stream_default_flags);
  describe (convolution, plain, TRUE);
  describe (convolution, wanted, is_plain);
  for (int i = 0; i < N_MEMORIES; i++)
    dnnl_memory_create (&self->plain[i], &plain[i], self->engine, data[i]);

  is_there = dnnl_convolution_forward_desc_init (&wish, dnnl_forward_inference, dnnl_convolution_direct, &wanted[INPUT], &wanted[WEIGHT],
                                                 NULL, &wanted[RESULT], strides, none, none) == dnnl_success &&
             dnnl_primitive_desc_create (&description, &wish, NULL, self->engine, NULL) == dnnl_success &&
             dnnl_primitive_create (&self->convolution, description) == dnnl_success && (is_plain || make_own (self, description));
  if (description != NULL)
    dnnl_primitive_desc_destroy (description);
  if (!is_there)
    g_clear_pointer (&self, bench_onednn_free);
  return self;
}

static void
reorder (BenchOnednn *self,
         int i,
         dnnl_memory_t from,
         dnnl_memory_t to)
{
  dnnl_exec_arg_t arguments[] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };

  dnnl_primitive_execute (self->reorders[i], self->stream, G_N_ELEMENTS (arguments), arguments);
}

static void
convolve (BenchOnednn *self,
          const dnnl_memory_t *memories)
{
  dnnl_exec_arg_t arguments[] = {
    { DNNL_ARG_SRC, memories[INPUT] },
    { DNNL_ARG_WEIGHTS, memories[WEIGHT] },
    { DNNL_ARG_DST, memories[RESULT] },
  };

  dnnl_primitive_execute (self->convolution, self->stream, G_N_ELEMENTS (arguments), arguments);
}

void
bench_onednn_run (BenchOnednn *self)
{
  if (self->is_plain)
    {
      convolve (self, self->plain);
      dnnl_stream_wait (self->stream);
      return;
    }
  reorder (self, INPUT, self->plain[INPUT], self->own[INPUT]);
  reorder (self, WEIGHT, self->plain[WEIGHT], self->own[WEIGHT]);
  convolve (self, self->own);
  reorder (self, RESULT, self->own[RESULT], self->plain[RESULT]);
  dnnl_stream_wait (self->stream);
}

void
bench_onednn_run_reordered (BenchOnednn *self)
{
  convolve (self, self->own);
  dnnl_stream_wait (self->stream);
}

void
bench_onednn_free (BenchOnednn *self)
{
  if (self->convolution != NULL)
    dnnl_primitive_destroy (self->convolution);
  for (int i = 0; i < N_MEMORIES; i++)
    {
      if (self->reorders[i] != NULL)
        dnnl_primitive_destroy (self->reorders[i]);
      if (self->own[i] != NULL)
        dnnl_memory_destroy (self->own[i]);
      dnnl_memory_destroy (self->plain[i]);
    }
  dnnl_stream_destroy (self->stream);
  dnnl_engine_destroy (self->engine);
  g_free (self);
}
