/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-backend-private.h"

/* From when on the lanes of an asynchronous track are free, as a tree: behind the root, at 1, the children of i are 2 i and 2 i + 1, the
 * leaves are the lanes, and each node is the least of what is below it. So the first free one of very many is found soon. */

static inline gint64 *
get_node (SwTraceTrack *track,
          guint i)
{
  return &g_array_index (track->free_from, gint64, i);
}

static inline guint
get_n_leaves (const SwTraceTrack *track)
{
  return track->free_from != NULL ? track->free_from->len / 2 : 0;
}

static void
sum_up (SwTraceTrack *track,
        guint node)
{
  *get_node (track, node) = MIN (*get_node (track, 2 * node), *get_node (track, 2 * node + 1));
}

static void
grow (SwTraceTrack *track)
{
  guint n_leaves = MAX (2 * get_n_leaves (track), 4);
  GArray *larger = g_array_sized_new (FALSE, FALSE, sizeof (gint64), 2 * n_leaves);

  while (n_leaves < track->lanes->len)
    n_leaves *= 2;
  g_array_set_size (larger, 2 * n_leaves);
  g_clear_pointer (&track->free_from, g_array_unref);
  track->free_from = larger;
  for (guint i = 0; i < n_leaves; i++)
    *get_node (track, n_leaves + i) =
        i < track->lanes->len ? ((const SwTraceLane *) g_ptr_array_index (track->lanes, i))->last_start : G_MAXINT64;
  for (guint node = n_leaves - 1; node > 0; node--)
    sum_up (track, node);
}

SwTraceLane *
sw_trace_track_find_free_lane (SwTraceTrack *track,
                               gint64 start_ns)
{
  guint node = 1;

  if (get_n_leaves (track) < track->lanes->len)
    grow (track);
  if (*get_node (track, node) > start_ns)
    return NULL;
  while (node < get_n_leaves (track))
    node = *get_node (track, 2 * node) <= start_ns ? 2 * node : 2 * node + 1;
  node -= get_n_leaves (track);
  return node < track->lanes->len ? g_ptr_array_index (track->lanes, node) : NULL;
}

void
sw_trace_track_occupy_lane (SwTraceTrack *track,
                            SwTraceLane *lane,
                            gint64 end_ns)
{
  lane->last_start = end_ns;
  if (get_n_leaves (track) < track->lanes->len)
    {
      grow (track);
      return;
    }
  *get_node (track, get_n_leaves (track) + lane->place) = end_ns;
  for (guint node = (get_n_leaves (track) + lane->place) / 2; node > 0; node /= 2)
    sum_up (track, node);
}
