/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "sw-profiler/export/sw-trace-names-private.h"

G_BEGIN_DECLS

/* Texts of a trace that is read, each kept once. Unlike those of a writer, which interns a name once and uses its id, each event of
 * a file comes with its texts: looking one up again is what this is made for. */
typedef struct
{
  GArray *by_id;       /* of SwTraceName; place 0 is the empty text */
  GArray *hashes;      /* of guint32, by id */
  GStringChunk *texts;
  guint32 *slots;      /* ids; 0: free */
  guint32 n_slots;
  guint64 n_replaced; /* how often a text came that was no UTF-8, or had a NUL in it */
} SwTraceIntern;

void sw_trace_intern_init (SwTraceIntern *self);
void sw_trace_intern_clear (SwTraceIntern *self);
/* Any bytes; those that are no UTF-8, and NUL, become U+FFFD. @is_ascii: it is known to be nothing else. */
guint32 sw_trace_intern (SwTraceIntern *self,
                         const char *text,
                         gsize length,
                         gboolean is_ascii);

static inline const SwTraceName *
sw_trace_intern_get (const SwTraceIntern *self,
                     guint32 id)
{
  return &g_array_index (self->by_id, SwTraceName, id);
}

/* A number made of any bytes, the same in each process. Not for tables: who knows it finds bytes that collide. */
static inline guint64
sw_trace_hash (const char *bytes,
               gsize n_bytes,
               guint64 seed)
{
  guint64 hash = seed ^ n_bytes * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  while (n_bytes > 0)
    {
      guint64 word = 0;
      gsize n = MIN (n_bytes, 8);

      if (G_LIKELY (n == 8))
        memcpy (&word, bytes, 8);
      else
        memcpy (&word, bytes, n);
      hash = (hash ^ word) * G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
      hash ^= hash >> 32;
      bytes += n;
      n_bytes -= n;
    }
  hash *= G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  return hash ^ hash >> 32;
}

G_END_DECLS
