/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-perfetto-private.h"

/* Events of tracks. */

typedef struct
{
  guint64 type;
  guint64 uuid;
  gboolean has_uuid;
  guint32 name;
  guint32 category;
  gint64 integer;
  double real;
  gboolean has_integer;
  gboolean has_real;
  gboolean has_missing; /* texts that were never said */
  SwProtoField legacy;
} Event;

typedef struct
{
  char phase;
  gint64 duration_us;
  gboolean has_duration;
  guint64 id;
  guint64 id_kind; /* its field; 0: none */
  guint32 scope;
  guint32 name;
  gboolean has_name;
  gint64 pid;
  gint64 tid;
} Legacy;

static void
add_category (SwPerfetto *self,
              Event *event,
              guint32 category)
{
  SwTraceReader *reader = self->reader;
  g_autofree char *both = NULL;

  if (event->category != 0)
    {
      both = g_strconcat (sw_trace_intern_get (&reader->names, event->category)->text, ",",
                          sw_trace_intern_get (&reader->names, category)->text, NULL);
      category = sw_trace_reading_intern (reader, both, strlen (both));
    }
  event->category = category;
}

static void
take_category_iid (SwPerfetto *self,
                   SwPerfettoSequence *sequence,
                   Event *event,
                   guint64 iid)
{
  guint32 category;

  if (sw_perfetto_text (sequence, INTERNED_CATEGORY, iid, &category))
    add_category (self, event, category);
  else
    event->has_missing = TRUE;
}

/* Numbers may also be packed. */
static void
take_categories (SwPerfetto *self,
                 SwPerfettoSequence *sequence,
                 Event *event,
                 const SwProtoField *field)
{
  const guint8 *at = field->bytes;
  guint64 iid;

  if (field->wire == 0)
    {
      take_category_iid (self, sequence, event, field->number);
      return;
    }
  while (field->wire == 2 && at < field->bytes + field->length &&
         (at = sw_proto_varint (at, field->bytes + field->length, &iid)) != NULL)
    take_category_iid (self, sequence, event, iid);
}

/* The first time that an id is seen, a flow begins. */
static void
add_flow (SwPerfetto *self,
          guint64 id,
          gboolean is_last)
{
  SwTraceFlowStep step = SW_TRACE_FLOW_END;

  if (!is_last)
    {
      guint64 *key = g_memdup2 (&id, sizeof id);

      step = g_hash_table_add (self->flows, key) ? SW_TRACE_FLOW_START : SW_TRACE_FLOW_STEP;
    }
  sw_trace_scratch_add_flow (&self->reader->scratch, id, step);
}

static void
take_flows (SwPerfetto *self,
            const SwProtoField *field,
            gboolean is_last)
{
  gboolean is_old = field->field == EVENT_FLOW_OLD || field->field == EVENT_LAST_FLOW_OLD;
  const guint8 *at = field->bytes;
  const guint8 *end = field->wire == 2 ? at + field->length : NULL;
  guint64 id;

  if (field->wire != 2)
    {
      add_flow (self, field->number, is_last);
      return;
    }
  while (at != NULL && at < end)
    {
      if (is_old)
        at = sw_proto_varint (at, end, &id);
      else if (end - at >= 8)
        {
          memcpy (&id, at, 8);
          id = GUINT64_FROM_LE (id);
          at += 8;
        }
      else
        at = NULL;
      if (at != NULL)
        add_flow (self, id, is_last);
    }
}

/* What else is known of an event, and has no place. */
static void
ignore_field (SwPerfetto *self,
              guint32 field)
{
  static const struct
  {
    guint32 field;
    const char *name;
  } names[] = {
    { 5, "task_execution" },
    { 21, "log_message" },
    { 33, "source_location" },
    { 34, "source_location" },
    { 55, "callstack" },
    { 56, "callstack" },
  };
  g_autofree char *number = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].field == field)
      {
        sw_trace_reading_ignore (self->reader, names[i].name, strlen (names[i].name));
        return;
      }
  number = g_strdup_printf ("track_event field %u", field);
  sw_trace_reading_ignore (self->reader, number, strlen (number));
}

