/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-perfetto-private.h"
#include "sw/base/sw-hash-private.h"

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

/* Of rows of which it is not known yet in which process they are. */
static guint32
some_process (SwPerfetto *self)
{
  guint n_before = self->reader->tracks->len;
  guint32 track = sw_perfetto_process (self, 0);

  if (self->reader->tracks->len > n_before)
    sw_trace_reading_track (self->reader, track)->is_guess = TRUE;
  return track;
}

static guint32
make_track (SwPerfetto *self,
            guint64 uuid)
{
  guint32 track = sw_trace_reading_add_track (self->reader, SW_TRACE_TRACK_GPU_QUEUE, some_process (self), 0, 0);

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
  gboolean is_async;
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
    else if ((field.field == TRACK_NAME || field.field == TRACK_STATIC_NAME || field.field == TRACK_ATRACE_NAME) && field.wire == 2)
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
    else if (field.field == TRACK_DESCRIPTION && field.wire == 2)
      descriptor->is_async = field.length == strlen (SW_PERFETTO_ASYNC_DESCRIPTION) &&
                             memcmp (field.bytes, SW_PERFETTO_ASYNC_DESCRIPTION, field.length) == 0;
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
  sw_trace_reading_track (reader, track)->is_guess = FALSE;
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

static gboolean
is_guess (SwPerfetto *self,
          guint32 process)
{
  return sw_trace_reading_track (self->reader, process)->is_guess;
}

/* The process that a row is in, however many rows are between. */
static guint32
process_of (SwPerfetto *self,
            guint64 parent)
{
  guint32 track = parent != 0 ? find_track (self, parent) : 0;

  return track != 0 ? sw_trace_reading_track (self->reader, track)->info.process : some_process (self);
}

/* The parent may be described later, or be a row whose own parent is. */
static void
wait_for_parent (SwPerfetto *self,
                 const Descriptor *descriptor)
{
  GHashTable *waiting = g_hash_table_lookup (self->children, &descriptor->parent);

  if (descriptor->parent == 0)
    return;
  if (waiting == NULL)
    {
      waiting = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
      g_hash_table_insert (self->children, g_memdup2 (&descriptor->parent, sizeof descriptor->parent), waiting);
    }
  g_hash_table_add (waiting, g_memdup2 (&descriptor->uuid, sizeof descriptor->uuid));
}

static void
place_child (SwPerfetto *self,
             guint64 uuid,
             guint32 process)
{
  guint32 track = find_track (self, uuid);

  if (sw_trace_reading_track (self->reader, track)->info.kind != SW_TRACE_TRACK_PROCESS)
    set_place (self, track, sw_trace_reading_track (self->reader, track)->info.kind, process);
}

/* Not by recursion, as rows may be deep. Each list is taken once, so that a circle ends. */
static void
place_children (SwPerfetto *self,
                guint64 parent)
{
  guint32 process = sw_trace_reading_track (self->reader, find_track (self, parent))->info.process;
  g_autoptr (GArray) uuids = g_array_new (FALSE, FALSE, sizeof (guint64));

  if (is_guess (self, process))
    return;
  g_array_append_val (uuids, parent);
  while (uuids->len > 0)
    {
      guint64 uuid = g_array_index (uuids, guint64, uuids->len - 1);
      GHashTable *waiting = g_hash_table_lookup (self->children, &uuid);
      GHashTableIter iter;
      gpointer child;

      g_array_set_size (uuids, uuids->len - 1);
      if (waiting == NULL)
        continue;
      g_hash_table_iter_init (&iter, waiting);
      while (g_hash_table_iter_next (&iter, &child, NULL))
        {
          place_child (self, *(guint64 *) child, process);
          g_array_append_vals (uuids, child, 1);
        }
      g_hash_table_remove (self->children, &uuid);
    }
}

/* Lanes of a name in a process are one asynchronous track, as they were. */
static void
take_lane (SwPerfetto *self,
           const Descriptor *descriptor)
{
  guint32 process = process_of (self, descriptor->parent);
  guint32 track = find_track (self, descriptor->uuid);

  if (is_guess (self, process))
    wait_for_parent (self, descriptor);
  if (track == 0)
    {
      track = sw_perfetto_async_track (self, process, descriptor->name);
      put_track (self, descriptor->uuid, track);
      g_hash_table_add (self->lanes, g_memdup2 (&descriptor->uuid, sizeof descriptor->uuid));
    }
  else if (sw_trace_reading_track (self->reader, track)->info.kind == SW_TRACE_TRACK_GPU_QUEUE)
    {
      set_place (self, track, SW_TRACE_TRACK_ASYNC, process);
    }
  sw_trace_reading_name_track (self->reader, track, descriptor->name);
  if (descriptor->has_rank)
    sw_trace_reading_rank_track (self->reader, track, (gint32) descriptor->rank);
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
  if (is_guess (self, process))
    wait_for_parent (self, descriptor);
  if (kind == SW_TRACE_TRACK_COUNTER)
    sw_perfetto_describe_counter (self, track, &descriptor->counter);
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
    sw_trace_reading_malformed (self->reader, self->reader->bytes.at);
  else if (descriptor.thread.bytes != NULL)
    take_thread (self, &descriptor);
  else if (descriptor.process.bytes != NULL)
    take_process (self, &descriptor);
  else if (descriptor.is_async)
    take_lane (self, &descriptor);
  else
    take_row (self, &descriptor);
  if (descriptor.has_uuid && g_hash_table_size (self->children) > 0)
    place_children (self, descriptor.uuid);
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
  sw_trace_reading_track (self->reader, track)->is_guess = FALSE;
  if (owner.name != 0)
    sw_trace_reading_name_track (self->reader, track, owner.name);
}
