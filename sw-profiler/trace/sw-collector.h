/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw-profiler/trace/sw-trace-event.h>

G_BEGIN_DECLS

#define SW_TYPE_COLLECTOR (sw_collector_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_DERIVABLE_TYPE (SwCollector, sw_collector, SW, COLLECTOR, GObject)

/**
 * SwCollectorClass:
 * @parent_class: the parent class
 * @emit: takes an event; see [vfunc@Strideweave.Collector.emit]
 * @emit_many: takes several; see [vfunc@Strideweave.Collector.emit_many]
 * @flush: see [vfunc@Strideweave.Collector.flush]
 * @close: see [vfunc@Strideweave.Collector.close]
 *
 * The virtual functions of a collector. One thread at a time calls them, whichever thread that is, unless the collector is
 * bound to one by [method@Strideweave.Collector.bind_to_thread].
 */
struct _SwCollectorClass
{
  GObjectClass parent_class;

  /**
   * SwCollectorClass::emit:
   * @self: the collector
   * @event: (transfer none): the event
   * @error: where an error goes
   *
   * Takes an event. An error is reported by the next [method@Strideweave.Collector.flush] or
   * [method@Strideweave.Collector.close], and the event is counted as dropped.
   *
   * Returns: whether it was taken
   */
  gboolean (*emit) (SwCollector *self,
                    SwTraceEvent *event,
                    GError **error);
  /**
   * SwCollectorClass::flush:
   * @self: the collector
   * @error: where an error goes
   *
   * Passes on what is held back; all events that were emitted before have been taken.
   *
   * Returns: whether it worked
   */
  gboolean (*flush) (SwCollector *self,
                     GError **error);
  /**
   * SwCollectorClass::close:
   * @self: the collector
   * @error: where an error goes
   *
   * Completes what was collected. Called once; no event comes after it.
   *
   * Returns: whether it worked
   */
  gboolean (*close) (SwCollector *self,
                     GError **error);

  /**
   * SwCollectorClass::emit_many:
   * @self: the collector
   * @events: (element-type SwTraceEvent) (transfer none): the events, at least one
   * @error: where an error goes
   *
   * Takes several events, in the order in which they would come one by one. Where it is implemented, it is called in place
   * of [vfunc@Strideweave.Collector.emit], and `emit` need not be: for what costs much to call, and little for each event more.
   *
   * Each event counts as taken, but those that [method@Strideweave.Collector.refuse] names; where it fails without having
   * refused any, all count as dropped. An error is reported as that of `emit` is.
   *
   * Returns: whether it worked
   */
  gboolean (*emit_many) (SwCollector *self,
                         GPtrArray *events,
                         GError **error);

  /*< private >*/
  gpointer take;
  gpointer take_many;
  gpointer attach;
  gpointer tick;
  gpointer count_lost;
  gpointer forget;
  gpointer get_live;
  gpointer set_level;
  gpointer reserved[4];
};

SW_AVAILABLE_IN_0_1
gboolean sw_collector_emit (SwCollector *self,
                            SwTraceEvent *event,
                            GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_collector_refuse (SwCollector *self,
                              guint index,
                              GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_collector_bind_to_thread (SwCollector *self,
                                      GObject *life,
                                      GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_collector_flush (SwCollector *self,
                             GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_collector_close (SwCollector *self,
                             GError **error);
SW_AVAILABLE_IN_0_1
gboolean sw_collector_get_is_closed (SwCollector *self);
SW_AVAILABLE_IN_0_1
guint64 sw_collector_get_event_count (SwCollector *self);
SW_AVAILABLE_IN_0_1
guint64 sw_collector_get_dropped_count (SwCollector *self);

G_END_DECLS
