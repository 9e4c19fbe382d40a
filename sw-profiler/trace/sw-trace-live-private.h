/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-scope.h"

G_BEGIN_DECLS

/* Tools that look at the thread that emits while it emits: they cannot be told by whoever empties the queues. A collector
 * that passes events on to one gives its context a bit for it. The calls are made by the emitting thread, outside of its
 * section and with no lock, so that they may take as long as they like; what they emit themselves only gets into the queue. */

typedef enum {
  SW_TRACE_LIVE_ITT,
  SW_TRACE_LIVE_CUPTI,
  SW_TRACE_N_LIVE,
} SwTraceLiveKind;

/* Everything in it is borrowed. */
typedef struct
{
  guint32 site; /* of name and category; 0: they do not come from one */
  const char *name; /* any bytes */
  const char *category;
  const SwTraceArgument *arguments;
  gsize n_arguments;
  guint64 link; /* of a span: the flow that begins in it, for what it launches elsewhere; 0: none */
} SwTraceLiveEvent;

/* Any but the first two may be NULL. */
typedef struct
{
  /* FALSE: not passed on, so it is not going to be ended either. */
  gboolean (*begin) (const SwTraceLiveEvent *event);
  /* The innermost one that this thread began. */
  void (*end) (void);
  void (*instant) (const SwTraceLiveEvent *event);
  void (*counter) (const SwTraceLiveEvent *event,
                   gint64 integer,
                   double real,
                   gboolean is_integer);
  /* Before the first of the others on a thread, and again after it got another name. */
  void (*name_thread) (const char *name);
  /* A flow for a span that begins at these ticks. In the section, so that it takes moments. 0: none. */
  guint64 (*make_link) (guint64 ticks);
} SwTraceLive;

/* The bits that the calling thread passes on to now: none from within such a call. */
guint sw_trace_live_filter (guint live);
/* 0: nobody wants one. */
guint64 sw_trace_live_make_link (guint live,
                                 guint64 ticks);
/* Returns the bits of those that were begun. */
guint sw_trace_live_begin (guint live,
                           const SwTraceLiveEvent *event);
void sw_trace_live_end (SwTraceLiveKind kind,
                        guint n);
void sw_trace_live_instant (guint live,
                            const SwTraceLiveEvent *event);
void sw_trace_live_counter (guint live,
                            const SwTraceLiveEvent *event,
                            guint64 bits,
                            gboolean is_integer);
/* The calling thread has another name. */
void sw_trace_live_rename_thread (void);

G_END_DECLS
