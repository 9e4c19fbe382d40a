/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-slice-filter-private.h"

G_BEGIN_DECLS

/* The slices of a trace by path: a node for each sequence of names from an outermost slice down. It is what a call tree, a flame
 * graph and folded stacks show.
 *
 * Node 0 is the root. Its children are groups: one for each kind of track, or for each track, in the order of sw-trace-analysis.
 * Theirs are the outermost slices. A node's total is its self time and the totals of its children, exactly. */
typedef struct _SwCallTree SwCallTree;

#define SW_CALL_TREE_ROOT 0
#define SW_CALL_TREE_NONE G_MAXUINT32

typedef enum {
  SW_CALL_GROUP_KIND,  /* threads together, GPU queues together, asynchronous tracks together */
  SW_CALL_GROUP_TRACK,
} SwCallGrouping;

typedef struct
{
  guint32 parent;
  guint32 first_child; /* children: in the order in which they were found, until they are sorted */
  guint32 next_sibling;
  guint32 name;        /* of a group: the kind as SwTraceTrackKind, or the track */
  guint32 depth;       /* of groups: 1 */
  guint64 calls;
  gint64 total_ns;
  gint64 self_ns;
} SwCallNode;

/* A pass over all slices of the filter's threads. Of its other conditions only the time counts: a path has all its names. Fails with
 * IO. */
SwCallTree *sw_call_tree_new (SwTraceAnalysis *analysis,
                              SwSliceFilter *filter,
                              SwCallGrouping grouping,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void sw_call_tree_free (SwCallTree *self);
/* Children by descending totals; of equal ones, by name. */
void sw_call_tree_sort (SwCallTree *self);
guint32 sw_call_tree_get_n_nodes (const SwCallTree *self);
const SwCallNode *sw_call_tree_get_node (const SwCallTree *self,
                                         guint32 node);
/* The name of a slice, or that of a group. */
const char *sw_call_tree_get_text (SwCallTree *self,
                                   guint32 node);
/* The node that comes after @node when parents come before their children and siblings in their order, which passes over all of the tree
 * without recursion; with @skip_children, after what is below it. SW_CALL_TREE_NONE at the end. */
guint32 sw_call_tree_next (const SwCallTree *self,
                           guint32 node,
                           gboolean skip_children);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwCallTree, sw_call_tree_free)

G_END_DECLS
