/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-event-source-private.h"

/* The columns, in their order; see sw_profiler_dup_event_columns (). */
enum
{
  COLUMN_PARENT_ID,
  COLUMN_START_TIME_NS,
  COLUMN_DURATION_NS,
  COLUMN_SELF_TIME_NS,
  COLUMN_THREAD_ID,
  COLUMN_SUCCEEDED,
  COLUMN_ORIGIN,
  COLUMN_INPUT_SHAPES,
  N_COLUMNS,
};

static void
put_block (gint64 **columns,
           const SwEventBlock *block,
           gint64 thread_id)
{
  for (gsize i = 0; i < block->n; i++)
    {
      gsize row = block->first + i;

      columns[COLUMN_PARENT_ID][row] = block->parent[i] == SW_EVENT_NO_PARENT ? -1 : (gint64) block->parent[i];
      columns[COLUMN_START_TIME_NS][row] = block->start_ns[i];
      columns[COLUMN_DURATION_NS][row] = block->duration_ns[i];
      columns[COLUMN_SELF_TIME_NS][row] = block->self_ns[i];
      columns[COLUMN_THREAD_ID][row] = thread_id;
      columns[COLUMN_SUCCEEDED][row] = (block->site[i] & SW_EVENT_FAILED) == 0;
      columns[COLUMN_ORIGIN][row] = block->site[i] & ~SW_EVENT_FAILED;
      columns[COLUMN_INPUT_SHAPES][row] = block->shapes != NULL && block->shapes[i] != 0 ? (gint64) block->shapes[i] : -1;
    }
}

GBytes *
sw_event_source_dup_columns (const SwEventSource *self)
{
  gint64 *numbers = g_new (gint64, N_COLUMNS * self->n_events + 1);
  gint64 *columns[N_COLUMNS];

  for (gsize column = 0; column < N_COLUMNS; column++)
    columns[column] = numbers + column * self->n_events;
  for (gsize k = 0; k < self->n_blocks; k++)
    {
      SwEventBlock block;

      self->get_block (self->data, k, &block);
      put_block (columns, &block, (gint64) self->thread_id);
    }
  return g_bytes_new_take (numbers, N_COLUMNS * self->n_events * sizeof *numbers);
}
