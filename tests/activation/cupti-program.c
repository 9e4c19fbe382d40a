/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that launches kernels, and knows nothing of how it is recorded: cupti-program WAY [N]. The GPUs are made up, see
 * fake-cupti.c, which is in place of CUPTI but for the way "none". */
#include "config.h"

#include "../c/cupti-fixture.h"
#include "../c/profiler-fixtures.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define US G_GUINT64_CONSTANT (1000)

static long n_steps = 10;
static gboolean has_gpu = TRUE;

/* Each stream goes on where it was, and never before what the host just does. As with CUPTI, only where somebody asked. */
static void
run (const char *name,
     guint32 stream)
{
  static guint64 ends[16];
  guint64 start;

  if (!has_gpu || !fake.is_enabled (SW_CUPTI_KIND_CONCURRENT_KERNEL))
    return;
  start = MAX (fake.now () + 20 * US, ends[stream] + 3);
  ends[stream] = start + 5 * US;
  launch (name, stream, start, ends[stream]);
}

static SwTensor *
compute_by_kernel (SwOperation *operation,
                   SwValueList *inputs,
                   gpointer data,
                   GError **error)
{
  run ("relu_kernel", 7);
  return sw_value_list_dup_tensor (inputs, 0, error);
}

static void
work (void)
{
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, compute_by_kernel, NULL);
  g_autoptr (SwTensor) tensor = test_tensor_on (carrier);

  SW_TRACE_INSTANT ("begin", "test", SW_TRACE_VERBOSITY_DECISIONS);
  for (long i = 0; i < n_steps; i++)
    {
      SW_TRACE_SPAN ("step", "test", SW_TRACE_VERBOSITY_OPERATIONS);

      test_relu (tensor);
      run ("step_kernel", 8);
    }
}

/* Of a thread that goes on while the process ends. */
static void *
work_for_ever (void *unused)
{
  g_autoptr (SwCarrier) carrier = test_carrier_new (TEST_TYPE_CARRIER, NULL, NULL);
  g_autoptr (SwTensor) tensor = test_tensor_on (carrier);

  for (;;)
    test_relu (tensor);
  return NULL;
}

static void
work_beside (void)
{
  for (guint i = 0; i < 3; i++)
    {
      pthread_t thread;

      pthread_create (&thread, NULL, work_for_ever, NULL);
    }
}

/* Not with CUDA, where the parent has used it. */
static int
work_in_child (gboolean with_gpu)
{
  pid_t child = fork ();
  int status = 0;

  if (child == 0)
    {
      has_gpu = with_gpu;
      work ();
      exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 100;
}

/* As when CUDA has ended by a handler of its own. */
static void
end_cuda (void)
{
  fake.complete (0);
  fake.set_result ("cuptiActivityFlushAll", SW_CUPTI_ERROR_NOT_INITIALIZED);
}

/* The program's own way to GPU times is closed to it meanwhile. */
static void
try_own_collector (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwMemoryCollector) memory = fixture_memory ();

  g_assert_null (sw_cupti_collector_new (SW_COLLECTOR (memory), &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
}

/* And ours to it, where it was there first. */
static int
use_own_collector (void)
{
  g_autoptr (SwMemoryCollector) memory = fixture_memory ();
  g_autoptr (SwCuptiCollector) cupti = fixture_cupti (SW_COLLECTOR (memory));
  SwTraceContext *context = sw_trace_context_get_default ();

  sw_trace_context_set_verbosity (context, SW_TRACE_VERBOSITY_OPERATIONS);
  sw_trace_context_set_collector (context, SW_COLLECTOR (cupti));
  work ();
  fixture_close (SW_COLLECTOR (cupti));
  /* An instant, and for each step two spans and two kernels. */
  g_assert_cmpuint (sw_collector_get_event_count (SW_COLLECTOR (memory)), ==, 1 + 4 * n_steps);
  return 0;
}

/* Others launch things as well, and the trace ends among them. */
static int
end_among_launches (void)
{
  work_beside ();
  work ();
  return 0;
}

static int
finish_early (void)
{
  work ();
  sw_activation_finish ();
  g_assert_false (fake.is_enabled (SW_CUPTI_KIND_CONCURRENT_KERNEL));
  work ();
  _exit (0);
}

static int
go_on (const char *way)
{
  if (g_str_equal (way, "own-later"))
    try_own_collector ();
  else if (g_str_equal (way, "term"))
    raise (SIGTERM);
  else if (g_str_has_prefix (way, "fork"))
    return work_in_child (FALSE) + work_in_child (FALSE);
  return 0;
}

int
main (int argc,
      char **argv)
{
  const char *way = argc > 1 ? argv[1] : "launches";

  if (argc > 2)
    n_steps = strtol (argv[2], NULL, 10);
  has_gpu = !g_str_has_suffix (way, "none");
  if (has_gpu)
    fake_cupti_use ();
  if (g_str_equal (way, "denied"))
    fake.set_result ("cuptiActivityEnable(10)", 35);
  if (g_str_equal (way, "own-first"))
    return use_own_collector ();
  if (g_str_equal (way, "busy"))
    return end_among_launches ();
  if (g_str_equal (way, "finish"))
    return finish_early ();
  if (g_str_equal (way, "only-children"))
    return work_in_child (TRUE) + work_in_child (TRUE);
  if (g_str_equal (way, "cuda-ends-first"))
    atexit (end_cuda);
  work ();
  return go_on (way);
}
