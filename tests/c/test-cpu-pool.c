/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* The threads that kernels share: every piece runs once, whoever calls, from however many threads, after a fork too. */

#include "operation-fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sw/carriers/cpu/sw-cpu-pool-private.h"

#define N_PIECES 200

typedef struct
{
  guint32 runs[N_PIECES];     /* atomic */
  guint32 lanes_in_use[256];  /* atomic */
  guint32 is_lane_used_twice; /* atomic */
  guint32 lanes_used[256];    /* atomic */
  gint64 bad_piece;
  gint64 n_us; /* how long a piece takes at least */
} Count;

static gboolean
count_piece (gpointer data,
             gint64 piece,
             guint lane)
{
  Count *count = data;
  gint64 end = g_get_monotonic_time () + count->n_us;

  /* Relaxed: numbers by themselves, read when all is over. */
  __atomic_fetch_add (&count->runs[piece], 1, __ATOMIC_RELAXED);
  if (__atomic_fetch_add (&count->lanes_in_use[lane], 1, __ATOMIC_RELAXED) != 0)
    __atomic_store_n (&count->is_lane_used_twice, 1, __ATOMIC_RELAXED);
  __atomic_store_n (&count->lanes_used[lane], 1, __ATOMIC_RELAXED);
  for (volatile int i = 0; i < 200; i++)
    ;
  while (count->n_us > 0 && g_get_monotonic_time () <= end)
    ;
  __atomic_fetch_sub (&count->lanes_in_use[lane], 1, __ATOMIC_RELAXED);
  return piece == count->bad_piece;
}

static void
run_count (Count *count,
           guint n_lanes)
{
  g_assert_cmpint (sw_cpu_pool_run (N_PIECES, n_lanes, count_piece, count), ==, count->bad_piece >= 0);
  for (guint i = 0; i < N_PIECES; i++)
    g_assert_cmpuint (count->runs[i], ==, 1);
  g_assert_cmpuint (count->is_lane_used_twice, ==, 0);
}

static void
run_and_check (guint n_lanes,
               gint64 bad_piece)
{
  Count count = { .bad_piece = bad_piece };

  run_count (&count, n_lanes);
}

/* So much that threads are called whatever that takes. Returns whether another lane than the caller's took part. */
static gboolean
run_long (guint n_lanes)
{
  Count count = { .bad_piece = -1, .n_us = 10 };
  gboolean has_help = FALSE;

  run_count (&count, n_lanes);
  for (guint lane = 1; lane < n_lanes; lane++)
    has_help |= count.lanes_used[lane];
  return has_help;
}

static void
test_pieces (void)
{
  for (guint n_lanes = 1; n_lanes <= 9; n_lanes++)
    {
      run_and_check (n_lanes, -1);
      run_and_check (n_lanes, 0);
      run_and_check (n_lanes, N_PIECES - 1);
    }
}

static gboolean
run_inside (gpointer data,
            gint64 piece,
            guint lane)
{
  g_assert_cmpuint (sw_cpu_pool_get_n_lanes (), ==, 1);
  run_and_check (4, piece);
  return FALSE;
}

static void
test_nested (void)
{
  g_assert_false (sw_cpu_pool_run (20, 3, run_inside, NULL));
}

static void *
run_often (void *unused)
{
  for (guint i = 0; i < 100; i++)
    run_and_check (1 + i % 4, i % 3 == 0 ? (gint64) i : -1);
  return NULL;
}

static void
test_several_callers (void)
{
  pthread_t threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, run_often, NULL), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);
}

static void
test_division (void)
{
  static const gint64 sizes[] = { 1, 2, 63, 64, 65, 1000, 4096, 65537, 1 << 20, G_MAXINT64 / 2, G_MAXINT64 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gint64 n = sw_cpu_pool_get_n_pieces (sizes[i], 64);
      gint64 last = 0;

      g_assert_cmpint (n, >=, 1);
      g_assert_cmpint (n, <=, 256);
      g_assert_cmpint (sw_cpu_pool_get_start (sizes[i], n, 0), ==, 0);
      for (gint64 piece = 1; piece <= n; piece++)
        {
          gint64 start = sw_cpu_pool_get_start (sizes[i], n, piece);

          g_assert_cmpint (start, >, last);
          last = start;
        }
      g_assert_cmpint (last, ==, sizes[i]);
    }
}

