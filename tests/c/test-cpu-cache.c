/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of CPU carriers that is used again: how much is kept, for whom, and that steady work takes no more. */
#include "config.h"

#include "operation-fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

/* Sanitizers bring their own malloc (). */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1

static gint n_allocations;

extern void *
__libc_malloc (size_t size);
extern void *
__libc_calloc (size_t n, size_t size);
extern void *
__libc_realloc (void *memory, size_t size);
extern void *
__libc_memalign (size_t alignment, size_t size);

static void
count_allocation (void)
{
  /* Relaxed: only a number. */
  __atomic_fetch_add (&n_allocations, 1, __ATOMIC_RELAXED);
}

void *
malloc (size_t size)
{
  count_allocation ();
  return __libc_malloc (size);
}

void *
calloc (size_t n,
        size_t size)
{
  count_allocation ();
  return __libc_calloc (n, size);
}

void *
realloc (void *memory,
         size_t size)
{
  count_allocation ();
  return __libc_realloc (memory, size);
}

void *
aligned_alloc (size_t alignment,
               size_t size)
{
  count_allocation ();
  return __libc_memalign (alignment, size);
}
#endif

#define LIMIT (G_GINT64_CONSTANT (64) << 20)

typedef struct
{
  guint64 n_bytes;
  guint64 n_hits;
  guint64 n_misses;
} Statistics;

static Statistics
get_statistics (void)
{
  Statistics self;

  self.n_bytes = sw_cpu_get_cache_statistics (&self.n_hits, &self.n_misses);
  return self;
}

static void
set_limit (gint64 n_bytes)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_cpu_set_cache_limit (n_bytes, &error));
  g_assert_no_error (error);
  g_assert_cmpint (sw_cpu_get_cache_limit (), ==, n_bytes);
}

static SwCarrier *
new_bytes (gint64 n_bytes,
           gboolean is_empty)
{
  g_autoptr (GError) error = NULL;
  SwCarrier *carrier = sw_cpu_new (n_bytes, TRUE, SW_DTYPE_BOOL, is_empty, &error);

  g_assert_no_error (error);
  return carrier;
}

static gpointer
get_memory (SwCarrier *carrier)
{
  return sw_carrier_get_private (carrier)->data;
}

static void
make_and_let_go (gint64 n_bytes)
{
  SwCarrier *carrier = new_bytes (n_bytes, TRUE);

  memset (get_memory (carrier), 0x5a, n_bytes);
  g_object_unref (carrier);
}

static void
test_default (void)
{
#if defined(__SANITIZE_ADDRESS__)
  g_assert_cmpint (sw_cpu_get_cache_limit (), ==, 0);
#else
  g_assert_cmpint (sw_cpu_get_cache_limit (), ==, 256 << 20);
#endif
}

static void
test_bad_limit (void)
{
  g_autoptr (GError) error = NULL;

  set_limit (LIMIT);
  g_assert_false (sw_cpu_set_cache_limit (-1, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "n_bytes is -1, and must not be negative");
  g_assert_cmpint (sw_cpu_get_cache_limit (), ==, LIMIT);
}

/* Every size gets memory of its own, aligned, as long as it says, and the same again when it was given back. */
static void
test_sizes (void)
{
  set_limit (LIMIT);
  for (gint64 size = 1; size < 3 << 20; size = size * 9 / 8 + 1)
    {
      SwCarrier *first = new_bytes (size, TRUE), *second = new_bytes (size, TRUE);
      gpointer memory = get_memory (first);
      Statistics before, after;

      g_assert_cmpuint ((gsize) memory % 64, ==, 0);
      g_assert_cmpuint ((gsize) get_memory (second) % 64, ==, 0);
      memset (memory, 1, size);
      memset (get_memory (second), 2, size);
      for (gint64 i = 0; i < size; i++)
        g_assert_cmpint (((guint8 *) memory)[i], ==, 1);
      g_object_unref (first);

      before = get_statistics ();
      g_assert_cmpuint (before.n_bytes, >=, size);
      first = new_bytes (size, TRUE);
      after = get_statistics ();
      g_assert_true (get_memory (first) == memory);
      g_assert_cmpuint (after.n_hits, ==, before.n_hits + 1);
      g_assert_cmpuint (after.n_misses, ==, before.n_misses);
      /* What is lost to rounding is at most a fifth. */
      g_assert_cmpuint (before.n_bytes - after.n_bytes, <=, MAX (64, size * 5 / 4 + 64));
      g_object_unref (first);
      g_object_unref (second);
      sw_cpu_trim_cache ();
    }
}

/* Zeros are zeros, whoever had the memory before. */
static void
test_zeros (void)
{
  static const gint64 sizes[] = { 1, 100, 5000, 70000, 2 << 20 };

  set_limit (LIMIT);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (SwCarrier) zeros = NULL;

      make_and_let_go (sizes[i]);
      zeros = new_bytes (sizes[i], FALSE);
      for (gint64 j = 0; j < sizes[i]; j++)
        g_assert_cmpint (((guint8 *) get_memory (zeros))[j], ==, 0);
    }
}

