/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <time.h>

G_BEGIN_DECLS

/* Where ticks come from. The invariant TSC counts only where the kernel itself keeps time by it. */
typedef enum {
  SW_CLOCK_UNKNOWN,
  SW_CLOCK_MONOTONIC, /* a tick is a nanosecond of CLOCK_MONOTONIC */
  SW_CLOCK_TSC,
  SW_CLOCK_FAKE, /* a tick is a nanosecond that a test sets */
} SwClockSource;

/* The same instant on both scales. */
typedef struct
{
  guint64 ticks;
  gint64 ns; /* CLOCK_MONOTONIC */
} SwClockAnchor;

extern SwClockSource sw_clock_source;

SwClockSource sw_clock_init (void);
guint64 sw_clock_read_fake (void);
SwClockAnchor sw_clock_anchor (void);
/* How many ticks a second has, roughly: only to decide when the next anchor is due. */
guint64 sw_clock_ticks_per_second (void);

/* Nanoseconds of CLOCK_MONOTONIC, by interpolation between the anchors around @ticks. Never decreases with @ticks. */
gint64 sw_clock_to_ns (const SwClockAnchor *anchors,
                       gsize n_anchors,
                       guint64 ticks);

static inline gint64
sw_clock_monotonic_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

#if defined(__x86_64__)
/* What __rdtsc () is. The header that has it has all instructions besides, and would be half of what each file compiles. */
static inline guint64
sw_clock_tsc (void)
{
  return __builtin_ia32_rdtsc ();
}
#endif

/* sw_clock_init () came first on some thread. */
static inline guint64
sw_clock_ticks (void)
{
#if defined(__x86_64__)
  if (G_LIKELY (sw_clock_source == SW_CLOCK_TSC))
    return sw_clock_tsc ();
#endif
  if (G_LIKELY (sw_clock_source == SW_CLOCK_MONOTONIC))
    return (guint64) sw_clock_monotonic_ns ();
  return sw_clock_read_fake ();
}

G_END_DECLS
