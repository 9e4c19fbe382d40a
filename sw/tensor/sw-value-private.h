/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/base/sw-ref-count-private.h"
#include "sw/tensor/sw-value-list.h"
#include "sw/tensor/sw-value.h"

G_BEGIN_DECLS

struct _SwValue
{
  SwRefCount ref_count;
  SwValueKind kind;
  union
  {
    gboolean boolean;
    gint64 integer;
    double real;
    SwTensor *tensor;
    SwShape *shape;
    struct
    {
      GValue object;
      char *object_type_name; /* nullable: what another language calls its type */
    };
    struct
    {
      gint64 *values;
      gsize n_values;
    } indices;
  };
};

/* "Tensor", "int64", "str": what to call the value's type in a message. */
const char *sw_value_get_type_name (SwValue *self);

/* Borrowed; NULL for lists that are kept as bare numbers, see the bulk accessors. */
SwValue *sw_value_list_peek (SwValueList *self,
                             gsize index);
/* The whole list as bare numbers, or NULL when it was not made from such. */
const double *sw_value_list_peek_doubles (SwValueList *self);
const gint64 *sw_value_list_peek_int64s (SwValueList *self);

G_END_DECLS
