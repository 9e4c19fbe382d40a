/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-profiler.h"

#include "sw-profiler/zone/sw-zone-auto-private.h"
#include "sw-profiler/zone/sw-zone-profiler-desc-private.h"
#include "sw-profiler/zone/sw-zone-profiler-private.h"
#include "sw-profiler/zone/sw-zone-thread-private.h"
#include "sw/base/sw-error.h"

/**
 * SwZoneProfiler:
 *
 * Records zones, which are named stretches of a thread's time, all the while a program runs: in memory that has bounds,
 * with threads that never wait.
 *
 * Zones go to the thread's *current* profiler. The first one made on a thread is that thread's default;
 * [method@Strideweave.ZoneProfiler.enter] and [method@Strideweave.ZoneProfiler.exit] make another one current for a
 * while, on any thread. In C the macros `SW_PROFILE_ZONE ("name")`, `SW_PROFILE_FUNCTION ()` and
 * `SW_PROFILE_FRAME ("name")` record; bindings have [func@Strideweave.profile_zone_begin] and
 * [func@Strideweave.profile_frame_begin] to build their own scopes on. Each dispatched operation is a zone by itself.
 *
 * What was recorded can be seen in three ways: the live history of the last zones
 * ([method@Strideweave.ZoneProfiler.live_snapshot]), a capture of all that happens from a moment on
 * ([method@Strideweave.ZoneProfiler.start_capture]), and statistics of the last frames
 * ([method@Strideweave.ZoneProfiler.frame_stats_snapshot]). A zone that was begun outside any frame is in no statistics.
 *
 * ## What is bounded, and how
 *
 * | what | at most |
 * | --- | --- |
 * | zones of a thread that wait to be consumed, or are open | `thread_event_capacity`, 32 bytes each |
 * | zones open at the same time on a thread | 64 |
 * | zones in the live history | `live_event_capacity`, or what `live_frame_count` frames have |
 * | a capture | `max_memory_bytes` |
 * | frames that are not consumed | 1,024 |
 * | zones of one frame in its statistics | 1,048,576 |
 * | frames that wait for GPU times | 64 |
 *
 * A zone that finds no place is dropped as a whole when it begins, and counted by its reason: see
 * [method@Strideweave.ZoneProfiler.dup_diagnostics]. What was recorded and what was dropped always add up.
 *
 * ## Threads, forks and ends
 *
 * All methods may be called from any thread; enter and exit concern the one that calls them. A thread that ends while
 * zones of its own are open ends them. The profiler may be destroyed while others record: they go on without it. One
 * that was installed as a thread's default is best destroyed on that thread, after temporary profilers were left; from
 * elsewhere it works too, and the thread finds out when it next begins a zone.
 *
 * In the child of a fork everything starts clean: what was recorded and what is open stays with the parent, the
 * profiler is current where it was, and goes on with an empty history.
 */

struct _SwZoneProfiler
{
  GObject parent_instance;

  SwZoneProfilerDesc *desc; /* NULL: the default */
  SwZoneCore *core;
};

