/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/read/sw-trace-bytes-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sw/base/sw-error.h"

#define PACKED_SIZE (256 * 1024)
/* What is compressed within a file must not make much of a little. */
#define LARGEST_INSIDE (SW_TRACE_BYTES_LARGEST / 8)

static void
init (SwTraceBytes *self)
{
  memset (self, 0, sizeof *self);
  self->fd = -1;
  self->capacity = SW_TRACE_BYTES_WINDOW;
  self->largest = SW_TRACE_BYTES_LARGEST;
  self->buffer = g_malloc0 (self->capacity + SW_TRACE_BYTES_PADDING);
  self->at = self->end = self->buffer;
}

void
sw_trace_bytes_init (SwTraceBytes *self,
                     const void *bytes,
                     gsize n_bytes)
{
  init (self);
  self->memory = bytes;
  self->n_memory = n_bytes;
  self->size = n_bytes;
}

void
sw_trace_bytes_init_zlib (SwTraceBytes *self)
{
  init (self);
  self->largest = LARGEST_INSIDE;
  self->has_begun = TRUE;
  self->packed = g_malloc (PACKED_SIZE);
  self->decompressor = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
}

void
sw_trace_bytes_restart (SwTraceBytes *self,
                        const void *bytes,
                        gsize n_bytes)
{
  self->at = self->end = self->buffer;
  self->offset = 0;
  self->is_ended = self->is_broken = self->is_member_done = FALSE;
  self->memory = bytes;
  self->n_memory = n_bytes;
  self->position = 0;
  self->packed_at = self->n_packed = 0;
  g_converter_reset (self->decompressor);
}

static gboolean
set_io_error (GError **error,
              const char *path,
              int code)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot read '%s': %s", name, g_strerror (code));
  return FALSE;
}

gboolean
sw_trace_bytes_open (SwTraceBytes *self,
                     const char *path,
                     GError **error)
{
  gboolean is_stdin = g_str_equal (path, "-");
  int fd = is_stdin ? STDIN_FILENO : open (path, O_RDONLY | O_CLOEXEC);
  struct stat info;

  if (fd < 0)
    return set_io_error (error, path, errno);
  if (fstat (fd, &info) == 0 && S_ISDIR (info.st_mode))
    {
      if (!is_stdin)
        close (fd);
      return set_io_error (error, path, EISDIR);
    }
  init (self);
  self->fd = fd;
  self->owns_fd = !is_stdin;
  self->start = -1;
  if (fstat (fd, &info) == 0 && S_ISREG (info.st_mode))
    {
      self->size = (guint64) info.st_size;
      self->start = lseek (fd, 0, SEEK_CUR);
    }
  return TRUE;
}

gboolean
sw_trace_bytes_can_rewind (const SwTraceBytes *self)
{
  return self->start >= 0;
}

gboolean
sw_trace_bytes_rewind (SwTraceBytes *self,
                       GError **error)
{
  if (self->fd >= 0 && lseek (self->fd, self->start, SEEK_SET) < 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot read the file once more: %s", g_strerror (errno));
      return FALSE;
    }
  self->at = self->end = self->buffer;
  self->offset = 0;
  self->is_ended = self->is_broken = self->is_member_done = self->has_begun = FALSE;
  self->position = 0;
  self->packed_at = self->n_packed = 0;
  g_clear_object (&self->decompressor);
  g_clear_pointer (&self->packed, g_free);
  return TRUE;
}

void
sw_trace_bytes_clear (SwTraceBytes *self)
{
  if (self->owns_fd)
    close (self->fd);
  g_clear_object (&self->decompressor);
  g_free (self->packed);
  g_free (self->buffer);
}

/* Up to @n_bytes of the file itself; 0 at its end, negative after an error. */
static gssize
read_raw (SwTraceBytes *self,
          char *to,
          gsize n_bytes,
          GError **error)
{
  gssize n;

  if (self->fd < 0)
    {
      n = (gssize) MIN (n_bytes, self->n_memory - (gsize) self->position);
      if (n > 0)
        memcpy (to, self->memory + self->position, (gsize) n);
    }
  else
    {
      do
        n = read (self->fd, to, n_bytes);
      while (n < 0 && errno == EINTR);
      if (n < 0)
        g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot read on after %" G_GUINT64_FORMAT " bytes: %s", self->position,
                     g_strerror (errno));
    }
  self->position += (guint64) MAX (n, 0);
  return n;
}

/* More of what is compressed. FALSE at its end. */
static gboolean
fill_packed (SwTraceBytes *self,
             GError **error)
{
  gssize n;

  memmove (self->packed, self->packed + self->packed_at, self->n_packed - self->packed_at);
  self->n_packed -= self->packed_at;
  self->packed_at = 0;
  n = read_raw (self, self->packed + self->n_packed, PACKED_SIZE - self->n_packed, error);
  self->n_packed += (gsize) MAX (n, 0);
  return n > 0;
}

