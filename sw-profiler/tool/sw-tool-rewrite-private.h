/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/tool/sw-tool-source-private.h"

G_BEGIN_DECLS

/* What the form that is written has no place for. */
typedef struct
{
  guint64 n_elsewhere;     /* events on tracks that hold no such events */
  guint64 n_not_finite;
  guint64 n_async_flows;
  guint64 n_numbers;       /* of processes and threads */
  guint64 n_sessions;
  guint64 n_moved, n_lost; /* slices that overlap */
  gint64 negative_ns;
} SwToolLosses;

typedef struct
{
  GPtrArray *sources; /* of SwToolSource */
  SwTraceFormat format;
  SwTraceWriter *writer;
  gint64 offset_ns; /* that is added to all times */
  guint32 interrupted;
  GArray *args;  /* of SwTraceArg */
  GArray *flows; /* of SwTraceFlow */
  GHashTable *begun_flows; /* of guint64 */
  SwToolLosses losses;
} SwToolRewrite;

/* The next event in order. */
void sw_tool_rewrite_put (SwToolRewrite *self,
                          SwSortedEvent *event);

G_END_DECLS
