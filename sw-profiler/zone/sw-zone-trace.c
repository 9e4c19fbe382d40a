/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-trace-private.h"

#include <string.h>

/**
 * SwZoneTrace:
 *
 * What a capture recorded, or a copy of the live history: zones in columns, the timelines they lie on, the sites that they
 * come from, and the frames.
 *
 * Zones come in the order in which they ended; a zone's index is its place in that order, counted through all chunks from
 * 0. All chunks are full but the first and the last.
 *
 * The value never changes and may be used from any thread.
 */

G_DEFINE_BOXED_TYPE (SwZoneTrace, sw_zone_trace, sw_zone_trace_ref, sw_zone_trace_unref)

/**
 * sw_zone_trace_ref:
 * @self: the trace
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwZoneTrace *
sw_zone_trace_ref (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_zone_trace_unref:
 * @self: (transfer full): the trace
 *
 * Gives a reference back. May be called on any thread; the last one frees the trace.
 */
void
sw_zone_trace_unref (SwZoneTrace *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  for (guint32 i = 0; i < self->n_chunks; i++)
    sw_zone_chunk_unref (self->chunks[i]);
  for (guint32 i = 0; i < self->n_timelines; i++)
    sw_timeline_unref (self->timelines[i]);
  for (guint32 i = 0; i < self->n_frames; i++)
    sw_zone_frame_unref (self->frames[i]);
  sw_profiler_diagnostics_unref (self->diagnostics);
  g_free (self->chunks);
  g_free (self->timelines);
  g_free (self->frames);
  g_free (self->sites);
  g_free (self);
}

/**
 * sw_zone_trace_get_start_ns:
 * @self: the trace
 *
 * Returns when the trace starts.
 *
 * Returns: nanoseconds of the monotonic clock
 */
guint64
sw_zone_trace_get_start_ns (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->start_ns;
}

/**
 * sw_zone_trace_get_stop_ns:
 * @self: the trace
 *
 * Returns when the trace stops.
 *
 * Returns: nanoseconds of the monotonic clock
 */
guint64
sw_zone_trace_get_stop_ns (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->stop_ns;
}

/**
 * sw_zone_trace_get_stop_reason:
 * @self: the trace
 *
 * Returns why the trace stops there.
 *
 * Returns: the reason
 */
SwStopReason
sw_zone_trace_get_stop_reason (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, SW_STOP_REASON_REQUESTED);

  return self->stop_reason;
}

/**
 * sw_zone_trace_get_truncated:
 * @self: the trace
 *
 * Returns whether zones are missing at the end of the trace, because its memory was used up.
 *
 * Returns: whether zones are missing
 */
gboolean
sw_zone_trace_get_truncated (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->truncated;
}

/**
 * sw_zone_trace_get_memory_bytes:
 * @self: the trace
 *
 * Returns how much memory the trace takes, its timelines and frames included.
 *
 * A copy of the live history shares most of that memory with the profiler. Sites are not counted: the process keeps them.
 *
 * Returns: the number of bytes
 */
guint64
sw_zone_trace_get_memory_bytes (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->memory_bytes;
}

/**
 * sw_zone_trace_get_diagnostics:
 * @self: the trace
 *
 * Returns what the trace does not hold, by reason.
 *
 * Returns: (transfer none): the diagnostics
 */
SwProfilerDiagnostics *
sw_zone_trace_get_diagnostics (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->diagnostics;
}

/**
 * sw_zone_trace_get_zone_count:
 * @self: the trace
 *
 * Returns how many zones are in the trace.
 *
 * Returns: the number of zones
 */
guint32
sw_zone_trace_get_zone_count (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_zones;
}

/**
 * sw_zone_trace_dup_zone_chunks:
 * @self: the trace
 *
 * Returns the chunks that hold the zones, in order.
 *
 * Returns: (transfer container) (element-type SwZoneChunk): the chunks
 */
GPtrArray *
sw_zone_trace_dup_zone_chunks (SwZoneTrace *self)
{
  GPtrArray *chunks;

  g_return_val_if_fail (self != NULL, NULL);

  chunks = g_ptr_array_new_full (self->n_chunks, (GDestroyNotify) sw_zone_chunk_unref);
  for (guint32 i = 0; i < self->n_chunks; i++)
    g_ptr_array_add (chunks, sw_zone_chunk_ref (self->chunks[i]));
  return chunks;
}

/* A bit for each site that a chunk has rows of; grows as needed. */
static void
mark_sites (GByteArray *marks,
            const SwZoneChunk *chunk)
{
  const guint32 *site_id = sw_zone_chunk_column (chunk, site_id);

  for (guint32 i = 0; i < chunk->n_zones; i++)
    {
      guint byte = site_id[i] / 8;

      if (byte >= marks->len)
        {
          guint n_old = marks->len;

          g_byte_array_set_size (marks, MAX (byte + 1, 2 * n_old));
          memset (marks->data + n_old, 0, marks->len - n_old);
        }
      marks->data[byte] |= (guint8) (1 << site_id[i] % 8);
    }
}

