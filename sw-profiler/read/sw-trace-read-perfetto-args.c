/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-read-perfetto-private.h"

#include <math.h>

#include "sw-profiler/export/sw-trace-text-private.h"

#define MAX_DEPTH 64

enum
{
  NESTED_TYPE = 1,
  NESTED_KEYS = 2,
  NESTED_VALUES = 3,
  NESTED_ELEMENTS = 4,
  NESTED_INTEGER = 5,
  NESTED_REAL = 6,
  NESTED_BOOL = 7,
  NESTED_STRING = 8,
  NESTED_IS_DICTIONARY = 1,
  NESTED_IS_ARRAY = 2,
};

static void
append_string (GString *to,
               const char *text,
               gsize length)
{
  gsize before = to->len;
  char *end;

  g_string_set_size (to, before + sw_trace_json_string_size (length));
  end = sw_trace_put_json_string (to->str + before, text, length);
  g_string_truncate (to, (gsize) (end - to->str));
}

static void
append_real (GString *to,
             double value)
{
  char text[SW_TRACE_NUMBER_SIZE];
  char *end = sw_trace_put_double (text, value);

  if (isfinite (value))
    g_string_append_len (to, text, end - text);
  else
    append_string (to, text, (gsize) (end - text));
}

static gboolean
append_value (SwPerfetto *self,
              SwPerfettoSequence *sequence,
              const SwProtoField *annotation,
              guint depth,
              GString *to);

static void
append_key (SwPerfetto *self,
            SwPerfettoSequence *sequence,
            const SwProtoField *annotation,
            GString *to)
{
  SwProtoScan scan = sw_proto_scan_field (annotation);
  SwProtoField field;
  guint32 id = 0;

  while (sw_proto_next (&scan, &field))
    if (field.field == ARG_NAME && field.wire == 2)
      id = sw_perfetto_intern (self, &field);
    else if (field.field == ARG_NAME_IID && field.wire == 0)
      sw_perfetto_text (sequence, INTERNED_ARG_NAME, field.number, &id);
  g_string_append (to, sw_trace_intern_get (&self->reader->names, id)->json);
  g_string_append_c (to, ':');
}

/* The entries of a dictionary, or the values of an array: an annotation each. */
static gboolean
append_entries (SwPerfetto *self,
                SwPerfettoSequence *sequence,
                const SwProtoField *annotation,
                guint32 which,
                guint depth,
                GString *to)
{
  SwProtoScan scan = sw_proto_scan_field (annotation);
  gboolean is_dictionary = which == ARG_DICTIONARY;
  const char *separator = is_dictionary ? "{" : "[";
  SwProtoField field;

  while (sw_proto_next (&scan, &field))
    {
      if (field.field != which || field.wire != 2)
        continue;
      g_string_append (to, separator);
      separator = ",";
      if (is_dictionary)
        append_key (self, sequence, &field, to);
      if (!append_value (self, sequence, &field, depth + 1, to))
        return FALSE;
    }
  if (*separator != ',')
    g_string_append (to, separator);
  g_string_append_c (to, is_dictionary ? '}' : ']');
  return sw_proto_is_whole (&scan);
}

static gboolean
append_nested (SwPerfetto *self,
               const SwProtoField *value,
               guint depth,
               GString *to);

static gboolean
append_nested_list (SwPerfetto *self,
                    const SwProtoField *value,
                    gboolean is_dictionary,
                    guint depth,
                    GString *to)
{
  SwProtoScan keys = sw_proto_scan_field (value);
  SwProtoScan values = keys;
  const char *separator = is_dictionary ? "{" : "[";
  SwProtoField key = { 0 };
  SwProtoField field;

  while (sw_proto_next (&values, &field))
    {
      if (field.wire != 2 || field.field != (is_dictionary ? NESTED_VALUES : NESTED_ELEMENTS))
        continue;
      g_string_append (to, separator);
      separator = ",";
      if (is_dictionary)
        {
          do
            if (!sw_proto_next (&keys, &key))
              return FALSE;
          while (key.field != NESTED_KEYS || key.wire != 2);
          append_string (to, (const char *) key.bytes, key.length);
          g_string_append_c (to, ':');
        }
      if (!append_nested (self, &field, depth + 1, to))
        return FALSE;
    }
  if (*separator != ',')
    g_string_append (to, separator);
  g_string_append_c (to, is_dictionary ? '}' : ']');
  return sw_proto_is_whole (&values);
}

