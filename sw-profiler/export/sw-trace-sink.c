/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-sink-private.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sw-profiler/export/sw-trace-file-private.h"
#include "sw/base/sw-error.h"

#define CAPACITY (256 * 1024)
#define COMPRESSED_SIZE (64 * 1024)

static const char *
describe (int error_number)
{
  if (error_number == EBUSY)
    return "another trace is being written to it";
  if (error_number == ELOOP)
    return "it is a symbolic link";
  if (error_number == ESTALE)
    return "the file was deleted while it was being written";
  return g_strerror (error_number);
}

static void
fail (SwTraceSink *self,
      int error_number)
{
  g_autofree char *name = g_filename_display_name (self->path);

  if (self->error == NULL)
    g_set_error (&self->error, SW_ERROR, SW_ERROR_IO, "cannot write the trace '%s': %s", name, describe (error_number));
}

static SwTraceSink *
sink_new (void)
{
  SwTraceSink *self = g_new0 (SwTraceSink, 1);

  self->capacity = CAPACITY;
  self->buffer = g_malloc (self->capacity);
  self->fd = -1;
  return self;
}

static void
sink_free (SwTraceSink *self)
{
  if (self->fd >= 0)
    close (self->fd);
  g_clear_object (&self->compressor);
  g_clear_error (&self->error);
  g_free (self->temporary_path);
  g_free (self->path);
  g_free (self->buffer);
  g_free (self);
}

SwTraceSink *
sw_trace_sink_new (SwTraceSinkFunc func,
                   gpointer data)
{
  SwTraceSink *self = sink_new ();

  self->func = func;
  self->func_data = data;
  return self;
}

SwTraceSink *
sw_trace_sink_new_for_path (const char *path,
                            SwTraceSinkMode mode,
                            GError **error)
{
  SwTraceSink *self = sink_new ();

  self->path = g_strdup (path);
  self->is_streamed = mode == SW_TRACE_SINK_STREAM;
  if (mode == SW_TRACE_SINK_WHOLE && sw_trace_file_is_replaceable (path))
    {
      self->fd = sw_trace_file_open_beside (path, &self->temporary_path);
      self->is_regular = TRUE;
      self->is_beside = TRUE;
    }
  else
    {
      self->fd = sw_trace_file_open (path, &self->is_regular);
    }
  if (self->fd < 0)
    {
      fail (self, errno);
      g_propagate_error (error, g_steal_pointer (&self->error));
      sink_free (self);
      return NULL;
    }
  if (g_str_has_suffix (path, ".gz"))
    self->compressor = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6));
  return self;
}

/* What was written of a record before the failure is taken back where that is possible: a half record helps nobody. */
static void
write_bytes (SwTraceSink *self,
             const char *bytes,
             gsize n_bytes)
{
  int error_number;

  if (self->error != NULL || n_bytes == 0)
    return;
  if (self->func != NULL)
    {
      if (!self->func (self->func_data, bytes, n_bytes, &self->error) && self->error == NULL)
        g_set_error_literal (&self->error, SW_ERROR, SW_ERROR_IO, "what the trace is written to takes no more");
      return;
    }

  error_number = sw_trace_file_write (self->fd, bytes, n_bytes);
  if (error_number == 0)
    {
      self->n_written += n_bytes;
      return;
    }
  fail (self, error_number);
  if (self->is_regular && self->compressor == NULL && ftruncate (self->fd, (off_t) self->n_written) != 0)
    g_debug ("cannot shorten '%s': %s", self->path, g_strerror (errno));
}

