/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-gpu-private.h"

#include "sw-profiler/zone/sw-zone-core-private.h"
#include "sw-profiler/zone/sw-zone-producer-inline-private.h"
#include "sw/base/sw-site-registry-private.h"

void
sw_zone_gpu_init (SwZoneGpu *self)
{
  *self = (SwZoneGpu){ .pools = g_ptr_array_new () };
  pthread_mutex_init (&self->lock, NULL);
  self->early = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
}

/* Zones that are open keep their pools, in which they may end yet. */
void
sw_zone_gpu_clear (SwZoneGpu *self)
{
  GPtrArray *pools;

  pthread_mutex_lock (&self->lock);
  pools = g_steal_pointer (&self->pools);
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; i < pools->len; i++)
    sw_gpu_pool_unref (g_ptr_array_index (pools, i));
  g_ptr_array_unref (pools);
  g_clear_pointer (&self->early, g_hash_table_unref);
}

void
sw_zone_gpu_forget (SwZoneGpu *self)
{
  /* The pools stay as they are, with nobody to free them: a device does not follow into a child. */
  g_clear_pointer (&self->early, g_hash_table_unref);
  sw_zone_gpu_init (self);
}

SwGpuPool *
sw_gpu_pool_ref (SwGpuPool *self)
{
  sw_ref_count_inc (&self->refs);
  return self;
}

void
sw_gpu_pool_unref (SwGpuPool *self)
{
  if (!sw_ref_count_dec (&self->refs))
    return;
  for (guint i = 0; i < self->n_lanes; i++)
    g_clear_pointer (&self->lanes[i].lane, sw_lane_unref);
  sw_gpu_queue_free_pool (self->queue, self->handle);
  sw_gpu_queue_unref (self->queue);
  g_free (self->pairs);
  g_free (self->free_pairs);
  g_free (self);
}

static SwGpuPool *
create_pool (SwGpuQueue *queue,
             guint n_pairs)
{
  gpointer handle = sw_gpu_queue_create_pool (queue, 2 * n_pairs);
  SwGpuPool *self;

  if (handle == NULL)
    return NULL;
  self = g_new0 (SwGpuPool, 1);
  sw_ref_count_init (&self->refs);
  self->queue = sw_gpu_queue_ref (queue);
  self->handle = handle;
  self->n_pairs = n_pairs;
  self->pairs = g_new0 (SwGpuPair, n_pairs);
  self->free_pairs = g_new (guint, n_pairs);
  self->n_free = n_pairs;
  for (guint i = 0; i < n_pairs; i++)
    self->free_pairs[i] = n_pairs - 1 - i;
  return self;
}

/* With the lock. */
static SwGpuPool *
find_pool (SwZoneGpu *self,
           SwGpuQueue *queue)
{
  for (guint i = 0; self->pools != NULL && i < self->pools->len; i++)
    {
      SwGpuPool *pool = g_ptr_array_index (self->pools, i);

      if (pool->queue == queue)
        return pool;
    }
  return NULL;
}

/* A reference; NULL: the device has no room for one. */
static SwGpuPool *
get_pool (SwZoneCore *core,
          SwGpuQueue *queue)
{
  SwZoneGpu *self = &core->gpu;
  SwGpuPool *created = NULL;
  SwGpuPool *pool;

  pthread_mutex_lock (&self->lock);
  pool = find_pool (self, queue);
  if (pool != NULL)
    sw_gpu_pool_ref (pool);
  pthread_mutex_unlock (&self->lock);
  if (pool != NULL)
    return pool;

  created = create_pool (queue, (guint) core->desc.gpu_query_pool_size / 2);
  if (created == NULL)
    return NULL;
  pthread_mutex_lock (&self->lock);
  pool = find_pool (self, queue);
  if (pool == NULL && self->pools != NULL)
    {
      pool = sw_gpu_pool_ref (created);
      g_ptr_array_add (self->pools, created);
      created = NULL;
    }
  else if (pool != NULL)
    sw_gpu_pool_ref (pool);
  pthread_mutex_unlock (&self->lock);
  g_clear_pointer (&created, sw_gpu_pool_unref);
  return pool;
}

