/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>
#include <stdio.h>

G_BEGIN_DECLS

/* How results look: numbers with their units, and tables that fit. */

typedef struct
{
  gboolean has_colors;
  int width; /* of the terminal, in columns; 0: no terminal */
} SwToolStyle;

/* Of the standard output. @when: "auto", "always", "never", or NULL for auto, which means on a terminal, without NO_COLOR. FALSE, with a
 * VALUE error, for anything else. */
gboolean sw_tool_style_init (SwToolStyle *self,
                             const char *when,
                             GError **error);
void sw_tool_print_heading (const SwToolStyle *style,
                            const char *format,
                            ...) G_GNUC_PRINTF (2, 3);

/* "12.34 ms": four digits and a unit. */
char *sw_tool_format_ns (double ns) G_GNUC_WARN_UNUSED_RESULT;
/* "1,234,567" */
char *sw_tool_format_count (guint64 n) G_GNUC_WARN_UNUSED_RESULT;
char *sw_tool_format_percent (double part,
                              double whole) G_GNUC_WARN_UNUSED_RESULT;
/* "%.Nf", with a point in every locale. */
char *sw_tool_format_double (double value,
                             guint n_decimals) G_GNUC_WARN_UNUSED_RESULT;
/* In columns of a terminal, of what can be shown. */
int sw_tool_text_width (const char *text);
/* What shows @text on one line, cut in the middle to @max columns; 0: not cut. */
/* What is no printable character is spelled out, so that no file commands a terminal. */
char *sw_tool_text_harmless (const char *text);
char *sw_tool_text_display (const char *text,
                            int max) G_GNUC_WARN_UNUSED_RESULT;
/* "12.5ms", "@1200ns"; *@is_absolute for the latter. FALSE with VALUE, naming @option. */
gboolean sw_tool_parse_time (const char *option,
                             const char *text,
                             gint64 *ns,
                             gboolean *is_absolute,
                             GError **error);

/* A table: all cells of a row, then those of the next. */
typedef struct _SwToolTable SwToolTable;

SwToolTable *sw_tool_table_new (void) G_GNUC_WARN_UNUSED_RESULT;
void sw_tool_table_free (SwToolTable *self);
/* Names, and other texts of any length, are on the left; numbers are on the right. */
void sw_tool_table_add_text_column (SwToolTable *self,
                                    const char *title);
void sw_tool_table_add_number_column (SwToolTable *self,
                                      const char *title);
void sw_tool_table_add (SwToolTable *self,
                        const char *text);
/* Takes it. */
void sw_tool_table_take (SwToolTable *self,
                         char *text);
void sw_tool_table_print (SwToolTable *self,
                          const SwToolStyle *style);
/* In GitHub's Markdown. */
void sw_tool_table_print_markdown (SwToolTable *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwToolTable, sw_tool_table_free)

G_END_DECLS