static SwSiteList *
make_site_list (SwZoneTrace *self)
{
  g_autoptr (GByteArray) marks = g_byte_array_new ();
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  SwSiteList *list;

  for (guint32 i = 0; i < self->n_chunks; i++)
    mark_sites (marks, self->chunks[i]);
  for (guint32 id = 0; id < 8 * marks->len; id++)
    if ((marks->data[id / 8] >> id % 8 & 1) != 0)
      g_array_append_val (ids, id);
  list = g_malloc (sizeof (SwSiteList) + ids->len * sizeof (guint32));
  list->n_ids = ids->len;
  if (ids->len > 0)
    memcpy (list->ids, ids->data, ids->len * sizeof (guint32));
  return list;
}

const SwSiteList *
sw_zone_trace_peek_sites (SwZoneTrace *self)
{
  /* Acquire: the list is complete before it is in its place. */
  SwSiteList *list = __atomic_load_n (&self->sites, __ATOMIC_ACQUIRE);
  SwSiteList *made;

  if (list != NULL)
    return list;
  made = make_site_list (self);
  /* Release: the same. Of several threads, the first one wins; acquire: the others see its list. */
  if (__atomic_compare_exchange_n (&self->sites, &list, made, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;
  g_free (made);
  return list;
}

/**
 * sw_zone_trace_dup_sites:
 * @self: the trace
 *
 * Returns the sites that the trace has zones of, in the order of their numbers.
 *
 * Returns: (transfer container) (element-type SwProfilerSite): the sites
 */
GPtrArray *
sw_zone_trace_dup_sites (SwZoneTrace *self)
{
  const SwSiteList *list;
  GPtrArray *sites;

  g_return_val_if_fail (self != NULL, NULL);

  list = sw_zone_trace_peek_sites (self);
  sites = g_ptr_array_new_full (list->n_ids, (GDestroyNotify) sw_profiler_site_unref);
  for (guint32 i = 0; i < list->n_ids; i++)
    {
      SwProfilerSite *site = sw_profiler_site_lookup (list->ids[i]);

      if (site != NULL)
        g_ptr_array_add (sites, sw_profiler_site_ref (site));
    }
  return sites;
}

/**
 * sw_zone_trace_dup_timelines:
 * @self: the trace
 *
 * Returns the timelines; a zone's `timeline_id` is the place of its timeline among them.
 *
 * Returns: (transfer container) (element-type SwTimeline): the timelines
 */
GPtrArray *
sw_zone_trace_dup_timelines (SwZoneTrace *self)
{
  GPtrArray *timelines;

  g_return_val_if_fail (self != NULL, NULL);

  timelines = g_ptr_array_new_full (self->n_timelines, (GDestroyNotify) sw_timeline_unref);
  for (guint32 i = 0; i < self->n_timelines; i++)
    g_ptr_array_add (timelines, sw_timeline_ref (self->timelines[i]));
  return timelines;
}

/**
 * sw_zone_trace_dup_frames:
 * @self: the trace
 *
 * Returns the frames that ended in the trace, in the order of their numbers.
 *
 * Returns: (transfer container) (element-type SwZoneFrame): the frames
 */
GPtrArray *
sw_zone_trace_dup_frames (SwZoneTrace *self)
{
  GPtrArray *frames;

  g_return_val_if_fail (self != NULL, NULL);

  frames = g_ptr_array_new_full (self->n_frames, (GDestroyNotify) sw_zone_frame_unref);
  for (guint32 i = 0; i < self->n_frames; i++)
    g_ptr_array_add (frames, sw_zone_frame_ref (self->frames[i]));
  return frames;
}

static const char *
describe_reason (SwStopReason reason)
{
  switch (reason)
    {
    case SW_STOP_REASON_MEMORY_LIMIT:
      return "memory_limit";
    case SW_STOP_REASON_SNAPSHOT:
      return "snapshot";
    default:
      return "requested";
    }
}

/**
 * sw_zone_trace_to_string:
 * @self: the trace
 *
 * Returns on one line how much is in the trace, and how it came to its end.
 *
 * Returns: (transfer full): the text
 */
char *
sw_zone_trace_to_string (SwZoneTrace *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_strdup_printf ("ZoneTrace(zone_count=%u, frames=%u, timelines=%u, start_ns=%" G_GUINT64_FORMAT
                          ", stop_ns=%" G_GUINT64_FORMAT ", stop_reason=%s, truncated=%s, memory_bytes=%" G_GUINT64_FORMAT ")",
                          self->n_zones, self->n_frames, self->n_timelines, self->start_ns, self->stop_ns,
                          describe_reason (self->stop_reason), self->truncated ? "True" : "False", self->memory_bytes);
}
