/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-activation-table-private.h"
#include "sw/base/sw-lane-private.h"

G_BEGIN_DECLS

/* What was counted, as tables: one, or one for each thread. */

/* What a row begins with. */
typedef struct
{
  SwLane *lane; /* a reference; NULL: of all threads */
} SwTallyRow;

typedef struct
{
  const char *const *titles;
  guint n_columns;
  guint n_texts;
  /* Two rows of one thread: what comes first is negative. */
  int (*compare) (gconstpointer a,
                  gconstpointer b);
  void (*add) (SwActivationTable *table,
               gconstpointer row);
} SwTallyTable;

/* @rows: a set. At most @row_limit of a table, -1 for all. Nothing where there are none. */
void sw_tally_table_append (const SwTallyTable *self,
                            GHashTable *rows,
                            gint64 row_limit,
                            GString *text);

G_END_DECLS
