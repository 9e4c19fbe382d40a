/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-selection-private.h"

#include "sw-profiler/zone/sw-duration-histogram-private.h"
#include "sw/base/sw-error.h"

#include <string.h>

/**
 * SwZoneSelection:
 *
 * Some zones of a [struct@Strideweave.ZoneTrace], such as those that a query found, and what their durations come to.
 *
 * The value never changes and may be used from any thread. It keeps its trace alive.
 */
struct _SwZoneSelection
{
  SwRefCount ref_count;
  SwZoneTrace *trace;
  GBytes *indices; /* of guint32 */
};

G_DEFINE_BOXED_TYPE (SwZoneSelection, sw_zone_selection, sw_zone_selection_ref, sw_zone_selection_unref)

SwZoneSelection *
sw_zone_selection_new (SwZoneTrace *trace,
                       guint32 *indices,
                       gsize n)
{
  SwZoneSelection *self = g_new (SwZoneSelection, 1);

  sw_ref_count_init (&self->ref_count);
  self->trace = sw_zone_trace_ref (trace);
  self->indices = g_bytes_new_take (g_renew (guint32, indices, n), n * sizeof *indices);
  return self;
}

const guint32 *
sw_zone_selection_peek_indices (SwZoneSelection *self,
                                guint32 *n)
{
  gsize size;
  const guint32 *indices = g_bytes_get_data (self->indices, &size);

  *n = (guint32) (size / sizeof *indices);
  return indices;
}

/**
 * sw_zone_selection_ref:
 * @self: the selection
 *
 * Takes a reference. May be called on any thread.
 *
 * Returns: (transfer full): @self
 */
SwZoneSelection *
sw_zone_selection_ref (SwZoneSelection *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_zone_selection_unref:
 * @self: (transfer full): the selection
 *
 * Gives a reference back. May be called on any thread; the last one frees the selection.
 */
void
sw_zone_selection_unref (SwZoneSelection *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;
  sw_zone_trace_unref (self->trace);
  g_bytes_unref (self->indices);
  g_free (self);
}

/**
 * sw_zone_selection_get_trace:
 * @self: the selection
 *
 * Returns the trace that the zones are of.
 *
 * Returns: (transfer none): the trace
 */
SwZoneTrace *
sw_zone_selection_get_trace (SwZoneSelection *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->trace;
}

/**
 * sw_zone_selection_get_count:
 * @self: the selection
 *
 * Returns how many zones there are.
 *
 * Returns: the number of zones
 */
guint32
sw_zone_selection_get_count (SwZoneSelection *self)
{
  guint32 n;

  g_return_val_if_fail (self != NULL, 0);

  sw_zone_selection_peek_indices (self, &n);
  return n;
}

/**
 * sw_zone_selection_dup_indices:
 * @self: the selection
 *
 * Returns the places of the zones in the trace, counted through all chunks from 0.
 *
 * Returns: (transfer full): unsigned 32-bit integers, one for each zone
 */
GBytes *
sw_zone_selection_dup_indices (SwZoneSelection *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return g_bytes_ref (self->indices);
}

/* Copies the numbers of the zones from one column; neighbours mostly share a chunk. */
#define GATHER(type, column_of)                                                 \
  G_STMT_START                                                                  \
  {                                                                             \
    type *to = numbers;                                                         \
    const SwZoneChunk *chunk = NULL;                                            \
                                                                                \
    for (guint32 i = 0; i < n; i++)                                             \
      {                                                                         \
        if (chunk == NULL || indices[i] - chunk->first_index >= chunk->n_zones) \
          chunk = sw_zone_trace_find_chunk (self->trace, indices[i]);           \
        to[i] = (column_of)[indices[i] - chunk->first_index];                   \
      }                                                                         \
  }                                                                             \
  G_STMT_END

static void
gather_column (SwZoneSelection *self,
               SwZoneColumn column,
               gpointer numbers)
{
  guint32 n;
  const guint32 *indices = sw_zone_selection_peek_indices (self, &n);

  switch (column)
    {
    case SW_ZONE_COLUMN_START_NS:
      GATHER (guint64, sw_zone_chunk_column (chunk, start_ns));
      break;
    case SW_ZONE_COLUMN_DURATION_NS:
      GATHER (guint64, sw_zone_chunk_column (chunk, duration_ns));
      break;
    case SW_ZONE_COLUMN_CORRELATION_ID:
      GATHER (guint64, sw_zone_chunk_column (chunk, correlation_id));
      break;
    case SW_ZONE_COLUMN_TIMELINE_ID:
      GATHER (guint32, sw_zone_chunk_column (chunk, timeline_id));
      break;
    case SW_ZONE_COLUMN_SITE_ID:
      GATHER (guint32, sw_zone_chunk_column (chunk, site_id));
      break;
    case SW_ZONE_COLUMN_PARENT_INDEX:
      GATHER (gint32, chunk->parent_index);
      break;
    default:
      GATHER (guint32, sw_zone_chunk_column (chunk, frame_index));
    }
}

/**
 * sw_zone_selection_dup_column:
 * @self: the selection
 * @column: which column
 * @error: return location for an error
 *
 * Copies one column of the zones, in their order.
 *
 * Fails with %SW_ERROR_VALUE when there is no such column.
 *
 * Returns: (transfer full): numbers, one for each zone, of the type that [enum@Strideweave.ZoneColumn] tells
 */
GBytes *
sw_zone_selection_dup_column (SwZoneSelection *self,
                              SwZoneColumn column,
                              GError **error)
{
  gsize size = column <= SW_ZONE_COLUMN_CORRELATION_ID ? sizeof (guint64) : sizeof (guint32);
  gpointer numbers;
  gsize n;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if ((guint) column > SW_ZONE_COLUMN_FRAME_INDEX)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "column is %d, which is no column", (int) column);
      return NULL;
    }
  n = sw_zone_selection_get_count (self);
  numbers = g_malloc (n * size);
  gather_column (self, column, numbers);
  return g_bytes_new_take (numbers, n * size);
}

