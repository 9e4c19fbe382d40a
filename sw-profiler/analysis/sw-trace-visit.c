/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-trace-analysis-private.h"

#include "sw-profiler/analysis/sw-merge-heap-private.h"
#include "sw-profiler/analysis/sw-spill-private.h"

/* The slices of a track in order: its parts are, and are merged. */

#define N_BUFFERED 2048

typedef struct
{
  SwSpillPart part;
  SwSliceRecord *buffer;
  const SwSliceRecord *next;
  gsize n;      /* from next on */
  gsize number; /* of the part: of equal slices, those of the earlier come first */
} Source;

typedef struct
{
  Source *sources;
  gpointer *heap; /* the one with the first slice is first */
  gsize n;
} Merge;

/* FALSE at the end, or with an error. */
static gboolean
refill (Source *self,
        GError **error)
{
  const void *records;
  gssize n = sw_spill_read (&self->part, self->buffer, self->part.memory != NULL ? G_MAXSIZE : N_BUFFERED, &records, error);

  if (n <= 0)
    return FALSE;
  self->next = records;
  self->n = (gsize) n;
  return TRUE;
}

static gboolean
is_before (gconstpointer a,
           gconstpointer b)
{
  const Source *x = a;
  const Source *y = b;
  int result = sw_slice_record_compare (x->next, y->next);

  return result != 0 ? result < 0 : x->number < y->number;
}

static gboolean
merge_init (Merge *self,
            SwSpill *slices,
            guint32 track,
            GError **error)
{
  gsize n_parts = sw_spill_get_n_parts (slices, track);

  self->sources = g_new0 (Source, n_parts);
  self->heap = g_new0 (gpointer, n_parts);
  self->n = 0;
  for (gsize i = 0; i < n_parts; i++)
    {
      Source *source = &self->sources[i];
      GError *failure = NULL;

      source->number = i;
      sw_spill_open_part (slices, track, i, &source->part);
      if (source->part.memory == NULL)
        source->buffer = g_new (SwSliceRecord, N_BUFFERED);
      if (refill (source, &failure))
        self->heap[self->n++] = source;
      if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
    }
  sw_merge_heap_build (self->heap, self->n, is_before);
  return TRUE;
}

static void
merge_clear (Merge *self,
             gsize n_parts)
{
  for (gsize i = 0; i < n_parts; i++)
    g_free (self->sources[i].buffer);
  g_free (self->sources);
  g_free (self->heap);
}

/* The common case, which needs no heap. */
static gboolean
visit_source (Source *source,
              SwTraceNesting *nesting,
              GError **error)
{
  GError *failure = NULL;

  do
    for (gsize i = 0; i < source->n; i++)
      sw_trace_nesting_add (nesting, &source->next[i]);
  while (refill (source, &failure));
  if (failure != NULL)
    g_propagate_error (error, failure);
  return failure == NULL;
}

static gboolean
visit_merged (Merge *self,
              SwTraceNesting *nesting,
              GError **error)
{
  GError *failure = NULL;

  while (self->n > 1)
    {
      Source *first = self->heap[0];

      sw_trace_nesting_add (nesting, first->next);
      first->next++;
      if (--first->n == 0 && !refill (first, &failure))
        self->heap[0] = self->heap[--self->n];
      if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
      sw_merge_heap_sift_down (self->heap, self->n, 0, is_before);
    }
  return self->n == 0 || visit_source (self->heap[0], nesting, error);
}

static gboolean
visit_track (SwTraceAnalysis *self,
             guint32 id,
             SwTraceNesting *nesting,
             GError **error)
{
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (self, id);
  Merge merge;
  gboolean is_done;

  sw_trace_nesting_begin_track (nesting, id, track != NULL && track->kind == SW_TRACE_TRACK_ASYNC);
  is_done = merge_init (&merge, self->slices, id, error) && visit_merged (&merge, nesting, error);
  merge_clear (&merge, sw_spill_get_n_parts (self->slices, id));
  sw_trace_nesting_end_track (nesting);
  return is_done;
}

gboolean
sw_trace_analysis_visit (SwTraceAnalysis *self,
                         gboolean (*wants) (gpointer data,
                                            guint32 track),
                         const SwNestingVisitor *visitor,
                         gpointer data,
                         GError **error)
{
  SwTraceNesting nesting;
  gboolean is_done = TRUE;

  sw_trace_nesting_init (&nesting, visitor, data);
  for (guint32 track = 0; track < sw_spill_get_n_lists (self->slices) && is_done; track++)
    if (sw_spill_get_n_parts (self->slices, track) > 0 && (wants == NULL || wants (data, track)))
      is_done = visit_track (self, track, &nesting, error);
  sw_trace_nesting_clear (&nesting);
  return is_done;
}
