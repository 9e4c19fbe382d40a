/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which thread an event is of, and what that is called: many that start at once, ones that get a name of another, and heirs. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strideweave.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N_AT_ONCE 200
#define N_HEIRS 100

static const struct
{
  SwTraceFormat format;
  const char *suffix;
} files[] = {
  { SW_TRACE_FORMAT_CHROME_JSON, "json" },
  { SW_TRACE_FORMAT_JSONL, "jsonl" },
  { SW_TRACE_FORMAT_PERFETTO, "pftrace" },
};

typedef struct
{
  SwTraceContext *context;
  pthread_barrier_t *all_there; /* NULL: nobody else is there */
  guint number;
  guint64 tid;
} Job;

static void
emit_named (SwTraceContext *context,
            const char *name)
{
  g_assert_true (sw_trace_context_emit_instant (context, name, NULL, SW_TRACE_VERBOSITY_FULL, NULL, NULL));
}

/* Its name comes from the system, and is that of the event. */
static void *
emit_own_name (void *data)
{
  Job *job = data;
  char name[16];

  snprintf (name, sizeof name, "lane %u", job->number);
  pthread_setname_np (pthread_self (), name);
  job->tid = (guint64) syscall (SYS_gettid);
  if (job->all_there != NULL)
    pthread_barrier_wait (job->all_there);
  for (guint i = 0; i < 3; i++)
    emit_named (job->context, name);
  /* Nobody ends and leaves its number to another before all have one. */
  if (job->all_there != NULL)
    pthread_barrier_wait (job->all_there);
  return NULL;
}

static void
assert_own_names (GPtrArray *events,
                  const Job *jobs,
                  guint n_jobs)
{
  g_autoptr (GHashTable) lanes = g_hash_table_new (NULL, NULL);

  g_assert_cmpuint (events->len, ==, 3 * n_jobs);
  for (guint i = 0; i < events->len; i++)
    {
      SwTraceEvent *event = g_ptr_array_index (events, i);
      g_autofree char *thread_name = sw_trace_event_dup_thread_name (event);
      guint number;

      g_assert_cmpstr (thread_name, ==, sw_trace_event_get_name (event));
      g_assert_cmpint (sscanf (thread_name, "lane %u", &number), ==, 1);
      g_assert_cmpuint (sw_trace_event_get_thread_id (event), ==, jobs[number].tid);
      g_hash_table_add (lanes, GSIZE_TO_POINTER ((gsize) sw_trace_event_get_lane_id (event)));
    }
  g_assert_cmpuint (g_hash_table_size (lanes), ==, n_jobs);
}

/* In the lines of a file, too: each event's track has its name. */
static void
assert_own_tracks (const char *path,
                   guint n_jobs)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint n_events = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *track = strstr (lines[i], "\"track\":");
      const char *name = strstr (lines[i], "\"name\":\"lane ");
      gpointer key;

      if (track == NULL || name == NULL)
        continue;
      key = GUINT_TO_POINTER ((guint) g_ascii_strtoull (track + strlen ("\"track\":"), NULL, 10));
      name += strlen ("\"name\":\"");
      if (strstr (lines[i], "\"type\":\"track\"") != NULL)
        {
          g_hash_table_insert (names, key, g_strndup (name, strcspn (name, "\"")));
          continue;
        }
      g_assert_nonnull (g_hash_table_lookup (names, key));
      g_assert_true (g_str_has_prefix (name, g_hash_table_lookup (names, key)));
      g_assert_cmpint (name[strlen (g_hash_table_lookup (names, key))], ==, '"');
      n_events++;
    }
  g_assert_cmpuint (n_events, ==, 3 * n_jobs);
}

typedef struct
{
  SwTraceContext *context;
  SwMemoryCollector *memory;
  SwCollector *all;
  char *folder;
  char *paths[G_N_ELEMENTS (files)];
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  SwCollector *collectors[G_N_ELEMENTS (files) + 1];

  fixture->folder = g_dir_make_tmp ("sw-lanes-XXXXXX", NULL);
  fixture->context = sw_trace_context_new ();
  fixture->memory = sw_memory_collector_new (10000, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      fixture->paths[i] = g_strdup_printf ("%s/trace.%s", fixture->folder, files[i].suffix);
      collectors[i] = SW_COLLECTOR (sw_file_collector_new (fixture->paths[i], files[i].format, NULL));
    }
  collectors[G_N_ELEMENTS (files)] = SW_COLLECTOR (fixture->memory);
  fixture->all = SW_COLLECTOR (sw_composite_collector_new (collectors, G_N_ELEMENTS (collectors), NULL));
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    g_object_unref (collectors[i]);
  sw_trace_context_set_collector (fixture->context, fixture->all);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_object_unref (fixture->context);
  g_object_unref (fixture->all);
  g_object_unref (fixture->memory);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_assert_cmpint (remove (fixture->paths[i]), ==, 0);
      g_free (fixture->paths[i]);
    }
  g_assert_cmpint (remove (fixture->folder), ==, 0);
  g_free (fixture->folder);
}

