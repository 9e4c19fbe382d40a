/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-event-source-private.h"
#include "sw/operations/sw-boundary-private.h"

G_BEGIN_DECLS

/* A site that the carrier filter leaves out. */
#define SW_SITE_UNSELECTED G_MAXUINT32

/* Interns (name, carrier type, implementation type), and keeps with each whether the filter selects it. */
typedef struct
{
  struct
  {
    const char *name; /* NULL: free */
    GType carrier_type;
    GType implementation_type;
    guint32 id;
  } *slots;
  guint n_slots; /* a power of two */
  guint n_used;
  GArray *sites; /* of SwEventSite, by id */
  GType *carriers;
  gsize n_carriers;
  gboolean every_carrier;
} SwSiteTable;

void sw_site_table_init (SwSiteTable *self,
                         const GType *carriers,
                         gsize n_carriers);
void sw_site_table_clear (SwSiteTable *self);
guint32 sw_site_table_add (SwSiteTable *self,
                           const SwBoundaryInfo *info);

static inline guint
sw_site_hash (const SwBoundaryInfo *info)
{
  guint64 key = (guint64) GPOINTER_TO_SIZE (info->name) ^ (guint64) info->implementation_type ^ ((guint64) info->carrier_type << 1);

  return (guint) ((key * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32);
}

/* The names are interned, so equal text means equal pointers. */
static inline guint32
sw_site_table_lookup (SwSiteTable *self,
                      const SwBoundaryInfo *info)
{
  for (guint i = sw_site_hash (info);; i++)
    {
      guint place = i & (self->n_slots - 1);

      if (self->slots[place].name == info->name &&
          self->slots[place].carrier_type == info->carrier_type &&
          self->slots[place].implementation_type == info->implementation_type)
        return self->slots[place].id;
      if (self->slots[place].name == NULL)
        return sw_site_table_add (self, info);
    }
}

G_END_DECLS
