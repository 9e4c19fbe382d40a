/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-slice-order-private.h"

#include <string.h>

#define DIGIT_BITS 11
#define N_BUCKETS (1u << DIGIT_BITS)
/* So few are sorted by insertion. */
#define FEW 24

static gboolean
is_sorted (const SwSliceRecord *records,
           gsize n)
{
  for (gsize i = 1; i < n; i++)
    if (sw_slice_record_compare (&records[i - 1], &records[i]) > 0)
      return FALSE;
  return TRUE;
}

static void
insertion_sort (SwSliceRecord *records,
                gsize n)
{
  for (gsize i = 1; i < n; i++)
    {
      SwSliceRecord moved = records[i];
      gsize at = i;

      for (; at > 0 && sw_slice_record_compare (&records[at - 1], &moved) > 0; at--)
        records[at] = records[at - 1];
      records[at] = moved;
    }
}

static int
compare_records (gconstpointer a,
                 gconstpointer b,
                 gpointer data)
{
  return sw_slice_record_compare (a, b);
}

/* One pass of a radix sort by starts: stable. FALSE when the digit is the same for all, so that nothing was moved. */
static gboolean
distribute (const SwSliceRecord *from,
            SwSliceRecord *to,
            gsize n,
            gint64 least,
            guint shift)
{
  gsize places[N_BUCKETS] = { 0 };
  gsize place = 0;

#define DIGIT(record) ((((guint64) (record)->start_ns - (guint64) least) >> shift) & (N_BUCKETS - 1))
  for (gsize i = 0; i < n; i++)
    places[DIGIT (&from[i])]++;
  if (places[DIGIT (&from[0])] == n)
    return FALSE;
  for (guint b = 0; b < N_BUCKETS; b++)
    {
      gsize n_here = places[b];

      places[b] = place;
      place += n_here;
    }
  for (gsize i = 0; i < n; i++)
    to[places[DIGIT (&from[i])]++] = from[i];
#undef DIGIT
  return TRUE;
}

static void
sort_by_starts (SwSliceRecord *records,
                gsize n)
{
  g_autofree SwSliceRecord *other = g_new (SwSliceRecord, n);
  SwSliceRecord *from = records, *to = other;
  gint64 least = G_MAXINT64, most = G_MININT64;
  guint64 range;

  for (gsize i = 0; i < n; i++)
    {
      least = MIN (least, records[i].start_ns);
      most = MAX (most, records[i].start_ns);
    }
  range = (guint64) most - (guint64) least;
  for (guint shift = 0; shift < 64 && range >> shift != 0; shift += DIGIT_BITS)
    {
      if (distribute (from, to, n, least, shift))
        {
          SwSliceRecord *moved = from;

          from = to;
          to = moved;
        }
    }
  if (from != records)
    memcpy (records, from, n * sizeof *records);
}

static void
sort_ties (SwSliceRecord *records,
           gsize n)
{
  for (gsize first = 0; first < n;)
    {
      gsize end = first + 1;

      while (end < n && records[end].start_ns == records[first].start_ns)
        end++;
      if (end - first <= FEW)
        insertion_sort (records + first, end - first);
      else
        g_qsort_with_data (records + first, (gint) (end - first), sizeof *records, compare_records, NULL);
      first = end;
    }
}

void
sw_slice_records_sort (SwSliceRecord *records,
                       gsize n)
{
  if (is_sorted (records, n))
    return;
  if (n <= FEW)
    {
      insertion_sort (records, n);
      return;
    }
  sort_by_starts (records, n);
  sort_ties (records, n);
}
