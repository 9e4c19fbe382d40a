/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-run-private.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "sw-profiler/trace/sw-activation-request-private.h"

typedef struct
{
  char *trace;
  char *format;
  char *verbosity;
  char *gpu;
  char *by;
  gboolean table;
  gboolean no_table;
  gint64 top;
} Options;

static const char details[] =
    "Everything from PROGRAM on is the program's: its standard streams, its signals and its exit status are what they are "
    "without sw-profiler. A program that a signal ends gives 128 and the signal's number, one that is not found 127, and one "
    "that cannot be executed 126.\n\n"
    "The program finds the library as it does by itself: no search path is changed. What is printed comes after its end, on "
    "the standard error. Options are passed in the environment variables STRIDEWEAVE_TRACE and STRIDEWEAVE_PROFILE, which "
    "processes that the program starts inherit; each process writes a file of its own.";

static void
options_clear (Options *self)
{
  g_free (self->trace);
  g_free (self->format);
  g_free (self->verbosity);
  g_free (self->gpu);
  g_free (self->by);
}

static void
add_option (GString *value,
            const char *key,
            const char *option)
{
  if (option != NULL)
    g_string_append_printf (value, ",%s=%s", key, option);
}

/* FILE:FORMAT,verbosity=VERBOSITY,gpu=GPU, of which the format is always said: so no part of the name is taken for one. */
static char *
make_trace_value (const Options *options,
                  GError **error)
{
  SwTraceRequest request;
  SwTraceFormat format;
  g_autofree char *absolute = g_canonicalize_filename (options->trace, NULL);
  g_autoptr (GString) value = g_string_new (absolute);

  if (options->format == NULL && !sw_trace_format_from_path (absolute, &format))
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "'%s' ends in none of .json, .jsonl and .pftrace, with or without .gz; say --format", options->trace);
      return NULL;
    }
  if (options->format == NULL)
    g_string_append_printf (value, ":%s", (const char *const[]){ "chrome-json", "jsonl", "perfetto" }[format]);
  else
    g_string_append_printf (value, ":%s", options->format);
  add_option (value, "verbosity", options->verbosity);
  add_option (value, "gpu", options->gpu);
  if (!sw_trace_request_parse (&request, value->str, error))
    return NULL;
  g_free (request.path);
  return g_string_free (g_steal_pointer (&value), FALSE);
}

static char *
make_profile_value (const Options *options)
{
  GString *value = g_string_new ("table");

  if (options->top > 0)
    g_string_append_printf (value, ",top=%" G_GINT64_FORMAT, options->top);
  if (options->by != NULL)
    g_string_append_printf (value, ",by=%s", options->by);
  return g_string_free (value, FALSE);
}

static gboolean
check (const Options *options,
       GError **error)
{
  if (options->by != NULL && !g_str_equal (options->by, "thread"))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--by is '%s', which is not thread", options->by);
  else if (options->top < 0)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--top is %" G_GINT64_FORMAT ", which is negative",
                 options->top);
  else if (options->trace == NULL && (options->format != NULL || options->verbosity != NULL))
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--format and --verbosity are for --trace");
  else if (options->trace == NULL && options->gpu != NULL)
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--gpu is for --trace");
  else if (options->trace == NULL && options->no_table)
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--no-table without --trace records nothing");
  else if (options->table && options->no_table)
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--table and --no-table exclude each other");
  else
    return TRUE;
  return FALSE;
}

static gboolean
has_table (const Options *options)
{
  return !options->no_table;
}

/* What is there from before is replaced, as whoever names the file expects; processes themselves never do that. */
static void
remove_old_trace (const Options *options)
{
  struct stat status;

  if (lstat (options->trace, &status) == 0 && S_ISREG (status.st_mode))
    g_unlink (options->trace);
}

