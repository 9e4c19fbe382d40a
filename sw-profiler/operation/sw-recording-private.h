/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-event-source-private.h"
#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-lane-private.h"
#include "sw/base/sw-thread-private.h"
#include "sw/operations/sw-boundary-private.h"

G_BEGIN_DECLS

/* What one Profiler records on one thread: columns of events in chunks, written by that thread only, frozen when the
 * Profiler is left. */
typedef struct _SwRecording SwRecording;

/* NULL @carriers: every carrier; @n_carriers 0 with @carriers set: none. */
SwRecording *sw_recording_new (const GType *carriers,
                               gsize n_carriers,
                               gboolean record_shapes) G_GNUC_WARN_UNUSED_RESULT;
SwRecording *sw_recording_ref (SwRecording *self);
void sw_recording_unref (SwRecording *self);

/* The recording that the calling thread records into; an abandoned one is dropped first. */
SwRecording *sw_recording_get_current (void);

/* Begins to record on the calling thread, which must not record yet. */
void sw_recording_start (SwRecording *self);
/* Stops recording on the calling thread, which is the one that started, and freezes what was recorded. */
void sw_recording_stop (SwRecording *self);
/* May be called on any thread: nothing more is recorded, and the thread that records drops it when it comes by. */
void sw_recording_abandon (SwRecording *self);
/* In a forked child, abandons the copy of the recording that its thread had in the parent, which goes on with its own. */
void sw_recording_abandon_inherited (void);

/* What follows is for those who keep the recording of another thread in step with it by themselves. The observer's
 * functions take a recording, and touch nothing else. */
extern const SwBoundaryObserver sw_recording_observer;
/* Before the first event: further ones than @max_events, or a few thousand more, are dropped and counted. */
void sw_recording_limit (SwRecording *self,
                         gsize max_events);
/* Before the first event. */
void sw_recording_begin (SwRecording *self);
/* After the last event: freezes what was recorded. */
void sw_recording_finish (SwRecording *self);

/* On the thread that records, or after the end. */
gsize sw_recording_get_n_events (SwRecording *self);
guint64 sw_recording_get_thread_id (SwRecording *self);
/* That of the thread that records. */
SwLane *sw_recording_get_lane (SwRecording *self);
/* After stop () or finish (): what the thread was called then. */
const char *sw_recording_get_thread_name (SwRecording *self);

/* After stop () or finish (). The source is valid as long as the recording. */
void sw_recording_init_source (SwRecording *self,
                               SwEventSource *source);

G_END_DECLS
