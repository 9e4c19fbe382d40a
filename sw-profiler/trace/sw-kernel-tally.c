/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-kernel-tally-private.h"

#include <pthread.h>
#include <string.h>

#include "sw-profiler/operation/sw-type-name.h"
#include "sw-profiler/trace/sw-tally-table-private.h"

/* Choices are the same when they say the same literals and numbers, how many threads there were apart. */
typedef struct
{
  SwTallyRow head;
  SwKernelChoice choice;
  const char *operation;
  GType carrier;
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
  guint64 hash = mix (mix (GPOINTER_TO_SIZE (row->head.lane), (guint64) row->carrier), GPOINTER_TO_SIZE (row->operation));

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

  return x->operation == y->operation && x->carrier == y->carrier && x->head.lane == y->head.lane && equal_choices (&x->choice, &y->choice);
}

static void
row_free (gpointer data)
{
  Row *self = data;

  g_clear_pointer (&self->head.lane, sw_lane_unref);
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
  Row wanted = { .choice = *choice, .operation = operation, .carrier = carrier };
  Row *row;

  wanted.head.lane = self->by_thread ? sw_lane_get () : NULL;
  wanted.choice.n_threads = 1;
  wanted.choice.n_pieces = 1;
  pthread_mutex_lock (&self->lock);
  row = g_hash_table_lookup (self->rows, &wanted);
  if (row == NULL)
    {
      row = g_memdup2 (&wanted, sizeof wanted);
      if (row->head.lane != NULL)
        sw_lane_ref (row->head.lane);
      g_hash_table_add (self->rows, row);
    }
  row->count++;
  pthread_mutex_unlock (&self->lock);
}

/* The most frequent first. */
static int
compare_rows (gconstpointer a,
              gconstpointer b)
{
  const Row *x = a;
  const Row *y = b;

  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return strcmp (x->operation, y->operation);
}

static void
add_row (SwActivationTable *table,
         gconstpointer data)
{
  const Row *row = data;
  g_autofree char *kernel = sw_kernel_choice_dup_text (&row->choice);
  g_auto (GStrv) rejections = sw_kernel_choice_dup_rejections (&row->choice);
  g_autofree char *reasons = g_strjoinv ("; ", rejections);

  sw_activation_table_add_text (table, row->operation);
  sw_activation_table_add_text (table, row->carrier != G_TYPE_INVALID ? sw_profiler_get_type_name (row->carrier) : "");
  sw_activation_table_add_text (table, kernel);
  sw_activation_table_add_text (table, reasons);
  sw_activation_table_add_number (table, row->count);
}

static const char *const file_titles[] = { "operation", "carrier_type", "kernel", "rejections", "count" };
static const SwTallyTable for_files = { file_titles, G_N_ELEMENTS (file_titles), G_N_ELEMENTS (file_titles) - 1, compare_rows, add_row };

void
sw_kernel_tally_append_to (SwKernelTally *self,
                           GString *text,
                           gint64 row_limit)
{
  static const char *const titles[] = { "Operation", "Carrier", "Kernel", "Why none better", "Calls" };
  static const SwTallyTable table = { titles, G_N_ELEMENTS (titles), G_N_ELEMENTS (titles) - 1, compare_rows, add_row };

  pthread_mutex_lock (&self->lock);
  sw_tally_table_append (&table, self->rows, row_limit, text);
  pthread_mutex_unlock (&self->lock);
}

void
sw_kernel_tally_append_csv (SwKernelTally *self,
                            GString *text)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_append_csv (&for_files, self->rows, text);
  pthread_mutex_unlock (&self->lock);
}

void
sw_kernel_tally_append_json (SwKernelTally *self,
                             const SwLane *lane,
                             GString *text)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_append_json (&for_files, self->rows, lane, text);
  pthread_mutex_unlock (&self->lock);
}

void
sw_kernel_tally_find_lanes (SwKernelTally *self,
                            GHashTable *lanes)
{
  pthread_mutex_lock (&self->lock);
  sw_tally_table_find_lanes (self->rows, lanes);
  pthread_mutex_unlock (&self->lock);
}
