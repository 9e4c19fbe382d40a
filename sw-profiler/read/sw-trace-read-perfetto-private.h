/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-perfetto-private.h"
#include "sw-profiler/read/sw-proto-scan-private.h"
#include "sw-profiler/read/sw-trace-reading-private.h"

G_BEGIN_DECLS

/* What the writer does not need of Perfetto's schema. */
enum
{
  PACKET_THREAD_DESCRIPTOR = 44,
  PACKET_STATE_CLEARED = 41, /* before there were flags */
  PACKET_PREVIOUS_DROPPED = 42,
  PACKET_PROCESS_DESCRIPTOR = 43,
  PACKET_COMPRESSED = 50,
  PACKET_FIRST_ON_SEQUENCE = 87,
  DEFAULTS_EXTRA_TRACK = 31,
  DEFAULTS_EXTRA_REAL_TRACK = 45,
  CLOCK_MULTIPLIER = 4,
  CLOCK_BOOTTIME_ID = 6,
  TRACK_STATIC_NAME = 10,
  TRACK_ATRACE_NAME = 13,
  COUNTER_UNIT = 3,
  COUNTER_MULTIPLIER = 4,
  COUNTER_IS_INCREMENTAL = 5,
  EVENT_TRACK = 11,
  EVENT_EXTRA_VALUE = 12,
  EVENT_CATEGORY = 22,
  EVENT_EXTRA_TRACK = 31,
  EVENT_FLOW_OLD = 36,
  EVENT_LAST_FLOW_OLD = 42,
  EVENT_EXTRA_REAL_TRACK = 45,
  EVENT_EXTRA_REAL_VALUE = 46,
  LEGACY_NAME_IID = 1,
  LEGACY_PHASE = 2,
  LEGACY_UNSCOPED_ID = 6,
  LEGACY_SCOPE = 7,
  LEGACY_LOCAL_ID = 10,
  LEGACY_GLOBAL_ID = 11,
  LEGACY_PID = 18,
  LEGACY_TID = 19,
  ARG_POINTER = 7,
  ARG_NESTED = 8,
  ARG_NAME = 10,
  ARG_DICTIONARY = 11,
  ARG_ARRAY = 12,
};

/* What an iid of interned data stands for: an id of a text. */
typedef struct
{
  GArray *low;      /* by iid; 0: none, else the id + 1 */
  GHashTable *high; /* of those that are no small numbers */
} SwPerfettoTexts;

/* A clock: what it says, times multiplier, plus offset, are the nanoseconds of the trace. */
typedef struct
{
  gint64 offset;
  gint64 multiplier;
  gint64 last;       /* of an incremental one */
  gboolean is_incremental;
} SwPerfettoClock;

/* Packets of one writer, whose state they share. */
typedef struct
{
  guint32 id;
  gboolean is_valid; /* nothing of its state was lost */
  SwPerfettoTexts texts[N_INTERNED];
  GHashTable *clocks; /* SwPerfettoClock, by id; those that only it has */
  guint32 thread; /* a track; 0: none was described */
  guint64 default_track;
  guint64 default_clock; /* 0: none */
  GArray *extra_tracks[2]; /* uuids, for events that name none: of whole numbers, of reals */
  guint64 generation;    /* how often its state was cleared */
} SwPerfettoSequence;

/* What a counter says of its values. */
typedef struct
{
  gint64 multiplier;
  gboolean is_incremental;
  guint64 sequence;   /* whose values add up, and since when */
  guint64 generation;
  gint64 integer;     /* so far */
  double real;
} SwPerfettoCounter;

/* The parts of a packet; NULL in bytes: not there. */
typedef struct
{
  guint64 timestamp;
  gboolean has_timestamp;
  guint64 clock; /* 0: the default */
  guint32 sequence;
  guint32 flags;
  gboolean is_cleared;
  gboolean has_gap;
  guint32 other; /* the field of what has no place here; 0: none */
  SwProtoField event;
  SwProtoField interned;
  SwProtoField defaults;
  SwProtoField track;
  SwProtoField thread;
  SwProtoField process;
  SwProtoField snapshot;
  SwProtoField uuid;
  SwProtoField attributes;
  SwProtoField compressed;
} SwPerfettoPacket;

