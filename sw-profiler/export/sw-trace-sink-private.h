/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "sw-profiler/export/sw-trace-format.h"

G_BEGIN_DECLS

/* Where the bytes of a trace go: one fixed buffer before a file or a function. After the first failure, which flush and
 * close report, nothing more is written. No thread owns it, but only one may use it at a time. */

/* How a file comes to be at its path. Both make it with mode 0600, follow no symbolic link as the last part of the path,
 * and refuse a file that another sink writes at this moment. */
typedef enum {
  SW_TRACE_SINK_STREAM, /* there from the start, and readable while it grows */
  SW_TRACE_SINK_WHOLE,  /* there once it is complete: until then, and after a failure, the old one is */
} SwTraceSinkMode;

/* Takes all of the bytes, or fails for good. */
typedef gboolean (*SwTraceSinkFunc) (gpointer data,
                                     const char *bytes,
                                     gsize n_bytes,
                                     GError **error);

typedef struct
{
  char *buffer;
  gsize capacity;
  gsize n_used;
  gsize n_complete; /* bytes of whole records: what is written out ends with one */
  guint64 n_written;
  GError *error; /* the first failure */

  SwTraceSinkFunc func; /* NULL: a file */
  gpointer func_data;
  int fd;
  gboolean is_regular;
  gboolean is_streamed; /* others may read what there is so far */
  char *path;
  gboolean is_beside;   /* WHOLE: what is written is put to the path in the end */
  char *temporary_path; /* its name until then, where it has one */
  GConverter *compressor; /* NULL: none */
} SwTraceSink;

/* The buffer is written out by the writer once it holds this much. */
#define SW_TRACE_SINK_FLUSH_AT (192 * 1024)

/* Fails with IO. A path that ends in .gz is compressed. */
SwTraceSink *sw_trace_sink_new_for_path (const char *path,
                                         SwTraceSinkMode mode,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
SwTraceSink *sw_trace_sink_new (SwTraceSinkFunc func,
                                gpointer data) G_GNUC_WARN_UNUSED_RESULT;

char *sw_trace_sink_make_room (SwTraceSink *self,
                               gsize n_bytes);
/* Hands whole records on; FALSE, with @error set, after any failure so far. */
gboolean sw_trace_sink_flush (SwTraceSink *self,
                              GError **error);
/* Frees the sink, of what is not complete and will not be: nothing more is written, and of a WHOLE file nothing is left. */
void sw_trace_sink_cancel (SwTraceSink *self);
/* Frees the sink. */
gboolean sw_trace_sink_close (SwTraceSink *self,
                              GError **error);

/* Where to put up to @n_bytes, which sw_trace_sink_advance () then takes. */
static inline char *
sw_trace_sink_reserve (SwTraceSink *self,
                       gsize n_bytes)
{
  if (G_UNLIKELY (self->capacity - self->n_used < n_bytes))
    return sw_trace_sink_make_room (self, n_bytes);
  return self->buffer + self->n_used;
}

static inline void
sw_trace_sink_advance (SwTraceSink *self,
                       const char *end)
{
  self->n_used = (gsize) (end - self->buffer);
}

static inline void
sw_trace_sink_end_record (SwTraceSink *self)
{
  self->n_complete = self->n_used;
}

void sw_trace_sink_put (SwTraceSink *self,
                        const char *bytes,
                        gsize n_bytes);

G_END_DECLS
