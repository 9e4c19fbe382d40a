/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-itt-private.h"

#include <pthread.h>
#include <string.h>

/* What the emitting thread passes on to the library. */

/* Handles of sites are found by their number, those of other names by their text. Libraries keep them for good. */
#define N_SITES 4096
#define MAX_NAMES 65536
#define MAX_COUNTERS 4096

static SwIttHandle *by_site[N_SITES]; /* atomic */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of both tables, for moments */
static GHashTable *handles;                              /* text -> handle */
static GHashTable *counters;                             /* type and name -> counter */

static const SwIttId none;

static gpointer
look_up (GHashTable **table,
         const char *key,
         guint max,
         gboolean *is_full)
{
  gpointer value;

  pthread_mutex_lock (&lock);
  if (*table == NULL)
    *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  value = g_hash_table_lookup (*table, key);
  *is_full = g_hash_table_size (*table) >= max;
  pthread_mutex_unlock (&lock);
  return value;
}

static void
keep (GHashTable *table,
      const char *key,
      gpointer value)
{
  if (value == NULL)
    return;
  pthread_mutex_lock (&lock);
  g_hash_table_replace (table, g_strdup (key), value);
  pthread_mutex_unlock (&lock);
}

static SwIttHandle *
find_handle (const SwIttLibrary *self,
             const char *text)
{
  g_autofree char *valid = NULL;
  gboolean is_full;
  SwIttHandle *handle = look_up (&handles, text, MAX_NAMES, &is_full);

  if (handle != NULL)
    return handle;
  if (is_full)
    return self->call.string_handle_create (SW_ITT_DOMAIN);
  valid = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);
  handle = self->call.string_handle_create (valid != NULL ? valid : text);
  keep (handles, text, handle);
  return handle;
}

static SwIttHandle *
get_name (const SwIttLibrary *self,
          const SwTraceLiveEvent *event)
{
  SwIttHandle *handle;

  if (event->site == 0 || event->site >= N_SITES)
    return find_handle (self, event->name);
  /* Acquire and release: what the library keeps behind the handle. Two threads that come by at the same time get the same. */
  handle = __atomic_load_n (&by_site[event->site], __ATOMIC_ACQUIRE);
  if (handle != NULL)
    return handle;
  handle = find_handle (self, event->name);
  __atomic_store_n (&by_site[event->site], handle, __ATOMIC_RELEASE);
  return handle;
}

static gboolean
is_wanted (const SwIttLibrary *self)
{
  return self->domain->flags != 0;
}

static void
add_text (const SwIttLibrary *self,
          const char *key,
          const char *text)
{
  g_autofree char *valid = NULL;
  SwIttHandle *handle;

  if (text == NULL || self->call.metadata_str_add == NULL)
    return;
  handle = find_handle (self, key);
  valid = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);
  if (valid != NULL)
    text = valid;
  if (handle != NULL)
    self->call.metadata_str_add (self->domain, none, handle, text, strlen (text));
}

static void
add_number (const SwIttLibrary *self,
            const char *key,
            int type,
            void *value)
{
  SwIttHandle *handle;

  if (self->call.metadata_add == NULL)
    return;
  handle = find_handle (self, key);
  if (handle != NULL)
    self->call.metadata_add (self->domain, none, handle, type, 1, value);
}

static void
add_argument (const SwIttLibrary *self,
              SwTraceArgument argument)
{
  g_autofree char *text = NULL;
  guint32 truth;

  switch (argument.type)
    {
    case SW_TRACE_ARGUMENT_STRING:
      add_text (self, argument.key, argument.value.v_string);
      break;
    case SW_TRACE_ARGUMENT_INT64:
      add_number (self, argument.key, SW_ITT_INT64, &argument.value.v_int64);
      break;
    case SW_TRACE_ARGUMENT_UINT64:
      add_number (self, argument.key, SW_ITT_UINT64, &argument.value.v_uint64);
      break;
    case SW_TRACE_ARGUMENT_DOUBLE:
      add_number (self, argument.key, SW_ITT_DOUBLE, &argument.value.v_double);
      break;
    case SW_TRACE_ARGUMENT_BOOLEAN:
      truth = argument.value.v_boolean != FALSE;
      add_number (self, argument.key, SW_ITT_UINT32, &truth);
      break;
    case SW_TRACE_ARGUMENT_SHAPE:
      text = sw_shape_to_string (argument.value.v_shape);
      add_text (self, argument.key, text);
      break;
    default:
      break;
    }
}

static gboolean
begin (const SwTraceLiveEvent *event)
{
  const SwIttLibrary *self = sw_itt_library_get ();
  SwIttHandle *name;

  if (!sw_itt_library_has_tasks (self) || !is_wanted (self))
    return FALSE;
  name = get_name (self, event);
  if (name == NULL)
    return FALSE;
  self->call.task_begin (self->domain, none, none, name);
  if (*event->category != '\0')
    add_text (self, "category", event->category);
  for (gsize i = 0; i < event->n_arguments; i++)
    add_argument (self, event->arguments[i]);
  return TRUE;
}

/* Whether the domain is wanted now or not: what was begun is ended. */
static void
end (void)
{
  const SwIttLibrary *self = sw_itt_library_get ();

  self->call.task_end (self->domain);
}

static void
instant (const SwTraceLiveEvent *event)
{
  const SwIttLibrary *self = sw_itt_library_get ();
  SwIttHandle *name;

  if (self->call.marker == NULL || !is_wanted (self))
    return;
  name = get_name (self, event);
  if (name != NULL)
    self->call.marker (self->domain, none, name, SW_ITT_SCOPE_THREAD);
}

static SwIttCounter *
make_counter (const SwIttLibrary *self,
              const char *name,
              gboolean is_integer)
{
  int type = is_integer ? SW_ITT_INT64 : SW_ITT_DOUBLE;

  if (sw_itt_library_has_typed_counters (self))
    return self->call.counter_create_typed (name, SW_ITT_DOMAIN, type);
  if (sw_itt_library_has_v3_counters (self))
    return self->call.counter_create_v3 (self->domain, name, type);
  /* Unsigned integers, which is what comes here then. */
  return self->call.counter_create (name, SW_ITT_DOMAIN);
}

static SwIttCounter *
find_counter (const SwIttLibrary *self,
              const char *name,
              gboolean is_integer)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  g_autofree char *key = g_strconcat (is_integer ? "i" : "d", valid, NULL);
  gboolean is_full;
  SwIttCounter *made = look_up (&counters, key, MAX_COUNTERS, &is_full);

  if (made != NULL || is_full)
    return made;
  made = make_counter (self, valid, is_integer);
  keep (counters, key, made);
  return made;
}

static void
counter (const SwTraceLiveEvent *event,
         gint64 integer,
         double real,
         gboolean is_integer)
{
  const SwIttLibrary *self = sw_itt_library_get ();
  SwIttCounter *made;
  void *value = is_integer ? (void *) &integer : (void *) &real;

  if (!sw_itt_library_has_counters (self, is_integer, integer) || !is_wanted (self))
    return;
  made = find_counter (self, event->name, is_integer);
  if (made == NULL)
    return;
  if (!sw_itt_library_has_typed_counters (self) && sw_itt_library_has_v3_counters (self))
    self->call.counter_set_value_v3 (made, value);
  else
    self->call.counter_set_value (made, value);
}

static void
name_thread (const char *name)
{
  const SwIttLibrary *self = sw_itt_library_get ();

  if (self->call.thread_set_name != NULL)
    self->call.thread_set_name (name);
}

const SwTraceLive sw_itt_live = { begin, end, instant, counter, name_thread };
