/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-output-private.h"
#include "sw-profiler/tool/sw-tool-source-private.h"
#include "sw-profiler/tool/sw-tool-stacks-private.h"

/* Of memory, for events; more wait in a file. */
#define BUDGET ((gsize) 96 * 1024 * 1024)

static const char details[] =
    "OUT is written as its name ends, or as --format says: .json is Chrome's trace-event JSON, .jsonl one object a line, .pftrace\n"
    "Perfetto's protobuf; and .gz behind any of them compresses. IN is any of these, by whomever it was written. \"-\" is the standard\n"
    "input or output. .folded is stacks with their self times in nanoseconds, for flame graph tools; .speedscope.json is for\n"
    "speedscope.app: these two hold slices of threads and GPU queues only.\n"
    "\n"
    "Names, categories, times in nanoseconds, nesting, arguments, flows, counters, processes and threads are kept. What the format of OUT\n"
    "has no place for is named on the standard error, with its number. OUT is there once it is complete.\n"
    "\n"
    "Exit status: 0 done, 1 IN could not be read or OUT not be written, 2 wrong options, 3 done, but IN is cut short or broken.";

static void
say (const char *path,
     GPtrArray *notes)
{
  for (guint i = 0; i < notes->len; i++)
    sw_tool_complain ("%s: %s", path, (const char *) g_ptr_array_index (notes, i));
}

/* The sink is gone, whatever comes of it. */
static int
convert_trace (const char *in,
               SwTraceFormat format,
               SwTraceSink *sink,
               GError **error)
{
  g_autoptr (SwToolSource) source = sw_tool_source_read (in, BUDGET, error);
  g_autoptr (GPtrArray) sources = g_ptr_array_new ();
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);

  if (source == NULL)
    {
      sw_trace_sink_cancel (sink);
      return SW_TOOL_FAILED;
    }
  g_ptr_array_add (sources, source);
  sw_tool_report_add_notes (&source->report, notes);
  if (!sw_tool_sources_write (sources, format, sink, notes, error))
    return SW_TOOL_FAILED;
  say (in, notes);
  return sw_tool_report_is_broken (&source->report) ? SW_TOOL_TRUNCATED : SW_TOOL_OK;
}

/* The same. */
static int
convert_stacks (const char *in,
                SwToolForm form,
                SwTraceSink *sink,
                GError **error)
{
  g_autoptr (SwToolTrace) trace = sw_tool_trace_load (in, error);
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  gboolean is_done;

  if (trace == NULL)
    {
      sw_trace_sink_cancel (sink);
      return SW_TOOL_FAILED;
    }
  sw_tool_report_add_notes (&trace->report, notes);
  is_done = form == SW_TOOL_FORM_FOLDED ? sw_tool_write_folded (trace, sink, notes, error)
                                        : sw_tool_write_speedscope (trace, sink, notes, error);
  if (!is_done)
    return SW_TOOL_FAILED;
  say (in, notes);
  return sw_tool_trace_is_broken (trace) ? SW_TOOL_TRUNCATED : SW_TOOL_OK;
}

static int
convert (const char *in,
         const char *out,
         SwToolForm form)
{
  g_autoptr (GError) error = NULL;
  SwTraceSink *sink = sw_tool_output_open (out, &error);
  int status = SW_TOOL_FAILED;

  if (sink != NULL && form > SW_TOOL_FORM_PERFETTO)
    status = convert_stacks (in, form, sink, &error);
  else if (sink != NULL)
    status = convert_trace (in, (SwTraceFormat) form, sink, &error);
  if (error != NULL)
    sw_tool_complain ("%s: %s", sink != NULL ? in : out, error->message);
  return status;
}

static int
run (int argc,
     char **argv)
{
  g_autofree char *format = NULL;
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "format", 'f', 0, G_OPTION_ARG_STRING, &format, SW_TOOL_FORM_NAMES, "FORMAT" },
    { NULL },
  };
  SwToolForm form;
  gboolean is_done;
  int status = sw_tool_parse (&sw_tool_convert_command, entries, details, &argc, &argv, &is_done);

  if (is_done)
    return status;
  if (argc != 3)
    {
      sw_tool_complain ("convert: two files are needed, not %d; see sw-profiler convert --help", argc - 1);
      return SW_TOOL_USAGE;
    }
  if (!sw_tool_form_find (format, argv[2], &form, &error) || !sw_tool_output_check (argv[2], argv + 1, 1, &error))
    {
      sw_tool_complain ("convert: %s", error->message);
      return SW_TOOL_USAGE;
    }
  return convert (argv[1], argv[2], form);
}

const SwToolCommand sw_tool_convert_command = { "convert", "IN OUT", "A trace in another format", run };