typedef struct
{
  SwTraceReader *reader;
  GHashTable *sequences; /* SwPerfettoSequence, by id */
  SwPerfettoSequence *last_sequence;
  GHashTable *clocks;    /* of all sequences */
  GHashTable *tracks;    /* ids, by uuid */
  GHashTable *processes; /* ids, by pid */
  GHashTable *threads;   /* ids, by pid and tid; of events that name no track */
  GHashTable *asyncs;    /* ids, by process and name */
  guint64 last_uuid;
  guint32 last_track;
  GHashTable *flows;     /* ids that were seen */
  GHashTable *lanes;     /* uuids of rows that are lanes of asynchronous tracks */
  GHashTable *children;  /* sets of uuids of rows whose process is not known, by the uuid of their parent */
  GHashTable *counters;  /* SwPerfettoCounter, by the id of the track; those that are not plain */
  GArray *extra_tracks[2]; /* of the event at hand: uuids, and what their counters are */
  GArray *extra_values[2];
  SwTraceBytes packed;      /* of compressed packets */
  gboolean has_packed;
  gboolean is_packed;       /* in the midst of them */
  guint64 raw_clock; /* whose times were taken as they are before any snapshot; 0: none */
  gboolean has_snapshot;
  gint64 wall_offset; /* of the real-time clock to the monotonic one, in the last snapshot; 0: not known */
  gboolean has_session;
  gboolean has_summary;
} SwPerfetto;

/* Of the packet at hand. FALSE: it has none, or one of a clock that is not known. */
gboolean sw_perfetto_time (SwPerfetto *self,
                           SwPerfettoSequence *sequence,
                           const SwPerfettoPacket *packet,
                           gint64 *time_ns);
void sw_perfetto_take_snapshot (SwPerfetto *self,
                                SwPerfettoSequence *sequence,
                                const SwProtoField *snapshot);
SwPerfettoSequence *sw_perfetto_sequence (SwPerfetto *self,
                                          guint32 id);
void sw_perfetto_clear_sequence (SwPerfettoSequence *sequence);
void sw_perfetto_sequence_free (gpointer data);
void sw_perfetto_take_interned (SwPerfetto *self,
                                SwPerfettoSequence *sequence,
                                const SwProtoField *interned);
void sw_perfetto_take_defaults (SwPerfettoSequence *sequence,
                                const SwProtoField *defaults);
/* FALSE: it was never said. */
gboolean sw_perfetto_text (SwPerfettoSequence *sequence,
                           SwPerfettoInterned kind,
                           guint64 iid,
                           guint32 *id);

guint32 sw_perfetto_track (SwPerfetto *self,
                           guint64 uuid);
guint32 sw_perfetto_thread (SwPerfetto *self,
                            gint64 pid,
                            gint64 tid);
guint32 sw_perfetto_process (SwPerfetto *self,
                             gint64 pid);
guint32 sw_perfetto_async_track (SwPerfetto *self,
                                 guint32 process,
                                 guint32 name);
void sw_perfetto_take_track (SwPerfetto *self,
                             const SwProtoField *descriptor);
/* As others described the thread and process of a sequence before there were tracks. */
void sw_perfetto_take_thread (SwPerfetto *self,
                              SwPerfettoSequence *sequence,
                              const SwProtoField *descriptor);
void sw_perfetto_take_process (SwPerfetto *self,
                               const SwProtoField *descriptor);

/* Of one event, at @track: a value that may be a difference to the last one, in a unit that may be a multiple. */
void sw_perfetto_take_counter (SwPerfetto *self,
                               SwPerfettoSequence *sequence,
                               SwTraceReadCounter *counter);
/* The counters that an event has besides, field by field. */
void sw_perfetto_reset_extra (SwPerfetto *self);
void sw_perfetto_take_extra (SwPerfetto *self,
                             const SwProtoField *field);
void sw_perfetto_put_extra (SwPerfetto *self,
                            SwPerfettoSequence *sequence,
                            gint64 time_ns);
/* Numbers of a repeated field, packed or one at a time. */
void sw_perfetto_add_numbers (GArray *numbers,
                              const SwProtoField *field);
void sw_perfetto_describe_counter (SwPerfetto *self,
                                   guint32 track,
                                   const SwProtoField *counter);

/* Puts an argument to the scratch. FALSE: it is none. */
gboolean sw_perfetto_take_arg (SwPerfetto *self,
                               SwPerfettoSequence *sequence,
                               const SwProtoField *annotation);
void sw_perfetto_take_event (SwPerfetto *self,
                             SwPerfettoSequence *sequence,
                             const SwPerfettoPacket *packet);

static inline guint32
sw_perfetto_intern (SwPerfetto *self,
                    const SwProtoField *text)
{
  return sw_trace_reading_intern (self->reader, (const char *) text->bytes, text->length);
}

G_END_DECLS
