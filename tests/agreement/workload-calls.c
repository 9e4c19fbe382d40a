/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "workload-calls.h"

#include <string.h>

typedef SwTensor *(*Unary) (SwTensor *, GError **);
typedef SwTensor *(*Binary) (SwTensor *, SwTensor *, GError **);
typedef SwTensor *(*Scalar) (SwTensor *, double, GError **);
typedef SwTensor *(*Reshape) (SwTensor *, SwShape *, GError **);

/* The functions that a C program calls, by the kinds of their arguments. */
typedef struct
{
  const char *name;
  Unary unary;
  Binary binary;
  Scalar scalar;
  Reshape reshape;
} Function;

static const Function functions[] = {
  { "relu", .unary = sw_relu },
  { "neg", .unary = sw_neg },
  { "exp", .unary = sw_exp },
  { "add", .binary = sw_add, .scalar = sw_add_scalar },
  { "sub", .binary = sw_sub, .scalar = sw_sub_scalar },
  { "mul", .binary = sw_mul, .scalar = sw_mul_scalar },
  { "div", .binary = sw_div, .scalar = sw_div_scalar },
  { "maximum", .binary = sw_maximum, .scalar = sw_maximum_scalar },
  { "elementwise_mul", .binary = sw_elementwise_mul },
  { "broadcast_to", .reshape = sw_broadcast_to },
  { "reshape", .reshape = sw_reshape },
};

static gint64 *
parse_indices (const char *word,
               gsize *n)
{
  g_autofree char *inside = g_strndup (word + 1, strlen (word) - 2);
  g_auto (GStrv) parts = g_strsplit (inside, ",", -1);
  gint64 *indices = g_new (gint64, g_strv_length (parts) + 1);

  for (*n = 0; parts[*n] != NULL; (*n)++)
    indices[*n] = g_ascii_strtoll (parts[*n], NULL, 10);
  return indices;
}

static SwExecutionOptions *
parse_options (const char *word,
               GError **error)
{
  g_auto (GStrv) parts = g_strsplit (word, ":", 3);

  return sw_execution_options_new (parts[1], g_str_equal (parts[2], "FLOAT32") ? SW_DTYPE_FLOAT32 : SW_DTYPE_FLOAT64,
                                   error);
}

/* An argument that the function for it cannot take: whoever does this goes by the name. */
static SwTensor *
call_with_text (const char *name,
                SwTensor *tensor,
                const char *text,
                GError **error)
{
  g_auto (GValue) string = G_VALUE_INIT;
  g_autoptr (SwValue) first = sw_value_new_tensor (tensor);
  g_autoptr (SwValue) second = NULL;
  g_autoptr (SwValueList) inputs = NULL;

  g_value_init (&string, G_TYPE_STRING);
  g_value_set_string (&string, text);
  second = sw_value_new_object (&string);
  inputs = sw_value_list_new ((SwValue *[]){ first, second }, 2);
  return sw_call_operation (name, inputs, NULL, error);
}

static SwTensor *
call_reduction (const char *name,
                SwTensor *tensor,
                const char *modes,
                SwExecutionOptions *options,
                GError **error)
{
  g_autofree gint64 *indices = NULL;
  gsize n = 0;

  if (g_str_equal (name, "argmax"))
    return modes != NULL ? sw_argmax_mode (tensor, g_ascii_strtoll (modes, NULL, 10), FALSE, error) : sw_argmax (tensor, error);
  if (modes != NULL)
    indices = parse_indices (modes, &n);
  if (g_str_equal (name, "reduce_max"))
    return modes != NULL ? sw_reduce_max_modes (tensor, indices, n, FALSE, error) : sw_reduce_max (tensor, error);
  g_assert_cmpstr (name, ==, "reduce_sum");
  return modes != NULL ? sw_reduce_sum_modes (tensor, indices, n, FALSE, options, error)
                       : sw_reduce_sum (tensor, options, error);
}

static SwTensor *
call_permute (SwTensor *tensor,
              const char *order,
              GError **error)
{
  gsize n;
  g_autofree gint64 *indices = parse_indices (order, &n);

  return sw_permute (tensor, indices, n, error);
}

static SwTensor *
call_function (const Function *function,
               SwTensor *tensor,
               SwTensor *other,
               const char *word,
               GError **error)
{
  g_autoptr (SwShape) shape = NULL;

  if (function->unary != NULL)
    return function->unary (tensor, error);
  if (other != NULL)
    return function->binary (tensor, other, error);
  if (function->reshape == NULL)
    return function->scalar (tensor, g_ascii_strtod (word, NULL), error);
  shape = sw_shape_new_from_string (word, error);
  return shape != NULL ? function->reshape (tensor, shape, error) : NULL;
}

SwTensor *
workload_call (GHashTable *tensors,
               char **words,
               GError **error)
{
  guint n_words = g_strv_length (words);
  SwTensor *tensor = g_hash_table_lookup (tensors, words[1]);
  g_autoptr (SwExecutionOptions) options = NULL;
  const char *word = NULL;

  if (g_str_has_prefix (words[n_words - 1], "options:"))
    {
      options = parse_options (words[--n_words], error);
      if (options == NULL)
        return NULL;
    }
  word = n_words > 2 ? words[2] : NULL;

  if (word != NULL && word[0] == '\'')
    {
      g_autofree char *text = g_strndup (word + 1, strlen (word) - 2);

      return call_with_text (words[0], tensor, text, error);
    }
  if (g_str_equal (words[0], "matmul"))
    return sw_matmul (tensor, g_hash_table_lookup (tensors, word), options, error);
  if (g_str_equal (words[0], "permute"))
    return call_permute (tensor, word, error);
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      if (g_str_equal (functions[i].name, words[0]))
        return call_function (&functions[i], tensor, word != NULL ? g_hash_table_lookup (tensors, word) : NULL, word, error);
    }
  return call_reduction (words[0], tensor, word, options, error);
}