static void
test_start_at_once (Fixture *fixture,
                    gconstpointer data)
{
  g_autoptr (GPtrArray) events = NULL;
  pthread_barrier_t all_there;
  pthread_t threads[N_AT_ONCE];
  Job jobs[N_AT_ONCE];

  pthread_barrier_init (&all_there, NULL, N_AT_ONCE);
  for (guint i = 0; i < N_AT_ONCE; i++)
    {
      jobs[i] = (Job){ fixture->context, &all_there, i, 0 };
      g_assert_cmpint (pthread_create (&threads[i], NULL, emit_own_name, &jobs[i]), ==, 0);
    }
  for (guint i = 0; i < N_AT_ONCE; i++)
    pthread_join (threads[i], NULL);
  pthread_barrier_destroy (&all_there);
  events = sw_memory_collector_dup_events (fixture->memory);
  assert_own_names (events, jobs, N_AT_ONCE);
  g_assert_true (sw_collector_close (fixture->all, NULL));
  assert_own_tracks (fixture->paths[1], N_AT_ONCE);
}

/* One after the other, each in the memory of the one before, and often with its number. */
static void
test_heirs (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (GPtrArray) events = NULL;
  Job jobs[N_HEIRS];

  for (guint i = 0; i < N_HEIRS; i++)
    {
      pthread_t thread;

      jobs[i] = (Job){ fixture->context, NULL, i, 0 };
      g_assert_cmpint (pthread_create (&thread, NULL, emit_own_name, &jobs[i]), ==, 0);
      pthread_join (thread, NULL);
    }
  events = sw_memory_collector_dup_events (fixture->memory);
  assert_own_names (events, jobs, N_HEIRS);
  g_assert_true (sw_collector_close (fixture->all, NULL));
  assert_own_tracks (fixture->paths[1], N_HEIRS);
}

static void *
rename_by_system (void *context)
{
  pthread_setname_np (pthread_self (), "first name");
  emit_named (context, "before");
  g_assert_true (sw_trace_context_flush (context, NULL));
  pthread_setname_np (pthread_self (), "second name");
  emit_named (context, "after");
  return NULL;
}

static void *
rename_by_library (void *context)
{
  sw_trace_context_set_thread_name ("first name");
  emit_named (context, "before");
  g_assert_true (sw_trace_context_flush (context, NULL));
  sw_trace_context_set_thread_name ("second name");
  emit_named (context, "after");
  return NULL;
}

/* All formats have both names, and both events are of one lane. */
static void
test_renamed (Fixture *fixture,
              gconstpointer data)
{
  g_autoptr (GPtrArray) events = NULL;
  pthread_t thread;

  g_assert_cmpint (pthread_create (&thread, NULL, (void *(*) (void *) ) data, fixture->context), ==, 0);
  pthread_join (thread, NULL);
  g_assert_true (sw_collector_close (fixture->all, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *content = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (fixture->paths[i], &content, &length, NULL));
      g_assert_nonnull (memmem (content, length, "first name", strlen ("first name")));
      g_assert_nonnull (memmem (content, length, "second name", strlen ("second name")));
    }
  events = sw_memory_collector_dup_events (fixture->memory);
  g_assert_cmpuint (events->len, ==, 2);
  g_assert_cmpuint (sw_trace_event_get_lane_id (events->pdata[0]), ==, sw_trace_event_get_lane_id (events->pdata[1]));
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *name = sw_trace_event_dup_thread_name (events->pdata[i]);

      g_assert_cmpstr (name, ==, "second name");
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/trace-lanes/start-at-once", Fixture, NULL, set_up, test_start_at_once, tear_down);
  g_test_add ("/trace-lanes/heirs", Fixture, NULL, set_up, test_heirs, tear_down);
  g_test_add ("/trace-lanes/renamed-by-system", Fixture, rename_by_system, set_up, test_renamed, tear_down);
  g_test_add ("/trace-lanes/renamed-by-library", Fixture, rename_by_library, set_up, test_renamed, tear_down);
  return g_test_run ();
}