/* The number of the nearest enclosing zone that has times of the same queue. */
static guint64
find_parent (SwZoneProducer *producer,
             const SwOpenZone *zone,
             SwGpuPool *pool)
{
  for (guint8 slot = zone->parent; slot != SW_ZONE_NO_SLOT; slot = producer->zones[slot].parent)
    if ((producer->zones[slot].flags & SW_ZONE_EVENT_GPU) != 0 && producer->gpu->zones[slot].pool == pool)
      return producer->zones[slot].correlation;
  return 0;
}

/* Both queries of a zone at once: there is no half a zone. FALSE: none are left. */
static gboolean
take_pair (SwZoneCore *core,
           SwZoneProducer *producer,
           SwOpenZone *zone,
           SwGpuOpen *open)
{
  SwZoneGpu *self = &core->gpu;
  SwGpuPool *pool = open->pool;
  guint64 parent = pool != NULL ? find_parent (producer, zone, pool) : 0;
  SwGpuPair *pair;
  gboolean taken;

  pthread_mutex_lock (&self->lock);
  taken = pool != NULL && pool->n_free > 0;
  if (taken)
    {
      open->pair = pool->free_pairs[--pool->n_free];
      pair = &pool->pairs[open->pair];
      *pair = (SwGpuPair){ ++self->last_correlation, parent, zone->start, zone->site, SW_GPU_PAIR_OPEN };
      zone->correlation = pair->correlation;
    }
  else
    self->n_exhausted++;
  pthread_mutex_unlock (&self->lock);
  return taken;
}

void
sw_zone_gpu_begin (SwZoneProducer *producer,
                   SwOpenZone *zone,
                   SwProfilerEncoder *encoder)
{
  SwProfilerEncoderInterface *iface = SW_PROFILER_ENCODER_GET_IFACE (encoder);
  SwGpuQueue *queue = iface->get_queue (encoder);
  SwGpuOpen *open;

  if (producer->gpu == NULL)
    producer->gpu = g_new0 (SwZoneGpuOpen, 1);
  open = &producer->gpu->zones[zone->slot];
  *open = (SwGpuOpen){ .encoder = g_object_ref (encoder) };
  sw_open_zone_add_flags (zone, SW_ZONE_EVENT_ENCODER);

  /* Relaxed: a switch is seen soon, and orders nothing. */
  if (__atomic_load_n (&producer->core->debug_groups, __ATOMIC_RELAXED) != 0 && iface->push_group != NULL)
    {
      iface->push_group (encoder, sw_site_registry_get (zone->site)->name);
      open->is_group = TRUE;
    }
  /* Where there are no timestamps, none were asked for. */
  if (queue == NULL || !sw_gpu_queue_has_timestamps (queue))
    return;
  open->pool = get_pool (producer->core, queue);
  if (take_pair (producer->core, producer, zone, open))
    {
      sw_open_zone_add_flags (zone, SW_ZONE_EVENT_GPU);
      iface->write_timestamp (encoder, open->pool->handle, 2 * open->pair);
      return;
    }
  sw_open_zone_add_flags (zone, SW_ZONE_EVENT_GPU_EXHAUSTED);
  g_clear_pointer (&open->pool, sw_gpu_pool_unref);
}

void
sw_zone_gpu_end (SwZoneProducer *producer,
                 SwOpenZone *zone)
{
  SwGpuOpen *open = &producer->gpu->zones[zone->slot];
  SwProfilerEncoderInterface *iface = SW_PROFILER_ENCODER_GET_IFACE (open->encoder);
  SwZoneGpu *self = &producer->core->gpu;
  /* Nobody knows what has become of the commands by then. */
  gboolean is_forced = (zone->flags & SW_ZONE_EVENT_FORCED) != 0;

  if (open->pool != NULL)
    {
      if (!is_forced)
        iface->write_timestamp (open->encoder, open->pool->handle, 2 * open->pair + 1);
      pthread_mutex_lock (&self->lock);
      open->pool->pairs[open->pair].state = is_forced ? SW_GPU_PAIR_ABANDONED : SW_GPU_PAIR_ENDED;
      pthread_mutex_unlock (&self->lock);
    }
  if (open->is_group && !is_forced)
    iface->pop_group (open->encoder);
  g_clear_pointer (&open->pool, sw_gpu_pool_unref);
  g_clear_object (&open->encoder);
}

