/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <unistd.h>

#include "sw-profiler/tool/sw-tool-private.h"
#include "sw-profiler/trace/sw-activation-private.h"

static const SwToolCommand *const commands[] = {
  &sw_tool_run_command,
  &sw_tool_summary_command,
  &sw_tool_tree_command,
  &sw_tool_diff_command,
  &sw_tool_flame_command,
  &sw_tool_convert_command,
  &sw_tool_merge_command,
  NULL,
};

static void
print_usage (FILE *stream)
{
  fputs ("Usage:\n  sw-profiler COMMAND [OPTION…] [ARGUMENT…]\n\n"
         "Profiles programs that use Strideweave, and reads what profilers wrote.\n\nCommands:\n",
         stream);
  for (gsize i = 0; commands[i] != NULL; i++)
    fprintf (stream, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
  fputs ("\nsw-profiler COMMAND --help, or help COMMAND, says more of each; sw-profiler --version says which version it is.\n", stream);
}

static const SwToolCommand *
find_command (const char *name)
{
  for (gsize i = 0; commands[i] != NULL; i++)
    if (g_str_equal (commands[i]->name, name))
      return commands[i];
  return NULL;
}

/* help, or help COMMAND. */
static int
show_help (int argc,
           char **argv)
{
  const SwToolCommand *command = argc > 2 ? find_command (argv[2]) : NULL;
  char *wanted[] = { argc > 2 ? argv[2] : NULL, (char *) "--help", NULL };

  if (argc > 2 && command == NULL)
    {
      sw_tool_complain ("%s is no command; see sw-profiler --help", argv[2]);
      return SW_TOOL_USAGE;
    }
  if (command != NULL)
    return command->run (2, wanted);
  print_usage (stdout);
  return SW_TOOL_OK;
}

/* What was printed and did not arrive is a failure. */
static int
finish (int status)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;
  sw_tool_complain ("the standard output cannot be written: %s", g_strerror (errno));
  return SW_TOOL_FAILED;
}

/* Whoever closed one of the standard streams would get the next file that is opened there: what is opened here instead lets nothing through. */
static void
occupy_streams (void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) < 0)
      open ("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int
main (int argc,
      char **argv)
{
  const SwToolCommand *command;

  occupy_streams ();
  setlocale (LC_ALL, "");
  /* The library inside is not what is to be recorded. */
  sw_activation_forget ();
  if (argc < 2)
    {
      print_usage (stderr);
      return SW_TOOL_USAGE;
    }
  if (g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h"))
    return finish (show_help (1, argv));
  if (g_str_equal (argv[1], "help"))
    return finish (show_help (argc, argv));
  if (g_str_equal (argv[1], "--version"))
    {
      puts ("sw-profiler " SW_VERSION);
      return finish (SW_TOOL_OK);
    }
  command = find_command (argv[1]);
  if (command == NULL)
    {
      sw_tool_complain ("%s is no command; see sw-profiler --help", argv[1]);
      return SW_TOOL_USAGE;
    }
  return finish (command->run (argc - 1, argv + 1));
}
