/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-profiler-event-item.h"

#include "sw-profiler/operation/sw-profiler-items-private.h"

/**
 * SwProfilerEventItem:
 *
 * An event of a completed [class@Strideweave.Profiler] as an object, for lists: a Profiler is a [iface@Gio.ListModel] of
 * them.
 *
 * Items are made when they are asked for. Who has one gets the same one for the same position; an item keeps its
 * profiler. It never changes. The properties are the event's fields, for expressions and bindings of user interfaces;
 * a list of many events that is only computed with is better had by [method@Strideweave.Profiler.tabulate_events].
 */
struct _SwProfilerEventItem
{
  GObject parent_instance;

  SwProfiler *profiler;
  SwProfilerEvent *event;
};

G_DEFINE_FINAL_TYPE (SwProfilerEventItem, sw_profiler_event_item, G_TYPE_OBJECT)

enum
{
  PROP_EVENT = 1,
  PROP_ID,
  PROP_PARENT_ID,
  PROP_NAME,
  PROP_CARRIER_NAME,
  PROP_IMPLEMENTATION_NAME,
  PROP_START_TIME_NS,
  PROP_DURATION_NS,
  PROP_SELF_TIME_NS,
  PROP_SUCCEEDED,
  N_PROPS,
};

static gint64
get_parent_id (SwProfilerEvent *event)
{
  gint64 parent_id;

  sw_profiler_event_get_parent_id (event, &parent_id);
  return parent_id;
}

static void
sw_profiler_event_item_get_property (GObject *object,
                                     guint id,
                                     GValue *value,
                                     GParamSpec *pspec)
{
  SwProfilerEvent *event = SW_PROFILER_EVENT_ITEM (object)->event;

  /* A bare object, which nobody but a script makes, has no event, and the defaults. */
  if (event == NULL)
    return;
  switch (id)
    {
    case PROP_EVENT:
      g_value_set_boxed (value, event);
      break;
    case PROP_ID:
      g_value_set_int64 (value, sw_profiler_event_get_id (event));
      break;
    case PROP_PARENT_ID:
      g_value_set_int64 (value, get_parent_id (event));
      break;
    case PROP_NAME:
      g_value_set_string (value, sw_profiler_event_get_name (event));
      break;
    case PROP_CARRIER_NAME:
      g_value_set_string (value, sw_profiler_event_get_carrier_name (event));
      break;
    case PROP_IMPLEMENTATION_NAME:
      g_value_set_string (value, sw_profiler_event_get_implementation_name (event));
      break;
    case PROP_START_TIME_NS:
      g_value_set_int64 (value, sw_profiler_event_get_start_time_ns (event));
      break;
    case PROP_DURATION_NS:
      g_value_set_int64 (value, sw_profiler_event_get_duration_ns (event));
      break;
    case PROP_SELF_TIME_NS:
      g_value_set_int64 (value, sw_profiler_event_get_self_time_ns (event));
      break;
    case PROP_SUCCEEDED:
      g_value_set_boolean (value, sw_profiler_event_get_succeeded (event));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
sw_profiler_event_item_finalize (GObject *object)
{
  SwProfilerEventItem *self = SW_PROFILER_EVENT_ITEM (object);

  if (self->profiler != NULL)
    sw_profiler_items_forget (sw_profiler_get_items (self->profiler), sw_profiler_event_get_id (self->event));
  g_clear_pointer (&self->event, sw_profiler_event_unref);
  g_clear_object (&self->profiler);

  G_OBJECT_CLASS (sw_profiler_event_item_parent_class)->finalize (object);
}

static void
sw_profiler_event_item_class_init (SwProfilerEventItemClass *klass)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamSpec *props[N_PROPS] = { NULL };

  object_class->get_property = sw_profiler_event_item_get_property;
  object_class->finalize = sw_profiler_event_item_finalize;

  /**
   * SwProfilerEventItem:event: (getter get_event)
   *
   * The event.
   */
  props[PROP_EVENT] = g_param_spec_boxed ("event", NULL, NULL, SW_TYPE_PROFILER_EVENT, flags);

  /**
   * SwProfilerEventItem:id:
   *
   * The number of the event in its session, from 0.
   */
  props[PROP_ID] = g_param_spec_int64 ("id", NULL, NULL, G_MININT64, G_MAXINT64, 0, flags);

  /**
   * SwProfilerEventItem:parent-id:
   *
   * The number of the event in which this one ran; -1 for none.
   */
  props[PROP_PARENT_ID] = g_param_spec_int64 ("parent-id", NULL, NULL, G_MININT64, G_MAXINT64, 0, flags);

  /**
   * SwProfilerEventItem:name:
   *
   * The dispatch name.
   */
  props[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);

  /**
   * SwProfilerEventItem:carrier-name:
   *
   * What results call the type of the carrier.
   */
  props[PROP_CARRIER_NAME] = g_param_spec_string ("carrier-name", NULL, NULL, NULL, flags);

  /**
   * SwProfilerEventItem:implementation-name:
   *
   * What results call the type of the operation that ran.
   */
  props[PROP_IMPLEMENTATION_NAME] = g_param_spec_string ("implementation-name", NULL, NULL, NULL, flags);

  /**
   * SwProfilerEventItem:start-time-ns:
   *
   * When it started, in nanoseconds of the monotonic clock.
   */
  props[PROP_START_TIME_NS] = g_param_spec_int64 ("start-time-ns", NULL, NULL, G_MININT64, G_MAXINT64, 0, flags);

  /**
   * SwProfilerEventItem:duration-ns:
   *
   * How long it took, in nanoseconds.
   */
  props[PROP_DURATION_NS] = g_param_spec_int64 ("duration-ns", NULL, NULL, G_MININT64, G_MAXINT64, 0, flags);

  /**
   * SwProfilerEventItem:self-time-ns:
   *
   * How long it took without the operations that ran directly inside it, in nanoseconds.
   */
  props[PROP_SELF_TIME_NS] = g_param_spec_int64 ("self-time-ns", NULL, NULL, G_MININT64, G_MAXINT64, 0, flags);

  /**
   * SwProfilerEventItem:succeeded:
   *
   * Whether it returned a valid tensor.
   */
  props[PROP_SUCCEEDED] = g_param_spec_boolean ("succeeded", NULL, NULL, FALSE, flags);

  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
sw_profiler_event_item_init (SwProfilerEventItem *self)
{
}

SwProfilerEventItem *
sw_profiler_event_item_new (SwProfiler *profiler,
                            SwProfilerEvent *event)
{
  SwProfilerEventItem *self = g_object_new (SW_TYPE_PROFILER_EVENT_ITEM, NULL);

  self->profiler = g_object_ref (profiler);
  self->event = sw_profiler_event_ref (event);
  return self;
}

/**
 * sw_profiler_event_item_get_event: (get-property event)
 * @self: an item
 *
 * Returns the event.
 *
 * Returns: (transfer none) (nullable): the event; %NULL for an item that no Profiler made
 */
SwProfilerEvent *
sw_profiler_event_item_get_event (SwProfilerEventItem *self)
{
  g_return_val_if_fail (SW_IS_PROFILER_EVENT_ITEM (self), NULL);

  return self->event;
}
