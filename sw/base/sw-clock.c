/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-clock-private.h"
#include "sw/base/sw-clock-testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define CLOCKSOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

#define N_READINGS 4

SwClockSource sw_clock_source = SW_CLOCK_UNKNOWN;

static guint64 ticks_per_second = G_USEC_PER_SEC * 1000;
static guint64 fake_now;
static guint64 fake_step;

/* Kernels that keep time by the TSC have checked that it is invariant and the same on every core. */
static gboolean
kernel_trusts_tsc (void)
{
#if defined(__x86_64__)
  char name[8] = "";
  gssize length;
  int fd = open (CLOCKSOURCE_FILE, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return FALSE;
  length = read (fd, name, sizeof name - 1);
  close (fd);
  return length >= 4 && memcmp (name, "tsc\n", 4) == 0;
#else
  return FALSE;
#endif
}

#if defined(__x86_64__)
/* Both clocks at one time, by the closest of some readings: the thread may have lost its processor for milliseconds in
 * any of them, and whatever is converted would be wrong by that. */
static SwClockAnchor
read_both (void)
{
  SwClockAnchor anchor = { 0 };
  guint64 closest = G_MAXUINT64;

  for (guint i = 0; i < N_READINGS; i++)
    {
      guint64 before = sw_clock_tsc ();
      gint64 ns = sw_clock_monotonic_ns ();
      guint64 width = sw_clock_tsc () - before;

      if (width >= closest)
        continue;
      closest = width;
      anchor.ticks = before + width / 2;
      anchor.ns = ns;
    }
  return anchor;
}

static guint64
measure_tsc_rate (void)
{
  SwClockAnchor first = read_both ();
  SwClockAnchor last;

  do
    last = read_both ();
  while (last.ns - first.ns < 200000);

  return (guint64) ((double) (last.ticks - first.ticks) * 1e9 / (double) (last.ns - first.ns));
}
#endif

static void
choose_source (void)
{
  SwClockSource source = SW_CLOCK_MONOTONIC;

#if defined(__x86_64__)
  if (kernel_trusts_tsc ())
    {
      source = SW_CLOCK_TSC;
      ticks_per_second = measure_tsc_rate ();
    }
#endif
  sw_clock_source = source;
}

SwClockSource
sw_clock_init (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, choose_source);
  return sw_clock_source;
}

guint64
sw_clock_ticks_per_second (void)
{
  return ticks_per_second;
}

guint64
sw_clock_read_fake (void)
{
  /* Relaxed: a fake clock belongs to the one thread that tests with it. */
  return __atomic_fetch_add (&fake_now, __atomic_load_n (&fake_step, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/**
 * sw_testing_set_fake_clock: (skip)
 * @now_ns: what the next reading gives
 * @step_ns: how much each reading adds; may be negative, to try a clock that runs backwards
 *
 * Replaces the clock of all recorders, for tests that need known durations. No recorder may be active.
 */
void
sw_testing_set_fake_clock (gint64 now_ns,
                           gint64 step_ns)
{
  sw_clock_init ();
  /* Relaxed: no recorder is active; whoever reads on another thread is started or told by means of its own. */
  __atomic_store_n (&fake_now, (guint64) now_ns, __ATOMIC_RELAXED);
  __atomic_store_n (&fake_step, (guint64) step_ns, __ATOMIC_RELAXED);
  sw_clock_source = SW_CLOCK_FAKE;
}

/**
 * sw_testing_advance_fake_clock: (skip)
 * @ns: how much time passes
 *
 * Lets time pass between two readings, also while a recorder of the calling thread is active.
 */
void
sw_testing_advance_fake_clock (gint64 ns)
{
  /* Relaxed: see sw_clock_read_fake (). */
  __atomic_fetch_add (&fake_now, (guint64) ns, __ATOMIC_RELAXED);
}

/**
 * sw_testing_unset_fake_clock: (skip)
 *
 * Goes back to the machine's clock.
 */
void
sw_testing_unset_fake_clock (void)
{
  sw_clock_source = kernel_trusts_tsc () ? SW_CLOCK_TSC : SW_CLOCK_MONOTONIC;
}

SwClockAnchor
sw_clock_anchor (void)
{
  SwClockAnchor anchor;

#if defined(__x86_64__)
  if (sw_clock_source == SW_CLOCK_TSC)
    return read_both ();
#endif
  anchor.ticks = sw_clock_ticks ();
  anchor.ns = (gint64) anchor.ticks;
  return anchor;
}

static gint64
interpolate (const SwClockAnchor *from,
             const SwClockAnchor *to,
             guint64 ticks)
{
  __int128 ticks_between = (__int128) to->ticks - from->ticks;
  __int128 ns_between = (__int128) to->ns - from->ns;
  __int128 offset = (__int128) ticks - from->ticks;

  if (ticks_between <= 0)
    return from->ns;
  return (gint64) (from->ns + offset * ns_between / ticks_between);
}

gint64
sw_clock_to_ns (const SwClockAnchor *anchors,
                gsize n_anchors,
                guint64 ticks)
{
  gsize i = 1;

  if (sw_clock_source != SW_CLOCK_TSC || n_anchors < 2)
    return (gint64) ticks;

  /* Recordings are short beside the second between anchors; most have two. */
  while (i + 1 < n_anchors && anchors[i].ticks < ticks)
    i++;
  return interpolate (&anchors[i - 1], &anchors[i], ticks);
}
