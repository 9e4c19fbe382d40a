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
SW_OPERATION (POW, pow, Pow, pow, BINARY, ARITHMETIC, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (REM, rem, Rem, rem, BINARY, ARITHMETIC, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (MAXIMUM, maximum, Maximum, maximum, BINARY, ARITHMETIC, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (MINIMUM, minimum, Minimum, minimum, BINARY, ARITHMETIC, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (EQ, eq, Eq, eq, BINARY, TRUTH, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (NE, ne, Ne, ne, BINARY, TRUTH, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (LT, lt, Lt, lt, BINARY, TRUTH, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (LE, le, Le, le, BINARY, TRUTH, SW_OPERATION_TAKES_SCALAR)
SW_OPERATION (NEG, neg, Neg, neg, UNARY, ARITHMETIC, 0)
SW_OPERATION (ABS, abs, Abs, abs, UNARY, ARITHMETIC, 0)
SW_OPERATION (SIGN, sign, Sign, sign, UNARY, ARITHMETIC, 0)
SW_OPERATION (FLOOR, floor, Floor, floor, UNARY, ARITHMETIC, 0)
SW_OPERATION (CEIL, ceil, Ceil, ceil, UNARY, ARITHMETIC, 0)
SW_OPERATION (ROUND, round, Round, round, UNARY, ARITHMETIC, 0)
SW_OPERATION (RELU, relu, ReLU, relu, UNARY, ARITHMETIC, 0)
SW_OPERATION (RECIP, recip, Recip, recip, UNARY, REAL, 0)
SW_OPERATION (SQRT, sqrt, Sqrt, sqrt, UNARY, REAL, 0)
SW_OPERATION (RSQRT, rsqrt, Rsqrt, rsqrt, UNARY, REAL, 0)
SW_OPERATION (EXP, exp, Exp, exp, UNARY, REAL, 0)
SW_OPERATION (EXP2, exp2, Exp2, exp2, UNARY, REAL, 0)
SW_OPERATION (LOG, log, Log, log, UNARY, REAL, 0)
SW_OPERATION (LOG2, log2, Log2, log2, UNARY, REAL, 0)
SW_OPERATION (SIN, sin, Sin, sin, UNARY, REAL, 0)
SW_OPERATION (COS, cos, Cos, cos, UNARY, REAL, 0)
SW_OPERATION (TANH, tanh, Tanh, tanh, UNARY, REAL, 0)
SW_OPERATION (ERF, erf, Erf, erf, UNARY, REAL, 0)
SW_OPERATION (SIGMOID, sigmoid, Sigmoid, sigmoid, UNARY, REAL, 0)
SW_OPERATION (GELU, gelu, GELU, gelu, UNARY, REAL, 0)
SW_OPERATION (SILU, silu, SiLU, silu, UNARY, REAL, 0)
SW_OPERATION (SOFTPLUS, softplus, Softplus, softplus, UNARY, REAL, 0)
SW_OPERATION (LOGICAL_NOT, logical_not, LogicalNot, logical_not, UNARY, TRUTH, 0)
SW_OPERATION (ELU, elu, ELU, elu, PARAMETRIC, REAL, 0)
SW_OPERATION (LEAKY_RELU, leaky_relu, LeakyReLU, leaky_relu, PARAMETRIC, REAL, 0)
SW_OPERATION (CLAMP, clamp, Clamp, clamp, PARAMETRIC, ARITHMETIC, 0)
SW_OPERATION (CAST, cast, Cast, cast, CAST, SAME, 0)
SW_OPERATION (SELECT, select, Select, select, SELECT, SAME, 0)
SW_OPERATION (MATMUL, matmul, Matmul, matmul, MATMUL, ARITHMETIC, SW_OPERATION_TAKES_ACCUMULATOR)
SW_OPERATION (REDUCE_SUM, reduce_sum, ReduceSum, reduce_sum, REDUCE, ARITHMETIC, SW_OPERATION_TAKES_ACCUMULATOR)
SW_OPERATION (REDUCE_MAX, reduce_max, ReduceMax, reduce_max, REDUCE, ARITHMETIC, 0)
SW_OPERATION (REDUCE_MIN, reduce_min, ReduceMin, reduce_min, REDUCE, ARITHMETIC, 0)
SW_OPERATION (REDUCE_PROD, reduce_prod, ReduceProd, reduce_prod, REDUCE, ARITHMETIC, 0)
SW_OPERATION (ARGMAX, argmax, Argmax, argmax, ARG_REDUCE, INDEX, 0)
SW_OPERATION (ARGMIN, argmin, Argmin, argmin, ARG_REDUCE, INDEX, 0)
SW_OPERATION (CUMSUM, cumsum, Cumsum, cumsum, LINES, ARITHMETIC, SW_OPERATION_TAKES_ONE_MODE)
SW_OPERATION (SOFTMAX, softmax, Softmax, softmax, LINES, REAL, 0)
SW_OPERATION (LAYER_NORM, layer_norm, LayerNorm, layer_norm, LAYER_NORM, REAL, 0)
SW_OPERATION (BROADCAST_TO, broadcast_to, BroadcastTo, broadcast_to, VIEW, SAME, 0)
SW_OPERATION (PERMUTE, permute, Permute, permute, VIEW, SAME, 0)
SW_OPERATION (RESHAPE, reshape, Reshape, reshape, VIEW, SAME, 0)
