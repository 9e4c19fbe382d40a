/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "sw/base/sw-error.h"

G_BEGIN_DECLS

/* Files of raw bytes in a hidden directory that only this user can enter. It is made when the process first needs it
 * and goes, with everything in it, when that process ends; a forked child makes its own.
 *
 * Files are opened for each access, so that thousands of them need no descriptors, and an access in progress is not
 * disturbed by the removal of the file. Every failure is an IO error that names the path and the reason.
 */

/* Begins the names that sw_scratch_reserve () gives. */
#define SW_SCRATCH_RESERVED_PREFIX ".strideweave-"

/* The path of a new empty file of that name; fails when there is one already. */
char *sw_scratch_create (const char *filename,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A path that nobody else gets; without a file until something is written to it. */
char *sw_scratch_reserve (GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Makes the file of a reserved path, empty, where it does not exist. */
gboolean sw_scratch_touch (const char *path,
                           GError **error);
void sw_scratch_remove (const char *path);

gboolean sw_scratch_read (const char *path,
                          gint64 offset,
                          gpointer data,
                          gsize n_bytes,
                          GError **error);
/* Overwrites bytes that are there. They keep their values where that fails. */
gboolean sw_scratch_overwrite (const char *path,
                               gint64 offset,
                               gconstpointer data,
                               gsize n_bytes,
                               GError **error);
/* Makes a file of @n_total bytes: first @data, then what the file had from there on. All or nothing. */
gboolean sw_scratch_replace (const char *path,
                             gconstpointer data,
                             gsize n_bytes,
                             gsize n_total,
                             GError **error);
/* Makes a file of @n_bytes zeros, with room for them on the disk. All or nothing. */
gboolean sw_scratch_fill (const char *path,
                          gsize n_bytes,
                          GError **error);

G_END_DECLS
