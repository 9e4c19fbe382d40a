/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-json-private.h"

#include <math.h>

char *
sw_trace_put_json_double (char *at,
                          double value)
{
  if (isfinite (value))
    return sw_trace_put_double (at, value);
  *at++ = '"';
  at = sw_trace_put_double (at, value);
  *at++ = '"';
  return at;
}

char *
sw_trace_put_slice_name (char *at,
                         SwTraceWriter *writer,
                         const SwTraceSlice *slice)
{
  if (slice->name != 0 || slice->name_text == NULL)
    return sw_trace_put_name (at, sw_trace_writer_name (writer, slice->name));
  return sw_trace_put_json_string (at, slice->name_text, strlen (slice->name_text));
}

gsize
sw_trace_slice_size (SwTraceWriter *writer,
                     const SwTraceSlice *slice)
{
  gsize size = SW_TRACE_RECORD_SIZE + sw_trace_writer_name (writer, slice->category)->json_length;

  if (slice->name != 0 || slice->name_text == NULL)
    return size + sw_trace_writer_name (writer, slice->name)->json_length;
  return size + sw_trace_json_string_size (strlen (slice->name_text));
}

static void
put_string (SwTraceWriter *writer,
            const char *text)
{
  gsize length = strlen (text);
  char *at = sw_trace_sink_reserve (writer->sink, sw_trace_json_string_size (length));

  sw_trace_sink_advance (writer->sink, sw_trace_put_json_string (at, text, length));
}

static void
put_shape (SwTraceWriter *writer,
           SwShape *shape)
{
  g_autofree char *text = sw_shape_to_string (shape);

  put_string (writer, text);
}

static char *
put_number (char *at,
            const SwTraceArg *arg)
{
  switch (arg->type)
    {
    case SW_TRACE_ARG_INT64:
      return sw_trace_put_int64 (at, arg->value.int64);
    case SW_TRACE_ARG_UINT64:
      return sw_trace_put_uint64 (at, arg->value.uint64);
    case SW_TRACE_ARG_DOUBLE:
      return sw_trace_put_json_double (at, arg->value.real);
    default:
      return arg->value.boolean ? sw_trace_put_literal (at, "true") : sw_trace_put_literal (at, "false");
    }
}

static void
put_value (SwTraceWriter *writer,
           const SwTraceArg *arg)
{
  if (arg->type == SW_TRACE_ARG_STRING)
    {
      put_string (writer, arg->value.string);
    }
  else if (arg->type == SW_TRACE_ARG_SHAPE)
    {
      put_shape (writer, arg->value.shape);
    }
  else if (arg->type == SW_TRACE_ARG_JSON)
    {
      sw_trace_sink_put (writer->sink, arg->value.string, strlen (arg->value.string));
    }
  else if (arg->type == SW_TRACE_ARG_NAME)
    {
      const SwTraceName *name = sw_trace_writer_name (writer, arg->value.name);

      sw_trace_sink_put (writer->sink, name->json, name->json_length);
    }
  else
    {
      char *at = sw_trace_sink_reserve (writer->sink, SW_TRACE_NUMBER_SIZE);

      sw_trace_sink_advance (writer->sink, put_number (at, arg));
    }
}

void
sw_trace_put_args (SwTraceWriter *writer,
                   const SwTraceSlice *slice)
{
  const char *separator = ",\"args\":{";
  g_autoptr (GHashTable) last = sw_trace_slice_index_args (slice);

  for (guint i = 0; i < slice->n_args; i++)
    {
      const SwTraceName *key = sw_trace_writer_name (writer, slice->args[i].key);

      if (sw_trace_arg_is_superseded (slice, last, i))
        continue;
      sw_trace_sink_put (writer->sink, separator, strlen (separator));
      sw_trace_sink_put (writer->sink, key->json, key->json_length);
      sw_trace_sink_put (writer->sink, ":", 1);
      put_value (writer, &slice->args[i]);
      separator = ",";
    }
  if (slice->n_args > 0)
    sw_trace_sink_put (writer->sink, "}", 1);
}

char *
sw_trace_put_session_id (char *at,
                         const SwTraceSession *session)
{
  static const char hex[] = "0123456789abcdef";

  for (guint i = 0; i < 2; i++)
    for (int shift = 60; shift >= 0; shift -= 4)
      *at++ = hex[session->id[i] >> shift & 15];
  return at;
}

static void
put_tallies (SwTraceWriter *writer,
             const char *key,
             GArray *tallies)
{
  SwTraceSink *sink = writer->sink;

  sw_trace_sink_put (sink, key, strlen (key));
  for (guint i = 0; i < tallies->len; i++)
    {
      SwTraceTally *tally = &g_array_index (tallies, SwTraceTally, i);
      const SwTraceName *name = sw_trace_writer_name (writer, tally->name);
      char *at = sw_trace_sink_reserve (sink, SW_TRACE_RECORD_SIZE + name->json_length);

      *at++ = i > 0 ? ',' : '{';
      at = sw_trace_put_name (at, name);
      *at++ = ':';
      sw_trace_sink_advance (sink, sw_trace_put_uint64 (at, tally->n));
    }
  sw_trace_sink_put (sink, "}", 1);
}

void
sw_trace_put_tallies (SwTraceWriter *writer)
{
  put_tallies (writer, ",\"dropped\":", writer->drops);
  put_tallies (writer, ",\"diagnostics\":", writer->diagnostics);
}
