/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-slice-filter-private.h"

#include <string.h>

#include "sw/base/sw-error.h"

struct _SwTextPattern
{
  GPatternSpec *glob;
  GRegex *regex;
};

enum
{
  UNKNOWN,
  NO,
  YES,
};

SwTextPattern *
sw_text_pattern_new (const char *text,
                     GError **error)
{
  gsize length = strlen (text);
  g_autofree char *expression = NULL;
  g_autoptr (GError) failure = NULL;
  SwTextPattern *self;

  if (!g_utf8_validate (text, -1, NULL))
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_VALUE, "the pattern is not UTF-8");
      return NULL;
    }
  self = g_new0 (SwTextPattern, 1);
  if (length < 2 || text[0] != '/' || text[length - 1] != '/')
    {
      self->glob = g_pattern_spec_new (text);
      return self;
    }
  expression = g_strndup (text + 1, length - 2);
  self->regex = g_regex_new (expression, G_REGEX_OPTIMIZE, 0, &failure);
  if (self->regex == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the pattern %s: %s", text, failure->message);
      sw_text_pattern_free (self);
      return NULL;
    }
  return self;
}

void
sw_text_pattern_free (SwTextPattern *self)
{
  g_clear_pointer (&self->glob, g_pattern_spec_free);
  g_clear_pointer (&self->regex, g_regex_unref);
  g_free (self);
}

gboolean
sw_text_pattern_matches (const SwTextPattern *self,
                         const char *text)
{
  if (self->regex != NULL)
    return g_regex_match (self->regex, text, 0, NULL);
  return g_pattern_spec_match_string (self->glob, text);
}

void
sw_slice_filter_init (SwSliceFilter *self)
{
  *self = (SwSliceFilter){
    .from_ns = G_MININT64,
    .to_ns = G_MAXINT64,
    .by_label = g_array_new (FALSE, TRUE, 1),
    .by_track = g_array_new (FALSE, TRUE, 1),
  };
}

void
sw_slice_filter_clear (SwSliceFilter *self)
{
  g_clear_pointer (&self->names, g_ptr_array_unref);
  g_clear_pointer (&self->categories, g_ptr_array_unref);
  g_clear_pointer (&self->threads, g_ptr_array_unref);
  g_array_unref (self->by_label);
  g_array_unref (self->by_track);
}

void
sw_slice_filter_forget (SwSliceFilter *self)
{
  g_array_set_size (self->by_label, 0);
  g_array_set_size (self->by_track, 0);
}

static gboolean
matches_any (GPtrArray *patterns,
             const char *text)
{
  for (guint i = 0; i < patterns->len; i++)
    if (sw_text_pattern_matches (g_ptr_array_index (patterns, i), text))
      return TRUE;
  return FALSE;
}

static guint8 *
get_known (GArray *known,
           guint32 id)
{
  if (id >= known->len)
    g_array_set_size (known, id + 1);
  return &g_array_index (known, guint8, id);
}

gboolean
sw_slice_filter_has_label (SwSliceFilter *self,
                           SwTraceAnalysis *analysis,
                           guint32 id)
{
  guint8 *known;

  if (self->names == NULL && self->categories == NULL)
    return TRUE;
  known = get_known (self->by_label, id);
  if (*known == UNKNOWN)
    {
      const SwTraceLabel *label = sw_trace_analysis_get_label (analysis, id);
      gboolean has_name = self->names == NULL || matches_any (self->names, sw_trace_analysis_get_text (analysis, label->name));
      gboolean has_category = self->categories == NULL || matches_any (self->categories, sw_trace_analysis_get_text (analysis, label->category));

      *known = has_name && has_category ? YES : NO;
    }
  return *known == YES;
}

static gboolean
matches_track (SwSliceFilter *self,
               SwTraceAnalysis *analysis,
               guint32 id)
{
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (analysis, id);
  g_autofree char *number = NULL;

  if (track == NULL)
    return FALSE;
  number = g_strdup_printf ("%" G_GINT64_FORMAT, track->id);
  return matches_any (self->threads, number) || (track->name != NULL && matches_any (self->threads, track->name));
}

gboolean
sw_slice_filter_has_track (SwSliceFilter *self,
                           SwTraceAnalysis *analysis,
                           guint32 track)
{
  guint8 *known;

  if (self->threads == NULL)
    return TRUE;
  known = get_known (self->by_track, track);
  if (*known == UNKNOWN)
    *known = matches_track (self, analysis, track) ? YES : NO;
  return *known == YES;
}
