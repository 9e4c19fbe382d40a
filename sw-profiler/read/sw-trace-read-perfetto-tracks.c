/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-perfetto-private.h"

/* Rows, by the numbers that descriptors give them. An event may come before the descriptor of its track. */

guint32
sw_perfetto_process (SwPerfetto *self,
                     gint64 pid)
{
  guint32 track = GPOINTER_TO_UINT (g_hash_table_lookup (self->processes, &pid));

  if (track != 0)
    return track;
  track = sw_trace_reading_add_track (self->reader, SW_TRACE_TRACK_PROCESS, 0, pid, 0);
  g_hash_table_insert (self->processes, g_memdup2 (&pid, sizeof pid), GUINT_TO_POINTER (track));
  return track;
}

guint32
sw_perfetto_thread (SwPerfetto *self,
                    gint64 pid,
                    gint64 tid)
{
  gint64 key = (gint64) ((guint64) pid << 32 ^ (guint64) tid);
  guint32 track = GPOINTER_TO_UINT (g_hash_table_lookup (self->threads, &key));

  if (track != 0)
    return track;
  track = sw_trace_reading_add_track (self->reader, SW_TRACE_TRACK_THREAD, sw_perfetto_process (self, pid), tid, 0);
  g_hash_table_insert (self->threads, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (track));
  return track;
}

guint32
sw_perfetto_async_track (SwPerfetto *self,
                         guint32 process,
                         guint32 name)
{
  guint64 key = (guint64) process << 32 | name;
  guint32 track = GPOINTER_TO_UINT (g_hash_table_lookup (self->asyncs, &key));

  if (track != 0)
    return track;
  track = sw_trace_reading_add_track (self->reader, SW_TRACE_TRACK_ASYNC, process, 0, name);
  g_hash_table_insert (self->asyncs, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (track));
  return track;
}

static guint32
find_track (SwPerfetto *self,
            guint64 uuid)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->tracks, &uuid));
}

static void
put_track (SwPerfetto *self,
           guint64 uuid,
           guint32 track)
{
  g_hash_table_insert (self->tracks, g_memdup2 (&uuid, sizeof uuid), GUINT_TO_POINTER (track));
  self->last_track = 0;
}

/* Of a process that nothing is known of. */
static guint32
make_track (SwPerfetto *self,
            guint64 uuid)
{
  guint32 track = sw_trace_reading_add_track (self->reader, SW_TRACE_TRACK_GPU_QUEUE, sw_perfetto_process (self, 0), 0, 0);

  put_track (self, uuid, track);
  return track;
}

guint32
sw_perfetto_track (SwPerfetto *self,
                   guint64 uuid)
{
  guint32 track;

  if (G_LIKELY (self->last_track != 0 && self->last_uuid == uuid))
    return self->last_track;
  track = find_track (self, uuid);
  if (track == 0)
    track = make_track (self, uuid);
  self->last_uuid = uuid;
  self->last_track = track;
  return track;
}

typedef struct
{
  gint64 pid;
  gint64 tid;
  guint32 name;
  gint64 rank;
  gboolean has_rank;
} Owner;

/* A signed number of 32 bits, whether or not its sign was extended. */
static gint64
read_int (const SwProtoField *field)
{
  return (gint32) (guint32) field->number;
}

static void
read_process (SwPerfetto *self,
              const SwProtoField *process,
              Owner *owner)
{
  SwProtoScan scan = sw_proto_scan_field (process);
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    if (field.field == PROCESS_PID && field.wire == 0)
      owner->pid = read_int (&field);
    else if (field.field == PROCESS_NAME && field.wire == 2)
      owner->name = sw_perfetto_intern (self, &field);
    else if (field.field == PROCESS_SORT_INDEX && field.wire == 0)
      {
        owner->rank = read_int (&field);
        owner->has_rank = TRUE;
      }
}

