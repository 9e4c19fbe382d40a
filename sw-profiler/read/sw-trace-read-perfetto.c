/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-perfetto-private.h"
#include "sw/base/sw-hash-private.h"

/* The packets of a file of Perfetto's. */

#define ATTRIBUTE_PREFIX "strideweave."

static void
scan_other (SwPerfettoPacket *packet,
            const SwProtoField *field)
{
  /* What says something of a packet, but is none of its contents. */
  static const guint32 silent[] = { 3, 10, 12, 13, 41, 42, 58, 59, 79, 87, 88, 98 };

  for (gsize i = 0; i < G_N_ELEMENTS (silent); i++)
    if (field->field == silent[i])
      return;
  packet->other = field->field;
}

static void
scan_bytes (SwPerfettoPacket *packet,
            const SwProtoField *field)
{
  switch (field->field)
    {
    case PACKET_TRACK_EVENT:
      packet->event = *field;
      break;
    case PACKET_INTERNED_DATA:
      packet->interned = *field;
      break;
    case PACKET_DEFAULTS:
      packet->defaults = *field;
      break;
    case PACKET_TRACK_DESCRIPTOR:
      packet->track = *field;
      break;
    case PACKET_THREAD_DESCRIPTOR:
      packet->thread = *field;
      break;
    case PACKET_PROCESS_DESCRIPTOR:
      packet->process = *field;
      break;
    case PACKET_CLOCK_SNAPSHOT:
      packet->snapshot = *field;
      break;
    case PACKET_TRACE_UUID:
      packet->uuid = *field;
      break;
    case PACKET_TRACE_ATTRIBUTES:
      packet->attributes = *field;
      break;
    case PACKET_COMPRESSED:
      packet->compressed = *field;
      break;
    default:
      scan_other (packet, field);
    }
}

/* FALSE: it is no packet. */
static gboolean
scan_packet (const guint8 *bytes,
             gsize length,
             SwPerfettoPacket *packet)
{
  SwProtoScan scan = sw_proto_scan (bytes, length);
  SwProtoField field;

  memset (packet, 0, sizeof *packet);
  while (sw_proto_next (&scan, &field))
    {
      if (field.wire == 2)
        {
          scan_bytes (packet, &field);
          continue;
        }
      switch (field.field)
        {
        case PACKET_TIMESTAMP:
          packet->timestamp = field.number;
          packet->has_timestamp = TRUE;
          break;
        case PACKET_SEQUENCE_ID:
          packet->sequence = (guint32) field.number;
          break;
        case PACKET_SEQUENCE_FLAGS:
          packet->flags = (guint32) field.number;
          break;
        case PACKET_TIMESTAMP_CLOCK_ID:
          packet->clock = field.number;
          break;
        case PACKET_STATE_CLEARED:
          packet->is_cleared = field.number != 0;
          break;
        case PACKET_PREVIOUS_DROPPED:
          packet->has_gap = field.number != 0;
          break;
        default:
          scan_other (packet, &field);
        }
    }
  return sw_proto_is_whole (&scan);
}

static void
ignore_packet (SwPerfetto *self,
               guint32 field)
{
  static const struct
  {
    guint32 field;
    const char *name;
  } names[] = {
    { 1, "ftrace_events" },
    { 2, "process_tree" },
    { 9, "process_stats" },
    { 33, "trace_config" },
    { 35, "trace_stats" },
    { 45, "system_info" },
  };
  g_autofree char *number = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].field == field)
      {
        sw_trace_reading_ignore (self->reader, names[i].name, strlen (names[i].name));
        return;
      }
  number = g_strdup_printf ("packet %u", field);
  sw_trace_reading_ignore (self->reader, number, strlen (number));
}

static void
clear_session (SwPerfetto *self)
{
  g_hash_table_remove_all (self->sequences);
  g_hash_table_remove_all (self->tracks);
  g_hash_table_remove_all (self->processes);
  g_hash_table_remove_all (self->threads);
  g_hash_table_remove_all (self->asyncs);
  g_hash_table_remove_all (self->flows);
  g_hash_table_remove_all (self->lanes);
  g_hash_table_remove_all (self->children);
  g_hash_table_remove_all (self->counters);
  self->last_sequence = NULL;
  self->last_track = 0;
}

/* A file begins with it; another one in the middle is that of another file, which cat put there. */
static void
take_uuid (SwPerfetto *self,
           const SwProtoField *uuid)
{
  SwTraceReader *reader = self->reader;
  SwProtoScan scan = sw_proto_scan_field (uuid);
  SwProtoField field;
  guint64 id[2] = { 0, 0 };

  while (sw_proto_next (&scan, &field))
    if ((field.field == UUID_MSB || field.field == UUID_LSB) && field.wire != 2)
      id[field.field - UUID_MSB] = field.number;
  if (self->has_session && memcmp (id, reader->session.id, sizeof id) == 0)
    return;
  if (self->has_session || reader->tracks->len > 0)
    {
      if (reader->has_base && !self->has_summary)
        sw_trace_reading_stop (reader, reader->bytes.at);
      sw_trace_reading_begin_session (reader);
      clear_session (self);
    }
  memcpy (reader->session.id, id, sizeof id);
  self->has_session = TRUE;
  self->has_summary = FALSE;
}

