/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char *folder; /* NULL: nobody wants to know */

static gboolean
append (const char *suffix,
        const char *text)
{
  g_autofree char *path = g_strdup_printf ("%s/%ld%s", folder, (long) getpid (), suffix);
  int fd = open (path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  gsize n_bytes = strlen (text);
  gboolean is_done;

  if (fd < 0)
    return FALSE;
  /* A regular file takes all of it, or has no room. */
  is_done = write (fd, text, n_bytes) == (gssize) n_bytes;
  close (fd);
  return is_done;
}

void
sw_activation_set_notes_folder (const char *name)
{
  if (name == NULL || !g_path_is_absolute (name))
    return;
  folder = g_strdup (name);
  sw_activation_note ("loaded", "%s", program_invocation_short_name);
}

gboolean
sw_activation_has_notes (void)
{
  return folder != NULL;
}

void
sw_activation_note (const char *key,
                    const char *format,
                    ...)
{
  g_autofree char *value = NULL;
  g_autofree char *line = NULL;
  va_list arguments;

  if (folder == NULL)
    return;
  va_start (arguments, format);
  value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  line = g_strdup_printf ("%s %s\n", key, value);
  append ("", line);
}

gboolean
sw_activation_note_table (const char *text)
{
  return append (".table", text);
}

void
sw_activation_tell_of_path (const char *variable,
                            const char *wanted,
                            const char *path)
{
  if (!g_str_equal (path, wanted) && !sw_activation_has_notes ())
    g_message ("%s: '%s' exists, so this process writes '%s'", variable, wanted, path);
}
