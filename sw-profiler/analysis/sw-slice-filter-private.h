/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-trace-analysis-private.h"

G_BEGIN_DECLS

/* Which slices count. It says nothing of how they nest: what is inside of what, and so self times, are always those of all slices. */
typedef struct
{
  GPtrArray *names;      /* of SwTextPattern; any of them; NULL: all */
  GPtrArray *categories; /* the same */
  GPtrArray *threads;    /* the same, of the names and numbers of tracks */
  gint64 from_ns;        /* a slice counts when it is in that time for a part of it, as a whole then. One of no length is a moment */
  gint64 to_ns;          /* which it is before */
  gint64 min_duration_ns;
  GArray *by_label; /* of guint8, what was found out */
  GArray *by_track;
} SwSliceFilter;

typedef struct _SwTextPattern SwTextPattern;

/* A glob of * and ?, or a regular expression between slashes. Fails with VALUE. */
SwTextPattern *sw_text_pattern_new (const char *text,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sw_text_pattern_free (SwTextPattern *self);
gboolean sw_text_pattern_matches (const SwTextPattern *self,
                                  const char *text);

/* Lets everything pass. */
void sw_slice_filter_init (SwSliceFilter *self);
void sw_slice_filter_clear (SwSliceFilter *self);
/* To use it for another trace. */
void sw_slice_filter_forget (SwSliceFilter *self);
gboolean sw_slice_filter_has_label (SwSliceFilter *self,
                                    SwTraceAnalysis *analysis,
                                    guint32 label);
gboolean sw_slice_filter_has_track (SwSliceFilter *self,
                                    SwTraceAnalysis *analysis,
                                    guint32 track);

static inline gboolean
sw_slice_filter_has_time (const SwSliceFilter *self,
                          const SwNestedSlice *slice)
{
  gint64 end_ns = slice->start_ns + slice->duration_ns;

  return slice->start_ns < self->to_ns && (end_ns > self->from_ns || slice->start_ns >= self->from_ns);
}

G_END_DECLS
