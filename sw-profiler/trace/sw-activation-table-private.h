/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A table in the making: rows of cells, the first ones of them texts, the others numbers. */
typedef struct
{
  const char *const *titles;
  guint n_columns;
  guint n_texts;
  GPtrArray *cells; /* of char *, row by row, as they were added */
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
/* For people, texts left-aligned. Each line ends. */
void sw_activation_table_append_to (const SwActivationTable *self,
                                    GString *text);
/* As RFC 4180 has it, the titles first. */
void sw_activation_table_append_csv (const SwActivationTable *self,
                                     GString *text);
/* An array with an object for each row, whose members are named as the titles are. */
void sw_activation_table_append_json (const SwActivationTable *self,
                                      GString *text);

G_END_DECLS
