/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-chrome-private.h"

/* What records of events mean, by their phase. */

/* The first slices wait for flows that may come for them, even if none has come yet. */
#define FIRST_WAITING 8192
/* Microseconds are three powers of ten from nanoseconds. */
#define TO_NANOSECONDS 3

static gboolean
read_time (SwChrome *self,
           const SwChromeRecord *record,
           gint64 *time_ns)
{
  const SwJsonText *ts = sw_chrome_get (record, CHROME_TS);

  if (ts != NULL && sw_json_scaled_int64 (ts, TO_NANOSECONDS, time_ns) &&
      !__builtin_add_overflow (*time_ns, self->base_ns, time_ns))
    return TRUE;
  self->reader->report.n_bad_times++;
  return FALSE;
}

static gboolean
read_duration (SwChrome *self,
               const SwChromeRecord *record,
               gint64 start_ns,
               gint64 *duration_ns)
{
  const SwJsonText *dur = sw_chrome_get (record, CHROME_DUR);
  gint64 end;

  if (dur != NULL && sw_json_scaled_int64 (dur, TO_NANOSECONDS, duration_ns) && *duration_ns >= 0 &&
      !__builtin_add_overflow (start_ns, *duration_ns, &end))
    return TRUE;
  self->reader->report.n_bad_times++;
  return FALSE;
}

/* Numbers as they are, also in hexadecimal; a hash of anything else. */
static guint64
read_id (const SwJsonText *text)
{
  guint64 value = 0;
  const char *at = text->start;

  if (sw_json_uint64 (text, &value))
    return value;
  if (sw_json_length (text) < 3 || sw_json_length (text) > 18 || at[0] != '0' || (at[1] | 0x20) != 'x')
    return sw_trace_hash (text->start, sw_json_length (text), 0);
  for (at += 2; at < text->end; at++)
    {
      int digit = g_ascii_xdigit_value (*at);

      if (digit < 0)
        return sw_trace_hash (text->start, sw_json_length (text), 0);
      value = value << 4 | (guint64) digit;
    }
  return value;
}

/* The same number means different flows by different names, but for our own. */
static guint64
mix_flow (const SwChromeRecord *record,
          guint64 id)
{
  const SwJsonText *name = sw_chrome_get (record, CHROME_NAME);
  const SwJsonText *category = sw_chrome_get (record, CHROME_CAT);
  guint64 hash = 0;

  if (name != NULL && category != NULL && sw_json_is (name, "flow") && sw_json_is (category, "flow"))
    return id;
  if (name != NULL)
    hash = sw_trace_hash (name->start, sw_json_length (name), 1);
  if (category != NULL)
    hash = sw_trace_hash (category->start, sw_json_length (category), hash);
  return sw_trace_hash ((const char *) &id, sizeof id, hash);
}

static gboolean
same_text (const SwChromeRecord *a,
           const SwChromeRecord *b,
           SwChromeField field)
{
  const SwJsonText *first = sw_chrome_get (a, field);
  const SwJsonText *second = sw_chrome_get (b, field);

  if (first == NULL || second == NULL)
    return first == second;
  return sw_json_length (first) == sw_json_length (second) && memcmp (first->start, second->start, sw_json_length (first)) == 0;
}

gboolean
sw_chrome_is_flow_of (SwChrome *self,
                      const SwChromeRecord *flow,
                      const SwChromeRecord *record)
{
  gint64 time_ns;
  gint64 other_ns;
  const SwJsonText *ts = sw_chrome_get (flow, CHROME_TS);
  const SwJsonText *other = sw_chrome_get (record, CHROME_TS);

  return (flow->phase == 's' || flow->phase == 't' || flow->phase == 'f') && sw_chrome_get (flow, CHROME_ID) != NULL &&
         same_text (flow, record, CHROME_PID) && same_text (flow, record, CHROME_TID) && ts != NULL && other != NULL &&
         sw_json_scaled_int64 (ts, TO_NANOSECONDS, &time_ns) && sw_json_scaled_int64 (other, TO_NANOSECONDS, &other_ns) &&
         time_ns == other_ns;
}