/* The older form of the same. */
static gboolean
append_nested (SwPerfetto *self,
               const SwProtoField *value,
               guint depth,
               GString *to)
{
  SwProtoScan scan = sw_proto_scan_field (value);
  SwProtoField field;
  SwProtoField last = { 0 };
  guint64 type = 0;

  while (sw_proto_next (&scan, &field))
    if (field.field == NESTED_TYPE)
      type = field.number;
    else if (field.field >= NESTED_INTEGER)
      last = field;
  if (!sw_proto_is_whole (&scan) || depth > MAX_DEPTH)
    return FALSE;
  if (type == NESTED_IS_DICTIONARY || type == NESTED_IS_ARRAY)
    return append_nested_list (self, value, type == NESTED_IS_DICTIONARY, depth, to);
  if (last.field == NESTED_INTEGER)
    g_string_append_printf (to, "%" G_GINT64_FORMAT, (gint64) last.number);
  else if (last.field == NESTED_REAL && last.wire == 1)
    append_real (to, sw_proto_real (&last));
  else if (last.field == NESTED_BOOL)
    g_string_append (to, last.number != 0 ? "true" : "false");
  else if (last.field == NESTED_STRING && last.wire == 2)
    append_string (to, (const char *) last.bytes, last.length);
  else
    g_string_append (to, "null");
  return TRUE;
}

/* The one field of an annotation that is its value. */
static gboolean
find_value (const SwProtoField *annotation,
            SwProtoField *value)
{
  SwProtoScan scan = sw_proto_scan_field (annotation);
  SwProtoField field;

  value->field = 0;
  while (sw_proto_next (&scan, &field))
    if (field.field != ARG_NAME && field.field != ARG_NAME_IID && field.field <= ARG_STRING_IID &&
        (field.field <= ARG_ARRAY || field.field == ARG_STRING_IID))
      *value = field;
  return sw_proto_is_whole (&scan);
}

static gboolean
has_right_wire (const SwProtoField *value)
{
  switch (value->field)
    {
    case ARG_DOUBLE:
      return value->wire == 1;
    case ARG_STRING:
    case ARG_JSON:
    case ARG_NESTED:
    case ARG_DICTIONARY:
    case ARG_ARRAY:
      return value->wire == 2;
    default:
      return value->wire == 0;
    }
}

static gboolean
parse_json (const SwProtoField *field,
            SwJsonText *value)
{
  g_autofree char *padded = NULL;
  const char *at = (const char *) field->bytes;
  SwJsonScan scan = { .end = at + field->length };
  const char *start = sw_json_skip_space (at);
  const char *end;

  /* A number is only known to end by what comes behind it. */
  if (start >= scan.end)
    return FALSE;
  value->start = start;
  if (*start == '"' || *start == '{' || *start == '[')
    {
      end = sw_json_value (&scan, start, value);
      return end != NULL && end <= scan.end && sw_json_skip_space (end) >= scan.end;
    }
  padded = g_malloc0 (field->length + 16);
  memcpy (padded, field->bytes, field->length);
  padded[field->length] = ' ';
  scan.end = padded + field->length + 1;
  end = sw_json_value (&scan, padded + (start - at), value);
  if (end == NULL)
    return FALSE;
  value->end = start + (value->end - value->start);
  value->start = start;
  return sw_json_skip_space (end) >= scan.end;
}

static gboolean
append_json (const SwProtoField *field,
             GString *to)
{
  SwJsonText value;

  if (!parse_json (field, &value))
    {
      append_string (to, (const char *) field->bytes, field->length);
      return TRUE;
    }
  return sw_json_normalise (&value, to);
}