enum
{
  PROP_DESC = 1,
  PROP_ENABLED,
  PROP_ENABLE_AUTO_ZONES,
  PROP_ENABLE_DEBUG_GROUPS,
  PROP_CAPTURE_ACTIVE,
  PROP_SLOW_FRAME_THRESHOLD_NS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (SwZoneProfiler, sw_zone_profiler, G_TYPE_OBJECT)

static void
sw_zone_profiler_finalize (GObject *object)
{
  SwZoneProfiler *self = SW_ZONE_PROFILER (object);

  if (self->core != NULL)
    {
      sw_zone_core_close (self->core);
      sw_zone_core_unref (self->core);
      sw_zone_thread_refresh ();
    }
  G_OBJECT_CLASS (sw_zone_profiler_parent_class)->finalize (object);
}

static void
sw_zone_profiler_get_property (GObject *object,
                               guint id,
                               GValue *value,
                               GParamSpec *pspec)
{
  SwZoneProfiler *self = SW_ZONE_PROFILER (object);

  switch (id)
    {
    case PROP_DESC:
      g_value_set_boxed (value, &self->core->desc);
      break;
    case PROP_ENABLED:
      g_value_set_boolean (value, sw_zone_profiler_get_enabled (self));
      break;
    case PROP_ENABLE_AUTO_ZONES:
      g_value_set_boolean (value, sw_zone_profiler_get_enable_auto_zones (self));
      break;
    case PROP_ENABLE_DEBUG_GROUPS:
      g_value_set_boolean (value, sw_zone_profiler_get_enable_debug_groups (self));
      break;
    case PROP_CAPTURE_ACTIVE:
      g_value_set_boolean (value, sw_zone_profiler_get_capture_active (self));
      break;
    case PROP_SLOW_FRAME_THRESHOLD_NS:
      g_value_set_int64 (value, sw_zone_profiler_get_slow_frame_threshold_ns (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
sw_zone_profiler_set_property (GObject *object,
                               guint id,
                               const GValue *value,
                               GParamSpec *pspec)
{
  SwZoneProfiler *self = SW_ZONE_PROFILER (object);

  switch (id)
    {
    case PROP_DESC:
      self->desc = g_value_dup_boxed (value);
      break;
    case PROP_ENABLED:
      sw_zone_profiler_set_enabled (self, g_value_get_boolean (value));
      break;
    case PROP_ENABLE_AUTO_ZONES:
      sw_zone_profiler_set_enable_auto_zones (self, g_value_get_boolean (value));
      break;
    case PROP_ENABLE_DEBUG_GROUPS:
      sw_zone_profiler_set_enable_debug_groups (self, g_value_get_boolean (value));
      break;
    case PROP_SLOW_FRAME_THRESHOLD_NS:
      sw_zone_profiler_set_slow_frame_threshold_ns (self, g_value_get_int64 (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

/* Without a constructor that could fail, an impossible description counts as none. */
static void
sw_zone_profiler_constructed (GObject *object)
{
  SwZoneProfiler *self = SW_ZONE_PROFILER (object);
  g_autoptr (SwZoneProfilerDesc) desc = g_steal_pointer (&self->desc);
  g_autoptr (GError) error = NULL;

  G_OBJECT_CLASS (sw_zone_profiler_parent_class)->constructed (object);
  if (desc != NULL && !sw_zone_profiler_desc_check (desc, &error))
    {
      g_warning ("%s; the ZoneProfiler is made with the default values", error->message);
      g_clear_pointer (&desc, sw_zone_profiler_desc_free);
    }
  if (desc == NULL)
    desc = sw_zone_profiler_desc_new ();
  sw_zone_auto_watch ();
  self->core = sw_zone_core_new (desc, object);
  sw_zone_thread_offer_default (self->core);
}

static void
sw_zone_profiler_class_init (SwZoneProfilerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->constructed = sw_zone_profiler_constructed;
  object_class->finalize = sw_zone_profiler_finalize;
  object_class->get_property = sw_zone_profiler_get_property;
  object_class->set_property = sw_zone_profiler_set_property;

  /**
   * SwZoneProfiler:desc:
   *
   * How the profiler was made: a copy. What is impossible is refused by [ctor@Strideweave.ZoneProfiler.new].
   */
  properties[PROP_DESC] = g_param_spec_boxed ("desc", NULL, NULL, SW_TYPE_ZONE_PROFILER_DESC,
                                              G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * SwZoneProfiler:enabled:
   *
   * Whether zones and frames are recorded. One that was begun before stays, and may end later.
   */
  properties[PROP_ENABLED] = g_param_spec_boolean ("enabled", NULL, NULL, TRUE, flags);
  /**
   * SwZoneProfiler:enable-auto-zones:
   *
   * Whether each dispatched operation is a zone.
   */
  properties[PROP_ENABLE_AUTO_ZONES] = g_param_spec_boolean ("enable-auto-zones", NULL, NULL, TRUE, flags);
  /**
   * SwZoneProfiler:enable-debug-groups:
   *
   * Whether zones with GPU times are named in the command stream, too.
   */
  properties[PROP_ENABLE_DEBUG_GROUPS] = g_param_spec_boolean ("enable-debug-groups", NULL, NULL, FALSE, flags);
  /**
   * SwZoneProfiler:capture-active:
   *
   * Whether a capture goes on. It does not any more once it has reached its memory limit, though it waits to be stopped.
   */
  properties[PROP_CAPTURE_ACTIVE] =
      g_param_spec_boolean ("capture-active", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * SwZoneProfiler:slow-frame-threshold-ns:
   *
   * How long a frame takes, at least, that is kept as a slow one, in nanoseconds; -1: none is.
   */
  properties[PROP_SLOW_FRAME_THRESHOLD_NS] =
      g_param_spec_int64 ("slow-frame-threshold-ns", NULL, NULL, -1, G_MAXINT64, -1, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
sw_zone_profiler_init (SwZoneProfiler *self)
{
}

SwZoneCore *
sw_zone_profiler_get_core (SwZoneProfiler *self)
{
  return self->core;
}

/**
 * sw_zone_profiler_new:
 * @desc: (nullable): how it is to be made; %NULL for the default values
 * @error: return location for an error
 *
 * Makes a profiler, which records from here on. It becomes the default of the calling thread, if that has none.
 *
 * Fails with %SW_ERROR_VALUE, naming the field and the value, for an impossible description.
 *
 * Returns: (transfer full): the profiler
 */
SwZoneProfiler *
sw_zone_profiler_new (const SwZoneProfilerDesc *desc,
                      GError **error)
{
  if (desc != NULL && !sw_zone_profiler_desc_check (desc, error))
    return NULL;
  return g_object_new (SW_TYPE_ZONE_PROFILER, "desc", desc, NULL);
}

/**
 * sw_zone_profiler_dup_desc:
 * @self: a profiler
 *
 * Returns how the profiler was made.
 *
 * Returns: (transfer full): a copy
 */
SwZoneProfilerDesc *
sw_zone_profiler_dup_desc (SwZoneProfiler *self)
{
  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), NULL);

  return sw_zone_profiler_desc_copy (&self->core->desc);
}

/**
 * sw_zone_profiler_dup_current:
 *
 * Returns the current profiler of the calling thread.
 *
 * Returns: (transfer full) (nullable): the profiler; %NULL when there is none
 */
SwZoneProfiler *
sw_zone_profiler_dup_current (void)
{
  SwZoneProducer *producer = sw_zone_thread_refresh ();

  return producer != NULL ? g_weak_ref_get (&producer->core->object) : NULL;
}

/**
 * sw_zone_profiler_enter:
 * @self: a profiler
 * @error: return location for an error
 *
 * Makes a profiler the current one of the calling thread, until [method@Strideweave.ZoneProfiler.exit]. The thread keeps a
 * reference to it meanwhile.
 *
 * Entering nests, also with the same profiler. Fails with %SW_ERROR_FAILED when there is no memory for the thread's queue.
 *
 * Returns: whether it is current
 */
gboolean
sw_zone_profiler_enter (SwZoneProfiler *self,
                        GError **error)
{
  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), FALSE);

  if (sw_zone_thread_enter (self->core, G_OBJECT (self)))
    return TRUE;
  g_set_error_literal (error, SW_ERROR, SW_ERROR_FAILED, "there is no memory for the queue of this thread's zones");
  return FALSE;
}

/**
 * sw_zone_profiler_exit:
 * @self: the profiler that was entered last
 * @error: return location for an error
 *
 * Makes current what was so before the last [method@Strideweave.ZoneProfiler.enter].
 *
 * Zones that were begun meanwhile and are still open go on. Fails with %SW_ERROR_STATE when this profiler is not the one
 * that the calling thread entered last.
 *
 * Returns: whether it was current
 */
gboolean
sw_zone_profiler_exit (SwZoneProfiler *self,
                       GError **error)
{
  GObject *entered;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), FALSE);

  entered = sw_zone_thread_leave (self->core);
  if (entered != NULL)
    {
      g_object_unref (entered);
      return TRUE;
    }
  g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE,
                       "the ZoneProfiler is not the one that this thread entered last, so it cannot be exited");
  return FALSE;
}

/**
 * sw_zone_profiler_withdraw:
 * @self: a profiler
 *
 * Undoes the last [method@Strideweave.ZoneProfiler.enter] of this profiler by the calling thread, also when others were
 * entered since: those stay as they are. For what ends in no order, such as tasks that wait.
 *
 * Returns: whether the calling thread had entered it
 */
gboolean
sw_zone_profiler_withdraw (SwZoneProfiler *self)
{
  GObject *entered;

  g_return_val_if_fail (SW_IS_ZONE_PROFILER (self), FALSE);

  entered = sw_zone_thread_withdraw (self->core);
  if (entered == NULL)
    return FALSE;
  g_object_unref (entered);
  return TRUE;
}