static guint
count_threads_named (const char *prefix)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *task;
  guint n = 0;

  g_assert_nonnull (tasks);
  while ((task = g_dir_read_name (tasks)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", task, "comm", NULL);
      g_autofree char *name = NULL;

      if (g_file_get_contents (path, &name, NULL, NULL))
        n += g_str_has_prefix (name, prefix);
    }
  return n;
}

/* Threads name themselves, and no call waits for those that are late. */
static gboolean
wait_for_threads (guint n)
{
  gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  while (count_threads_named ("sw-cpu-") < n)
    {
      if (g_get_monotonic_time () > end)
        return FALSE;
      g_thread_yield ();
    }
  return TRUE;
}

static void
test_names (void)
{
  run_long (4);
  g_assert_true (wait_for_threads (3));
}

/* Sooner or later, on however busy a machine; and between calls that threads watch for there are some that find them asleep. */
static void
test_help (void)
{
  gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  for (guint pause = 0; pause < 2; pause++)
    {
      while (!run_long (3))
        {
          g_assert_cmpint (g_get_monotonic_time (), <, end);
          if (pause)
            g_usleep (1000);
        }
    }
}

/* Two pieces leave nothing to share once the first has told how long it takes. */
static void
test_long_pieces (void)
{
  gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  gboolean has_help = FALSE;

  while (!has_help)
    {
      Count count = { .bad_piece = -1, .n_us = 2000 };

      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (1000);
      g_assert_false (sw_cpu_pool_run_long (2, 2, count_piece, &count));
      g_assert_cmpuint (count.runs[0], ==, 1);
      g_assert_cmpuint (count.runs[1], ==, 1);
      g_assert_cmpuint (count.runs[2], ==, 0);
      has_help = count.lanes_used[1];
    }
}

/* The child has no threads until it needs some, and those are its own. */
static void
test_fork (void)
{
  int status;
  pid_t child;

  run_and_check (3, -1);
  fflush (NULL);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      gboolean had_none = count_threads_named ("sw-cpu-") == 0;

      run_and_check (3, 5);
      run_long (3);
      _exit (had_none && wait_for_threads (2) && count_threads_named ("sw-cpu-") == 2 ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  run_and_check (3, -1);
}

static void
test_number (void)
{
  GError *error = NULL;
  guint before = sw_cpu_get_n_threads ();

  g_assert_cmpuint (before, >=, 1);
  g_assert_true (sw_cpu_set_n_threads (3, &error));
  g_assert_cmpuint (sw_cpu_get_n_threads (), ==, 3);
  g_assert_false (sw_cpu_set_n_threads (0, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "n_threads is 0, which is not from 1 to 256");
  g_clear_error (&error);
  g_assert_false (sw_cpu_set_n_threads (257, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_cmpuint (sw_cpu_get_n_threads (), ==, 3);
  g_assert_true (sw_cpu_set_n_threads (before, &error));
}

/* Which value overflows is told also where another thread finds it. */
static void
test_overflow (void)
{
  g_autofree double *values = g_new0 (double, 1 << 20);
  g_autoptr (SwTensor) tensor = NULL;
  GError *error = NULL;

  values[900000] = G_MININT32;
  tensor = make_tensor (ON_CPU, SW_DTYPE_INT32, "1048576", values);
  g_assert_true (sw_cpu_set_n_threads (3, &error));
  g_assert_null (sw_neg (tensor, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "neg overflows Int32 at index 900000");
  g_clear_error (&error);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-pool/pieces", test_pieces);
  g_test_add_func ("/cpu-pool/nested", test_nested);
  g_test_add_func ("/cpu-pool/several-callers", test_several_callers);
  g_test_add_func ("/cpu-pool/division", test_division);
  g_test_add_func ("/cpu-pool/names", test_names);
  g_test_add_func ("/cpu-pool/help", test_help);
  g_test_add_func ("/cpu-pool/long-pieces", test_long_pieces);
#ifndef __SANITIZE_THREAD__
  g_test_add_func ("/cpu-pool/fork", test_fork);
#endif
  g_test_add_func ("/cpu-pool/number", test_number);
  g_test_add_func ("/cpu-pool/overflow", test_overflow);
  return g_test_run ();
}
