/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The bytes of a trace, uncompressed, through a window that slides: a reader takes whole records out of it, and asks for more
 * when the last one in it is cut. The window grows only where a single record is larger. */

/* Behind the window stand this many NULs, so that who scans it need not look where it ends. */
#define SW_TRACE_BYTES_PADDING 64
/* A window, and what single records may make of it. */
#define SW_TRACE_BYTES_WINDOW (1024 * 1024)
#define SW_TRACE_BYTES_LARGEST (512 * 1024 * 1024)

typedef struct
{
  const char *at;     /* what was not taken yet */
  const char *end;    /* of the window; a NUL stands there */
  char *buffer;
  gsize capacity;
  guint64 offset;     /* of the buffer in the uncompressed bytes */
  gboolean is_ended;  /* nothing comes after the window */
  gsize largest;      /* window */
  gboolean is_broken; /* the compressed bytes go wrong, or stop, there */

  int fd;             /* -1: memory */
  gboolean owns_fd;
  const char *memory;
  gsize n_memory;
  gint64 start;       /* where it was when reading began; -1: it cannot go back to that */
  guint64 position;   /* in the file itself, from there */
  guint64 size;       /* 0: not known */
  gboolean has_begun;

  GConverter *decompressor; /* NULL: not compressed */
  gboolean is_member_done;
  char *packed;
  gsize packed_at;
  gsize n_packed;
} SwTraceBytes;

gboolean sw_trace_bytes_open (SwTraceBytes *self,
                              const char *path,
                              GError **error);
/* Does not take them. */
void sw_trace_bytes_init (SwTraceBytes *self,
                          const void *bytes,
                          gsize n_bytes);
/* Bytes in zlib's format, of which single records may be a part of the usual size. */
void sw_trace_bytes_init_zlib (SwTraceBytes *self);
/* Begins with these; does not take them. Only after the one above. */
void sw_trace_bytes_restart (SwTraceBytes *self,
                             const void *bytes,
                             gsize n_bytes);
void sw_trace_bytes_clear (SwTraceBytes *self);
/* Whether all can be read once more, and back to the beginning for that. */
gboolean sw_trace_bytes_can_rewind (const SwTraceBytes *self);
gboolean sw_trace_bytes_rewind (SwTraceBytes *self,
                                GError **error);

typedef enum {
  SW_TRACE_BYTES_MORE,
  SW_TRACE_BYTES_END,      /* there are no more */
  SW_TRACE_BYTES_TOO_LONG, /* one record would need more than the largest window */
  SW_TRACE_BYTES_FAILED,   /* with an IO error */
} SwTraceBytesStatus;

/* Moves what was not taken to the front of the window, and fills it up. */
SwTraceBytesStatus sw_trace_bytes_more (SwTraceBytes *self,
                                        GError **error);

static inline guint64
sw_trace_bytes_offset (const SwTraceBytes *self,
                       const char *at)
{
  return self->offset + (guint64) (at - self->buffer);
}

G_END_DECLS
