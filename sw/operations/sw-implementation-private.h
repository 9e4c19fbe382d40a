/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-execution-options.h"
#include "sw/operations/sw-operation.h"
#include "sw/tensor/sw-tensor.h"
#include "sw/tensor/sw-value.h"

G_BEGIN_DECLS

typedef enum {
#define SW_OPERATION(ID, name, Stem, stem, FAMILY, DTYPE, flags) SW_OPERATION_##ID,
#include "sw/operations/sw-operation-table.h"
#undef SW_OPERATION
  SW_N_OPERATIONS
} SwOperationId;

typedef enum {
  SW_FAMILY_UNARY,      /* (Tensor) -> same shape */
  SW_FAMILY_PARAMETRIC, /* (Tensor, numbers) -> same shape */
  SW_FAMILY_CAST,       /* (Tensor, dtype) -> same shape */
  SW_FAMILY_BINARY,     /* (Tensor, Tensor or number) -> same shape */
  SW_FAMILY_SELECT,     /* (Tensor of Bool, Tensor or number, Tensor or number) -> same shape */
  SW_FAMILY_REDUCE,     /* (Tensor, [modes], [bool]) -> shape without those modes, or with 1 for each; of all without modes */
  SW_FAMILY_ARG_REDUCE, /* (Tensor, [mode], [bool]) -> the ordinal within that mode, or within the whole tensor */
  SW_FAMILY_LINES,      /* (Tensor, modes) -> same shape, computed along those modes */
  SW_FAMILY_LAYER_NORM, /* (Tensor, [modes], [Tensor], [Tensor], [number]) -> same shape */
  SW_FAMILY_MATMUL,     /* (..., m, k) x (..., k, n) -> (..., m, n), each mode of any depth */
  SW_FAMILY_CONVOLUTION, /* (n, c, ...) * (o, c / groups, ...), [strides, padding, dilation, groups] -> (n, o, ...) */
  SW_FAMILY_POOLING,    /* (n, c, ...), window, [strides, padding] -> (n, c, ...) */
  SW_FAMILY_INDEXED,    /* (Tensor, mode, Tensor of integers, [Tensor]) -> values at, or put to, the places that these say */
  SW_FAMILY_SORT,       /* (Tensor, mode, ...) -> values along that mode in order */
  SW_FAMILY_VIEW,       /* (Tensor, structure) -> another layout, over the same storage where that is possible */
} SwOperationFamily;

/* The rules of sw-dtype-rules.c. */
typedef enum {
  SW_RESULT_SAME,       /* the input's dtype, whatever it is */
  SW_RESULT_ARITHMETIC, /* the input's dtype, which is a number; integers are checked for overflow */
  SW_RESULT_REAL,       /* the input's floating dtype; Float64 for integers, which are brought to it first */
  SW_RESULT_TRUTH,      /* Bool, of numbers or of Bool */
  SW_RESULT_INDEX,      /* Int64 */
  SW_N_RESULT_DTYPES
} SwResultDType;

typedef enum {
  SW_OPERATION_TAKES_SCALAR = 1 << 0,
  SW_OPERATION_TAKES_ACCUMULATOR = 1 << 1,
  SW_OPERATION_TAKES_ONE_MODE = 1 << 2, /* of the family LINES: where the order within a line matters */
} SwOperationFlags;

/* What is true of an operation on every carrier. */
typedef struct
{
  SwOperationId id;
  const char *name; /* interned */
  SwOperationFamily family;
  SwResultDType result_dtype;
  SwOperationFlags flags;
} SwOperationInfo;

/* One positional input, borrowed from the caller for the length of a call. */
typedef struct
{
  SwValueKind kind;
  union
  {
    gboolean boolean;
    gint64 integer;
    double real;
    SwTensor *tensor;
    SwShape *shape;
    SwValue *object; /* SW_VALUE_OBJECT, only for messages */
    struct
    {
      const gint64 *values;
      gsize n_values;
    } indices;
  };
} SwOperand;

typedef struct _SwImplementation SwImplementation;

/* One execution of a built-in operation. Everything in it is borrowed. */
typedef struct
{
  const SwImplementation *implementation;
  const SwOperand *operands;
  guint n_operands;
  SwExecutionOptions *options; /* nullable */
  SwTensor *out;               /* where the result goes; NULL: to a fresh tensor */
  gboolean owns_out;           /* whoever calls may write there, whether or not the public may */
} SwCall;

typedef SwTensor *(*SwComputeFunc) (const SwCall *call,
                                    GError **error);

/* An operation on one exact carrier class. */
struct _SwImplementation
{
  const SwOperationInfo *info;
  GType (*get_type) (void);
  SwComputeFunc compute;
  gconstpointer kernel; /* what compute runs; its type is the family's */
};

const SwOperationInfo *sw_operation_info_get (SwOperationId id);
const SwOperationInfo *sw_operation_info_find (const char *name);

/* Runs a built-in operation, dispatched by the carrier of the first operand; makes an operation object only where
 * the carrier is not built in. */
SwTensor *sw_call (SwOperationId id,
                   const SwOperand *operands,
                   guint n_operands,
                   SwExecutionOptions *options,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same, with the result in @out; returns another reference to it. */
SwTensor *sw_call_into (SwOperationId id,
                        const SwOperand *operands,
                        guint n_operands,
                        SwTensor *out,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Borrows: the operand is valid as long as the value. */
void sw_operand_init_from_value (SwOperand *operand,
                                 SwValue *value);
SwValue *sw_operand_dup_value (const SwOperand *operand) G_GNUC_WARN_UNUSED_RESULT;
/* "a Tensor", "the number 2", "a str": for messages. */
char *sw_operand_describe (const SwOperand *operand) G_GNUC_WARN_UNUSED_RESULT;

static inline SwOperand
sw_operand_tensor (SwTensor *tensor)
{
  return (SwOperand){ .kind = SW_VALUE_TENSOR, .tensor = tensor };
}

static inline SwOperand
sw_operand_int64 (gint64 value)
{
  return (SwOperand){ .kind = SW_VALUE_INT64, .integer = value };
}

static inline SwOperand
sw_operand_double (double value)
{
  return (SwOperand){ .kind = SW_VALUE_DOUBLE, .real = value };
}

static inline SwOperand
sw_operand_shape (SwShape *shape)
{
  return (SwOperand){ .kind = SW_VALUE_SHAPE, .shape = shape };
}

static inline SwOperand
sw_operand_indices (const gint64 *values,
                    gsize n_values)
{
  return (SwOperand){ .kind = SW_VALUE_INDICES, .indices = { values, n_values } };
}

G_END_DECLS
