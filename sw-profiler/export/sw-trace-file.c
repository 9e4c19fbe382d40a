/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/export/sw-trace-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE 0600
#define TEMPORARY_NAME ".strideweave-trace-XXXXXX"
#define MOST_NAMES 100

static int
fail_with (int fd,
           int error_number)
{
  close (fd);
  errno = error_number;
  return -1;
}

/* Two traces into one file would be none. The lock ends with the descriptor, also when the process is killed. */
static int
take_regular (int fd)
{
  if (flock (fd, LOCK_EX | LOCK_NB) != 0)
    return fail_with (fd, errno == EWOULDBLOCK ? EBUSY : errno);
  if (fchmod (fd, FILE_MODE) != 0 || ftruncate (fd, 0) != 0)
    return fail_with (fd, errno);
  return fd;
}

/* Not blocking, so that a pipe that nobody reads is an error and no trap; O_TRUNC only after the lock. */
static int
open_existing (const char *path)
{
  int fd = open (path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

  if (fd >= 0 && fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) & ~O_NONBLOCK) != 0)
    return fail_with (fd, errno);
  return fd;
}

int
sw_trace_file_open (const char *path,
                    gboolean *is_regular)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
  struct stat status;

  if (fd < 0 && errno == EEXIST)
    fd = open_existing (path);
  if (fd < 0)
    return -1;
  if (fstat (fd, &status) != 0)
    return fail_with (fd, errno);

  *is_regular = S_ISREG (status.st_mode);
  return *is_regular ? take_regular (fd) : fd;
}

gboolean
sw_trace_file_is_replaceable (const char *path)
{
  struct stat status;

  if (*path == '\0' || g_str_has_suffix (path, "/"))
    return FALSE;
  return lstat (path, &status) == 0 ? S_ISREG (status.st_mode) : errno == ENOENT;
}

int
sw_trace_file_open_beside (const char *path,
                           char **temporary_path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, FILE_MODE);

  *temporary_path = NULL;
  if (fd >= 0)
    return fd;
  *temporary_path = g_build_filename (folder, TEMPORARY_NAME, NULL);
  return g_mkstemp_full (*temporary_path, O_WRONLY | O_CLOEXEC, FILE_MODE);
}

/* A link replaces nothing, so the name that it has until it is moved is one that nobody else has. NULL, with errno, after a failure. */
static char *
give_name (int fd,
           const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *itself = g_strdup_printf ("/proc/self/fd/%d", fd);

  for (guint i = 0; i < MOST_NAMES; i++)
    {
      g_autofree char *name = g_strdup_printf (".strideweave-trace-%08x", g_random_int ());
      g_autofree char *temporary_path = g_build_filename (folder, name, NULL);

      if (linkat (AT_FDCWD, itself, AT_FDCWD, temporary_path, AT_SYMLINK_FOLLOW) == 0)
        return g_steal_pointer (&temporary_path);
      if (errno != EEXIST)
        break;
    }
  return NULL;
}

int
sw_trace_file_put_in_place (int fd,
                            char *temporary_path,
                            const char *path)
{
  g_autofree char *name = temporary_path != NULL ? temporary_path : give_name (fd, path);
  int error_number;

  if (name == NULL)
    return errno;
  if (rename (name, path) == 0)
    return 0;
  error_number = errno;
  unlink (name);
  return error_number;
}

typedef struct
{
  sigset_t blocked;
  sigset_t old_mask;
  sigset_t was_pending;
} SignalShield;

static void
shield_raise (SignalShield *self)
{
  sigemptyset (&self->blocked);
  sigaddset (&self->blocked, SIGPIPE);
  sigaddset (&self->blocked, SIGXFSZ);
  sigpending (&self->was_pending);
  pthread_sigmask (SIG_BLOCK, &self->blocked, &self->old_mask);
}

/* Takes what the write brought about, and leaves what was on its way before. */
static void
shield_lower (SignalShield *self,
              int error_number)
{
  int signal_number = error_number == EPIPE ? SIGPIPE : error_number == EFBIG ? SIGXFSZ
                                                                              : 0;

  if (signal_number != 0 && !sigismember (&self->was_pending, signal_number))
    {
      const struct timespec now = { 0, 0 };
      sigset_t one;

      sigemptyset (&one);
      sigaddset (&one, signal_number);
      while (sigtimedwait (&one, NULL, &now) < 0 && errno == EINTR)
        ;
    }
  pthread_sigmask (SIG_SETMASK, &self->old_mask, NULL);
}

int
sw_trace_file_write (int fd,
                     const char *bytes,
                     gsize n_bytes)
{
  SignalShield shield;
  int error_number = 0;

  shield_raise (&shield);
  while (n_bytes > 0 && error_number == 0)
    {
      gssize n = write (fd, bytes, n_bytes);

      if (n >= 0)
        {
          bytes += n;
          n_bytes -= (gsize) n;
        }
      else if (errno != EINTR)
        error_number = errno;
    }
  shield_lower (&shield, error_number);
  return error_number;
}