static void
take_field (SwPerfetto *self,
            SwPerfettoSequence *sequence,
            Event *event,
            const SwProtoField *field)
{
  switch (field->field)
    {
    case EVENT_TYPE:
      event->type = field->number;
      break;
    case EVENT_NAME_IID:
      if (!sw_perfetto_text (sequence, INTERNED_NAME, field->number, &event->name))
        event->has_missing = TRUE;
      break;
    case EVENT_NAME:
      if (field->wire == 2)
        event->name = sw_perfetto_intern (self, field);
      break;
    case EVENT_CATEGORY_IID:
      take_categories (self, sequence, event, field);
      break;
    case EVENT_CATEGORY:
      if (field->wire == 2)
        add_category (self, event, sw_perfetto_intern (self, field));
      break;
    case EVENT_TRACK:
      event->uuid = field->number;
      event->has_uuid = TRUE;
      break;
    case EVENT_EXTRA_TRACK:
    case EVENT_EXTRA_VALUE:
    case EVENT_EXTRA_REAL_TRACK:
    case EVENT_EXTRA_REAL_VALUE:
      sw_perfetto_take_extra (self, field);
      break;
    case EVENT_COUNTER_INTEGER:
      event->integer = (gint64) field->number;
      event->has_integer = TRUE;
      break;
    case EVENT_COUNTER_REAL:
      event->has_real = field->wire == 1;
      if (event->has_real)
        event->real = sw_proto_real (field);
      break;
    case EVENT_ARGS:
      if (field->wire == 2 && sw_trace_reading_wants_args (self->reader) && !sw_perfetto_take_arg (self, sequence, field))
        event->has_missing = TRUE;
      break;
    case EVENT_FLOW:
    case EVENT_FLOW_OLD:
      take_flows (self, field, FALSE);
      break;
    case EVENT_LAST_FLOW:
    case EVENT_LAST_FLOW_OLD:
      take_flows (self, field, TRUE);
      break;
    case EVENT_LEGACY:
      if (field->wire == 2)
        event->legacy = *field;
      break;
    default:
      ignore_field (self, field->field);
    }
}

static void
read_legacy (SwPerfetto *self,
             SwPerfettoSequence *sequence,
             const SwProtoField *bytes,
             Legacy *legacy)
{
  SwProtoScan scan = sw_proto_scan_field (bytes);
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    switch (field.field)
      {
      case LEGACY_NAME_IID:
        legacy->has_name = field.wire == 0 && sw_perfetto_text (sequence, INTERNED_NAME, field.number, &legacy->name);
        break;
      case LEGACY_PHASE:
        legacy->phase = field.number < 0x80 ? (char) field.number : '?';
        break;
      case LEGACY_DURATION_US:
        legacy->duration_us = (gint64) field.number;
        legacy->has_duration = TRUE;
        break;
      case LEGACY_UNSCOPED_ID:
      case LEGACY_LOCAL_ID:
      case LEGACY_GLOBAL_ID:
        legacy->id = field.number;
        legacy->id_kind = field.field;
        break;
      case LEGACY_SCOPE:
        if (field.wire == 2)
          legacy->scope = sw_perfetto_intern (self, &field);
        break;
      case LEGACY_PID:
        legacy->pid = (gint32) field.number;
        break;
      case LEGACY_TID:
        legacy->tid = (gint32) field.number;
        break;
      default:
        break;
      }
}

static guint32
find_track (SwPerfetto *self,
            SwPerfettoSequence *sequence,
            const Event *event,
            const Legacy *legacy)
{
  if (legacy->tid > 0)
    return sw_perfetto_thread (self, legacy->pid, legacy->tid);
  if (event->has_uuid)
    return sw_perfetto_track (self, event->uuid);
  if (sequence->default_track == 0 && sequence->thread != 0)
    return sequence->thread;
  return sw_perfetto_track (self, sequence->default_track);
}

static void
put_waiting (SwPerfetto *self,
             SwTraceStack *stack,
             SwTraceWaitingKind kind,
             const SwTraceReadSlice *slice,
             gboolean has_name)
{
  SwTraceWaiting item = {
    .time_ns = slice->slice.start_ns,
    .duration_ns = slice->slice.duration_ns,
    .stack = stack,
    .extra = sw_trace_extra_new (&slice->slice),
    .track = slice->slice.track,
    .name = slice->slice.name,
    .category = slice->slice.category,
    .kind = (guint8) kind,
    .has_name = has_name,
  };

  sw_trace_pairs_add (self->reader, &item);
}

static void
take_counter (SwPerfetto *self,
              SwPerfettoSequence *sequence,
              const Event *event,
              const SwTraceReadSlice *slice)
{
  SwTraceReadCounter counter = { .track = slice->slice.track, .time_ns = slice->slice.start_ns };

  if (!event->has_integer && !event->has_real)
    {
      sw_trace_reading_malformed (self->reader, self->reader->bytes.at);
      return;
    }
  counter.is_integer = event->has_integer;
  counter.integer = event->integer;
  counter.real = event->real;
  sw_perfetto_take_counter (self, sequence, &counter);
}

static void
take_async (SwPerfetto *self,
            const Legacy *legacy,
            SwTraceReadSlice *slice,
            SwTraceWaitingKind kind)
{
  SwTraceReader *reader = self->reader;
  guint64 key[3] = { legacy->id, (guint64) slice->slice.category << 32 | legacy->scope, legacy->id_kind };
  guint32 process = sw_trace_reading_track (reader, slice->slice.track)->info.process;
  SwTraceStack *stack;

  if (legacy->id_kind == LEGACY_LOCAL_ID)
    key[2] |= (guint64) process << 32;
  stack = g_hash_table_lookup (reader->pairs.asyncs, key);
  if (stack == NULL)
    stack = sw_trace_pairs_async (reader, key, sw_perfetto_async_track (self, process, slice->slice.name));
  slice->slice.track = kind == SW_TRACE_WAITING_BEGIN ? sw_perfetto_async_track (self, process, slice->slice.name) : 0;
  put_waiting (self, stack, kind, slice, legacy->has_name);
}

