/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-profiler.h"
#include "sw-profiler/operation/sw-recording-private.h"
#include "sw-profiler/operation/sw-saved-events-private.h"

G_BEGIN_DECLS

/* A recording with the options of @self, for the calling thread. */
SwRecording *sw_profiler_create_recording (SwProfiler *self) G_GNUC_WARN_UNUSED_RESULT;

/* A completed profiler with the options of @options; takes @recording, which is finished. */
SwProfiler *sw_profiler_new_completed (SwProfiler *options,
                                       SwRecording *recording) G_GNUC_WARN_UNUSED_RESULT;

/* How many events an active profiler has now; on the thread that entered it. */
gsize sw_profiler_count_recorded (SwProfiler *self);

/* A completed profiler of events from a file, which it takes. */
SwProfiler *sw_profiler_new_from_saved (SwSavedEvents *saved) G_GNUC_WARN_UNUSED_RESULT;

/* What a completed Profiler recorded, valid as long as the Profiler; NULL and a STATE error before. */
const SwEventSource *sw_profiler_get_source (SwProfiler *self,
                                             GError **error);

G_END_DECLS
