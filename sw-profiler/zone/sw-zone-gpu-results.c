/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-consumer-private.h"
#include "sw-profiler/zone/sw-zone-gpu-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"

/* Results become rows on timelines of their queue. A queue works on more than one thing at a time, so zones overlap that
 * nobody nested: whatever does not fit into its parent's time goes to a track on which nothing overlaps it. */

static int
compare_readings (gconstpointer a,
                  gconstpointer b)
{
  const SwGpuReading *left = a;
  const SwGpuReading *right = b;

  if (left->start_ns != right->start_ns)
    return left->start_ns < right->start_ns ? -1 : 1;
  /* The outer one of those that begin together. */
  if (left->duration_ns != right->duration_ns)
    return left->duration_ns > right->duration_ns ? -1 : 1;
  return left->pair.correlation < right->pair.correlation ? -1 : 1;
}

/* Among those that have their places: they began earlier. */
static SwGpuReading *
find_parent (GHashTable *placed,
             const SwGpuReading *child)
{
  SwGpuReading *parent = child->pair.parent != 0 ? g_hash_table_lookup (placed, &child->pair.parent) : NULL;

  if (parent == NULL || parent->pool != child->pool || child->start_ns < parent->busy_until ||
      child->start_ns + child->duration_ns > parent->start_ns + parent->duration_ns)
    return NULL;
  return parent;
}

static guint
find_lane (SwGpuPool *pool,
           const SwGpuReading *reading)
{
  for (guint i = 0; i < pool->n_lanes; i++)
    if (pool->lanes[i].busy_until <= reading->start_ns)
      return i;
  if (pool->n_lanes == SW_GPU_MAX_LANES)
    return SW_GPU_MAX_LANES - 1;
  pool->lanes[pool->n_lanes].busy_until = 0;
  return pool->n_lanes++;
}

static char *
name_lane (const SwGpuPool *pool,
           guint lane)
{
  const SwGpuQueueInfo *info = sw_gpu_queue_get_info (pool->queue);

  return lane == 0 ? g_strdup (info->name) : g_strdup_printf ("%s (%u)", info->name, lane + 1);
}

static guint32
find_timeline (SwZoneTraceBuilder *builder,
               SwGpuPool *pool,
               guint lane)
{
  const SwGpuQueueInfo *info = sw_gpu_queue_get_info (pool->queue);
  guint64 key = (sw_gpu_queue_get_number (pool->queue) * SW_GPU_MAX_LANES + lane) << 1 | 1;
  guint32 id = sw_zone_trace_builder_find_timeline (builder, key);

  if (id == SW_ZONE_NO_TIMELINE)
    {
      g_autofree char *name = name_lane (pool, lane);
      g_autoptr (SwTimeline) timeline = sw_timeline_new (SW_TIMELINE_TYPE_GPU, name, 0, info->device_id, info->queue);

      id = sw_zone_trace_builder_add_timeline (builder, key, timeline);
    }
  return id;
}

static void
add_to_capture (SwZoneCore *core,
                SwGpuReading *reading,
                SwZoneRow *row,
                const SwGpuReading *parent)
{
  SwZoneCapture *capture = &core->capture;

  if (!capture->active || reading->pair.cpu_start < capture->start)
    return;
  if (capture->is_full)
    {
      capture->memory_limit++;
      return;
    }
  row->timeline_id = find_timeline (capture->builder, reading->pool, reading->lane);
  row->parent = parent != NULL ? parent->capture_row : SW_ZONE_NO_ROW;
  if (row->timeline_id == SW_ZONE_NO_TIMELINE)
    sw_zone_capture_fill_up (core);
  else
    reading->capture_row = sw_zone_capture_append (core, row);
}

static void
add_rows (SwZoneCore *core,
          SwGpuReading *reading,
          const SwGpuReading *parent)
{
  SwZoneRow row = { .start_ns = reading->start_ns, .duration_ns = reading->duration_ns };

  row.correlation_id = reading->pair.correlation;
  row.site_id = reading->pair.site;
  sw_zone_open_frames_find (&core->open_frames, reading->pair.cpu_start, &row.frame_index);

  row.timeline_id = find_timeline (core->live, reading->pool, reading->lane);
  row.parent = parent != NULL ? parent->live_row : SW_ZONE_NO_ROW;
  reading->live_row = sw_zone_trace_builder_append (core->live, &row);
  add_to_capture (core, reading, &row, parent);
}

