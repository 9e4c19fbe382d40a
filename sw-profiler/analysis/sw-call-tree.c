/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-call-tree-private.h"

#include <string.h>

#include "sw-profiler/analysis/sw-slice-table-private.h"
#include "sw/base/sw-hash-private.h"

struct _SwCallTree
{
  SwTraceAnalysis *analysis;
  SwSliceFilter *filter;
  SwCallGrouping grouping;
  GArray *nodes;           /* of SwCallNode */
  GHashTable *node_by_key; /* guint64 of the parent and the name, in memory of its own -> node */
  guint32 last;            /* found last */
  guint32 group_track;     /* whose group that is */
  guint32 group;
  char *text;
};

static inline SwCallNode *
get_node (const SwCallTree *self,
          guint32 node)
{
  return &g_array_index (self->nodes, SwCallNode, node);
}

static guint32
add_node (SwCallTree *self,
          guint32 parent,
          guint32 name)
{
  SwCallNode node = { .parent = parent, .first_child = SW_CALL_TREE_NONE, .next_sibling = SW_CALL_TREE_NONE, .name = name };
  guint32 id = self->nodes->len;

  if (parent != SW_CALL_TREE_NONE)
    {
      node.depth = get_node (self, parent)->depth + 1;
      node.next_sibling = get_node (self, parent)->first_child;
      get_node (self, parent)->first_child = id;
    }
  g_array_append_val (self->nodes, node);
  return id;
}

static guint32
find_child (SwCallTree *self,
            guint32 parent,
            guint32 name)
{
  guint64 key = (guint64) parent << 32 | name;
  gpointer found;

  /* Loops call the same again. */
  if (get_node (self, self->last)->parent == parent && get_node (self, self->last)->name == name)
    return self->last;
  if (!g_hash_table_lookup_extended (self->node_by_key, &key, NULL, &found))
    {
      found = GUINT_TO_POINTER (add_node (self, parent, name));
      g_hash_table_insert (self->node_by_key, g_memdup2 (&key, sizeof key), found);
    }
  return self->last = GPOINTER_TO_UINT (found);
}

static guint32
find_group (SwCallTree *self,
            guint32 id)
{
  const SwAnalysisTrack *track = sw_trace_analysis_get_track (self->analysis, id);
  guint32 name = id;

  if (self->group_track == id)
    return self->group;
  if (self->grouping == SW_CALL_GROUP_KIND)
    {
      name = track != NULL ? track->kind : SW_TRACE_TRACK_THREAD;
      if (name != SW_TRACE_TRACK_GPU_QUEUE && name != SW_TRACE_TRACK_ASYNC)
        name = SW_TRACE_TRACK_THREAD;
    }
  self->group_track = id;
  return self->group = find_child (self, SW_CALL_TREE_ROOT, name);
}

static void
open_slice (gpointer data,
            SwNestedSlice *slice,
            const SwNestedSlice *parent)
{
  SwCallTree *self = data;
  guint32 name = sw_trace_analysis_get_label (self->analysis, slice->label)->name;

  slice->own = find_child (self, parent != NULL ? (guint32) parent->own : find_group (self, slice->track), name);
}

static void
close_slice (gpointer data,
             const SwNestedSlice *slice,
             const SwNestedSlice *parent)
{
  SwCallTree *self = data;
  SwCallNode *node = get_node (self, (guint32) slice->own);

  if (!sw_slice_filter_has_time (self->filter, slice))
    return;
  node->calls++;
  node->self_ns = sw_add_saturated (node->self_ns, sw_nested_slice_get_self_ns (slice));
}

static gboolean
wants_track (gpointer data,
             guint32 track)
{
  SwCallTree *self = data;

  return sw_slice_filter_has_track (self->filter, self->analysis, track);
}

/* From self times, children before parents, so that they add up also where a time range cuts a path. */
static void
sum_totals (SwCallTree *self)
{
  for (guint32 i = self->nodes->len; i-- > 0;)
    {
      SwCallNode *node = get_node (self, i);

      node->total_ns = sw_add_saturated (node->total_ns, node->self_ns);
      if (node->parent == SW_CALL_TREE_NONE)
        continue;
      get_node (self, node->parent)->total_ns = sw_add_saturated (get_node (self, node->parent)->total_ns, node->total_ns);
      /* A group, and the root, are as often as what is in them. */
      if (node->depth <= 2)
        get_node (self, node->parent)->calls += node->calls;
    }
}

/* What a filter left nothing of; children first, so that all that is empty goes. */
static void
drop_empty (SwCallTree *self)
{
  for (guint32 i = self->nodes->len; i-- > 0;)
    {
      guint32 *place = &get_node (self, i)->first_child;

      while (*place != SW_CALL_TREE_NONE)
        {
          SwCallNode *child = get_node (self, *place);

          if (child->calls == 0 && child->total_ns == 0 && child->first_child == SW_CALL_TREE_NONE)
            *place = child->next_sibling;
          else
            place = &child->next_sibling;
        }
    }
}

