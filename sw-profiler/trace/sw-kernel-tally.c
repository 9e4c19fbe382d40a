/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-kernel-tally-private.h"

#include <string.h>

#include "sw-profiler/operation/sw-type-name.h"

/* Choices are the same when they say the same literals and numbers, how many threads there were apart. */
typedef struct
{
  SwTallyRow head;
  SwKernelChoice choice;
  const char *operation;
  GType carrier;
  guint64 count;
} Row;

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

static const char *const titles_for_people[] = { "Operation", "Carrier", "Kernel", "Why none better", "Calls" };
static const char *const titles_for_programs[] = { "operation", "carrier_type", "kernel", "rejections", "count" };
static const SwTallyTable for_people = { titles_for_people, G_N_ELEMENTS (titles_for_people),
                                         G_N_ELEMENTS (titles_for_people) - 1, compare_rows, add_row };
static const SwTallyTable for_programs = { titles_for_programs, G_N_ELEMENTS (titles_for_programs),
                                           G_N_ELEMENTS (titles_for_programs) - 1, compare_rows, add_row };
static const SwTallyKind kind = { sizeof (Row), hash_row, equal_rows, &for_people, &for_programs };

SwKernelTally *
sw_kernel_tally_new (gboolean by_thread)
{
  SwKernelTally *self = g_new0 (SwKernelTally, 1);

  sw_tally_init (&self->tally, &kind, by_thread);
  return self;
}

void
sw_kernel_tally_add (SwKernelTally *self,
                     const SwKernelChoice *choice,
                     const char *operation,
                     GType carrier)
{
  Row wanted = { .choice = *choice, .operation = operation, .carrier = carrier };

  wanted.head.lane = self->tally.by_thread ? sw_lane_get () : NULL;
  wanted.choice.n_threads = 1;
  wanted.choice.n_pieces = 1;
  pthread_mutex_lock (&self->tally.lock);
  ((Row *) sw_tally_get_row (&self->tally, &wanted))->count++;
  pthread_mutex_unlock (&self->tally.lock);
}
