/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-itt-private.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "sw/base/sw-error.h"
#include "sw/base/sw-turn-private.h"

/* By the size of pointers, as the API says. */
#define VARIABLE (sizeof (void *) == 8 ? "INTEL_LIBITTNOTIFY64" : "INTEL_LIBITTNOTIFY32")

/* What a program hands to a library that exports __itt_api_init (), as version 3 of the API lays it out. Such a library
 * fills in the functions, and takes over what lists it finds: here there are none. */

typedef struct
{
  const char *name;
  void **function;
  void *initial;
  void *missing;
  int group;
} SwIttEntry;

typedef struct
{
  unsigned char magic[8];
  unsigned long major;
  unsigned long minor;
  unsigned long build; /* which fields there are at the end */
  volatile long is_initialized;
  volatile long has_mutex;
  volatile long n_users;
  pthread_mutex_t mutex;
  void *library;
  void *error_handler;
  const char **path;
  SwIttEntry *entries;
  void *next;
  void *threads;
  void *domains;
  void *strings;
  int state;
  void *counters;
  unsigned int collects_events;
  void *histograms;
  void *counter_metadata;
} SwIttGlobal;

#define ALL_GROUPS (-1)
#define STATE_SUCCESSFUL 4

typedef void (*SwIttInit) (SwIttGlobal *global,
                           int groups);

static SwIttLibrary library;
static SwIttLibrary *loaded; /* atomic */
static SwTurn turn;

/* Stands for all functions that a library leaves out. */
static void *
do_nothing (void)
{
  return NULL;
}

/* dlsym () and the API both pass functions as pointers to data. */
#define ENTRY(name)                                                                                    \
  {                                                                                                    \
    "__itt_" #name, (void **) &library.call.name, (void *) do_nothing, (void *) do_nothing, ALL_GROUPS \
  }

static SwIttEntry entries[] = {
  ENTRY (domain_create),
  ENTRY (string_handle_create),
  ENTRY (task_begin),
  ENTRY (task_end),
  ENTRY (metadata_add),
  ENTRY (metadata_str_add),
  ENTRY (marker),
  ENTRY (counter_create),
  ENTRY (counter_create_typed),
  ENTRY (counter_create_v3),
  ENTRY (counter_set_value),
  ENTRY (counter_set_value_v3),
  ENTRY (thread_set_name),
  { NULL },
};

static SwIttGlobal global = {
  .magic = { 0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30 },
  .major = 3,
  .minor = 0,
  .build = 20250807,
  .entries = entries,
};

static void
look_up_all (void *handle)
{
  for (SwIttEntry *entry = entries; entry->name != NULL; entry++)
    *entry->function = dlsym (handle, entry->name);
}

/* The library says which functions are to be called, and may have others under the same names. */
static void
let_fill_in (void *handle,
             SwIttInit init)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (&global.mutex, &attributes);
  pthread_mutexattr_destroy (&attributes);
  global.has_mutex = 1;
  global.n_users = 1;
  global.library = handle;
  global.state = STATE_SUCCESSFUL;
  for (SwIttEntry *entry = entries; entry->name != NULL; entry++)
    *entry->function = entry->initial;
  init (&global, ALL_GROUPS);
  global.is_initialized = 1;
  for (SwIttEntry *entry = entries; entry->name != NULL; entry++)
    if (*entry->function == (void *) do_nothing)
      *entry->function = NULL;
}

static gboolean
is_useful (const SwIttLibrary *self)
{
  return self->call.domain_create != NULL && self->call.string_handle_create != NULL &&
         (sw_itt_library_has_tasks (self) || self->call.marker != NULL || sw_itt_library_has_counters (self, TRUE, 0));
}

gboolean
sw_itt_library_has_counters (const SwIttLibrary *self,
                             gboolean is_integer,
                             gint64 value)
{
  if (sw_itt_library_has_typed_counters (self) || sw_itt_library_has_v3_counters (self))
    return TRUE;
  return sw_itt_library_has_unsigned_counters (self) && is_integer && value >= 0;
}

static const char *
get_path (GError **error)
{
  const char *path = secure_getenv (VARIABLE);

  if (path != NULL && *path != '\0')
    return path;
  if (getauxval (AT_SECURE) != 0)
    g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
                 "the environment variable %s is not looked at in a program that has more privileges than its user", VARIABLE);
  else
    g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
                 "the environment variable %s is not set: it would name the library of an ITT collector", VARIABLE);
  return NULL;
}

static gboolean
use (void *handle,
     const char *path,
     GError **error)
{
  SwIttInit init = (SwIttInit) dlsym (handle, "__itt_api_init");

  if (init != NULL)
    let_fill_in (handle, init);
  else
    look_up_all (handle);
  if (!is_useful (&library))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
                   "%s names '%s', which lacks __itt_domain_create and __itt_string_handle_create, or with them has neither tasks, "
                   "nor markers, nor counters%s",
                   VARIABLE, path, init != NULL ? " after __itt_api_init" : "");
      return FALSE;
    }
  library.domain = library.call.domain_create (SW_ITT_DOMAIN);
  if (library.domain != NULL)
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "%s names '%s', whose __itt_domain_create makes no domain", VARIABLE,
               path);
  return FALSE;
}

static gboolean
load (GError **error)
{
  const char *path = get_path (error);
  const char *reason;
  void *handle;

  if (path == NULL)
    return FALSE;
  handle = dlopen (path, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL)
    {
      reason = dlerror ();
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "%s names '%s', which cannot be loaded: %s", VARIABLE, path,
                   reason != NULL ? reason : "for no reason given");
      return FALSE;
    }
  /* Never closed: what initialized itself may have left threads and handlers behind. */
  return use (handle, path, error);
}

static void
prepare (void)
{
  sw_turn_init (&turn);
}

const SwIttLibrary *
sw_itt_library_get (void)
{
  /* Acquire: all that loading filled in. */
  return __atomic_load_n (&loaded, __ATOMIC_ACQUIRE);
}

const SwIttLibrary *
sw_itt_library_load (GError **error)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  gboolean is_new;

  pthread_once (&once, prepare);
  is_new = sw_turn_enter (&turn);
  if (sw_itt_library_get () == NULL)
    {
      if (!is_new)
        /* From within the library that is just loaded. */
        g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "the library that %s names is just being loaded", VARIABLE);
      else if (load (error))
        /* Release: see sw_itt_library_get (). */
        __atomic_store_n (&loaded, &library, __ATOMIC_RELEASE);
    }
  if (is_new)
    sw_turn_leave (&turn);
  return sw_itt_library_get ();
}
