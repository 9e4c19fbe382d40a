/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/cpu/sw-cpu-cache-private.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-pages-private.h"
#include "sw/carriers/cpu/sw-cpu.h"

#include <pthread.h>

/* Free blocks are kept twice: small ones by the thread that gave them back, without any lock, and what is too much or
 * too large for that in the depot that all threads share. A block has the size of its class, of which there are four
 * to each doubling, so that little more than a tenth is lost on average.
 *
 * What a thread may keep is charged to the whole in chunks, before it is kept: the sum never exceeds the limit, and a
 * thread rarely has to ask. */

#define N_CLASSES 220
#define N_THREAD_CLASSES 36 /* up to 64 KiB */
#define THREAD_LIMIT (1 << 20)
#define CHUNK (1 << 16)
#define MAX_CARRIERS 32

/* Under the address sanitizer memory that is used again would hide mistakes: there, one has to ask for it. */
#if defined(__SANITIZE_ADDRESS__)
#define DEFAULT_LIMIT 0
#else
#define DEFAULT_LIMIT (G_GUINT64_CONSTANT (256) << 20)
#endif

typedef struct _Block Block;

/* At the beginning of a free block. */
struct _Block
{
  Block *next; /* of the same class */
  /* The rest only in the depot. */
  Block *previous;
  Block *newer;
  Block *older;
  guint size_class;
};

typedef struct _Thread Thread;

struct _Thread
{
  Block *blocks[N_THREAD_CLASSES];
  SwCarrier *carriers[MAX_CARRIERS];
  guint n_carriers;
  gsize n_charged;
  guint epoch;
  gboolean is_on;
  /* Atomic: written by the thread, read by whoever asks for statistics. */
  gsize n_bytes;
  guint64 n_hits;
  guint64 n_misses;
  Thread *previous;
  Thread *next;
};

static struct
{
  pthread_mutex_t lock; /* of all but the epoch */
  Block *blocks[N_CLASSES];
  Block *newest;
  Block *oldest;
  guint64 limit;
  guint64 n_charged; /* bytes in the depot, and what threads may keep */
  guint64 n_bytes;   /* in the depot */
  Thread *threads;
  guint64 n_hits; /* of threads that have ended */
  guint64 n_misses;
  guint epoch; /* atomic: threads that see a new one give all back that they keep */
} depot = { .lock = PTHREAD_MUTEX_INITIALIZER, .limit = DEFAULT_LIMIT, .epoch = 1 };

static pthread_once_t is_prepared = PTHREAD_ONCE_INIT;
static pthread_key_t exit_key;
static _Thread_local Thread *own_thread;

static inline guint
get_class (gsize n_bytes)
{
  gsize last = n_bytes <= SW_CPU_ALIGNMENT ? 0 : (n_bytes - 1) / SW_CPU_ALIGNMENT;
  guint shift;

  if (last < 4)
    return (guint) last;
  shift = 61 - (guint) __builtin_clzll (last);
  return 4 * shift + (guint) (last >> shift);
}

static inline gsize
get_class_size (guint size_class)
{
  guint shift = size_class < 4 ? 0 : size_class / 4 - 1;

  return (gsize) (size_class - 4 * shift + 1) * SW_CPU_ALIGNMENT << shift;
}

static void
free_block (Block *block,
            guint size_class)
{
  ASAN_UNPOISON_MEMORY_REGION (block, get_class_size (size_class));
  free (block);
}

/* Only this thread writes. */
#define ADD(counter, value)                                                               \
  /* Relaxed: a figure of statistics, which orders nothing. */                            \
  __atomic_store_n (&(counter), __atomic_load_n (&(counter), __ATOMIC_RELAXED) + (value), \
                    __ATOMIC_RELAXED)

static void
depot_unlink (Block *block)
{
  Block **first = &depot.blocks[block->size_class];

  if (block->next != NULL)
    block->next->previous = block->previous;
  *(block->previous != NULL ? &block->previous->next : first) = block->next;
  *(block->newer != NULL ? &block->newer->older : &depot.newest) = block->older;
  *(block->older != NULL ? &block->older->newer : &depot.oldest) = block->newer;
  depot.n_bytes -= get_class_size (block->size_class);
  depot.n_charged -= get_class_size (block->size_class);
}

