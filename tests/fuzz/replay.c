/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gives a target of libFuzzer the files of a folder, without libFuzzer: replay FOLDER. Each also cut in half. */
#include "config.h"

#include <glib.h>

int
LLVMFuzzerTestOneInput (const guint8 *bytes,
                        gsize n_bytes);

static guint
replay_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = NULL;
  g_autofree char *half = NULL;
  gsize n_bytes;

  if (!g_file_get_contents (path, &bytes, &n_bytes, &error))
    g_error ("%s", error->message);
  LLVMFuzzerTestOneInput ((const guint8 *) bytes, n_bytes);
  half = g_memdup2 (bytes, n_bytes / 2);
  LLVMFuzzerTestOneInput ((const guint8 *) half, n_bytes / 2);
  return 1;
}

static guint
replay_folder (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) folder = g_dir_open (path, 0, &error);
  const char *name;
  guint n = 0;

  if (folder == NULL)
    g_error ("%s", error->message);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      n += g_file_test (child, G_FILE_TEST_IS_DIR) ? replay_folder (child) : replay_file (child);
    }
  return n;
}

int
main (int argc,
      char **argv)
{
  guint n;

  if (argc != 2)
    {
      g_printerr ("usage: %s FOLDER\n", argv[0]);
      return 2;
    }
  n = replay_folder (argv[1]);
  g_print ("1..1\n%s 1 %u files\n", n > 0 ? "ok" : "not ok", n);
  return n > 0 ? 0 : 1;
}
