/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one table of operations. A row is
 *
 *   SW_OPERATION (ID, dispatch_name, ClassStem, class_stem, FAMILY, RESULT_DTYPE, flags)
 *
 * ID, dispatch_name: SW_OPERATION_ID and the name that carriers dispatch by
 * ClassStem, class_stem: GenericClassStemOperation and sw_generic_class_stem_operation_get_type ()
 * FAMILY: which arguments there are and how the result is shaped, see SwOperationFamily
 * RESULT_DTYPE: what the result holds, see SwResultDType
 * flags: SwOperationFlags
 *
 * This file is included several times and read by sw/carriers/generate-operation-types.py, so it has no include guard
 * and one row a line. */

SW_OPERATION (ADD, add, Add, add, BINARY, ARITHMETIC, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (SUB, sub, Sub, sub, BINARY, ARITHMETIC, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (MUL, mul, Mul, mul, BINARY, ARITHMETIC, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (ELEMENTWISE_MUL, elementwise_mul, ElementwiseMul, elementwise_mul, BINARY, ARITHMETIC, 0)
SW_OPERATION (DIV, div, Div, div, BINARY, REAL, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (NEG, neg, Neg, neg, UNARY, ARITHMETIC, 0)
SW_OPERATION (EXP, exp, Exp, exp, UNARY, REAL, 0)
SW_OPERATION (RELU, relu, ReLU, relu, UNARY, ARITHMETIC, 0)
SW_OPERATION (MAXIMUM, maximum, Maximum, maximum, BINARY, ARITHMETIC, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (MATMUL, matmul, Matmul, matmul, MATMUL, ARITHMETIC, SW_OPERATION_TAKES_ACCUMULATOR)
SW_OPERATION (REDUCE_SUM, reduce_sum, ReduceSum, reduce_sum, REDUCE, ARITHMETIC, SW_OPERATION_TAKES_ACCUMULATOR)
SW_OPERATION (REDUCE_MAX, reduce_max, ReduceMax, reduce_max, REDUCE, ARITHMETIC, 0)
SW_OPERATION (ARGMAX, argmax, Argmax, argmax, ARG_REDUCE, INDEX, 0)
SW_OPERATION (BROADCAST_TO, broadcast_to, BroadcastTo, broadcast_to, VIEW, SAME, 0)
SW_OPERATION (PERMUTE, permute, Permute, permute, VIEW, SAME, 0)
SW_OPERATION (RESHAPE, reshape, Reshape, reshape, VIEW, SAME, 0)
