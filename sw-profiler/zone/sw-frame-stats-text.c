/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-frame-stats-private.h"

#include "sw-profiler/export/sw-csv-private.h"
#include "sw-profiler/operation/sw-text-private.h"

/* Longer names are cut; it is for people. */
#define MAX_NAME_WIDTH 72
#define NUMBER_WIDTH 14

static void
append_diagnostics (GString *text,
                    SwProfilerDiagnostics *diagnostics)
{
  g_string_append_printf (text,
                          "diagnostics: producer_drop_count=%" G_GUINT64_FORMAT
                          " thread_event_queue_high_water_mark=%" G_GUINT64_FORMAT " hierarchy_loss_count=%" G_GUINT64_FORMAT
                          " gpu_query_exhaustion_count=%" G_GUINT64_FORMAT " pending_gpu_zone_count=%" G_GUINT64_FORMAT "\n",
                          sw_profiler_diagnostics_get_producer_drop_count (diagnostics),
                          sw_profiler_diagnostics_get_thread_event_queue_high_water_mark (diagnostics),
                          sw_profiler_diagnostics_get_hierarchy_loss_count (diagnostics),
                          sw_profiler_diagnostics_get_gpu_query_exhaustion_count (diagnostics),
                          sw_profiler_diagnostics_get_pending_gpu_zone_count (diagnostics));
}

/* Three decimals, the same in every locale. */
static char *
format_number (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.3f", value));
}

static char *
format_ms (double ms)
{
  g_autofree char *number = format_number (ms);

  return g_strconcat (number, " ms", NULL);
}

static void
append_frames (GString *text,
               SwFrameStats *self)
{
  g_autofree char *latest = format_ms (self->latest_frame_ms);
  g_autofree char *mean = format_ms (sw_duration_statistics_get_mean_ms (self->frame_time));
  g_autofree char *p95 = format_ms (sw_duration_statistics_get_p95_ms (self->frame_time));
  g_autofree char *max = format_ms (sw_duration_statistics_get_max_ms (self->frame_time));
  g_autofree char *fps = format_number (self->fps);

  g_string_append_printf (text, "frames: %u completed, %u pending", self->n_samples, self->n_pending_frames);
  if (self->n_samples > 0)
    g_string_append_printf (text, ", latest %s, mean %s, p95 %s, max %s", latest, mean, p95, max);
  if (self->fps > 0)
    g_string_append_printf (text, ", %s frames/s", fps);
  g_string_append_c (text, '\n');
}

static char *
make_label (const SwFrameStatsEntry *entry)
{
  g_autoptr (GString) label = g_string_new (NULL);

  for (guint32 i = 0; i < MIN (entry->depth, MAX_NAME_WIDTH / 4); i++)
    g_string_append (label, "  ");
  sw_text_append_display (label, entry->name);
  if (g_utf8_strlen (label->str, -1) > MAX_NAME_WIDTH)
    {
      g_string_truncate (label, (gsize) (g_utf8_offset_to_pointer (label->str, MAX_NAME_WIDTH - 1) - label->str));
      g_string_append (label, "…");
    }
  return g_strdup (label->str);
}

static void
append_padding (GString *text,
                glong n)
{
  for (; n > 0; n--)
    g_string_append_c (text, ' ');
}

static void
append_cell (GString *text,
             const char *cell)
{
  append_padding (text, NUMBER_WIDTH - g_utf8_strlen (cell, -1));
  g_string_append (text, cell);
}

static void
append_entry (GString *text,
              SwFrameStats *self,
              const SwFrameStatsEntry *entry,
              const char *label,
              glong width)
{
  double n_calls = (double) sw_call_statistics_get_count (entry->cpu_time_per_call);
  gboolean has_gpu = sw_duration_statistics_get_count (entry->gpu_time_per_frame) > 0;
  g_autofree char *calls = format_number (n_calls / self->n_samples);
  g_autofree char *cpu = format_ms (sw_duration_statistics_get_mean_ms (entry->cpu_time_per_frame));
  g_autofree char *gpu = format_ms (sw_duration_statistics_get_mean_ms (entry->gpu_time_per_frame));

  g_string_append (text, label);
  append_padding (text, width - g_utf8_strlen (label, -1));
  append_cell (text, calls);
  append_cell (text, cpu);
  append_cell (text, has_gpu ? gpu : "n/a");
  g_string_append_c (text, '\n');
}

static void
append_hierarchy (GString *text,
                  SwFrameStats *self)
{
  g_auto (GStrv) labels = g_new0 (char *, self->n_entries + 1);
  glong width = 4;

  for (guint32 i = 0; i < self->n_entries; i++)
    {
      labels[i] = make_label (self->entries[i]);
      width = MAX (width, g_utf8_strlen (labels[i], -1));
    }
  if (self->n_entries == 0)
    return;
  g_string_append (text, "zone");
  append_padding (text, width - 4);
  append_cell (text, "calls/frame");
  append_cell (text, "cpu/frame");
  append_cell (text, "gpu/frame");
  g_string_append_c (text, '\n');
  for (guint32 i = 0; i < self->n_entries; i++)
    append_entry (text, self, self->entries[i], labels[i], width);
}

