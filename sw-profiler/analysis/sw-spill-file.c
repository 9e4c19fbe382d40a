/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/analysis/sw-spill-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sw/base/sw-error.h"

int
sw_spill_file_open (void)
{
  const char *folders[] = { g_getenv ("TMPDIR"), "/var/tmp", "/tmp" };
  int fd = -1;

  for (gsize i = 0; i < G_N_ELEMENTS (folders) && fd < 0; i++)
    {
      g_autofree char *path = NULL;

      if (folders[i] == NULL || *folders[i] == '\0')
        continue;
      fd = open (folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
      if (fd >= 0)
        break;
      /* Not all file systems have that. */
      path = g_build_filename (folders[i], "strideweave-XXXXXX", NULL);
      fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
      if (fd >= 0)
        unlink (path);
    }
  return fd;
}

gboolean
sw_spill_file_write (int fd,
                     guint64 *offset,
                     const void *bytes,
                     gsize n)
{
  const guint8 *at = bytes;

  while (n > 0)
    {
      gssize n_written = pwrite (fd, at, n, (off_t) *offset);

      if (n_written < 0 && errno == EINTR)
        continue;
      if (n_written <= 0)
        return FALSE;
      at += n_written;
      n -= (gsize) n_written;
      *offset += (guint64) n_written;
    }
  return TRUE;
}

gboolean
sw_spill_file_read (int fd,
                    guint64 offset,
                    void *bytes,
                    gsize n,
                    GError **error)
{
  for (gsize n_done = 0; n_done < n;)
    {
      gssize n_read = pread (fd, (guint8 *) bytes + n_done, n - n_done, (off_t) (offset + n_done));

      if (n_read < 0 && errno == EINTR)
        continue;
      if (n_read <= 0)
        {
          g_set_error (error, SW_ERROR, SW_ERROR_IO, "the temporary file cannot be read: %s", g_strerror (n_read < 0 ? errno : EIO));
          return FALSE;
        }
      n_done += (gsize) n_read;
    }
  return TRUE;
}
