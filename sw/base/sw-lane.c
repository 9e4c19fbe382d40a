/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-lane-private.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#define SYSTEM_NAME_SIZE 64

struct _SwLane
{
  SwRefCount refs;
  guint64 id;
  guint64 thread_id;
  guint64 handle;
  pthread_mutex_t lock; /* of what follows */
  gboolean ended;
  char *given_name;    /* by the program */
  char *language_name; /* what the library of its language calls the thread */
  char last_name[SYSTEM_NAME_SIZE];
};

static _Thread_local SwLane *own;
static guint64 n_lanes;
/* The lanes of the threads that live, by thread_id, and what guards it: for those who name another thread. */
static GHashTable *living;
static pthread_mutex_t living_lock = PTHREAD_MUTEX_INITIALIZER;

static void
add_living (SwLane *self)
{
  pthread_mutex_lock (&living_lock);
  if (living == NULL)
    living = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_hash_table_replace (living, &self->thread_id, self);
  pthread_mutex_unlock (&living_lock);
}

static void
remove_living (SwLane *self)
{
  pthread_mutex_lock (&living_lock);
  /* In a forked child, one of its threads may have the number that the lane's had in the parent. */
  if (g_hash_table_lookup (living, &self->thread_id) == self)
    g_hash_table_remove (living, &self->thread_id);
  pthread_mutex_unlock (&living_lock);
}

static SwLane *
ref_living (guint64 thread_id)
{
  SwLane *self;

  pthread_mutex_lock (&living_lock);
  self = living != NULL ? g_hash_table_lookup (living, &thread_id) : NULL;
  if (self != NULL)
    sw_lane_ref (self);
  pthread_mutex_unlock (&living_lock);
  return self;
}

static void
end_lane (gpointer data)
{
  SwLane *self = data;

  own = NULL;
  remove_living (self);
  pthread_mutex_lock (&self->lock);
  self->ended = TRUE;
  if (pthread_getname_np (pthread_self (), self->last_name, sizeof self->last_name) != 0)
    self->last_name[0] = '\0';
  pthread_mutex_unlock (&self->lock);
  sw_lane_unref (self);
}

static GPrivate exit_watch = G_PRIVATE_INIT (end_lane);

static guint64
get_system_id (void)
{
#if defined(__linux__)
  return (guint64) syscall (SYS_gettid);
#else
  return (guint64) (gsize) pthread_self ();
#endif
}

/* Of the thread that forked, only the stack lives on in the child: it is another thread there. The lane stays behind, in
 * case a thread that does not exist any more was just changing it. */
static void
forget_lanes (void)
{
  own = NULL;
  if (living != NULL)
    g_hash_table_remove_all (living);
  pthread_mutex_unlock (&living_lock);
}

static void
lock_living (void)
{
  pthread_mutex_lock (&living_lock);
}

static void
unlock_living (void)
{
  pthread_mutex_unlock (&living_lock);
}

static void
watch_forks (void)
{
  pthread_atfork (lock_living, unlock_living, forget_lanes);
}

static SwLane *
new_lane (void)
{
  SwLane *self = g_new0 (SwLane, 1);

  sw_ref_count_init (&self->refs);
  pthread_mutex_init (&self->lock, NULL);
  /* Relaxed: the numbers only have to differ. */
  self->id = __atomic_add_fetch (&n_lanes, 1, __ATOMIC_RELAXED);
  return self;
}

SwLane *
sw_lane_new_for_queue (const char *name)
{
  SwLane *self = new_lane ();

  self->ended = TRUE;
  self->given_name = g_utf8_make_valid (name, -1);
  return self;
}

SwLane *
sw_lane_get (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  SwLane *self = own;

  if (G_LIKELY (self != NULL))
    return self;

  pthread_once (&once, watch_forks);
  self = new_lane ();
  self->thread_id = get_system_id ();
  self->handle = (guint64) (gsize) pthread_self ();
  own = self;
  add_living (self);
  g_private_set (&exit_watch, self);
  return self;
}

SwLane *
sw_lane_ref (SwLane *self)
{
  sw_ref_count_inc (&self->refs);
  return self;
}

void
sw_lane_unref (SwLane *self)
{
  if (!sw_ref_count_dec (&self->refs))
    return;
  pthread_mutex_destroy (&self->lock);
  g_free (self->given_name);
  g_free (self->language_name);
  g_free (self);
}

guint64
sw_lane_get_id (const SwLane *self)
{
  return self->id;
}

guint64
sw_lane_get_thread_id (const SwLane *self)
{
  return self->thread_id;
}

guint64
sw_lane_get_handle (const SwLane *self)
{
  return self->handle;
}

gboolean
sw_lane_is_queue (const SwLane *self)
{
  return self->thread_id == 0;
}

/* Not pthread_getname_np (): that one must not be asked about a thread that may just be ending. */
static char *
read_system_name (const SwLane *self)
{
  char path[64];
  char name[SYSTEM_NAME_SIZE];
  gssize length = -1;
  int fd;

  snprintf (path, sizeof path, "/proc/self/task/%" G_GUINT64_FORMAT "/comm", self->thread_id);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
    {
      length = read (fd, name, sizeof name);
      close (fd);
    }
  while (length > 0 && name[length - 1] == '\n')
    length--;
  return length > 0 ? g_strndup (name, (gsize) length) : NULL;
}

static char *
dup_name_locked (const SwLane *self)
{
  char *name = NULL;

  if (self->given_name != NULL)
    return g_strdup (self->given_name);
  if (self->language_name != NULL)
    return g_strdup (self->language_name);
  if (self->ended)
    name = self->last_name[0] != '\0' ? g_strdup (self->last_name) : NULL;
  else
    name = read_system_name (self);
  return name != NULL ? name : g_strdup_printf ("thread %" G_GUINT64_FORMAT, self->thread_id);
}

char *
sw_lane_dup_name (SwLane *self)
{
  char *name;
  char *valid;

  pthread_mutex_lock (&self->lock);
  name = dup_name_locked (self);
  pthread_mutex_unlock (&self->lock);
  if (g_utf8_validate (name, -1, NULL))
    return name;
  valid = g_utf8_make_valid (name, -1);
  g_free (name);
  return valid;
}

/* @place: one of the names of @self. */
static void
replace_name (SwLane *self,
              char **place,
              const char *name)
{
  char *copy = name != NULL ? g_utf8_make_valid (name, -1) : NULL;
  char *old;

  pthread_mutex_lock (&self->lock);
  old = *place;
  *place = copy;
  pthread_mutex_unlock (&self->lock);
  g_free (old);
}

void
sw_lane_set_name (const char *name)
{
  SwLane *self = sw_lane_get ();

  replace_name (self, &self->given_name, name);
}

void
sw_lane_set_language_name (guint64 thread_id,
                           const char *name)
{
  SwLane *self = thread_id == 0 ? sw_lane_ref (sw_lane_get ()) : ref_living (thread_id);

  if (self == NULL)
    return;
  replace_name (self, &self->language_name, name);
  sw_lane_unref (self);
}
