/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The directory that the files of this process lie in. Its process holds a lock on it, so that others know a directory
 * that nobody uses any more from the death of its process, and remove it. */

/* Makes it where there is none yet; a forked child makes its own. */
const char *
sw_scratch_directory_get (GError **error);
/* Makes the directory of this process again, at the same path, where somebody removed it. Whether there is a new one. */
gboolean
sw_scratch_directory_restore (void);

/* IO error: "cannot do something with this path: reason". */
void
sw_scratch_set_error (GError **error,
                      int reason,
                      const char *action,
                      const char *path);

G_END_DECLS
