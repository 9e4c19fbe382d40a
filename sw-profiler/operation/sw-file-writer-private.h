/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Writes a file as a whole: until it is committed, whatever was at its path stays there. */
typedef struct _SwFileWriter SwFileWriter;

SwFileWriter *sw_file_writer_new (const char *path,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Writes no file, but a text. */
SwFileWriter *sw_file_writer_new_in_memory (void) G_GNUC_WARN_UNUSED_RESULT;
/* The text, and frees the writer. */
char *sw_file_writer_finish (SwFileWriter *self) G_GNUC_WARN_UNUSED_RESULT;
/* After the first failure, which commit reports, nothing more is written. */
void sw_file_writer_put (SwFileWriter *self,
                         const char *bytes,
                         gsize n_bytes);
void sw_file_writer_put_string (SwFileWriter *self,
                                const char *text);
void sw_file_writer_put_int64 (SwFileWriter *self,
                               gint64 value);
void sw_file_writer_put_uint64 (SwFileWriter *self,
                                guint64 value);
/* Puts the file in place and frees the writer; fails with IO and leaves nothing behind. */
gboolean sw_file_writer_commit (SwFileWriter *self,
                                GError **error);

G_END_DECLS