static void
read_thread (SwPerfetto *self,
             const SwProtoField *thread,
             Owner *owner)
{
  SwProtoScan scan = sw_proto_scan_field (thread);
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    if (field.field == THREAD_PID && field.wire == 0)
      owner->pid = read_int (&field);
    else if (field.field == THREAD_TID && field.wire == 0)
      owner->tid = field.number > G_MAXUINT32 ? (gint64) field.number : read_int (&field);
    else if (field.field == THREAD_NAME && field.wire == 2)
      owner->name = sw_perfetto_intern (self, &field);
    else if (field.field == THREAD_SORT_INDEX && field.wire == 0)
      {
        owner->rank = read_int (&field);
        owner->has_rank = TRUE;
      }
}

typedef struct
{
  guint64 uuid;
  guint64 parent;
  gboolean has_uuid;
  SwProtoField process;
  SwProtoField thread;
  SwProtoField counter;
  guint32 name;
  gboolean has_name;
  gint64 rank;
  gboolean has_rank;
} Descriptor;

static void
read_descriptor (SwPerfetto *self,
                 const SwProtoField *bytes,
                 Descriptor *descriptor)
{
  SwProtoScan scan = sw_proto_scan_field (bytes);
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    if (field.field == TRACK_UUID && field.wire != 2)
      {
        descriptor->uuid = field.number;
        descriptor->has_uuid = TRUE;
      }
    else if (field.field == TRACK_PARENT && field.wire != 2)
      descriptor->parent = field.number;
    else if ((field.field == TRACK_NAME || field.field == TRACK_STATIC_NAME) && field.wire == 2)
      {
        descriptor->name = sw_perfetto_intern (self, &field);
        descriptor->has_name = TRUE;
      }
    else if (field.field == TRACK_PROCESS && field.wire == 2)
      descriptor->process = field;
    else if (field.field == TRACK_THREAD && field.wire == 2)
      descriptor->thread = field;
    else if (field.field == TRACK_COUNTER && field.wire == 2)
      descriptor->counter = field;
    else if (field.field == TRACK_RANK && field.wire == 0)
      {
        descriptor->rank = read_int (&field);
        descriptor->has_rank = TRUE;
      }
}

static void
set_place (SwPerfetto *self,
           guint32 id,
           SwTraceTrackKind kind,
           guint32 process)
{
  SwTraceReadTrack *track = sw_trace_reading_track (self->reader, id);

  if (track->info.kind == kind && track->info.process == process)
    return;
  track->info.kind = kind;
  track->info.process = process;
  track->is_told = FALSE;
}

static void
take_process (SwPerfetto *self,
              const Descriptor *descriptor)
{
  SwTraceReader *reader = self->reader;
  Owner owner = { 0 };
  guint32 track;

  read_process (self, &descriptor->process, &owner);
  track = sw_perfetto_process (self, owner.pid);
  if (find_track (self, descriptor->uuid) == 0)
    put_track (self, descriptor->uuid, track);
  if (descriptor->has_name && owner.name == 0)
    owner.name = descriptor->name;
  if (owner.name != 0)
    sw_trace_reading_name_track (reader, track, owner.name);
  if (owner.has_rank || descriptor->has_rank)
    sw_trace_reading_rank_track (reader, track, (gint32) (owner.has_rank ? owner.rank : descriptor->rank));
  if (reader->session.pid == 0 && self->has_session && !reader->is_session_told)
    {
      reader->session.pid = owner.pid;
      reader->process_name = owner.name;
    }
}

static guint32
track_of_thread (SwPerfetto *self,
                 const Owner *owner,
                 guint64 uuid)
{
  guint32 track = find_track (self, uuid);

  if (track == 0 || sw_trace_reading_track (self->reader, track)->info.kind == SW_TRACE_TRACK_PROCESS)
    {
      track = sw_trace_reading_add_track (self->reader, SW_TRACE_TRACK_THREAD, sw_perfetto_process (self, owner->pid), owner->tid, 0);
      put_track (self, uuid, track);
    }
  set_place (self, track, SW_TRACE_TRACK_THREAD, sw_perfetto_process (self, owner->pid));
  sw_trace_reading_track (self->reader, track)->info.id = owner->tid;
  return track;
}

