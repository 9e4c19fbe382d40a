/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-execution-options.h"
#include "sw/tensor/sw-tensor.h"

G_BEGIN_DECLS

/* VALUE error when @self (nullable) was made for another operation than @operation_name (NULL: any will do). */
gboolean sw_execution_options_check (SwExecutionOptions *self,
                                     const char *operation_name,
                                     GError **error);
/* The same options with another tensor to write to, which the caller owns: for what composite carriers call. */
SwExecutionOptions *sw_execution_options_new_lowered (SwExecutionOptions *self,
                                                      SwTensor *out) G_GNUC_WARN_UNUSED_RESULT;

/* Borrowed; NULL where there are no options, or they say nothing of it. */
SwTensor *sw_execution_options_peek_out (SwExecutionOptions *self,
                                         gboolean *owns_out);

/* STATE error when the carrier of @out (nullable) is released. */
gboolean sw_out_check (SwTensor *out,
                       GError **error);
/* UNSUPPORTED error where results of the operation cannot be put into a tensor. */
gboolean sw_out_check_operation (const char *name,
                                 GError **error);

G_END_DECLS
