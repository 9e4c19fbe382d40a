/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-composite-collector.h"

#include <string.h>

#include "sw-profiler/trace/sw-collector-private.h"
#include "sw-profiler/trace/sw-cupti-collector.h"
#include "sw-profiler/trace/sw-trace-core-private.h"
#include "sw/base/sw-error.h"

/**
 * SwCompositeCollector:
 *
 * Passes each event to several collectors, which are given once and for all, in their order.
 *
 * A collector that fails keeps no event from the others: it counts what it drops, and keeps its error until the next flush or
 * close, which does its work with all of them and then reports what failed. Where only one did, the error is that
 * collector's own; else it is the first one's, with the messages of all. To close a composite closes all of its collectors,
 * and every context stops to record into those.
 *
 * The events that a composite counts as taken are those that at least one of its collectors took. Collectors may be
 * composites themselves, and may at the same time be those of other contexts; none is twice in one.
 */
struct _SwCompositeCollector
{
  SwCollector parent_instance;

  GPtrArray *collectors; /* does not change */
};

G_DEFINE_FINAL_TYPE (SwCompositeCollector, sw_composite_collector, SW_TYPE_COLLECTOR)

static SwCollector *
get_collector (SwCompositeCollector *self,
               guint i)
{
  return g_ptr_array_index (self->collectors, i);
}

static void
take_many (SwCollector *collector,
           const SwTraceRecord *records,
           gsize n_records,
           gboolean *is_taken)
{
  SwCompositeCollector *self = SW_COMPOSITE_COLLECTOR (collector);
  gboolean is_taken_there[SW_COLLECTOR_MAX_BATCH];

  memset (is_taken, 0, n_records * sizeof *is_taken);
  for (guint i = 0; i < self->collectors->len; i++)
    {
      sw_collector_take_many (get_collector (self, i), records, n_records, is_taken_there);
      for (gsize k = 0; k < n_records; k++)
        is_taken[k] |= is_taken_there[k];
    }
}

static void
attach (SwCollector *collector,
        const SwTraceSession *session)
{
  SwCompositeCollector *self = SW_COMPOSITE_COLLECTOR (collector);

  for (guint i = 0; i < self->collectors->len; i++)
    sw_collector_attach (get_collector (self, i), session);
}

static gboolean
tick (SwCollector *collector,
      GError **error)
{
  SwCompositeCollector *self = SW_COMPOSITE_COLLECTOR (collector);

  for (guint i = 0; i < self->collectors->len; i++)
    sw_collector_tick (get_collector (self, i));
  return TRUE;
}

static void
count_lost (SwCollector *collector,
            guint64 n)
{
  SwCompositeCollector *self = SW_COMPOSITE_COLLECTOR (collector);

  for (guint i = 0; i < self->collectors->len; i++)
    sw_collector_count_lost (get_collector (self, i), n);
}

static void
forget (SwCollector *collector)
{
  SwCompositeCollector *self = SW_COMPOSITE_COLLECTOR (collector);

  for (guint i = 0; i < self->collectors->len; i++)
    sw_collector_forget (get_collector (self, i));
}

static guint
get_live (SwCollector *collector)
{
  SwCompositeCollector *self = SW_COMPOSITE_COLLECTOR (collector);
  guint live = 0;

  for (guint i = 0; i < self->collectors->len; i++)
    live |= sw_collector_get_live (get_collector (self, i));
  return live;
}

static void
set_level (SwCollector *collector,
           gconstpointer context,
           guint level)
{
  SwCompositeCollector *self = SW_COMPOSITE_COLLECTOR (collector);

  for (guint i = 0; i < self->collectors->len; i++)
    sw_collector_set_level (get_collector (self, i), context, level);
}

static void
set_errors (GError **error,
            GPtrArray *failures,
            guint n_collectors,
            const char *messages)
{
  GError *first = g_ptr_array_index (failures, 0);

  if (failures->len == 1)
    g_propagate_error (error, g_error_copy (first));
  else
    g_set_error (error, SW_ERROR, first->domain == SW_ERROR ? first->code : SW_ERROR_FOREIGN, "%u of %u collectors failed: %s",
                 failures->len, n_collectors, messages);
}

static gboolean
call_each (SwCollector *collector,
           gboolean (*function) (SwCollector *self, GError **error),
           GError **error)
{
  SwCompositeCollector *self = SW_COMPOSITE_COLLECTOR (collector);
  g_autoptr (GPtrArray) failures = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  g_autoptr (GString) messages = g_string_new (NULL);

  for (guint i = 0; i < self->collectors->len; i++)
    {
      GError *failure = NULL;

      if (function (get_collector (self, i), &failure))
        continue;
      g_string_append_printf (messages, "%s%s: %s", failures->len > 0 ? "; " : "",
                              G_OBJECT_TYPE_NAME (get_collector (self, i)), failure->message);
      g_ptr_array_add (failures, failure);
    }
  if (failures->len > 0)
    set_errors (error, failures, self->collectors->len, messages->str);
  return failures->len == 0;
}

