/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "sw/base/sw-ref-count-private.h"

G_BEGIN_DECLS

#define SW_ZONE_CHUNK_SIZE 4096

/* Memory of one chunk's columns, all but the parents. Rows are only ever added behind those that others may look at, so
 * that a block is shared between the one who fills it and the traces that end before its end. */
typedef struct
{
  SwRefCount ref_count;
  guint32 capacity;
  guint64 *start_ns;
  guint64 *duration_ns;
  guint64 *correlation_id;
  guint32 *timeline_id;
  guint32 *site_id;
  guint32 *frame_index;
  guint64 storage[];
} SwZoneBlock;

/* What rows there may be, for queries to pass over a chunk in one look. */
typedef struct
{
  guint64 sites[8];  /* bit (id % 512) */
  guint64 timelines; /* bit (id % 64) */
  guint64 first_start_ns;
  guint64 last_end_ns; /* exclusive; a zone of no duration ends 1 ns after its start */
  guint32 first_frame;
  guint32 last_frame; /* below the first one when all rows are outside frames */
} SwZoneSummary;

static inline gsize
sw_zone_block_size (guint32 capacity)
{
  return sizeof (SwZoneBlock) + capacity * (3 * sizeof (guint64) + 3 * sizeof (guint32));
}

/* NULL without memory. */
SwZoneBlock *sw_zone_block_new (guint32 capacity) G_GNUC_WARN_UNUSED_RESULT;
void sw_zone_block_unref (SwZoneBlock *self);
void sw_zone_block_summarize (const SwZoneBlock *self,
                              guint32 first,
                              guint32 n,
                              SwZoneSummary *summary);

static inline SwZoneBlock *
sw_zone_block_ref (SwZoneBlock *self)
{
  sw_ref_count_inc (&self->ref_count);
  return self;
}

/* A zone of no duration counts as an instant, which a range holds when it begins in it. */
static inline guint64
sw_zone_end_ns (guint64 start_ns,
                guint64 duration_ns)
{
  guint64 end = start_ns + MAX (duration_ns, 1);

  return end < start_ns ? G_MAXUINT64 : end;
}

static inline gboolean
sw_zone_summary_has_site (const SwZoneSummary *self,
                          guint32 site_id)
{
  return (self->sites[site_id / 64 % 8] >> site_id % 64 & 1) != 0;
}

G_END_DECLS
