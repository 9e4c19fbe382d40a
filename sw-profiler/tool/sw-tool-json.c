/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-json-private.h"

#include <math.h>
#include <stdio.h>

#include "sw-profiler/export/sw-csv-private.h"
#include "sw-profiler/export/sw-trace-text-private.h"
#include "sw-profiler/operation/sw-text-private.h"

void
sw_tool_json_init (SwToolJson *self)
{
  self->text = g_string_new (NULL);
  self->needs_comma = FALSE;
}

static void
put_key (SwToolJson *self,
         const char *key)
{
  if (self->needs_comma)
    g_string_append (self->text, ", ");
  self->needs_comma = TRUE;
  if (key == NULL)
    return;
  sw_text_append_json (self->text, key);
  g_string_append (self->text, ": ");
}

void
sw_tool_json_begin (SwToolJson *self,
                    const char *key,
                    char bracket)
{
  put_key (self, key);
  g_string_append_c (self->text, bracket);
  self->needs_comma = FALSE;
}

void
sw_tool_json_end (SwToolJson *self,
                  char bracket)
{
  g_string_append_c (self->text, bracket);
  self->needs_comma = TRUE;
}

void
sw_tool_json_string (SwToolJson *self,
                     const char *key,
                     const char *value)
{
  put_key (self, key);
  if (value != NULL)
    sw_text_append_json (self->text, value);
  else
    g_string_append (self->text, "null");
}

void
sw_tool_json_int64 (SwToolJson *self,
                    const char *key,
                    gint64 value)
{
  put_key (self, key);
  g_string_append_printf (self->text, "%" G_GINT64_FORMAT, value);
}

void
sw_tool_json_uint64 (SwToolJson *self,
                     const char *key,
                     guint64 value)
{
  put_key (self, key);
  g_string_append_printf (self->text, "%" G_GUINT64_FORMAT, value);
}

static void
append_double (GString *text,
               double value)
{
  char number[SW_TRACE_NUMBER_SIZE];
  char *end = sw_trace_put_double (number, value);

  g_string_append_len (text, number, end - number);
}

void
sw_tool_json_double (SwToolJson *self,
                     const char *key,
                     double value)
{
  put_key (self, key);
  if (isfinite (value))
    append_double (self->text, value);
  else
    g_string_append (self->text, "null");
}

void
sw_tool_json_boolean (SwToolJson *self,
                      const char *key,
                      gboolean value)
{
  put_key (self, key);
  g_string_append (self->text, value ? "true" : "false");
}

void
sw_tool_json_print (SwToolJson *self)
{
  g_string_append_c (self->text, '\n');
  fwrite (self->text->str, 1, self->text->len, stdout);
  g_string_free (self->text, TRUE);
  self->text = NULL;
}

static void
csv_separate (GString *csv)
{
  if (csv->len > 0 && csv->str[csv->len - 1] != '\n')
    g_string_append_c (csv, ',');
}

void
sw_tool_csv_text (GString *csv,
                  const char *text)
{
  csv_separate (csv);
  /* A line that begins with an empty field would look like one that has not begun. */
  if (*text == '\0')
    g_string_append (csv, "\"\"");
  else
    sw_csv_append_text (csv, text);
}

void
sw_tool_csv_int64 (GString *csv,
                   gint64 value)
{
  csv_separate (csv);
  g_string_append_printf (csv, "%" G_GINT64_FORMAT, value);
}

void
sw_tool_csv_uint64 (GString *csv,
                    guint64 value)
{
  csv_separate (csv);
  g_string_append_printf (csv, "%" G_GUINT64_FORMAT, value);
}

void
sw_tool_csv_double (GString *csv,
                    double value)
{
  csv_separate (csv);
  if (isfinite (value))
    append_double (csv, value);
}

void
sw_tool_csv_end (GString *csv)
{
  g_string_append (csv, "\r\n");
}
