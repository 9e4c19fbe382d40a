/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-chrome-private.h"
#include "sw/base/sw-hash-private.h"

/* Whose a record is, and what the metadata says of them. */

static guint
hash_key (gconstpointer data)
{
  return (guint) sw_hash_bytes (data, sizeof (SwChromeKey));
}

static gboolean
equal_keys (gconstpointer a,
            gconstpointer b)
{
  return memcmp (a, b, sizeof (SwChromeKey)) == 0;
}

void
sw_chrome_init (SwChrome *self,
                SwTraceReader *reader)
{
  memset (self, 0, sizeof *self);
  self->reader = reader;
  self->tracks = g_hash_table_new_full (hash_key, equal_keys, g_free, NULL);
  self->has_session = self->is_given = sw_trace_reading_take_given (reader);
  self->base_ns = reader->has_base ? reader->session.base_ns : 0;
}

void
sw_chrome_clear (SwChrome *self)
{
  g_hash_table_unref (self->tracks);
}

/* As others write them: 1, "1", "main thread", or not at all. */
static SwChromeId
read_id (SwChrome *self,
         const SwJsonText *text)
{
  SwChromeId id = { 0 };

  if (text == NULL || text->kind == SW_JSON_NULL || sw_json_int64 (text, &id.number))
    return id;
  id.text = sw_trace_json_name (self->reader, text);
  return id;
}

static inline SwChromeKey
make_key (SwChrome *self,
          const SwChromeRecord *record,
          SwChromeTrackKind kind)
{
  SwChromeKey key;

  /* Also what lies between the members is compared. */
  memset (&key, 0, sizeof key);
  key.kind = kind;
  key.pid = read_id (self, sw_chrome_get (record, CHROME_PID));
  if (kind == CHROME_TRACK_THREAD)
    key.tid = read_id (self, sw_chrome_get (record, CHROME_TID));
  return key;
}

static guint32
add_track (SwChrome *self,
           const SwChromeKey *key,
           SwTraceTrackKind kind,
           guint32 process,
           const SwChromeId *id,
           guint32 name)
{
  SwChromeKey *copy = g_malloc (sizeof *copy);
  guint32 track = sw_trace_reading_add_track (self->reader, kind, process, id != NULL ? id->number : 0, name);

  memcpy (copy, key, sizeof *copy);
  g_hash_table_insert (self->tracks, copy, GUINT_TO_POINTER (track));
  return track;
}

static guint32
find_process (SwChrome *self,
              const SwChromeKey *key)
{
  SwChromeKey process;
  gpointer found;

  memset (&process, 0, sizeof process);
  process.kind = CHROME_TRACK_PROCESS;
  process.pid = key->pid;
  found = g_hash_table_lookup (self->tracks, &process);
  if (found != NULL)
    return GPOINTER_TO_UINT (found);
  return add_track (self, &process, SW_TRACE_TRACK_PROCESS, 0, &process.pid, process.pid.text);
}

guint32
sw_chrome_process (SwChrome *self,
                   const SwChromeRecord *record)
{
  SwChromeKey key = make_key (self, record, CHROME_TRACK_PROCESS);

  return find_process (self, &key);
}

guint32
sw_chrome_thread (SwChrome *self,
                  const SwChromeRecord *record)
{
  SwChromeKey key = make_key (self, record, CHROME_TRACK_THREAD);
  gpointer found;

  if (G_LIKELY (self->last_track != 0 && equal_keys (&key, &self->last_key)))
    return self->last_track;
  found = g_hash_table_lookup (self->tracks, &key);
  self->last_track = found != NULL ? GPOINTER_TO_UINT (found)
                                   : add_track (self, &key, SW_TRACE_TRACK_THREAD, find_process (self, &key), &key.tid, key.tid.text);
  memcpy (&self->last_key, &key, sizeof key);
  return self->last_track;
}

guint32
sw_chrome_named_track (SwChrome *self,
                       const SwChromeRecord *record,
                       SwChromeTrackKind kind,
                       guint32 name)
{
  SwChromeKey key = make_key (self, record, kind);
  gpointer found;

  key.tid.text = name;
  found = g_hash_table_lookup (self->tracks, &key);
  if (found != NULL)
    return GPOINTER_TO_UINT (found);
  return add_track (self, &key, kind == CHROME_TRACK_ASYNC ? SW_TRACE_TRACK_ASYNC : SW_TRACE_TRACK_COUNTER,
                    find_process (self, &key), NULL, name);
}

guint32
sw_chrome_name (SwChrome *self,
                const SwChromeRecord *record,
                SwChromeField field)
{
  const SwJsonText *text = sw_chrome_get (record, field);

  return text != NULL && text->kind != SW_JSON_NULL ? sw_trace_json_name (self->reader, text) : 0;
}

static void
read_session (SwTraceReader *reader,
              const SwJsonText *pid,
              const SwJsonText *args)
{
  sw_trace_json_session (reader, args);
  if (pid == NULL || !sw_json_int64 (pid, &reader->session.pid))
    reader->session.pid = 0;
}