guint64 *
sw_zone_selection_copy_durations (SwZoneSelection *self)
{
  guint64 *durations = g_new (guint64, sw_zone_selection_get_count (self));

  gather_column (self, SW_ZONE_COLUMN_DURATION_NS, durations);
  return durations;
}

/**
 * sw_zone_selection_dup_statistics:
 * @self: the selection
 *
 * Computes the statistics of how long the zones took.
 *
 * Returns: (transfer full): the statistics
 */
SwDurationStatistics *
sw_zone_selection_dup_statistics (SwZoneSelection *self)
{
  g_autofree guint64 *durations = NULL;

  g_return_val_if_fail (self != NULL, NULL);

  durations = sw_zone_selection_copy_durations (self);
  return sw_duration_statistics_new (durations, sw_zone_selection_get_count (self));
}

/**
 * sw_zone_selection_dup_histogram:
 * @self: the selection
 * @n_bins: how many bins, from 1 to 1,048,576
 * @min_ms: where the first bin begins, in milliseconds
 * @max_ms: where the last bin ends, in milliseconds; the same as @min_ms for the range from the shortest to the longest
 *   duration
 * @error: return location for an error
 *
 * Counts how many zones took how long, in bins of equal width.
 *
 * Fails with %SW_ERROR_VALUE when there are no or too many bins, or the range is not a finite, ascending one.
 *
 * Returns: (transfer full): the histogram
 */
SwDurationHistogram *
sw_zone_selection_dup_histogram (SwZoneSelection *self,
                                 guint32 n_bins,
                                 double min_ms,
                                 double max_ms,
                                 GError **error)
{
  g_autofree guint64 *durations = NULL;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  durations = sw_zone_selection_copy_durations (self);
  return sw_duration_histogram_new (durations, sw_zone_selection_get_count (self), n_bins, min_ms, max_ms, error);
}

typedef struct
{
  guint64 duration;
  guint32 index;
} Candidate;

/* Longest first; of equal ones, the one that ended first. */
static gboolean
is_slower (const Candidate *a,
           const Candidate *b)
{
  return a->duration > b->duration || (a->duration == b->duration && a->index < b->index);
}

static int
compare_candidates (gconstpointer a,
                    gconstpointer b)
{
  return is_slower (a, b) ? -1 : is_slower (b, a) ? 1
                                                  : 0;
}

/* Restores the heap, whose first element is the fastest, after its first element was replaced. */
static void
sink_first (Candidate *heap,
            gsize n)
{
  Candidate moved = heap[0];
  gsize at = 0, child;

  while ((child = 2 * at + 1) < n)
    {
      if (child + 1 < n && is_slower (&heap[child], &heap[child + 1]))
        child++;
      if (!is_slower (&moved, &heap[child]))
        break;
      heap[at] = heap[child];
      at = child;
    }
  heap[at] = moved;
}

/* Slowest first; one pass with a heap of those kept. @n_kept is at most @n, and not 0. */
static Candidate *
keep_slowest (const guint64 *durations,
              const guint32 *indices,
              guint32 n,
              guint32 n_kept)
{
  Candidate *heap = g_new (Candidate, n_kept);

  /* Any ascending array is a heap; the sorted one is reversed into its place. */
  for (guint32 i = 0; i < n_kept; i++)
    heap[i] = (Candidate){ durations[i], indices[i] };
  qsort (heap, n_kept, sizeof *heap, compare_candidates);
  for (guint32 i = 0; i < n_kept / 2; i++)
    {
      Candidate other = heap[i];

      heap[i] = heap[n_kept - 1 - i];
      heap[n_kept - 1 - i] = other;
    }
  for (guint32 i = n_kept; i < n; i++)
    {
      Candidate candidate = { durations[i], indices[i] };

      if (!is_slower (&candidate, &heap[0]))
        continue;
      heap[0] = candidate;
      sink_first (heap, n_kept);
    }
  qsort (heap, n_kept, sizeof *heap, compare_candidates);
  return heap;
}

/**
 * sw_zone_selection_slowest:
 * @self: the selection
 * @n_zones: how many zones to return at most
 *
 * Finds the zones that took longest.
 *
 * Returns: (transfer full): the zones, longest first; of equally long ones, the one that ended first
 */
SwZoneSelection *
sw_zone_selection_slowest (SwZoneSelection *self,
                           guint32 n_zones)
{
  g_autofree guint64 *durations = NULL;
  g_autofree Candidate *slowest = NULL;
  const guint32 *indices;
  guint32 *kept;
  guint32 n, n_kept;

  g_return_val_if_fail (self != NULL, NULL);

  indices = sw_zone_selection_peek_indices (self, &n);
  n_kept = MIN (n, n_zones);
  if (n_kept == 0)
    return sw_zone_selection_new (self->trace, NULL, 0);
  durations = sw_zone_selection_copy_durations (self);
  slowest = keep_slowest (durations, indices, n, n_kept);
  kept = g_new (guint32, n_kept);
  for (guint32 i = 0; i < n_kept; i++)
    kept[i] = slowest[i].index;
  return sw_zone_selection_new (self->trace, kept, n_kept);
}
