/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-reading-private.h"

#include "sw/base/sw-error.h"

/* How many bytes the format is told by. */
#define SNIFFED 4096

static SwTraceReader *
reader_new (void)
{
  SwTraceReader *self = g_new0 (SwTraceReader, 1);

  sw_trace_intern_init (&self->names);
  sw_trace_scratch_init (&self->scratch);
  sw_trace_pairs_init (&self->pairs);
  self->tracks = g_array_new (FALSE, FALSE, sizeof (SwTraceReadTrack));
  self->ignored = g_string_new (NULL);
  self->ignored_kinds = g_hash_table_new (NULL, NULL);
  return self;
}

SwTraceReader *
sw_trace_reader_new_for_path (const char *path,
                              GError **error)
{
  SwTraceReader *self = reader_new ();

  if (sw_trace_bytes_open (&self->bytes, path, error))
    return self;
  self->bytes.fd = -1;
  sw_trace_reader_free (self);
  return NULL;
}

SwTraceReader *
sw_trace_reader_new_for_bytes (const void *bytes,
                               gsize n_bytes)
{
  SwTraceReader *self = reader_new ();

  sw_trace_bytes_init (&self->bytes, bytes, n_bytes);
  return self;
}

void
sw_trace_reader_free (SwTraceReader *self)
{
  for (guint i = 0; i < self->tracks->len; i++)
    g_clear_pointer (&g_array_index (self->tracks, SwTraceReadTrack, i).stack, sw_trace_stack_free);
  sw_trace_pairs_clear (&self->pairs);
  g_array_unref (self->tracks);
  sw_trace_scratch_clear (&self->scratch);
  sw_trace_intern_clear (&self->names);
  g_string_free (self->ignored, TRUE);
  g_hash_table_unref (self->ignored_kinds);
  sw_trace_bytes_clear (&self->bytes);
  g_free (self);
}

/* Whether the field of a message that begins at @at may be one; NULL is no. */
static const guint8 *
skip_field (const guint8 *at,
            const guint8 *end)
{
  guint64 tag = 0;
  guint64 value = 0;

  for (guint shift = 0; shift < 64; shift += 7)
    {
      if (at >= end)
        return end;
      tag |= (guint64) (*at & 0x7f) << shift;
      if ((*at++ & 0x80) == 0)
        break;
    }
  if (tag >> 3 == 0 || tag >> 3 > 1000)
    return NULL;
  if ((tag & 7) == 1 || (tag & 7) == 5)
    return at + ((tag & 7) == 1 ? 8 : 4);
  if ((tag & 7) != 0 && (tag & 7) != 2)
    return NULL;
  for (guint shift = 0; shift < 64; shift += 7)
    {
      if (at >= end)
        return end;
      value |= (guint64) (*at & 0x7f) << shift;
      if ((*at++ & 0x80) == 0)
        break;
    }
  if ((tag & 7) == 0)
    return at;
  return value > (guint64) (end - at) ? end : at + value;
}

/* Each packet is field 1 of the file. A text may begin with the same byte, a line break, but its brackets are no fields. */
static gboolean
is_perfetto (const char *bytes,
             gsize n_bytes)
{
  const guint8 *at = (const guint8 *) bytes;
  const guint8 *end = at + n_bytes;
  guint64 length = 0;

  if (n_bytes == 0 || *at++ != 0x0a)
    return FALSE;
  for (guint shift = 0; shift < 64; shift += 7)
    {
      if (at >= end)
        return TRUE;
      length |= (guint64) (*at & 0x7f) << shift;
      if ((*at++ & 0x80) == 0)
        break;
    }
  if (length > SW_TRACE_BYTES_LARGEST)
    return FALSE;
  end = MIN (end, at + MIN (length, SNIFFED));
  while (at != NULL && at < end)
    at = skip_field (at, end);
  return at != NULL;
}

/* JSONL has a "type" in each object; an object of Chrome's format has lists in it. */
static SwTraceInput
classify_object (const char *at,
                 const char *end)
{
  SwJsonScan scan = { .end = end };
  SwTraceInput input = SW_TRACE_INPUT_CHROME_JSON;
  SwJsonText key = { 0 };
  SwJsonText value;

  at++;
  while ((at = sw_json_member (&scan, at, &key)) != NULL && key.start != NULL)
    {
      if (sw_json_is (&key, "traceEvents"))
        return SW_TRACE_INPUT_CHROME_JSON;
      if (sw_json_is (&key, "type"))
        input = SW_TRACE_INPUT_JSONL;
      at = sw_json_value (&scan, at, &value);
      if (at == NULL)
        break;
    }
  return input;
}

