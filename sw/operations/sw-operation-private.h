/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-implementation-private.h"
#include "sw/operations/sw-operation.h"

G_BEGIN_DECLS

/* Registers the final class of a built-in operation on one carrier. */
GType
sw_builtin_operation_register (const char *type_name,
                               const SwImplementation *implementation);

/* Makes @self the result of one dispatch. TYPE error when it was dispatched before. */
gboolean
sw_operation_mark_dispatched (SwOperation *self,
                              const char *name,
                              SwCarrier *carrier,
                              GError **error);

/* Structural preflight: STATE error when the carrier of a tensor is released. */
gboolean
sw_operands_check (const SwOperand *operands,
                   guint n_operands,
                   GError **error);

G_END_DECLS
