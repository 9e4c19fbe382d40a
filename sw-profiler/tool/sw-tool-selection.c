/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-text-private.h"
#include "sw-profiler/tool/sw-tool-trace-private.h"
#include "sw/base/sw-error.h"

void
sw_tool_selection_clear (SwToolSelection *self)
{
  g_strfreev (self->names);
  g_strfreev (self->categories);
  g_strfreev (self->threads);
  g_free (self->from);
  g_free (self->to);
  g_free (self->min_duration);
}

static gboolean
make_patterns (char **texts,
               GPtrArray **patterns,
               GError **error)
{
  g_autoptr (GPtrArray) made = NULL;

  if (texts == NULL)
    return TRUE;
  made = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_text_pattern_free);
  for (; *texts != NULL; texts++)
    {
      /* As it was typed: what the locale says of the bytes, which under C is nothing, counts only where they are no UTF-8. */
      g_autofree char *converted = g_utf8_validate (*texts, -1, NULL) ? NULL : g_locale_to_utf8 (*texts, -1, NULL, NULL, NULL);
      SwTextPattern *pattern = sw_text_pattern_new (converted != NULL ? converted : *texts, error);

      if (pattern == NULL)
        return FALSE;
      g_ptr_array_add (made, pattern);
    }
  *patterns = g_steal_pointer (&made);
  return TRUE;
}

static gboolean
parse_time (const char *option,
            const char *text,
            gint64 first_ns,
            gint64 *ns,
            GError **error)
{
  gboolean is_absolute;

  if (text == NULL)
    return TRUE;
  if (!sw_tool_parse_time (option, text, ns, &is_absolute, error))
    return FALSE;
  if (!is_absolute && __builtin_add_overflow (*ns, first_ns, ns))
    *ns = G_MAXINT64;
  return TRUE;
}

static gboolean
fill_filter (const SwToolSelection *self,
             gint64 first_ns,
             SwSliceFilter *filter,
             GError **error)
{
  gboolean is_absolute = FALSE;

  if (!make_patterns (self->names, &filter->names, error) ||
      !make_patterns (self->categories, &filter->categories, error) ||
      !make_patterns (self->threads, &filter->threads, error) ||
      !parse_time ("--from", self->from, first_ns, &filter->from_ns, error) ||
      !parse_time ("--to", self->to, first_ns, &filter->to_ns, error))
    return FALSE;
  if (self->min_duration != NULL &&
      !sw_tool_parse_time ("--min-duration", self->min_duration, &filter->min_duration_ns, &is_absolute, error))
    return FALSE;
  if (is_absolute)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--min-duration is %s, which is a time of the clock", self->min_duration);
      return FALSE;
    }
  return TRUE;
}

gboolean
sw_tool_selection_check (const SwToolSelection *self,
                         GError **error)
{
  SwSliceFilter filter;
  gboolean is_right;

  sw_slice_filter_init (&filter);
  is_right = fill_filter (self, 0, &filter, error);
  sw_slice_filter_clear (&filter);
  return is_right;
}

void
sw_tool_selection_apply (const SwToolSelection *self,
                         const SwToolTrace *trace,
                         SwSliceFilter *filter)
{
  sw_slice_filter_init (filter);
  fill_filter (self, trace->analysis->first_ns, filter, NULL);
}
