/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library that stands for CUPTI: it has no GPU, and replays the records that a test gives it. */
#include "fake-cupti.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define N_KINDS 64
#define N_BUFFERS 64
#define MAX_RECORDS 32768
#define MAX_DEPTH 64
#define N_EXTERNAL 8
#define CUSTOM1 4

typedef struct
{
  uint8_t *bytes;
  size_t used;
  uint64_t turn; /* of the last time that it was asked for */
  uint32_t n_records;
  uint32_t offsets[MAX_RECORDS];
} Buffer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*request) (uint8_t **buffer, size_t *size, size_t *max_records);
static void (*completed) (void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid_size);
static int enabled[N_KINDS];
static int64_t clock_offset;
static Buffer buffers[N_BUFFERS];
static Buffer *current;
static size_t current_size;
static size_t n_dropped;
static FakeNext next_mode;
static struct
{
  const char *function;
  uint32_t result;
} results[16];

static _Thread_local uint64_t stack[N_EXTERNAL][MAX_DEPTH];
static _Thread_local unsigned depth[N_EXTERNAL];

EXPORT void
fake_cupti_reset (void)
{
  pthread_mutex_lock (&lock);
  memset (enabled, 0, sizeof enabled);
  memset (results, 0, sizeof results);
  clock_offset = 1700000000000000000;
  n_dropped = 0;
  next_mode = FAKE_NEXT_RIGHT;
  pthread_mutex_unlock (&lock);
}

static uint32_t
get_result (const char *function)
{
  uint32_t result = 0;

  pthread_mutex_lock (&lock);
  for (unsigned i = 0; i < 16 && results[i].function != NULL; i++)
    if (strcmp (results[i].function, function) == 0)
      result = results[i].result;
  pthread_mutex_unlock (&lock);
  return result;
}

EXPORT void
fake_cupti_set_result (const char *function,
                       uint32_t result)
{
  unsigned i = 0;

  pthread_mutex_lock (&lock);
  while (results[i].function != NULL && strcmp (results[i].function, function) != 0)
    i++;
  results[i].function = function;
  results[i].result = result;
  pthread_mutex_unlock (&lock);
}

EXPORT void
fake_cupti_set_offset (int64_t offset)
{
  pthread_mutex_lock (&lock);
  clock_offset = offset;
  pthread_mutex_unlock (&lock);
}

EXPORT uint64_t
fake_cupti_now (void)
{
  struct timespec now;
  int64_t offset;

  clock_gettime (CLOCK_MONOTONIC, &now);
  pthread_mutex_lock (&lock);
  offset = clock_offset;
  pthread_mutex_unlock (&lock);
  return (uint64_t) ((int64_t) now.tv_sec * 1000000000 + now.tv_nsec + offset);
}

EXPORT int
fake_cupti_is_enabled (uint32_t kind)
{
  int is_enabled;

  pthread_mutex_lock (&lock);
  is_enabled = enabled[kind];
  pthread_mutex_unlock (&lock);
  return is_enabled;
}

EXPORT unsigned
fake_cupti_get_depth (void)
{
  return depth[3];
}

static Buffer *
find (const uint8_t *bytes)
{
  static uint64_t turn;
  Buffer *unused = &buffers[0];

  turn++;
  for (unsigned i = 0; i < N_BUFFERS; i++)
    {
      if (buffers[i].bytes == bytes)
        {
          buffers[i].turn = turn;
          return &buffers[i];
        }
      if (buffers[i].turn < unused->turn)
        unused = &buffers[i];
    }
  /* The one that was not asked for since longest: those that are in use at the same time are fewer. */
  unused->turn = turn;
  unused->bytes = (uint8_t *) bytes;
  unused->n_records = 0;
  return unused;
}

/* Outside of the lock, like CUPTI: what is called back may call again. */
static int
begin_buffer (void)
{
  uint8_t *bytes = NULL;
  size_t size = 0;
  size_t max_records = 0;

  request (&bytes, &size, &max_records);
  if (bytes == NULL)
    return 0;
  pthread_mutex_lock (&lock);
  current = find (bytes);
  current->used = 0;
  current->n_records = 0;
  current_size = size;
  pthread_mutex_unlock (&lock);
  return 1;
}

EXPORT void
fake_cupti_complete (size_t valid_size)
{
  Buffer *buffer;
  size_t size;

  pthread_mutex_lock (&lock);
  buffer = current;
  size = current_size;
  current = NULL;
  pthread_mutex_unlock (&lock);
  if (buffer != NULL)
    completed (NULL, 0, buffer->bytes, size, valid_size == SIZE_MAX ? buffer->used : valid_size);
}

EXPORT void
fake_cupti_complete_foreign (uint8_t *bytes,
                             size_t size)
{
  completed (NULL, 0, bytes, size, size);
}

/* 1: it is in. 0: the buffer is full. -1: there is none. */
static int
try_put (const void *record,
         size_t size)
{
  size_t room = (size + 7) / 8 * 8;
  int result = -1;

  pthread_mutex_lock (&lock);
  if (current != NULL)
    {
      result = current->used + room <= current_size && current->n_records < MAX_RECORDS;
      if (result == 1)
        {
          memcpy (current->bytes + current->used, record, size);
          current->offsets[current->n_records++] = (uint32_t) current->used;
          current->used += room;
        }
    }
  pthread_mutex_unlock (&lock);
  return result;
}

