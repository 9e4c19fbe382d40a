/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-slice-filter-private.h"

G_BEGIN_DECLS

/* What the slices of a trace come to, by name, category or thread. Times are integer nanoseconds; percentiles are exact, and
 * interpolated as those of the library's own statistics are. */
typedef struct _SwSliceTable SwSliceTable;

/* Times of different kinds do not add up, so each has rows of its own. */
typedef enum {
  SW_SLICE_KIND_THREAD,
  SW_SLICE_KIND_GPU, /* and other tracks that are no threads */
  SW_SLICE_KIND_ASYNC,
  SW_SLICE_KIND_FRAME, /* those of the category "frame" that are not on threads; always by name */
  SW_N_SLICE_KINDS,
} SwSliceKind;

typedef enum {
  SW_SLICE_GROUP_NAME,
  SW_SLICE_GROUP_CATEGORY,
  SW_SLICE_GROUP_THREAD,
} SwSliceGrouping;

typedef struct
{
  SwSliceKind kind;
  guint32 key; /* a name, a category or a track */
  guint64 calls;
  guint64 n_unfinished;
  guint64 n_clipped;
  /* At most G_MAXINT64. Those that are inside of slices of the same row count in the total, too; self times add up. */
  gint64 total_ns;
  gint64 self_ns;
  gint64 min_ns;
  gint64 max_ns;
  gint64 first_start_ns;
  gint64 last_start_ns;
  double p50_ns, p90_ns, p95_ns, p99_ns;
} SwSliceRow;

/* Of a track, whatever the filter says of names, categories and durations. */
typedef struct
{
  guint64 n_slices;
  guint64 n_unfinished;
  guint64 n_clipped;
  gint64 clipped_ns;
  gint64 busy_ns; /* of the outermost ones; of an asynchronous track, the sum */
  gint64 first_ns;
  gint64 last_ns;
  guint32 clipped_label;   /* of the one of which most was cut off; while n_clipped > 0 */
  gint64 most_clipped_ns;
} SwTrackTotals;

/* What the samples of a row are. */
typedef enum {
  SW_SLICE_SAMPLES_DURATION,
  SW_SLICE_SAMPLES_SELF, /* there are no percentiles then */
} SwSliceSamples;

/* A pass over all slices. Fails with IO. */
SwSliceTable *sw_slice_table_new (SwTraceAnalysis *analysis,
                                  SwSliceFilter *filter,
                                  SwSliceGrouping grouping,
                                  SwSliceSamples samples,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sw_slice_table_free (SwSliceTable *self);

guint sw_slice_table_get_n_rows (const SwSliceTable *self);
const SwSliceRow *sw_slice_table_get_row (const SwSliceTable *self,
                                          guint i);
/* The name, or the category; of a thread, its name or its number. */
const char *sw_slice_table_get_row_text (SwSliceTable *self,
                                         guint i);
/* The self time of all slices of a kind that are on the filter's threads in its time: of which a row has its share. */
gint64 sw_slice_table_get_whole_ns (const SwSliceTable *self,
                                    SwSliceKind kind);
/* NULL where nothing was found. */
const SwTrackTotals *sw_slice_table_get_track (const SwSliceTable *self,
                                               guint32 track);
/* All samples of a row, in no order: row->calls many. Fails with IO. */
gint64 *sw_slice_table_read_samples (SwSliceTable *self,
                                     guint row,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

static inline gint64
sw_add_saturated (gint64 a,
                  gint64 b)
{
  gint64 sum;

  return __builtin_add_overflow (a, b, &sum) ? G_MAXINT64 : sum;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwSliceTable, sw_slice_table_free)

G_END_DECLS
