/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A file for what has no room in memory. No name leads to it: it is gone with the program, however that ends. */

/* -1, with errno. */
int sw_spill_file_open (void);
/* At *@offset, which is then behind it. FALSE, with errno. */
gboolean sw_spill_file_write (int fd,
                              guint64 *offset,
                              const void *bytes,
                              gsize n);
/* All of the bytes; fails with IO. */
gboolean sw_spill_file_read (int fd,
                             guint64 offset,
                             void *bytes,
                             gsize n,
                             GError **error);

G_END_DECLS
