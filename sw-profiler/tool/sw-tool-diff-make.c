/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "sw-profiler/analysis/sw-rank-test-private.h"
#include "sw-profiler/operation/sw-duration-statistics-private.h"
#include "sw-profiler/tool/sw-tool-diff-private.h"
#include "sw/base/sw-hash-private.h"

static void
clear_row (gpointer data)
{
  SwToolDiffRow *row = data;

  g_free (row->name);
  for (guint side = 0; side < SW_TOOL_N_SIDES; side++)
    g_clear_pointer (&row->sides[side].samples, g_array_unref);
}

SwToolDiff *
sw_tool_diff_new (SwToolDiffBy by,
                  double alpha,
                  double limit)
{
  SwToolDiff *self = g_new0 (SwToolDiff, 1);

  self->by = by;
  self->alpha = alpha;
  self->limit = limit;
  self->rows = g_array_new (FALSE, TRUE, sizeof (SwToolDiffRow));
  g_array_set_clear_func (self->rows, clear_row);
  for (guint kind = 0; kind < SW_N_SLICE_KINDS; kind++)
    self->row_by_name[kind] = g_hash_table_new_full (sw_hash_text, g_str_equal, g_free, NULL);
  self->notes = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
sw_tool_diff_free (SwToolDiff *self)
{
  g_array_unref (self->rows);
  for (guint kind = 0; kind < SW_N_SLICE_KINDS; kind++)
    g_hash_table_unref (self->row_by_name[kind]);
  g_ptr_array_unref (self->notes);
  g_free (self);
}

static inline SwToolDiffRow *
get_row (const SwToolDiff *self,
         guint i)
{
  return &g_array_index (self->rows, SwToolDiffRow, i);
}

/* Files have the text in common, not the number of a name. */
static SwToolDiffRow *
find_row (SwToolDiff *self,
          SwSliceKind kind,
          const char *name)
{
  SwToolDiffRow new = { .kind = kind, .p = 1, .superiority = 0.5 };
  gpointer place;

  if (!g_hash_table_lookup_extended (self->row_by_name[kind], name, NULL, &place))
    {
      place = GUINT_TO_POINTER (self->rows->len);
      g_hash_table_insert (self->row_by_name[kind], g_strdup (name), place);
      new.name = g_strdup (name);
      for (guint side = 0; side < SW_TOOL_N_SIDES; side++)
        new.sides[side].samples = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_val (self->rows, new);
    }
  return get_row (self, GPOINTER_TO_UINT (place));
}

static void
copy_samples (const SwToolDiffSide *side,
              gint64 *wide)
{
  const guint32 *narrow = (const guint32 *) (gpointer) side->samples->data;

  for (guint i = 0; i < side->samples->len; i++)
    wide[i] = side->is_wide ? g_array_index (side->samples, gint64, i) : narrow[i];
}

static void
widen (SwToolDiffSide *side)
{
  GArray *wide = g_array_sized_new (FALSE, FALSE, sizeof (gint64), side->samples->len);

  g_array_set_size (wide, side->samples->len);
  copy_samples (side, (gint64 *) (gpointer) wide->data);
  g_array_unref (side->samples);
  side->samples = wide;
  side->is_wide = TRUE;
}

/* These are all that a comparison keeps of a slice. */
static void
add_samples (SwToolDiffSide *side,
             const gint64 *samples,
             guint n)
{
  for (guint i = 0; i < n; i++)
    {
      guint32 narrow = (guint32) samples[i];

      if (G_UNLIKELY (!side->is_wide && samples[i] != (gint64) narrow))
        widen (side);
      if (side->is_wide)
        g_array_append_vals (side->samples, &samples[i], 1);
      else
        g_array_append_vals (side->samples, &narrow, 1);
    }
}

/* The side has none after that. */
static gint64 *
take_samples (SwToolDiffSide *side)
{
  gint64 *samples = g_new (gint64, side->samples->len);

  copy_samples (side, samples);
  g_clear_pointer (&side->samples, g_array_unref);
  return samples;
}

static gboolean
add_rows (SwToolDiff *self,
          SwToolSide side,
          SwSliceTable *table,
          GError **error)
{
  for (guint i = 0; i < sw_slice_table_get_n_rows (table); i++)
    {
      const SwSliceRow *row = sw_slice_table_get_row (table, i);
      SwToolDiffSide *to = &find_row (self, row->kind, sw_slice_table_get_row_text (table, i))->sides[side];
      g_autofree gint64 *samples = sw_slice_table_read_samples (table, i, error);

      if (samples == NULL)
        return FALSE;
      to->calls += row->calls;
      to->total_ns += (double) row->total_ns;
      to->self_ns += (double) row->self_ns;
      for (guint64 done = 0; done < row->calls;)
        {
          guint n = (guint) MIN (row->calls - done, 1u << 30);

          add_samples (to, samples + done, n);
          done += n;
        }
    }
  return TRUE;
}

static void
add_notes (SwToolDiff *self,
           const SwToolTrace *trace,
           guint n_rows)
{
  g_autoptr (GPtrArray) notes = sw_tool_trace_dup_notes (trace);
  g_autofree char *path = sw_tool_text_display (trace->path, 0);

  sw_tool_trace_note_moments (trace->analysis, notes);
  for (guint i = 0; i < notes->len; i++)
    g_ptr_array_add (self->notes, g_strdup_printf ("%s: %s", path, (const char *) g_ptr_array_index (notes, i)));
  if (n_rows == 0)
    g_ptr_array_add (self->notes, g_strdup_printf ("%s: %s", path,
                                                   trace->analysis->n_slices == 0 ? "there are no slices" : "the options leave no slice"));
  self->has_broken |= sw_tool_trace_is_broken (trace);
}

gboolean
sw_tool_diff_add (SwToolDiff *self,
                  SwToolSide side,
                  const char *path,
                  const SwToolSelection *selection,
                  GError **error)
{
  g_autoptr (SwToolTrace) trace = sw_tool_trace_load (path, error);
  g_autoptr (SwSliceTable) table = NULL;
  SwSliceSamples samples = self->by == SW_TOOL_DIFF_SELF ? SW_SLICE_SAMPLES_SELF : SW_SLICE_SAMPLES_DURATION;
  SwSliceFilter filter;
  gboolean is_done = FALSE;

  if (trace == NULL)
    return FALSE;
  sw_tool_selection_apply (selection, trace, &filter);
  table = sw_slice_table_new (trace->analysis, &filter, SW_SLICE_GROUP_NAME, samples, error);
  if (table != NULL)
    is_done = add_rows (self, side, table, error);
  if (is_done)
    add_notes (self, trace, sw_slice_table_get_n_rows (table));
  sw_slice_filter_clear (&filter);
  self->n_files[side]++;
  return is_done;
}

static void
find_value (SwToolDiff *self,
            SwToolDiffSide *side,
            gint64 *samples,
            guint n_files)
{
  gsize n_lower = 0;

  if (side->calls == 0)
    return;
  side->median_ns = sw_durations_take_percentile (samples, side->calls, 0.5, &n_lower);
  switch (self->by)
    {
    case SW_TOOL_DIFF_MEAN:
      side->value_ns = side->total_ns / (double) side->calls;
      break;
    case SW_TOOL_DIFF_TOTAL:
      side->value_ns = side->total_ns / n_files;
      break;
    case SW_TOOL_DIFF_SELF:
      side->value_ns = side->self_ns / n_files;
      break;
    case SW_TOOL_DIFF_MEDIAN:
    default:
      side->value_ns = side->median_ns;
      break;
    }
}

/* How far the sum would have changed, had only the number of calls. */
static double
get_change_by_calls (const SwToolDiff *self,
                     const SwToolDiffRow *row)
{
  double base = (double) row->sides[SW_TOOL_SIDE_BASE].calls / self->n_files[SW_TOOL_SIDE_BASE];
  double new = (double) row->sides[SW_TOOL_SIDE_NEW].calls / self->n_files[SW_TOOL_SIDE_NEW];

  return new / base - 1;
}

static void
test_row (SwToolDiff *self,
          SwToolDiffRow *row)
{
  SwToolDiffSide *base = &row->sides[SW_TOOL_SIDE_BASE], *new = &row->sides[SW_TOOL_SIDE_NEW];
  g_autofree gint64 *base_samples = take_samples (base);
  g_autofree gint64 *new_samples = take_samples (new);
  SwRankTest test;

  find_value (self, base, base_samples, self->n_files[SW_TOOL_SIDE_BASE]);
  find_value (self, new, new_samples, self->n_files[SW_TOOL_SIDE_NEW]);
  if (base->calls > 0 && new->calls > 0)
    {
      sw_rank_test (base_samples, base->calls, new_samples, new->calls, &test);
      row->p = test.p;
      row->superiority = test.superiority;
      row->is_exact = test.is_exact;
      row->change = base->value_ns > 0 ? new->value_ns / base->value_ns - 1 : new->value_ns > 0 ? INFINITY
                                                                                                : 0;
    }
}

/* The samples must say so in the same direction as the value. */
static void
judge_row (SwToolDiff *self,
           SwToolDiffRow *row)
{
  gboolean is_sum = self->by == SW_TOOL_DIFF_TOTAL || self->by == SW_TOOL_DIFF_SELF;

  if (row->sides[SW_TOOL_SIDE_BASE].calls == 0 || row->sides[SW_TOOL_SIDE_NEW].calls == 0)
    return;
  row->is_significant = row->p <= self->alpha && (row->change > 0) == (row->superiority > 0.5) && row->change != 0;
  if (is_sum && !row->is_significant)
    {
      double by_calls = get_change_by_calls (self, row);

      row->is_by_calls = by_calls != 0 && (by_calls > 0) == (row->change > 0) && fabs (by_calls) > MAX (self->limit, 0);
      row->is_significant = row->is_by_calls;
    }
  row->is_regression = self->limit >= 0 && row->is_significant && row->change > self->limit;
  self->n_regressions += row->is_regression;
}

static double
get_difference (const SwToolDiffRow *row)
{
  return row->sides[SW_TOOL_SIDE_NEW].value_ns - row->sides[SW_TOOL_SIDE_BASE].value_ns;
}

static int
compare_rows (gconstpointer a,
              gconstpointer b)
{
  const SwToolDiffRow *x = a, *y = b;
  double first = get_difference (x), second = get_difference (y);

  if (x->is_regression != y->is_regression)
    return x->is_regression ? -1 : 1;
  if (x->is_significant != y->is_significant)
    return x->is_significant ? -1 : 1;
  if (fabs (first) != fabs (second))
    return fabs (first) > fabs (second) ? -1 : 1;
  return x->kind != y->kind ? (int) x->kind - (int) y->kind : strcmp (x->name, y->name);
}

void
sw_tool_diff_finish (SwToolDiff *self)
{
  g_autofree double *p = g_new (double, self->rows->len);
  gsize n_tested = 0;

  for (guint i = 0; i < self->rows->len; i++)
    {
      SwToolDiffRow *row = get_row (self, i);

      test_row (self, row);
      if (row->sides[SW_TOOL_SIDE_BASE].calls > 0 && row->sides[SW_TOOL_SIDE_NEW].calls > 0)
        p[n_tested++] = row->p;
    }
  sw_adjust_p_values (p, n_tested);
  n_tested = 0;
  for (guint i = 0; i < self->rows->len; i++)
    {
      SwToolDiffRow *row = get_row (self, i);

      if (row->sides[SW_TOOL_SIDE_BASE].calls > 0 && row->sides[SW_TOOL_SIDE_NEW].calls > 0)
        row->p = p[n_tested++];
      judge_row (self, row);
    }
  g_array_sort (self->rows, compare_rows);
}
