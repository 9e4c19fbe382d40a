/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-registry-private.h"
#include "sw-profiler/zone/sw-zone-scope.h"
#include "sw-profiler/zone/sw-zone-tap-private.h"
#include "sw-profiler/zone/sw-zone-thread-private.h"

/* Its history is never asked for; queues are the larger for it. */
#define QUEUE_CAPACITY 65536

static SwZoneCore *fallback;   /* atomic; never freed */
static void (*waiting) (void); /* atomic */

SwZoneCore *
sw_zone_fallback_get (void)
{
  /* Acquire: it is whole. */
  return __atomic_load_n (&fallback, __ATOMIC_ACQUIRE);
}

static SwZoneCore *
make (void)
{
  g_autoptr (SwZoneProfilerDesc) desc = sw_zone_profiler_desc_new ();

  desc->thread_event_capacity = QUEUE_CAPACITY;
  desc->live_event_capacity = 1;
  desc->live_frame_count = 1;
  desc->frame_stats_window_size = 1;
  desc->enable_auto_zones = FALSE;
  return sw_zone_core_new (desc, NULL);
}

void
sw_zone_fallback_enable (gboolean enabled)
{
  SwZoneCore *core = sw_zone_fallback_get ();

  if (core != NULL)
    {
      sw_zone_core_set_enabled (core, enabled);
      return;
    }
  if (!enabled)
    return;
  core = make ();
  /* Release: see sw_zone_fallback_get (). One thread at a time makes it. */
  __atomic_store_n (&fallback, core, __ATOMIC_RELEASE);
}

static gboolean
set_waiting (void (*start) (void))
{
  /* Acquire and release: one thread switches from one state to the other. */
  return __atomic_exchange_n (&waiting, start, __ATOMIC_ACQ_REL) != NULL;
}

void
sw_zone_fallback_wait (void (*start) (void))
{
  if (!set_waiting (start))
    sw_zone_registry_open_gate ();
}

void
sw_zone_fallback_stop_waiting (void)
{
  if (set_waiting (NULL))
    sw_zone_registry_close_gate ();
}

void
sw_zone_fallback_check (void)
{
  /* Acquire: see set_waiting (). */
  void (*start) (void) = __atomic_load_n (&waiting, __ATOMIC_ACQUIRE);

  if (G_UNLIKELY (start != NULL))
    start ();
}
