/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>
#include <math.h>

#include "sw-profiler/tool/sw-tool-diff-private.h"

static const char *const by_names[] = {
  [SW_TOOL_DIFF_MEDIAN] = "median",
  [SW_TOOL_DIFF_MEAN] = "mean",
  [SW_TOOL_DIFF_TOTAL] = "total",
  [SW_TOOL_DIFF_SELF] = "self",
};

static const char *const by_titles[] = {
  [SW_TOOL_DIFF_MEDIAN] = "median",
  [SW_TOOL_DIFF_MEAN] = "mean",
  [SW_TOOL_DIFF_TOTAL] = "total of a run",
  [SW_TOOL_DIFF_SELF] = "self time of a run",
};

static const char *const kinds[SW_N_SLICE_KINDS] = {
  [SW_SLICE_KIND_THREAD] = "thread",
  [SW_SLICE_KIND_GPU] = "gpu",
  [SW_SLICE_KIND_ASYNC] = "async",
  [SW_SLICE_KIND_FRAME] = "frame",
};

const char *
sw_tool_diff_get_verdict (const SwToolDiffRow *row)
{
  if (row->sides[SW_TOOL_SIDE_BASE].calls == 0)
    return "appeared";
  if (row->sides[SW_TOOL_SIDE_NEW].calls == 0)
    return "vanished";
  if (!row->is_significant)
    return "same";
  if (row->is_by_calls)
    return row->change > 0 ? "more calls" : "fewer calls";
  return row->change > 0 ? "slower" : "faster";
}

static gboolean
has_both (const SwToolDiffRow *row)
{
  return row->sides[SW_TOOL_SIDE_BASE].calls > 0 && row->sides[SW_TOOL_SIDE_NEW].calls > 0;
}

static char *
format_change (const SwToolDiffRow *row)
{
  g_autofree char *number = NULL;

  if (!has_both (row))
    return g_strdup ("-");
  if (!isfinite (row->change))
    return g_strdup ("from 0");
  number = sw_tool_format_double (100 * row->change, 1);
  return g_strdup_printf ("%s%s %%", row->change > 0 ? "+" : "", number);
}

static char *
format_p (const SwToolDiffRow *row)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!has_both (row))
    return g_strdup ("-");
  if (row->p < 1e-4)
    return g_strdup ("<0.0001");
  return g_strdup (g_ascii_formatd (text, sizeof text, "%.4f", row->p));
}

static SwToolTable *
make_table (SwToolDiff *self,
            guint n)
{
  SwToolTable *table = sw_tool_table_new ();

  sw_tool_table_add_text_column (table, "Name");
  sw_tool_table_add_text_column (table, "Kind");
  sw_tool_table_add_number_column (table, "Base calls");
  sw_tool_table_add_number_column (table, "New calls");
  sw_tool_table_add_number_column (table, "Base");
  sw_tool_table_add_number_column (table, "New");
  sw_tool_table_add_number_column (table, "Change");
  sw_tool_table_add_number_column (table, "p");
  sw_tool_table_add_number_column (table, "Verdict");
  for (guint i = 0; i < n; i++)
    {
      const SwToolDiffRow *row = &g_array_index (self->rows, SwToolDiffRow, i);

      sw_tool_table_add (table, row->name);
      sw_tool_table_add (table, kinds[row->kind]);
      for (guint side = 0; side < SW_TOOL_N_SIDES; side++)
        sw_tool_table_take (table, sw_tool_format_count (row->sides[side].calls));
      for (guint side = 0; side < SW_TOOL_N_SIDES; side++)
        sw_tool_table_take (table, row->sides[side].calls > 0 ? sw_tool_format_ns (row->sides[side].value_ns) : g_strdup ("-"));
      sw_tool_table_take (table, format_change (row));
      sw_tool_table_take (table, format_p (row));
      sw_tool_table_take (table, g_strdup_printf ("%s%s", sw_tool_diff_get_verdict (row), row->is_regression ? " (!)" : ""));
    }
  return table;
}

void
sw_tool_diff_print (SwToolDiff *self,
                    const SwToolStyle *style,
                    gboolean as_markdown,
                    guint top)
{
  guint n = top == 0 ? self->rows->len : MIN (top, self->rows->len);
  g_autoptr (SwToolTable) table = make_table (self, n);
  g_autofree char *alpha = sw_tool_format_double (self->alpha, 3);
  g_autofree char *limit = sw_tool_format_double (100 * MAX (self->limit, 0), 1);

  for (guint i = 0; i < self->notes->len; i++)
    printf ("Note: %s%s\n", (const char *) g_ptr_array_index (self->notes, i), as_markdown ? "\n" : "");
  if (as_markdown)
    printf ("### Change of the %s\n\n", by_titles[self->by]);
  else
    sw_tool_print_heading (style, "Change of the %s", by_titles[self->by]);
  if (as_markdown)
    sw_tool_table_print_markdown (table);
  else
    sw_tool_table_print (table, style);
  if (n < self->rows->len)
    printf ("%sand %u more; --top 0 shows all\n", as_markdown ? "\n" : "", self->rows->len - n);
  fputs (as_markdown ? "\n" : "", stdout);
  printf ("Significant: p of Mann and Whitney's test, adjusted by Holm, is at most %s.", alpha);
  if (self->limit >= 0)
    printf (" Significantly worse by more than %s %%: %u.", limit, self->n_regressions);
  putchar ('\n');
}

