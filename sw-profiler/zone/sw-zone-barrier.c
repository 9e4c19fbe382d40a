/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-barrier-private.h"

#include <pthread.h>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#define LONGEST_STORE_US 1000

guint32 sw_zone_barrier_is_missing = 0;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static gboolean
ask_system (void)
{
#if defined(__linux__)
  return syscall (SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
#else
  return FALSE;
#endif
}

static void
set_missing (void)
{
  /* Relaxed: see sw_zone_barrier_get_is_missing (). */
  __atomic_store_n (&sw_zone_barrier_is_missing, 1, __ATOMIC_RELAXED);
}

/* A child of a fork is registered as its parent was. */
static void
register_process (void)
{
#if defined(__linux__)
  syscall (SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
#endif
  if (!ask_system ())
    set_missing ();
}

void
sw_zone_barrier_prepare (void)
{
  pthread_once (&once, register_process);
}

void
sw_zone_barrier_in_all_threads (void)
{
  sw_zone_barrier_prepare ();
  if (!sw_zone_barrier_get_is_missing ())
    {
      if (ask_system ())
        return;
      /* A filter that the process put on itself meanwhile. Threads that did not know yet have stored by then whatever they
       * were storing; no processor keeps that to itself for so long. */
      set_missing ();
      g_usleep (LONGEST_STORE_US);
    }
  /* Sequentially consistent: at least our own reads come after all that we did before. */
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
}