static SwTraceFlowStep
step_of (const SwChromeRecord *flow)
{
  return flow->phase == 's' ? SW_TRACE_FLOW_START : flow->phase == 't' ? SW_TRACE_FLOW_STEP
                                                                       : SW_TRACE_FLOW_END;
}

void
sw_chrome_add_flow (SwChrome *self,
                    const SwChromeRecord *flow)
{
  guint64 id = mix_flow (flow, read_id (sw_chrome_get (flow, CHROME_ID)));

  sw_trace_scratch_add_flow (&self->reader->scratch, id, step_of (flow));
}

static gboolean
is_true (const SwChromeRecord *record,
         SwChromeField field)
{
  const SwJsonText *value = sw_chrome_get (record, field);

  return value != NULL && (value->kind == SW_JSON_TRUE || sw_json_is (value, "true") || sw_json_is (value, "1"));
}

/* Arguments and flows, those that the record itself names among them. */
static void
finish_slice (SwChrome *self,
              const SwChromeRecord *record,
              SwTraceSlice *slice)
{
  SwTraceReader *reader = self->reader;
  const SwJsonText *args = sw_chrome_get (record, CHROME_ARGS);
  const SwJsonText *bind_id = sw_chrome_get (record, CHROME_BIND_ID);
  gboolean is_in = is_true (record, CHROME_FLOW_IN);
  gboolean is_out = is_true (record, CHROME_FLOW_OUT);

  if (args != NULL && sw_trace_reading_wants_args (reader))
    sw_trace_json_args (reader, args);
  if (bind_id != NULL && (is_in || is_out))
    sw_trace_scratch_add_flow (&reader->scratch, read_id (bind_id),
                               !is_out ? SW_TRACE_FLOW_END : is_in ? SW_TRACE_FLOW_STEP
                                                                   : SW_TRACE_FLOW_START);
  sw_trace_scratch_finish (&reader->scratch, slice);
}

static void
fill_slice (SwChrome *self,
            const SwChromeRecord *record,
            SwTraceSlice *slice)
{
  slice->name = sw_chrome_name (self, record, CHROME_NAME);
  slice->category = sw_chrome_name (self, record, CHROME_CAT);
  slice->depth = SW_TRACE_DEPTH_UNKNOWN;
  finish_slice (self, record, slice);
}

static void
wait_for (SwChrome *self,
          SwTraceStack *stack,
          SwTraceWaitingKind kind,
          const SwTraceSlice *slice,
          gboolean has_name)
{
  SwTraceWaiting item = {
    .time_ns = slice->start_ns,
    .duration_ns = slice->duration_ns,
    .stack = stack,
    .extra = sw_trace_extra_new (slice),
    .track = slice->track,
    .name = slice->name,
    .category = slice->category,
    .kind = (guint8) kind,
    .has_name = has_name,
  };

  sw_trace_pairs_add (self->reader, &item);
}

static void
take_slice (SwChrome *self,
            const SwChromeRecord *record)
{
  /* Those that waited were before it. */
  SwTraceReadSlice slice = { .order = G_MAXUINT };

  if (!read_time (self, record, &slice.slice.start_ns) ||
      !read_duration (self, record, slice.slice.start_ns, &slice.slice.duration_ns))
    return;
  slice.slice.track = sw_chrome_thread (self, record);
  fill_slice (self, record, &slice.slice);
  if (self->slices_wait || self->n_records < FIRST_WAITING)
    wait_for (self, sw_trace_reading_stack (self->reader, slice.slice.track), SW_TRACE_WAITING_SLICE, &slice.slice, TRUE);
  else
    sw_trace_reading_slice (self->reader, &slice);
}