static void
put_side (SwToolJson *json,
          const char *key,
          const SwToolDiffSide *side)
{
  sw_tool_json_begin (json, key, '{');
  sw_tool_json_uint64 (json, "calls", side->calls);
  sw_tool_json_double (json, "total_ns", side->total_ns);
  sw_tool_json_double (json, "self_ns", side->self_ns);
  sw_tool_json_double (json, "mean_ns", side->calls > 0 ? side->total_ns / (double) side->calls : 0);
  sw_tool_json_double (json, "sample_median_ns", side->median_ns);
  sw_tool_json_double (json, "value_ns", side->value_ns);
  sw_tool_json_end (json, '}');
}

void
sw_tool_diff_put_json (SwToolDiff *self,
                       SwToolJson *json)
{
  sw_tool_json_begin (json, NULL, '{');
  sw_tool_json_string (json, "by", by_names[self->by]);
  sw_tool_json_double (json, "alpha", self->alpha);
  sw_tool_json_double (json, "fail_over", self->limit >= 0 ? self->limit : NAN);
  sw_tool_json_uint64 (json, "base_files", self->n_files[SW_TOOL_SIDE_BASE]);
  sw_tool_json_uint64 (json, "new_files", self->n_files[SW_TOOL_SIDE_NEW]);
  sw_tool_json_uint64 (json, "regressions", self->n_regressions);
  sw_tool_json_begin (json, "notes", '[');
  for (guint i = 0; i < self->notes->len; i++)
    sw_tool_json_string (json, NULL, g_ptr_array_index (self->notes, i));
  sw_tool_json_end (json, ']');
  sw_tool_json_begin (json, "rows", '[');
  for (guint i = 0; i < self->rows->len; i++)
    {
      const SwToolDiffRow *row = &g_array_index (self->rows, SwToolDiffRow, i);

      sw_tool_json_begin (json, NULL, '{');
      sw_tool_json_string (json, "kind", kinds[row->kind]);
      sw_tool_json_string (json, "name", row->name);
      put_side (json, "base", &row->sides[SW_TOOL_SIDE_BASE]);
      put_side (json, "new", &row->sides[SW_TOOL_SIDE_NEW]);
      sw_tool_json_double (json, "change", has_both (row) ? row->change : NAN);
      sw_tool_json_double (json, "p", has_both (row) ? row->p : NAN);
      sw_tool_json_double (json, "superiority", has_both (row) ? row->superiority : NAN);
      sw_tool_json_boolean (json, "exact", row->is_exact);
      sw_tool_json_boolean (json, "significant", row->is_significant);
      sw_tool_json_boolean (json, "regression", row->is_regression);
      sw_tool_json_string (json, "verdict", sw_tool_diff_get_verdict (row));
      sw_tool_json_end (json, '}');
    }
  sw_tool_json_end (json, ']');
  sw_tool_json_end (json, '}');
}

void
sw_tool_diff_put_csv (SwToolDiff *self,
                      GString *csv)
{
  g_string_append (csv, "kind,name,base_calls,new_calls,base_ns,new_ns,change,p,superiority,verdict,regression\r\n");
  for (guint i = 0; i < self->rows->len; i++)
    {
      const SwToolDiffRow *row = &g_array_index (self->rows, SwToolDiffRow, i);

      sw_tool_csv_text (csv, kinds[row->kind]);
      sw_tool_csv_text (csv, row->name);
      sw_tool_csv_uint64 (csv, row->sides[SW_TOOL_SIDE_BASE].calls);
      sw_tool_csv_uint64 (csv, row->sides[SW_TOOL_SIDE_NEW].calls);
      sw_tool_csv_double (csv, row->sides[SW_TOOL_SIDE_BASE].value_ns);
      sw_tool_csv_double (csv, row->sides[SW_TOOL_SIDE_NEW].value_ns);
      sw_tool_csv_double (csv, has_both (row) ? row->change : NAN);
      sw_tool_csv_double (csv, has_both (row) ? row->p : NAN);
      sw_tool_csv_double (csv, has_both (row) ? row->superiority : NAN);
      sw_tool_csv_text (csv, sw_tool_diff_get_verdict (row));
      sw_tool_csv_text (csv, row->is_regression ? "true" : "false");
      sw_tool_csv_end (csv);
    }
}
