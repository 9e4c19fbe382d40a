/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/file-backed/sw-scratch-private.h"

#include "sw/carriers/file-backed/sw-scratch-directory-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_SIZE (1 << 20)
/* The kernel moves a little less than 2 GiB at once. */
#define MAX_TRANSFER (1 << 30)

static guint last_number;

static int
open_file (const char *path,
           int flags)
{
  int fd;

  do
    /* Not blocking: nobody waits for the other end of a pipe that somebody put there. */
    fd = open (path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  while (fd < 0 && errno == EINTR);

  return fd;
}

/* Cleaners of old temporary files may have taken the directory, too. */
static int
create_file (const char *path,
             int flags)
{
  int fd = open_file (path, O_WRONLY | O_CREAT | flags);

  if (fd < 0 && errno == ENOENT && sw_scratch_directory_restore ())
    fd = open_file (path, O_WRONLY | O_CREAT | flags);
  return fd;
}

/* Some file systems only tell here that they could not write. Zero or the reason. */
static int
close_file (int fd)
{
  /* After an EINTR the descriptor is gone all the same. */
  return close (fd) != 0 && errno != EINTR ? errno : 0;
}

/* Zero or the reason; ENODATA where the file ends too early. */
static int
read_fully (int fd,
            gint64 offset,
            gpointer data,
            gsize n_bytes)
{
  char *bytes = data;

  while (n_bytes > 0)
    {
      gssize n_read = pread (fd, bytes, MIN (n_bytes, MAX_TRANSFER), offset);

      if (n_read < 0 && errno == EINTR)
        continue;
      if (n_read <= 0)
        return n_read < 0 ? errno : ENODATA;
      bytes += n_read;
      offset += n_read;
      n_bytes -= n_read;
    }

  return 0;
}

/* Zero or the reason; @n_done tells how far it came. */
static int
write_fully (int fd,
             gint64 offset,
             gconstpointer data,
             gsize n_bytes,
             gsize *n_done)
{
  const char *bytes = data;

  *n_done = 0;
  while (*n_done < n_bytes)
    {
      gssize n_written = pwrite (fd, bytes + *n_done, MIN (n_bytes - *n_done, MAX_TRANSFER), offset + *n_done);

      if (n_written < 0 && errno == EINTR)
        continue;
      if (n_written <= 0)
        return n_written < 0 ? errno : ENOSPC;
      *n_done += n_written;
    }

  return 0;
}

static int
copy_tail (int from,
           int to,
           gsize offset,
           gsize n_total)
{
  g_autofree char *chunk = g_malloc (CHUNK_SIZE);
  int reason = 0;

  while (reason == 0 && offset < n_total)
    {
      gsize n_bytes = MIN (n_total - offset, CHUNK_SIZE);
      gsize n_done;

      reason = read_fully (from, offset, chunk, n_bytes);
      if (reason == 0)
        reason = write_fully (to, offset, chunk, n_bytes, &n_done);
      offset += n_bytes;
    }

  return reason;
}

char *
sw_scratch_create (const char *filename,
                   GError **error)
{
  const char *parent = sw_scratch_directory_get (error);
  g_autofree char *path = NULL;
  int reason;
  int fd;

  if (parent == NULL)
    return NULL;

  path = g_build_filename (parent, filename, NULL);
  fd = create_file (path, O_EXCL);
  reason = fd < 0 ? errno : close_file (fd);
  if (reason == 0)
    return g_steal_pointer (&path);

  if (fd >= 0)
    g_unlink (path);
  sw_scratch_set_error (error, reason, "create", path);
  return NULL;
}

char *
sw_scratch_reserve (GError **error)
{
  const char *parent = sw_scratch_directory_get (error);
  /* Relaxed: only its own value must differ from all others. */
  guint number = __atomic_add_fetch (&last_number, 1, __ATOMIC_RELAXED);

  return parent != NULL ? g_strdup_printf ("%s/" SW_SCRATCH_RESERVED_PREFIX "%u", parent, number) : NULL;
}

gboolean
sw_scratch_touch (const char *path,
                  GError **error)
{
  int fd = create_file (path, 0);
  int reason = fd < 0 ? errno : close_file (fd);

  if (reason != 0)
    sw_scratch_set_error (error, reason, "create", path);
  return reason == 0;
}

void
sw_scratch_remove (const char *path)
{
  g_unlink (path);
}

gboolean
sw_scratch_read (const char *path,
                 gint64 offset,
                 gpointer data,
                 gsize n_bytes,
                 GError **error)
{
  int fd = open_file (path, O_RDONLY);
  int reason = fd < 0 ? errno : read_fully (fd, offset, data, n_bytes);

  if (fd >= 0)
    close_file (fd);
  if (reason != 0)
    sw_scratch_set_error (error, reason, "read", path);
  return reason == 0;
}

gboolean
sw_scratch_overwrite (const char *path,
                      gint64 offset,
                      gconstpointer data,
                      gsize n_bytes,
                      GError **error)
{
  g_autofree char *before = g_malloc (n_bytes);
  int fd = open_file (path, O_RDWR);
  int reason = fd < 0 ? errno : read_fully (fd, offset, before, n_bytes);
  gsize n_done = 0;
  gsize n_undone;

  if (reason == 0)
    reason = write_fully (fd, offset, data, n_bytes, &n_done);
  if (reason != 0 && n_done > 0)
    write_fully (fd, offset, before, n_done, &n_undone);

  if (fd >= 0)
    {
      int close_reason = close_file (fd);

      if (reason == 0)
        reason = close_reason;
    }
  if (reason != 0)
    sw_scratch_set_error (error, reason, "write to", path);
  return reason == 0;
}

/* Puts a finished file in the place of another, or removes it. Zero or the reason. */
static int
finish_file (int fd,
             int reason,
             const char *made,
             const char *path)
{
  int close_reason = close_file (fd);

  if (reason == 0)
    reason = close_reason;
  if (reason == 0 && g_rename (made, path) != 0)
    reason = errno;
  if (reason != 0)
    g_unlink (made);
  return reason;
}

static int
write_replacement (int fd,
                   const char *path,
                   gconstpointer data,
                   gsize n_bytes,
                   gsize n_total)
{
  gsize n_done;
  int reason = write_fully (fd, 0, data, n_bytes, &n_done);

  if (reason == 0 && n_total > n_bytes)
    {
      int old = open_file (path, O_RDONLY);

      reason = old < 0 ? errno : copy_tail (old, fd, n_bytes, n_total);
      if (old >= 0)
        close_file (old);
    }

  return reason;
}

gboolean
sw_scratch_replace (const char *path,
                    gconstpointer data,
                    gsize n_bytes,
                    gsize n_total,
                    GError **error)
{
  g_autofree char *made = sw_scratch_reserve (error);
  int reason;
  int fd;

  if (made == NULL)
    return FALSE;

  fd = create_file (made, O_EXCL);
  reason = fd < 0 ? errno : finish_file (fd, write_replacement (fd, path, data, n_bytes, n_total), made, path);
  if (reason != 0)
    sw_scratch_set_error (error, reason, "write to", path);
  return reason == 0;
}

gboolean
sw_scratch_fill (const char *path,
                 gsize n_bytes,
                 GError **error)
{
  g_autofree char *made = sw_scratch_reserve (error);
  int reason;
  int fd;

  if (made == NULL)
    return FALSE;

  fd = create_file (made, O_EXCL);
  /* Allocating nothing is an error to it. */
  reason = fd < 0 ? errno : finish_file (fd, n_bytes > 0 ? posix_fallocate (fd, 0, n_bytes) : 0, made, path);
  if (reason != 0)
    sw_scratch_set_error (error, reason, "make room in", path);
  return reason == 0;
}