static void
take_own_attribute (SwPerfetto *self,
                    const char *key,
                    gint64 value)
{
  SwTraceReader *reader = self->reader;

  if (g_str_equal (key, "base_ns"))
    {
      if (reader->is_session_told)
        return;
      reader->has_base = TRUE;
      reader->session.base_ns = value;
      if (self->wall_offset != 0 && __builtin_add_overflow (self->wall_offset, value, &reader->session.wall_ns))
        reader->session.wall_ns = 0;
    }
  else if (g_str_equal (key, "no_clock"))
    reader->session.has_no_clock = reader->session.has_no_clock || !reader->is_session_told;
  else if (g_str_equal (key, "events"))
    self->has_summary = TRUE;
  else if (g_str_has_prefix (key, "dropped."))
    sw_trace_reading_drops (reader, key + strlen ("dropped."), (guint64) value);
  else if (g_str_has_prefix (key, "diagnostics."))
    sw_trace_reading_diagnostic (reader, key + strlen ("diagnostics."), (guint64) value);
  else
    sw_trace_reading_ignore (reader, key, strlen (key));
}

static void
take_attribute (SwPerfetto *self,
                const SwProtoField *attribute)
{
  SwProtoScan scan = sw_proto_scan_field (attribute);
  SwProtoField field;
  const char *key = NULL;
  gint64 value = 0;

  while (sw_proto_next (&scan, &field))
    if (field.field == ATTRIBUTE_KEY && field.wire == 2)
      key = sw_trace_intern_get (&self->reader->names, sw_perfetto_intern (self, &field))->text;
    else if (field.field == ATTRIBUTE_INTEGER && field.wire == 0)
      value = (gint64) field.number;
  if (key != NULL && g_str_has_prefix (key, ATTRIBUTE_PREFIX))
    take_own_attribute (self, key + strlen (ATTRIBUTE_PREFIX), value);
  else
    sw_trace_reading_ignore (self->reader, "trace_attributes", strlen ("trace_attributes"));
}

static void
take_attributes (SwPerfetto *self,
                 const SwProtoField *attributes)
{
  SwProtoScan scan = sw_proto_scan_field (attributes);
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    if (field.field == ATTRIBUTES_ATTRIBUTE && field.wire == 2)
      take_attribute (self, &field);
}

/* Whether what it refers to is known. */
static gboolean
prepare_sequence (SwPerfetto *self,
                  SwPerfettoSequence *sequence,
                  const SwPerfettoPacket *packet)
{
  if (packet->is_cleared || (packet->flags & FLAG_STATE_CLEARED) != 0)
    sw_perfetto_clear_sequence (sequence);
  else if (packet->has_gap)
    sequence->is_valid = FALSE;
  if (packet->snapshot.bytes != NULL)
    sw_perfetto_take_snapshot (self, sequence, &packet->snapshot);
  if (packet->interned.bytes != NULL)
    sw_perfetto_take_interned (self, sequence, &packet->interned);
  if (packet->defaults.bytes != NULL)
    sw_perfetto_take_defaults (sequence, &packet->defaults);
  return sequence->is_valid || (packet->flags & FLAG_NEEDS_STATE) == 0;
}

static void
take_compressed (SwPerfetto *self,
                 const SwProtoField *compressed);

static void
take_packet (SwPerfetto *self,
             const SwPerfettoPacket *packet)
{
  SwPerfettoSequence *sequence;

  /* Before all else, as it ends what came before. */
  if (packet->uuid.bytes != NULL)
    take_uuid (self, &packet->uuid);
  sequence = sw_perfetto_sequence (self, packet->sequence);
  if (!prepare_sequence (self, sequence, packet))
    {
      sw_trace_reading_malformed (self->reader, self->reader->bytes.at);
      return;
    }
  if (packet->event.bytes != NULL)
    sw_perfetto_take_event (self, sequence, packet);
  if (packet->track.bytes != NULL)
    sw_perfetto_take_track (self, &packet->track);
  if (packet->thread.bytes != NULL)
    sw_perfetto_take_thread (self, sequence, &packet->thread);
  if (packet->process.bytes != NULL)
    sw_perfetto_take_process (self, &packet->process);
  if (packet->attributes.bytes != NULL)
    take_attributes (self, &packet->attributes);
  if (packet->compressed.bytes != NULL)
    take_compressed (self, &packet->compressed);
  if (packet->other != 0)
    ignore_packet (self, packet->other);
}

typedef enum
{
  FRAME_WHOLE,
  FRAME_CUT,
  FRAME_BAD,
} Frame;

