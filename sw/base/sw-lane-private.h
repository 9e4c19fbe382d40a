/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "sw/base/sw-ref-count-private.h"

G_BEGIN_DECLS

/* One thread for as long as it lives, or a queue of a device. The system gives the number of a thread that ended to another
 * one; a lane is never given twice. */
typedef struct _SwLane SwLane;

/* The calling thread's own, made when it is first asked for. */
SwLane *sw_lane_get (void);
/* Of no thread: what a device works through in turn. */
SwLane *sw_lane_new_for_queue (const char *name) G_GNUC_WARN_UNUSED_RESULT;
SwLane *sw_lane_ref (SwLane *self);
void sw_lane_unref (SwLane *self);

/* From 1, in the order in which threads were first asked for. */
guint64 sw_lane_get_id (const SwLane *self);
/* What the operating system calls the thread, which is never 0; 0 of a queue. */
guint64 sw_lane_get_thread_id (const SwLane *self);
/* What the program calls it: what pthread_self () is there, as a number; 0 of a queue. */
guint64 sw_lane_get_handle (const SwLane *self);
gboolean sw_lane_is_queue (const SwLane *self);
/* What the thread is called now, or was when it ended. From any thread. */
char *sw_lane_dup_name (SwLane *self) G_GNUC_WARN_UNUSED_RESULT;
/* Names the calling thread in results, whatever the system calls it; NULL for the system's name. */
void sw_lane_set_name (const char *name);
/* What its language calls the thread of that number, or the calling one for 0, or NULL: counts where the program named it
 * not, and comes before what the system calls it. Nothing happens where that thread has no lane. From any thread. */
void sw_lane_set_language_name (guint64 thread_id,
                                const char *name);

G_END_DECLS
