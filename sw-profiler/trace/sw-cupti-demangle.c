/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-demangle-private.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* Of C++'s own library, which nearly every program that uses CUDA has loaded. */
static char *(*demangle) (const char *name,
                          char *buffer,
                          size_t *length,
                          int *status);

static void
look_up (void)
{
  void *handle = dlopen ("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

  if (handle != NULL)
    *(void **) &demangle = dlsym (handle, "__cxa_demangle");
}

char *
sw_cupti_demangle (const char *name)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  char *demangled = NULL;
  char *result;
  int status = -1;

  pthread_once (&once, look_up);
  if (demangle != NULL && g_str_has_prefix (name, "_Z"))
    demangled = demangle (name, NULL, NULL, &status);
  result = g_ref_string_new (demangled != NULL && status == 0 ? demangled : name);
  free (demangled);
  return result;
}
