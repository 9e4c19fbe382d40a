/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/zone/sw-zone-barrier-private.h"

#include <pthread.h>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A child of a fork is registered as its parent was. */
static void
register_process (void)
{
  syscall (SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}
#endif

void
sw_zone_barrier_in_all_threads (void)
{
#if defined(__linux__)
  pthread_once (&once, register_process);
  if (syscall (SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
    return;
#endif
  /* Sequentially consistent: at least our own reads come after all that we did before. */
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
}
