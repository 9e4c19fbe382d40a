/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-tap-private.h"

#include "sw-profiler/zone/sw-zone-thread-private.h"

static const SwZoneTap *current;
static guint64 n_kept_drops;     /* atomic */
static guint64 n_kept_gpu_drops; /* atomic */

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

static void
add_core (SwZoneCore *core,
          gpointer data)
{
  g_ptr_array_add (data, sw_zone_core_ref (core));
}

static GPtrArray *
dup_cores (void)
{
  GPtrArray *cores = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_zone_core_unref);

  sw_zone_core_foreach (add_core, cores);
  return cores;
}

void
sw_zone_tap_drain_all (void)
{
  g_autoptr (GPtrArray) cores = dup_cores ();

  for (guint i = 0; i < cores->len; i++)
    {
      SwZoneCore *core = g_ptr_array_index (cores, i);

      sw_zone_core_lock_consumer (core);
      sw_zone_core_drain (core);
      sw_zone_core_unlock_consumer (core);
    }
}

static guint64
get_drops (const SwDiagnosticCounters *counters)
{
  return counters->queue_full + counters->stack_full;
}

/* What has not come by now comes too late. */
static guint64
get_gpu_drops (const SwDiagnosticCounters *counters)
{
  return counters->unresolved + counters->query_exhaustion + counters->pending_gpu_zones;
}

static guint64
count (const guint64 *kept,
       guint64 (*get) (const SwDiagnosticCounters *counters))
{
  g_autoptr (GPtrArray) cores = dup_cores ();
  /* Relaxed: only the number counts. */
  guint64 n = __atomic_load_n (kept, __ATOMIC_RELAXED);

  for (guint i = 0; i < cores->len; i++)
    {
      SwZoneCore *core = g_ptr_array_index (cores, i);
      SwDiagnosticCounters counters;

      sw_zone_core_lock_consumer (core);
      sw_zone_core_get_counters (core, &counters);
      sw_zone_core_unlock_consumer (core);
      n += get (&counters);
    }
  return n;
}

guint64
sw_zone_tap_count_drops (void)
{
  return count (&n_kept_drops, get_drops);
}

guint64
sw_zone_tap_count_gpu_drops (void)
{
  return count (&n_kept_gpu_drops, get_gpu_drops);
}

void
sw_zone_tap_keep_drops (const SwDiagnosticCounters *counters)
{
  /* Relaxed, both: only the number counts. */
  __atomic_fetch_add (&n_kept_drops, get_drops (counters), __ATOMIC_RELAXED);
  __atomic_fetch_add (&n_kept_gpu_drops, get_gpu_drops (counters), __ATOMIC_RELAXED);
}

void
sw_zone_tap_forget_drops (void)
{
  /* Relaxed, both: the caller is the only thread. */
  __atomic_store_n (&n_kept_drops, 0, __ATOMIC_RELAXED);
  __atomic_store_n (&n_kept_gpu_drops, 0, __ATOMIC_RELAXED);
}
