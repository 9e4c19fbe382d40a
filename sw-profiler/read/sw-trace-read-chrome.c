/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-chrome-private.h"

/* The list of records, bare or in an object, of a file of Chrome's format. */

/* What a record needs behind it for its flows to be recognised. */
#define LOOK_AHEAD 64
/* Of those that are known, all characters escaped. */
#define LONGEST_KEY (6 * 8)

static int
field_of_key (const SwJsonText *key);

static int
field_of_escaped_key (const SwJsonText *key)
{
  char room[LONGEST_KEY];
  SwJsonText plain;

  return sw_json_plain (key, room, sizeof room, &plain) ? field_of_key (&plain) : -1;
}

static int
field_of_key (const SwJsonText *key)
{
  static const struct
  {
    const char *key;
    SwChromeField field;
  } others[] = {
    { "id2", CHROME_ID2 },
    { "scope", CHROME_SCOPE },
    { "s", CHROME_S },
    { "bp", CHROME_BP },
    { "bind_id", CHROME_BIND_ID },
    { "flow_in", CHROME_FLOW_IN },
    { "flow_out", CHROME_FLOW_OUT },
  };
  gsize length = sw_json_length (key);
  const char *start = key->start;

  if (G_UNLIKELY (key->is_escaped))
    return field_of_escaped_key (key);
  if (length == 2)
    {
      if (memcmp (start, "ph", 2) == 0)
        return CHROME_PH;
      if (memcmp (start, "ts", 2) == 0)
        return CHROME_TS;
      if (memcmp (start, "id", 2) == 0)
        return CHROME_ID;
    }
  else if (length == 3)
    {
      if (memcmp (start, "pid", 3) == 0)
        return CHROME_PID;
      if (memcmp (start, "tid", 3) == 0)
        return CHROME_TID;
      if (memcmp (start, "cat", 3) == 0)
        return CHROME_CAT;
      if (memcmp (start, "dur", 3) == 0)
        return CHROME_DUR;
    }
  else if (length == 4)
    {
      if (memcmp (start, "name", 4) == 0)
        return CHROME_NAME;
      if (memcmp (start, "args", 4) == 0)
        return CHROME_ARGS;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (sw_json_is (key, others[i].key))
      return (int) others[i].field;
  return -1;
}

static char
phase_of (const SwChromeRecord *record)
{
  const SwJsonText *phase = sw_chrome_get (record, CHROME_PH);
  char room[LONGEST_KEY];
  SwJsonText plain;

  if (phase == NULL || phase->kind != SW_JSON_STRING)
    return '\0';
  if (G_UNLIKELY (phase->is_escaped))
    phase = sw_json_plain (phase, room, sizeof room, &plain) ? &plain : phase;
  return sw_json_length (phase) == 1 ? *phase->start : '\0';
}

const char *
sw_chrome_scan (SwJsonScan *scan,
                const char *at,
                SwChromeRecord *record)
{
  SwJsonText key;
  SwJsonText other;

  record->present = 0;
  for (;;)
    {
      int field;

      at = sw_json_member (scan, at, &key);
      if (at == NULL)
        return NULL;
      if (key.start == NULL)
        break;
      field = field_of_key (&key);
      at = sw_json_value (scan, at, field >= 0 ? &record->fields[field] : &other);
      if (at == NULL)
        return NULL;
      if (field >= 0)
        record->present |= 1u << field;
    }
  record->phase = phase_of (record);
  return at;
}

/* Whether a flow seems to be at @at; most writers say what a record is first. */
static gboolean
is_flow (const char *at)
{
  if (*at != '{')
    return FALSE;
  at = sw_json_skip_space (at + 1);
  if (strncmp (at, "\"ph\"", 4) != 0)
    return FALSE;
  at = sw_json_skip_space (at + 4);
  if (*at != ':')
    return FALSE;
  at = sw_json_skip_space (at + 1);
  return at[0] == '"' && (at[1] == 's' || at[1] == 't' || at[1] == 'f') && at[2] == '"';
}

/* The flows that follow right behind a record and pass through it. Returns what is behind them; NULL as others. */
static const char *
scan_flows (SwChrome *self,
            SwJsonScan *scan,
            const char *at,
            const SwChromeRecord *record)
{
  gboolean is_ended = self->reader->bytes.is_ended;

  if (record->phase != 'X' && record->phase != 'i' && record->phase != 'I')
    return at;
  for (;;)
    {
      SwChromeRecord flow;
      const char *next = sw_json_skip_separators (at);

      if (scan->end - next < LOOK_AHEAD && !is_ended)
        return sw_json_fail (scan, scan->end);
      if (!is_flow (next))
        return at;
      next = sw_chrome_scan (scan, next + 1, &flow);
      /* What is wrong with it is found when it is read as a record of its own. */
      if (next == NULL && (!scan->is_cut || is_ended))
        return at;
      if (next == NULL)
        return NULL;
      if (!sw_chrome_is_flow_of (self, &flow, record))
        return at;
      sw_chrome_add_flow (self, &flow);
      self->reader->report.n_records++;
      at = next;
    }
}

/* The record at @at. Returns what is behind it. */
static const char *
take_record (SwChrome *self,
             SwJsonScan *scan,
             const char *at)
{
  SwTraceReader *reader = self->reader;
  guint64 n_records = reader->report.n_records;
  SwChromeRecord record;
  const char *next = sw_chrome_scan (scan, at + 1, &record);

  if (next == NULL)
    return NULL;
  sw_trace_scratch_reset (&reader->scratch);
  reader->report.n_records++;
  next = scan_flows (self, scan, next, &record);
  if (next == NULL)
    {
      reader->report.n_records = n_records;
      return NULL;
    }
  if (record.phase == '\0')
    sw_trace_reading_malformed (reader, at);
  else if (record.phase == 'M')
    sw_chrome_take_metadata (self, &record);
  else
    sw_chrome_take (self, &record);
  return next;
}

/* What stands in the list and is no record. */
static const char *
skip_element (SwChrome *self,
              SwJsonScan *scan,
              const char *at)
{
  SwJsonText value;
  const char *next = sw_json_value (scan, at, &value);

  if (next == NULL)
    return NULL;
  self->reader->report.n_records++;
  sw_trace_reading_malformed (self->reader, at);
  return next;
}

typedef enum
{
  GO_ON,
  STOPPED,
  FAILED,
} Outcome;

/* After a scan has failed. */
static Outcome
go_on (SwChrome *self,
       const SwJsonScan *scan,
       GError **error)
{
  SwTraceReader *reader = self->reader;

  if (scan->is_cut)
    switch (sw_trace_json_more (reader, error))
      {
      case SW_JSON_MORE_RETRY:
        return GO_ON;
      case SW_JSON_MORE_FAILED:
        return FAILED;
      default:
        sw_trace_reading_stop (reader, reader->bytes.end);
        return STOPPED;
      }
  sw_trace_reading_stop (reader, scan->trouble);
  return STOPPED;
}

/* Up to the bracket, behind which the reader then is. */
static Outcome
read_list (SwChrome *self,
           GError **error)
{
  SwTraceBytes *bytes = &self->reader->bytes;

  bytes->at++;
  for (;;)
    {
      SwJsonScan scan = { .end = bytes->end };
      const char *at = bytes->at = sw_json_skip_separators (bytes->at);
      const char *next;
      Outcome outcome;

      if (*at == ']')
        {
          bytes->at++;
          return GO_ON;
        }
      next = *at == '{' ? take_record (self, &scan, at) : skip_element (self, &scan, at);
      if (G_LIKELY (next != NULL))
        {
          bytes->at = next;
          if (G_UNLIKELY (self->reader->wants_restart))
            return STOPPED;
          continue;
        }
      outcome = go_on (self, &scan, error);
      if (outcome != GO_ON)
        return outcome;
    }
}

static Outcome
skip_value (SwChrome *self,
            GError **error)
{
  SwTraceReader *reader = self->reader;
  SwTraceBytes *bytes = &reader->bytes;
  SwJsonSkip skip = { 0 };

  for (;;)
    {
      const char *next = sw_json_skip (&skip, bytes->at, bytes->end);
      SwJsonScan scan = { .end = bytes->end, .trouble = bytes->end, .is_cut = TRUE };
      Outcome outcome;

      bytes->at = next != NULL ? next : bytes->end;
      if (next != NULL)
        return GO_ON;
      outcome = go_on (self, &scan, error);
      if (outcome != GO_ON)
        return outcome;
    }
}

/* An object with a list in it. All else that may be in it says nothing of the events. */
static Outcome
read_object (SwChrome *self,
             gboolean *has_list,
             GError **error)
{
  SwTraceBytes *bytes = &self->reader->bytes;

  bytes->at++;
  for (;;)
    {
      SwJsonScan scan = { .end = bytes->end };
      SwJsonText key;
      const char *at = sw_json_member (&scan, bytes->at, &key);
      Outcome outcome;

      if (at != NULL && at >= scan.end && key.start != NULL)
        at = sw_json_fail (&scan, at);
      if (at == NULL)
        {
          outcome = go_on (self, &scan, error);
        }
      else if (key.start == NULL)
        {
          bytes->at = at;
          return GO_ON;
        }
      else
        {
          gboolean is_list = *at == '[' && sw_json_is (&key, "traceEvents");

          bytes->at = at;
          *has_list = *has_list || is_list;
          outcome = is_list ? read_list (self, error) : skip_value (self, error);
        }
      if (outcome != GO_ON)
        return outcome;
    }
}

/* The list or the object that is next. An object without a list says something about a list at most that is in the file alone: behind one it
 * is of another format, as a line of JSONL. */
static Outcome
read_file (SwChrome *self,
           gboolean *has_list,
           GError **error)
{
  SwTraceReader *reader = self->reader;
  guint64 start = sw_trace_bytes_offset (&reader->bytes, reader->bytes.at);
  gboolean is_list = *reader->bytes.at == '[';
  gboolean has_own_list = is_list;
  Outcome outcome = is_list ? read_list (self, error) : read_object (self, &has_own_list, error);

  if (outcome == GO_ON && *has_list && !has_own_list)
    {
      reader->report.n_records++;
      sw_trace_reading_malformed (reader, reader->bytes.at);
      if (reader->report.n_malformed == 1)
        reader->report.error_offset = start;
    }
  *has_list = *has_list || has_own_list;
  return outcome;
}

/* One file after the other, as cat makes of them. Returns whether there is one more. */
static gboolean
is_another (SwChrome *self,
            GError **error)
{
  SwTraceReader *reader = self->reader;
  const char *at;

  do
    reader->bytes.at = at = sw_json_skip_space (reader->bytes.at);
  while (at >= reader->bytes.end && sw_trace_json_more (reader, error) == SW_JSON_MORE_RETRY);
  if (at >= reader->bytes.end)
    return FALSE;
  if (*at == '[' || *at == '{')
    return TRUE;
  sw_trace_reading_malformed (reader, at);
  return FALSE;
}

gboolean
sw_trace_read_chrome (SwTraceReader *reader,
                      GError **error)
{
  g_autoptr (GError) trouble = NULL;
  gboolean has_list = FALSE;
  SwChrome self;
  Outcome outcome;

  sw_chrome_init (&self, reader);
  reader->bytes.at = sw_json_skip_space (reader->bytes.at);
  do
    outcome = read_file (&self, &has_list, &trouble);
  while (outcome == GO_ON && is_another (&self, &trouble));
  if (outcome == GO_ON && trouble == NULL && (!has_list || (self.has_session && !self.has_summary)))
    sw_trace_reading_stop (reader, reader->bytes.at);
  sw_chrome_clear (&self);
  if (trouble == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&trouble));
  return FALSE;
}
