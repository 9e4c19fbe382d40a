/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-buffers-private.h"

#include <pthread.h>

#include "sw-profiler/trace/sw-trace-registry-private.h"

typedef enum
{
  BUFFER_FREE,
  BUFFER_LENT,
  BUFFER_FULL,
  BUFFER_READ, /* just now */
} BufferState;

typedef struct
{
  guint8 *bytes; /* NULL: never needed so far */
  BufferState state;
  gsize valid_size;
  guint64 turn; /* of a full one: the order in which they became that */
} Buffer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, for moments only */
static Buffer buffers[SW_CUPTI_N_BUFFERS];
static guint64 n_filled;
static gboolean is_open;
static guint64 n_late;

static Buffer *
find (BufferState state,
      const guint8 *bytes)
{
  for (guint i = 0; i < SW_CUPTI_N_BUFFERS; i++)
    if (buffers[i].state == state && (bytes == NULL || buffers[i].bytes == bytes))
      return &buffers[i];
  return NULL;
}

void
sw_cupti_buffers_request (guint8 **bytes,
                          gsize *size,
                          gsize *max_records)
{
  Buffer *buffer;

  *bytes = NULL;
  *size = 0;
  *max_records = 0;
  pthread_mutex_lock (&lock);
  buffer = find (BUFFER_FREE, NULL);
  if (buffer != NULL && buffer->bytes == NULL)
    /* Of the C library, which aligns it well enough; pages that are never used are never there. */
    buffer->bytes = g_try_malloc (SW_CUPTI_BUFFER_BYTES);
  if (buffer != NULL && buffer->bytes != NULL)
    {
      buffer->state = BUFFER_LENT;
      *bytes = buffer->bytes;
      *size = SW_CUPTI_BUFFER_BYTES;
    }
  pthread_mutex_unlock (&lock);
}

static guint64
count_records (guint8 *bytes,
               gsize valid_size)
{
  const SwCuptiLibrary *library = sw_cupti_library_get ();
  const SwCuptiRecord *record = NULL;
  gboolean is_intact;
  guint64 n = 0;

  while (library != NULL && (record = sw_cupti_record_next (library, bytes, valid_size, record, &is_intact)) != NULL)
    n += record->kind != SW_CUPTI_KIND_EXTERNAL_CORRELATION;
  return n;
}

/* TRUE: it is kept for the reader. */
static gboolean
keep (Buffer *buffer,
      gsize valid_size)
{
  if (!is_open)
    return FALSE;
  buffer->valid_size = valid_size;
  buffer->turn = n_filled++;
  buffer->state = BUFFER_FULL;
  return TRUE;
}

void
sw_cupti_buffers_complete (gpointer context,
                           guint32 stream,
                           guint8 *bytes,
                           gsize size,
                           gsize valid_size)
{
  gboolean is_kept = FALSE;
  Buffer *buffer;

  valid_size = MIN (valid_size, SW_CUPTI_BUFFER_BYTES);
  pthread_mutex_lock (&lock);
  /* What we never lent is none of our business. */
  buffer = bytes != NULL ? find (BUFFER_LENT, bytes) : NULL;
  if (buffer != NULL)
    is_kept = keep (buffer, valid_size);
  pthread_mutex_unlock (&lock);
  if (is_kept)
    {
      sw_trace_registry_wake_all ();
    }
  else if (buffer != NULL)
    {
      guint64 n = count_records (bytes, valid_size);

      pthread_mutex_lock (&lock);
      n_late += n;
      buffer->state = BUFFER_FREE;
      pthread_mutex_unlock (&lock);
    }
}

void
sw_cupti_buffers_set_open (gboolean open)
{
  pthread_mutex_lock (&lock);
  is_open = open;
  /* The memory of those that CUPTI does not have. */
  for (guint i = 0; i < SW_CUPTI_N_BUFFERS && !open; i++)
    if (buffers[i].state == BUFFER_FREE)
      g_clear_pointer (&buffers[i].bytes, g_free);
  pthread_mutex_unlock (&lock);
}

guint8 *
sw_cupti_buffers_take (gsize *valid_size)
{
  Buffer *oldest = NULL;

  pthread_mutex_lock (&lock);
  for (guint i = 0; i < SW_CUPTI_N_BUFFERS; i++)
    if (buffers[i].state == BUFFER_FULL && (oldest == NULL || buffers[i].turn < oldest->turn))
      oldest = &buffers[i];
  if (oldest != NULL)
    {
      oldest->state = BUFFER_READ;
      *valid_size = oldest->valid_size;
    }
  pthread_mutex_unlock (&lock);
  return oldest != NULL ? oldest->bytes : NULL;
}

void
sw_cupti_buffers_give_back (guint8 *bytes)
{
  pthread_mutex_lock (&lock);
  find (BUFFER_READ, bytes)->state = BUFFER_FREE;
  pthread_mutex_unlock (&lock);
}

guint64
sw_cupti_buffers_get_late_count (void)
{
  guint64 n;

  pthread_mutex_lock (&lock);
  n = n_late;
  pthread_mutex_unlock (&lock);
  return n;
}

/* Of all kinds whose contents are looked at; of others, what says which kind it is. */
static gsize
get_size (guint32 kind)
{
  switch (kind)
    {
    case SW_CUPTI_KIND_KERNEL:
    case SW_CUPTI_KIND_CONCURRENT_KERNEL:
      return sizeof (SwCuptiKernel);
    case SW_CUPTI_KIND_MEMCPY:
      return sizeof (SwCuptiMemcpy);
    case SW_CUPTI_KIND_MEMCPY2:
      return sizeof (SwCuptiPeerMemcpy);
    case SW_CUPTI_KIND_MEMSET:
      return sizeof (SwCuptiMemset);
    case SW_CUPTI_KIND_OVERHEAD:
      return sizeof (SwCuptiOverhead);
    case SW_CUPTI_KIND_EXTERNAL_CORRELATION:
      return sizeof (SwCuptiExternalCorrelation);
    default:
      return sizeof (SwCuptiRecord);
    }
}

/* It has to be behind the last one, so that there is an end to it. */
static gboolean
is_inside (const guint8 *buffer,
           gsize valid_size,
           const SwCuptiRecord *last,
           const SwCuptiRecord *record)
{
  gsize offset = (gsize) record - (gsize) buffer;

  if ((gsize) record < (gsize) buffer || (gsize) record % SW_CUPTI_ALIGNMENT != 0 || record <= last)
    return FALSE;
  return offset < valid_size && valid_size - offset >= sizeof (SwCuptiRecord) &&
         valid_size - offset >= get_size (record->kind);
}

const SwCuptiRecord *
sw_cupti_record_next (const SwCuptiLibrary *library,
                      guint8 *buffer,
                      gsize valid_size,
                      const SwCuptiRecord *last,
                      gboolean *is_intact)
{
  SwCuptiRecord *record = (SwCuptiRecord *) last;
  SwCuptiResult result;

  if (valid_size == 0)
    {
      *is_intact = TRUE;
      return NULL;
    }
  result = library->call.get_next_record (buffer, valid_size, &record);
  *is_intact = result == SW_CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (result != SW_CUPTI_SUCCESS || record == NULL)
    return NULL;
  return is_inside (buffer, valid_size, last, record) ? record : NULL;
}
