/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-execution-options-private.h"
#include "sw/operations/sw-inputs-private.h"

G_BEGIN_DECLS

/* Where the result of a call goes: to a fresh tensor, or to one of the caller's, on the way perhaps through a fresh one. */
typedef struct
{
  SwView view; /* where the kernel writes */
  SwTensor *fresh;
  SwTensor *out; /* borrowed; NULL: the fresh one is the result */
  SwView out_view;
} SwResult;

/* The result has the shape of @like. A kernel may write where an input lies only if that lies there value by value. */
gboolean sw_result_begin (SwResult *self,
                          const SwCall *call,
                          SwTensor *like,
                          SwDType dtype,
                          const SwView *const *inputs,
                          guint n_inputs,
                          GError **error);
/* The kernel writes to a tensor of just this layout, or, with @takes_out, to the caller's as it lies, unless an input is there. Takes
 * @layout. */
gboolean sw_result_begin_as (SwResult *self,
                             const SwCall *call,
                             SwTensor *like,
                             SwLayout *layout,
                             gboolean takes_out,
                             SwDType dtype,
                             const SwView *const *inputs,
                             guint n_inputs,
                             GError **error);
/* @done: whether the kernel succeeded. Returns what the call does; NULL with an error. */
SwTensor *sw_result_end (SwResult *self,
                         gboolean done,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Writes what an operation made elsewhere. */
gboolean sw_out_put (SwTensor *out,
                     gboolean owns_out,
                     SwTensor *result,
                     GError **error);

G_END_DECLS