static void
test_trim (void)
{
  set_limit (LIMIT);
  make_and_let_go (1000);
  make_and_let_go (1 << 20);
  g_assert_cmpuint (get_statistics ().n_bytes, >=, (1 << 20) + 1000);
  g_assert_cmpuint (sw_cpu_trim_cache (), >=, (1 << 20) + 1000);
  g_assert_cmpuint (get_statistics ().n_bytes, ==, 0);
  g_assert_cmpuint (sw_cpu_trim_cache (), ==, 0);
}

static void
test_off (void)
{
  Statistics before;

  set_limit (LIMIT);
  make_and_let_go (1000);
  set_limit (0);
  before = get_statistics ();
  g_assert_cmpuint (before.n_bytes, ==, 0);
  for (guint i = 0; i < 10; i++)
    {
      make_and_let_go (1000);
      make_and_let_go (1 << 20);
    }
  g_assert_cmpuint (get_statistics ().n_bytes, ==, 0);
  g_assert_cmpuint (get_statistics ().n_hits, ==, before.n_hits);
  g_assert_cmpuint (get_statistics ().n_misses, ==, before.n_misses + 20);
}

/* Never more than the limit, and what was given back last is kept. */
static void
test_bound (void)
{
  SwCarrier *carriers[40];
  gpointer last;
  SwCarrier *again;

  set_limit (8 << 20);
  for (guint i = 0; i < G_N_ELEMENTS (carriers); i++)
    carriers[i] = new_bytes ((1 << 20) - i * 1000, TRUE);
  last = get_memory (carriers[G_N_ELEMENTS (carriers) - 1]);
  for (guint i = 0; i < G_N_ELEMENTS (carriers); i++)
    {
      g_object_unref (carriers[i]);
      g_assert_cmpuint (get_statistics ().n_bytes, <=, 8 << 20);
    }
  g_assert_cmpuint (get_statistics ().n_bytes, >, 6 << 20);

  again = new_bytes ((1 << 20) - (G_N_ELEMENTS (carriers) - 1) * 1000, TRUE);
  g_assert_true (get_memory (again) == last);
  g_object_unref (again);

  /* Larger than the whole: not kept, and nothing goes for it. */
  make_and_let_go (9 << 20);
  g_assert_cmpuint (get_statistics ().n_bytes, >, 6 << 20);

  /* Small ones make large ones go, too. */
  for (guint i = 0; i < 4; i++)
    carriers[i] = new_bytes (60000, TRUE);
  for (guint i = 0; i < 4; i++)
    g_object_unref (carriers[i]);
  g_assert_cmpuint (get_statistics ().n_bytes, <=, 8 << 20);
}

static gpointer
let_go_of_many (gpointer data)
{
  SwCarrier *carriers[50];

  for (guint round = 0; round < 20; round++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (carriers); i++)
        {
          carriers[i] = new_bytes (1 + 700 * i, TRUE);
          memset (get_memory (carriers[i]), (int) i, 1 + 700 * i);
        }
      for (guint i = 0; i < G_N_ELEMENTS (carriers); i++)
        {
          g_assert_cmpint (((guint8 *) get_memory (carriers[i]))[700 * i], ==, i);
          g_object_unref (carriers[i]);
        }
      g_assert_cmpuint (get_statistics ().n_bytes, <=, LIMIT);
    }
  return NULL;
}

/* What a thread kept is there for others when it has ended. */
static void
test_end_of_thread (void)
{
  Statistics before, after;
  pthread_t thread;

  set_limit (LIMIT);
  pthread_create (&thread, NULL, let_go_of_many, NULL);
  pthread_join (thread, NULL);
  before = get_statistics ();
  g_assert_cmpuint (before.n_bytes, >=, 30000);
  make_and_let_go (1 + 700 * 40);
  after = get_statistics ();
  g_assert_cmpuint (after.n_hits, ==, before.n_hits + 1);
  g_assert_cmpuint (after.n_bytes, ==, before.n_bytes);
  g_assert_cmpuint (sw_cpu_trim_cache (), ==, after.n_bytes);
}

static void
test_threads (void)
{
  pthread_t threads[4];

  set_limit (LIMIT);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_create (&threads[i], NULL, let_go_of_many, NULL);
  for (guint i = 0; i < 200; i++)
    {
      sw_cpu_trim_cache ();
      make_and_let_go (1 + 700 * (i % 50));
      if (i % 50 == 0)
        set_limit (i % 100 == 0 ? LIMIT / 2 : LIMIT);
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);
  sw_cpu_trim_cache ();
  g_assert_cmpuint (get_statistics ().n_bytes, ==, 0);
}

