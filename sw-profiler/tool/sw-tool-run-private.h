/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/tool/sw-tool-private.h"

G_BEGIN_DECLS

/* Runs a program as if this process were it: signals are passed on, standing still and going on included. Returns what it
 * exits with, 128 and the number of the signal that ended it, or 127 or 126, with a message, where there is no such
 * program or it cannot be executed. */
int sw_tool_run_program (char **argv,
                         char **environment);

/* Prints on the standard error what the processes of a program noted down in @folder, and removes it. */
void sw_tool_run_report (const char *folder,
                         const char *program,
                         gboolean wants_table,
                         gboolean wants_trace);

G_END_DECLS
