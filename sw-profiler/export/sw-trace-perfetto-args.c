/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-perfetto-private.h"

#include <math.h>

#include "sw-profiler/export/sw-trace-text-private.h"

/* Room for what an argument or an interned text has around its text. */
#define OVERHEAD 48

static const guint32 interned_fields[N_INTERNED] = {
  [INTERNED_CATEGORY] = 1,
  [INTERNED_NAME] = 2,
  [INTERNED_ARG_NAME] = 3,
  [INTERNED_ARG_STRING] = 29,
};

static guint8 *
put_text (guint8 *at,
          SwTraceWriter *writer,
          SwPerfettoInterned kind,
          guint32 id)
{
  const SwTraceName *name = sw_trace_writer_name (writer, id);
  guint8 *content = at = sw_proto_open (at, interned_fields[kind]);

  at = sw_proto_put_number (at, INTERNED_IID, sw_perfetto_iid (id));
  at = sw_proto_put_bytes (at, INTERNED_TEXT, name->text, name->text_length);
  return sw_proto_close (content, at);
}

static inline guint8 *
put_text_once (guint8 *at,
               SwTraceWriter *writer,
               SwPerfettoLane *lane,
               SwPerfettoInterned kind,
               guint32 id)
{
  return sw_trace_id_set_add (&lane->interned[kind], id) ? put_text (at, writer, kind, id) : at;
}

guint8 *
sw_perfetto_put_interned (guint8 *at,
                          SwTraceWriter *writer,
                          SwPerfettoLane *lane,
                          const SwTraceSlice *slice)
{
  guint8 *start = at;
  guint8 *content = at = sw_proto_open (at, PACKET_INTERNED_DATA);

  if (slice->name != 0 || slice->name_text == NULL)
    at = put_text_once (at, writer, lane, INTERNED_NAME, slice->name);
  if (slice->category != 0)
    at = put_text_once (at, writer, lane, INTERNED_CATEGORY, slice->category);
  for (guint i = 0; i < slice->n_args; i++)
    {
      at = put_text_once (at, writer, lane, INTERNED_ARG_NAME, slice->args[i].key);
      if (slice->args[i].type == SW_TRACE_ARG_NAME)
        at = put_text_once (at, writer, lane, INTERNED_ARG_STRING, slice->args[i].value.name);
    }
  return at == content ? start : sw_proto_close (content, at);
}

static guint8 *
put_string (guint8 *at,
            const char *text)
{
  guint8 *content = at = sw_proto_open (at, ARG_STRING);

  at = (guint8 *) sw_trace_put_utf8 ((char *) at, text, strlen (text));
  return sw_proto_close (content, at);
}

/* What is no number is a text, as in the other formats: readers of this one would show nothing. */
static guint8 *
put_double (guint8 *at,
            double value)
{
  char text[SW_TRACE_NUMBER_SIZE];

  if (isfinite (value))
    return sw_proto_put_fixed64 (at, ARG_DOUBLE, &value);
  *sw_trace_put_double (text, value) = '\0';
  return put_string (at, text);
}

static guint8 *
put_shape (guint8 *at,
           SwShape *shape)
{
  g_autofree char *text = sw_shape_to_string (shape);

  return put_string (at, text);
}

static guint8 *
put_value (guint8 *at,
           const SwTraceArg *arg)
{
  switch (arg->type)
    {
    case SW_TRACE_ARG_STRING:
      return put_string (at, arg->value.string);
    case SW_TRACE_ARG_NAME:
      return sw_proto_put_number (at, ARG_STRING_IID, sw_perfetto_iid (arg->value.name));
    case SW_TRACE_ARG_INT64:
      return sw_proto_put_number (at, ARG_INT64, (guint64) arg->value.int64);
    case SW_TRACE_ARG_UINT64:
      return sw_proto_put_number (at, ARG_UINT64, arg->value.uint64);
    case SW_TRACE_ARG_DOUBLE:
      return put_double (at, arg->value.real);
    case SW_TRACE_ARG_BOOL:
      return sw_proto_put_number (at, ARG_BOOL, arg->value.boolean != FALSE);
    case SW_TRACE_ARG_SHAPE:
      return put_shape (at, arg->value.shape);
    case SW_TRACE_ARG_JSON:
      return sw_proto_put_bytes (at, ARG_JSON, arg->value.string, strlen (arg->value.string));
    default:
      g_return_val_if_reached (at);
    }
}

guint8 *
sw_perfetto_put_args (guint8 *at,
                      const SwTraceSlice *slice)
{
  g_autoptr (GHashTable) last = sw_trace_slice_index_args (slice);

  for (guint i = 0; i < slice->n_args; i++)
    {
      guint8 *content;

      if (sw_trace_arg_is_superseded (slice, last, i))
        continue;
      content = at = sw_proto_open (at, EVENT_ARGS);
      at = sw_proto_put_number (at, ARG_NAME_IID, sw_perfetto_iid (slice->args[i].key));
      at = put_value (at, &slice->args[i]);
      at = sw_proto_close (content, at);
    }
  return at;
}

static gsize
shape_text_size (SwShape *shape)
{
  g_autofree char *text = sw_shape_to_string (shape);

  return strlen (text);
}

static gsize
value_size (SwTraceWriter *writer,
            const SwTraceArg *arg)
{
  if (arg->type == SW_TRACE_ARG_STRING || arg->type == SW_TRACE_ARG_JSON)
    return 3 * strlen (arg->value.string);
  if (arg->type == SW_TRACE_ARG_NAME)
    return OVERHEAD + sw_trace_writer_name (writer, arg->value.name)->text_length;
  return arg->type == SW_TRACE_ARG_SHAPE ? shape_text_size (arg->value.shape) : 0;
}

gsize
sw_perfetto_slice_size (SwTraceWriter *writer,
                        const SwTraceSlice *slice)
{
  gsize size = 2 * OVERHEAD + sw_trace_writer_name (writer, slice->name)->text_length +
               sw_trace_writer_name (writer, slice->category)->text_length;

  if (slice->name == 0 && slice->name_text != NULL)
    size += 3 * strlen (slice->name_text);
  for (guint i = 0; i < slice->n_args; i++)
    {
      size += 2 * OVERHEAD + sw_trace_writer_name (writer, slice->args[i].key)->text_length;
      size += value_size (writer, &slice->args[i]);
    }
  return size + slice->n_flows * OVERHEAD;
}
