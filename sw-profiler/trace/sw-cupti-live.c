/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-live-private.h"

#include "sw-profiler/trace/sw-cupti-private.h"

/* What the emitting thread tells CUPTI. */

/* Apart from the flows that programs begin, and numbers that JavaScript can have. */
#define FIRST_LINK (G_GUINT64_CONSTANT (1) << 52)

/* Of as many, when they began is known. */
#define N_KNOWN (1u << 16)

static guint64 last_link = FIRST_LINK;
static guint64 starts[N_KNOWN];
static gboolean is_on;

void
sw_cupti_live_set_on (gboolean on)
{
  /* Relaxed: a switch is seen soon, and orders nothing. */
  __atomic_store_n (&is_on, on, __ATOMIC_RELAXED);
}

gboolean
sw_cupti_live_is_link (guint64 id)
{
  /* Relaxed: whoever brings a number got it from here, by way of CUPTI. */
  return id > FIRST_LINK && id <= __atomic_load_n (&last_link, __ATOMIC_RELAXED);
}

gboolean
sw_cupti_live_get_start (guint64 link,
                         guint64 *ticks)
{
  /* Acquire: the number is read after it, so that one that took the place is noticed. */
  *ticks = __atomic_load_n (&starts[link % N_KNOWN], __ATOMIC_ACQUIRE);
  return __atomic_load_n (&last_link, __ATOMIC_RELAXED) - link < N_KNOWN;
}

static guint64
make_link (guint64 ticks)
{
  guint64 link;

  /* Relaxed, all: see sw_cupti_live_set_on () and sw_cupti_live_is_link (); the time is looked up after that. */
  if (!__atomic_load_n (&is_on, __ATOMIC_RELAXED))
    return 0;
  link = __atomic_add_fetch (&last_link, 1, __ATOMIC_RELAXED);
  __atomic_store_n (&starts[link % N_KNOWN], ticks, __ATOMIC_RELAXED);
  return link;
}

static gboolean
begin (const SwTraceLiveEvent *event)
{
  const SwCuptiLibrary *library = sw_cupti_library_get ();

  return event->link != 0 && library != NULL &&
         library->call.push (SW_CUPTI_EXTERNAL_CUSTOM0, event->link) == SW_CUPTI_SUCCESS;
}

/* Whether recording is on now or not: what was begun is ended. */
static void
end (void)
{
  const SwCuptiLibrary *library = sw_cupti_library_get ();
  guint64 link;

  if (library != NULL)
    library->call.pop (SW_CUPTI_EXTERNAL_CUSTOM0, &link);
}

const SwTraceLive sw_cupti_live = { .begin = begin, .end = end, .make_link = make_link };
