/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-json-read-private.h"
#include "sw/base/sw-hash-private.h"

/* The library's own lines, also of several files one after the other. */

typedef enum
{
  JSONL_TYPE,
  JSONL_NAME,
  JSONL_CATEGORY,
  JSONL_START,
  JSONL_DURATION,
  JSONL_TIME,
  JSONL_TRACK,
  JSONL_PID,
  JSONL_TID,
  JSONL_ARGS,
  JSONL_FLOWS,
  JSONL_VALUE,
  JSONL_KIND,
  JSONL_RANK,
  JSONL_UNIT,
  N_FIELDS,
} Field;

static const char *const keys[] = {
  [JSONL_TYPE] = "type",
  [JSONL_NAME] = "name",
  [JSONL_CATEGORY] = "category",
  [JSONL_START] = "start_ns",
  [JSONL_DURATION] = "duration_ns",
  [JSONL_TIME] = "time_ns",
  [JSONL_TRACK] = "track",
  [JSONL_PID] = "pid",
  [JSONL_TID] = "tid",
  [JSONL_ARGS] = "args",
  [JSONL_FLOWS] = "flows",
  [JSONL_VALUE] = "value",
  [JSONL_KIND] = "kind",
  [JSONL_RANK] = "rank",
  [JSONL_UNIT] = "unit",
};

typedef struct
{
  guint present;
  SwJsonText fields[N_FIELDS];
  SwJsonText line; /* all of it, as an object */
} Record;

typedef struct
{
  SwTraceReader *reader;
  GHashTable *tracks;    /* the reader's, by those of the file */
  GHashTable *processes; /* the same, by pid */
  guint64 last_number;
  guint32 last_track;
  gboolean has_header;
  gboolean is_given; /* its line was read before, and is still to come */
  gboolean has_summary;
} Jsonl;

static const SwJsonText *
get (const Record *record,
     Field field)
{
  return (record->present & 1u << field) != 0 ? &record->fields[field] : NULL;
}

static gboolean
get_int64 (const Record *record,
           Field field,
           gint64 *value)
{
  const SwJsonText *text = get (record, field);

  return text != NULL && sw_json_int64 (text, value);
}

static guint32
get_name (Jsonl *self,
          const Record *record,
          Field field)
{
  const SwJsonText *text = get (record, field);

  return text != NULL && text->kind == SW_JSON_STRING ? sw_trace_json_name (self->reader, text) : 0;
}

static int
field_of_key (const SwJsonText *key)
{
  gsize length = sw_json_length (key);

  if (G_UNLIKELY (key->is_escaped))
    {
      for (guint i = 0; i < N_FIELDS; i++)
        if (sw_json_is (key, keys[i]))
          return (int) i;
      return -1;
    }
  for (guint i = 0; i < N_FIELDS; i++)
    if (keys[i][0] == *key->start && strlen (keys[i]) == length && memcmp (keys[i], key->start, length) == 0)
      return (int) i;
  return -1;
}

/* The object at @at; returns what is behind it. */
static const char *
scan_record (SwJsonScan *scan,
             const char *at,
             Record *record)
{
  SwJsonText key;
  SwJsonText other;

  record->present = 0;
  record->line.kind = SW_JSON_OBJECT;
  record->line.start = at;
  if (*at != '{')
    return sw_json_fail (scan, at);
  at++;
  for (;;)
    {
      int field;

      at = sw_json_member (scan, at, &key);
      if (at == NULL || key.start == NULL)
        break;
      field = field_of_key (&key);
      at = sw_json_value (scan, at, field >= 0 ? &record->fields[field] : &other);
      if (at == NULL)
        break;
      if (field >= 0)
        record->present |= 1u << field;
    }
  record->line.end = at;
  return at;
}

static guint32
find_process (Jsonl *self,
              gint64 pid)
{
  gpointer found = g_hash_table_lookup (self->processes, &pid);
  guint32 track;

  if (found != NULL)
    return GPOINTER_TO_UINT (found);
  track = sw_trace_reading_add_track (self->reader, SW_TRACE_TRACK_PROCESS, 0, pid, 0);
  g_hash_table_insert (self->processes, g_memdup2 (&pid, sizeof pid), GUINT_TO_POINTER (track));
  return track;
}

