/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-kernels-private.h"

#define MAX_THREADS 256

/* Atomic; 0: nobody has asked yet. */
static guint32 chosen;

/* Of OpenBLAS; another BLAS has its own ways. */
void
openblas_set_num_threads (int n) __attribute__ ((weak));

int
openblas_get_num_threads (void) __attribute__ ((weak));

static guint
count_allowed_processors (void)
{
  cpu_set_t set;

  /* More processors than a set of this size holds: then there are enough. */
  if (sched_getaffinity (0, sizeof set, &set) != 0)
    return g_get_num_processors ();
  return MAX (1, CPU_COUNT (&set));
}

/* How many processors' time a control group has, rounded up; G_MAXUINT where it has no limit, or there is no such file. */
static guint
read_quota (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "cpu.max", NULL);
  g_autofree char *text = NULL;
  gint64 quota, period;

  if (!g_file_get_contents (path, &text, NULL, NULL) ||
      sscanf (text, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, &quota, &period) != 2 || quota <= 0 || period <= 0)
    return G_MAXUINT;
  return (guint) CLAMP ((quota + period - 1) / period, 1, MAX_THREADS);
}

/* The least of the group of this process and those around it. */
static guint
get_quota (void)
{
  g_autofree char *groups = NULL;
  g_autofree char *folder = NULL;
  const char *group;
  guint least = G_MAXUINT;

  if (!g_file_get_contents ("/proc/self/cgroup", &groups, NULL, NULL) || (group = strstr (groups, "0::/")) == NULL)
    return G_MAXUINT;

  folder = g_strdup_printf ("/sys/fs/cgroup%.*s", (int) strcspn (group + 3, "\n"), group + 3);
  while (strlen (folder) >= strlen ("/sys/fs/cgroup"))
    {
      char *end = strrchr (folder, '/');

      least = MIN (least, read_quota (folder));
      *end = '\0';
    }
  return least;
}

guint
sw_cpu_get_n_blas_threads (void)
{
  return openblas_get_num_threads != NULL ? (guint) MAX (1, openblas_get_num_threads ()) : 1;
}

static guint
get_default (void)
{
  return CLAMP (MIN (count_allowed_processors (), get_quota ()), 1, MAX_THREADS);
}

/**
 * sw_cpu_get_n_threads:
 *
 * Tells on how many threads at once one operation of CPU may compute, the calling one included.
 *
 * Unless it was set, these are as many as the process may use processors: by its affinity, and by the quotas of its control
 * groups of version 2, both as they were when first asked.
 *
 * Can be called from any thread.
 *
 * Returns: the number of threads, at least 1
 */
guint
sw_cpu_get_n_threads (void)
{
  /* Relaxed: a number by itself; who finds none computes the same one. */
  guint32 n = __atomic_load_n (&chosen, __ATOMIC_RELAXED);
  guint32 unset = 0;

  if (G_LIKELY (n != 0))
    return n;

  n = get_default ();
  /* Relaxed: as above. Where it has just been set, that counts. */
  return __atomic_compare_exchange_n (&chosen, &unset, n, FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? n : unset;
}

/**
 * sw_cpu_set_n_threads:
 * @n_threads: the number of threads, from 1 to 256; 1 for none beside the calling one
 * @error: return location for an error
 *
 * Says on how many threads at once one operation of CPU may compute, the calling one included.
 *
 * Operations that are large enough are divided among the calling thread and those of a pool, which all carriers share. These look
 * for more work for some microseconds, and sleep otherwise: an operation wakes them only if it takes some times as long as that,
 * or soon follows another. One operation has the pool at a time; others that run then compute on their own threads alone.
 * Results are the same for every number, to the last bit, except where OpenBLAS computes them: large products of matrices,
 * and convolutions on processors without AVX2.
 *
 * These run on the threads of OpenBLAS, which has one number of threads for the whole process, and so for all its users. It
 * is set, too; where only that of OpenBLAS is to change, call `openblas_set_num_threads ()` afterwards.
 *
 * Counts for operations that begin later, from any thread, and can be called from any. Fails with %SW_ERROR_VALUE when
 * @n_threads is out of range.
 *
 * Returns: %TRUE; %FALSE with @error set
 */
gboolean
sw_cpu_set_n_threads (guint n_threads,
                      GError **error)
{
  if (n_threads < 1 || n_threads > MAX_THREADS)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "n_threads is %u, which is not from 1 to %d", n_threads, MAX_THREADS);
      return FALSE;
    }

  /* Relaxed: a number by itself. */
  __atomic_store_n (&chosen, n_threads, __ATOMIC_RELAXED);
  if (openblas_set_num_threads != NULL)
    openblas_set_num_threads ((int) n_threads);
  return TRUE;
}
