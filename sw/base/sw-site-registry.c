/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-site-registry-private.h"

#include <pthread.h>
#include <string.h>

#include "sw/base/sw-site-name-private.h"

/* Sites by id, in segments that never move, so that a lookup needs no lock. */
#define SEGMENT_SIZE 1024
#define N_SEGMENTS (SW_SITE_MAX_SITES / SEGMENT_SIZE)
#define FIRST_TABLE_SIZE 256

typedef const SwSite *Segment[SEGMENT_SIZE];

/* An open-addressing table of ids; 0 is free. A full one is replaced, not changed: readers may still be in it, so it stays,
 * and all of them together are smaller than the last. */
typedef struct _Table Table;
struct _Table
{
  Table *previous;
  guint size; /* a power of two */
  guint32 ids[];
};

static Segment *segments[N_SEGMENTS];
static Table *table;
static guint32 n_sites;
static gsize n_text_bytes;
/* Not GMutex: ThreadSanitizer cannot see into GLib. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void
lock_registry (void)
{
  pthread_mutex_lock (&lock);
}

static void
unlock_registry (void)
{
  pthread_mutex_unlock (&lock);
}

/* A child of a fork has only the thread that forked: no other may hold the lock then. */
static void
watch_forks (void)
{
  pthread_atfork (lock_registry, unlock_registry, unlock_registry);
}

static guint32
hash_text (guint32 hash,
           const char *text)
{
  for (; *text != '\0'; text++)
    hash = (hash ^ (guchar) *text) * 16777619;
  return hash * 31 + 1;
}

static guint32
hash_site (const SwSite *key)
{
  return hash_text (hash_text (hash_text (2166136261u + key->line, key->name), key->signature), key->file);
}

static gboolean
is_same (const SwSite *a,
         const SwSite *b)
{
  return a->hash == b->hash && a->line == b->line && strcmp (a->name, b->name) == 0 &&
         strcmp (a->signature, b->signature) == 0 && strcmp (a->file, b->file) == 0;
}

const SwSite *
sw_site_registry_get (guint32 id)
{
  Segment *segment;

  if (id == 0 || id > SW_SITE_MAX_SITES)
    return NULL;
  /* Acquire, both: a site is complete before it is in its segment, and a segment before it is in its place. */
  segment = __atomic_load_n (&segments[(id - 1) / SEGMENT_SIZE], __ATOMIC_ACQUIRE);
  return segment != NULL ? __atomic_load_n (&(*segment)[(id - 1) % SEGMENT_SIZE], __ATOMIC_ACQUIRE) : NULL;
}

guint32
sw_site_registry_count (void)
{
  /* Acquire: the sites up to the count are in their places. */
  return __atomic_load_n (&n_sites, __ATOMIC_ACQUIRE);
}

static guint32
find (const SwSite *key)
{
  /* Acquire: a table is complete before it is published. */
  Table *current = __atomic_load_n (&table, __ATOMIC_ACQUIRE);

  if (current == NULL)
    return 0;
  for (guint i = key->hash & (current->size - 1);; i = (i + 1) & (current->size - 1))
    {
      /* Acquire: the site of an id is in its place before the id is in the table. */
      guint32 id = __atomic_load_n (&current->ids[i], __ATOMIC_ACQUIRE);

      if (id == 0 || is_same (sw_site_registry_get (id), key))
        return id;
    }
}

/* Under the lock. */
static void
put_id (Table *target,
        const SwSite *site)
{
  guint i = site->hash & (target->size - 1);

  while (target->ids[i] != 0)
    i = (i + 1) & (target->size - 1);
  /* Release: pairs with find (). */
  __atomic_store_n (&target->ids[i], site->id, __ATOMIC_RELEASE);
}

/* Under the lock. Never more than half full. */
static void
make_room (void)
{
  guint size = table == NULL ? FIRST_TABLE_SIZE : table->size;
  Table *larger;

  if (table != NULL && n_sites < size / 2)
    return;
  if (table != NULL)
    size *= 2;
  larger = g_malloc0 (sizeof (Table) + size * sizeof (guint32));
  larger->previous = table;
  larger->size = size;
  for (guint32 id = 1; id <= n_sites; id++)
    put_id (larger, sw_site_registry_get (id));
  /* Release: pairs with find (). */
  __atomic_store_n (&table, larger, __ATOMIC_RELEASE);
}

static const char *
copy_text (char **at,
           const char *text)
{
  gsize size = strlen (text) + 1;
  char *copy = memcpy (*at, text, size);

  *at += size;
  return copy;
}

static SwSite *
make_site (const SwSite *key,
           gsize n_bytes,
           const char *function)
{
  SwSite *site = g_malloc (sizeof (SwSite) + n_bytes);
  char *at = (char *) (site + 1);

  site->id = n_sites + 1;
  site->line = key->line;
  site->hash = key->hash;
  site->file = copy_text (&at, key->file);
  site->signature = copy_text (&at, key->signature);
  site->name = copy_text (&at, key->name);
  site->function = strcmp (function, key->signature) == 0 ? site->signature : copy_text (&at, function);
  return site;
}

/* Under the lock. */
static guint32
add (const SwSite *key)
{
  g_autofree char *function = sw_site_name_shorten (key->signature);
  gsize n_bytes = strlen (key->file) + strlen (key->signature) + strlen (function) + strlen (key->name) + 4;
  guint place = n_sites % SEGMENT_SIZE;
  Segment **segment = &segments[n_sites / SEGMENT_SIZE];
  SwSite *site = make_site (key, n_bytes, function);

  make_room ();
  n_text_bytes += n_bytes;
  if (*segment == NULL)
    /* Release: pairs with sw_site_registry_get (). */
    __atomic_store_n (segment, g_new0 (Segment, 1), __ATOMIC_RELEASE);
  __atomic_store_n (&(**segment)[place], site, __ATOMIC_RELEASE);
  put_id (table, site);
  __atomic_store_n (&n_sites, site->id, __ATOMIC_RELEASE);
  return site->id;
}

/* Under the lock. One place stays free for the site of those that are too many. */
static gboolean
is_full (const SwSite *key)
{
  gsize n_bytes = strlen (key->file) + 2 * strlen (key->signature) + strlen (key->name) + 4;

  return n_sites >= SW_SITE_MAX_SITES - 1 || n_bytes > SW_SITE_MAX_TEXT_BYTES - MIN (n_text_bytes, SW_SITE_MAX_TEXT_BYTES);
}

static guint32
find_or_add (const SwSite *key)
{
  SwSite overflow = { .file = "", .signature = "", .name = SW_SITE_OVERFLOW_NAME };
  guint32 id;

  pthread_once (&fork_once, watch_forks);
  overflow.hash = hash_site (&overflow);
  lock_registry ();
  id = find (key);
  if (id == 0 && is_full (key))
    {
      key = &overflow;
      id = find (key);
    }
  if (id == 0)
    id = add (key);
  unlock_registry ();
  return id;
}

guint32
sw_site_registry_intern (const char *file,
                         guint32 line,
                         const char *signature,
                         const char *name)
{
  SwSite key = {
    .line = line,
    .file = file != NULL ? file : "",
    .signature = signature != NULL ? signature : "",
    .name = name != NULL ? name : "",
  };
  guint32 id;

  key.hash = hash_site (&key);
  id = find (&key);
  return id != 0 ? id : find_or_add (&key);
}
