/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/tool/sw-tool-run-private.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "sw-profiler/operation/sw-text-private.h"

/* What one process noted down. */
typedef struct
{
  gint64 pid;
  char *program;
  char *trace;   /* NULL: it made none */
  char *failure; /* NULL: the trace is complete */
  char *table;   /* NULL: it executed nothing, or did not get that far */
  guint64 n_events;
  guint64 n_dropped;
  guint64 n_operations;
  gboolean is_lines;  /* which no viewer opens */
  gboolean has_begun; /* to record */
  gboolean is_complete;
} Process;

static void
process_free (gpointer data)
{
  Process *self = data;

  g_free (self->program);
  g_free (self->trace);
  g_free (self->failure);
  g_free (self->table);
  g_free (self);
}

static void
read_note (Process *self,
           const char *key,
           const char *value)
{
  if (g_str_equal (key, "began"))
    {
      g_free (self->program);
      self->program = g_strdup (value);
      self->has_begun = TRUE;
      /* A program that another one made room for begins anew. */
      self->is_complete = FALSE;
    }
  else if (g_str_equal (key, "trace"))
    {
      g_free (self->trace);
      self->trace = g_strdup (value);
    }
  else if (g_str_equal (key, "lines"))
    self->is_lines = TRUE;
  else if (g_str_equal (key, "failed"))
    {
      g_free (self->failure);
      self->failure = g_strdup (value);
    }
  else if (g_str_equal (key, "events"))
    self->n_events += g_ascii_strtoull (value, NULL, 10);
  else if (g_str_equal (key, "dropped"))
    self->n_dropped += g_ascii_strtoull (value, NULL, 10);
  else if (g_str_equal (key, "operations"))
    self->n_operations += g_ascii_strtoull (value, NULL, 10);
  else if (g_str_equal (key, "complete"))
    self->is_complete = TRUE;
}

static Process *
read_process (const char *folder,
              const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *table = g_strconcat (path, ".table", NULL);
  g_autofree char *text = NULL;
  Process *self = g_new0 (Process, 1);

  self->pid = g_ascii_strtoll (name, NULL, 10);
  if (g_file_get_contents (path, &text, NULL, NULL))
    {
      g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

      for (guint i = 0; lines[i] != NULL; i++)
        {
          char *space = strchr (lines[i], ' ');

          if (space == NULL)
            continue;
          *space = '\0';
          read_note (self, lines[i], space + 1);
        }
    }
  g_file_get_contents (table, &self->table, NULL, NULL);
  g_unlink (path);
  g_unlink (table);
  return self;
}

static int
compare_processes (gconstpointer a,
                   gconstpointer b)
{
  const Process *first = *(Process *const *) a;
  const Process *second = *(Process *const *) b;

  return (first->pid > second->pid) - (first->pid < second->pid);
}

static GPtrArray *
read_processes (const char *folder)
{
  GPtrArray *processes = g_ptr_array_new_with_free_func (process_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (strchr (name, '.') == NULL)
      g_ptr_array_add (names, g_strdup (name));
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (processes, read_process (folder, g_ptr_array_index (names, i)));
  g_ptr_array_sort (processes, compare_processes);
  return processes;
}

static char *
describe (const Process *self)
{
  GString *text = g_string_new (NULL);

  sw_text_append_display (text, self->program != NULL ? self->program : "?");
  g_string_append_printf (text, " (process %" G_GINT64_FORMAT ")", self->pid);
  return g_string_free (text, FALSE);
}

static void
report_trace (const Process *self,
              const char *name)
{
  g_autofree char *quoted = g_shell_quote (self->trace);

  fprintf (stderr, "\nThe trace of %s is %s", name, self->trace);
  if (self->is_complete)
    fprintf (stderr, " (%" G_GUINT64_FORMAT " events)", self->n_events);
  fputs (!self->is_lines ? ":\n  open it in https://ui.perfetto.dev, or read it with\n" : ":\n  read it with\n", stderr);
  fprintf (stderr, "  sw-profiler summary %s\n", quoted);
  if (self->failure != NULL)
    fprintf (stderr, "  It is not complete, %" G_GUINT64_FORMAT " events are not in it: %s.\n", self->n_dropped, self->failure);
  else if (self->n_dropped > 0)
    fprintf (stderr, "  %" G_GUINT64_FORMAT " events came faster than they could be written, and are not in it.\n", self->n_dropped);
}

static void
report_process (const Process *self,
                gboolean wants_table,
                gboolean wants_trace)
{
  g_autofree char *name = describe (self);

  if (self->table != NULL)
    fprintf (stderr, "\n%s", self->table);
  else if (wants_table && self->is_complete)
    fprintf (stderr, "\n%s executed no operation and recorded no zone.\n", name);
  if (!self->is_complete)
    fprintf (stderr,
             "\n%s has ended without coming to its end, by a signal or _exit(), or has not ended yet: %s%s%s.\n", name,
             wants_table && self->table == NULL ? "there is no table" : "",
             wants_table && self->table == NULL && wants_trace ? ", and " : "",
             wants_trace ? "up to a second of its trace may be missing" : "");
  if (self->trace != NULL)
    report_trace (self, name);
}

void
sw_tool_run_report (const char *folder,
                    const char *program,
                    gboolean wants_table,
                    gboolean wants_trace)
{
  g_autoptr (GPtrArray) processes = read_processes (folder);
  guint n_begun = 0;

  g_rmdir (folder);
  for (guint i = 0; i < processes->len; i++)
    {
      const Process *process = g_ptr_array_index (processes, i);

      if (!process->has_begun)
        continue;
      n_begun++;
      report_process (process, wants_table, wants_trace);
    }
  if (processes->len == 0)
    sw_tool_complain ("run: '%s' never loaded Strideweave, so there is nothing to show", program);
  else if (n_begun == 0)
    sw_tool_complain ("run: '%s' loaded Strideweave, but nothing was recorded: it executed no operation%s", program,
                      wants_trace ? " and emitted no event" : "");
}