static SwTraceTrackKind
kind_of (const Record *record)
{
  static const char *const kinds[] = {
    [SW_TRACE_TRACK_PROCESS] = "process",
    [SW_TRACE_TRACK_THREAD] = "thread",
    [SW_TRACE_TRACK_GPU_QUEUE] = "gpu_queue",
    [SW_TRACE_TRACK_ASYNC] = "async",
    [SW_TRACE_TRACK_COUNTER] = "counter",
  };
  const SwJsonText *kind = get (record, JSONL_KIND);

  for (guint i = 0; kind != NULL && i < G_N_ELEMENTS (kinds); i++)
    if (sw_json_is (kind, kinds[i]))
      return (SwTraceTrackKind) i;
  return SW_TRACE_TRACK_THREAD;
}

static guint32
add_track (Jsonl *self,
           const Record *record,
           SwTraceTrackKind kind,
           guint64 number)
{
  gint64 pid = 0;
  gint64 tid = 0;
  guint32 track;

  if (!get_int64 (record, JSONL_PID, &pid))
    pid = 0;
  if (!get_int64 (record, JSONL_TID, &tid))
    tid = 0;
  track = kind == SW_TRACE_TRACK_PROCESS ? find_process (self, pid)
                                         : sw_trace_reading_add_track (self->reader, kind, find_process (self, pid), tid, 0);
  g_hash_table_insert (self->tracks, g_memdup2 (&number, sizeof number), GUINT_TO_POINTER (track));
  return track;
}

/* The track of an event. Its line should have come before; where it does not, later, what the event says must do. 0: none is named. */
static guint32
find_track (Jsonl *self,
            const Record *record,
            SwTraceTrackKind kind)
{
  const SwJsonText *text = get (record, JSONL_TRACK);
  guint64 number;
  gpointer found;

  if (text == NULL || !sw_json_uint64 (text, &number))
    return 0;
  if (G_LIKELY (self->last_track != 0 && self->last_number == number))
    return self->last_track;
  found = g_hash_table_lookup (self->tracks, &number);
  self->last_track = found != NULL ? GPOINTER_TO_UINT (found) : add_track (self, record, kind, number);
  self->last_number = number;
  return self->last_track;
}

static gboolean
take_track (Jsonl *self,
            const Record *record)
{
  guint32 id = find_track (self, record, kind_of (record));
  SwTraceReadTrack *track;
  gint64 rank;

  if (id == 0)
    return FALSE;
  track = sw_trace_reading_track (self->reader, id);
  if (track->info.kind != SW_TRACE_TRACK_PROCESS)
    track->info.kind = kind_of (record);
  track->unit = get_name (self, record, JSONL_UNIT);
  sw_trace_reading_name_track (self->reader, id, get_name (self, record, JSONL_NAME));
  if (get_int64 (record, JSONL_RANK, &rank) && rank > G_MININT32 && rank <= G_MAXINT32)
    sw_trace_reading_rank_track (self->reader, id, (gint32) rank);
  if (track->info.kind == SW_TRACE_TRACK_PROCESS && track->info.id == self->reader->session.pid && self->reader->process_name == 0)
    self->reader->process_name = track->name;
  return TRUE;
}

static void
read_flows (Jsonl *self,
            const SwJsonText *flows)
{
  static const char *const steps[] = { "start", "step", "end" };
  SwJsonScan scan = { .end = flows->end };
  const char *at = flows->start + 1;
  SwJsonText flow;
  SwJsonText value;
  SwJsonText step;
  guint64 id;

  if (flows->kind != SW_JSON_ARRAY)
    return;
  while ((at = sw_json_element (&scan, at, &flow)) != NULL && flow.start != NULL)
    {
      if (!sw_trace_json_find (&flow, "id", &value) || !sw_json_uint64 (&value, &id) ||
          !sw_trace_json_find (&flow, "step", &step))
        continue;
      for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
        if (sw_json_is (&step, steps[i]))
          sw_trace_scratch_add_flow (&self->reader->scratch, id, (SwTraceFlowStep) i);
      if (sw_trace_json_find (&flow, "time_ns", &value))
        sw_trace_scratch_time_flow (&self->reader->scratch, &value);
    }
}

