/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The statuses that sw-profiler exits with, `run` apart, which passes on that of its program. */
typedef enum {
  SW_TOOL_OK = 0,
  SW_TOOL_FAILED = 1,
  SW_TOOL_USAGE = 2,
  SW_TOOL_TRUNCATED = 3,  /* done, but an input was cut short or broken */
  SW_TOOL_REGRESSION = 4, /* `diff` found one */
} SwToolStatus;

/* A command: one file of this folder, sw-tool-NAME.c. */
typedef struct
{
  const char *name;
  const char *synopsis; /* what stands behind the name in the usage line */
  const char *summary;  /* one line */
  int (*run) (int argc, char **argv); /* argv[0] is the command's name */
  gboolean stops_at_arguments;        /* options end where the first argument is */
} SwToolCommand;

extern const SwToolCommand sw_tool_convert_command;
extern const SwToolCommand sw_tool_diff_command;
extern const SwToolCommand sw_tool_flame_command;
extern const SwToolCommand sw_tool_merge_command;
extern const SwToolCommand sw_tool_run_command;
extern const SwToolCommand sw_tool_summary_command;
extern const SwToolCommand sw_tool_tree_command;

/* Parses the options of a command out of @argv, which keeps what is left; 0, or the status to return at once: of a wrong
 * option, whose message is printed, or of --help. @details: what --help says below the options. */
int sw_tool_parse (const SwToolCommand *command,
                   const GOptionEntry *entries,
                   const char *details,
                   int *argc,
                   char ***argv,
                   gboolean *is_done);
/* "sw-profiler: MESSAGE" on the standard error. */
void sw_tool_complain (const char *format,
                       ...) G_GNUC_PRINTF (1, 2);

G_END_DECLS