SwCallTree *
sw_call_tree_new (SwTraceAnalysis *analysis,
                  SwSliceFilter *filter,
                  SwCallGrouping grouping,
                  GError **error)
{
  static const SwNestingVisitor visitor = { open_slice, close_slice };
  g_autoptr (SwCallTree) self = g_new0 (SwCallTree, 1);

  self->analysis = analysis;
  self->filter = filter;
  self->grouping = grouping;
  self->nodes = g_array_new (FALSE, FALSE, sizeof (SwCallNode));
  self->node_by_key = g_hash_table_new_full (sw_hash_int64, g_int64_equal, g_free, NULL);
  self->group_track = G_MAXUINT32;
  add_node (self, SW_CALL_TREE_NONE, 0);
  if (!sw_trace_analysis_visit (analysis, wants_track, &visitor, self, error))
    return NULL;
  sum_totals (self);
  drop_empty (self);
  return g_steal_pointer (&self);
}

void
sw_call_tree_free (SwCallTree *self)
{
  g_array_unref (self->nodes);
  g_hash_table_unref (self->node_by_key);
  g_free (self->text);
  g_free (self);
}

static int
compare_children (gconstpointer a,
                  gconstpointer b,
                  gpointer data)
{
  SwCallTree *self = data;
  const SwCallNode *x = get_node (self, *(const guint32 *) a);
  const SwCallNode *y = get_node (self, *(const guint32 *) b);

  if (x->total_ns != y->total_ns)
    return x->total_ns > y->total_ns ? -1 : 1;
  if (x->depth == 1)
    return (x->name > y->name) - (x->name < y->name);
  return strcmp (sw_trace_analysis_get_text (self->analysis, x->name), sw_trace_analysis_get_text (self->analysis, y->name));
}

static void
sort_children (SwCallTree *self,
               guint32 parent,
               GArray *children)
{
  guint32 next = SW_CALL_TREE_NONE;

  g_array_set_size (children, 0);
  for (guint32 child = get_node (self, parent)->first_child; child != SW_CALL_TREE_NONE; child = get_node (self, child)->next_sibling)
    g_array_append_val (children, child);
  if (children->len < 2)
    return;
  g_qsort_with_data (children->data, (gint) children->len, sizeof (guint32), compare_children, self);
  for (guint i = children->len; i-- > 0;)
    {
      guint32 child = g_array_index (children, guint32, i);

      get_node (self, child)->next_sibling = next;
      next = child;
    }
  get_node (self, parent)->first_child = next;
}

void
sw_call_tree_sort (SwCallTree *self)
{
  g_autoptr (GArray) children = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < self->nodes->len; i++)
    sort_children (self, i, children);
}

guint32
sw_call_tree_get_n_nodes (const SwCallTree *self)
{
  return self->nodes->len;
}

const SwCallNode *
sw_call_tree_get_node (const SwCallTree *self,
                       guint32 node)
{
  return get_node (self, node);
}

static const char *
get_group_text (SwCallTree *self,
                guint32 name)
{
  const SwAnalysisTrack *track;

  if (self->grouping == SW_CALL_GROUP_KIND)
    return name == SW_TRACE_TRACK_GPU_QUEUE ? "GPU queues" : name == SW_TRACE_TRACK_ASYNC ? "asynchronous"
                                                                                          : "threads";
  track = sw_trace_analysis_get_track (self->analysis, name);
  if (track != NULL && track->name != NULL && *track->name != '\0')
    return track->name;
  g_free (self->text);
  return self->text = g_strdup_printf ("%" G_GINT64_FORMAT, track != NULL ? track->id : 0);
}

const char *
sw_call_tree_get_text (SwCallTree *self,
                       guint32 node)
{
  if (node == SW_CALL_TREE_ROOT)
    return "";
  if (get_node (self, node)->depth == 1)
    return get_group_text (self, get_node (self, node)->name);
  return sw_trace_analysis_get_text (self->analysis, get_node (self, node)->name);
}

guint32
sw_call_tree_next (const SwCallTree *self,
                   guint32 node,
                   gboolean skip_children)
{
  if (!skip_children && get_node (self, node)->first_child != SW_CALL_TREE_NONE)
    return get_node (self, node)->first_child;
  while (node != SW_CALL_TREE_NONE && get_node (self, node)->next_sibling == SW_CALL_TREE_NONE)
    node = get_node (self, node)->parent;
  return node == SW_CALL_TREE_NONE ? node : get_node (self, node)->next_sibling;
}