static void
fill_slice (Jsonl *self,
            const Record *record,
            SwTraceSlice *slice)
{
  SwTraceReader *reader = self->reader;
  const SwJsonText *args = get (record, JSONL_ARGS);
  const SwJsonText *flows = get (record, JSONL_FLOWS);

  slice->name = get_name (self, record, JSONL_NAME);
  slice->category = get_name (self, record, JSONL_CATEGORY);
  slice->depth = SW_TRACE_DEPTH_UNKNOWN;
  sw_trace_scratch_reset (&reader->scratch);
  if (args != NULL && sw_trace_reading_wants_args (reader))
    sw_trace_json_args (reader, args);
  if (flows != NULL)
    read_flows (self, flows);
  sw_trace_scratch_finish (&reader->scratch, slice);
}

static gboolean
take_slice (Jsonl *self,
            const Record *record,
            SwTraceTrackKind kind)
{
  SwTraceReadSlice slice = { 0 };

  slice.slice.track = find_track (self, record, kind);
  if (slice.slice.track == 0)
    return FALSE;
  if (!get_int64 (record, JSONL_START, &slice.slice.start_ns) || !get_int64 (record, JSONL_DURATION, &slice.slice.duration_ns) ||
      slice.slice.duration_ns < 0)
    {
      self->reader->report.n_bad_times++;
      return TRUE;
    }
  fill_slice (self, record, &slice.slice);
  sw_trace_reading_slice (self->reader, &slice);
  return TRUE;
}

static gboolean
take_instant (Jsonl *self,
              const Record *record)
{
  SwTraceSlice instant = { 0 };

  instant.track = find_track (self, record, SW_TRACE_TRACK_THREAD);
  if (instant.track == 0)
    return FALSE;
  if (!get_int64 (record, JSONL_TIME, &instant.start_ns))
    {
      self->reader->report.n_bad_times++;
      return TRUE;
    }
  fill_slice (self, record, &instant);
  sw_trace_reading_instant (self->reader, &instant);
  return TRUE;
}

static gboolean
take_counter (Jsonl *self,
              const Record *record)
{
  const SwJsonText *value = get (record, JSONL_VALUE);
  SwTraceReadCounter counter = { 0 };

  counter.track = find_track (self, record, SW_TRACE_TRACK_COUNTER);
  if (counter.track == 0 || value == NULL)
    return FALSE;
  if (!get_int64 (record, JSONL_TIME, &counter.time_ns))
    {
      self->reader->report.n_bad_times++;
      return TRUE;
    }
  counter.is_integer = sw_json_int64 (value, &counter.integer);
  if (!counter.is_integer && !sw_json_double (value, &counter.real))
    return FALSE;
  /* Before its own line has come, the name is only here. */
  if (!sw_trace_reading_track (self->reader, counter.track)->is_told && get (record, JSONL_NAME) != NULL)
    sw_trace_reading_name_track (self->reader, counter.track, get_name (self, record, JSONL_NAME));
  sw_trace_reading_counter (self->reader, &counter);
  return TRUE;
}

static gboolean
take_header (Jsonl *self,
             const Record *record)
{
  SwTraceReader *reader = self->reader;

  if (self->is_given)
    {
      self->is_given = FALSE;
      return TRUE;
    }
  if (self->has_header && !self->has_summary)
    sw_trace_reading_stop (reader, record->line.start);
  if (self->has_header)
    {
      sw_trace_reading_begin_session (reader);
      g_hash_table_remove_all (self->tracks);
      g_hash_table_remove_all (self->processes);
      self->last_track = 0;
      self->has_summary = FALSE;
    }
  self->has_header = TRUE;
  sw_trace_json_session (reader, &record->line);
  if (!get_int64 (record, JSONL_PID, &reader->session.pid))
    reader->session.pid = 0;
  if (reader->is_session_told)
    sw_trace_reading_late_session (reader);
  return TRUE;
}

