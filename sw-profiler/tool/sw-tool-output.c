/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-output-private.h"

#include <sys/stat.h>
#include <unistd.h>

#include "sw-profiler/export/sw-trace-file-private.h"
#include "sw/base/sw-error.h"

static const char *const names[] = {
  [SW_TOOL_FORM_CHROME_JSON] = "chrome-json",
  [SW_TOOL_FORM_JSONL] = "jsonl",
  [SW_TOOL_FORM_PERFETTO] = "perfetto",
  [SW_TOOL_FORM_FOLDED] = "folded",
  [SW_TOOL_FORM_SPEEDSCOPE] = "speedscope",
};

static gboolean
find_by_ending (const char *path,
                SwToolForm *form)
{
  /* The longer ones first. */
  static const struct
  {
    const char *ending;
    SwToolForm form;
  } endings[] = {
    { ".speedscope.json", SW_TOOL_FORM_SPEEDSCOPE },
    { ".json", SW_TOOL_FORM_CHROME_JSON },
    { ".jsonl", SW_TOOL_FORM_JSONL },
    { ".pftrace", SW_TOOL_FORM_PERFETTO },
    { ".perfetto-trace", SW_TOOL_FORM_PERFETTO },
    { ".perfetto", SW_TOOL_FORM_PERFETTO },
    { ".folded", SW_TOOL_FORM_FOLDED },
  };
  g_autofree char *plain = g_strndup (path, strlen (path) - (g_str_has_suffix (path, ".gz") ? 3 : 0));

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (plain, endings[i].ending))
      {
        *form = endings[i].form;
        return TRUE;
      }
  return FALSE;
}

gboolean
sw_tool_form_find (const char *name,
                   const char *path,
                   SwToolForm *form,
                   GError **error)
{
  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], name))
      {
        *form = (SwToolForm) i;
        return TRUE;
      }
  if (name != NULL)
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "--format is %s, which is none of " SW_TOOL_FORM_NAMES, name);
  else if (find_by_ending (path, form))
    return TRUE;
  else
    g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the name of %s says no format; --format does, with " SW_TOOL_FORM_NAMES,
                 g_str_equal (path, "-") ? "the standard output" : path);
  return FALSE;
}

static gboolean
get_status (const char *path,
            int standard,
            struct stat *status)
{
  return (g_str_equal (path, "-") ? fstat (standard, status) : stat (path, status)) == 0;
}

gboolean
sw_tool_output_check (const char *path,
                      char *const *inputs,
                      guint n_inputs,
                      GError **error)
{
  struct stat output, input;

  if (!get_status (path, STDOUT_FILENO, &output) || !S_ISREG (output.st_mode))
    return TRUE;
  for (guint i = 0; i < n_inputs; i++)
    if (get_status (inputs[i], STDIN_FILENO, &input) && input.st_dev == output.st_dev && input.st_ino == output.st_ino)
      {
        g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s is read, and so cannot be written: it is the same file as %s", inputs[i], path);
        return FALSE;
      }
  return TRUE;
}

static gboolean
write_to_standard_output (gpointer data,
                          const char *bytes,
                          gsize n_bytes,
                          GError **error)
{
  int error_number = sw_trace_file_write (STDOUT_FILENO, bytes, n_bytes);

  if (error_number == 0)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot write to the standard output: %s", g_strerror (error_number));
  return FALSE;
}

SwTraceSink *
sw_tool_output_open (const char *path,
                     GError **error)
{
  if (g_str_equal (path, "-"))
    return sw_trace_sink_new (write_to_standard_output, NULL);
  return sw_trace_sink_new_for_path (path, SW_TRACE_SINK_WHOLE, error);
}
