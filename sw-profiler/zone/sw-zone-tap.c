/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-tap-private.h"

#include "sw-profiler/zone/sw-zone-producer-inline-private.h"
#include "sw-profiler/zone/sw-zone-registry-private.h"

static const SwZoneTap *current;
static guint64 n_kept_drops;     /* atomic */
static guint64 n_kept_gpu_drops; /* atomic */
static guint64 n_drops;          /* of all, by the end; as is the next */
static guint64 n_gpu_drops;

void
sw_zone_tap_set (const SwZoneTap *tap)
{
  /* Release: what it needs is there. */
  __atomic_store_n (&current, tap, __ATOMIC_RELEASE);
}

const SwZoneTap *
sw_zone_tap_get (void)
{
  /* Acquire: see sw_zone_tap_set (). */
  return __atomic_load_n (&current, __ATOMIC_ACQUIRE);
}

void
sw_zone_tap_drain_all (void)
{
  g_autoptr (GPtrArray) cores = sw_zone_registry_dup_cores ();

  for (guint i = 0; i < cores->len; i++)
    {
      SwZoneCore *core = g_ptr_array_index (cores, i);

      sw_zone_core_lock_consumer (core);
      sw_zone_core_drain (core);
      sw_zone_core_unlock_consumer (core);
    }
}

/* A zone that was open when finish () looked. It may end, and be passed on as others are, before all queues are emptied. */
typedef struct
{
  SwZoneProducer *producer;
  SwZoneEvent event;
  gboolean has_ended;
} OpenZone;

static const SwZoneTap *finishing;
/* Complete before the last tap is set, and stays: a profiler that is made meanwhile may look into it. */
static GArray *open_zones;

static void
pass_on_last_zone (SwZoneProducer *producer,
                   const SwZoneEvent *event)
{
  for (guint i = 0; i < open_zones->len; i++)
    {
      OpenZone *open = &g_array_index (open_zones, OpenZone, i);

      if (open->producer == producer && open->event.slot == event->slot && open->event.start == event->start)
        open->has_ended = TRUE;
    }
  finishing->zone (producer, event);
}

static void
pass_on_last_frame (const char *name,
                    guint64 begin,
                    guint64 end)
{
  finishing->frame (name, begin, end);
}

static void
pass_on_last_gpu_zone (SwLane *lane,
                       guint32 site,
                       gint32 depth,
                       guint64 start_ns,
                       guint64 duration_ns)
{
  finishing->gpu_zone (lane, site, depth, start_ns, duration_ns);
}

static const SwZoneTap last_tap = { pass_on_last_zone, pass_on_last_frame, pass_on_last_gpu_zone, NULL };

/* Also of those whose profilers are gone. */
static void
find_open_zones (SwZoneCore *core)
{
  pthread_mutex_lock (&core->lock);
  for (SwZoneProducer *producer = core->producers; producer != NULL; producer = producer->next_of_core)
    for (guint slot = 0; slot < SW_ZONE_MAX_DEPTH; slot++)
      {
        OpenZone open = { .producer = producer };

        if (sw_zone_producer_copy_open (producer, slot, &open.event))
          g_array_append_val (open_zones, open);
      }
  pthread_mutex_unlock (&core->lock);
}

static void
pass_on_open_zones (void)
{
  for (guint i = 0; i < open_zones->len; i++)
    {
      const OpenZone *open = &g_array_index (open_zones, OpenZone, i);

      if (!open->has_ended)
        finishing->open_zone (open->producer, &open->event);
    }
}

/* What has not come by now comes too late. */
static guint64
get_gpu_drops (const SwDiagnosticCounters *counters)
{
  return counters->unresolved + counters->query_exhaustion + counters->pending_gpu_zones;
}

/* With the consumers of all cores locked, which keep theirs when they go. */
static void
count_drops (GPtrArray *cores)
{
  /* Relaxed, both: whoever kept some had the lock of a core. */
  n_drops = __atomic_load_n (&n_kept_drops, __ATOMIC_RELAXED);
  n_gpu_drops = __atomic_load_n (&n_kept_gpu_drops, __ATOMIC_RELAXED);
  for (guint i = 0; i < cores->len; i++)
    {
      SwZoneCore *core = g_ptr_array_index (cores, i);
      SwDiagnosticCounters counters;

      if (!core->has_kept_drops)
        n_drops += sw_zone_core_count_drops (core);
      core->has_kept_drops = TRUE;
      if (sw_zone_core_is_closed (core))
        continue;
      sw_zone_core_get_counters (core, &counters);
      n_gpu_drops += get_gpu_drops (&counters);
    }
}

/* Profilers that were made meanwhile are not among those that were locked. Who empties their queues just now may have seen
 * the tap before it went. */
static void
wait_for_others (void)
{
  g_autoptr (GPtrArray) cores = sw_zone_registry_dup_cores ();

  for (guint i = 0; i < cores->len; i++)
    {
      sw_zone_core_lock_consumer (g_ptr_array_index (cores, i));
      sw_zone_core_unlock_consumer (g_ptr_array_index (cores, i));
    }
}

void
sw_zone_tap_finish (void)
{
  g_autoptr (GPtrArray) cores = NULL;

  finishing = sw_zone_tap_get ();
  if (finishing == NULL)
    return;
  cores = sw_zone_registry_dup_cores ();
  g_clear_pointer (&open_zones, g_array_unref);
  open_zones = g_array_new (FALSE, FALSE, sizeof (OpenZone));
  /* All of them, in the order in which a fork takes them: nobody else passes on anything until all is, and then nothing. */
  for (guint i = 0; i < cores->len; i++)
    sw_zone_core_lock_consumer (g_ptr_array_index (cores, i));
  for (guint i = 0; i < cores->len; i++)
    find_open_zones (g_ptr_array_index (cores, i));
  sw_zone_tap_set (&last_tap);
  for (guint i = 0; i < cores->len; i++)
    sw_zone_core_drain (g_ptr_array_index (cores, i));
  pass_on_open_zones ();
  count_drops (cores);
  sw_zone_tap_set (NULL);
  for (guint i = 0; i < cores->len; i++)
    sw_zone_core_unlock_consumer (g_ptr_array_index (cores, i));
  wait_for_others ();
}

guint64
sw_zone_tap_count_drops (void)
{
  return n_drops;
}

guint64
sw_zone_tap_count_gpu_drops (void)
{
  return n_gpu_drops;
}

void
sw_zone_tap_keep_drops (guint64 n)
{
  /* Relaxed: only the number counts. */
  __atomic_fetch_add (&n_kept_drops, n, __ATOMIC_RELAXED);
}

void
sw_zone_tap_keep_gpu_drops (const SwDiagnosticCounters *counters)
{
  /* Relaxed: only the number counts. */
  __atomic_fetch_add (&n_kept_gpu_drops, get_gpu_drops (counters), __ATOMIC_RELAXED);
}

void
sw_zone_tap_forget_drops (void)
{
  /* Relaxed, both: the caller is the only thread. */
  __atomic_store_n (&n_kept_drops, 0, __ATOMIC_RELAXED);
  __atomic_store_n (&n_kept_gpu_drops, 0, __ATOMIC_RELAXED);
  n_drops = 0;
  n_gpu_drops = 0;
}
