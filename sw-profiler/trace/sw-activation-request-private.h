/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/export/sw-trace-format.h"
#include "sw-profiler/trace/sw-trace-types.h"

G_BEGIN_DECLS

/* What STRIDEWEAVE_TRACE asks for: FILE[:FORMAT][,verbosity=VERBOSITY][,gpu=cupti]. */
typedef struct
{
  char *path; /* absolute, still with its %; NULL: nothing is asked for */
  SwTraceFormat format;
  SwTraceVerbosity verbosity;
  gboolean uses_cupti;
} SwTraceRequest;

typedef enum {
  SW_PROFILE_TO_STDERR, /* the table */
  SW_PROFILE_TO_TEXT,   /* the table, into a file */
  SW_PROFILE_TO_CSV,
  SW_PROFILE_TO_JSON,
} SwProfileTarget;

/* What STRIDEWEAVE_PROFILE asks for: table or FILE, then [,top=N][,by=thread][,events=N]. */
typedef struct
{
  gboolean is_set;
  SwProfileTarget target;
  char *path;       /* as above; NULL for the standard error */
  gint64 row_limit; /* -1: all */
  gboolean by_thread;
  gint64 max_events; /* of a thread */
} SwProfileRequest;

/* In the file of JSON, all is by thread. */
static inline gboolean
sw_profile_request_counts_by_thread (const SwProfileRequest *self)
{
  return self->target == SW_PROFILE_TO_JSON || (self->by_thread && self->target != SW_PROFILE_TO_CSV);
}

/* VALUE errors that say what is wrong in @value, and leave the request empty. Nothing of it is freed. */
gboolean sw_trace_request_parse (SwTraceRequest *self,
                                 const char *value,
                                 GError **error);
gboolean sw_profile_request_parse (SwProfileRequest *self,
                                   const char *value,
                                   GError **error);

/* The format that the ending of a file name stands for, with or without .gz. */
gboolean sw_trace_format_from_path (const char *path,
                                    SwTraceFormat *format);
gboolean sw_trace_format_from_name (const char *name,
                                    SwTraceFormat *format);
gboolean sw_trace_verbosity_from_name (const char *name,
                                       SwTraceVerbosity *verbosity);

/* @path with %p as the number of the process, and %% as %. It must be valid. */
char *sw_activation_expand_path (const char *path) G_GNUC_WARN_UNUSED_RESULT;
/* Makes an empty file that is this process's alone: at @path, or where that exists, with the number of the process before
 * its ending. What is no regular file, a pipe or a device, is taken as it is. IO errors. */
char *sw_activation_claim_path (const char *path,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same where nobody has named @path: whatever is there, also a link, stays as it is. */
char *sw_activation_claim_new_path (const char *path,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
