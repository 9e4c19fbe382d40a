/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-perfetto-private.h"
#include "sw/base/sw-hash-private.h"

/* What packets of one sequence take for granted, and clocks. */

#define FIRST_OF_SEQUENCE 64
#define FIRST_OF_ALL 128
/* iids below are found by their number. */
#define N_LOW 4096

SwPerfettoSequence *
sw_perfetto_sequence (SwPerfetto *self,
                      guint32 id)
{
  SwPerfettoSequence *sequence = self->last_sequence;

  if (G_LIKELY (sequence != NULL && sequence->id == id))
    return sequence;
  sequence = g_hash_table_lookup (self->sequences, GUINT_TO_POINTER (id));
  if (sequence == NULL)
    {
      sequence = g_new0 (SwPerfettoSequence, 1);
      sequence->id = id;
      sequence->clocks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
      for (guint i = 0; i < N_INTERNED; i++)
        {
          sequence->texts[i].low = g_array_new (FALSE, TRUE, sizeof (guint32));
          sequence->texts[i].high = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
        }
      for (guint i = 0; i < G_N_ELEMENTS (sequence->extra_tracks); i++)
        sequence->extra_tracks[i] = g_array_new (FALSE, FALSE, sizeof (guint64));
      g_hash_table_insert (self->sequences, GUINT_TO_POINTER (id), sequence);
    }
  self->last_sequence = sequence;
  return sequence;
}

void
sw_perfetto_sequence_free (gpointer data)
{
  SwPerfettoSequence *self = data;

  for (guint i = 0; i < N_INTERNED; i++)
    {
      g_array_unref (self->texts[i].low);
      g_hash_table_unref (self->texts[i].high);
    }
  for (guint i = 0; i < G_N_ELEMENTS (self->extra_tracks); i++)
    g_array_unref (self->extra_tracks[i]);
  g_hash_table_unref (self->clocks);
  g_free (self);
}

static void
clear_defaults (SwPerfettoSequence *self)
{
  self->default_track = 0;
  self->default_clock = 0;
  for (guint i = 0; i < G_N_ELEMENTS (self->extra_tracks); i++)
    g_array_set_size (self->extra_tracks[i], 0);
}

void
sw_perfetto_clear_sequence (SwPerfettoSequence *self)
{
  for (guint i = 0; i < N_INTERNED; i++)
    {
      g_array_set_size (self->texts[i].low, 0);
      g_hash_table_remove_all (self->texts[i].high);
    }
  clear_defaults (self);
  self->generation++;
  self->is_valid = TRUE;
}

static void
put_text (SwPerfettoTexts *self,
          guint64 iid,
          guint32 id)
{
  if (iid >= N_LOW)
    {
      g_hash_table_insert (self->high, g_memdup2 (&iid, sizeof iid), GUINT_TO_POINTER (id + 1));
      return;
    }
  if (iid >= self->low->len)
    g_array_set_size (self->low, (guint) iid + 1);
  g_array_index (self->low, guint32, iid) = id + 1;
}

gboolean
sw_perfetto_text (SwPerfettoSequence *self,
                  SwPerfettoInterned kind,
                  guint64 iid,
                  guint32 *id)
{
  SwPerfettoTexts *texts = &self->texts[kind];
  guint32 found;

  if (G_LIKELY (iid < texts->low->len))
    found = g_array_index (texts->low, guint32, iid);
  else
    found = GPOINTER_TO_UINT (g_hash_table_lookup (texts->high, &iid));
  *id = found > 0 ? found - 1 : 0;
  return found > 0;
}

static void
take_text (SwPerfetto *self,
           SwPerfettoTexts *texts,
           const SwProtoField *entry)
{
  SwProtoScan scan = sw_proto_scan_field (entry);
  SwProtoField field;
  guint64 iid = 0;
  guint32 id = 0;

  while (sw_proto_next (&scan, &field))
    if (field.field == INTERNED_IID && field.wire == 0)
      iid = field.number;
    else if (field.field == INTERNED_TEXT && field.wire == 2)
      id = sw_perfetto_intern (self, &field);
  if (iid != 0)
    put_text (texts, iid, id);
}

