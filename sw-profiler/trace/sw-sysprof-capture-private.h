/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A capture in Sysprof's format, as its own library writes it; the only file that knows whether there is one. One thread at a
 * time. Functions that return a truth value say whether writing worked; errno says why not. */
typedef struct _SwSysprofCapture SwSysprofCapture;

gboolean sw_sysprof_capture_is_built (void);
/* Takes the file. NULL, with errno. */
SwSysprofCapture *sw_sysprof_capture_new (int fd) G_GNUC_WARN_UNUSED_RESULT;
void sw_sysprof_capture_free (SwSysprofCapture *self);

/* Texts are cut to what the format has room for. */
gboolean sw_sysprof_capture_add_mark (SwSysprofCapture *self,
                                      gint64 time_ns,
                                      gint64 duration_ns,
                                      const char *group,
                                      const char *name,
                                      const char *message);
/* Which counter to set; 0: it could not be made. */
guint sw_sysprof_capture_add_counter (SwSysprofCapture *self,
                                      gint64 time_ns,
                                      const char *name,
                                      gboolean is_integer);
gboolean sw_sysprof_capture_set_counter (SwSysprofCapture *self,
                                         gint64 time_ns,
                                         guint counter,
                                         gint64 integer,
                                         double real,
                                         gboolean is_integer);
gboolean sw_sysprof_capture_add_metadata (SwSysprofCapture *self,
                                          gint64 time_ns,
                                          const char *id,
                                          const char *text);
gboolean sw_sysprof_capture_flush (SwSysprofCapture *self);

G_END_DECLS
