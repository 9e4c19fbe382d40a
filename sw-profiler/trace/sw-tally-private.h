/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <pthread.h>

#include "sw-profiler/trace/sw-tally-table-private.h"

G_BEGIN_DECLS

/* What rows are counted in, for each thread or for all of them together, and how they are shown. */
typedef struct
{
  gsize row_size; /* of what begins as SwTallyRow does and holds nothing else to be freed */
  GHashFunc hash;
  GEqualFunc equal;
  const SwTallyTable *for_people;
  const SwTallyTable *for_programs;
} SwTallyKind;

/* What the tallies of each kind begin with. */
typedef struct
{
  const SwTallyKind *kind;
  gboolean by_thread;
  pthread_mutex_t lock; /* of what follows, and of the rows */
  GHashTable *rows;
} SwTally;

void sw_tally_init (SwTally *self,
                    const SwTallyKind *kind,
                    gboolean by_thread);
/* With the lock: the row that is equal to @wanted, or a copy of that, which has a reference of its own to the lane. */
gpointer sw_tally_get_row (SwTally *self,
                           gconstpointer wanted);

/* Tables for people, each of at most @row_limit rows; -1 for all. Nothing where there are none. */
void sw_tally_append_to (SwTally *self,
                         GString *text,
                         gint64 row_limit);
/* A record for each row; nothing where there are none. */
void sw_tally_append_csv (SwTally *self,
                          GString *text);
/* An array of what there is of one thread, where it is counted by thread. */
void sw_tally_append_json (SwTally *self,
                           const SwLane *lane,
                           GString *text);
/* Adds references of those that there is anything of to the set @lanes. */
void sw_tally_find_lanes (SwTally *self,
                          GHashTable *lanes);

G_END_DECLS