static SwTraceInput
classify (SwTraceReader *self)
{
  const char *start = self->bytes.at;
  gsize n_bytes = (gsize) (self->bytes.end - start);
  const char *at;

  if (is_perfetto (start, n_bytes))
    return SW_TRACE_INPUT_PERFETTO;
  if (n_bytes >= 3 && memcmp (start, "\xef\xbb\xbf", 3) == 0)
    self->bytes.at = start += 3;
  at = sw_json_skip_space (start);
  if (*at == '[')
    return SW_TRACE_INPUT_CHROME_JSON;
  return *at == '{' ? classify_object (at, self->bytes.end) : SW_TRACE_INPUT_UNKNOWN;
}

static gboolean
fail_unknown (SwTraceReader *self,
              GError **error)
{
  const char *at = sw_json_skip_space (self->bytes.at);

  if (self->bytes.at == self->bytes.end && !self->bytes.is_broken)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the file is empty, which is no trace");
  else if (self->bytes.is_broken && at >= self->bytes.end)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the compressed file goes wrong before its first byte");
  else
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "byte %" G_GUINT64_FORMAT " is 0x%02x, with which none of the formats of traces begins",
                 sw_trace_bytes_offset (&self->bytes, at), (guint8) *at);
  return FALSE;
}

static gboolean
check_records (SwTraceReader *self,
               GError **error)
{
  const SwTraceReadReport *report = &self->report;

  if (report->n_records > 0 || !report->is_truncated)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the file goes wrong at byte %" G_GUINT64_FORMAT ", in its record %" G_GUINT64_FORMAT,
               report->error_offset, report->error_record);
  return FALSE;
}

static gboolean
read_format (SwTraceReader *self,
             GError **error)
{
  switch (self->report.input)
    {
    case SW_TRACE_INPUT_CHROME_JSON:
      return sw_trace_read_chrome (self, error);
    case SW_TRACE_INPUT_JSONL:
      return sw_trace_read_jsonl (self, error);
    case SW_TRACE_INPUT_PERFETTO:
      return sw_trace_read_perfetto (self, error);
    default:
      return fail_unknown (self, error);
    }
}

/* As if nothing had been read, but that names keep their ids. */
static gboolean
restart (SwTraceReader *self,
         GError **error)
{
  if (!sw_trace_bytes_rewind (&self->bytes, error))
    return FALSE;
  for (guint i = 0; i < self->tracks->len; i++)
    g_clear_pointer (&g_array_index (self->tracks, SwTraceReadTrack, i).stack, sw_trace_stack_free);
  g_array_set_size (self->tracks, 0);
  sw_trace_pairs_clear (&self->pairs);
  sw_trace_pairs_init (&self->pairs);
  memset (&self->session, 0, sizeof self->session);
  memset (&self->report, 0, sizeof self->report);
  self->names.n_replaced = 0;
  self->process_name = 0;
  self->has_base = FALSE;
  self->is_session_told = FALSE;
  self->first_track = 0;
  self->wants_restart = FALSE;
  g_string_truncate (self->ignored, 0);
  g_hash_table_remove_all (self->ignored_kinds);
  self->visitor->restart (self->data);
  return TRUE;
}

static gboolean
read_once (SwTraceReader *self,
           GError **error)
{
  if (sw_trace_bytes_more (&self->bytes, error) == SW_TRACE_BYTES_FAILED)
    return FALSE;
  self->report.input = classify (self);
  return read_format (self, error);
}

gboolean
sw_trace_reader_read (SwTraceReader *self,
                      const SwTraceVisitor *visitor,
                      gpointer data,
                      GError **error)
{
  gboolean is_read;

  g_return_val_if_fail (!self->was_read, FALSE);

  self->was_read = TRUE;
  self->visitor = visitor;
  self->data = data;
  is_read = read_once (self, error);
  if (is_read && self->wants_restart)
    is_read = restart (self, error) && read_once (self, error);
  self->report.n_bytes = sw_trace_bytes_offset (&self->bytes, self->bytes.end);
  self->report.n_bad_texts = self->names.n_replaced;
  self->report.ignored = self->ignored->len > 0 ? self->ignored->str : NULL;
  if (!is_read || !check_records (self, error))
    return FALSE;
  if (self->bytes.is_broken)
    sw_trace_reading_stop (self, self->bytes.end);
  sw_trace_reading_finish_session (self);
  return TRUE;
}

const SwTraceReadReport *
sw_trace_reader_get_report (SwTraceReader *self)
{
  return &self->report;
}

guint64
sw_trace_reader_get_position (SwTraceReader *self,
                              guint64 *size)
{
  *size = self->bytes.size;
  return self->bytes.position;
}

const SwTraceName *
sw_trace_reader_name (SwTraceReader *self,
                      guint32 id)
{
  return sw_trace_intern_get (&self->names, id);
}
