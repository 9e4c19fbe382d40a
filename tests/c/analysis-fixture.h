/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>
#include <strideweave.h>

#include "sw-profiler/analysis/sw-trace-analysis-private.h"

/* Feeds an analysis as a reader does: texts are interned by their bytes. */
typedef struct
{
  SwTraceNames names;
  SwTraceAnalysis *analysis;
} Fixture;

static const SwTraceName *
fixture_name (gpointer data,
              guint32 id)
{
  return sw_trace_names_get (data, id);
}

static inline void
fixture_init (Fixture *self,
              gsize budget)
{
  sw_trace_names_init (&self->names);
  self->analysis = sw_trace_analysis_new (fixture_name, &self->names, budget);
}

static inline void
fixture_clear (Fixture *self)
{
  sw_trace_analysis_free (self->analysis);
  sw_trace_names_clear (&self->names);
}

static inline void
fixture_track (Fixture *self,
               guint32 id,
               SwTraceTrackKind kind,
               const char *name)
{
  SwTraceTrackInfo info = { kind, SW_TRACE_ORDER_END, 0, SW_TRACE_NO_RANK, 100 + id, name, NULL };

  sw_trace_analysis_visitor.track (self->analysis, id, &info);
}

static inline guint32
fixture_intern (Fixture *self,
                const char *text)
{
  return sw_trace_names_intern (&self->names, text, strlen (text));
}

static inline void
fixture_slice (Fixture *self,
               guint32 track,
               const char *name,
               const char *category,
               gint64 start_ns,
               gint64 duration_ns,
               gint32 depth,
               guint flags)
{
  SwTraceReadSlice read = {
    .slice = {
      .track = track,
      .name = fixture_intern (self, name),
      .category = fixture_intern (self, category),
      .depth = depth,
      .start_ns = start_ns,
      .duration_ns = duration_ns,
    },
    .flags = flags,
  };

  sw_trace_analysis_visitor.slice (self->analysis, &read);
}

static inline void
fixture_finish (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_trace_analysis_finish (self->analysis, &error));
  g_assert_no_error (error);
}