/* In a file that others shuffled it may come after events, whose times count from it nevertheless. */
static void
take_session (SwChrome *self,
              const SwChromeRecord *record,
              const SwJsonText *args)
{
  SwTraceReader *reader = self->reader;
  const SwJsonText *pid = sw_chrome_get (record, CHROME_PID);

  if (self->is_given)
    {
      self->is_given = FALSE;
      return;
    }
  if (!self->has_session && (reader->is_session_told || self->n_records > 0))
    {
      self->has_session = TRUE;
      read_session (reader, pid, args);
      if (sw_trace_reading_late_session (reader))
        return;
      reader->report.is_base_late = reader->has_base;
      reader->has_base = FALSE;
      reader->session.base_ns = 0;
      return;
    }
  if (self->has_session && !self->has_summary)
    sw_trace_reading_stop (reader, reader->bytes.at);
  if (self->has_session)
    sw_trace_reading_begin_session (reader);
  if (self->has_session)
    {
      g_hash_table_remove_all (self->tracks);
      self->has_summary = FALSE;
    }
  self->last_track = 0;
  self->has_session = TRUE;
  read_session (reader, pid, args);
  self->base_ns = reader->has_base ? reader->session.base_ns : 0;
}

static void
name_track (SwChrome *self,
            guint32 track,
            gboolean is_process,
            const SwJsonText *args)
{
  SwTraceReader *reader = self->reader;
  SwJsonText value;
  guint32 name;

  if (!sw_trace_json_find (args, "name", &value) || value.kind == SW_JSON_NULL)
    return;
  name = sw_trace_json_name (reader, &value);
  sw_trace_reading_name_track (reader, track, name);
  if (is_process && self->has_session && reader->process_name == 0 &&
      sw_trace_reading_track (reader, track)->info.id == reader->session.pid)
    reader->process_name = name;
}

static void
rank_track (SwChrome *self,
            guint32 track,
            const SwJsonText *args)
{
  SwJsonText value;
  gint64 rank;

  if (sw_trace_json_find (args, "sort_index", &value) && sw_json_int64 (&value, &rank) && rank > G_MININT32 && rank <= G_MAXINT32)
    sw_trace_reading_rank_track (self->reader, track, (gint32) rank);
}

/* What our own files say of tracks. */
static void
take_track (SwChrome *self,
            const SwChromeRecord *record,
            const SwJsonText *args)
{
  SwTraceReader *reader = self->reader;
  SwJsonText value;
  SwChromeTrackKind kind;
  SwTraceReadTrack *track;
  guint32 id;
  gint64 rank;

  if (!sw_trace_json_find (args, "kind", &value))
    return;
  if (sw_json_is (&value, "gpu_queue"))
    {
      track = sw_trace_reading_track (reader, sw_chrome_thread (self, record));
      track->is_told = track->is_told && track->info.kind == SW_TRACE_TRACK_GPU_QUEUE;
      track->info.kind = SW_TRACE_TRACK_GPU_QUEUE;
      return;
    }
  kind = sw_json_is (&value, "async") ? CHROME_TRACK_ASYNC : CHROME_TRACK_COUNTER;
  id = sw_chrome_named_track (self, record, kind, sw_trace_json_find (args, "name", &value) ? sw_trace_json_name (reader, &value) : 0);
  if (sw_trace_json_find (args, "unit", &value) && value.kind == SW_JSON_STRING)
    sw_trace_reading_track (reader, id)->unit = sw_trace_json_name (reader, &value);
  if (sw_trace_json_find (args, "rank", &value) && sw_json_int64 (&value, &rank) && rank > G_MININT32 && rank <= G_MAXINT32)
    sw_trace_reading_rank_track (reader, id, (gint32) rank);
}

void
sw_chrome_take_metadata (SwChrome *self,
                         const SwChromeRecord *record)
{
  static const SwJsonText nothing = { .start = "{}", .end = NULL, .kind = SW_JSON_NULL };
  const SwJsonText *name = sw_chrome_get (record, CHROME_NAME);
  const SwJsonText *args = sw_chrome_get (record, CHROME_ARGS);

  if (args == NULL)
    args = &nothing;
  if (name == NULL || name->kind != SW_JSON_STRING)
    sw_trace_reading_malformed (self->reader, self->reader->bytes.at);
  else if (sw_json_is (name, "thread_name"))
    name_track (self, sw_chrome_thread (self, record), FALSE, args);
  else if (sw_json_is (name, "process_name"))
    name_track (self, sw_chrome_process (self, record), TRUE, args);
  else if (sw_json_is (name, "thread_sort_index"))
    rank_track (self, sw_chrome_thread (self, record), args);
  else if (sw_json_is (name, "process_sort_index"))
    rank_track (self, sw_chrome_process (self, record), args);
  else if (sw_json_is (name, "strideweave_track"))
    take_track (self, record, args);
  else if (sw_json_is (name, "strideweave_session"))
    take_session (self, record, args);
  else if (sw_json_is (name, "strideweave_summary"))
    {
      self->has_summary = TRUE;
      sw_trace_json_tallies (self->reader, args);
    }
  else
    sw_trace_json_ignore (self->reader, name);
}
