/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The texts of a trace, each kept once, already in the forms that are written. */
typedef struct
{
  const char *text; /* valid UTF-8, ends with NUL */
  guint32 text_length;
  guint32 json_length;
  const char *json; /* with its quotes */
} SwTraceName;

typedef struct
{
  GArray *by_id;     /* of SwTraceName; place 0 is the empty text */
  GHashTable *ids;   /* of the bytes as they came */
  GStringChunk *texts;
  gsize n_bytes;
} SwTraceNames;

void sw_trace_names_init (SwTraceNames *self);
void sw_trace_names_clear (SwTraceNames *self);
/* The same bytes have the same id. */
guint32 sw_trace_names_intern (SwTraceNames *self,
                               const char *text,
                               gsize length);

static inline const SwTraceName *
sw_trace_names_get (const SwTraceNames *self,
                    guint32 id)
{
  return &g_array_index (self->by_id, SwTraceName, id);
}

G_END_DECLS