static gboolean
flush (SwCollector *collector,
       GError **error)
{
  return call_each (collector, sw_collector_flush, error);
}

static gboolean
finish (SwCollector *collector,
        GError **error)
{
  return call_each (collector, sw_collector_close, error);
}

/* Adds a collector, and all that it passes events to. FALSE: one is there already. */
static gboolean
add_to_set (GHashTable *set,
            SwCollector *collector)
{
  SwCompositeCollector *composite;

  if (!g_hash_table_add (set, collector))
    return FALSE;
  if (SW_IS_CUPTI_COLLECTOR (collector))
    {
      g_autoptr (SwCollector) target = sw_cupti_collector_dup_target (SW_CUPTI_COLLECTOR (collector));

      /* The collector keeps it. */
      return target == NULL || add_to_set (set, target);
    }
  if (!SW_IS_COMPOSITE_COLLECTOR (collector))
    return TRUE;
  composite = SW_COMPOSITE_COLLECTOR (collector);
  for (guint i = 0; i < composite->collectors->len; i++)
    if (!add_to_set (set, get_collector (composite, i)))
      return FALSE;
  return TRUE;
}

static gboolean
check (SwCollector **collectors,
       gsize n_collectors,
       GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (n_collectors == 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "collectors is empty; a composite collector takes at least one");
      return FALSE;
    }
  for (gsize i = 0; i < n_collectors; i++)
    {
      if (!SW_IS_COLLECTOR (collectors[i]))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "collectors[%" G_GSIZE_FORMAT "] is no collector", i);
          return FALSE;
        }
      if (!add_to_set (seen, collectors[i]))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
                       "collectors[%" G_GSIZE_FORMAT "] is a %s that would get each event twice", i,
                       G_OBJECT_TYPE_NAME (collectors[i]));
          return FALSE;
        }
      if (sw_collector_get_is_closed (collectors[i]))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_STATE, "collectors[%" G_GSIZE_FORMAT "] is a %s that is closed", i,
                       G_OBJECT_TYPE_NAME (collectors[i]));
          return FALSE;
        }
    }
  return TRUE;
}

/**
 * sw_composite_collector_new:
 * @collectors: (array length=n_collectors): where events go
 * @n_collectors: how many those are
 * @error: where an error goes
 *
 * Makes a collector that passes events to several others.
 *
 * Returns: (transfer full): the collector, or %NULL with %SW_ERROR_VALUE where there is none or one comes twice, also inside
 *   of another composite, with %SW_ERROR_STATE for one that is closed, or with %SW_ERROR_TYPE for what is none
 */
SwCompositeCollector *
sw_composite_collector_new (SwCollector **collectors,
                            gsize n_collectors,
                            GError **error)
{
  SwCompositeCollector *self;

  g_return_val_if_fail (collectors != NULL || n_collectors == 0, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!check (collectors, n_collectors, error))
    return NULL;
  self = g_object_new (SW_TYPE_COMPOSITE_COLLECTOR, NULL);
  for (gsize i = 0; i < n_collectors; i++)
    g_ptr_array_add (self->collectors, g_object_ref (collectors[i]));
  return self;
}

/**
 * sw_composite_collector_dup_collectors:
 * @self: the collector
 *
 * Returns what the collector passes events to.
 *
 * Returns: (transfer container) (element-type SwCollector): the collectors, in order
 */
GPtrArray *
sw_composite_collector_dup_collectors (SwCompositeCollector *self)
{
  GPtrArray *collectors;

  g_return_val_if_fail (SW_IS_COMPOSITE_COLLECTOR (self), NULL);

  collectors = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < self->collectors->len; i++)
    g_ptr_array_add (collectors, g_object_ref (get_collector (self, i)));
  return collectors;
}

static void
sw_composite_collector_finalize (GObject *object)
{
  SwCompositeCollector *self = SW_COMPOSITE_COLLECTOR (object);

  g_ptr_array_unref (self->collectors);
  G_OBJECT_CLASS (sw_composite_collector_parent_class)->finalize (object);
}

static void
sw_composite_collector_class_init (SwCompositeCollectorClass *klass)
{
  SwCollectorClass *collector_class = SW_COLLECTOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sw_composite_collector_finalize;
  collector_class->flush = flush;
  collector_class->close = finish;
  collector_class->take_many = take_many;
  collector_class->attach = attach;
  collector_class->tick = tick;
  collector_class->count_lost = count_lost;
  collector_class->forget = forget;
  collector_class->get_live = get_live;
  collector_class->set_level = set_level;
}

static void
sw_composite_collector_init (SwCompositeCollector *self)
{
  self->collectors = g_ptr_array_new_with_free_func (g_object_unref);
}