/* One thread at a time; another may flush meanwhile. */
EXPORT int
fake_cupti_put (const void *record,
                size_t size)
{
  int result;

  while ((result = try_put (record, size)) != 1)
    {
      if (result == 0)
        fake_cupti_complete (SIZE_MAX);
      else if (!begin_buffer ())
        {
          pthread_mutex_lock (&lock);
          n_dropped++;
          pthread_mutex_unlock (&lock);
          return 0;
        }
    }
  return 1;
}

EXPORT int
fake_cupti_correlate (uint32_t correlation)
{
  struct
  {
    uint32_t kind;
    uint32_t external_kind;
    uint64_t id;
    uint32_t correlation;
    uint32_t reserved;
  } record = { .kind = 39, .correlation = correlation };
  int was_put = 1;

  for (uint32_t kind = 0; kind < N_EXTERNAL; kind++)
    {
      if (depth[kind] == 0)
        continue;
      record.external_kind = kind;
      record.id = stack[kind][depth[kind] - 1];
      was_put &= fake_cupti_put (&record, sizeof record);
    }
  return was_put;
}

EXPORT void
fake_cupti_set_next (FakeNext next)
{
  pthread_mutex_lock (&lock);
  next_mode = next;
  pthread_mutex_unlock (&lock);
}

EXPORT void
fake_cupti_set_dropped (size_t n)
{
  pthread_mutex_lock (&lock);
  n_dropped = n;
  pthread_mutex_unlock (&lock);
}

/* From here on, what CUPTI exports. */

EXPORT uint32_t
cuptiGetResultString (uint32_t result,
                      const char **text)
{
  switch (result)
    {
    case 7:
      *text = "CUPTI_ERROR_INVALID_OPERATION";
      return 0;
    case 35:
      *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
      return 0;
    case 999:
      *text = "CUPTI_ERROR_UNKNOWN";
      return 0;
    default:
      return 1;
    }
}

EXPORT uint32_t
cuptiGetTimestamp (uint64_t *timestamp)
{
  *timestamp = fake_cupti_now ();
  return get_result ("cuptiGetTimestamp");
}

EXPORT uint32_t
cuptiActivityRegisterCallbacks (void (*request_function) (uint8_t **, size_t *, size_t *),
                                void (*complete_function) (void *, uint32_t, uint8_t *, size_t, size_t))
{
  uint32_t result = get_result ("cuptiActivityRegisterCallbacks");

  if (result != 0)
    return result;
  request = request_function;
  completed = complete_function;
  return 0;
}

static uint32_t
set_enabled (const char *function,
             uint32_t kind,
             int is_enabled)
{
  char name[64];
  uint32_t result;

  snprintf (name, sizeof name, "%s(%u)", function, kind);
  result = get_result (name);
  if (result != 0)
    return result;
  pthread_mutex_lock (&lock);
  enabled[kind] = is_enabled;
  pthread_mutex_unlock (&lock);
  return 0;
}

EXPORT uint32_t
cuptiActivityEnable (uint32_t kind)
{
  return set_enabled ("cuptiActivityEnable", kind, 1);
}

EXPORT uint32_t
cuptiActivityDisable (uint32_t kind)
{
  return set_enabled ("cuptiActivityDisable", kind, 0);
}

EXPORT uint32_t
cuptiActivityGetNextRecord (uint8_t *bytes,
                            size_t valid_size,
                            void **record)
{
  uint32_t result = get_result ("cuptiActivityGetNextRecord");
  Buffer *buffer;
  uint32_t i = 0;

  if (result != 0)
    return result;
  pthread_mutex_lock (&lock);
  buffer = find (bytes);
  if (*record != NULL)
    while (i < buffer->n_records && (void *) (buffer->bytes + buffer->offsets[i]) <= *record)
      i++;
  if (next_mode == FAKE_NEXT_OUTSIDE)
    *record = bytes - 4096;
  else if (next_mode == FAKE_NEXT_MISALIGNED)
    *record = bytes + 4;
  else if (next_mode == FAKE_NEXT_SAME)
    *record = bytes;
  else if (i == buffer->n_records || buffer->offsets[i] >= valid_size)
    result = 12;
  else
    *record = bytes + buffer->offsets[i];
  pthread_mutex_unlock (&lock);
  return result;
}

EXPORT uint32_t
cuptiActivityGetNumDroppedRecords (void *context,
                                   uint32_t stream,
                                   size_t *n)
{
  pthread_mutex_lock (&lock);
  *n = n_dropped;
  n_dropped = 0;
  pthread_mutex_unlock (&lock);
  return get_result ("cuptiActivityGetNumDroppedRecords");
}

EXPORT uint32_t
cuptiActivityFlushAll (uint32_t flags)
{
  uint32_t result = get_result ("cuptiActivityFlushAll");

  if (result == 0)
    fake_cupti_complete (SIZE_MAX);
  return result;
}

EXPORT uint32_t
cuptiActivityPushExternalCorrelationId (uint32_t kind,
                                        uint64_t id)
{
  uint32_t result = get_result ("cuptiActivityPushExternalCorrelationId");

  if (result == 0 && depth[kind] < MAX_DEPTH)
    stack[kind][depth[kind]++] = id;
  return result;
}

#ifndef FAKE_LACKS_POP
EXPORT uint32_t
cuptiActivityPopExternalCorrelationId (uint32_t kind,
                                       uint64_t *id)
{
  if (depth[kind] == 0)
    return 18;
  *id = stack[kind][--depth[kind]];
  return 0;
}
#endif
