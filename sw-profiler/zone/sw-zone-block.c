/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-block-private.h"

#include <sys/mman.h>
#include <unistd.h>

#include "sw-profiler/zone/sw-zone-types.h"

/* Every page will be written soon. To ask for them all at once takes a fraction of one fault for each, for whose time the
 * recording threads would have to wait. */
static void
populate (gpointer memory,
          gsize size)
{
#ifdef MADV_POPULATE_WRITE
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  gsize start = ((gsize) memory + page - 1) / page * page;
  gsize end = ((gsize) memory + size) / page * page;

  /* A kernel that does not know it refuses, and nothing is lost. */
  if (end > start)
    madvise ((gpointer) start, end - start, MADV_POPULATE_WRITE);
#endif
}

SwZoneBlock *
sw_zone_block_new (guint32 capacity)
{
  SwZoneBlock *self = g_try_malloc (sw_zone_block_size (capacity));

  if (self == NULL)
    return NULL;
  populate (self, sw_zone_block_size (capacity));
  sw_ref_count_init (&self->ref_count);
  self->capacity = capacity;
  self->start_ns = self->storage;
  self->duration_ns = self->start_ns + capacity;
  self->correlation_id = self->duration_ns + capacity;
  self->timeline_id = (guint32 *) (self->correlation_id + capacity);
  self->site_id = self->timeline_id + capacity;
  self->frame_index = self->site_id + capacity;
  return self;
}

void
sw_zone_block_unref (SwZoneBlock *self)
{
  if (sw_ref_count_dec (&self->ref_count))
    g_free (self);
}

static void
summarize_times (const SwZoneBlock *self,
                 guint32 first,
                 guint32 end,
                 SwZoneSummary *summary)
{
  guint64 first_start = G_MAXUINT64, last_end = 0;

  for (guint32 i = first; i < end; i++)
    {
      first_start = MIN (first_start, self->start_ns[i]);
      last_end = MAX (last_end, sw_zone_end_ns (self->start_ns[i], self->duration_ns[i]));
    }
  summary->first_start_ns = first_start;
  summary->last_end_ns = last_end;
}

static void
summarize_frames (const SwZoneBlock *self,
                  guint32 first,
                  guint32 end,
                  SwZoneSummary *summary)
{
  guint32 first_frame = SW_ZONE_NO_FRAME, last_frame = 0;

  for (guint32 i = first; i < end; i++)
    {
      first_frame = MIN (first_frame, self->frame_index[i]);
      /* One more than the frame: outside any it wraps to 0. */
      last_frame = MAX (last_frame, self->frame_index[i] + 1);
    }
  summary->first_frame = last_frame > 0 ? first_frame : 1;
  summary->last_frame = last_frame > 0 ? last_frame - 1 : 0;
}

void
sw_zone_block_summarize (const SwZoneBlock *self,
                         guint32 first,
                         guint32 n,
                         SwZoneSummary *summary)
{
  *summary = (SwZoneSummary){ .timelines = 0 };
  summarize_times (self, first, first + n, summary);
  summarize_frames (self, first, first + n, summary);
  for (guint32 i = first; i < first + n; i++)
    {
      summary->sites[self->site_id[i] / 64 % 8] |= G_GUINT64_CONSTANT (1) << self->site_id[i] % 64;
      summary->timelines |= G_GUINT64_CONSTANT (1) << self->timeline_id[i] % 64;
    }
}