static void
take_part (SwChrome *self,
           const SwChromeRecord *record,
           SwTraceWaitingKind kind)
{
  SwTraceSlice slice = { 0 };
  const SwJsonText *name = sw_chrome_get (record, CHROME_NAME);

  if (!read_time (self, record, &slice.start_ns))
    return;
  slice.track = sw_chrome_thread (self, record);
  fill_slice (self, record, &slice);
  wait_for (self, sw_trace_reading_stack (self->reader, slice.track), kind, &slice, name != NULL && sw_json_length (name) > 0);
}

static void
take_instant (SwChrome *self,
              const SwChromeRecord *record)
{
  const SwJsonText *scope = sw_chrome_get (record, CHROME_S);
  SwTraceSlice instant = { 0 };

  if (!read_time (self, record, &instant.start_ns))
    return;
  instant.track = scope != NULL && (sw_json_is (scope, "p") || sw_json_is (scope, "g")) ? sw_chrome_process (self, record)
                                                                                        : sw_chrome_thread (self, record);
  fill_slice (self, record, &instant);
  sw_trace_reading_instant (self->reader, &instant);
}

/* Of the process, as no thread is meant. */
static void
take_async_instant (SwChrome *self,
                    const SwChromeRecord *record)
{
  SwTraceSlice instant = { 0 };

  if (!read_time (self, record, &instant.start_ns))
    return;
  instant.track = sw_chrome_process (self, record);
  fill_slice (self, record, &instant);
  sw_trace_reading_instant (self->reader, &instant);
}

/* By what both ends of an asynchronous slice are found: category, scope and id, which counts in its process only if it says
 * so. The older form has no scope; there the name counts. */
static gboolean
make_async_key (SwChrome *self,
                const SwChromeRecord *record,
                gboolean is_old,
                guint64 key[3])
{
  const SwJsonText *id = sw_chrome_get (record, CHROME_ID);
  const SwJsonText *id2 = sw_chrome_get (record, CHROME_ID2);
  SwJsonText value;

  key[1] = (guint64) sw_chrome_name (self, record, CHROME_CAT) << 32 | sw_chrome_name (self, record, CHROME_SCOPE);
  key[2] = is_old ? 2 | (guint64) sw_chrome_name (self, record, CHROME_NAME) << 2 : 0;
  if (id2 != NULL && sw_trace_json_find (id2, "local", &value))
    key[2] = 1 | (guint64) sw_chrome_process (self, record) << 2;
  else if (id2 == NULL || !sw_trace_json_find (id2, "global", &value))
    {
      if (id == NULL)
        return FALSE;
      value = *id;
    }
  key[0] = read_id (&value);
  return TRUE;
}

static void
take_async (SwChrome *self,
            const SwChromeRecord *record,
            SwTraceWaitingKind kind,
            gboolean is_old)
{
  const SwJsonText *name = sw_chrome_get (record, CHROME_NAME);
  SwTraceSlice slice = { 0 };
  guint32 track_name;
  guint64 key[3];

  if (!make_async_key (self, record, is_old, key))
    {
      sw_trace_reading_malformed (self->reader, self->reader->bytes.at);
      return;
    }
  if (!read_time (self, record, &slice.start_ns))
    return;
  fill_slice (self, record, &slice);
  track_name = self->has_session ? sw_chrome_name (self, record, CHROME_SCOPE) : 0;
  slice.track = sw_chrome_named_track (self, record, CHROME_TRACK_ASYNC, track_name != 0 ? track_name : slice.name);
  wait_for (self, sw_trace_pairs_async (self->reader, key, slice.track), kind, &slice, name != NULL && sw_json_length (name) > 0);
}