static char **
make_environment (const Options *options,
                  const char *folder,
                  const char *trace_value)
{
  char **environment = g_get_environ ();
  g_autofree char *profile_value = make_profile_value (options);

  environment = g_environ_setenv (environment, "STRIDEWEAVE_RUN_NOTES", folder, TRUE);
  environment = trace_value != NULL ? g_environ_setenv (environment, "STRIDEWEAVE_TRACE", trace_value, TRUE)
                                    : g_environ_unsetenv (environment, "STRIDEWEAVE_TRACE");
  return has_table (options) ? g_environ_setenv (environment, "STRIDEWEAVE_PROFILE", profile_value, TRUE)
                             : g_environ_unsetenv (environment, "STRIDEWEAVE_PROFILE");
}

static int
execute (const Options *options,
         char **argv,
         GError **error)
{
  g_autofree char *trace_value = options->trace != NULL ? make_trace_value (options, error) : NULL;
  g_autofree char *folder = NULL;
  g_autofree char *program = NULL;
  g_auto (GStrv) environment = NULL;
  int status;

  if (options->trace != NULL && trace_value == NULL)
    return SW_TOOL_USAGE;
  folder = g_dir_make_tmp ("sw-profiler-XXXXXX", error);
  if (folder == NULL)
    return SW_TOOL_FAILED;
  /* A program that there is not takes no trace away. */
  program = g_find_program_in_path (argv[0]);
  if (options->trace != NULL && program != NULL)
    remove_old_trace (options);
  environment = make_environment (options, folder, trace_value);
  status = sw_tool_run_program (argv, environment);
  if (status == 126 || status == 127)
    g_rmdir (folder);
  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    sw_tool_run_report (folder, argv[0], has_table (options), options->trace != NULL);
  return status;
}

static int
run (int argc,
     char **argv)
{
  Options options = { NULL };
  g_autoptr (GError) error = NULL;
  gboolean is_done;
  int status;
  const GOptionEntry entries[] = {
    { "trace", 't', 0, G_OPTION_ARG_FILENAME, &options.trace, "Write a trace; %p stands for the number of the process", "FILE" },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &options.format, "chrome-json, jsonl or perfetto; by default as FILE ends", "FORMAT" },
    { "verbosity", 'v', 0, G_OPTION_ARG_STRING, &options.verbosity, "decisions, operations (the default) or full", "LEVEL" },
    { "gpu", 0, 0, G_OPTION_ARG_STRING, &options.gpu, "cupti: add to the trace what GPUs of NVIDIA's do", "WHAT" },
    { "table", 0, 0, G_OPTION_ARG_NONE, &options.table, "Print the tables of operations, zones and kernels (the default)", NULL },
    { "no-table", 0, 0, G_OPTION_ARG_NONE, &options.no_table, "Print no table", NULL },
    { "top", 'n', 0, G_OPTION_ARG_INT64, &options.top, "At most N rows of it, those with the most time", "N" },
    { "by", 0, 0, G_OPTION_ARG_STRING, &options.by, "thread: a table for each thread", "WHAT" },
    { NULL },
  };

  status = sw_tool_parse (&sw_tool_run_command, entries, details, &argc, &argv, &is_done);
  if (!is_done && argc > 1 && g_str_equal (argv[1], "--"))
    {
      argv++;
      argc--;
    }
  if (!is_done && argc < 2)
    g_set_error_literal (&error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "no program is named");
  else if (!is_done && check (&options, &error))
    status = execute (&options, argv + 1, &error);
  if (error != NULL)
    {
      sw_tool_complain ("run: %s; see sw-profiler run --help", error->message);
      status = error->domain == G_FILE_ERROR ? SW_TOOL_FAILED : SW_TOOL_USAGE;
    }
  options_clear (&options);
  return status;
}

const SwToolCommand sw_tool_run_command = {
  .name = "run",
  .synopsis = "[--] PROGRAM [ARGUMENT…]",
  .summary = "Run a program, and show which operations took the time",
  .run = run,
  .stops_at_arguments = TRUE,
};