/* Takes the blocks out that were given back longest ago, until no more than @n_left bytes are charged; returns them. */
static Block *
depot_evict (guint64 n_left)
{
  Block *evicted = NULL;

  while (depot.oldest != NULL && depot.n_charged > n_left)
    {
      Block *block = depot.oldest;

      depot_unlink (block);
      block->next = evicted;
      evicted = block;
    }
  return evicted;
}

static gsize
free_blocks (Block *blocks)
{
  gsize n_bytes = 0;

  while (blocks != NULL)
    {
      Block *next = blocks->next;

      n_bytes += get_class_size (blocks->size_class);
      free_block (blocks, blocks->size_class);
      blocks = next;
    }
  return n_bytes;
}

/* Makes room for @n_bytes where the limit allows it. */
static gboolean
charge (gsize n_bytes)
{
  Block *evicted = NULL;
  gboolean fits;

  pthread_mutex_lock (&depot.lock);
  fits = n_bytes <= depot.limit;
  if (fits)
    {
      evicted = depot_evict (depot.limit - n_bytes);
      fits = depot.n_charged <= depot.limit - n_bytes;
      depot.n_charged += fits ? n_bytes : 0;
    }
  pthread_mutex_unlock (&depot.lock);

  free_blocks (evicted);
  return fits;
}

/* Its bytes are charged. */
static void
depot_link (Block *block,
            guint size_class)
{
  Block **first = &depot.blocks[size_class];

  *block = (Block){ .next = *first, .older = depot.newest, .size_class = size_class };
  if (*first != NULL)
    (*first)->previous = block;
  *first = block;
  if (depot.newest != NULL)
    depot.newest->newer = block;
  else
    depot.oldest = block;
  depot.newest = block;
  depot.n_bytes += get_class_size (size_class);
}

static void
depot_put (Block *block,
           guint size_class)
{
  if (!charge (get_class_size (size_class)))
    {
      free_block (block, size_class);
      return;
    }

  pthread_mutex_lock (&depot.lock);
  ASAN_UNPOISON_MEMORY_REGION (block, sizeof *block);
  depot_link (block, size_class);
  pthread_mutex_unlock (&depot.lock);
}

static Block *
depot_take (guint size_class)
{
  Block *block;

  pthread_mutex_lock (&depot.lock);
  block = depot.blocks[size_class];
  if (block != NULL)
    depot_unlink (block);
  pthread_mutex_unlock (&depot.lock);
  return block;
}

static Block *
thread_pop (Thread *self,
            guint size_class)
{
  Block *block = self->blocks[size_class];

  if (block == NULL)
    return NULL;
  ASAN_UNPOISON_MEMORY_REGION (block, sizeof *block);
  self->blocks[size_class] = block->next;
  ADD (self->n_bytes, -get_class_size (size_class));
  return block;
}

/* Gives up all that the thread keeps: to the depot, or for good. Returns how many bytes. */
static gsize
thread_empty (Thread *self,
              gboolean to_depot)
{
  gsize n_bytes = self->n_bytes;

  while (self->n_carriers > 0)
    g_object_unref (self->carriers[--self->n_carriers]);

  pthread_mutex_lock (&depot.lock);
  depot.n_charged -= self->n_charged;
  self->n_charged = 0;
  pthread_mutex_unlock (&depot.lock);

  for (guint i = 0; i < N_THREAD_CLASSES; i++)
    {
      for (Block *block = thread_pop (self, i); block != NULL; block = thread_pop (self, i))
        {
          if (to_depot)
            depot_put (block, i);
          else
            free_block (block, i);
        }
    }
  return n_bytes;
}

static void
thread_unlink (Thread *self)
{
  depot.n_hits += self->n_hits;
  depot.n_misses += self->n_misses;
  if (self->next != NULL)
    self->next->previous = self->previous;
  *(self->previous != NULL ? &self->previous->next : &depot.threads) = self->next;
}

static void
thread_end (gpointer data)
{
  Thread *self = data;

  own_thread = NULL;
  thread_empty (self, TRUE);
  pthread_mutex_lock (&depot.lock);
  thread_unlink (self);
  pthread_mutex_unlock (&depot.lock);
  g_free (self);
}

static void
before_fork (void)
{
  pthread_mutex_lock (&depot.lock);
}

static void
after_fork (void)
{
  pthread_mutex_unlock (&depot.lock);
}

