/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-call-tree-private.h"
#include "sw-profiler/tool/sw-tool-trace-private.h"

G_BEGIN_DECLS

/* What a flame graph shows. A browser draws some ten thousand nodes at once, and loads some hundred thousand slices: of larger traces, what
 * takes the least time is left out, and said. */
typedef struct
{
  const SwToolTrace *trace;
  SwSliceFilter *filter;
  SwCallTree *tree; /* sorted */
  const char *title;
  GPtrArray *notes; /* sentences; whoever leaves something out adds one */
} SwFlame;

#define SW_FLAME_MAX_NODES 50000
#define SW_FLAME_MAX_SLICES 200000

/* What a node takes at least of the time of all to be shown, so that no more than @max_nodes are. *@n_hidden: how many are not. */
gint64 sw_flame_find_limit (const SwCallTree *tree,
                            guint max_nodes,
                            gint64 at_least,
                            guint64 *n_hidden);
/* "3 paths that take less than …": a note. */
void sw_flame_note_hidden (SwFlame *self,
                           guint64 n_hidden,
                           gint64 limit_ns);
/* One of the parts of the pages, which are in the program. */
const char *sw_flame_get_part (const char *name);

/* A page with a flame graph of the paths that take @min_ns at least, and a timeline. Fails with IO. */
gboolean sw_flame_put_page (SwFlame *self,
                            gint64 min_ns,
                            GString *page,
                            GError **error);
/* A picture with such a flame graph, which a script in it makes searchable. */
void sw_flame_put_svg (SwFlame *self,
                       gint64 min_ns,
                       GString *svg);

G_END_DECLS
