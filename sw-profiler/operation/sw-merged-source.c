/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-merged-source-private.h"

struct _SwMergedSource
{
  SwEventSource source;
  GArray *blocks; /* of SwEventBlock: times of the sources, numbers of one's own */
  GArray *sites;  /* of SwEventSite */
  GPtrArray *shapes;
  GPtrArray *columns; /* what the blocks point to */
};

/* @numbers moved by @base, whose 0 may stand for none. */
static const guint32 *
renumber (SwMergedSource *self,
          const guint32 *numbers,
          gsize n,
          guint32 base,
          gboolean zero_is_none)
{
  guint32 *column = g_new (guint32, n + 1);

  for (gsize i = 0; i < n; i++)
    column[i] = zero_is_none && numbers[i] == 0 ? 0 : numbers[i] + base;
  g_ptr_array_add (self->columns, column);
  return column;
}

static void
add_block (SwMergedSource *self,
           const SwEventSource *from,
           gsize index)
{
  SwEventBlock block;

  from->get_block (from->data, index, &block);
  block.first = self->source.n_events;
  /* The bit of a failed event stays where it is, as no sum of two numbers reaches it. */
  block.site = renumber (self, block.site, block.n, self->sites->len, FALSE);
  if (block.shapes != NULL)
    block.shapes = renumber (self, block.shapes, block.n, self->shapes->len, TRUE);
  g_array_append_val (self->blocks, block);
  self->source.n_events += block.n;
}

static void
add_source (SwMergedSource *self,
            const SwEventSource *from)
{
  for (gsize i = 0; i < from->n_blocks; i++)
    add_block (self, from, i);
  g_array_append_vals (self->sites, from->sites, from->n_sites);
  for (gsize i = 0; i < from->n_shapes; i++)
    g_ptr_array_add (self->shapes, from->shapes[i]);
  self->source.n_dropped += from->n_dropped;
  self->source.n_clock_faults += from->n_clock_faults;
}

static void
get_block (gconstpointer data,
           gsize index,
           SwEventBlock *block)
{
  const SwMergedSource *self = data;

  *block = g_array_index (self->blocks, SwEventBlock, index);
}

SwMergedSource *
sw_merged_source_new (const SwEventSource *const *sources,
                      gsize n_sources)
{
  SwMergedSource *self = g_new0 (SwMergedSource, 1);

  self->blocks = g_array_new (FALSE, FALSE, sizeof (SwEventBlock));
  self->sites = g_array_new (FALSE, FALSE, sizeof (SwEventSite));
  self->shapes = g_ptr_array_new ();
  self->columns = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; i < n_sources; i++)
    add_source (self, sources[i]);

  self->source.n_blocks = self->blocks->len;
  self->source.get_block = get_block;
  self->source.data = self;
  self->source.sites = (const SwEventSite *) (gpointer) self->sites->data;
  self->source.n_sites = self->sites->len;
  self->source.shapes = (SwInputShapes *const *) self->shapes->pdata;
  self->source.n_shapes = self->shapes->len;
  return self;
}

void
sw_merged_source_free (SwMergedSource *self)
{
  g_array_unref (self->blocks);
  g_array_unref (self->sites);
  g_ptr_array_unref (self->shapes);
  g_ptr_array_unref (self->columns);
  g_free (self);
}

const SwEventSource *
sw_merged_source_get_source (SwMergedSource *self)
{
  return &self->source;
}
