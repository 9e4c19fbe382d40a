/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A library that takes calls of the ITT API and writes down what it was called with, a line each. How it is compiled says
 * what it has: RECORDER_INIT exports but the function that fills in all others, RECORDER_TASKS_ONLY leaves out what is not
 * about tasks, RECORDER_UNTYPED has counters without a type, RECORDER_V3 those of version 3, RECORDER_NOTHING has nothing. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__ ((visibility ("default")))

#ifdef RECORDER_NOTHING

EXPORT int itt_recorder_is_here;

#else

#ifdef RECORDER_INIT
#define API static
#else
#define API EXPORT
#endif

typedef struct domain
{
  volatile int flags;
  const char *name;
  void *wide_name;
  int reserved;
  void *reserved_pointer;
  struct domain *next;
} domain;

typedef struct
{
  unsigned long long words[3];
} id;

typedef struct handle
{
  char *text;
  struct handle *next;
} handle;

typedef struct
{
  char *name;
  int type;
} counter;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *text;
static size_t length;
static FILE *stream;
static handle *handles;
static domain the_domain = { 1, "", NULL, 0, NULL, NULL };
static int n_threads;
static _Thread_local int thread;
static _Thread_local int depth;
static void (*on_begin) (void);

EXPORT char *itt_recorder_dup_log (void);
EXPORT void itt_recorder_set_enabled (int enabled);
EXPORT void itt_recorder_set_on_begin (void (*function) (void));

static void
start_line (void)
{
  pthread_mutex_lock (&lock);
  if (stream == NULL)
    stream = open_memstream (&text, &length);
  if (thread == 0)
    thread = ++n_threads;
  fprintf (stream, "%d: ", thread);
}

static void
end_line (void)
{
  fputc ('\n', stream);
  pthread_mutex_unlock (&lock);
}

#define LINE(...) \
  do \
    { \
      start_line (); \
      fprintf (stream, __VA_ARGS__); \
      end_line (); \
    } \
  while (0)

char *
itt_recorder_dup_log (void)
{
  char *copy;

  pthread_mutex_lock (&lock);
  if (stream != NULL)
    fflush (stream);
  copy = strdup (text != NULL ? text : "");
  pthread_mutex_unlock (&lock);
  return copy;
}

void
itt_recorder_set_enabled (int enabled)
{
  the_domain.flags = enabled;
}

void
itt_recorder_set_on_begin (void (*function) (void))
{
  on_begin = function;
}

API domain *
__itt_domain_create (const char *name)
{
  LINE ("domain %s", name);
  the_domain.name = strdup (name);
  return &the_domain;
}

API handle *
__itt_string_handle_create (const char *name)
{
  handle *made;

  pthread_mutex_lock (&lock);
  for (made = handles; made != NULL && strcmp (made->text, name) != 0;)
    made = made->next;
  if (made == NULL)
    {
      made = malloc (sizeof *made);
      made->text = strdup (name);
      made->next = handles;
      handles = made;
    }
  pthread_mutex_unlock (&lock);
  return made;
}

API void
__itt_task_begin (const domain *self,
                  id task,
                  id parent,
                  handle *name)
{
  if (self != &the_domain || task.words[0] != 0 || task.words[2] != 0 || parent.words[0] != 0 || parent.words[2] != 0)
    abort ();
  depth++;
  LINE ("begin %s", name->text);
  if (on_begin != NULL)
    on_begin ();
}

API void
__itt_task_end (const domain *self)
{
  if (self != &the_domain)
    abort ();
  LINE (depth > 0 ? "end" : "end of nothing");
  depth--;
}

#ifndef RECORDER_TASKS_ONLY

API void
__itt_metadata_add (const domain *self,
                    id task,
                    handle *key,
                    int type,
                    size_t count,
                    void *data)
{
  if (self != &the_domain || task.words[1] != 0 || count != 1)
    abort ();
  start_line ();
  if (type == 1)
    fprintf (stream, "metadata %s u64 %llu", key->text, *(unsigned long long *) data);
  else if (type == 2)
    fprintf (stream, "metadata %s s64 %lld", key->text, *(long long *) data);
  else if (type == 3)
    fprintf (stream, "metadata %s u32 %u", key->text, *(unsigned *) data);
  else if (type == 8)
    fprintf (stream, "metadata %s double %g", key->text, *(double *) data);
  else
    abort ();
  end_line ();
}

