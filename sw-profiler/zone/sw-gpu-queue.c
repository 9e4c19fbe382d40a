/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-gpu-queue-private.h"

#include <pthread.h>

#include "sw/base/sw-ref-count-private.h"

#define CALIBRATION_NS G_GINT64_CONSTANT (2000000000)

struct _SwGpuQueue
{
  SwRefCount refs;
  const SwGpuBackend *backend;
  gpointer device;
  GDestroyNotify free_device;
  SwGpuQueueInfo info;
  guint64 number;
  guint64 mask; /* of the bits of a timestamp that count */
  guint generation;

  pthread_mutex_t lock; /* of what follows */
  gboolean is_calibrated;
  gint64 calibrated_ns;
  SwZoneTime time;
  guint64 last_ticks; /* as the device gave them */
  guint64 converted;  /* the last count that was converted */
  guint64 last_count; /* with what the device's counter lost by wrapping around */
};

static guint64 last_number;
static guint generation;

void
sw_gpu_queue_forget_devices (void)
{
  generation++;
}

SwGpuQueue *
sw_gpu_queue_new (const SwGpuBackend *backend,
                  gpointer device,
                  GDestroyNotify free_device,
                  const SwGpuQueueInfo *info)
{
  SwGpuQueue *self = g_new0 (SwGpuQueue, 1);

  sw_ref_count_init (&self->refs);
  self->backend = backend;
  self->device = device;
  self->free_device = free_device;
  self->info = *info;
  self->info.name = g_strdup (info->name);
  self->mask = info->timestamp_bits >= 64 ? G_MAXUINT64 : ((guint64) 1 << info->timestamp_bits) - 1;
  self->generation = generation;
  /* Relaxed: the numbers only have to differ. */
  self->number = __atomic_add_fetch (&last_number, 1, __ATOMIC_RELAXED);
  pthread_mutex_init (&self->lock, NULL);
  return self;
}

SwGpuQueue *
sw_gpu_queue_ref (SwGpuQueue *self)
{
  sw_ref_count_inc (&self->refs);
  return self;
}

void
sw_gpu_queue_unref (SwGpuQueue *self)
{
  if (!sw_ref_count_dec (&self->refs))
    return;
  if (self->free_device != NULL)
    self->free_device (self->device);
  if (self->is_calibrated)
    sw_zone_time_clear (&self->time);
  pthread_mutex_destroy (&self->lock);
  g_free ((char *) self->info.name);
  g_free (self);
}

guint64
sw_gpu_queue_get_number (const SwGpuQueue *self)
{
  return self->number;
}

const SwGpuQueueInfo *
sw_gpu_queue_get_info (const SwGpuQueue *self)
{
  return &self->info;
}

gboolean
sw_gpu_queue_has_timestamps (const SwGpuQueue *self)
{
  return self->info.timestamp_bits > 0 && self->generation == generation;
}

gpointer
sw_gpu_queue_create_pool (SwGpuQueue *self,
                          guint n_queries)
{
  return self->backend->create_pool (self->device, n_queries);
}

void
sw_gpu_queue_free_pool (SwGpuQueue *self,
                        gpointer pool)
{
  self->backend->free_pool (self->device, pool);
}

SwGpuResult
sw_gpu_queue_read (SwGpuQueue *self,
                   gpointer pool,
                   guint first_query,
                   guint64 ticks[2])
{
  return self->backend->read (self->device, pool, first_query, ticks);
}

/* With the lock. Nothing lies further from the last than half of what the counter can count. */
static guint64
unwrap (SwGpuQueue *self,
        guint64 ticks)
{
  guint64 ahead = (ticks - self->last_ticks) & self->mask;
  guint64 behind = (self->last_ticks - ticks) & self->mask;

  if (ahead > behind)
    return self->last_count - behind;
  self->last_ticks = ticks & self->mask;
  self->last_count += ahead;
  return self->last_count;
}

/* With the lock. */
static void
take_calibration (SwGpuQueue *self,
                  guint64 ticks,
                  gint64 ns)
{
  const SwGpuQueueInfo *info = &self->info;
  SwClockAnchor now = { 0, ns };

  if (!self->is_calibrated)
    {
      /* Far from 0, so that there is room for what came before. */
      self->last_ticks = ticks & self->mask;
      self->last_count = (guint64) 1 << 62;
      now.ticks = self->last_count;
      sw_zone_time_init_foreign (&self->time, now, info->period_numerator, info->period_denominator);
      self->is_calibrated = TRUE;
    }
  else
    {
      now.ticks = unwrap (self, ticks);
      sw_zone_time_correct (&self->time, now, self->converted,
                            (guint64) ((unsigned __int128) CALIBRATION_NS * info->period_denominator / MAX (info->period_numerator, 1)));
    }
}

void
sw_gpu_queue_calibrate (SwGpuQueue *self)
{
  gint64 host_ns = sw_clock_anchor ().ns;
  gboolean is_due;
  guint64 ticks;
  gint64 ns;

  pthread_mutex_lock (&self->lock);
  is_due = !self->is_calibrated || host_ns - self->calibrated_ns >= CALIBRATION_NS;
  if (is_due)
    self->calibrated_ns = host_ns;
  pthread_mutex_unlock (&self->lock);

  if (!is_due || !self->backend->calibrate (self->device, &ticks, &ns))
    return;
  pthread_mutex_lock (&self->lock);
  take_calibration (self, ticks, ns);
  pthread_mutex_unlock (&self->lock);
}

gboolean
sw_gpu_queue_convert (SwGpuQueue *self,
                      const guint64 ticks[2],
                      guint64 *start_ns,
                      guint64 *duration_ns)
{
  guint64 elapsed = (ticks[1] - ticks[0]) & self->mask;
  gboolean is_calibrated;

  /* Drivers give zeros for what they could not measure, and a device that was reset counts from 0 again. */
  if ((ticks[0] == 0 && ticks[1] == 0) || elapsed > self->mask / 2)
    return FALSE;
  *duration_ns = (guint64) ((unsigned __int128) elapsed * self->info.period_numerator / MAX (self->info.period_denominator, 1));

  pthread_mutex_lock (&self->lock);
  is_calibrated = self->is_calibrated;
  if (is_calibrated)
    {
      guint64 count = unwrap (self, ticks[0]);

      self->converted = MAX (self->converted, count);
      *start_ns = sw_zone_time_to_ns_slowly (&self->time, count);
    }
  pthread_mutex_unlock (&self->lock);
  return is_calibrated;
}