static void
pass_to_tap (const SwZoneTap *tap,
             const SwGpuReading *reading)
{
  SwGpuLane *lane = &reading->pool->lanes[reading->lane];

  if (lane->lane == NULL)
    {
      g_autofree char *name = name_lane (reading->pool, reading->lane);

      lane->lane = sw_lane_new_for_queue (name);
    }
  tap->gpu_zone (lane->lane, reading->pair.site, reading->depth, reading->start_ns, reading->duration_ns);
}

static void
place (SwZoneCore *core,
       GHashTable *placed,
       SwGpuReading *reading)
{
  SwGpuReading *parent = find_parent (placed, reading);
  const SwZoneTap *tap = sw_zone_tap_get ();
  guint64 end = reading->start_ns + reading->duration_ns;

  reading->live_row = SW_ZONE_NO_ROW;
  reading->capture_row = SW_ZONE_NO_ROW;
  reading->busy_until = reading->start_ns;
  reading->lane = parent != NULL ? parent->lane : find_lane (reading->pool, reading);
  reading->depth = parent != NULL ? parent->depth + 1 : 0;
  if (parent != NULL)
    parent->busy_until = end;
  else
    reading->pool->lanes[reading->lane].busy_until = end;
  add_rows (core, reading, parent);
  if (G_UNLIKELY (tap != NULL))
    pass_to_tap (tap, reading);
  g_hash_table_insert (placed, &reading->pair.correlation, reading);
}

static void
resolve (SwZoneCore *core,
         const SwGpuReading *reading)
{
  SwFrameGpu gpu = reading->is_valid ? SW_FRAME_GPU_COMPLETE : SW_FRAME_GPU_INCOMPLETE;
  guint64 correlation = reading->pair.correlation;
  SwGpuEarly early = { .gpu = gpu, .ns = reading->duration_ns };

  if (reading->is_valid)
    core->gpu.n_recorded++;
  else
    {
      core->gpu.n_unresolved++;
      if (core->capture.active && reading->pair.cpu_start >= core->capture.start)
        core->capture.unresolved++;
    }
  if (sw_frame_accumulator_resolve (core->accumulator, correlation, gpu, reading->duration_ns))
    return;
  /* The frame may be open still, and then has use for it when it is complete. */
  if (sw_zone_open_frames_find (&core->open_frames, reading->pair.cpu_start, &early.frame) != NULL)
    g_hash_table_insert (core->gpu.early, g_memdup2 (&correlation, sizeof correlation), g_memdup2 (&early, sizeof early));
}

void
sw_zone_gpu_place (SwZoneCore *core,
                   GArray *readings)
{
  GArray *done = g_array_new (FALSE, FALSE, sizeof (SwGpuReading));
  GHashTable *placed = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < readings->len; i++)
    if (g_array_index (readings, SwGpuReading, i).result != SW_GPU_RESULT_PENDING)
      g_array_append_val (done, g_array_index (readings, SwGpuReading, i));
  g_array_sort (done, compare_readings);

  for (guint i = 0; i < done->len; i++)
    {
      SwGpuReading *reading = &g_array_index (done, SwGpuReading, i);

      if (reading->is_valid)
        place (core, placed, reading);
      resolve (core, reading);
    }
  g_hash_table_unref (placed);
  sw_zone_consumer_trim_live (core);
  g_array_unref (done);
}

static gboolean
is_of_frame (gpointer key,
             gpointer value,
             gpointer frame)
{
  return ((SwGpuEarly *) value)->frame == *(guint32 *) frame;
}

void
sw_zone_gpu_settle_frame (SwZoneGpu *self,
                          guint32 frame,
                          GArray *zones)
{
  if (g_hash_table_size (self->early) == 0)
    return;
  for (guint i = 0; i < zones->len; i++)
    {
      SwFrameZone *zone = &g_array_index (zones, SwFrameZone, i);
      const SwGpuEarly *early = zone->gpu == SW_FRAME_GPU_PENDING ? g_hash_table_lookup (self->early, &zone->gpu_token) : NULL;

      if (early == NULL)
        continue;
      zone->gpu = early->gpu;
      zone->gpu_ns = early->ns;
    }
  g_hash_table_foreach_remove (self->early, is_of_frame, &frame);
}
