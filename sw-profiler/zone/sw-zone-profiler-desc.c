/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-profiler-desc-private.h"
#include "sw/base/sw-error.h"

#define MAX_THREAD_EVENTS ((gint64) 1 << 26)
#define MAX_EVENTS ((gint64) 1 << 30)
#define MAX_FRAMES ((gint64) 1 << 20)
#define MAX_QUERIES ((gint64) 1 << 20)

G_DEFINE_BOXED_TYPE (SwZoneProfilerDesc, sw_zone_profiler_desc, sw_zone_profiler_desc_copy, sw_zone_profiler_desc_free)
G_DEFINE_BOXED_TYPE (SwCaptureDesc, sw_capture_desc, sw_capture_desc_copy, sw_capture_desc_free)

/**
 * sw_zone_profiler_desc_new:
 *
 * Makes a description with the default values.
 *
 * Returns: (transfer full): the description, whose fields may be changed
 */
SwZoneProfilerDesc *
sw_zone_profiler_desc_new (void)
{
  SwZoneProfilerDesc *self = g_new0 (SwZoneProfilerDesc, 1);

  self->thread_event_capacity = 8192;
  self->live_frame_count = 120;
  self->live_event_capacity = 100000;
  self->frame_stats_window_size = 120;
  self->gpu_query_pool_size = 16384;
  self->enable_auto_zones = TRUE;
  return self;
}

/**
 * sw_zone_profiler_desc_copy:
 * @self: a description
 *
 * Copies a description.
 *
 * Returns: (transfer full): the copy
 */
SwZoneProfilerDesc *
sw_zone_profiler_desc_copy (const SwZoneProfilerDesc *self)
{
  return g_memdup2 (self, sizeof *self);
}

/**
 * sw_zone_profiler_desc_free:
 * @self: (transfer full): a description
 *
 * Frees a description.
 */
void
sw_zone_profiler_desc_free (SwZoneProfilerDesc *self)
{
  g_free (self);
}

static gboolean
check_range (const char *field,
             gint64 value,
             gint64 most,
             GError **error)
{
  if (value > 0 && value <= most)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
               "%s is %" G_GINT64_FORMAT ", and must be from 1 to %" G_GINT64_FORMAT, field, value, most);
  return FALSE;
}

gboolean
sw_zone_profiler_desc_check (const SwZoneProfilerDesc *self,
                             GError **error)
{
  if (!check_range ("thread_event_capacity", self->thread_event_capacity, MAX_THREAD_EVENTS, error) ||
      !check_range ("live_frame_count", self->live_frame_count, MAX_FRAMES, error) ||
      !check_range ("live_event_capacity", self->live_event_capacity, MAX_EVENTS, error) ||
      !check_range ("frame_stats_window_size", self->frame_stats_window_size, MAX_FRAMES, error) ||
      !check_range ("gpu_query_pool_size", self->gpu_query_pool_size, MAX_QUERIES, error))
    return FALSE;

  if ((self->thread_event_capacity & (self->thread_event_capacity - 1)) != 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "thread_event_capacity is %" G_GINT64_FORMAT ", which is no power of two", self->thread_event_capacity);
      return FALSE;
    }
  if (self->gpu_query_pool_size % 2 != 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                   "gpu_query_pool_size is %" G_GINT64_FORMAT ", which is not even: a zone takes two queries",
                   self->gpu_query_pool_size);
      return FALSE;
    }
  return TRUE;
}

/**
 * sw_capture_desc_new:
 *
 * Makes a description with the default value.
 *
 * Returns: (transfer full): the description, whose field may be changed
 */
SwCaptureDesc *
sw_capture_desc_new (void)
{
  SwCaptureDesc *self = g_new0 (SwCaptureDesc, 1);

  self->max_memory_bytes = (gint64) 256 << 20;
  return self;
}

/**
 * sw_capture_desc_copy:
 * @self: a description
 *
 * Copies a description.
 *
 * Returns: (transfer full): the copy
 */
SwCaptureDesc *
sw_capture_desc_copy (const SwCaptureDesc *self)
{
  return g_memdup2 (self, sizeof *self);
}

/**
 * sw_capture_desc_free:
 * @self: (transfer full): a description
 *
 * Frees a description.
 */
void
sw_capture_desc_free (SwCaptureDesc *self)
{
  g_free (self);
}

gboolean
sw_capture_desc_check (const SwCaptureDesc *self,
                       GError **error)
{
  return check_range ("max_memory_bytes", self->max_memory_bytes, G_MAXINT64, error);
}
