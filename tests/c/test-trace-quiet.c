/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is emitted while nothing is recorded, or above the verbosity: no memory is taken, and no argument is evaluated. */
#include "config.h"

#include <strideweave.h>

/* Sanitizers bring their own malloc (). */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1

/* Of this thread: the library's own go on. */
static _Thread_local guint64 n_allocations;

extern void *
__libc_malloc (size_t size);
extern void *
__libc_calloc (size_t n, size_t size);
extern void *
__libc_realloc (void *memory, size_t size);
extern void *
__libc_memalign (size_t alignment, size_t size);

void *
malloc (size_t size)
{
  n_allocations++;
  return __libc_malloc (size);
}

void *
calloc (size_t n,
        size_t size)
{
  n_allocations++;
  return __libc_calloc (n, size);
}

void *
realloc (void *memory,
         size_t size)
{
  n_allocations++;
  return __libc_realloc (memory, size);
}

void *
aligned_alloc (size_t alignment,
               size_t size)
{
  n_allocations++;
  return __libc_memalign (alignment, size);
}

static guint64
get_n_allocations (void)
{
  return n_allocations;
}
#else
static guint64
get_n_allocations (void)
{
  return 0;
}
#endif

#define N_ROUNDS 1000
#define N_EVALUATED 6 /* in each round */

static guint64 n_evaluated;

static gint64
evaluate (void)
{
  n_evaluated++;
  return 1;
}

static const char *
evaluate_text (void)
{
  n_evaluated++;
  return "text";
}

/* All that C emits by macros; into the default context where @context is NULL. */
static void
emit_by_macros (SwTraceContext *context)
{
  guint64 flow;

  SW_TRACE_SPAN_IN (context, "plain", "test", SW_TRACE_VERBOSITY_OPERATIONS);
  SW_TRACE_SPAN_IN (context, "span", "test", SW_TRACE_VERBOSITY_OPERATIONS, SW_TRACE_INT64 ("n", evaluate ()),
                    SW_TRACE_STRING ("text", evaluate_text ()));
  SW_TRACE_INSTANT_IN (context, "instant", "test", SW_TRACE_VERBOSITY_FULL, SW_TRACE_UINT64 ("n", evaluate ()),
                       SW_TRACE_DOUBLE ("real", evaluate ()), SW_TRACE_BOOLEAN ("yes", evaluate ()));
  SW_TRACE_COUNTER_IN (context, "counter", SW_TRACE_VERBOSITY_OPERATIONS, evaluate ());
  flow = SW_TRACE_FLOW_START_IN (context, SW_TRACE_VERBOSITY_OPERATIONS);
  SW_TRACE_FLOW_STEP_IN (context, flow);
  SW_TRACE_FLOW_END_IN (context, flow);
}

/* What bindings emit with. */
static void
emit_by_functions (SwTraceContext *context)
{
  SwTraceVerbosity level = SW_TRACE_VERBOSITY_OPERATIONS;
  guint64 token;

  if (context == NULL)
    context = sw_trace_context_get_default ();
  token = sw_trace_context_begin_span (context, "span", "test", level, NULL, NULL);
  sw_trace_context_emit_instant (context, "instant", NULL, level, NULL, NULL);
  sw_trace_context_emit_counter (context, "counter", level, 0.5, NULL);
  sw_trace_context_emit_counter_int64 (context, "counter", level, 1, NULL);
  sw_trace_context_end_async_span (context, sw_trace_context_begin_async_span (context, "async", NULL, level, NULL, NULL), NULL);
  sw_trace_context_end_span (context, token, NULL);
}

static void
assert_quiet (SwTraceContext *context)
{
  SwTraceContext *counted = context != NULL ? context : sw_trace_context_get_default ();
  guint64 emitted = sw_trace_context_get_emitted_count (counted);
  guint64 allocated = get_n_allocations ();

  n_evaluated = 0;
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      emit_by_macros (context);
      emit_by_functions (context);
    }
  g_assert_cmpuint (get_n_allocations () - allocated, ==, 0);
  g_assert_cmpuint (n_evaluated, ==, 0);
  g_assert_cmpuint (sw_trace_context_get_emitted_count (counted), ==, emitted);
}

/* So that the counts are known to count. */
static void
assert_loud (SwTraceContext *context)
{
  SwTraceContext *counted = context != NULL ? context : sw_trace_context_get_default ();
  guint64 emitted = sw_trace_context_get_emitted_count (counted);
#ifdef COUNTS_ALLOCATIONS
  guint64 allocated = get_n_allocations ();
#endif

  n_evaluated = 0;
  emit_by_macros (context);
  emit_by_functions (context);
  g_assert_cmpuint (n_evaluated, ==, N_EVALUATED);
  g_assert_cmpuint (sw_trace_context_get_emitted_count (counted), >, emitted);
#ifdef COUNTS_ALLOCATIONS
  g_assert_cmpuint (get_n_allocations (), >, allocated);
#endif
}

static void
check (SwTraceContext *context)
{
  SwTraceContext *switched = context != NULL ? context : sw_trace_context_get_default ();
  g_autoptr (SwMemoryCollector) collector = sw_memory_collector_new (1000, NULL);

  assert_quiet (context);
  sw_trace_context_set_collector (switched, SW_COLLECTOR (collector));
  sw_trace_context_set_verbosity (switched, SW_TRACE_VERBOSITY_DECISIONS);
  assert_quiet (context);
  sw_trace_context_set_verbosity (switched, SW_TRACE_VERBOSITY_FULL);
  assert_loud (context);
  sw_trace_context_set_enabled (switched, FALSE);
  assert_quiet (context);
  sw_trace_context_set_enabled (switched, TRUE);
  sw_trace_context_set_verbosity (switched, SW_TRACE_VERBOSITY_NONE);
  assert_quiet (context);
  sw_trace_context_set_collector (switched, NULL);
  sw_trace_context_set_verbosity (switched, SW_TRACE_VERBOSITY_FULL);
  assert_quiet (context);
}

static void
test_default_context (void)
{
  check (NULL);
}

static void
test_own_context (void)
{
  g_autoptr (SwTraceContext) context = sw_trace_context_new ();

  check (context);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/quiet/default-context", test_default_context);
  g_test_add_func ("/trace/quiet/own-context", test_own_context);
  return g_test_run ();
}
