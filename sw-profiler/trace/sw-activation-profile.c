/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-activation-private.h"

#include <errno.h>
#include <unistd.h>

#include "sw-profiler/operation/sw-file-writer-private.h"
#include "sw-profiler/operation/sw-profiler-group-private.h"
#include "sw-profiler/operation/sw-text-private.h"
#include "sw-profiler/trace/sw-activation-files-private.h"

/* How much there is to show, and is missing. */
typedef struct
{
  gint64 n_events;
  guint64 n_dropped;
  guint64 n_zones_lost;
} Found;

static SwProfilerGroup *group;
static SwKernelTally *kernels; /* atomic; NULL: nobody counts them. Stays: a thread may still be in it */
static char *target_path;      /* NULL: none, or it cannot be made */
static GSList *inherited;      /* of a forked child: see sw-activation-trace.c */

static char *
claim (const char *template)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *wanted = sw_activation_expand_path (template);
  char *path = sw_activation_claim_path (wanted, &error);

  if (path == NULL)
    g_warning ("STRIDEWEAVE_PROFILE: %s; nothing is profiled", error->message);
  else
    sw_activation_tell_of_path ("STRIDEWEAVE_PROFILE", wanted, path);
  return path;
}

static void
count_kernel (const SwKernelChoice *choice,
              const char *operation,
              GType carrier)
{
  /* Acquire: it is whole. */
  SwKernelTally *tally = __atomic_load_n (&kernels, __ATOMIC_ACQUIRE);

  if (tally != NULL)
    sw_kernel_tally_add (tally, choice, operation, carrier);
}

static void
begin_kernels (const SwProfileRequest *request)
{
  /* Release: see count_kernel (). */
  __atomic_store_n (&kernels, sw_kernel_tally_new (sw_profile_request_counts_by_thread (request)), __ATOMIC_RELEASE);
  sw_kernel_choice_observe (count_kernel);
}

void
sw_activation_begin_profile (const SwProfileRequest *request)
{
  if (request->path != NULL)
    {
      target_path = claim (request->path);
      if (target_path == NULL)
        return;
    }
  group = sw_profiler_group_new_for_process ((gsize) request->max_events);
  if (!sw_profiler_group_start (group))
    g_clear_object (&group);
  else
    begin_kernels (request);
}

static void
append_losses (GString *text,
               guint64 n_dropped,
               guint n_lost)
{
  if (n_dropped > 0)
    g_string_append_printf (text,
                            "\n%" G_GUINT64_FORMAT " more executions are not in the table: a thread keeps no more than "
                            "the option events= of STRIDEWEAVE_PROFILE says.\n",
                            n_dropped);
  if (n_lost > 0)
    g_string_append_printf (text, "\nWhat %u threads executed is not in the table.\n", n_lost);
}

static void
append_title (GString *text,
              const char *what)
{
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append_printf (text, "%s of ", what);
  sw_text_append_display (text, program_invocation_short_name);
  g_string_append_printf (text, " (process %ld)\n", (long) getpid ());
}

static void
append_section (GString *text,
                const char *what,
                const GString *section)
{
  if (section->len == 0)
    return;
  append_title (text, what);
  g_string_append_len (text, section->str, (gssize) section->len);
}

static void
count_events (Found *found)
{
  g_autoptr (GPtrArray) threads = sw_profiler_group_dup_threads (group, NULL);

  for (guint i = 0; i < threads->len; i++)
    {
      SwProfiler *profiler = sw_profiler_thread_get_profiler (g_ptr_array_index (threads, i));

      found->n_events += sw_profiler_count_events (profiler, NULL);
      found->n_dropped += sw_profiler_get_n_dropped_events (profiler);
    }
}

static gboolean
append_operations (GString *text,
                   const SwProfileRequest *request,
                   guint64 n_dropped,
                   GError **error)
{
  g_autofree char *table =
      request->by_thread ? sw_profiler_group_dup_table_by_thread (group, NULL, TRUE, FALSE, request->row_limit, error)
                         : sw_profiler_group_dup_table (group, NULL, TRUE, FALSE, request->row_limit, error);

  if (table == NULL)
    return FALSE;
  append_title (text, "Operations");
  g_string_append (text, table);
  if (!g_str_has_suffix (table, "\n"))
    g_string_append_c (text, '\n');
  append_losses (text, n_dropped, sw_profiler_group_get_n_lost_threads (group));
  return TRUE;
}

