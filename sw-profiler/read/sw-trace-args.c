/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-args-private.h"

#include <math.h>

#include "sw-profiler/export/sw-trace-text-private.h"

/* A text this long is not kept for the next event. */
#define LARGEST_KEPT (1024 * 1024)

void
sw_trace_scratch_init (SwTraceScratch *self)
{
  self->args = g_array_new (FALSE, FALSE, sizeof (SwTraceArg));
  self->flows = g_array_new (FALSE, FALSE, sizeof (SwTraceFlow));
  self->texts = g_string_new (NULL);
}

void
sw_trace_scratch_clear (SwTraceScratch *self)
{
  g_array_unref (self->args);
  g_array_unref (self->flows);
  g_string_free (self->texts, TRUE);
}

void
sw_trace_scratch_reset (SwTraceScratch *self)
{
  g_array_set_size (self->args, 0);
  g_array_set_size (self->flows, 0);
  if (G_UNLIKELY (self->texts->allocated_len > LARGEST_KEPT))
    {
      g_string_free (self->texts, TRUE);
      self->texts = g_string_new (NULL);
    }
  g_string_truncate (self->texts, 0);
}

void
sw_trace_scratch_add_number (SwTraceScratch *self,
                             guint32 key,
                             SwTraceArgType type,
                             guint64 bits)
{
  SwTraceArg arg = { .key = key, .type = type };

  if (type == SW_TRACE_ARG_BOOL)
    arg.value.boolean = bits != 0;
  else if (type == SW_TRACE_ARG_NAME)
    arg.value.name = (guint32) bits;
  else
    arg.value.uint64 = bits;
  g_array_append_val (self->args, arg);
}

void
sw_trace_scratch_add_real (SwTraceScratch *self,
                           guint32 key,
                           double value)
{
  SwTraceArg arg = { .key = key, .type = SW_TRACE_ARG_DOUBLE, .value.real = value };

  g_array_append_val (self->args, arg);
}

/* Of what was put to the texts from @offset on. */
static void
add_text (SwTraceScratch *self,
          guint32 key,
          SwTraceArgType type,
          gsize offset)
{
  SwTraceArg arg = { .key = key, .type = type, .value.uint64 = offset };

  g_string_append_c (self->texts, '\0');
  g_array_append_val (self->args, arg);
}

void
sw_trace_scratch_add_string (SwTraceScratch *self,
                             guint32 key,
                             const char *text,
                             gsize length)
{
  gsize offset = self->texts->len;
  char *end;

  if (G_LIKELY (memchr (text, '\0', length) == NULL))
    {
      g_string_append_len (self->texts, text, (gssize) length);
      add_text (self, key, SW_TRACE_ARG_STRING, offset);
      return;
    }
  g_string_set_size (self->texts, offset + sw_trace_json_string_size (length));
  end = sw_trace_put_json_string (self->texts->str + offset, text, length);
  g_string_truncate (self->texts, (gsize) (end - self->texts->str));
  add_text (self, key, SW_TRACE_ARG_JSON, offset);
}

void
sw_trace_scratch_add_text (SwTraceScratch *self,
                           guint32 key,
                           const char *json)
{
  gsize offset = self->texts->len;

  g_string_append (self->texts, json);
  add_text (self, key, SW_TRACE_ARG_JSON, offset);
}

static void
add_escaped (SwTraceScratch *self,
             guint32 key,
             const SwJsonText *value)
{
  g_autofree char *text = g_malloc (sw_json_length (value) + 1);

  sw_trace_scratch_add_string (self, key, text, sw_json_unescape (value, text));
}

static void
add_nested (SwTraceScratch *self,
            guint32 key,
            const SwJsonText *value)
{
  gsize offset = self->texts->len;

  if (sw_json_normalise (value, self->texts))
    {
      add_text (self, key, SW_TRACE_ARG_JSON, offset);
      return;
    }
  g_string_truncate (self->texts, offset);
  sw_trace_scratch_add_string (self, key, value->start, sw_json_length (value));
}

/* More digits than a double has: their text keeps them. */
static gboolean
is_large_integer (const SwJsonText *value)
{
  for (const char *at = value->start; at < value->end; at++)
    if (*at == '.' || *at == 'e' || *at == 'E')
      return FALSE;
  return sw_json_length (value) > 2;
}

static void
add_number (SwTraceScratch *self,
            guint32 key,
            const SwJsonText *value)
{
  gint64 integer;
  guint64 natural;
  double real;

  if (sw_json_int64 (value, &integer))
    sw_trace_scratch_add_number (self, key, SW_TRACE_ARG_INT64, (guint64) integer);
  else if (sw_json_uint64 (value, &natural))
    sw_trace_scratch_add_number (self, key, SW_TRACE_ARG_UINT64, natural);
  else if (!is_large_integer (value) && sw_json_double (value, &real) && isfinite (real))
    sw_trace_scratch_add_real (self, key, real);
  else
    add_nested (self, key, value);
}

