/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Hashes for tables whose keys come out of files: whoever writes a file does not know the numbers that this process mixes in, and so cannot
 * choose keys that all fall on one place. They are others in each process: nothing that is written may depend on them. */

guint64 sw_hash_bytes (const void *bytes,
                       gsize n_bytes);

/* For g_hash_table_new (): of a number of 64 bits, a text and a GBytes. */
guint sw_hash_int64 (gconstpointer number);
guint sw_hash_text (gconstpointer text);
guint sw_hash_gbytes (gconstpointer bytes);

G_END_DECLS
