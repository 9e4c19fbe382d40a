/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* How a test tells the library that stands for CUPTI what to replay. Each is looked up with dlsym (). */

typedef enum
{
  FAKE_NEXT_RIGHT,
  FAKE_NEXT_OUTSIDE,    /* a record before the buffer */
  FAKE_NEXT_SAME,       /* the same record for ever */
  FAKE_NEXT_MISALIGNED, /* one byte further */
} FakeNext;

typedef struct
{
  /* As it was loaded. */
  void (*reset) (void);
  /* What a function returns from now on, instead of doing anything; 0: it does what it is for. */
  void (*set_result) (const char *function,
                      uint32_t result);
  /* What CUPTI's clock is ahead of CLOCK_MONOTONIC. */
  void (*set_offset) (int64_t offset);
  uint64_t (*now) (void);
  int (*is_enabled) (uint32_t kind);
  /* What the calling thread has pushed and not popped. */
  unsigned (*get_depth) (void);
  /* A record, into the buffer that is being filled. 0: it was dropped. */
  int (*put) (const void *record,
              size_t size);
  /* What CUDA's calls do: says inside of what it was made, for the correlation. */
  int (*correlate) (uint32_t correlation);
  void (*set_next) (FakeNext next);
  void (*set_dropped) (size_t n);
  /* Hands the buffer back, with that many valid bytes; SIZE_MAX: as many as there are. */
  void (*complete) (size_t valid_size);
  /* Hands something back that was never asked for. */
  void (*complete_foreign) (uint8_t *buffer,
                            size_t size);
} FakeCupti;