/**
 * sw_frame_stats_to_string:
 * @self: the statistics
 *
 * Returns the statistics as text for a terminal or a log: a line with the diagnostic counters, a line about the frames,
 * then the hierarchy of zones, indented, each with its calls and its mean time a frame.
 *
 * The mean of the GPU times is over the frames in which these are complete; without any, it is “n/a”.
 *
 * Returns: (transfer full): the text
 */
char *
sw_frame_stats_to_string (SwFrameStats *self)
{
  GString *text;

  g_return_val_if_fail (self != NULL, NULL);

  text = g_string_new (NULL);
  append_diagnostics (text, self->diagnostics);
  append_frames (text, self);
  append_hierarchy (text, self);
  return g_string_free (text, FALSE);
}

static const struct
{
  const char *name;
  double (*get) (SwDurationStatistics *self);
} duration_figures[] = {
  { "total_ms", sw_duration_statistics_get_total_ms },
  { "min_ms", sw_duration_statistics_get_min_ms },
  { "max_ms", sw_duration_statistics_get_max_ms },
  { "mean_ms", sw_duration_statistics_get_mean_ms },
  { "stddev_ms", sw_duration_statistics_get_stddev_ms },
  { "p50_ms", sw_duration_statistics_get_p50_ms },
  { "p90_ms", sw_duration_statistics_get_p90_ms },
  { "p95_ms", sw_duration_statistics_get_p95_ms },
  { "p99_ms", sw_duration_statistics_get_p99_ms },
};

static const struct
{
  const char *name;
  double (*get) (SwCallStatistics *self);
} call_figures[] = {
  { "total_ms", sw_call_statistics_get_total_ms },
  { "min_ms", sw_call_statistics_get_min_ms },
  { "max_ms", sw_call_statistics_get_max_ms },
  { "mean_ms", sw_call_statistics_get_mean_ms },
  { "stddev_ms", sw_call_statistics_get_stddev_ms },
};

static void
append_header (GString *csv)
{
  static const char *const durations[] = { "cpu_time_per_frame", "gpu_time_per_frame" };
  static const char *const calls[] = { "cpu_time_per_call", "gpu_time_per_call" };

  g_string_append (csv, "index,parent_index,depth,site_id,name");
  for (gsize k = 0; k < G_N_ELEMENTS (durations); k++)
    {
      g_string_append_printf (csv, ",%s_count", durations[k]);
      for (gsize i = 0; i < G_N_ELEMENTS (duration_figures); i++)
        g_string_append_printf (csv, ",%s_%s", durations[k], duration_figures[i].name);
    }
  for (gsize k = 0; k < G_N_ELEMENTS (calls); k++)
    {
      g_string_append_printf (csv, ",%s_count", calls[k]);
      for (gsize i = 0; i < G_N_ELEMENTS (call_figures); i++)
        g_string_append_printf (csv, ",%s_%s", calls[k], call_figures[i].name);
    }
  g_string_append (csv, "\r\n");
}

static void
append_figure (GString *csv,
               gboolean is_known,
               double value)
{
  g_string_append_c (csv, ',');
  if (is_known)
    sw_text_append_double (csv, value);
}

static void
append_durations (GString *csv,
                  SwDurationStatistics *statistics)
{
  guint64 count = sw_duration_statistics_get_count (statistics);

  g_string_append_printf (csv, ",%" G_GUINT64_FORMAT, count);
  for (gsize i = 0; i < G_N_ELEMENTS (duration_figures); i++)
    append_figure (csv, count > 0, duration_figures[i].get (statistics));
}

static void
append_calls (GString *csv,
              SwCallStatistics *statistics)
{
  guint64 count = sw_call_statistics_get_count (statistics);

  g_string_append_printf (csv, ",%" G_GUINT64_FORMAT, count);
  for (gsize i = 0; i < G_N_ELEMENTS (call_figures); i++)
    append_figure (csv, count > 0, call_figures[i].get (statistics));
}

/**
 * sw_frame_stats_to_csv:
 * @self: the statistics
 *
 * Returns the entries as CSV (RFC 4180): a line with the names of the columns, then a line for each entry.
 *
 * Figures of nothing, such as GPU times that there are none of, are empty.
 *
 * Returns: (transfer full): the text, in UTF-8
 */
char *
sw_frame_stats_to_csv (SwFrameStats *self)
{
  GString *csv;

  g_return_val_if_fail (self != NULL, NULL);

  csv = g_string_new (NULL);
  append_header (csv);
  for (guint32 i = 0; i < self->n_entries; i++)
    {
      const SwFrameStatsEntry *entry = self->entries[i];

      g_string_append_printf (csv, "%u,%d,%u,%u,", i, entry->parent_index, entry->depth, entry->site_id);
      sw_csv_append_text (csv, entry->name);
      append_durations (csv, entry->cpu_time_per_frame);
      append_durations (csv, entry->gpu_time_per_frame);
      append_calls (csv, entry->cpu_time_per_call);
      append_calls (csv, entry->gpu_time_per_call);
      g_string_append (csv, "\r\n");
    }
  return g_string_free (csv, FALSE);
}
