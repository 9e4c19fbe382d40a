/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-slice-table-private.h"
#include "sw-profiler/tool/sw-tool-json-private.h"
#include "sw-profiler/tool/sw-tool-text-private.h"
#include "sw-profiler/tool/sw-tool-trace-private.h"

G_BEGIN_DECLS

/* Two runs, or two sets of runs, name by name. */

typedef enum {
  SW_TOOL_DIFF_MEDIAN,
  SW_TOOL_DIFF_MEAN,
  SW_TOOL_DIFF_TOTAL,
  SW_TOOL_DIFF_SELF,
} SwToolDiffBy;

typedef enum {
  SW_TOOL_SIDE_BASE,
  SW_TOOL_SIDE_NEW,
  SW_TOOL_N_SIDES,
} SwToolSide;

/* What a name came to on one side. */
typedef struct
{
  /* Self times where these are compared, else durations. NULL once they were tested. */
  GArray *samples;
  gboolean is_wide; /* they are gint64; else guint32, which is half as much and enough for four seconds */
  guint64 calls;
  double total_ns; /* of all of its files */
  double self_ns;
  double median_ns;
  double value_ns; /* what is compared: of sums, that of one file in the mean */
} SwToolDiffSide;

typedef struct
{
  SwSliceKind kind;
  char *name;
  SwToolDiffSide sides[SW_TOOL_N_SIDES];
  double change;        /* of the value, as a part of that of the base; meaningless where a side has no calls */
  double p;             /* of the samples, adjusted for the number of names; 1 where a side has none */
  double superiority;   /* the part of pairs in which the new one is longer */
  gboolean is_exact;
  gboolean is_significant;
  gboolean is_by_calls; /* a sum changed as there are more or fewer calls, which needs no test */
  gboolean is_regression;
} SwToolDiffRow;

typedef struct
{
  SwToolDiffBy by;
  double alpha;
  double limit; /* a part; negative: none */
  guint n_files[SW_TOOL_N_SIDES];
  GArray *rows; /* of SwToolDiffRow; sorted by what they cost more, the most first */
  GHashTable *row_by_name[SW_N_SLICE_KINDS];
  GPtrArray *notes;
  guint n_regressions;
  gboolean has_broken;
} SwToolDiff;

SwToolDiff *sw_tool_diff_new (SwToolDiffBy by,
                              double alpha,
                              double limit) G_GNUC_WARN_UNUSED_RESULT;
void sw_tool_diff_free (SwToolDiff *self);
/* Adds the slices of one file. Fails with what reading it fails with. */
gboolean sw_tool_diff_add (SwToolDiff *self,
                           SwToolSide side,
                           const char *path,
                           const SwToolSelection *selection,
                           GError **error);
/* When all are there: tests, adjusts, judges, sorts. */
void sw_tool_diff_finish (SwToolDiff *self);

/* "slower", "appeared" and so on. */
const char *sw_tool_diff_get_verdict (const SwToolDiffRow *row);
/* @top: rows, 0 for all. */
void sw_tool_diff_print (SwToolDiff *self,
                         const SwToolStyle *style,
                         gboolean as_markdown,
                         guint top);
void sw_tool_diff_put_json (SwToolDiff *self,
                            SwToolJson *json);
void sw_tool_diff_put_csv (SwToolDiff *self,
                           GString *csv);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwToolDiff, sw_tool_diff_free)

G_END_DECLS