/* The packet at the front of the window, and what is behind it. */
static Frame
find_packet (const SwTraceBytes *bytes,
             const guint8 **packet,
             const guint8 **next)
{
  const guint8 *end = (const guint8 *) bytes->end;
  const guint8 *at = (const guint8 *) bytes->at;
  guint64 length;

  if (at >= end)
    return FRAME_CUT;
  if (*at++ != (TRACE_PACKET << 3 | 2))
    return FRAME_BAD;
  *packet = sw_proto_varint (at, end, &length);
  if (*packet == NULL)
    return end - at >= 10 ? FRAME_BAD : FRAME_CUT;
  if (length > bytes->largest)
    return FRAME_BAD;
  if (length > (guint64) (end - *packet))
    return FRAME_CUT;
  *next = *packet + length;
  return FRAME_WHOLE;
}

static void
take_frame (SwPerfetto *self,
            const guint8 *bytes,
            const guint8 *end)
{
  SwPerfettoPacket packet;

  self->reader->report.n_records++;
  if (scan_packet (bytes, (gsize) (end - bytes), &packet))
    take_packet (self, &packet);
  else
    sw_trace_reading_malformed (self->reader, self->reader->bytes.at);
}

/* All packets in the window and of what follows it. BAD: what is at the front is none; CUT: no more follows. */
static Frame
take_frames (SwPerfetto *self,
             SwTraceBytes *bytes,
             GError **error)
{
  const guint8 *packet;
  const guint8 *next;

  for (;;)
    {
      Frame frame = find_packet (bytes, &packet, &next);

      if (frame == FRAME_BAD)
        return frame;
      if (frame == FRAME_WHOLE)
        {
          take_frame (self, packet, next);
          bytes->at = (const char *) next;
        }
      else if (bytes->is_ended || sw_trace_bytes_more (bytes, error) != SW_TRACE_BYTES_MORE)
        {
          return frame;
        }
    }
}

/* Packets that hold others do so once. What goes wrong inside is told of the packet that holds it. */
static void
take_compressed (SwPerfetto *self,
                 const SwProtoField *compressed)
{
  SwTraceReader *reader = self->reader;
  Frame frame;

  if (self->is_packed)
    {
      sw_trace_reading_ignore (reader, "compressed_packets", strlen ("compressed_packets"));
      return;
    }
  if (!self->has_packed)
    sw_trace_bytes_init_zlib (&self->packed);
  self->has_packed = self->is_packed = TRUE;
  sw_trace_bytes_restart (&self->packed, compressed->bytes, compressed->length);
  frame = take_frames (self, &self->packed, NULL);
  if (frame == FRAME_BAD || self->packed.is_broken || self->packed.at < self->packed.end)
    sw_trace_reading_malformed (reader, reader->bytes.at);
  self->is_packed = FALSE;
}

static gboolean
read_packets (SwPerfetto *self,
              GError **error)
{
  SwTraceReader *reader = self->reader;
  SwTraceBytes *bytes = &reader->bytes;
  g_autoptr (GError) trouble = NULL;
  Frame frame = take_frames (self, bytes, &trouble);

  if (trouble != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&trouble));
      return FALSE;
    }
  /* Where the last packet begins: whether the file was cut in it, or its length is wrong, nobody can tell. */
  if (frame == FRAME_BAD || bytes->at < bytes->end)
    sw_trace_reading_stop (reader, bytes->at);
  else if (reader->has_base && !self->has_summary)
    sw_trace_reading_stop (reader, bytes->end);
  return TRUE;
}

static void
init (SwPerfetto *self,
      SwTraceReader *reader)
{
  memset (self, 0, sizeof *self);
  self->reader = reader;
  self->sequences = g_hash_table_new_full (NULL, NULL, NULL, sw_perfetto_sequence_free);
  self->clocks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->tracks = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->processes = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->threads = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->asyncs = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->flows = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->lanes = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->children = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, (GDestroyNotify) g_hash_table_unref);
  self->counters = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < G_N_ELEMENTS (self->extra_tracks); i++)
    {
      self->extra_tracks[i] = g_array_new (FALSE, FALSE, sizeof (guint64));
      self->extra_values[i] = g_array_new (FALSE, FALSE, sizeof (guint64));
    }
}

static void
clear (SwPerfetto *self)
{
  if (self->has_packed)
    sw_trace_bytes_clear (&self->packed);
  g_hash_table_unref (self->sequences);
  g_hash_table_unref (self->clocks);
  g_hash_table_unref (self->tracks);
  g_hash_table_unref (self->processes);
  g_hash_table_unref (self->threads);
  g_hash_table_unref (self->asyncs);
  g_hash_table_unref (self->flows);
  g_hash_table_unref (self->lanes);
  g_hash_table_unref (self->children);
  g_hash_table_unref (self->counters);
  for (guint i = 0; i < G_N_ELEMENTS (self->extra_tracks); i++)
    {
      g_array_unref (self->extra_tracks[i]);
      g_array_unref (self->extra_values[i]);
    }
}

gboolean
sw_trace_read_perfetto (SwTraceReader *reader,
                        GError **error)
{
  SwPerfetto self;
  gboolean is_read;

  init (&self, reader);
  is_read = read_packets (&self, error);
  clear (&self);
  return is_read;
}
