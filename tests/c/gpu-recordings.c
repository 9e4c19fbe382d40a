/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records spans and what they launch on GPUs into a file of each format, for tests in Python to read: gpu-recordings FOLDER.
 * The GPUs are made up, see fake-cupti.c. */
#include "config.h"

#include "cupti-fixture.h"

#include <stdlib.h>
#include <string.h>

#define US G_GUINT64_CONSTANT (1000)
#define N_STEPS 20

static SwCollector *
open_files (const char *folder)
{
  static const struct
  {
    const char *name;
    SwTraceFormat format;
  } files[] = {
    { "gpu.json", SW_TRACE_FORMAT_CHROME_JSON },
    { "gpu.jsonl", SW_TRACE_FORMAT_JSONL },
    { "gpu.pftrace", SW_TRACE_FORMAT_PERFETTO },
  };
  SwCollector *collectors[G_N_ELEMENTS (files)];
  SwCollector *composite;

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i].name, NULL);

      collectors[i] = SW_COLLECTOR (sw_file_collector_new (path, files[i].format, NULL));
    }
  composite = SW_COLLECTOR (sw_composite_collector_new (collectors, G_N_ELEMENTS (files), NULL));
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    g_object_unref (collectors[i]);
  return composite;
}

static guint64 ends[16]; /* of what runs on each stream */

/* Each stream goes on where it was, and never before what the host just does. */
static guint64
run (const char *name,
     guint32 stream,
     guint64 duration)
{
  guint64 start = MAX (fake.now () + 50 * US, ends[stream] + 3);

  ends[stream] = start + duration;
  launch (name, stream, start, ends[stream]);
  return start;
}

static void
step (SwTraceContext *context)
{
  SW_TRACE_SPAN_IN (context, "step", "test", SW_TRACE_VERBOSITY_OPERATIONS);

  run ("forward", 7, 5 * US + 123);
  {
    SW_TRACE_SPAN_IN (context, "backward", "test", SW_TRACE_VERBOSITY_OPERATIONS, SW_TRACE_INT64 ("part", 1));

    run ("backward", 7, 7 * US);
    run ("reduce", 8, 2 * US);
  }
  run ("update", 7, US);
  {
    SW_TRACE_SPAN_IN (context, "idle", "test", SW_TRACE_VERBOSITY_OPERATIONS);
  }
}

static void
record_odd_ones (SwTraceContext *context)
{
  char *long_name = g_strnfill (4096, 'k');
  guint64 start;

  SW_TRACE_SPAN_IN (context, "odd", "test", SW_TRACE_VERBOSITY_OPERATIONS);

  /* What runs at once, within and across each other. */
  start = run ("wide", 9, 100 * US);
  launch ("within", 9, start + 10 * US, start + 20 * US);
  launch ("across", 9, start + 90 * US, start + 120 * US);
  start = run ("quoted \"\\\n\xff", 10, US);
  run (long_name, 10, US);
  run ("no time", 10, 0);
  run ("after no time", 10, US);
  /* The host may have been so quick that the stream is far behind. */
  start = MAX (start, ends[7]);
  put_memcpy (1, 4096, start + 200 * US, start + 201 * US);
  put_memcpy (10, 4096, start + 202 * US, start + 203 * US);
  put_memset (512, start + 204 * US, start + 205 * US);
  put_kernel_on (1, 4, 7, start, start + US);
  put_overhead (1 << 16, start, start + 5 * US);
  put_overhead (2 << 16, start + 2 * US, start + 6 * US);
  /* The names are read when they are needed, and CUPTI's live for as long as it does. */
}

int
main (int argc,
      char *argv[])
{
  g_autoptr (SwCollector) files = NULL;
  g_autoptr (SwCollector) cupti = NULL;
  g_autoptr (SwTraceContext) context = NULL;
  g_autoptr (GError) error = NULL;

  if (argc != 2)
    return 2;
  fake_cupti_use ();
  files = open_files (argv[1]);
  cupti = SW_COLLECTOR (fixture_cupti (files));
  context = fixture_context (cupti, SW_TRACE_VERBOSITY_FULL);
  sw_trace_context_set_thread_name ("host");
  run ("before all", 7, US);
  for (guint i = 0; i < N_STEPS; i++)
    step (context);
  record_odd_ones (context);
  if (!sw_collector_close (cupti, &error))
    g_error ("%s", error->message);
  return EXIT_SUCCESS;
}
