/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "fake-gpu.h"

struct _FakeEncoder
{
  GObject parent_instance;

  FakeGpu *gpu;
};

static void
fake_encoder_implement (SwProfilerEncoderInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (FakeEncoder, fake_encoder, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE (SW_TYPE_PROFILER_ENCODER, fake_encoder_implement))

static SwGpuQueue *
get_queue (SwProfilerEncoder *encoder)
{
  return FAKE_ENCODER (encoder)->gpu->queue;
}

static void
write_timestamp (SwProfilerEncoder *encoder,
                 gpointer pool,
                 guint query)
{
  FakeGpu *gpu = FAKE_ENCODER (encoder)->gpu;
  FakePair *pair = &gpu->pairs[query / 2];

  g_assert_true (pool == gpu->pairs);
  g_assert_cmpuint (query / 2, <, gpu->n_pairs);
  if (query % 2 == 0)
    *pair = (FakePair){ .written = { TRUE, FALSE } };
  pair->written[query % 2] = TRUE;
  gpu->now += gpu->step;
  pair->ticks[query % 2] = gpu->device_now != NULL ? gpu->device_now () : gpu->now;
  pair->is_ready = gpu->is_eager && query % 2 == 1;
}

static void
push_group (SwProfilerEncoder *encoder,
            const char *name)
{
  g_ptr_array_add (FAKE_ENCODER (encoder)->gpu->groups, g_strdup (name));
}

static void
pop_group (SwProfilerEncoder *encoder)
{
  g_ptr_array_add (FAKE_ENCODER (encoder)->gpu->groups, NULL);
}

static void
fake_encoder_implement (SwProfilerEncoderInterface *iface)
{
  iface->get_queue = get_queue;
  iface->write_timestamp = write_timestamp;
  iface->push_group = push_group;
  iface->pop_group = pop_group;
}

static void
fake_encoder_class_init (FakeEncoderClass *klass)
{
}

static void
fake_encoder_init (FakeEncoder *self)
{
}

FakeEncoder *
fake_encoder_new (FakeGpu *gpu)
{
  FakeEncoder *self = g_object_new (FAKE_TYPE_ENCODER, NULL);

  self->gpu = gpu;
  return self;
}

static gpointer
create_pool (gpointer device,
             guint n_queries)
{
  FakeGpu *self = device;

  if (self->refuses_pools)
    return NULL;
  /* One at a time is enough for a test. */
  g_assert_cmpuint (self->n_pools, ==, 0);
  self->n_pools++;
  self->n_pairs = n_queries / 2;
  self->pairs = g_new0 (FakePair, self->n_pairs);
  return self->pairs;
}

static void
free_pool (gpointer device,
           gpointer pool)
{
  FakeGpu *self = device;

  g_assert_true (pool == self->pairs);
  self->n_pools--;
  g_clear_pointer (&self->pairs, g_free);
}

static SwGpuResult
read_pair (gpointer device,
           gpointer pool,
           guint first_query,
           guint64 ticks[2])
{
  FakeGpu *self = device;
  const FakePair *pair = &self->pairs[first_query / 2];

  self->n_reads++;
  g_assert_true (pair->written[0] && pair->written[1]);
  if (pair->is_lost)
    return SW_GPU_RESULT_LOST;
  if (!pair->is_ready)
    return SW_GPU_RESULT_PENDING;
  ticks[0] = pair->ticks[0];
  ticks[1] = pair->ticks[1];
  return SW_GPU_RESULT_READY;
}

static gboolean
calibrate (gpointer device,
           guint64 *ticks,
           gint64 *ns)
{
  FakeGpu *self = device;

  self->n_calibrations++;
  *ticks = self->device_now != NULL ? self->device_now () : self->now;
  *ns = self->host_now != NULL ? self->host_now () : g_get_monotonic_time () * 1000;
  return !self->calibration_fails;
}

static const SwGpuBackend backend = { create_pool, free_pool, read_pair, calibrate };

FakeGpu *
fake_gpu_new (guint timestamp_bits,
              guint64 period_numerator,
              guint64 period_denominator)
{
  const SwGpuQueueInfo info = { "fake queue", 7, 3, timestamp_bits, period_numerator, period_denominator };
  FakeGpu *self = g_new0 (FakeGpu, 1);

  self->now = 1000000;
  self->step = 10;
  self->groups = g_ptr_array_new_with_free_func (g_free);
  self->queue = sw_gpu_queue_new (&backend, self, NULL, &info);
  return self;
}

void
fake_gpu_free (FakeGpu *self)
{
  g_assert_cmpuint (self->n_pools, ==, 0);
  sw_gpu_queue_unref (self->queue);
  g_ptr_array_unref (self->groups);
  g_free (self);
}

void
fake_gpu_finish (FakeGpu *self)
{
  for (guint i = 0; i < self->n_pairs; i++)
    self->pairs[i].is_ready = self->pairs[i].written[0] && self->pairs[i].written[1];
}

void
fake_gpu_lose (FakeGpu *self)
{
  for (guint i = 0; i < self->n_pairs; i++)
    self->pairs[i].is_lost = TRUE;
}
