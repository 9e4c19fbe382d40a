/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-items-private.h"
#include "sw-profiler/trace/sw-trace-live-private.h"
#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-lane-private.h"

G_BEGIN_DECLS

/* What one thread emits into one context: a queue of records, written by the thread and read by whoever has the
 * context's turn, and the spans that are open.
 *
 * The thread changes these only inside of a section, which costs two stores. Whoever switches the context off raises the
 * context's epoch, puts a barrier into all threads and waits until the thread is in no section: the next one sees the new
 * epoch, and waits for the lock. So open spans can be ended from outside, and no span is ever written twice or half. */
typedef struct _SwTraceCore SwTraceCore;
typedef struct _SwTraceProducer SwTraceProducer;

/* Pages of it that are never used are never there. */
#define SW_TRACE_RING_BYTES ((guint64) 4 << 20)

#define SW_TRACE_PADDING 255 /* a kind of record: nothing, up to the end of the ring */

typedef enum {
  SW_TRACE_RECORD_TEXTS = 1 << 0,       /* name and category are in the record; else the site has them */
  SW_TRACE_RECORD_INTERRUPTED = 1 << 1, /* the span was open when recording stopped */
  SW_TRACE_RECORD_INTEGER = 1 << 2,     /* of a counter: the value is one */
  SW_TRACE_RECORD_MISPLACED = 1 << 3,   /* the span does not nest: its depth is not known */
  SW_TRACE_RECORD_FLOWS = 1 << 4,       /* among the items are flows */
} SwTraceRecordFlags;

/* As it is in the ring. */
typedef struct
{
  guint32 size; /* whole words; first, as is the kind, also in padding */
  guint8 kind;  /* SwTraceEventKind */
  guint8 level;
  guint8 flags;
  guint8 n_zones; /* that were open around it on the thread; not in the depth */
  guint32 site;
  gint32 depth;
  guint64 time;      /* ticks */
  guint64 end;       /* ticks; the value of a counter */
  guint32 text_size; /* of name and category with a NUL each, in whole words; 0 with a site */
  guint32 name_length;
  /* The texts, then the items. */
} SwTraceRing;

typedef struct
{
  guint64 serial; /* 0: ended, while others that began later are still open */
  guint64 start;
  guint32 site;
  gint32 depth;
  guint8 level;
  guint8 flags;
  guint8 n_zones;
  guint8 live; /* to which live collectors it was passed on */
  guint32 text_size;
  guint32 name_length;
  guint32 items_size;
  guint32 extra_allocated;
  guint8 *extra; /* the texts, then the items; NULL: neither */
  guint64 left_at; /* when the innermost span around it ended that did so before it; 0: none did */
} SwTraceOpen;

struct _SwTraceProducer
{
  SwTraceCore *core;
  SwLane *lane;
  guint64 number; /* in each token */

  guint32 busy;  /* atomic: the thread is in a section */
  guint32 epoch; /* the context's, as the thread last saw it */

  guint8 *ring;
  guint64 mask;
  guint64 head;     /* atomic for the reader */
  guint64 tail;     /* atomic: the reader's */
  guint64 limit;    /* the head must not come beyond */
  guint64 wake_at;
  guint64 reserved;

  SwTraceOpen *open;
  guint n_open;
  guint n_allocated;
  guint n_ended; /* among them */
  guint n_left;  /* likewise, those that a span around them left behind */
  guint32 next_serial;
  guint32 first_valid_serial; /* older ones were ended from outside */

  /* How many spans have ended that the thread has not yet ended for live collectors: only it can. */
  gboolean is_owing;
  guint32 n_owed[SW_TRACE_N_LIVE];

  guint64 n_emitted;   /* atomic, as are the others: only the thread, or who holds it out, writes */
  guint64 n_dropped;
  guint64 n_too_large;
  guint64 n_misplaced;
  guint64 n_stray_flows;
  guint64 n_reported;  /* the reader's: what of the drops it has passed on */

  guint32 ended; /* atomic: the thread is gone, or uses it no more */
  SwTraceProducer *next_of_core;
  SwTraceProducer *next_of_thread;
};

