/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-json-read-private.h"

#include "sw/base/sw-error.h"

SwJsonMore
sw_trace_json_more (SwTraceReader *self,
                    GError **error)
{
  if (self->bytes.is_ended)
    return SW_JSON_MORE_END;
  switch (sw_trace_bytes_more (&self->bytes, error))
    {
    case SW_TRACE_BYTES_FAILED:
      return SW_JSON_MORE_FAILED;
    case SW_TRACE_BYTES_TOO_LONG:
      return SW_JSON_MORE_END;
    default:
      return SW_JSON_MORE_RETRY;
    }
}

gboolean
sw_trace_json_find (const SwJsonText *object,
                    const char *wanted,
                    SwJsonText *value)
{
  SwJsonScan scan = { .end = object->end };
  const char *at = object->start + 1;
  SwJsonText key;
  gboolean is_found = FALSE;
  SwJsonText found;

  if (object->kind != SW_JSON_OBJECT)
    return FALSE;
  while ((at = sw_json_member (&scan, at, &key)) != NULL && key.start != NULL)
    {
      at = sw_json_value (&scan, at, &found);
      if (at == NULL)
        break;
      if (!sw_json_is (&key, wanted))
        continue;
      *value = found;
      is_found = TRUE;
    }
  return is_found;
}

/* An object that is none inside, or nothing that is one: its text is kept. */
static void
keep_text (SwTraceReader *self,
           const SwJsonText *args)
{
  if (args->kind != SW_JSON_NULL)
    sw_trace_scratch_add_json (&self->scratch, sw_trace_reading_intern (self, "args", 4), args);
}

void
sw_trace_json_args (SwTraceReader *self,
                    const SwJsonText *args)
{
  SwJsonScan scan = { .end = args->end };
  const char *at = args->start + 1;
  SwJsonText key;
  SwJsonText value;

  if (args->kind != SW_JSON_OBJECT)
    {
      keep_text (self, args);
      return;
    }
  while ((at = sw_json_member (&scan, at, &key)) != NULL && key.start != NULL)
    {
      at = sw_json_value (&scan, at, &value);
      if (at == NULL)
        break;
      sw_trace_scratch_add_json (&self->scratch, sw_trace_reading_intern_json (self, &key), &value);
    }
  if (at == args->end)
    return;
  g_array_set_size (self->scratch.args, 0);
  keep_text (self, args);
}

guint32
sw_trace_json_name (SwTraceReader *self,
                    const SwJsonText *text)
{
  return sw_trace_reading_intern_json (self, text);
}

/* What is longer is counted, not named. */
#define LONGEST_ESCAPED 1024

void
sw_trace_json_ignore (SwTraceReader *self,
                      const SwJsonText *kind)
{
  char room[LONGEST_ESCAPED];
  SwJsonText plain;

  if (kind->is_escaped && sw_json_plain (kind, room, sizeof room, &plain))
    kind = &plain;
  sw_trace_reading_ignore (self, kind->start, sw_json_length (kind));
}

static gboolean
read_session_id (const SwJsonText *text,
                 guint64 id[2])
{
  if (text->kind != SW_JSON_STRING || sw_json_length (text) != 32)
    return FALSE;
  id[0] = id[1] = 0;
  for (guint i = 0; i < 32; i++)
    {
      int digit = g_ascii_xdigit_value (text->start[i]);

      if (digit < 0)
        return FALSE;
      id[i / 16] = id[i / 16] << 4 | (guint64) digit;
    }
  return TRUE;
}

void
sw_trace_json_session (SwTraceReader *self,
                       const SwJsonText *object)
{
  SwJsonText value;

  if (sw_trace_json_find (object, "session", &value) && !read_session_id (&value, self->session.id))
    self->session.id[0] = self->session.id[1] = 0;
  if (sw_trace_json_find (object, "base_ns", &value))
    self->has_base = sw_json_int64 (&value, &self->session.base_ns);
  self->session.has_no_clock = !sw_trace_json_find (object, "clock", &value) || !sw_json_is (&value, "CLOCK_MONOTONIC");
  if (sw_trace_json_find (object, "wall_ns", &value) && !sw_json_int64 (&value, &self->session.wall_ns))
    self->session.wall_ns = 0;
}

static void
read_tallies (SwTraceReader *self,
              const SwJsonText *object,
              void (*tell) (SwTraceReader *reader, const char *name, guint64 n))
{
  SwJsonScan scan = { .end = object->end };
  const char *at = object->start + 1;
  SwJsonText key;
  SwJsonText value;
  guint64 n;

  if (object->kind != SW_JSON_OBJECT)
    return;
  while ((at = sw_json_member (&scan, at, &key)) != NULL && key.start != NULL)
    {
      at = sw_json_value (&scan, at, &value);
      if (at == NULL)
        return;
      if (sw_json_uint64 (&value, &n))
        tell (self, sw_trace_intern_get (&self->names, sw_trace_reading_intern_json (self, &key))->text, n);
    }
}

void
sw_trace_json_tallies (SwTraceReader *self,
                       const SwJsonText *object)
{
  SwJsonText value;

  if (sw_trace_json_find (object, "dropped", &value))
    read_tallies (self, &value, sw_trace_reading_drops);
  if (sw_trace_json_find (object, "diagnostics", &value))
    read_tallies (self, &value, sw_trace_reading_diagnostic);
}