static void
append_zones (GString *text,
              const SwProfileRequest *request,
              guint64 n_lost)
{
  g_autoptr (GString) section = g_string_new (NULL);
  SwZoneTally *tally = sw_activation_get_zone_tally ();

  if (tally != NULL)
    sw_tally_append_to (&tally->tally, section, request->row_limit);
  if (n_lost > 0)
    g_string_append_printf (section,
                            "\n%" G_GUINT64_FORMAT " more zones are not in the table: they came faster than they could be "
                            "taken, or were nested deeper than 64.\n",
                            n_lost);
  append_section (text, "Zones", section);
}

static void
append_kernels (GString *text,
                const SwProfileRequest *request)
{
  g_autoptr (GString) section = g_string_new (NULL);

  if (kernels != NULL)
    sw_tally_append_to (&kernels->tally, section, request->row_limit);
  append_section (text, "Kernels", section);
}

/* What there was, a table each; empty where there was nothing. */
static char *
make_tables (const SwProfileRequest *request,
             const Found *found,
             GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (found->n_events + (gint64) found->n_dropped > 0 && !append_operations (text, request, found->n_dropped, error))
    return NULL;
  append_zones (text, request, found->n_zones_lost);
  append_kernels (text, request);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Not through stdio, whose lock a thread may hold for good that a signal has stopped. */
static void
print (const char *text)
{
  gsize n_bytes = strlen (text);

  while (n_bytes > 0)
    {
      gssize n = write (STDERR_FILENO, text, n_bytes);

      if (n < 0 && errno != EINTR)
        return;
      text += MAX (n, 0);
      n_bytes -= (gsize) MAX (n, 0);
    }
}

static void
show_table (const char *table)
{
  if (*table == '\0' || (sw_activation_has_notes () && sw_activation_note_table (table)))
    return;
  print (table);
}

static gboolean
save_text (const char *text,
           GError **error)
{
  SwFileWriter *file = sw_file_writer_new (target_path, error);

  if (file == NULL)
    return FALSE;
  sw_file_writer_put_string (file, text);
  return sw_file_writer_commit (file, error);
}

static gboolean
deliver (const SwProfileRequest *request,
         const Found *found,
         GError **error)
{
  g_autofree char *table = NULL;

  if (request->target == SW_PROFILE_TO_CSV)
    return sw_activation_save_csv (group, kernels, target_path, error);
  if (request->target == SW_PROFILE_TO_JSON)
    return sw_activation_save_json (group, kernels, target_path, error);
  table = make_tables (request, found, error);
  if (table == NULL)
    return FALSE;
  if (request->target == SW_PROFILE_TO_TEXT)
    return save_text (table, error);
  show_table (table);
  return TRUE;
}

/* Tables say so themselves. */
static void
warn_of_losses (const Found *found)
{
  if (found->n_dropped > 0)
    g_warning ("STRIDEWEAVE_PROFILE: %" G_GUINT64_FORMAT " executions are not in '%s': a thread keeps no more than events= says",
               found->n_dropped, target_path);
  if (found->n_zones_lost > 0)
    g_warning ("STRIDEWEAVE_PROFILE: %" G_GUINT64_FORMAT " zones are not in '%s': they came faster than they could be taken, or "
               "were nested deeper than 64",
               found->n_zones_lost, target_path);
}

void
sw_activation_complete_profile (const SwProfileRequest *request,
                                guint64 n_zones_lost)
{
  g_autoptr (GError) error = NULL;
  Found found = { .n_zones_lost = n_zones_lost };

  if (group == NULL)
    return;
  /* First, so that threads that go on have no kernels counted whose operations are not. */
  sw_kernel_choice_observe (NULL);
  if (!sw_profiler_group_finish (group))
    return;
  count_events (&found);
  if (request->target == SW_PROFILE_TO_CSV || request->target == SW_PROFILE_TO_JSON)
    warn_of_losses (&found);
  if (!deliver (request, &found, &error))
    g_warning ("STRIDEWEAVE_PROFILE: %s", error->message);
  sw_activation_note ("operations", "%" G_GINT64_FORMAT, found.n_events);
  g_clear_object (&group);
  g_clear_pointer (&target_path, g_free);
}

void
sw_activation_leave_profile_behind (void)
{
  if (group != NULL)
    inherited = g_slist_prepend (inherited, g_steal_pointer (&group));
  if (kernels != NULL)
    inherited = g_slist_prepend (inherited, kernels);
  kernels = NULL;
  sw_kernel_choice_observe (NULL);
  g_clear_pointer (&target_path, g_free);
}
