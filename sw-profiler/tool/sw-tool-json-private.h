/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* JSON for programs, put together piece by piece. @key is NULL in arrays. What JSON has no number for is null. */
typedef struct
{
  GString *text;
  gboolean needs_comma;
} SwToolJson;

void sw_tool_json_init (SwToolJson *self);
void sw_tool_json_begin (SwToolJson *self,
                         const char *key,
                         char bracket);
void sw_tool_json_end (SwToolJson *self,
                       char bracket);
void sw_tool_json_string (SwToolJson *self,
                          const char *key,
                          const char *value);
void sw_tool_json_int64 (SwToolJson *self,
                         const char *key,
                         gint64 value);
void sw_tool_json_uint64 (SwToolJson *self,
                          const char *key,
                          guint64 value);
void sw_tool_json_double (SwToolJson *self,
                          const char *key,
                          double value);
void sw_tool_json_boolean (SwToolJson *self,
                           const char *key,
                           gboolean value);
/* Prints it with a line break, and frees it. */
void sw_tool_json_print (SwToolJson *self);

/* CSV (RFC 4180): a field, with the comma before all but the first; then the end of the line. */
void sw_tool_csv_text (GString *csv,
                       const char *text);
void sw_tool_csv_int64 (GString *csv,
                        gint64 value);
void sw_tool_csv_uint64 (GString *csv,
                         guint64 value);
void sw_tool_csv_double (GString *csv,
                         double value);
void sw_tool_csv_end (GString *csv);

G_END_DECLS