static gboolean
append_scalar (SwPerfetto *self,
               SwPerfettoSequence *sequence,
               const SwProtoField *value,
               GString *to)
{
  guint32 id = 0;

  switch (value->field)
    {
    case ARG_BOOL:
      g_string_append (to, value->number != 0 ? "true" : "false");
      return TRUE;
    case ARG_INT64:
      g_string_append_printf (to, "%" G_GINT64_FORMAT, (gint64) value->number);
      return TRUE;
    case ARG_UINT64:
    case ARG_POINTER:
      g_string_append_printf (to, "%" G_GUINT64_FORMAT, value->number);
      return TRUE;
    case ARG_DOUBLE:
      append_real (to, sw_proto_real (value));
      return TRUE;
    case ARG_STRING:
      append_string (to, (const char *) value->bytes, value->length);
      return TRUE;
    case ARG_STRING_IID:
      sw_perfetto_text (sequence, INTERNED_ARG_STRING, value->number, &id);
      g_string_append (to, sw_trace_intern_get (&self->reader->names, id)->json);
      return TRUE;
    default:
      g_string_append (to, "null");
      return TRUE;
    }
}

static gboolean
append_value (SwPerfetto *self,
              SwPerfettoSequence *sequence,
              const SwProtoField *annotation,
              guint depth,
              GString *to)
{
  SwProtoField value;

  if (depth > MAX_DEPTH || !find_value (annotation, &value) || (value.field != 0 && !has_right_wire (&value)))
    return FALSE;
  switch (value.field)
    {
    case ARG_DICTIONARY:
    case ARG_ARRAY:
      return append_entries (self, sequence, annotation, value.field, depth, to);
    case ARG_NESTED:
      return append_nested (self, &value, depth + 1, to);
    case ARG_JSON:
      return append_json (&value, to);
    default:
      return append_scalar (self, sequence, &value, to);
    }
}

/* Anything that is not a number, a text or a truth. */
static gboolean
take_nested (SwPerfetto *self,
             SwPerfettoSequence *sequence,
             const SwProtoField *annotation,
             const SwProtoField *value,
             guint32 key)
{
  g_autoptr (GString) text = NULL;
  SwJsonText json = { 0 };

  if (value->field == ARG_JSON && parse_json (value, &json))
    {
      sw_trace_scratch_add_json (&self->reader->scratch, key, &json);
      return TRUE;
    }
  text = g_string_new (NULL);
  if (!append_value (self, sequence, annotation, 0, text))
    return FALSE;
  sw_trace_scratch_add_text (&self->reader->scratch, key, text->str);
  return TRUE;
}

gboolean
sw_perfetto_take_arg (SwPerfetto *self,
                      SwPerfettoSequence *sequence,
                      const SwProtoField *annotation)
{
  SwTraceScratch *scratch = &self->reader->scratch;
  SwProtoScan scan = sw_proto_scan_field (annotation);
  SwProtoField value = { 0 };
  SwProtoField field;
  guint32 key = 0;
  guint32 id = 0;

  while (sw_proto_next (&scan, &field))
    if (field.field == ARG_NAME && field.wire == 2)
      key = sw_perfetto_intern (self, &field);
    else if (field.field == ARG_NAME_IID && field.wire == 0)
      sw_perfetto_text (sequence, INTERNED_ARG_NAME, field.number, &key);
  if (!find_value (annotation, &value) || value.field == 0 || !has_right_wire (&value))
    return FALSE;
  switch (value.field)
    {
    case ARG_BOOL:
      sw_trace_scratch_add_number (scratch, key, SW_TRACE_ARG_BOOL, value.number);
      return TRUE;
    case ARG_INT64:
      sw_trace_scratch_add_number (scratch, key, SW_TRACE_ARG_INT64, value.number);
      return TRUE;
    case ARG_UINT64:
    case ARG_POINTER:
      sw_trace_scratch_add_number (scratch, key, SW_TRACE_ARG_UINT64, value.number);
      return TRUE;
    case ARG_DOUBLE:
      sw_trace_scratch_add_real (scratch, key, sw_proto_real (&value));
      return TRUE;
    case ARG_STRING:
      sw_trace_scratch_add_string (scratch, key, (const char *) value.bytes, value.length);
      return TRUE;
    case ARG_STRING_IID:
      sw_perfetto_text (sequence, INTERNED_ARG_STRING, value.number, &id);
      sw_trace_scratch_add_number (scratch, key, SW_TRACE_ARG_NAME, id);
      return TRUE;
    default:
      return take_nested (self, sequence, annotation, &value, key);
    }
}
