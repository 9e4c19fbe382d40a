/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-trace-scope.h"

G_BEGIN_DECLS

/* The arguments of an event, one after the other in one block of bytes, which a queue, an open span and an event that a
 * user holds have alike. */

typedef enum {
  SW_TRACE_ITEM_STRING,
  SW_TRACE_ITEM_INT64,
  SW_TRACE_ITEM_UINT64,
  SW_TRACE_ITEM_DOUBLE,
  SW_TRACE_ITEM_BOOLEAN,
  SW_TRACE_ITEM_SHAPE,
  SW_TRACE_ITEM_FLOW, /* not an argument: a flow that passes through the event; the key is empty */
} SwTraceItemType;

typedef struct
{
  guint32 size; /* of all of it; whole words */
  guint32 key_length;
  guint32 type;
  guint32 extra; /* the length of a string, or the step of a flow */
  union
  {
    gint64 v_int64;
    guint64 v_uint64;
    double v_double;
    SwShape *v_shape; /* a reference */
  } value;
  char text[]; /* the key and, of a string, the value, each with a NUL */
} SwTraceItem;

/* What a key and a string are cut to. */
#define SW_TRACE_MAX_KEY_BYTES 255
#define SW_TRACE_MAX_STRING_BYTES (64 * 1024)

gsize sw_trace_argument_size (const SwTraceArgument *argument);
guint8 *sw_trace_argument_put (const SwTraceArgument *argument,
                               guint8 *at);
gsize sw_trace_arguments_size (const SwTraceArgument *arguments,
                               gsize n_arguments);
guint8 *sw_trace_arguments_put (const SwTraceArgument *arguments,
                                gsize n_arguments,
                                guint8 *at);
guint8 *sw_trace_flow_put (guint64 id,
                           guint step,
                           guint64 time,
                           guint8 *at);
/* The empty key, and the time: ticks, until whoever reads the queue has put nanoseconds in their place. */
#define SW_TRACE_FLOW_SIZE (sizeof (SwTraceItem) + 16)

/* When the flow with an id began, in nanoseconds of CLOCK_MONOTONIC; before everything where that is long forgotten. */
gint64 sw_trace_flow_get_start_ns (guint64 id);
guint64 sw_trace_flow_get_time (const SwTraceItem *self);
void sw_trace_flow_set_time (SwTraceItem *self,
                             guint64 time);

static inline const SwTraceItem *
sw_trace_item_next (const SwTraceItem *self)
{
  return (const SwTraceItem *) (const void *) ((const guint8 *) self + self->size);
}

static inline const char *
sw_trace_item_get_string (const SwTraceItem *self)
{
  return self->text + self->key_length + 1;
}

/* Gives the references of the block back. */
void sw_trace_items_release (const guint8 *items,
                             gsize size);
/* A copy with references of its own. */
void sw_trace_items_copy (guint8 *to,
                          const guint8 *items,
                          gsize size);
GVariant *sw_trace_item_to_variant (const SwTraceItem *self) G_GNUC_WARN_UNUSED_RESULT;

/* What a script gives: a dictionary of strings to strings, integers, doubles, booleans, or tuples for shapes. */
typedef struct
{
  SwTraceArgument *arguments;
  gsize n;
} SwTraceArgumentList;

/* Borrows from @variant. FALSE, with a TYPE or VALUE error, for what is no argument. NULL is an empty one. */
gboolean sw_trace_argument_list_init (SwTraceArgumentList *self,
                                      GVariant *variant,
                                      GError **error);
gboolean sw_trace_argument_init_from_variant (SwTraceArgument *self,
                                              const char *key,
                                              GVariant *value,
                                              GError **error);
void sw_trace_argument_clear_variant (SwTraceArgument *self);
void sw_trace_argument_list_clear (SwTraceArgumentList *self);

G_END_DECLS
