/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-activation-table-private.h"
#include "sw/base/sw-lane-private.h"

G_BEGIN_DECLS

/* What was counted, as tables: one, or one for each thread. @rows, below, is always a set of what begins as SwTallyRow does. */

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

/* At most @row_limit rows of a table, -1 for all. Nothing where there are none. */
void sw_tally_table_append (const SwTallyTable *self,
                            GHashTable *rows,
                            gint64 row_limit,
                            GString *text);
/* All rows in one. Nothing where there are none. */
void sw_tally_table_append_csv (const SwTallyTable *self,
                                GHashTable *rows,
                                GString *text);
/* Those of @lane, which may be none. */
void sw_tally_table_append_json (const SwTallyTable *self,
                                 GHashTable *rows,
                                 const SwLane *lane,
                                 GString *text);
/* Adds references of those that have rows to the set @lanes. */
void sw_tally_table_find_lanes (GHashTable *rows,
                                GHashTable *lanes);

G_END_DECLS