API void
__itt_metadata_str_add (const domain *self,
                        id task,
                        handle *key,
                        const char *data,
                        size_t size)
{
  if (self != &the_domain || task.words[1] != 0)
    abort ();
  LINE ("metadata %s %.*s", key->text, (int) size, data);
}

API void
__itt_marker (const domain *self,
              id marker,
              handle *name,
              int scope)
{
  if (self != &the_domain || marker.words[0] != 0)
    abort ();
  LINE ("marker %s %d", name->text, scope);
}

API void
__itt_thread_set_name (const char *name)
{
  LINE ("thread %s", name);
}

static counter *
make_counter (const char *name,
              int type)
{
  counter *self = malloc (sizeof *self);

  self->name = strdup (name);
  self->type = type;
  LINE ("counter %s %d", name, type);
  return self;
}

static void
set_counter (const counter *self,
             const void *value)
{
  if (self->type == 8)
    LINE ("%s = %g", self->name, *(const double *) value);
  else
    LINE ("%s = %lld", self->name, *(const long long *) value);
}

#ifdef RECORDER_V3

API counter *
__itt_counter_create_v3 (const domain *self,
                         const char *name,
                         int type)
{
  if (self != &the_domain)
    abort ();
  return make_counter (name, type);
}

API void
__itt_counter_set_value_v3 (counter *self,
                            void *value)
{
  set_counter (self, value);
}

#else

#ifndef RECORDER_UNTYPED

API counter *
__itt_counter_create_typed (const char *name,
                            const char *domain_name,
                            int type)
{
  if (strcmp (domain_name, "strideweave") != 0)
    abort ();
  return make_counter (name, type);
}

#endif

API counter *
__itt_counter_create (const char *name,
                      const char *domain_name)
{
  if (strcmp (domain_name, "strideweave") != 0)
    abort ();
  return make_counter (name, 1);
}

API void
__itt_counter_set_value (counter *self,
                         void *value)
{
  set_counter (self, value);
}

#endif
#endif

#ifdef RECORDER_INIT

/* As the programs that this is for lay it out; up to what is looked at. */
typedef struct
{
  const char *name;
  void **function;
  void *initial;
  void *missing;
  int group;
} entry;

typedef struct
{
  unsigned char magic[8];
  unsigned long version[3];
  volatile long states[3];
  pthread_mutex_t mutex;
  void *library;
  void *error_handler;
  const char **path;
  entry *entries;
  void *lists[4];
} program;

EXPORT void __itt_api_init (program *from,
                            int groups);

#define FUNCTION(name) { "__itt_" #name, (void *) __itt_##name }

static const struct
{
  const char *name;
  void *function;
} functions[] = {
  FUNCTION (domain_create),    FUNCTION (string_handle_create), FUNCTION (task_begin),   FUNCTION (task_end),
  FUNCTION (metadata_add),     FUNCTION (metadata_str_add),     FUNCTION (marker),       FUNCTION (thread_set_name),
  FUNCTION (counter_set_value), FUNCTION (counter_create_typed), FUNCTION (counter_create),
};

static void *
find_function (const char *name)
{
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp (functions[i].name, name) == 0)
      return functions[i].function;
  return NULL;
}

void
__itt_api_init (program *from,
                int groups)
{
  static const unsigned char magic[8] = { 0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30 };

  if (memcmp (from->magic, magic, sizeof magic) != 0 || from->version[0] != 3 || groups != -1 || from->library == NULL ||
      from->lists[0] != NULL || from->lists[1] != NULL || from->lists[2] != NULL || from->lists[3] != NULL ||
      pthread_mutex_lock (&from->mutex) != 0 || pthread_mutex_lock (&from->mutex) != 0)
    abort ();
  for (const entry *each = from->entries; each->name != NULL; each++)
    {
      void *function = find_function (each->name);

      *each->function = function != NULL ? function : each->missing;
    }
  pthread_mutex_unlock (&from->mutex);
  pthread_mutex_unlock (&from->mutex);
}

#endif
#endif
