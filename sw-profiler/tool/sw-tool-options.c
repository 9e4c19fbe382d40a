/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>

#include "sw-profiler/tool/sw-tool-private.h"
#include "sw-profiler/tool/sw-tool-text-private.h"

void
sw_tool_complain (const char *format,
                  ...)
{
  va_list arguments;
  g_autofree char *message = NULL;
  g_autofree char *shown = NULL;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  shown = sw_tool_text_harmless (message);
  fprintf (stderr, "sw-profiler: %s\n", shown);
}

static void
print_help (GOptionContext *context,
            const SwToolCommand *command)
{
  g_autofree char *help = g_option_context_get_help (context, TRUE, NULL);

  /* GLib knows the name of the program only, not that of the command. */
  g_autofree char *usage = g_strdup_printf ("Usage:\n  sw-profiler %s [OPTION…] %s\n", command->name, command->synopsis);
  const char *rest = strstr (help, "\n\n");

  fputs (usage, stdout);
  fputs (rest != NULL ? rest + 1 : help, stdout);
}

int
sw_tool_parse (const SwToolCommand *command,
               const GOptionEntry *entries,
               const char *details,
               int *argc,
               char ***argv,
               gboolean *is_done)
{
  g_autoptr (GOptionContext) context = g_option_context_new (command->synopsis);
  g_autoptr (GError) error = NULL;
  gboolean wants_help = FALSE;
  const GOptionEntry help[] = {
    { "help", 'h', 0, G_OPTION_ARG_NONE, &wants_help, "Show this help", NULL },
    { NULL },
  };

  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_strict_posix (context, command->stops_at_arguments);
  g_option_context_set_summary (context, command->summary);
  g_option_context_set_description (context, details);
  g_option_context_add_main_entries (context, help, NULL);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);
  *is_done = TRUE;
  if (!g_option_context_parse (context, argc, argv, &error))
    {
      sw_tool_complain ("%s: %s; see sw-profiler %s --help", command->name, error->message, command->name);
      return SW_TOOL_USAGE;
    }
  if (wants_help)
    {
      print_help (context, command);
      return SW_TOOL_OK;
    }
  *is_done = FALSE;
  return SW_TOOL_OK;
}