/* What other threads kept may be half changed, and is lost to the child. */
static void
after_fork_in_child (void)
{
  Thread *next;

  for (Thread *thread = depot.threads; thread != NULL; thread = next)
    {
      next = thread->next;
      if (thread == own_thread)
        continue;
      depot.n_charged -= thread->n_charged;
      thread_unlink (thread);
    }
  pthread_mutex_unlock (&depot.lock);
}

static void
prepare (void)
{
  pthread_key_create (&exit_key, thread_end);
  pthread_atfork (before_fork, after_fork, after_fork_in_child);
}

static G_GNUC_NO_INLINE Thread *
thread_new (void)
{
  Thread *self = g_new0 (Thread, 1);

  pthread_once (&is_prepared, prepare);
  pthread_setspecific (exit_key, self);
  pthread_mutex_lock (&depot.lock);
  self->next = depot.threads;
  if (self->next != NULL)
    self->next->previous = self;
  depot.threads = self;
  pthread_mutex_unlock (&depot.lock);

  own_thread = self;
  return self;
}

static G_GNUC_NO_INLINE gsize
thread_renew (Thread *self,
              guint epoch)
{
  gsize n_bytes = thread_empty (self, FALSE);

  pthread_mutex_lock (&depot.lock);
  self->is_on = depot.limit > 0;
  self->epoch = epoch;
  pthread_mutex_unlock (&depot.lock);
  return n_bytes;
}

static inline Thread *
thread_get (void)
{
  Thread *self = G_LIKELY (own_thread != NULL) ? own_thread : thread_new ();
  /* Relaxed: says only that there is something to do; what is to be read then is read under the lock. */
  guint epoch = __atomic_load_n (&depot.epoch, __ATOMIC_RELAXED);

  if (G_UNLIKELY (self->epoch != epoch))
    thread_renew (self, epoch);
  return self;
}

/* Whether the thread may keep so much more. */
static inline gboolean
thread_may_keep (Thread *self,
                 gsize n_bytes)
{
  if (G_LIKELY (self->n_bytes + n_bytes <= self->n_charged))
    return TRUE;
  if (self->n_charged + CHUNK > THREAD_LIMIT || !charge (CHUNK))
    return FALSE;
  self->n_charged += CHUNK;
  return self->n_bytes + n_bytes <= self->n_charged;
}

gpointer
sw_cpu_cache_take (gsize n_bytes)
{
  guint size_class = get_class (n_bytes);
  gsize size = get_class_size (size_class);
  Thread *thread = thread_get ();
  Block *block = NULL;

  if (G_LIKELY (size_class < N_THREAD_CLASSES))
    block = thread_pop (thread, size_class);
  if (block == NULL && thread->is_on)
    block = depot_take (size_class);

  if (block != NULL)
    {
      ADD (thread->n_hits, 1);
    }
  else
    {
      ADD (thread->n_misses, 1);
      block = sw_cpu_pages_allocate (size);
      if (block == NULL)
        return NULL;
    }

  ASAN_POISON_MEMORY_REGION (block, size);
  ASAN_UNPOISON_MEMORY_REGION (block, n_bytes);
  return block;
}

void
sw_cpu_cache_put (gpointer memory,
                  gsize n_bytes)
{
  guint size_class = get_class (n_bytes);
  gsize size = get_class_size (size_class);
  Thread *thread = thread_get ();
  Block *block = memory;

  if (!thread->is_on)
    {
      free_block (block, size_class);
      return;
    }
  if (size_class >= N_THREAD_CLASSES || !thread_may_keep (thread, size))
    {
      ASAN_POISON_MEMORY_REGION (block, size);
      depot_put (block, size_class);
      return;
    }

  ASAN_UNPOISON_MEMORY_REGION (block, sizeof *block);
  block->next = thread->blocks[size_class];
  thread->blocks[size_class] = block;
  ADD (thread->n_bytes, size);
  /* Not the link: the leak sanitizer follows nothing that is poisoned. */
  ASAN_POISON_MEMORY_REGION (block + 1, size - sizeof *block);
}

gboolean
sw_cpu_cache_keep_carrier (SwCarrier *carrier)
{
  Thread *thread = thread_get ();

  if (!thread->is_on || thread->n_carriers == MAX_CARRIERS)
    return FALSE;
  thread->carriers[thread->n_carriers++] = carrier;
  return TRUE;
}

SwCarrier *
sw_cpu_cache_get_carrier (void)
{
  Thread *thread = thread_get ();

  return thread->n_carriers > 0 ? thread->carriers[--thread->n_carriers] : NULL;
}