/* FALSE: it is none of a kind that is known. */
static gboolean
take_record (Jsonl *self,
             const Record *record)
{
  const SwJsonText *type = get (record, JSONL_TYPE);

  if (type == NULL || type->kind != SW_JSON_STRING)
    return FALSE;
  if (sw_json_is (type, "slice"))
    return take_slice (self, record, SW_TRACE_TRACK_THREAD);
  if (sw_json_is (type, "async_slice"))
    return take_slice (self, record, SW_TRACE_TRACK_ASYNC);
  if (sw_json_is (type, "instant"))
    return take_instant (self, record);
  if (sw_json_is (type, "counter"))
    return take_counter (self, record);
  if (sw_json_is (type, "track"))
    return take_track (self, record);
  if (sw_json_is (type, "header"))
    return take_header (self, record);
  if (sw_json_is (type, "summary"))
    {
      self->has_summary = TRUE;
      sw_trace_json_tallies (self->reader, &record->line);
    }
  else
    {
      sw_trace_json_ignore (self->reader, type);
    }
  return TRUE;
}

/* Goes on with the next line after one that is broken. FALSE: there is none. */
static gboolean
skip_line (SwTraceReader *reader,
           GError **error)
{
  SwTraceBytes *bytes = &reader->bytes;

  for (;;)
    {
      const char *next = memchr (bytes->at, '\n', (gsize) (bytes->end - bytes->at));

      bytes->at = next != NULL ? next + 1 : bytes->end;
      if (next != NULL)
        return TRUE;
      if (sw_trace_json_more (reader, error) != SW_JSON_MORE_RETRY)
        return FALSE;
    }
}

/* Whether the line is whole but broken, so that what follows need not be. */
static gboolean
is_line_whole (const SwTraceBytes *bytes)
{
  return memchr (bytes->at, '\n', (gsize) (bytes->end - bytes->at)) != NULL;
}

/* FALSE: nothing more can be read. */
static gboolean
go_on (Jsonl *self,
       const SwJsonScan *scan,
       GError **error)
{
  SwTraceReader *reader = self->reader;

  if (scan->is_cut)
    {
      SwJsonMore more = sw_trace_json_more (reader, error);

      if (more != SW_JSON_MORE_END)
        return more == SW_JSON_MORE_RETRY;
      if (!is_line_whole (&reader->bytes))
        {
          sw_trace_reading_stop (reader, reader->bytes.end);
          return FALSE;
        }
    }
  reader->report.n_records++;
  sw_trace_reading_malformed (reader, reader->bytes.at);
  return skip_line (reader, error);
}

static void
read_lines (Jsonl *self,
            GError **error)
{
  SwTraceReader *reader = self->reader;
  SwTraceBytes *bytes = &reader->bytes;

  for (;;)
    {
      SwJsonScan scan = { .end = bytes->end };
      Record record;
      const char *at = bytes->at = sw_json_skip_space (bytes->at);
      const char *next;

      if (at >= bytes->end)
        {
          if (sw_trace_json_more (reader, error) != SW_JSON_MORE_RETRY)
            return;
          continue;
        }
      next = scan_record (&scan, at, &record);
      if (next == NULL)
        {
          if (!go_on (self, &scan, error))
            return;
          continue;
        }
      reader->report.n_records++;
      if (!take_record (self, &record))
        sw_trace_reading_malformed (reader, at);
      bytes->at = next;
      if (G_UNLIKELY (reader->wants_restart))
        return;
    }
}

gboolean
sw_trace_read_jsonl (SwTraceReader *reader,
                     GError **error)
{
  Jsonl self = {
    .reader = reader,
    .tracks = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL),
    .processes = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL),
  };
  g_autoptr (GError) trouble = NULL;

  self.has_header = self.is_given = sw_trace_reading_take_given (reader);
  read_lines (&self, &trouble);
  if (trouble == NULL && !self.has_summary && !reader->wants_restart)
    sw_trace_reading_stop (reader, reader->bytes.at);
  g_hash_table_unref (self.tracks);
  g_hash_table_unref (self.processes);
  if (trouble == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&trouble));
  return FALSE;
}
