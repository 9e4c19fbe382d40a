/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-execution-options.h"

G_BEGIN_DECLS

/* VALUE error when @self (nullable) was made for another operation than @operation_name (NULL: any will do). */
gboolean sw_execution_options_check (SwExecutionOptions *self,
                                     const char *operation_name,
                                     GError **error);

G_END_DECLS