/* Takes all blocks out of the depot, and lets each thread do so with its own. */
static Block *
begin_trim (void)
{
  Block *evicted = depot_evict (0);

  /* Relaxed: see thread_get (). */
  __atomic_fetch_add (&depot.epoch, 1, __ATOMIC_RELAXED);
  return evicted;
}

static gsize
end_trim (Block *evicted)
{
  gsize n_bytes = free_blocks (evicted);

  if (own_thread != NULL)
    /* Relaxed: see thread_get (). */
    n_bytes += thread_renew (own_thread, __atomic_load_n (&depot.epoch, __ATOMIC_RELAXED));
  return n_bytes;
}

/**
 * sw_cpu_trim_cache:
 *
 * Gives memory back to the system's allocator that carriers of class CPU no longer use and that is kept for others.
 *
 * Small blocks that other threads keep for themselves, 1 MiB each at most, follow when the thread next makes a carrier
 * or lets one go, or ends. May be called from any thread.
 *
 * Returns: how many bytes were given back at once
 */
guint64
sw_cpu_trim_cache (void)
{
  Block *evicted;

  pthread_mutex_lock (&depot.lock);
  evicted = begin_trim ();
  pthread_mutex_unlock (&depot.lock);
  return end_trim (evicted);
}

/**
 * sw_cpu_set_cache_limit:
 * @n_bytes: how much memory may be kept, in bytes; 0 to keep none
 * @error: return location for an error
 *
 * Limits the memory that is kept when carriers of class CPU let go of it, for carriers made later; what is kept so far is
 * given back as by [func@Strideweave.CPU.trim_cache].
 *
 * The limit is one for the whole process, 256 MiB at first. Where it is reached, what was given back longest ago makes
 * room. In a build for the address sanitizer it is 0 at first, so that no use of memory after its end is hidden; kept
 * memory is poisoned there.
 *
 * Results of operations that are as large as earlier ones, which are gone, then take no memory from the system. May be
 * called from any thread. Fails with %SW_ERROR_VALUE when @n_bytes is negative.
 *
 * Returns: %TRUE when the limit was set
 */
gboolean
sw_cpu_set_cache_limit (gint64 n_bytes,
                        GError **error)
{
  Block *evicted;

  if (n_bytes < 0)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "n_bytes is %" G_GINT64_FORMAT ", and must not be negative", n_bytes);
      return FALSE;
    }

  pthread_mutex_lock (&depot.lock);
  depot.limit = n_bytes;
  evicted = begin_trim ();
  pthread_mutex_unlock (&depot.lock);

  end_trim (evicted);
  return TRUE;
}

/**
 * sw_cpu_get_cache_limit:
 *
 * Tells how much memory is kept at most, see [func@Strideweave.CPU.set_cache_limit].
 *
 * Returns: the limit in bytes; 0 when none is kept
 */
gint64
sw_cpu_get_cache_limit (void)
{
  gint64 limit;

  pthread_mutex_lock (&depot.lock);
  limit = (gint64) depot.limit;
  pthread_mutex_unlock (&depot.lock);
  return limit;
}

/**
 * sw_cpu_get_cache_statistics:
 * @n_hits: (out) (optional): how often a carrier got memory that was kept
 * @n_misses: (out) (optional): how often it got memory from the system's allocator
 *
 * Tells how much memory is kept, and how often it served, since the process began. Other threads go on meanwhile, so
 * the three belong to about the same moment.
 *
 * Returns: how many bytes are kept at present
 */
guint64
sw_cpu_get_cache_statistics (guint64 *n_hits,
                             guint64 *n_misses)
{
  guint64 n_bytes, hits, misses;

  pthread_mutex_lock (&depot.lock);
  n_bytes = depot.n_bytes;
  hits = depot.n_hits;
  misses = depot.n_misses;
  for (Thread *thread = depot.threads; thread != NULL; thread = thread->next)
    {
      /* Relaxed: figures of statistics, which order nothing. */
      n_bytes += __atomic_load_n (&thread->n_bytes, __ATOMIC_RELAXED);
      hits += __atomic_load_n (&thread->n_hits, __ATOMIC_RELAXED);
      misses += __atomic_load_n (&thread->n_misses, __ATOMIC_RELAXED);
    }
  pthread_mutex_unlock (&depot.lock);

  if (n_hits != NULL)
    *n_hits = hits;
  if (n_misses != NULL)
    *n_misses = misses;
  return n_bytes;
}
