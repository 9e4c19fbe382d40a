/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-sink-private.h"
#include "sw-profiler/tool/sw-tool-private.h"

G_BEGIN_DECLS

/* The file that a command writes. */

typedef enum {
  SW_TOOL_FORM_CHROME_JSON,
  SW_TOOL_FORM_JSONL,
  SW_TOOL_FORM_PERFETTO,
  SW_TOOL_FORM_FOLDED,
  SW_TOOL_FORM_SPEEDSCOPE,
} SwToolForm;

#define SW_TOOL_FORM_NAMES "chrome-json, jsonl, perfetto, folded or speedscope"

/* By its name, or where that is NULL by how @path ends. Fails with VALUE. */
gboolean sw_tool_form_find (const char *name,
                            const char *path,
                            SwToolForm *form,
                            GError **error);
/* FALSE, with a VALUE error, where one of the files that are read is the one that would be written. */
gboolean sw_tool_output_check (const char *path,
                               char *const *inputs,
                               guint n_inputs,
                               GError **error);
/* "-" is the standard output; any other file is there once it is complete. Fails with IO. */
SwTraceSink *sw_tool_output_open (const char *path,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
