/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-event-source-private.h"

#include "sw-profiler/operation/sw-event-slab-private.h"
#include "sw-profiler/operation/sw-input-shapes-private.h"
#include "sw-profiler/operation/sw-profiler-event-private.h"
#include "sw-profiler/operation/sw-type-name.h"

const char *
sw_event_site_get_carrier_name (const SwEventSite *self)
{
  return self->carrier_name != NULL ? self->carrier_name : sw_profiler_get_type_name (self->carrier_type);
}

const char *
sw_event_site_get_implementation_name (const SwEventSite *self)
{
  return self->implementation_name != NULL ? self->implementation_name : sw_profiler_get_type_name (self->implementation_type);
}

/* Makes events of rows. References to what the events share are counted here and taken all at once in the end: one
 * atomic operation for a site, not two for an event. */
typedef struct
{
  const SwEventSource *source;
  SwEventSlab *slab;       /* the one that is being filled, or NULL */
  SwEventOrigin **origins; /* by site */
  guint *n_shape_uses;     /* by shapes */
} EventMaker;

static void
event_maker_init (EventMaker *self,
                  const SwEventSource *source)
{
  self->source = source;
  self->slab = NULL;
  self->origins = g_new0 (SwEventOrigin *, source->n_sites);
  self->n_shape_uses = g_new0 (guint, source->n_shapes);
}

static void
event_maker_finish (EventMaker *self)
{
  for (gsize i = 0; i < self->source->n_shapes; i++)
    {
      if (self->n_shape_uses[i] > 0)
        sw_input_shapes_ref_many (self->source->shapes[i], self->n_shape_uses[i]);
    }
  g_clear_pointer (&self->slab, sw_event_slab_finish);
  g_free (self->n_shape_uses);
  g_free (self->origins);
}

static SwEventOrigin *
new_origin (const SwEventSource *source,
            guint32 site)
{
  const SwEventSite *info = &source->sites[site];

  return sw_event_origin_new_named (info->name, info->carrier_type, info->implementation_type,
                                    info->carrier_name, info->implementation_name, source->thread_id);
}

static SwEventOrigin *
event_maker_add_origin (EventMaker *self,
                        guint32 site)
{
  self->origins[site] = new_origin (self->source, site);
  return self->origins[site];
}

static SwInputShapes *
event_maker_use_shapes (EventMaker *self,
                        guint32 id)
{
  if (id == 0)
    return NULL;
  self->n_shape_uses[id]++;
  return self->source->shapes[id];
}

static SwProfilerEvent *
event_maker_allocate_elsewhere (EventMaker *self,
                                gsize id)
{
  SwProfilerEvent *event;

  g_clear_pointer (&self->slab, sw_event_slab_finish);
  self->slab = sw_event_slab_new (self->source->n_events - id);
  event = self->slab != NULL ? sw_event_slab_take (self->slab) : g_new (SwProfilerEvent, 1);
  event->slab = self->slab;
  return event;
}

static inline SwProfilerEvent *
event_maker_allocate (EventMaker *self,
                      gsize id)
{
  SwProfilerEvent *event = self->slab != NULL ? sw_event_slab_take (self->slab) : NULL;

  if (G_UNLIKELY (event == NULL))
    return event_maker_allocate_elsewhere (self, id);
  event->slab = self->slab;
  return event;
}

/* All fields but the slab. The references to @origin and @shapes are the caller's to take. */
static inline SwProfilerEvent *
fill_event (SwProfilerEvent *event,
            const SwEventBlock *block,
            gsize i,
            SwEventOrigin *origin,
            SwInputShapes *shapes)
{
  guint32 parent = block->parent[i];

  event->ref_count = 1;
  event->succeeded = (block->site[i] & SW_EVENT_FAILED) == 0;
  event->origin = origin;
  event->input_shapes = shapes;
  event->id = (gint64) (block->first + i);
  event->parent_id = parent == SW_EVENT_NO_PARENT ? -1 : (gint64) parent;
  event->start_time_ns = block->start_ns[i];
  event->duration_ns = block->duration_ns[i];
  event->self_time_ns = block->self_ns[i];
  return event;
}

static inline SwProfilerEvent *
event_maker_make (EventMaker *self,
                  const SwEventBlock *block,
                  gsize i)
{
  guint32 site = block->site[i] & ~SW_EVENT_FAILED;
  SwEventOrigin *origin = self->origins[site];

  if (G_UNLIKELY (origin == NULL))
    origin = event_maker_add_origin (self, site);
  origin->ref_count++;
  return fill_event (event_maker_allocate (self, block->first + i), block, i, origin,
                     block->shapes != NULL ? event_maker_use_shapes (self, block->shapes[i]) : NULL);
}

GPtrArray *
sw_event_source_dup_events (const SwEventSource *self)
{
  GPtrArray *events = g_ptr_array_new_full (self->n_events, (GDestroyNotify) sw_profiler_event_unref);
  EventMaker maker;

  g_ptr_array_set_size (events, self->n_events);
  event_maker_init (&maker, self);
  for (gsize k = 0; k < self->n_blocks; k++)
    {
      SwEventBlock block;

      self->get_block (self->data, k, &block);
      for (gsize i = 0; i < block.n; i++)
        events->pdata[block.first + i] = event_maker_make (&maker, &block, i);
    }
  event_maker_finish (&maker);
  return events;
}

/* Finds the block with event @id, which exists. */
static void
find_block (const SwEventSource *self,
            gsize id,
            SwEventBlock *block)
{
  gsize low = 0;
  gsize high = self->n_blocks;

  while (high - low > 1)
    {
      gsize middle = low + (high - low) / 2;

      self->get_block (self->data, middle, block);
      if (block->first <= id)
        low = middle;
      else
        high = middle;
    }
  self->get_block (self->data, low, block);
}

SwProfilerEvent *
sw_event_source_dup_event (const SwEventSource *self,
                           gsize id)
{
  SwEventOrigin *origin;
  SwInputShapes *shapes = NULL;
  SwProfilerEvent *event;
  SwEventBlock block;
  gsize i;

  g_return_val_if_fail (id < self->n_events, NULL);

  find_block (self, id, &block);
  i = id - block.first;
  origin = new_origin (self, block.site[i] & ~SW_EVENT_FAILED);
  origin->ref_count = 1;
  if (block.shapes != NULL && block.shapes[i] != 0)
    shapes = sw_input_shapes_ref (self->shapes[block.shapes[i]]);
  event = g_new (SwProfilerEvent, 1);
  event->slab = NULL;
  return fill_event (event, &block, i, origin, shapes);
}
