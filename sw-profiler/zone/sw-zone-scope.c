/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-scope.h"

#include "sw-profiler/zone/sw-zone-producer-inline-private.h"
#include "sw-profiler/zone/sw-zone-scope-private.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"
#include "sw-profiler/zone/sw-zone-thread-private.h"
#include "sw/base/sw-site-name-private.h"
#include "sw/base/sw-site-registry-private.h"

/* What the macros of C call behind the gate. Whatever happens once a zone is here or in the inline header; whatever does
 * not is in functions of its own. */

static guint G_GNUC_NO_INLINE
intern_site (SwZoneSite *site)
{
  g_autofree char *name = site->name == NULL ? sw_site_name_shorten (site->function) : NULL;
  guint id = sw_site_registry_intern (site->file, site->line, site->function, name != NULL ? name : site->name);

  /* Relaxed: whoever interns it gets the same number, and sites are found by it in their own order. */
  __atomic_store_n (&site->id, id, __ATOMIC_RELAXED);
  return id;
}

/* The thread has nowhere to record, or its profiler is disabled: perhaps for good, or since it is in a child of a fork. */
static SwZoneProducer *G_GNUC_NO_INLINE
find_producer (void)
{
  SwZoneThread *thread = sw_zone_thread_peek ();
  SwZoneProducer *producer = thread != NULL ? thread->current : NULL;
  gboolean has_fallback;

  sw_zone_fallback_check ();
  has_fallback = sw_zone_fallback_get () != NULL;
  if (thread == NULL && has_fallback)
    thread = sw_zone_thread_get ();
  if (thread == NULL || (producer == NULL && !thread->is_inherited && !has_fallback))
    return NULL;
  if (producer == NULL || sw_zone_core_is_closed (producer->core))
    producer = sw_zone_thread_refresh ();
  return producer != NULL && sw_zone_core_is_enabled (producer->core) ? producer : NULL;
}

SwZoneProducer *
sw_zone_find_recording (void)
{
  SwZoneProducer *producer = sw_zone_thread_get_recording ();

  return G_LIKELY (producer != NULL) ? producer : find_producer ();
}

/* Several threads may have frames of their own at a time where none has a profiler, and none may fail for it. */
SwZoneProducer *
sw_zone_find_recording_frames (void)
{
  SwZoneProducer *producer = sw_zone_find_recording ();

  return producer != NULL && producer->core != sw_zone_fallback_get () ? producer : NULL;
}

/**
 * sw_zone_scope_begin_recorded: (skip)
 * @site: where the zone is; of static storage
 *
 * Begins a zone of the thread's current profiler. This is what SW_PROFILE_ZONE() calls while any profiler is enabled.
 *
 * Returns: (nullable) (transfer none): the zone, to be ended on the same thread; %NULL when none is recorded
 */
SwOpenZone *
sw_zone_scope_begin_recorded (SwZoneSite *site)
{
  SwZoneProducer *producer = sw_zone_thread_get_recording ();
  /* Relaxed: see intern_site (). */
  guint id = __atomic_load_n (&site->id, __ATOMIC_RELAXED);

  if (G_UNLIKELY (producer == NULL))
    {
      producer = find_producer ();
      if (producer == NULL)
        return NULL;
    }
  if (G_UNLIKELY (id == 0))
    id = intern_site (site);
  return sw_zone_producer_begin_inline (producer, id, 0);
}

/* On another thread, or after a fork, or out of order. */
static void G_GNUC_NO_INLINE
end_unusual (SwOpenZone *zone,
             guint64 end)
{
  SwZoneProducer *producer = sw_open_zone_get_producer (zone);

  if (producer->owner == sw_zone_get_owner ())
    sw_zone_end_open (producer, zone, end);
  else if (producer->core != NULL)
    sw_zone_core_count_mishap (&producer->core->mishaps.misplaced_ends, 1);
}

/**
 * sw_zone_scope_end_recorded: (skip)
 * @zone: what sw_zone_scope_begin_recorded() returned
 *
 * Ends a zone. On another thread than the one that began it this has no effect, but to be counted.
 */
void
sw_zone_scope_end_recorded (SwOpenZone *zone)
{
  guint64 end = sw_clock_ticks ();
  SwZoneProducer *producer = sw_open_zone_get_producer (zone);

  if (G_UNLIKELY (producer->owner != sw_zone_get_owner () || producer->innermost != zone->slot))
    {
      end_unusual (zone, end);
      return;
    }
  producer->innermost = zone->parent;
  sw_zone_producer_publish (producer, zone, end);
}

void
sw_zone_end_open (SwZoneProducer *producer,
                  SwOpenZone *zone,
                  guint64 end)
{
  zone->serial = 0;
  if (G_UNLIKELY ((zone->flags & SW_ZONE_EVENT_ENCODER) != 0))
    sw_zone_gpu_end (producer, zone);
  if (!sw_zone_producer_end (producer, zone, end))
    sw_zone_core_count_mishap (&producer->core->mishaps.misplaced_ends, 1);
}

/**
 * sw_zone_scope_begin_recorded_frame: (skip)
 * @name: the frame's name
 *
 * Begins a frame of the thread's current profiler. This is what SW_PROFILE_FRAME() calls while any profiler is enabled.
 *
 * Returns: the frame, to be ended on any thread; 0 when none is recorded
 */
guint64
sw_zone_scope_begin_recorded_frame (const char *name)
{
  SwZoneProducer *producer = sw_zone_find_recording_frames ();

  return producer != NULL ? sw_zone_core_begin_frame (producer->core, name, NULL) : 0;
}

/**
 * sw_zone_scope_end_recorded_frame: (skip)
 * @frame: what sw_zone_scope_begin_recorded_frame() returned
 *
 * Ends a frame.
 */
void
sw_zone_scope_end_recorded_frame (guint64 frame)
{
  sw_profile_frame_end (frame, NULL);
}