guint64
sw_zone_gpu_count_pending (SwZoneGpu *self)
{
  guint64 n = 0;

  pthread_mutex_lock (&self->lock);
  for (guint i = 0; self->pools != NULL && i < self->pools->len; i++)
    {
      SwGpuPool *pool = g_ptr_array_index (self->pools, i);

      n += pool->n_pairs - pool->n_free;
    }
  pthread_mutex_unlock (&self->lock);
  return n;
}

guint64
sw_zone_gpu_count_exhausted (SwZoneGpu *self)
{
  guint64 n;

  pthread_mutex_lock (&self->lock);
  n = self->n_exhausted;
  pthread_mutex_unlock (&self->lock);
  return n;
}

static void
unref_reading (gpointer data)
{
  sw_gpu_pool_unref (((SwGpuReading *) data)->pool);
}

/* With the lock. */
static void
collect_pool (SwGpuPool *pool,
              GArray *readings)
{
  for (guint i = 0; i < pool->n_pairs; i++)
    {
      SwGpuPairState state = pool->pairs[i].state;
      SwGpuReading reading = { .pool = pool, .index = i, .pair = pool->pairs[i], .result = SW_GPU_RESULT_LOST };

      if (state != SW_GPU_PAIR_ENDED && state != SW_GPU_PAIR_ABANDONED)
        continue;
      sw_gpu_pool_ref (pool);
      g_array_append_val (readings, reading);
    }
}

/* FALSE: another thread is at it. */
static gboolean
collect_pairs (SwZoneGpu *self,
               GArray *readings)
{
  gboolean may_tick;

  pthread_mutex_lock (&self->lock);
  may_tick = !self->is_ticking;
  self->is_ticking = TRUE;
  for (guint i = 0; may_tick && self->pools != NULL && i < self->pools->len; i++)
    collect_pool (g_ptr_array_index (self->pools, i), readings);
  pthread_mutex_unlock (&self->lock);
  return may_tick;
}

/* Without any lock: the device's library may take its time, or its own locks. */
static void
read_results (GArray *readings)
{
  for (guint i = 0; i < readings->len; i++)
    {
      SwGpuReading *reading = &g_array_index (readings, SwGpuReading, i);
      SwGpuPool *pool = reading->pool;

      if (reading->pair.state == SW_GPU_PAIR_ENDED)
        reading->result = sw_gpu_queue_read (pool->queue, pool->handle, 2 * reading->index, reading->ticks);
      if (reading->result != SW_GPU_RESULT_READY)
        continue;
      sw_gpu_queue_calibrate (pool->queue);
      reading->is_valid = sw_gpu_queue_convert (pool->queue, reading->ticks, &reading->start_ns, &reading->duration_ns);
    }
}

static void
give_back (SwZoneGpu *self,
           GArray *readings)
{
  pthread_mutex_lock (&self->lock);
  for (guint i = 0; i < readings->len; i++)
    {
      const SwGpuReading *reading = &g_array_index (readings, SwGpuReading, i);
      SwGpuPool *pool = reading->pool;

      if (reading->result == SW_GPU_RESULT_PENDING)
        continue;
      pool->pairs[reading->index].state = SW_GPU_PAIR_FREE;
      pool->free_pairs[pool->n_free++] = reading->index;
    }
  self->is_ticking = FALSE;
  pthread_mutex_unlock (&self->lock);
}

static void
place_results (SwZoneCore *core,
               GArray *readings)
{
  sw_zone_core_lock_consumer (core);
  sw_zone_core_drain (core);
  if (!sw_zone_core_is_closed (core))
    sw_zone_gpu_place (core, readings);
  sw_zone_core_unlock_consumer (core);
}

void
sw_zone_core_tick (SwZoneCore *core)
{
  GArray *readings = g_array_new (FALSE, FALSE, sizeof (SwGpuReading));

  g_array_set_clear_func (readings, unref_reading);
  if (collect_pairs (&core->gpu, readings))
    {
      read_results (readings);
      if (readings->len > 0)
        place_results (core, readings);
      give_back (&core->gpu, readings);
    }
  g_array_unref (readings);
}
