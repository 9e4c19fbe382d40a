/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-trace-items-private.h"

#include <string.h>

/* Not inside of a character of several bytes; what is no UTF-8 at all is cut anyway. */
static gsize
cut (const char *text,
     gsize limit)
{
  gsize length = strnlen (text, limit + 1);
  gsize end = limit;

  if (length <= limit)
    return length;
  while (end > limit - 4 && ((guint8) text[end] & 0xc0) == 0x80)
    end--;
  return end;
}

static const char *
get_text (const SwTraceArgument *argument)
{
  return argument->value.v_string != NULL ? argument->value.v_string : "";
}

static gsize
round_up (gsize size)
{
  return (size + 7) & ~(gsize) 7;
}

gsize
sw_trace_argument_size (const SwTraceArgument *argument)
{
  gsize size = sizeof (SwTraceItem) + cut (argument->key, SW_TRACE_MAX_KEY_BYTES) + 1;

  if (argument->type == SW_TRACE_ARGUMENT_STRING)
    size += cut (get_text (argument), SW_TRACE_MAX_STRING_BYTES) + 1;
  return round_up (size);
}

guint8 *
sw_trace_argument_put (const SwTraceArgument *argument,
                       guint8 *at)
{
  SwTraceItem *item = (SwTraceItem *) (void *) at;

  item->key_length = (guint32) cut (argument->key, SW_TRACE_MAX_KEY_BYTES);
  item->type = argument->type;
  item->extra = 0;
  item->value.v_uint64 = argument->value.v_uint64;
  memcpy (item->text, argument->key, item->key_length);
  item->text[item->key_length] = '\0';
  item->size = (guint32) round_up (sizeof (SwTraceItem) + item->key_length + 1);
  if (argument->type == SW_TRACE_ARGUMENT_STRING)
    {
      char *text = item->text + item->key_length + 1;

      item->extra = (guint32) cut (get_text (argument), SW_TRACE_MAX_STRING_BYTES);
      memcpy (text, get_text (argument), item->extra);
      text[item->extra] = '\0';
      item->size = (guint32) round_up (sizeof (SwTraceItem) + item->key_length + item->extra + 2);
    }
  else if (argument->type == SW_TRACE_ARGUMENT_BOOLEAN)
    item->value.v_uint64 = argument->value.v_boolean != FALSE;
  else if (argument->type == SW_TRACE_ARGUMENT_SHAPE)
    sw_shape_ref (argument->value.v_shape);
  return at + item->size;
}

gsize
sw_trace_arguments_size (const SwTraceArgument *arguments,
                         gsize n_arguments)
{
  gsize size = 0;

  for (gsize i = 0; i < n_arguments; i++)
    size += sw_trace_argument_size (&arguments[i]);
  return size;
}

guint8 *
sw_trace_arguments_put (const SwTraceArgument *arguments,
                        gsize n_arguments,
                        guint8 *at)
{
  for (gsize i = 0; i < n_arguments; i++)
    at = sw_trace_argument_put (&arguments[i], at);
  return at;
}

guint8 *
sw_trace_flow_put (guint64 id,
                   guint step,
                   guint64 time,
                   guint8 *at)
{
  SwTraceItem *item = (SwTraceItem *) (void *) at;

  *item = (SwTraceItem){ .size = SW_TRACE_FLOW_SIZE, .type = SW_TRACE_ITEM_FLOW, .extra = step };
  item->value.v_uint64 = id;
  item->text[0] = '\0';
  sw_trace_flow_set_time (item, time);
  return at + item->size;
}

guint64
sw_trace_flow_get_time (const SwTraceItem *self)
{
  guint64 time;

  memcpy (&time, self->text + 8, sizeof time);
  return time;
}

void
sw_trace_flow_set_time (SwTraceItem *self,
                        guint64 time)
{
  memcpy (self->text + 8, &time, sizeof time);
}

void
sw_trace_items_release (const guint8 *items,
                        gsize size)
{
  const guint8 *end = items + size;

  for (const SwTraceItem *item = (const void *) items; (const guint8 *) item < end; item = sw_trace_item_next (item))
    if (item->type == SW_TRACE_ITEM_SHAPE)
      sw_shape_unref (item->value.v_shape);
}

void
sw_trace_items_copy (guint8 *to,
                     const guint8 *items,
                     gsize size)
{
  const guint8 *end = items + size;

  if (size > 0)
    memcpy (to, items, size);
  for (const SwTraceItem *item = (const void *) items; (const guint8 *) item < end; item = sw_trace_item_next (item))
    if (item->type == SW_TRACE_ITEM_SHAPE)
      sw_shape_ref (item->value.v_shape);
}

static GVariant *
shape_to_variant (SwShape *shape)
{
  g_autofree char *text = sw_shape_to_string (shape);

  return g_variant_new_string (text);
}

GVariant *
sw_trace_item_to_variant (const SwTraceItem *self)
{
  switch (self->type)
    {
    case SW_TRACE_ITEM_STRING:
      return g_variant_new_take_string (g_utf8_make_valid (sw_trace_item_get_string (self), self->extra));
    case SW_TRACE_ITEM_INT64:
      return g_variant_new_int64 (self->value.v_int64);
    case SW_TRACE_ITEM_DOUBLE:
      return g_variant_new_double (self->value.v_double);
    case SW_TRACE_ITEM_BOOLEAN:
      return g_variant_new_boolean (self->value.v_uint64 != 0);
    case SW_TRACE_ITEM_SHAPE:
      return shape_to_variant (self->value.v_shape);
    default:
      return g_variant_new_uint64 (self->value.v_uint64);
    }
}
