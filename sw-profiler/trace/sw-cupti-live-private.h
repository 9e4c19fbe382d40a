/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-live-private.h"

G_BEGIN_DECLS

/* Tells CUPTI in which span a thread is, while GPU work is recorded: by the flow that begins there. */
extern const SwTraceLive sw_cupti_live;

/* From any thread. */
void sw_cupti_live_set_on (gboolean is_on);

/* Whether an id that CUPTI brings back is one of ours, and not of another tool. */
gboolean sw_cupti_live_is_link (guint64 id);
/* When the span began, in ticks. FALSE: so many began since that it is forgotten. */
gboolean sw_cupti_live_get_start (guint64 link,
                                  guint64 *ticks);

G_END_DECLS
