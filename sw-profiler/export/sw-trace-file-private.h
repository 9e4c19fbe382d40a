/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Opens what a trace is written to in place: a new file, an old one that nobody else writes a trace to, a pipe that is
 * read, or a device. Never what a symbolic link names. -1, with errno, when it cannot be. */
int sw_trace_file_open (const char *path,
                        gboolean *is_regular);
/* A new file in the folder of @path, which is not there or is a regular file. Where the file system can, it has no name yet, so that nothing of it
 * is left when the program is killed; else its name is in @temporary_path, which is NULL otherwise. */
int sw_trace_file_open_beside (const char *path,
                               char **temporary_path);
/* Makes it what is at @path, whole; takes @temporary_path. 0, or the errno; then it is gone. */
int sw_trace_file_put_in_place (int fd,
                                char *temporary_path,
                                const char *path);
/* Whether @path can be replaced by another file: it is a regular file, or nothing. */
gboolean sw_trace_file_is_replaceable (const char *path);
/* All of the bytes, however often interrupted. Neither SIGPIPE nor SIGXFSZ reaches the program. 0, or the errno. */
int sw_trace_file_write (int fd,
                         const char *bytes,
                         gsize n_bytes);

G_END_DECLS
