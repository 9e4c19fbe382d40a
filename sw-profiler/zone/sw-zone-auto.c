/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-auto-private.h"

#include <string.h>

#include "sw-profiler/operation/sw-type-name.h"
#include "sw-profiler/zone/sw-zone-producer-inline-private.h"
#include "sw-profiler/zone/sw-zone-scope-private.h"
#include "sw-profiler/zone/sw-zone-thread-private.h"
#include "sw/base/sw-site-registry-private.h"
#include "sw/operations/sw-boundary-private.h"

/* A boundary's slot keeps the zone where others keep the number of their recording. */

static guint G_GNUC_NO_INLINE
intern_operation (SwZoneOperationSite *known,
                  const SwBoundaryInfo *info)
{
  const char *carrier = sw_profiler_get_type_name (info->carrier_type);
  const char *module_end = strrchr (carrier, '.');
  g_autofree char *name = g_strconcat (module_end != NULL ? module_end + 1 : carrier, "::", info->name, NULL);

  known->carrier_type = info->carrier_type;
  known->name = info->name;
  known->site = sw_site_registry_intern (NULL, 0, carrier, name);
  return known->site;
}

static inline guint
find_site (SwZoneThread *thread,
           const SwBoundaryInfo *info)
{
  gsize hash = ((gsize) info->carrier_type >> 4) * 31 + ((gsize) info->name >> 3);
  SwZoneOperationSite *known = &thread->operation_sites[(hash ^ hash >> 8) % SW_ZONE_N_OPERATION_SITES];

  if (G_LIKELY (known->carrier_type == info->carrier_type && known->name == info->name))
    return known->site;
  return intern_operation (known, info);
}

static gboolean
enter (gpointer recorder,
       SwBoundarySlot *slot,
       const SwBoundarySlot *enclosing,
       const SwBoundaryInfo *info)
{
  SwZoneProducer *producer = sw_zone_find_recording ();
  SwOpenZone *zone;

  /* Relaxed: a switch is seen soon, and orders nothing. */
  if (producer == NULL || __atomic_load_n (&producer->core->auto_zones, __ATOMIC_RELAXED) == 0)
    return FALSE;
  zone = sw_zone_producer_begin_inline (producer, find_site (recorder, info), SW_ZONE_EVENT_AUTO);
  slot->session = (guint64) (gsize) zone;
  return zone != NULL;
}

static void
leave (gpointer recorder,
       SwBoundarySlot *slot,
       SwBoundarySlot *enclosing,
       gboolean succeeded)
{
  sw_zone_scope_end_recorded ((SwOpenZone *) (gsize) slot->session);
}

static const SwBoundaryObserver observer = { NULL, enter, leave };

void
sw_zone_auto_watch (void)
{
  sw_boundary_set_observer (SW_RECORDER_ZONES, &observer);
}
