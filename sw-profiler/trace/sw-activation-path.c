/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation-request-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sw/base/sw-error.h"

/* No two processes write to one file, and none takes what another one has written: each makes its file itself. */

#define MOST_NAMES 1000

char *
sw_activation_expand_path (const char *path)
{
  GString *text = g_string_new (NULL);

  for (const char *c = path; *c != '\0'; c++)
    {
      if (*c != '%')
        g_string_append_c (text, *c);
      else if (*++c == 'p')
        g_string_append_printf (text, "%ld", (long) getpid ());
      else
        g_string_append_c (text, '%');
    }
  return g_string_free (text, FALSE);
}

/* Where the ending begins: that before .gz, if that is the last one. */
static gsize
find_ending (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  gsize length = strlen (name);
  const char *dot;

  if (g_str_has_suffix (name, ".gz"))
    length -= strlen (".gz");
  dot = g_strrstr_len (name, (gssize) length, ".");
  return (gsize) ((dot != NULL && dot != name ? dot : name + length) - path);
}

static char *
make_name (const char *path,
           guint number)
{
  gsize length = find_ending (path);

  if (number == 0)
    return g_strdup (path);
  if (number == 1)
    return g_strdup_printf ("%.*s.%ld%s", (int) length, path, (long) getpid (), path + length);
  return g_strdup_printf ("%.*s.%ld-%u%s", (int) length, path, (long) getpid (), number, path + length);
}

static gboolean
is_special (const char *path)
{
  struct stat status;

  return lstat (path, &status) == 0 && !S_ISREG (status.st_mode);
}

char *
sw_activation_claim_path (const char *path,
                          GError **error)
{
  return is_special (path) ? g_strdup (path) : sw_activation_claim_new_path (path, error);
}

char *
sw_activation_claim_new_path (const char *path,
                              GError **error)
{
  g_autofree char *display = g_filename_display_name (path);

  for (guint number = 0; number < MOST_NAMES; number++)
    {
      g_autofree char *name = make_name (path, number);
      int fd = open (name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

      if (fd >= 0)
        {
          close (fd);
          return g_steal_pointer (&name);
        }
      if (errno != EEXIST)
        break;
    }
  g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot make the file '%s': %s", display, g_strerror (errno));
  return NULL;
}