static void
take_flow (SwChrome *self,
           const SwChromeRecord *record)
{
  SwTraceReader *reader = self->reader;
  const SwJsonText *bind = sw_chrome_get (record, CHROME_BP);
  SwTraceSlice slice = { 0 };
  SwTraceWaiting item = { .kind = SW_TRACE_WAITING_FLOW };

  self->slices_wait = TRUE;
  if (sw_chrome_get (record, CHROME_ID) == NULL)
    {
      sw_trace_reading_malformed (reader, reader->bytes.at);
      return;
    }
  if (!read_time (self, record, &item.time_ns))
    return;
  sw_chrome_add_flow (self, record);
  sw_trace_scratch_finish (&reader->scratch, &slice);
  item.extra = sw_trace_extra_new (&slice);
  item.stack = sw_trace_reading_stack (reader, sw_chrome_thread (self, record));
  item.track = item.stack->track;
  item.name = sw_chrome_name (self, record, CHROME_NAME);
  item.category = sw_chrome_name (self, record, CHROME_CAT);
  item.binds_next = record->phase == 'f' && (bind == NULL || !sw_json_is (bind, "e"));
  sw_trace_pairs_add (reader, &item);
}

/* "NAME" for the value of that name, "NAME KEY" for others: a record may have several. */
static guint32
name_counter (SwChrome *self,
              const SwChromeRecord *record,
              const SwJsonText *key)
{
  SwTraceReader *reader = self->reader;
  guint32 name = sw_chrome_name (self, record, CHROME_NAME);
  guint32 series = sw_trace_json_name (reader, key);
  const SwJsonText *id = sw_chrome_get (record, CHROME_ID);
  g_autoptr (GString) text = NULL;

  if (id == NULL && (series == 0 || sw_json_is (key, "value")))
    return name;
  text = g_string_new (sw_trace_intern_get (&reader->names, name)->text);
  if (id != NULL)
    g_string_append_printf (text, "[%s]", sw_trace_intern_get (&reader->names, sw_chrome_name (self, record, CHROME_ID))->text);
  if (series != 0 && !sw_json_is (key, "value"))
    g_string_append_printf (text, " %s", sw_trace_intern_get (&reader->names, series)->text);
  return sw_trace_reading_intern (reader, text->str, text->len);
}

static void
take_counter (SwChrome *self,
              const SwChromeRecord *record)
{
  const SwJsonText *args = sw_chrome_get (record, CHROME_ARGS);
  SwTraceReadCounter counter = { 0 };
  const char *at = args != NULL ? args->start + 1 : NULL;
  SwJsonScan scan = { .end = args != NULL ? args->end : NULL };
  guint n_values = 0;
  SwJsonText key;
  SwJsonText value;

  if (!read_time (self, record, &counter.time_ns))
    return;
  while (at != NULL && args->kind == SW_JSON_OBJECT && (at = sw_json_member (&scan, at, &key)) != NULL && key.start != NULL)
    {
      at = sw_json_value (&scan, at, &value);
      if (at == NULL)
        break;
      counter.is_integer = sw_json_int64 (&value, &counter.integer);
      if (!counter.is_integer && !sw_json_double (&value, &counter.real))
        continue;
      n_values++;
      counter.track = sw_chrome_named_track (self, record, CHROME_TRACK_COUNTER, name_counter (self, record, &key));
      sw_trace_reading_counter (self->reader, &counter);
    }
  if (n_values == 0)
    sw_trace_reading_malformed (self->reader, self->reader->bytes.at);
}

void
sw_chrome_take (SwChrome *self,
                const SwChromeRecord *record)
{
  self->n_records++;
  switch (record->phase)
    {
    case 'X':
      take_slice (self, record);
      break;
    case 'B':
      take_part (self, record, SW_TRACE_WAITING_BEGIN);
      break;
    case 'E':
      take_part (self, record, SW_TRACE_WAITING_END);
      break;
    case 'b':
    case 'S':
      take_async (self, record, SW_TRACE_WAITING_BEGIN, record->phase == 'S');
      break;
    case 'e':
    case 'F':
      take_async (self, record, SW_TRACE_WAITING_END, record->phase == 'F');
      break;
    case 'n':
    case 'T':
    case 'p':
      take_async_instant (self, record);
      break;
    case 'i':
    case 'I':
    case 'R':
      take_instant (self, record);
      break;
    case 's':
    case 't':
    case 'f':
      take_flow (self, record);
      break;
    case 'C':
      take_counter (self, record);
      break;
    default:
      sw_trace_reading_ignore (self->reader, &record->phase, 1);
    }
}