void
sw_perfetto_take_interned (SwPerfetto *self,
                           SwPerfettoSequence *sequence,
                           const SwProtoField *interned)
{
  SwProtoScan scan = sw_proto_scan_field (interned);
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    {
      if (field.wire != 2)
        continue;
      if (field.field == 1)
        take_text (self, &sequence->texts[INTERNED_CATEGORY], &field);
      else if (field.field == 2)
        take_text (self, &sequence->texts[INTERNED_NAME], &field);
      else if (field.field == 3)
        take_text (self, &sequence->texts[INTERNED_ARG_NAME], &field);
      else if (field.field == 29)
        take_text (self, &sequence->texts[INTERNED_ARG_STRING], &field);
    }
}

static void
take_event_defaults (SwPerfettoSequence *self,
                     const SwProtoField *defaults)
{
  SwProtoScan scan = sw_proto_scan_field (defaults);
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    if (field.field == DEFAULTS_TRACK_EVENT_TRACK && field.wire != 2)
      self->default_track = field.number;
    else if (field.field == DEFAULTS_EXTRA_TRACK)
      sw_perfetto_add_numbers (self->extra_tracks[0], &field);
    else if (field.field == DEFAULTS_EXTRA_REAL_TRACK)
      sw_perfetto_add_numbers (self->extra_tracks[1], &field);
}

void
sw_perfetto_take_defaults (SwPerfettoSequence *self,
                           const SwProtoField *defaults)
{
  SwProtoScan scan = sw_proto_scan_field (defaults);
  SwProtoField field;

  clear_defaults (self);
  while (sw_proto_next (&scan, &field))
    if (field.field == DEFAULTS_CLOCK_ID && field.wire == 0)
      self->default_clock = field.number;
    else if (field.field == DEFAULTS_TRACK_EVENT && field.wire == 2)
      take_event_defaults (self, &field);
}

/* Clocks. */

static SwPerfettoClock *
find_clock (SwPerfetto *self,
            SwPerfettoSequence *sequence,
            guint64 id)
{
  GHashTable *clocks = id >= FIRST_OF_SEQUENCE && id < FIRST_OF_ALL ? sequence->clocks : self->clocks;

  return id <= G_MAXUINT32 ? g_hash_table_lookup (clocks, GUINT_TO_POINTER (id)) : NULL;
}

static SwPerfettoClock *
make_clock (SwPerfetto *self,
            SwPerfettoSequence *sequence,
            guint64 id)
{
  GHashTable *clocks = id >= FIRST_OF_SEQUENCE && id < FIRST_OF_ALL ? sequence->clocks : self->clocks;
  SwPerfettoClock *clock = find_clock (self, sequence, id);

  if (clock != NULL || id > G_MAXUINT32)
    return clock;
  clock = g_new0 (SwPerfettoClock, 1);
  clock->multiplier = 1;
  g_hash_table_insert (clocks, GUINT_TO_POINTER (id), clock);
  return clock;
}

typedef struct
{
  guint64 id;
  gint64 value; /* in nanoseconds */
  gint64 multiplier;
  gboolean is_incremental;
} Reading;

#define MOST_READINGS 32

static gboolean
read_clock (const SwProtoField *entry,
            Reading *reading)
{
  SwProtoScan scan = sw_proto_scan_field (entry);
  SwProtoField field;
  guint64 value = 0;

  *reading = (Reading){ .multiplier = 1 };
  while (sw_proto_next (&scan, &field))
    {
      if (field.field == CLOCK_ID)
        reading->id = field.number;
      else if (field.field == CLOCK_TIMESTAMP)
        value = field.number;
      else if (field.field == CLOCK_IS_INCREMENTAL)
        reading->is_incremental = field.number != 0;
      else if (field.field == CLOCK_MULTIPLIER)
        reading->multiplier = (gint64) field.number;
    }
  return sw_proto_is_whole (&scan) && reading->id != 0 && reading->multiplier > 0 && value <= G_MAXINT64 &&
         !__builtin_mul_overflow ((gint64) value, reading->multiplier, &reading->value);
}

