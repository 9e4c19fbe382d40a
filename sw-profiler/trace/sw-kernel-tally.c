/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-kernel-tally-private.h"

#include <pthread.h>
#include <string.h>

#include "sw-profiler/operation/sw-type-name.h"
#include "sw-profiler/trace/sw-activation-table-private.h"
#include "sw/base/sw-lane-private.h"

/* Choices are the same when they say the same literals and numbers, how many threads there were apart. */
typedef struct
{
  SwKernelChoice choice;
  const char *operation;
  GType carrier;
  guint64 thread; /* the number of its lane, or 0 for all */
  SwLane *lane;   /* a reference; NULL: all threads */
  guint64 count;
} Row;

struct _SwKernelTally
{
  pthread_mutex_t lock;
  gboolean by_thread;
  GHashTable *rows;
};

static inline guint64
mix (guint64 hash,
     guint64 value)
{
  return (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
}

static guint
hash_row (gconstpointer data)
{
  const Row *row = data;
  guint64 hash = mix (mix (row->thread, (guint64) row->carrier), GPOINTER_TO_SIZE (row->operation));

  hash = mix (mix (hash, GPOINTER_TO_SIZE (row->choice.variant)), GPOINTER_TO_SIZE (row->choice.prefix));
  for (guint i = 0; i < row->choice.n_rejections; i++)
    hash = mix (mix (hash, GPOINTER_TO_SIZE (row->choice.rejections[i].reason)), (guint64) row->choice.rejections[i].number);
  return (guint) (hash >> 32);
}

static gboolean
equal_choices (const SwKernelChoice *a,
               const SwKernelChoice *b)
{
  if (a->variant != b->variant || a->prefix != b->prefix || a->detail != b->detail || a->n_rejections != b->n_rejections)
    return FALSE;
  for (guint i = 0; i < a->n_rejections; i++)
    if (a->rejections[i].candidate != b->rejections[i].candidate || a->rejections[i].reason != b->rejections[i].reason ||
        a->rejections[i].number != b->rejections[i].number)
      return FALSE;
  return TRUE;
}

static gboolean
equal_rows (gconstpointer a,
            gconstpointer b)
{
  const Row *x = a;
  const Row *y = b;

  return x->operation == y->operation && x->carrier == y->carrier && x->thread == y->thread && equal_choices (&x->choice, &y->choice);
}

static void
row_free (gpointer data)
{
  Row *self = data;

  g_clear_pointer (&self->lane, sw_lane_unref);
  g_free (self);
}

SwKernelTally *
sw_kernel_tally_new (gboolean by_thread)
{
  SwKernelTally *self = g_new0 (SwKernelTally, 1);

  pthread_mutex_init (&self->lock, NULL);
  self->by_thread = by_thread;
  self->rows = g_hash_table_new_full (hash_row, equal_rows, row_free, NULL);
  return self;
}

void
sw_kernel_tally_free (SwKernelTally *self)
{
  pthread_mutex_destroy (&self->lock);
  g_hash_table_unref (self->rows);
  g_free (self);
}

void
sw_kernel_tally_add (SwKernelTally *self,
                     const SwKernelChoice *choice,
                     const char *operation,
                     GType carrier)
{
  SwLane *lane = self->by_thread ? sw_lane_get () : NULL;
  Row wanted = { .choice = *choice, .operation = operation, .carrier = carrier };
  Row *row;

  wanted.thread = lane != NULL ? sw_lane_get_id (lane) : 0;
  wanted.choice.n_threads = 1;
  wanted.choice.n_pieces = 1;
  pthread_mutex_lock (&self->lock);
  row = g_hash_table_lookup (self->rows, &wanted);
  if (row == NULL)
    {
      row = g_memdup2 (&wanted, sizeof wanted);
      row->lane = lane != NULL ? sw_lane_ref (lane) : NULL;
      g_hash_table_add (self->rows, row);
    }
  row->count++;
  pthread_mutex_unlock (&self->lock);
}

/* By thread, as they came; the most frequent first. */
static int
compare_rows (gconstpointer a,
              gconstpointer b)
{
  const Row *x = *(const Row *const *) a;
  const Row *y = *(const Row *const *) b;

  if (x->thread != y->thread)
    return x->thread < y->thread ? -1 : 1;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return strcmp (x->operation, y->operation);
}

static void
add_row (SwActivationTable *table,
         const Row *row)
{
  g_autofree char *kernel = sw_kernel_choice_dup_text (&row->choice);
  g_auto (GStrv) rejections = sw_kernel_choice_dup_rejections (&row->choice);
  g_autofree char *reasons = g_strjoinv ("; ", rejections);

  sw_activation_table_add_text (table, row->operation);
  sw_activation_table_add_text (table, row->carrier != G_TYPE_INVALID ? sw_profiler_get_type_name (row->carrier) : "");
  sw_activation_table_add_text (table, kernel);
  sw_activation_table_add_text (table, reasons);
  sw_activation_table_add_number (table, row->count);
}

/* The rows of one thread. Returns where the next one's begin. */
static guint
append_table (GString *text,
              GPtrArray *rows,
              guint first,
              gint64 row_limit)
{
  static const char *const titles[] = { "Operation", "Carrier", "Kernel", "Why none better", "Calls" };
  const Row *head = g_ptr_array_index (rows, first);
  SwActivationTable table;
  guint i = first;

  sw_activation_table_init (&table, titles, G_N_ELEMENTS (titles), G_N_ELEMENTS (titles) - 1);
  for (; i < rows->len && ((const Row *) g_ptr_array_index (rows, i))->thread == head->thread; i++)
    if (row_limit < 0 || i - first < (guint64) row_limit)
      add_row (&table, g_ptr_array_index (rows, i));
  if (head->lane != NULL)
    sw_activation_table_append_thread (text, head->lane);
  sw_activation_table_append_to (&table, text);
  sw_activation_table_clear (&table);
  return i;
}

static GPtrArray *
list_rows (SwKernelTally *self)
{
  GPtrArray *rows = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer row;

  g_hash_table_iter_init (&iter, self->rows);
  while (g_hash_table_iter_next (&iter, &row, NULL))
    g_ptr_array_add (rows, row);
  return rows;
}

void
sw_kernel_tally_append_to (SwKernelTally *self,
                           GString *text,
                           gint64 row_limit)
{
  g_autoptr (GPtrArray) rows = NULL;
  guint i = 0;

  pthread_mutex_lock (&self->lock);
  rows = list_rows (self);
  g_ptr_array_sort (rows, compare_rows);
  while (i < rows->len)
    {
      if (i > 0)
        g_string_append_c (text, '\n');
      i = append_table (text, rows, i, row_limit);
    }
  pthread_mutex_unlock (&self->lock);
}
