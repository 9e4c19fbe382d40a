/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-live-private.h"

G_BEGIN_DECLS

/* A library that takes calls of Intel's Instrumentation and Tracing Technology API: what it exports, and the layouts that the
 * API's headers give, which do not change. */

typedef struct _SwIttHandle SwIttHandle;   /* of a string */
typedef struct _SwIttCounter SwIttCounter; /* the library's own */

typedef struct _SwIttDomain
{
  volatile int flags; /* 0: nothing of it is wanted; the library's to change at any time */
  const char *name;
  void *wide_name;
  int reserved;
  void *reserved_pointer;
  struct _SwIttDomain *next;
} SwIttDomain;

typedef struct
{
  unsigned long long words[3]; /* all 0: none */
} SwIttId;

enum
{
  SW_ITT_SCOPE_THREAD = 3,
};

enum
{
  SW_ITT_UINT64 = 1,
  SW_ITT_INT64 = 2,
  SW_ITT_UINT32 = 3,
  SW_ITT_DOUBLE = 8,
};

/* Any of them may be missing. */
typedef struct
{
  SwIttDomain *(*domain_create) (const char *name);
  SwIttHandle *(*string_handle_create) (const char *text);
  void (*task_begin) (const SwIttDomain *domain,
                      SwIttId id,
                      SwIttId parent,
                      SwIttHandle *name);
  void (*task_end) (const SwIttDomain *domain);
  void (*metadata_add) (const SwIttDomain *domain,
                        SwIttId id,
                        SwIttHandle *key,
                        int type,
                        size_t count,
                        void *data);
  void (*metadata_str_add) (const SwIttDomain *domain,
                            SwIttId id,
                            SwIttHandle *key,
                            const char *text,
                            size_t length);
  void (*marker) (const SwIttDomain *domain,
                  SwIttId id,
                  SwIttHandle *name,
                  int scope);
  SwIttCounter *(*counter_create) (const char *name,
                                   const char *domain);
  SwIttCounter *(*counter_create_typed) (const char *name,
                                         const char *domain,
                                         int type);
  SwIttCounter *(*counter_create_v3) (const SwIttDomain *domain,
                                      const char *name,
                                      int type);
  void (*counter_set_value) (SwIttCounter *counter,
                             void *value);
  void (*counter_set_value_v3) (SwIttCounter *counter,
                                void *value);
  void (*thread_set_name) (const char *name);
} SwIttFunctions;

typedef struct
{
  SwIttFunctions call;
  SwIttDomain *domain;
} SwIttLibrary;

/* What the environment names, loaded once and for good. NULL with UNSUPPORTED; a later call tries again. */
const SwIttLibrary *sw_itt_library_load (GError **error);
/* What was loaded, or NULL. */
const SwIttLibrary *sw_itt_library_get (void);

static inline gboolean
sw_itt_library_has_tasks (const SwIttLibrary *self)
{
  return self->call.task_begin != NULL && self->call.task_end != NULL;
}

/* By preference those that have a type. */
static inline gboolean
sw_itt_library_has_typed_counters (const SwIttLibrary *self)
{
  return self->call.counter_create_typed != NULL && self->call.counter_set_value != NULL;
}

static inline gboolean
sw_itt_library_has_v3_counters (const SwIttLibrary *self)
{
  return self->call.counter_create_v3 != NULL && self->call.counter_set_value_v3 != NULL;
}

static inline gboolean
sw_itt_library_has_unsigned_counters (const SwIttLibrary *self)
{
  return self->call.counter_create != NULL && self->call.counter_set_value != NULL;
}

/* Whether a counter of that kind can be passed on as it is. */
gboolean sw_itt_library_has_counters (const SwIttLibrary *self,
                                      gboolean is_integer,
                                      gint64 value);

#define SW_ITT_DOMAIN "strideweave"

extern const SwTraceLive sw_itt_live;

G_END_DECLS
