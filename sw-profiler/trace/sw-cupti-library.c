/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-private.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "sw/base/sw-error.h"
#include "sw/base/sw-turn-private.h"

#define VARIABLE "STRIDEWEAVE_CUPTI"

/* Of each version of CUDA. Of CUDA 11, each minor version has its own. */
static const char *const names[] = {
  "libcupti.so.13",
  "libcupti.so.12",
  "libcupti.so.11.8",
  "libcupti.so.11.7",
  "libcupti.so.11.6",
  "libcupti.so.11.5",
  "libcupti.so.11.4",
  "libcupti.so.11.3",
  "libcupti.so.11.2",
  "libcupti.so.11.1",
  "libcupti.so.11.0",
  "libcupti.so",
};

/* Where NVIDIA's installers put it, when nobody told the dynamic linker. */
static const char *const folders[] = {
  "/usr/local/cuda/lib64",
  "/usr/local/cuda/extras/CUPTI/lib64",
};

typedef struct
{
  const char *name;
  gsize offset;
} Entry;

#define ENTRY(name, field)                   \
  {                                          \
    name, offsetof (SwCuptiFunctions, field) \
  }

static const Entry entries[] = {
  ENTRY ("cuptiGetResultString", get_result_string),
  ENTRY ("cuptiGetTimestamp", get_timestamp),
  ENTRY ("cuptiActivityRegisterCallbacks", register_callbacks),
  ENTRY ("cuptiActivityEnable", enable),
  ENTRY ("cuptiActivityDisable", disable),
  ENTRY ("cuptiActivityGetNextRecord", get_next_record),
  ENTRY ("cuptiActivityGetNumDroppedRecords", get_dropped),
  ENTRY ("cuptiActivityFlushAll", flush_all),
  ENTRY ("cuptiActivityPushExternalCorrelationId", push),
  ENTRY ("cuptiActivityPopExternalCorrelationId", pop),
};

static SwCuptiLibrary library;
static SwCuptiLibrary *loaded; /* atomic */
static gboolean is_child;
static SwTurn turn;

/* One that the program uses already goes with its CUDA, which another version may not. */
static void *
open_any (const char **name)
{
  void *handle;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((handle = dlopen (*name = names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD)) != NULL)
      return handle;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((handle = dlopen (*name = names[i], RTLD_LAZY | RTLD_LOCAL)) != NULL)
      return handle;
  return NULL;
}

static void *
open_in_folders (char **path)
{
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    for (guint j = 0; j < G_N_ELEMENTS (names); j++)
      {
        g_autofree char *candidate = g_build_filename (folders[i], names[j], NULL);
        void *handle = dlopen (candidate, RTLD_LAZY | RTLD_LOCAL);

        if (handle == NULL)
          continue;
        *path = g_steal_pointer (&candidate);
        return handle;
      }
  return NULL;
}

static void *
open_named (const char *path,
            GError **error)
{
  void *handle = dlopen (path, RTLD_LAZY | RTLD_LOCAL);
  const char *reason;

  if (handle != NULL)
    return handle;
  reason = dlerror ();
  g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
               "the environment variable " VARIABLE " names '%s', which cannot be loaded: %s", path,
               reason != NULL ? reason : "for no reason given");
  return NULL;
}

static void *
find (char **path,
      GError **error)
{
  const char *named = secure_getenv (VARIABLE);
  const char *name;
  void *handle;

  if (named != NULL && *named != '\0')
    {
      *path = g_strdup (named);
      return open_named (named, error);
    }
  handle = open_any (&name);
  if (handle != NULL)
    {
      *path = g_strdup (name);
      return handle;
    }
  handle = open_in_folders (path);
  if (handle == NULL)
    g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
                 "there is no CUPTI, which records what GPUs do: none of libcupti.so.13, libcupti.so.12, libcupti.so.11.8 to "
                 "libcupti.so.11.0 and libcupti.so can be loaded, nor is there one in %s or %s. It is a part of NVIDIA's CUDA "
                 "Toolkit, the package cuda-cupti; the environment variable " VARIABLE " can name its path",
                 folders[0], folders[1]);
  return handle;
}

