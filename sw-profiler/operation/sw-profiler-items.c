/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A completed Profiler as a list of its events. */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-items-private.h"

#include <pthread.h>

#include "sw-profiler/operation/sw-profiler-private.h"

struct _SwProfilerItems
{
  pthread_mutex_t lock;
  GHashTable *refs; /* id -> GWeakRef of an item */
};

static void
free_ref (gpointer ref)
{
  g_weak_ref_clear (ref);
  g_free (ref);
}

SwProfilerItems *
sw_profiler_items_new (void)
{
  SwProfilerItems *self = g_new (SwProfilerItems, 1);

  pthread_mutex_init (&self->lock, NULL);
  self->refs = g_hash_table_new_full (NULL, NULL, NULL, free_ref);
  return self;
}

void
sw_profiler_items_free (SwProfilerItems *self)
{
  g_hash_table_unref (self->refs);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static gpointer
id_to_key (gint64 id)
{
  return GSIZE_TO_POINTER ((gsize) id);
}

/* A reference to the item with this id, if there is one. The lock is held. */
static SwProfilerEventItem *
find_item (SwProfilerItems *self,
           gint64 id)
{
  GWeakRef *ref = g_hash_table_lookup (self->refs, id_to_key (id));

  return ref != NULL ? g_weak_ref_get (ref) : NULL;
}

static void
put_item (SwProfilerItems *self,
          gint64 id,
          SwProfilerEventItem *item)
{
  GWeakRef *ref = g_hash_table_lookup (self->refs, id_to_key (id));

  if (ref != NULL)
    {
      /* Its item is just going, on another thread. */
      g_weak_ref_set (ref, item);
      return;
    }
  ref = g_new (GWeakRef, 1);
  g_weak_ref_init (ref, item);
  g_hash_table_insert (self->refs, id_to_key (id), ref);
}

void
sw_profiler_items_forget (SwProfilerItems *self,
                          gint64 id)
{
  SwProfilerEventItem *item;

  pthread_mutex_lock (&self->lock);
  /* Another one may have taken the place already. */
  item = find_item (self, id);
  if (item == NULL)
    g_hash_table_remove (self->refs, id_to_key (id));
  pthread_mutex_unlock (&self->lock);
  g_clear_object (&item);
}

static SwProfilerEventItem *
get_known_item (SwProfilerItems *self,
                gint64 id)
{
  SwProfilerEventItem *item;

  pthread_mutex_lock (&self->lock);
  item = find_item (self, id);
  pthread_mutex_unlock (&self->lock);
  return item;
}

/* The item that is to be had for the id: @item, which this takes, or one that another thread made meanwhile. */
static SwProfilerEventItem *
add_item (SwProfilerItems *self,
          gint64 id,
          SwProfilerEventItem *item)
{
  SwProfilerEventItem *known;

  pthread_mutex_lock (&self->lock);
  known = find_item (self, id);
  if (known == NULL)
    put_item (self, id, item);
  pthread_mutex_unlock (&self->lock);
  if (known == NULL)
    return item;
  g_object_unref (item);
  return known;
}

static gpointer
get_item (GListModel *list,
          guint position)
{
  SwProfiler *self = SW_PROFILER (list);
  const SwEventSource *source = sw_profiler_get_source (self, NULL);
  g_autoptr (SwProfilerEvent) event = NULL;
  SwProfilerEventItem *known;

  if (source == NULL || position >= source->n_events)
    return NULL;
  known = get_known_item (sw_profiler_get_items (self), position);
  if (known != NULL)
    return known;
  event = sw_event_source_dup_event (source, position);
  return add_item (sw_profiler_get_items (self), position, sw_profiler_event_item_new (self, event));
}

static GType
get_item_type (GListModel *list)
{
  return SW_TYPE_PROFILER_EVENT_ITEM;
}

static guint
get_n_items (GListModel *list)
{
  const SwEventSource *source = sw_profiler_get_source (SW_PROFILER (list), NULL);

  return source != NULL ? (guint) source->n_events : 0;
}

void
sw_profiler_init_list_model (GListModelInterface *iface)
{
  iface->get_item = get_item;
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
}
