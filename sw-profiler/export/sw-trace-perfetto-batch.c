/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-perfetto-private.h"

/* Slices come in order of their ends, but a timestamp that goes back takes nine bytes more than one that goes on. So the
 * latest events of a lane wait here, and are written in order of time. */

/* More is not worth the memory: one slice that is around them all goes back, whatever the number. */
#define MOST_ENTRIES 256
#define MOST_BYTES (16 * 1024)
/* What a packet has besides its event: two lengths, a time of some clock, the sequence and flags. */
#define HEAD_SIZE 64

void
sw_perfetto_batch_clear (SwPerfettoBatch *self)
{
  g_free (self->entries);
  g_free (self->bytes);
}

guint8 *
sw_perfetto_batch_grow (SwPerfettoBatch *self,
                        gsize n_bytes)
{
  self->n_allocated = self->n_bytes + n_bytes + MAX (self->n_allocated, 512);
  self->bytes = g_realloc (self->bytes, self->n_allocated);
  return self->bytes + self->n_bytes;
}

static void
grow_entries (SwPerfettoBatch *self)
{
  self->max_entries = MAX (4, 2 * self->max_entries);
  self->entries = g_renew (SwPerfettoEntry, self->entries, self->max_entries);
}

/* What each packet of a lane begins with. The clock of the lane cannot go back. */
static inline guint8 *
put_packet_head (guint8 *at,
                 SwPerfettoLane *lane,
                 gint64 time_ns)
{
  if (G_LIKELY (time_ns >= lane->last_ns))
    {
      at = sw_proto_put_number (at, PACKET_TIMESTAMP, (guint64) time_ns - (guint64) lane->last_ns);
      lane->last_ns = time_ns;
    }
  else
    {
      at = sw_perfetto_put_absolute_time (at, time_ns);
    }
  at = sw_proto_put_number (at, PACKET_SEQUENCE_ID, lane->sequence_id);
  return sw_proto_put_number (at, PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE);
}

static inline void
write_entry (SwTraceWriter *writer,
             SwPerfettoLane *lane,
             const SwPerfettoEntry *entry)
{
  guint8 *packet = sw_proto_open (sw_perfetto_reserve (writer, HEAD_SIZE + entry->length), TRACE_PACKET);
  guint8 *at = put_packet_head (packet, lane, entry->time_ns);

  memcpy (at, lane->batch.bytes + entry->offset, entry->length);
  sw_perfetto_close_packet (writer, packet, at + entry->length);
}

void
sw_perfetto_batch_write (SwTraceWriter *writer,
                         SwPerfettoLane *lane)
{
  SwPerfettoBatch *batch = &lane->batch;

  for (guint i = 0; i < batch->n_entries; i++)
    write_entry (writer, lane, &batch->entries[i]);
  batch->n_entries = 0;
  batch->n_bytes = 0;
}

void
sw_perfetto_batch_add (SwTraceWriter *writer,
                       SwPerfettoLane *lane,
                       gint64 time_ns,
                       const guint8 *end)
{
  SwPerfettoBatch *batch = &lane->batch;
  SwPerfettoEntry entry = { time_ns, (guint32) batch->n_bytes, 0 };
  guint place = batch->n_entries;

  if (G_UNLIKELY (batch->n_entries == batch->max_entries))
    grow_entries (batch);
  /* Of equal times, the one that came first stays first. */
  for (; place > 0 && batch->entries[place - 1].time_ns > time_ns; place--)
    batch->entries[place] = batch->entries[place - 1];
  entry.length = (guint32) (end - (batch->bytes + batch->n_bytes));
  batch->entries[place] = entry;
  batch->n_entries++;
  batch->n_bytes += entry.length;
  if (batch->n_entries == MOST_ENTRIES || batch->n_bytes >= MOST_BYTES)
    sw_perfetto_batch_write (writer, lane);
}
