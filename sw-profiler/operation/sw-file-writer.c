/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-file-writer-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sw/base/sw-error.h"

#define BUFFER_SIZE (64 * 1024)

struct _SwFileWriter
{
  char *path;           /* as the caller named it */
  char *target;         /* behind symbolic links */
  char *temporary_path; /* NULL: written in place */
  int fd;
  int error;       /* errno of the first failure */
  GString *memory; /* what is written, when there is no file */
  gsize n_buffered;
  char buffer[BUFFER_SIZE];
};

static void
file_writer_free (SwFileWriter *self)
{
  g_free (self->path);
  g_free (self->target);
  g_free (self->temporary_path);
  g_free (self);
}

static void
set_error (GError **error,
           const char *path,
           int error_number)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot write '%s': %s", name, g_strerror (error_number));
}

static char *
resolve (const char *path)
{
  char *real = realpath (path, NULL);
  char *target = g_strdup (real != NULL ? real : path);

  free (real);
  return target;
}

/* A file beside the target, so that it can be moved over it. */
static void
open_temporary (SwFileWriter *self,
                const struct stat *old)
{
  g_autofree char *folder = g_path_get_dirname (self->target);

  self->temporary_path = g_build_filename (folder, ".strideweave-XXXXXX", NULL);
  self->fd = g_mkstemp_full (self->temporary_path, O_WRONLY | O_CLOEXEC, 0666);
  if (self->fd >= 0 && old != NULL && fchmod (self->fd, old->st_mode & 0777) != 0)
    self->error = errno;
}

static gboolean
names_no_file (const char *path)
{
  return *path == '\0' || g_str_has_suffix (path, "/");
}

SwFileWriter *
sw_file_writer_new (const char *path,
                    GError **error)
{
  SwFileWriter *self = g_malloc (sizeof (SwFileWriter));
  struct stat old;
  gboolean exists;

  self->path = g_strdup (path);
  self->target = resolve (path);
  self->temporary_path = NULL;
  self->error = 0;
  self->memory = NULL;
  self->n_buffered = 0;
  exists = stat (self->target, &old) == 0;
  /* A pipe or a device is written to; replacing it would be wrong. */
  if (names_no_file (path) || (exists && !S_ISREG (old.st_mode)))
    self->fd = open (self->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  else
    open_temporary (self, exists ? &old : NULL);
  if (self->fd < 0)
    {
      set_error (error, path, errno);
      file_writer_free (self);
      return NULL;
    }
  return self;
}

SwFileWriter *
sw_file_writer_new_in_memory (void)
{
  SwFileWriter *self = g_malloc (sizeof (SwFileWriter));

  self->path = NULL;
  self->target = NULL;
  self->temporary_path = NULL;
  self->fd = -1;
  self->error = 0;
  self->memory = g_string_new (NULL);
  self->n_buffered = 0;
  return self;
}

static void
write_all (SwFileWriter *self,
           const char *bytes,
           gsize n_bytes)
{
  while (n_bytes > 0 && self->error == 0)
    {
      gssize n = write (self->fd, bytes, n_bytes);

      if (n >= 0)
        {
          bytes += n;
          n_bytes -= n;
        }
      else if (errno != EINTR)
        self->error = errno;
    }
}

static void
flush (SwFileWriter *self)
{
  if (self->memory != NULL)
    g_string_append_len (self->memory, self->buffer, (gssize) self->n_buffered);
  else
    write_all (self, self->buffer, self->n_buffered);
  self->n_buffered = 0;
}

void
sw_file_writer_put (SwFileWriter *self,
                    const char *bytes,
                    gsize n_bytes)
{
  if (n_bytes > BUFFER_SIZE - self->n_buffered)
    {
      flush (self);
      if (n_bytes > BUFFER_SIZE && self->memory != NULL)
        {
          g_string_append_len (self->memory, bytes, (gssize) n_bytes);
          return;
        }
      if (n_bytes > BUFFER_SIZE)
        {
          write_all (self, bytes, n_bytes);
          return;
        }
    }
  memcpy (self->buffer + self->n_buffered, bytes, n_bytes);
  self->n_buffered += n_bytes;
}

void
sw_file_writer_put_string (SwFileWriter *self,
                           const char *text)
{
  sw_file_writer_put (self, text, strlen (text));
}

void
sw_file_writer_put_uint64 (SwFileWriter *self,
                           guint64 value)
{
  char digits[20];
  gsize at = sizeof (digits);

  do
    digits[--at] = '0' + value % 10;
  while ((value /= 10) != 0);
  sw_file_writer_put (self, digits + at, sizeof (digits) - at);
}

void
sw_file_writer_put_int64 (SwFileWriter *self,
                          gint64 value)
{
  if (value < 0)
    sw_file_writer_put (self, "-", 1);
  sw_file_writer_put_uint64 (self, value < 0 ? -(guint64) value : (guint64) value);
}

char *
sw_file_writer_finish (SwFileWriter *self)
{
  GString *memory = self->memory;

  flush (self);
  file_writer_free (self);
  return g_string_free (memory, FALSE);
}

gboolean
sw_file_writer_commit (SwFileWriter *self,
                       GError **error)
{
  gboolean is_done;

  flush (self);
  /* Before the rename: else a crash of the machine could leave the new name with nothing in it. */
  if (self->error == 0 && self->temporary_path != NULL && fsync (self->fd) != 0)
    self->error = errno;
  if (close (self->fd) != 0 && self->error == 0)
    self->error = errno;
  if (self->error == 0 && self->temporary_path != NULL && rename (self->temporary_path, self->target) != 0)
    self->error = errno;
  if (self->error != 0)
    {
      if (self->temporary_path != NULL)
        unlink (self->temporary_path);
      set_error (error, self->path, self->error);
    }
  is_done = self->error == 0;
  file_writer_free (self);
  return is_done;
}
