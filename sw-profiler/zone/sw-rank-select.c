/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-rank-select-private.h"

#include <string.h>

#define BUCKET_BITS 11
#define N_BUCKETS (1u << BUCKET_BITS)
#define N_INSERTED 12
#define NO_SLOT G_MAXUINT8

/* The values of one bucket that some rank lies in. */
typedef struct
{
  guint bucket;
  guint first_rank;
  guint n_ranks;
  gsize n_below; /* values in the buckets before */
  gsize n_values;
  guint64 *values;
  gsize n_taken;
} Slot;

typedef struct
{
  guint64 lowest;
  guint shift;
  gsize counts[N_BUCKETS];
  guint8 slot_of[N_BUCKETS];
  Slot slots[SW_MAX_RANKS];
  guint n_slots;
} Buckets;

static inline void
swap (guint64 *a,
      guint64 *b)
{
  guint64 value = *a;

  *a = *b;
  *b = value;
}

static void
sort_by_insertion (guint64 *values,
                   gsize n)
{
  for (gsize i = 1; i < n; i++)
    {
      guint64 value = values[i];
      gsize j = i;

      for (; j > 0 && values[j - 1] > value; j--)
        values[j] = values[j - 1];
      values[j] = value;
    }
}

/* Where the lower part ends; the pivot is the median of three. */
static gsize
partition (guint64 *values,
           gsize n)
{
  guint64 a = values[0], b = values[n / 2], c = values[n - 1];
  guint64 pivot = MAX (MIN (a, b), MIN (MAX (a, b), c));
  gsize low = 0, high = n - 1;

  for (;;)
    {
      while (values[low] < pivot)
        low++;
      while (values[high] > pivot)
        high--;
      if (low >= high)
        return high + 1;
      swap (&values[low++], &values[high--]);
    }
}

static gboolean
has_rank (const gsize *ranks,
          guint n_ranks,
          gsize first,
          gsize end)
{
  for (guint i = 0; i < n_ranks; i++)
    if (ranks[i] >= first && ranks[i] < end)
      return TRUE;
  return FALSE;
}

/* Only where some rank lies: @values are those from place @first on. */
static void
sort (guint64 *values,
      gsize first,
      gsize n,
      const gsize *ranks,
      guint n_ranks)
{
  while (n > N_INSERTED && has_rank (ranks, n_ranks, first, first + n))
    {
      gsize n_low = partition (values, n);

      /* All but the largest may be in the lower part. */
      if (n_low == n)
        n_low--;
      sort (values, first, n_low, ranks, n_ranks);
      values += n_low;
      first += n_low;
      n -= n_low;
    }
  if (n <= N_INSERTED)
    sort_by_insertion (values, n);
}

static void
select_by_sorting (const guint64 *values,
                   gsize n_values,
                   const gsize *ranks,
                   guint n_ranks,
                   guint64 *selected)
{
  guint64 sorted[SW_RANKS_SORTED];

  memcpy (sorted, values, n_values * sizeof *values);
  sort (sorted, 0, n_values, ranks, n_ranks);
  for (guint i = 0; i < n_ranks; i++)
    selected[i] = sorted[ranks[i]];
}

static void
count_values (Buckets *self,
              const guint64 *values,
              gsize n_values)
{
  guint64 lowest = G_MAXUINT64, highest = 0, range;

  for (gsize i = 0; i < n_values; i++)
    {
      lowest = MIN (lowest, values[i]);
      highest = MAX (highest, values[i]);
    }
  range = highest - lowest;
  self->lowest = lowest;
  self->shift = range >> BUCKET_BITS == 0 ? 0 : 64 - BUCKET_BITS - (guint) __builtin_clzll (range);
  memset (self->counts, 0, sizeof self->counts);
  for (gsize i = 0; i < n_values; i++)
    self->counts[(values[i] - lowest) >> self->shift]++;
}

static void
find_slots (Buckets *self,
            const gsize *ranks,
            guint n_ranks)
{
  gsize n_below = 0;
  guint rank = 0;

  memset (self->slot_of, NO_SLOT, sizeof self->slot_of);
  self->n_slots = 0;
  for (guint bucket = 0; rank < n_ranks; n_below += self->counts[bucket++])
    {
      guint first = rank;

      while (rank < n_ranks && ranks[rank] < n_below + self->counts[bucket])
        rank++;
      if (rank == first)
        continue;
      self->slot_of[bucket] = (guint8) self->n_slots;
      self->slots[self->n_slots++] = (Slot){
        .bucket = bucket,
        .first_rank = first,
        .n_ranks = rank - first,
        .n_below = n_below,
        .n_values = self->counts[bucket],
      };
    }
}

static void
fill_slots (Buckets *self,
            const guint64 *values,
            gsize n_values)
{
  for (guint i = 0; i < self->n_slots; i++)
    self->slots[i].values = g_new (guint64, self->slots[i].n_values);
  for (gsize i = 0; i < n_values; i++)
    {
      guint8 slot = self->slot_of[(values[i] - self->lowest) >> self->shift];

      if (slot != NO_SLOT)
        self->slots[slot].values[self->slots[slot].n_taken++] = values[i];
    }
}

static void
select_in_slot (const Buckets *self,
                const Slot *slot,
                const gsize *ranks,
                guint64 *selected)
{
  gsize inner[SW_MAX_RANKS];

  for (guint i = 0; i < slot->n_ranks; i++)
    {
      inner[i] = ranks[slot->first_rank + i] - slot->n_below;
      selected[slot->first_rank + i] = self->lowest + slot->bucket;
    }
  /* A bucket of one value each needs no look inside. */
  if (self->shift > 0)
    sw_select_ranks (slot->values, slot->n_values, inner, slot->n_ranks, selected + slot->first_rank);
}

void
sw_select_ranks (const guint64 *values,
                 gsize n_values,
                 const gsize *ranks,
                 guint n_ranks,
                 guint64 *selected)
{
  g_autofree Buckets *buckets = NULL;

  if (n_values <= SW_RANKS_SORTED)
    {
      select_by_sorting (values, n_values, ranks, n_ranks, selected);
      return;
    }
  buckets = g_new (Buckets, 1);
  count_values (buckets, values, n_values);
  find_slots (buckets, ranks, n_ranks);
  if (buckets->shift > 0)
    fill_slots (buckets, values, n_values);
  for (guint i = 0; i < buckets->n_slots; i++)
    select_in_slot (buckets, &buckets->slots[i], ranks, selected);
  if (buckets->shift > 0)
    for (guint i = 0; i < buckets->n_slots; i++)
      g_free (buckets->slots[i].values);
}
