/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-activation-request-private.h"
#include "sw-profiler/trace/sw-trace-feed-private.h"
#include "sw-profiler/trace/sw-zone-tally-private.h"

G_BEGIN_DECLS

/* What the environment asks for is read when the library is loaded, and begins when something is first recorded: no type
 * is registered, no file made and no thread started before that. A forked child begins anew. */

/* Atomic: something is asked for, and has not begun. */
extern guint32 sw_activation_is_pending;

void sw_activation_begin (void);

static inline void
sw_activation_check (void)
{
  /* Relaxed: who finds it set looks again with the turn; who finds it cleared needs nothing of what came before. */
  if (G_UNLIKELY (__atomic_load_n (&sw_activation_is_pending, __ATOMIC_RELAXED) != 0))
    sw_activation_begin ();
}

/* For programs that link the library, and shall not be recorded themselves. */
void sw_activation_forget (void);
/* Completes what has begun, once; the process records nothing of it any more. */
void sw_activation_complete (void);

/* Signals that end the process by default, and that the program does not handle: complete () runs before they do. */
void sw_activation_watch_signals (void);
/* In a forked child: as if they had never been watched. */
void sw_activation_forget_signals (void);
/* Whether the process is ending by such a signal. */
gboolean sw_activation_is_ending (void);
/* The calling thread completes, and is not to be stopped by a signal until it has. */
void sw_activation_hold_signals (gboolean hold);

/* Notes for whoever started the program and wants to know what became of it: lines "KEY VALUE" in a file of this
 * process in the folder @folder, and the table in another one. */
void sw_activation_set_notes_folder (const char *folder);
gboolean sw_activation_has_notes (void);
void sw_activation_note (const char *key,
                         const char *format,
                         ...) G_GNUC_PRINTF (2, 3);
gboolean sw_activation_note_table (const char *text);
/* A message where the process writes to another file than @wanted, which was there. */
void sw_activation_tell_of_path (const char *variable,
                                 const char *wanted,
                                 const char *path);

void sw_activation_begin_profile (const SwProfileRequest *request);
void sw_activation_complete_profile (const SwProfileRequest *request,
                                     guint64 n_zones_lost);
void sw_activation_leave_profile_behind (void);

/* @feed: of the zones; NULL: none. */
void sw_activation_begin_trace (const SwTraceRequest *request,
                                SwTraceFeed *feed);
/* All is passed on that was recorded by now; what is open ends here. */
void sw_activation_detach_trace (void);
void sw_activation_complete_trace (guint64 n_zones_lost);
void sw_activation_leave_trace_behind (void);

/* Zones are taken from here on, also of threads that have no profiler. Returns how the trace gets them; NULL: not. */
SwTraceFeed *sw_activation_begin_zones (gboolean for_trace,
                                        const SwProfileRequest *profile);
/* All are taken that have ended by now. Returns how many found no place in the queues of their threads. */
guint64 sw_activation_end_zones (void);
/* NULL where no profile wants them. */
SwZoneTally *sw_activation_get_zone_tally (void);
void sw_activation_leave_zones_behind (void);

G_END_DECLS