#if !defined(__SANITIZE_THREAD__)
static void
test_fork (void)
{
  int status = -1;
  pid_t child;

  set_limit (LIMIT);
  make_and_let_go (1000);
  make_and_let_go (1 << 20);
  child = fork ();
  if (child == 0)
    {
      guint64 n_bytes = get_statistics ().n_bytes;

      /* The only thread of the child has what it had, and the limit holds what others had no longer. */
      make_and_let_go (1000);
      if (get_statistics ().n_bytes != n_bytes || sw_cpu_trim_cache () != n_bytes || get_statistics ().n_bytes != 0)
        _exit (1);
      let_go_of_many (NULL);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}
#endif

static SwTensor *
new_floats (gint64 n)
{
  g_autofree char *text = g_strdup_printf ("(%d,)", (int) n);
  g_autofree double *values = g_new0 (double, n);

  return make_tensor (ON_CPU, SW_DTYPE_FLOAT32, text, values);
}

static void
compute (SwTensor *input,
         SwTensor *weight)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) sum = sw_add (input, weight, &error);
  g_autoptr (SwTensor) scaled = sw_mul_scalar (sum, 0.5, &error);
  g_autoptr (SwTensor) positive = sw_relu (scaled, &error);
  g_autoptr (SwTensor) result = sw_tanh (positive, &error);

  g_assert_no_error (error);
  g_assert_nonnull (result);
}

/* After the first rounds, values, carriers and tensors of results are those of earlier results. */
static void
test_steady_state (void)
{
  static const gint64 sizes[] = { 1, 64, 5000, 300000 };

  set_limit (LIMIT);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (SwTensor) input = new_floats (sizes[i]);
      g_autoptr (SwTensor) weight = new_floats (sizes[i]);
      Statistics before, after;

      for (guint j = 0; j < 3; j++)
        compute (input, weight);
      before = get_statistics ();
#if defined(COUNTS_ALLOCATIONS)
      n_allocations = 0;
#endif
      for (guint j = 0; j < 50; j++)
        compute (input, weight);
#if defined(COUNTS_ALLOCATIONS)
      g_assert_cmpint (n_allocations, ==, 0);
#endif
      after = get_statistics ();
      g_assert_cmpuint (after.n_misses, ==, before.n_misses);
      g_assert_cmpuint (after.n_hits, ==, before.n_hits + 200);
      g_assert_cmpuint (after.n_bytes, ==, before.n_bytes);
    }
  /* What is kept is no leak, but may look like one. */
  set_limit (0);
}

static void
count_end (gpointer n_ends,
           GObject *where_it_was)
{
  ++*(guint *) n_ends;
}

/* A carrier that somebody has met is not made into another one. */
static void
test_carriers_that_were_seen (void)
{
  g_autoptr (SwTensor) input = new_floats (3);
  guint n_ends = 0;

  set_limit (LIMIT);
  for (guint i = 1; i <= 3; i++)
    {
      SwTensor *result = sw_relu (input, NULL);
      SwCarrier *carrier = sw_tensor_get_carrier (result);

      g_object_weak_ref (G_OBJECT (carrier), count_end, &n_ends);
      sw_tensor_unref (result);
      g_assert_cmpuint (n_ends, ==, i);
    }
}

#if defined(__SANITIZE_ADDRESS__)
static void
test_poison (void)
{
  SwCarrier *carrier;
  char *memory;

  set_limit (LIMIT);
  carrier = new_bytes (1000, TRUE);
  memory = get_memory (carrier);
  g_assert_null (__asan_region_is_poisoned (memory, 1000));
  g_assert_true (__asan_address_is_poisoned (memory + 1000));
  g_object_unref (carrier);
  g_assert_true (__asan_address_is_poisoned (memory + 64));
  g_assert_true (__asan_address_is_poisoned (memory + 999));
  sw_cpu_trim_cache ();
}
#endif

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-cache/default", test_default);
  g_test_add_func ("/cpu-cache/bad-limit", test_bad_limit);
  g_test_add_func ("/cpu-cache/sizes", test_sizes);
  g_test_add_func ("/cpu-cache/zeros", test_zeros);
  g_test_add_func ("/cpu-cache/trim", test_trim);
  g_test_add_func ("/cpu-cache/off", test_off);
  g_test_add_func ("/cpu-cache/bound", test_bound);
  g_test_add_func ("/cpu-cache/end-of-thread", test_end_of_thread);
  g_test_add_func ("/cpu-cache/threads", test_threads);
#if !defined(__SANITIZE_THREAD__)
  g_test_add_func ("/cpu-cache/fork", test_fork);
#endif
  g_test_add_func ("/cpu-cache/steady-state", test_steady_state);
  g_test_add_func ("/cpu-cache/carriers-that-were-seen", test_carriers_that_were_seen);
#if defined(__SANITIZE_ADDRESS__)
  g_test_add_func ("/cpu-cache/poison", test_poison);
#endif

  return g_test_run ();
}
