/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-functions.h"
#include "sw/operations/sw-implementation-private.h"

G_BEGIN_DECLS

static inline SwTensor *
call_one (SwOperationId id,
          SwTensor *input,
          SwExecutionOptions *options,
          GError **error)
{
  SwOperand operands[] = { sw_operand_tensor (input) };

  return sw_call (id, operands, 1, options, error);
}

static inline SwTensor *
call_two (SwOperationId id,
          SwTensor *input,
          SwOperand second,
          SwExecutionOptions *options,
          GError **error)
{
  SwOperand operands[] = { sw_operand_tensor (input), second };

  return sw_call (id, operands, 2, options, error);
}

G_END_DECLS
