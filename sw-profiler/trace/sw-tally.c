/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-tally-private.h"

static void
free_row (gpointer data)
{
  SwTallyRow *self = data;

  g_clear_pointer (&self->lane, sw_lane_unref);
  g_free (self);
}

void
sw_tally_init (SwTally *self,
               const SwTallyKind *kind,
               gboolean by_thread)
{
  self->kind = kind;
  self->by_thread = by_thread;
  pthread_mutex_init (&self->lock, NULL);
  self->rows = g_hash_table_new_full (kind->hash, kind->equal, free_row, NULL);
}

gpointer
sw_tally_get_row (SwTally *self,
                  gconstpointer wanted)
{
  SwTallyRow *row = g_hash_table_lookup (self->rows, wanted);

  if (row != NULL)
    return row;
  row = g_memdup2 (wanted, self->kind->row_size);
  if (row->lane != NULL)
    sw_lane_ref (row->lane);
  g_hash_table_add (self->rows, row);
  return row;
}

void
sw_tally_append_to (SwTally *self,
                    GString *text,
                    gint64 row_limit)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_append (self->kind->for_people, self->rows, row_limit, text);
  pthread_mutex_unlock (&self->lock);
}

void
sw_tally_append_csv (SwTally *self,
                     GString *text)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_append_csv (self->kind->for_programs, self->rows, text);
  pthread_mutex_unlock (&self->lock);
}

void
sw_tally_append_json (SwTally *self,
                      const SwLane *lane,
                      GString *text)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_append_json (self->kind->for_programs, self->rows, lane, text);
  pthread_mutex_unlock (&self->lock);
}

void
sw_tally_find_lanes (SwTally *self,
                     GHashTable *lanes)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_find_lanes (self->rows, lanes);
  pthread_mutex_unlock (&self->lock);
}
