/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler-columns.h"

G_BEGIN_DECLS

#define SW_MAX_COLUMNS 16

typedef struct
{
  const char *name; /* static */
  SwColumnKind kind;
} SwColumnSpec;

/* Texts that got a number each, by a key that tells them apart. */
typedef struct
{
  GHashTable *numbers; /* key -> number + 1 */
  GPtrArray *texts;
} SwLabels;

void sw_labels_init (SwLabels *self);
void sw_labels_clear (SwLabels *self);
/* The number of the label with @key; a new one is called @text, in valid UTF-8. */
gint32 sw_labels_add (SwLabels *self,
                      const char *key,
                      const char *text);

/* VALUE error for a number that is no order. */
gboolean sw_column_order_check (SwColumnOrder order,
                                GError **error);

/* Columns with room for values that the caller writes before anyone else has them. */
SwProfilerColumns *sw_profiler_columns_new (const SwColumnSpec *specs,
                                            guint n_columns,
                                            gsize n_rows,
                                            SwColumnOrder order) G_GNUC_WARN_UNUSED_RESULT;
/* The value of row 0; those of further rows follow in steps of *@stride bytes. */
gpointer sw_profiler_columns_get_values (SwProfilerColumns *self,
                                         guint column,
                                         gsize *stride);
/* Moves the labels there. */
void sw_profiler_columns_take_labels (SwProfilerColumns *self,
                                      guint column,
                                      SwLabels *labels);
/* What the labels of the column with shapes stand for; takes the array, of SwInputShapes. */
void sw_profiler_columns_take_shapes (SwProfilerColumns *self,
                                      GPtrArray *shapes);

G_END_DECLS