static void
take_legacy (SwPerfetto *self,
             const Legacy *legacy,
             SwTraceReadSlice *slice)
{
  SwTraceReader *reader = self->reader;
  SwTraceStack *stack = sw_trace_reading_stack (reader, slice->slice.track);

  if (legacy->has_name)
    slice->slice.name = legacy->name;
  switch (legacy->phase)
    {
    case 'X':
      if (!legacy->has_duration || legacy->duration_us < 0 ||
          __builtin_mul_overflow (legacy->duration_us, 1000, &slice->slice.duration_ns))
        reader->report.n_bad_times++;
      else
        sw_trace_reading_slice (reader, slice);
      break;
    case 'B':
      put_waiting (self, stack, SW_TRACE_WAITING_BEGIN, slice, FALSE);
      break;
    case 'E':
      put_waiting (self, stack, SW_TRACE_WAITING_END, slice, FALSE);
      break;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
    case 'T':
      sw_trace_reading_instant (reader, &slice->slice);
      break;
    case 'b':
    case 'S':
      take_async (self, legacy, slice, SW_TRACE_WAITING_BEGIN);
      break;
    case 'e':
    case 'F':
      take_async (self, legacy, slice, SW_TRACE_WAITING_END);
      break;
    default:
      sw_trace_reading_ignore (reader, "legacy event", strlen ("legacy event"));
    }
}

/* What an event without a legacy phase begins or ends nests with. */
static SwTraceStack *
find_stack (SwPerfetto *self,
            SwPerfettoSequence *sequence,
            const Event *event,
            guint32 track)
{
  guint64 uuid = event->has_uuid ? event->uuid : sequence->default_track;
  guint64 key[3] = { uuid, 0, G_MAXUINT64 };

  if (G_LIKELY (g_hash_table_size (self->lanes) == 0 || !g_hash_table_contains (self->lanes, &uuid)))
    return sw_trace_reading_stack (self->reader, track);
  return sw_trace_pairs_async (self->reader, key, track);
}

static void
take_typed (SwPerfetto *self,
            SwPerfettoSequence *sequence,
            const Event *event,
            const Legacy *legacy,
            SwTraceReadSlice *slice)
{
  SwTraceReader *reader = self->reader;

  switch (event->type)
    {
    case TYPE_BEGIN:
      put_waiting (self, find_stack (self, sequence, event, slice->slice.track), SW_TRACE_WAITING_BEGIN, slice, FALSE);
      break;
    case TYPE_END:
      put_waiting (self, find_stack (self, sequence, event, slice->slice.track), SW_TRACE_WAITING_END, slice, FALSE);
      break;
    case TYPE_INSTANT:
      /* As the library writes slices of no length. */
      if (legacy->has_duration && legacy->phase == '\0' && legacy->duration_us == 0)
        sw_trace_reading_slice (reader, slice);
      else
        sw_trace_reading_instant (reader, &slice->slice);
      break;
    case TYPE_COUNTER:
      take_counter (self, sequence, event, slice);
      break;
    default:
      sw_trace_reading_ignore (reader, "track event without a type", strlen ("track event without a type"));
    }
}

void
sw_perfetto_take_event (SwPerfetto *self,
                        SwPerfettoSequence *sequence,
                        const SwPerfettoPacket *packet)
{
  SwTraceReader *reader = self->reader;
  SwProtoScan scan = sw_proto_scan_field (&packet->event);
  SwTraceReadSlice slice = { 0 };
  Legacy legacy = { 0 };
  Event event = { 0 };
  SwProtoField field;
  gint64 time_ns = 0;
  gboolean has_time = sw_perfetto_time (self, sequence, packet, &time_ns);

  sw_trace_scratch_reset (&reader->scratch);
  sw_perfetto_reset_extra (self);
  while (sw_proto_next (&scan, &field))
    take_field (self, sequence, &event, &field);
  if (!sw_proto_is_whole (&scan))
    {
      sw_trace_reading_malformed (reader, reader->bytes.at);
      return;
    }
  if (!has_time)
    {
      reader->report.n_bad_times++;
      return;
    }
  /* The event itself is whole. */
  if (event.has_missing)
    sw_trace_reading_malformed (reader, reader->bytes.at);
  if (event.legacy.bytes != NULL)
    read_legacy (self, sequence, &event.legacy, &legacy);
  slice.slice.start_ns = time_ns;
  slice.slice.track = find_track (self, sequence, &event, &legacy);
  slice.slice.name = event.name;
  slice.slice.category = event.category;
  slice.slice.depth = SW_TRACE_DEPTH_UNKNOWN;
  sw_trace_scratch_finish (&reader->scratch, &slice.slice);
  if (event.type == 0 && legacy.phase != '\0')
    take_legacy (self, &legacy, &slice);
  else
    take_typed (self, sequence, &event, &legacy, &slice);
  sw_perfetto_put_extra (self, sequence, time_ns);
}
