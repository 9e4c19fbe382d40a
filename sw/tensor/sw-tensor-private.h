/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/base/sw-ref-count-private.h"
#include "sw/tensor/sw-tensor.h"

G_BEGIN_DECLS

struct _SwTensor
{
  SwRefCount ref_count;
  SwCarrier *carrier;
  SwLayout *layout;
  gint64 offset;
};

/* Without checks: the caller knows that the layout fits. Takes @carrier and @layout over. */
SwTensor *sw_tensor_new_take (SwCarrier *carrier,
                              gint64 offset,
                              SwLayout *layout) G_GNUC_WARN_UNUSED_RESULT;
/* The same for a carrier that nobody else has seen yet, so that it may be used again when the last tensor on it goes. */
SwTensor *sw_tensor_new_for_result (SwCarrier *carrier,
                                    SwLayout *layout) G_GNUC_WARN_UNUSED_RESULT;

/* "Tensor(shape=(2, 3), dtype=Float32, carrier=CPU)", for messages, which never has the values. */
char *sw_tensor_describe (SwTensor *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