static void
compress_bytes (SwTraceSink *self,
                const char *bytes,
                gsize n_bytes,
                GConverterFlags flags)
{
  g_autofree char *compressed = g_malloc (COMPRESSED_SIZE);
  GConverterResult result = G_CONVERTER_CONVERTED;

  while (self->error == NULL && (n_bytes > 0 || (flags != 0 && result == G_CONVERTER_CONVERTED)))
    {
      gsize n_read = 0;
      gsize n_made = 0;
      GError *error = NULL;

      result = g_converter_convert (self->compressor, bytes, n_bytes, compressed, COMPRESSED_SIZE, flags, &n_read, &n_made,
                                    &error);
      if (result == G_CONVERTER_ERROR)
        {
          g_set_error (&self->error, SW_ERROR, SW_ERROR_IO, "cannot compress the trace '%s': %s", self->path, error->message);
          g_error_free (error);
          return;
        }
      bytes += n_read;
      n_bytes -= n_read;
      write_bytes (self, compressed, n_made);
    }
}

static void
hand_on (SwTraceSink *self,
         gsize n_bytes,
         GConverterFlags flags)
{
  if (self->compressor != NULL)
    compress_bytes (self, self->buffer, n_bytes, flags);
  else
    write_bytes (self, self->buffer, n_bytes);
  memmove (self->buffer, self->buffer + n_bytes, self->n_used - n_bytes);
  self->n_used -= n_bytes;
  self->n_complete = 0;
}

/* The usual record fits; a longer one, of a very long name, makes the buffer grow. */
char *
sw_trace_sink_make_room (SwTraceSink *self,
                         gsize n_bytes)
{
  hand_on (self, self->n_complete, 0);
  if (self->capacity - self->n_used < n_bytes)
    {
      self->capacity = self->n_used + n_bytes + CAPACITY;
      self->buffer = g_realloc (self->buffer, self->capacity);
    }
  return self->buffer + self->n_used;
}

void
sw_trace_sink_put (SwTraceSink *self,
                   const char *bytes,
                   gsize n_bytes)
{
  char *at = sw_trace_sink_reserve (self, n_bytes);

  memcpy (at, bytes, n_bytes);
  sw_trace_sink_advance (self, at + n_bytes);
}

static gboolean
report (SwTraceSink *self,
        GError **error)
{
  if (self->error == NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (self->error);
  return FALSE;
}

/* The system goes on to write what no name leads to any more; whoever waits for the trace is told. A file that has no name yet was not
 * deleted. */
static void
look_for_file (SwTraceSink *self)
{
  gboolean has_name = self->is_regular && (!self->is_beside || self->temporary_path != NULL);
  struct stat status;

  if (self->error == NULL && has_name && fstat (self->fd, &status) == 0 && status.st_nlink == 0)
    fail (self, ESTALE);
}

gboolean
sw_trace_sink_flush (SwTraceSink *self,
                     GError **error)
{
  hand_on (self, self->n_complete, self->compressor != NULL ? G_CONVERTER_FLUSH : 0);
  look_for_file (self);
  return report (self, error);
}

/* On the disk before the rename: else a crash of the machine could leave the new name with nothing in it. */
static void
put_in_place (SwTraceSink *self)
{
  if (self->error == NULL && fsync (self->fd) != 0)
    fail (self, errno);
  if (self->error == NULL)
    {
      int error_number = sw_trace_file_put_in_place (self->fd, g_steal_pointer (&self->temporary_path), self->path);

      if (error_number != 0)
        fail (self, error_number);
    }
  else if (self->temporary_path != NULL)
    {
      unlink (self->temporary_path);
    }
}

void
sw_trace_sink_cancel (SwTraceSink *self)
{
  if (self->error == NULL)
    g_set_error (&self->error, SW_ERROR, SW_ERROR_IO, "the trace was given up");
  sw_trace_sink_close (self, NULL);
}

gboolean
sw_trace_sink_close (SwTraceSink *self,
                     GError **error)
{
  gboolean is_whole;

  hand_on (self, self->n_complete, self->compressor != NULL ? G_CONVERTER_INPUT_AT_END : 0);
  if (self->is_beside)
    put_in_place (self);
  else
    look_for_file (self);
  if (self->fd >= 0 && close (self->fd) != 0 && self->error == NULL)
    fail (self, errno);
  self->fd = -1;
  is_whole = report (self, error);
  sink_free (self);
  return is_whole;
}
