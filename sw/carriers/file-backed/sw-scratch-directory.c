/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/file-backed/sw-scratch-directory-private.h"

#include "sw/carriers/file-backed/sw-scratch-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPLATE SW_SCRATCH_RESERVED_PREFIX "XXXXXX"
#define MAX_TRIES 8

typedef struct _Directory Directory;

struct _Directory
{
  pid_t pid;
  Directory *inherited; /* of the parent process; only so that it stays reachable */
  char *path;
  int lock; /* a descriptor of the directory, which stays open */
};

static Directory *directory;

void
sw_scratch_set_error (GError **error,
                      int reason,
                      const char *action,
                      const char *path)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot %s %s: %s", action, name, g_strerror (reason));
}

static int
open_directory (int parent,
                const char *path)
{
  return openat (parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void
remove_contents (int fd)
{
  DIR *entries = fdopendir (fd);
  struct dirent *entry;

  if (entries == NULL)
    {
      close (fd);
      return;
    }
  while ((entry = readdir (entries)) != NULL)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      unlinkat (fd, entry->d_name, 0);
  closedir (entries);
}

/* Whether the directory is this user's, and no process has its lock. The caller has it then, as long as @fd is open. */
static gboolean
is_left_behind (int fd)
{
  struct stat status;

  return fstat (fd, &status) == 0 && status.st_uid == geteuid () && flock (fd, LOCK_EX | LOCK_NB) == 0;
}

/* What processes that were killed could not remove. */
static void
remove_left_behind (const char *parent)
{
  DIR *entries = opendir (parent);
  struct dirent *entry;

  if (entries == NULL)
    return;
  while ((entry = readdir (entries)) != NULL)
    {
      int fd = -1;

      if (g_str_has_prefix (entry->d_name, SW_SCRATCH_RESERVED_PREFIX) && strlen (entry->d_name) == strlen (TEMPLATE))
        fd = open_directory (dirfd (entries), entry->d_name);
      if (fd < 0)
        continue;
      if (is_left_behind (fd))
        {
          remove_contents (dup (fd));
          unlinkat (dirfd (entries), entry->d_name, AT_REMOVEDIR);
        }
      close (fd);
    }
  closedir (entries);
}

/* A descriptor that keeps the lock, or -1: somebody removed the directory, which had no lock yet, or made one. Where the
 * file system has no locks it is the same for everybody, so nobody removes anything. */
static int
lock_directory (const char *path)
{
  int fd = open_directory (AT_FDCWD, path);
  struct stat locked, named;

  if (fd < 0)
    return -1;

  while (flock (fd, LOCK_SH) != 0 && errno == EINTR)
    ;
  if (fstat (fd, &locked) == 0 && lstat (path, &named) == 0 && locked.st_dev == named.st_dev &&
      locked.st_ino == named.st_ino && locked.st_uid == geteuid ())
    return fd;

  close (fd);
  return -1;
}

static void
remove_keeping_errno (const char *path)
{
  int reason = errno;

  rmdir (path);
  errno = reason;
}

static Directory *
make_directory (Directory *inherited,
                GError **error)
{
  g_autofree char *path = NULL;
  Directory *made;
  int lock = -1;

  remove_left_behind (g_get_tmp_dir ());

  for (int i = 0; i < MAX_TRIES && lock < 0; i++)
    {
      g_free (path);
      path = g_build_filename (g_get_tmp_dir (), TEMPLATE, NULL);
      if (g_mkdtemp_full (path, 0700) == NULL)
        break;
      lock = lock_directory (path);
      if (lock < 0)
        remove_keeping_errno (path);
    }
  if (lock < 0)
    {
      sw_scratch_set_error (error, errno, "make the directory", path);
      return NULL;
    }

  made = g_new (Directory, 1);
  made->pid = getpid ();
  made->inherited = inherited;
  made->path = g_steal_pointer (&path);
  made->lock = lock;
  return made;
}

/* Without a mutex, because a fork may happen while another thread holds one, and the child would wait for ever. */
const char *
sw_scratch_directory_get (GError **error)
{
  /* Acquire: orders the reading of what it points to after its making on another thread. */
  Directory *current = __atomic_load_n (&directory, __ATOMIC_ACQUIRE);

  while (current == NULL || current->pid != getpid ())
    {
      Directory *made = make_directory (current, error);

      if (made == NULL)
        return NULL;
      /* Release: orders its making before its publication. Acquire: see above. */
      if (__atomic_compare_exchange_n (&directory, &current, made, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made->path;

      g_rmdir (made->path);
      close (made->lock);
      g_free (made->path);
      g_free (made);
    }

  return current->path;
}

gboolean
sw_scratch_directory_restore (void)
{
  /* Acquire: see sw_scratch_directory_get (). */
  Directory *current = __atomic_load_n (&directory, __ATOMIC_ACQUIRE);
  int lock;

  if (current == NULL || current->pid != getpid () || (g_mkdir (current->path, 0700) != 0 && errno != EEXIST))
    return FALSE;

  lock = lock_directory (current->path);
  if (lock < 0)
    return FALSE;

  /* The old descriptor stays: by now it may be somebody else's. Relaxed: nobody reads it, it only has to be open. */
  __atomic_store_n (&current->lock, lock, __ATOMIC_RELAXED);
  return TRUE;
}

/* A forked child comes through here too, and must leave the parent's files alone. */
__attribute__ ((destructor)) static void
remove_directory (void)
{
  /* Acquire: see sw_scratch_directory_get (). */
  Directory *current = __atomic_load_n (&directory, __ATOMIC_ACQUIRE);
  int fd;

  if (current == NULL || current->pid != getpid ())
    return;

  fd = open_directory (AT_FDCWD, current->path);
  if (fd >= 0)
    remove_contents (fd);
  rmdir (current->path);
}