/* The clock that others are compared to: the one that events had before any snapshot, as their times cannot be changed any more; else the
 * monotonic one, if it is there. */
static const Reading *
choose_reference (const SwPerfetto *self,
                  const Reading *readings,
                  guint n)
{
  const guint64 preferred[] = { self->raw_clock, CLOCK_MONOTONIC_ID, CLOCK_BOOTTIME_ID };

  for (guint i = 0; i < G_N_ELEMENTS (preferred); i++)
    for (guint j = 0; j < n; j++)
      if (readings[j].id == preferred[i])
        return &readings[j];
  return n > 0 ? &readings[0] : NULL;
}

void
sw_perfetto_take_snapshot (SwPerfetto *self,
                           SwPerfettoSequence *sequence,
                           const SwProtoField *snapshot)
{
  SwProtoScan scan = sw_proto_scan_field (snapshot);
  SwProtoField field;
  Reading readings[MOST_READINGS];
  const Reading *reference;
  guint n = 0;
  gint64 now;

  while (sw_proto_next (&scan, &field))
    if (field.field == SNAPSHOT_CLOCKS && field.wire == 2 && n < MOST_READINGS && read_clock (&field, &readings[n]))
      n++;
  reference = choose_reference (self, readings, n);
  if (reference == NULL)
    return;
  self->has_snapshot = TRUE;
  now = reference->value;
  if (reference->id != CLOCK_MONOTONIC_ID && reference->id != self->raw_clock && find_clock (self, sequence, reference->id) != NULL &&
      __builtin_add_overflow (now, find_clock (self, sequence, reference->id)->offset, &now))
    return;
  self->wall_offset = 0;
  for (guint i = 0; i < n; i++)
    {
      SwPerfettoClock *clock = make_clock (self, sequence, readings[i].id);

      if (clock == NULL)
        continue;
      clock->multiplier = readings[i].multiplier;
      clock->is_incremental = readings[i].is_incremental;
      clock->last = readings[i].value;
      clock->offset = now - readings[i].value; /* both are not negative */
      if (readings[i].id == CLOCK_OF_WALL && reference->id == CLOCK_MONOTONIC_ID)
        self->wall_offset = readings[i].value - now;
    }
}

/* Without any snapshot, the times of one clock are as good as those of another; of two, they cannot be compared. */
static gboolean
take_raw (SwPerfetto *self,
          guint64 id)
{
  if (id >= FIRST_OF_SEQUENCE || (self->has_snapshot && id != self->raw_clock))
    return FALSE;
  if (self->raw_clock == 0)
    self->raw_clock = id;
  return self->raw_clock == id;
}

gboolean
sw_perfetto_time (SwPerfetto *self,
                  SwPerfettoSequence *sequence,
                  const SwPerfettoPacket *packet,
                  gint64 *time_ns)
{
  guint64 id = packet->clock != 0 ? packet->clock : sequence->default_clock != 0 ? sequence->default_clock
                                                                                 : CLOCK_BOOTTIME_ID;
  SwPerfettoClock *clock = find_clock (self, sequence, id);

  if (!packet->has_timestamp || packet->timestamp > G_MAXINT64)
    return FALSE;
  *time_ns = (gint64) packet->timestamp;
  if (clock == NULL)
    return take_raw (self, id);
  if (__builtin_mul_overflow (*time_ns, clock->multiplier, time_ns))
    return FALSE;
  if (clock->is_incremental)
    {
      if (__builtin_add_overflow (*time_ns, clock->last, time_ns))
        return FALSE;
      clock->last = *time_ns;
    }
  return !__builtin_add_overflow (*time_ns, clock->offset, time_ns);
}