static gboolean
look_up_all (void *handle,
             const char *path,
             GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      void *function = dlsym (handle, entries[i].name);

      if (function == NULL)
        {
          g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "'%s' lacks %s, so it is no CUPTI of CUDA 11 or later", path,
                       entries[i].name);
          return FALSE;
        }
      *(void **) (gpointer) ((guint8 *) &library.call + entries[i].offset) = function;
    }
  return TRUE;
}

static gboolean
load (GError **error)
{
  g_autofree char *path = NULL;
  void *handle = find (&path, error);

  if (handle == NULL)
    return FALSE;
  if (!look_up_all (handle, path, error))
    {
      /* Nothing of it has run but what it does when it is loaded. */
      dlclose (handle);
      return FALSE;
    }
  /* Never closed: it has threads, and calls back. */
  library.name = g_steal_pointer (&path);
  return TRUE;
}

/* CUDA does not work in the child of a process that used it, and what CUPTI's threads were just doing is lost. */
static void
forget_in_child (void)
{
  sw_turn_init (&turn);
  is_child |= loaded != NULL;
  loaded = NULL;
}

static void
prepare (void)
{
  sw_turn_init (&turn);
  pthread_atfork (NULL, NULL, forget_in_child);
}

const SwCuptiLibrary *
sw_cupti_library_get (void)
{
  /* Acquire: all that loading filled in. */
  return __atomic_load_n (&loaded, __ATOMIC_ACQUIRE);
}

static gboolean
check_process (GError **error)
{
  if (is_child)
    g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
                 "this is the child of a process that used CUPTI, which cannot be used on in a child");
  return !is_child;
}

const SwCuptiLibrary *
sw_cupti_library_load (GError **error)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  gboolean is_new;

  pthread_once (&once, prepare);
  is_new = sw_turn_enter (&turn);
  if (sw_cupti_library_get () == NULL)
    {
      if (!is_new)
        /* From within the library that is just loaded. */
        g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "CUPTI is just being loaded");
      else if (check_process (error) && load (error))
        /* Release: see sw_cupti_library_get (). */
        __atomic_store_n (&loaded, &library, __ATOMIC_RELEASE);
    }
  if (is_new)
    sw_turn_leave (&turn);
  return sw_cupti_library_get ();
}

gboolean
sw_cupti_library_check (const SwCuptiLibrary *self,
                        SwCuptiResult result,
                        const char *function,
                        int code,
                        GError **error)
{
  const char *text = NULL;

  if (G_LIKELY (result == SW_CUPTI_SUCCESS))
    return TRUE;
  if (self->call.get_result_string (result, &text) != SW_CUPTI_SUCCESS || text == NULL)
    text = "a result that CUPTI has no name for";
  g_set_error (error, SW_ERROR, code, "%s of '%s' failed: %s (%u)", function, self->name, text, result);
  return FALSE;
}

gboolean
sw_cupti_library_probe (const SwCuptiLibrary *self,
                        GError **error)
{
  g_autoptr (GError) failure = NULL;
  SwCuptiResult result = self->call.push (SW_CUPTI_EXTERNAL_CUSTOM0, 0);
  guint64 id;

  if (result == SW_CUPTI_SUCCESS)
    self->call.pop (SW_CUPTI_EXTERNAL_CUSTOM0, &id);
  if (sw_cupti_library_check (self, result, "cuptiActivityPushExternalCorrelationId", SW_ERROR_UNSUPPORTED, &failure))
    return TRUE;
  g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "%s; CUPTI needs a GPU of NVIDIA's and its driver, of its own version or later",
               failure->message);
  return FALSE;
}
