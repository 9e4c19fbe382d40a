/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-perfetto-private.h"

/* Values of counters: of events of their own, and those that other events have besides. */

enum
{
  WHOLE,
  REAL,
};

void
sw_perfetto_add_numbers (GArray *numbers,
                         const SwProtoField *field)
{
  const guint8 *at = field->bytes;
  const guint8 *end = field->wire == 2 ? at + field->length : NULL;
  guint64 number;

  if (field->wire != 2)
    {
      g_array_append_val (numbers, field->number);
      return;
    }
  while (at < end && (at = sw_proto_varint (at, end, &number)) != NULL)
    g_array_append_val (numbers, number);
}

static void
add_reals (GArray *bits,
           const SwProtoField *field)
{
  guint64 number;

  if (field->wire == 1)
    g_array_append_val (bits, field->number);
  for (gsize at = 0; field->wire == 2 && at + sizeof number <= field->length; at += sizeof number)
    {
      memcpy (&number, field->bytes + at, sizeof number);
      number = GUINT64_FROM_LE (number);
      g_array_append_val (bits, number);
    }
}

void
sw_perfetto_reset_extra (SwPerfetto *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->extra_tracks); i++)
    {
      g_array_set_size (self->extra_tracks[i], 0);
      g_array_set_size (self->extra_values[i], 0);
    }
}

void
sw_perfetto_take_extra (SwPerfetto *self,
                        const SwProtoField *field)
{
  switch (field->field)
    {
    case EVENT_EXTRA_TRACK:
      sw_perfetto_add_numbers (self->extra_tracks[WHOLE], field);
      break;
    case EVENT_EXTRA_REAL_TRACK:
      sw_perfetto_add_numbers (self->extra_tracks[REAL], field);
      break;
    case EVENT_EXTRA_VALUE:
      sw_perfetto_add_numbers (self->extra_values[WHOLE], field);
      break;
    default:
      add_reals (self->extra_values[REAL], field);
    }
}

static void
put_extra (SwPerfetto *self,
           SwPerfettoSequence *sequence,
           guint type,
           gint64 time_ns)
{
  GArray *values = self->extra_values[type];
  GArray *uuids = self->extra_tracks[type]->len > 0 ? self->extra_tracks[type] : sequence->extra_tracks[type];

  for (guint i = 0; i < MIN (values->len, uuids->len); i++)
    {
      guint64 bits = g_array_index (values, guint64, i);
      SwTraceReadCounter counter = { .time_ns = time_ns, .is_integer = type == WHOLE, .integer = (gint64) bits };

      if (type == REAL)
        memcpy (&counter.real, &bits, sizeof bits);
      counter.track = sw_perfetto_track (self, g_array_index (uuids, guint64, i));
      sw_perfetto_take_counter (self, sequence, &counter);
    }
  if (values->len > uuids->len)
    sw_trace_reading_malformed (self->reader, self->reader->bytes.at);
}

void
sw_perfetto_put_extra (SwPerfetto *self,
                       SwPerfettoSequence *sequence,
                       gint64 time_ns)
{
  put_extra (self, sequence, WHOLE, time_ns);
  put_extra (self, sequence, REAL, time_ns);
}

/* Differences add up on the sequence that they are on, from 0 when its state is cleared. FALSE: it does not fit. */
static gboolean
make_absolute (SwPerfettoCounter *self,
               const SwPerfettoSequence *sequence,
               SwTraceReadCounter *value)
{
  if (self->is_incremental)
    {
      if (self->sequence != sequence->id || self->generation != sequence->generation)
        {
          self->sequence = sequence->id;
          self->generation = sequence->generation;
          self->integer = 0;
          self->real = 0;
        }
      if (value->is_integer && __builtin_add_overflow (self->integer, value->integer, &self->integer))
        return FALSE;
      self->real += value->is_integer ? 0 : value->real;
      value->integer = self->integer;
      value->real = self->real;
    }
  value->real *= (double) self->multiplier;
  return !value->is_integer || !__builtin_mul_overflow (value->integer, self->multiplier, &value->integer);
}

void
sw_perfetto_take_counter (SwPerfetto *self,
                          SwPerfettoSequence *sequence,
                          SwTraceReadCounter *counter)
{
  SwTraceReadTrack *track = sw_trace_reading_track (self->reader, counter->track);
  SwPerfettoCounter *description = g_hash_table_lookup (self->counters, GUINT_TO_POINTER (counter->track));

  if (track->info.kind != SW_TRACE_TRACK_COUNTER && track->info.kind != SW_TRACE_TRACK_PROCESS)
    {
      track->info.kind = SW_TRACE_TRACK_COUNTER;
      track->is_told = FALSE;
    }
  if (description != NULL && !make_absolute (description, sequence, counter))
    {
      sw_trace_reading_malformed (self->reader, self->reader->bytes.at);
      return;
    }
  sw_trace_reading_counter (self->reader, counter);
}

void
sw_perfetto_describe_counter (SwPerfetto *self,
                              guint32 track,
                              const SwProtoField *counter)
{
  static const char *const units[] = { NULL, "ns", "count", "B" };
  guint32 *unit = &sw_trace_reading_track (self->reader, track)->unit;
  SwPerfettoCounter *known = g_hash_table_lookup (self->counters, GUINT_TO_POINTER (track));
  SwPerfettoCounter description = { .multiplier = 1 };
  SwProtoScan scan = sw_proto_scan_field (counter);
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    if (field.field == COUNTER_UNIT_NAME && field.wire == 2)
      *unit = sw_perfetto_intern (self, &field);
    else if (field.field == COUNTER_UNIT && field.wire == 0 && field.number > 0 && field.number < G_N_ELEMENTS (units))
      *unit = sw_trace_reading_intern (self->reader, units[field.number], strlen (units[field.number]));
    else if (field.field == COUNTER_MULTIPLIER && field.wire == 0 && field.number != 0)
      description.multiplier = (gint64) field.number;
    else if (field.field == COUNTER_IS_INCREMENTAL && field.wire == 0)
      description.is_incremental = field.number != 0;
  /* Descriptors come again; what has added up so far stays. */
  if (known != NULL)
    {
      known->multiplier = description.multiplier;
      known->is_incremental = description.is_incremental;
    }
  else if (description.multiplier != 1 || description.is_incremental)
    {
      g_hash_table_insert (self->counters, GUINT_TO_POINTER (track), g_memdup2 (&description, sizeof description));
    }
}