static gboolean
is_gzip (const char *bytes,
         gsize n_bytes)
{
  return n_bytes >= 2 && memcmp (bytes, "\x1f\x8b", 2) == 0;
}

/* After one member of the file: whether another one follows. NULs may, as tapes leave them. */
static gboolean
begin_member (SwTraceBytes *self,
              GError **error)
{
  for (;;)
    {
      gsize n = self->n_packed - self->packed_at;

      while (n > 0 && self->packed[self->packed_at] == '\0')
        {
          self->packed_at++;
          n--;
        }
      if (n >= 2)
        break;
      if (!fill_packed (self, error))
        {
          self->is_broken = n > 0;
          return FALSE;
        }
    }
  if (!is_gzip (self->packed + self->packed_at, self->n_packed - self->packed_at))
    {
      self->is_broken = TRUE;
      return FALSE;
    }
  g_converter_reset (self->decompressor);
  self->is_member_done = FALSE;
  return TRUE;
}

/* As read_raw (), of the bytes before they were compressed. */
static gssize
read_packed (SwTraceBytes *self,
             char *to,
             gsize n_bytes,
             GError **error)
{
  for (;;)
    {
      GConverterResult result;
      gsize n_read;
      gsize n_written;

      g_autoptr (GError) trouble = NULL;
      if (self->is_member_done && !begin_member (self, error))
        return error != NULL && *error != NULL ? -1 : 0;
      result = g_converter_convert (self->decompressor, self->packed + self->packed_at, self->n_packed - self->packed_at, to, n_bytes,
                                    G_CONVERTER_NO_FLAGS, &n_read, &n_written, &trouble);
      if (result == G_CONVERTER_ERROR)
        {
          if (g_error_matches (trouble, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT) && fill_packed (self, error))
            continue;
          self->is_broken = TRUE;
          return error != NULL && *error != NULL ? -1 : 0;
        }
      self->packed_at += n_read;
      self->is_member_done = result == G_CONVERTER_FINISHED;
      if (n_written > 0)
        return (gssize) n_written;
      if (n_read == 0 && !self->is_member_done && !fill_packed (self, error))
        {
          self->is_broken = TRUE;
          return error != NULL && *error != NULL ? -1 : 0;
        }
    }
}

/* Looks at the first bytes, which it leaves in the window. */
static gboolean
begin (SwTraceBytes *self,
       GError **error)
{
  gsize n = 0;
  gssize n_more;

  self->has_begun = TRUE;
  do
    {
      n_more = read_raw (self, self->buffer + n, 2 - n, error);
      n += (gsize) MAX (n_more, 0);
    }
  while (n_more > 0 && n < 2);
  if (n_more < 0)
    return FALSE;
  if (!is_gzip (self->buffer, n))
    {
      self->end = self->buffer + n;
      return TRUE;
    }
  self->packed = g_malloc (PACKED_SIZE);
  memcpy (self->packed, self->buffer, n);
  self->n_packed = n;
  self->decompressor = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  return TRUE;
}

static void
grow (SwTraceBytes *self)
{
  gsize n = (gsize) (self->end - self->at);

  self->capacity = MIN (2 * self->capacity, self->largest);
  self->buffer = g_realloc (self->buffer, self->capacity + SW_TRACE_BYTES_PADDING);
  self->at = self->buffer;
  self->end = self->buffer + n;
}

SwTraceBytesStatus
sw_trace_bytes_more (SwTraceBytes *self,
                     GError **error)
{
  gsize n = (gsize) (self->end - self->at);
  gsize n_before = n;
  g_autoptr (GError) trouble = NULL;

  self->offset += (guint64) (self->at - self->buffer);
  memmove (self->buffer, self->at, n);
  self->at = self->buffer;
  self->end = self->buffer + n;
  if (!self->has_begun && !begin (self, &trouble))
    self->is_ended = TRUE;
  n = (gsize) (self->end - self->at);
  /* At least twice as much as a record took that was not whole: else it would be looked at over and over. */
  if (self->capacity < 2 * n)
    {
      if (self->capacity >= self->largest)
        return SW_TRACE_BYTES_TOO_LONG;
      grow (self);
    }
  while (n < self->capacity && !self->is_ended && trouble == NULL)
    {
      gssize more = self->decompressor != NULL ? read_packed (self, self->buffer + n, self->capacity - n, &trouble)
                                               : read_raw (self, self->buffer + n, self->capacity - n, &trouble);

      self->is_ended = more <= 0;
      n += (gsize) MAX (more, 0);
    }
  self->end = self->buffer + n;
  memset (self->buffer + n, 0, SW_TRACE_BYTES_PADDING);
  if (trouble != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&trouble));
      return SW_TRACE_BYTES_FAILED;
    }
  return n > n_before ? SW_TRACE_BYTES_MORE : SW_TRACE_BYTES_END;
}