static void
take_thread (SwPerfetto *self,
             const Descriptor *descriptor)
{
  Owner owner = { 0 };
  guint32 track;

  read_thread (self, &descriptor->thread, &owner);
  track = track_of_thread (self, &owner, descriptor->uuid);
  if (owner.name != 0 || descriptor->has_name)
    sw_trace_reading_name_track (self->reader, track, owner.name != 0 ? owner.name : descriptor->name);
  if (descriptor->has_rank || owner.has_rank)
    sw_trace_reading_rank_track (self->reader, track, (gint32) (descriptor->has_rank ? descriptor->rank : owner.rank));
}

/* The process that a row is in, however many rows are between. */
static guint32
process_of (SwPerfetto *self,
            guint64 parent)
{
  guint32 track = parent != 0 ? find_track (self, parent) : 0;

  return track != 0 ? sw_trace_reading_track (self->reader, track)->info.process : sw_perfetto_process (self, 0);
}

static void
read_unit (SwPerfetto *self,
           const SwProtoField *counter,
           guint32 *unit)
{
  static const char *const units[] = { NULL, "ns", "count", "B" };
  SwProtoScan scan = sw_proto_scan_field (counter);
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    if (field.field == COUNTER_UNIT_NAME && field.wire == 2)
      *unit = sw_perfetto_intern (self, &field);
    else if (field.field == 3 && field.wire == 0 && field.number > 0 && field.number < G_N_ELEMENTS (units))
      *unit = sw_trace_reading_intern (self->reader, units[field.number], strlen (units[field.number]));
}

/* A row of its own: a counter, a queue of a device, or whatever else a program wants to show. */
static void
take_row (SwPerfetto *self,
          const Descriptor *descriptor)
{
  SwTraceTrackKind kind = descriptor->counter.bytes != NULL ? SW_TRACE_TRACK_COUNTER : SW_TRACE_TRACK_GPU_QUEUE;
  guint32 process = process_of (self, descriptor->parent);
  guint32 track = find_track (self, descriptor->uuid);

  if (track == 0)
    {
      track = sw_trace_reading_add_track (self->reader, kind, process, 0, 0);
      put_track (self, descriptor->uuid, track);
    }
  if (sw_trace_reading_track (self->reader, track)->info.kind == SW_TRACE_TRACK_PROCESS)
    return;
  set_place (self, track, kind, process);
  if (kind == SW_TRACE_TRACK_COUNTER)
    read_unit (self, &descriptor->counter, &sw_trace_reading_track (self->reader, track)->unit);
  if (descriptor->has_name)
    sw_trace_reading_name_track (self->reader, track, descriptor->name);
  if (descriptor->has_rank)
    sw_trace_reading_rank_track (self->reader, track, (gint32) descriptor->rank);
}

void
sw_perfetto_take_track (SwPerfetto *self,
                        const SwProtoField *bytes)
{
  Descriptor descriptor = { 0 };

  read_descriptor (self, bytes, &descriptor);
  if (!descriptor.has_uuid)
    sw_trace_reading_malformed (self->reader, (const char *) bytes->bytes);
  else if (descriptor.thread.bytes != NULL)
    take_thread (self, &descriptor);
  else if (descriptor.process.bytes != NULL)
    take_process (self, &descriptor);
  else
    take_row (self, &descriptor);
}

void
sw_perfetto_take_thread (SwPerfetto *self,
                         SwPerfettoSequence *sequence,
                         const SwProtoField *bytes)
{
  Owner owner = { 0 };
  guint32 track;

  read_thread (self, bytes, &owner);
  track = sw_perfetto_thread (self, owner.pid, owner.tid);
  if (owner.name != 0)
    sw_trace_reading_name_track (self->reader, track, owner.name);
  sequence->thread = track;
}

void
sw_perfetto_take_process (SwPerfetto *self,
                          const SwProtoField *bytes)
{
  Owner owner = { 0 };
  guint32 track;

  read_process (self, bytes, &owner);
  track = sw_perfetto_process (self, owner.pid);
  if (owner.name != 0)
    sw_trace_reading_name_track (self->reader, track, owner.name);
}
