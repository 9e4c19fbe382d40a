/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A table of text in the making: rows of cells, the first ones of them left-aligned, the others numbers. */
typedef struct
{
  const char *const *titles;
  guint n_columns;
  guint n_texts;
  GPtrArray *cells; /* of char *, row by row */
} SwActivationTable;

void sw_activation_table_init (SwActivationTable *self,
                               const char *const *titles,
                               guint n_columns,
                               guint n_texts);
void sw_activation_table_clear (SwActivationTable *self);
void sw_activation_table_add_text (SwActivationTable *self,
                                   const char *text);
void sw_activation_table_add_number (SwActivationTable *self,
                                     guint64 number);
/* Each line ends. */
void sw_activation_table_append_to (const SwActivationTable *self,
                                    GString *text);

G_END_DECLS
