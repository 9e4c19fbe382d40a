/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>
#include <sw/tensor/sw-dtype.h>

G_BEGIN_DECLS

#define SW_TYPE_EXECUTION_OPTIONS (sw_execution_options_get_type ())

SW_AVAILABLE_IN_0_1
GType sw_execution_options_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwExecutionOptions *sw_execution_options_new (const char *operation_name,
                                              SwDType accumulator_dtype,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwExecutionOptions *sw_execution_options_new_into (const char *operation_name,
                                                   SwDType accumulator_dtype,
                                                   SwTensor *out,
                                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwExecutionOptions *sw_execution_options_ref (SwExecutionOptions *self);
SW_AVAILABLE_IN_0_1
void sw_execution_options_unref (SwExecutionOptions *self);

SW_AVAILABLE_IN_0_1
const char *sw_execution_options_get_operation_name (SwExecutionOptions *self);
SW_AVAILABLE_IN_0_1
SwDType sw_execution_options_get_accumulator_dtype (SwExecutionOptions *self);
SW_AVAILABLE_IN_0_1
SwTensor *sw_execution_options_get_out (SwExecutionOptions *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwExecutionOptions, sw_execution_options_unref)

G_END_DECLS
