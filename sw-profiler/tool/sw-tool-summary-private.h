/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-slice-table-private.h"
#include "sw-profiler/tool/sw-tool-json-private.h"
#include "sw-profiler/tool/sw-tool-text-private.h"
#include "sw-profiler/tool/sw-tool-trace-private.h"

G_BEGIN_DECLS

/* What `summary` says of one trace, before it is text, JSON or CSV. */

typedef enum {
  SW_TOOL_SORT_SELF,
  SW_TOOL_SORT_TOTAL,
  SW_TOOL_SORT_CALLS,
  SW_TOOL_SORT_MAX,
  SW_TOOL_SORT_NAME,
} SwToolSort;

typedef struct
{
  gint64 pid;
  const char *name; /* NULL: none */
  guint n_tracks;
  guint64 n_slices;
  gint64 busy_ns;
} SwToolProcess;

typedef struct
{
  const SwToolTrace *trace;
  SwSliceTable *table;
  SwSliceFilter filter;
  guint *order;       /* rows of the table, sorted */
  guint32 *tracks;    /* those with slices, the busiest first */
  guint n_tracks;
  GArray *processes;  /* of SwToolProcess, the busiest first */
  guint *instants;    /* those that the filter leaves, the most frequent first */
  guint n_instants;
  guint *counters;    /* tracks, by name */
  guint n_counters;
  GPtrArray *notes;
} SwToolSummary;

/* The names of SwSliceKind, as JSON and CSV have them. */
extern const char *const sw_tool_slice_kinds[SW_N_SLICE_KINDS];

/* Fails with IO. */
SwToolSummary *sw_tool_summary_new (const SwToolTrace *trace,
                                    const SwToolSelection *selection,
                                    SwSliceGrouping grouping,
                                    SwToolSort sort,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sw_tool_summary_free (SwToolSummary *self);
/* Of a row of the kind "frame": how many began in a second. 0 where that cannot be said. */
double sw_tool_summary_get_fps (const SwSliceRow *row);
const char *sw_tool_summary_get_track_name (const SwToolSummary *self,
                                            guint32 track);

/* @top: rows of a section, 0 for all. */
void sw_tool_summary_print (SwToolSummary *self,
                            const SwToolStyle *style,
                            guint top);
void sw_tool_summary_put_json (SwToolSummary *self,
                               SwToolJson *json,
                               guint top);
extern const char sw_tool_summary_csv_header[];
void sw_tool_summary_put_csv (SwToolSummary *self,
                              GString *csv,
                              guint top);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwToolSummary, sw_tool_summary_free)

G_END_DECLS