/* What to record beside the times. */
typedef struct
{
  guint32 site;     /* 0: the texts count */
  const char *name; /* any bytes */
  const char *category;
  guint level;
  const SwTraceArgument *arguments;
  gsize n_arguments;
} SwTraceSpec;

void sw_trace_open_clear (SwTraceOpen *self);

/* NULL: the system has no memory for the ring. Has the lane of the calling thread. */
SwTraceProducer *sw_trace_producer_new (SwTraceCore *core) G_GNUC_WARN_UNUSED_RESULT;
void sw_trace_producer_free (SwTraceProducer *self);

/* A token; 0: not recorded. */
guint64 sw_trace_producer_begin (SwTraceProducer *self,
                                 const SwTraceSpec *spec);
/* FALSE: no span that this thread has, or ever had, open. */
gboolean sw_trace_producer_end (SwTraceProducer *self,
                                guint64 token);
/* FALSE: there is no open span. */
gboolean sw_trace_producer_annotate (SwTraceProducer *self,
                                     const SwTraceArgument *argument);
/* The same for a span by its token. */
gboolean sw_trace_producer_annotate_span (SwTraceProducer *self,
                                          guint64 token,
                                          const SwTraceArgument *argument);
/* Through the innermost open span; counted where there is none, or no room in it. */
void sw_trace_producer_add_flow (SwTraceProducer *self,
                                 guint64 flow,
                                 guint step);
void sw_trace_producer_count_stray_flow (SwTraceProducer *self);
void sw_trace_producer_instant (SwTraceProducer *self,
                                const SwTraceSpec *spec);
/* @value: a double, or with @is_integer an integer. */
void sw_trace_producer_counter (SwTraceProducer *self,
                                const SwTraceSpec *spec,
                                guint64 value,
                                gboolean is_integer);
/* Of a span that was open elsewhere; takes the references of the items. */
void sw_trace_producer_async_span (SwTraceProducer *self,
                                   const SwTraceSpec *spec,
                                   GByteArray *items,
                                   guint64 start,
                                   guint64 end);
/* The thread is held out. */
void sw_trace_producer_interrupt_async (SwTraceProducer *self,
                                        const SwTraceSpec *spec,
                                        GByteArray *items,
                                        guint64 start,
                                        guint64 end);

/* Ends for live collectors what was ended from outside. On the thread itself. */
void sw_trace_producer_settle (SwTraceProducer *self);

/* Ends what is open and marks it: what was left behind by a span around it takes until that ended, as nobody knows better.
 * The thread is held out: see above. */
void sw_trace_producer_interrupt (SwTraceProducer *self,
                                  guint64 end);
/* Waits until the thread is in no section. After the epoch was raised, and a barrier. */
void sw_trace_producer_hold_out (SwTraceProducer *self);

/* The oldest unread record, NULL when there is none; padding is passed over. For who has the context's turn. */
const SwTraceRing *sw_trace_producer_peek (SwTraceProducer *self,
                                           guint64 head);
/* The same from @at on, which is moved to it; nothing is given back to the thread. */
const SwTraceRing *sw_trace_producer_peek_at (SwTraceProducer *self,
                                              guint64 *at,
                                              guint64 head);
void sw_trace_producer_take (SwTraceProducer *self,
                             const SwTraceRing *record);

static inline guint64
sw_trace_producer_get_head (SwTraceProducer *self)
{
  /* Acquire: what was written before the head was. */
  return __atomic_load_n (&self->head, __ATOMIC_ACQUIRE);
}

static inline guint64
sw_trace_producer_read (const guint64 *counter)
{
  /* Relaxed: only the number counts. */
  return __atomic_load_n (counter, __ATOMIC_RELAXED);
}

static inline const char *
sw_trace_ring_get_texts (const SwTraceRing *self)
{
  return (const char *) (self + 1);
}

static inline const guint8 *
sw_trace_ring_get_items (const SwTraceRing *self)
{
  return (const guint8 *) (self + 1) + self->text_size;
}

static inline gsize
sw_trace_ring_get_items_size (const SwTraceRing *self)
{
  return self->size - sizeof (SwTraceRing) - self->text_size;
}

G_END_DECLS
