/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-site-table-private.h"

#define FIRST_N_SLOTS 64

void
sw_site_table_init (SwSiteTable *self,
                    const GType *carriers,
                    gsize n_carriers)
{
  self->n_slots = FIRST_N_SLOTS;
  self->n_used = 0;
  self->slots = g_malloc0 (self->n_slots * sizeof *self->slots);
  self->sites = g_array_new (FALSE, FALSE, sizeof (SwEventSite));
  self->every_carrier = carriers == NULL;
  self->carriers = g_memdup2 (carriers, n_carriers * sizeof (GType));
  self->n_carriers = n_carriers;
}

void
sw_site_table_clear (SwSiteTable *self)
{
  g_clear_pointer (&self->slots, g_free);
  g_clear_pointer (&self->carriers, g_free);
  g_clear_pointer (&self->sites, g_array_unref);
}

static gboolean
is_selected (SwSiteTable *self,
             GType carrier_type)
{
  if (self->every_carrier)
    return TRUE;
  for (gsize i = 0; i < self->n_carriers; i++)
    {
      if (self->carriers[i] == carrier_type)
        return TRUE;
    }
  return FALSE;
}

static void
insert (SwSiteTable *self,
        const SwBoundaryInfo *info,
        guint32 id)
{
  guint place = sw_site_hash (info) & (self->n_slots - 1);

  while (self->slots[place].name != NULL)
    place = (place + 1) & (self->n_slots - 1);

  self->slots[place].name = info->name;
  self->slots[place].carrier_type = info->carrier_type;
  self->slots[place].implementation_type = info->implementation_type;
  self->slots[place].id = id;
  self->n_used++;
}

static void
grow (SwSiteTable *self)
{
  SwSiteTable old = *self;

  self->n_slots *= 2;
  self->n_used = 0;
  self->slots = g_malloc0 (self->n_slots * sizeof *self->slots);
  for (guint i = 0; i < old.n_slots; i++)
    {
      SwBoundaryInfo info = { old.slots[i].name, old.slots[i].carrier_type, old.slots[i].implementation_type, NULL, 0 };

      if (info.name != NULL)
        insert (self, &info, old.slots[i].id);
    }
  g_free (old.slots);
}

guint32
sw_site_table_add (SwSiteTable *self,
                   const SwBoundaryInfo *info)
{
  guint32 id = SW_SITE_UNSELECTED;

  if (is_selected (self, info->carrier_type))
    {
      SwEventSite site = { info->name, info->carrier_type, info->implementation_type, NULL, NULL, NULL, NULL };

      id = self->sites->len;
      g_array_append_val (self->sites, site);
    }

  if (self->n_used * 2 >= self->n_slots)
    grow (self);
  insert (self, info, id);
  return id;
}