void
sw_trace_scratch_add_json (SwTraceScratch *self,
                           guint32 key,
                           const SwJsonText *value)
{
  double real;

  switch (value->kind)
    {
    case SW_JSON_STRING:
      if (value->is_escaped)
        add_escaped (self, key, value);
      else
        sw_trace_scratch_add_string (self, key, value->start, sw_json_length (value));
      return;
    case SW_JSON_NUMBER:
      add_number (self, key, value);
      return;
    case SW_JSON_NOT_FINITE:
      sw_json_double (value, &real);
      sw_trace_scratch_add_real (self, key, real);
      return;
    case SW_JSON_TRUE:
    case SW_JSON_FALSE:
      sw_trace_scratch_add_number (self, key, SW_TRACE_ARG_BOOL, value->kind == SW_JSON_TRUE);
      return;
    default:
      add_nested (self, key, value);
    }
}

void
sw_trace_scratch_add_flow (SwTraceScratch *self,
                           guint64 id,
                           SwTraceFlowStep step)
{
  SwTraceFlow flow = { id, step };

  g_array_append_val (self->flows, flow);
}

void
sw_trace_scratch_time_flow (SwTraceScratch *self,
                            const SwJsonText *time)
{
  gint64 time_ns;

  if (self->flows->len > 0 && sw_json_int64 (time, &time_ns))
    g_array_index (self->flows, SwTraceFlow, self->flows->len - 1).time_ns = time_ns;
}

static inline gboolean
has_text (const SwTraceArg *arg)
{
  return arg->type == SW_TRACE_ARG_STRING || arg->type == SW_TRACE_ARG_JSON;
}

void
sw_trace_scratch_finish (SwTraceScratch *self,
                         SwTraceSlice *slice)
{
  for (guint i = 0; i < self->args->len; i++)
    {
      SwTraceArg *arg = &g_array_index (self->args, SwTraceArg, i);

      if (has_text (arg))
        arg->value.string = self->texts->str + arg->value.uint64;
    }
  slice->args = (const SwTraceArg *) (gpointer) self->args->data;
  slice->n_args = self->args->len;
  slice->flows = (const SwTraceFlow *) (gpointer) self->flows->data;
  slice->n_flows = self->flows->len;
}

static gsize
text_size (const SwTraceSlice *slice)
{
  gsize size = 0;

  for (guint i = 0; i < slice->n_args; i++)
    if (has_text (&slice->args[i]))
      size += strlen (slice->args[i].value.string) + 1;
  return size;
}

SwTraceExtra *
sw_trace_extra_new (const SwTraceSlice *slice)
{
  SwTraceExtra *self;
  char *text;

  if (slice->n_args == 0 && slice->n_flows == 0)
    return NULL;
  self = g_malloc (sizeof *self + slice->n_args * sizeof (SwTraceArg) + slice->n_flows * sizeof (SwTraceFlow) + text_size (slice));
  self->n_args = slice->n_args;
  self->n_flows = slice->n_flows;
  self->next = NULL;
  self->last = self;
  self->args = (SwTraceArg *) (gpointer) (self + 1);
  self->flows = (SwTraceFlow *) (gpointer) (self->args + slice->n_args);
  text = (char *) (self->flows + slice->n_flows);
  if (slice->n_flows > 0)
    memcpy (self->flows, slice->flows, slice->n_flows * sizeof (SwTraceFlow));
  for (guint i = 0; i < slice->n_args; i++)
    {
      gsize size;

      self->args[i] = slice->args[i];
      if (!has_text (&slice->args[i]))
        continue;
      size = strlen (slice->args[i].value.string) + 1;
      memcpy (text, slice->args[i].value.string, size);
      self->args[i].value.string = text;
      text += size;
    }
  return self;
}

void
sw_trace_extra_free (SwTraceExtra *self)
{
  while (self != NULL)
    {
      SwTraceExtra *next = self->next;

      g_free (self);
      self = next;
    }
}

SwTraceExtra *
sw_trace_extra_join (SwTraceExtra *first,
                     SwTraceExtra *second)
{
  if (first == NULL || second == NULL)
    return first != NULL ? first : second;
  first->last->next = second;
  first->last = second->last;
  return first;
}

SwTraceExtra *
sw_trace_extra_flatten (SwTraceExtra *self)
{
  g_autoptr (GArray) args = NULL;
  g_autoptr (GArray) flows = NULL;
  SwTraceSlice all = { 0 };
  SwTraceExtra *flat;

  if (self == NULL || self->next == NULL)
    return self;
  args = g_array_new (FALSE, FALSE, sizeof (SwTraceArg));
  flows = g_array_new (FALSE, FALSE, sizeof (SwTraceFlow));
  for (const SwTraceExtra *piece = self; piece != NULL; piece = piece->next)
    {
      g_array_append_vals (args, piece->args, piece->n_args);
      g_array_append_vals (flows, piece->flows, piece->n_flows);
    }
  all.args = (const SwTraceArg *) (gpointer) args->data;
  all.n_args = args->len;
  all.flows = (const SwTraceFlow *) (gpointer) flows->data;
  all.n_flows = flows->len;
  flat = sw_trace_extra_new (&all);
  sw_trace_extra_free (self);
  return flat;
}
