/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-cupti-clock-private.h"
#include "sw-profiler/trace/sw-cupti-queues-private.h"
#include "sw-profiler/trace/sw-trace-record-private.h"
#include "sw-profiler/zone/sw-zone-time-private.h"

G_BEGIN_DECLS

/* Makes events of full buffers. What a GPU did is passed on one pass after it was read: by then what says in which span it
 * was launched, which may be in another buffer, has come as well, and what came out of order can be put right. */

/* Atomic: read by anybody. Only who reads writes. */
typedef struct
{
  guint64 n_events;    /* that were passed on */
  guint64 n_unlinked;  /* of those, the ones with no span that launched them */
  guint64 n_dropped;   /* CUPTI had no buffer for them */
  guint64 n_malformed; /* buffers and records that are not as they should be */
  guint64 n_untimed;   /* records with no times, or with ones that cannot be */
  guint64 n_unknown;   /* records of kinds that nobody asked for */
} SwCuptiCounts;

typedef struct
{
  SwCuptiClock clock;
  SwZoneTime time; /* for the beginnings of spans */
  SwCuptiQueues queues;
  SwCuptiCounts counts;
  struct _SwCuptiLink *links;
  GArray *works;     /* of SwCuptiWork */
  GHashTable *names; /* of GRefString, by what CUPTI calls the kernel */
  GByteArray *items;
  guint32 generation;
} SwCuptiReader;

typedef enum {
  SW_CUPTI_PASS_READ,   /* only makes room for CUPTI */
  SW_CUPTI_PASS_SETTLE, /* passes on what was there the last time */
  SW_CUPTI_PASS_ALL,
} SwCuptiPass;

typedef void (*SwCuptiPassOn) (gpointer data,
                               const SwTraceRecord *record);

void sw_cupti_reader_init (SwCuptiReader *self);
void sw_cupti_reader_clear (SwCuptiReader *self);
/* After the clock was paired. Returns how many events were lost meanwhile, for whatever reason. */
guint64 sw_cupti_reader_pass (SwCuptiReader *self,
                              const SwCuptiLibrary *library,
                              SwCuptiPass pass,
                              SwCuptiPassOn pass_on,
                              gpointer data);

static inline guint64
sw_cupti_reader_get_count (const guint64 *counter)
{
  /* Relaxed: only the number counts. */
  return __atomic_load_n (counter, __ATOMIC_RELAXED);
}

G_END_DECLS
