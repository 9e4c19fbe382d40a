/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Tensors without values: what makes them, what is made of them, and that both carriers agree about each operation. */

#include "operation-fixture.h"

#include "sw/operations/sw-implementation-private.h"

#include <string.h>

#define INDICES(...) (const gint64[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ }))

static SwTensor *
make_empty (Place place,
            SwDType dtype,
            const char *shape)
{
  return make_tensor (place, dtype, shape, NULL);
}

static SwDType
get_dtype_of (Place place,
              guint i)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64, SW_DTYPE_FLOATING };

  return i < (place == ON_CPU ? 4 : G_N_ELEMENTS (dtypes)) ? dtypes[i] : SW_DTYPE_INVALID;
}

static void
test_sums (gconstpointer data)
{
  SwDType dtype;

  for (guint i = 0; (dtype = get_dtype_of (PLACE (data), i)) != SW_DTYPE_INVALID; i++)
    {
      g_autoptr (SwTensor) a = make_empty (PLACE (data), dtype, "(0, 3)");
      g_autoptr (SwTensor) nested = make_empty (PLACE (data), dtype, "((2, 0), (1, 2))");
      GError *error = NULL;

      assert_result_is (sw_reduce_sum (a, NULL, &error), error, dtype, "()", 0);
      assert_result_is (sw_reduce_prod (a, &error), error, dtype, "()", 1);
      assert_result_is (call_with ("reduce_sum", &error, sw_value_new_tensor (a), sw_value_new_indices (INDICES (0))), error, dtype,
                        "(3,)", 0, 0, 0);
      assert_result_is (call_with ("reduce_prod", &error, sw_value_new_tensor (nested), sw_value_new_indices (INDICES (0))), error,
                        dtype, "((1, 2),)", 1, 1);
      assert_result_is (call_with ("reduce_sum", &error, sw_value_new_tensor (nested), sw_value_new_indices (INDICES (0)),
                                   sw_value_new_bool (TRUE)),
                        error, dtype, "((1, 1), (1, 2))", 0, 0);
      assert_result_is (call_with ("reduce_max", &error, sw_value_new_tensor (a), sw_value_new_indices (INDICES (1))), error, dtype,
                        "(0,)", 0);
      assert_failure (sw_reduce_max (a, &error), &error, SW_ERROR_VALUE,
                      "input has the shape (0, 3), in which reduce_max finds no values along modes 0, 1");
      assert_failure (call_with ("argmin", &error, sw_value_new_tensor (a), sw_value_new_indices (INDICES (0))), &error,
                      SW_ERROR_VALUE, "argmin finds no values along mode 0");
    }
}

static void
test_products (gconstpointer data)
{
  SwDType dtype;

  for (guint i = 0; (dtype = get_dtype_of (PLACE (data), i)) != SW_DTYPE_INVALID; i++)
    {
      g_autoptr (SwTensor) lhs = make_empty (PLACE (data), dtype, "(2, 2, 0)");
      g_autoptr (SwTensor) rhs = make_empty (PLACE (data), dtype, "(2, 0, 1)");
      g_autoptr (SwTensor) out = make_view (PLACE (data), dtype, "(2, 2, 1)", "(7, 3, 1)", 1);
      g_autoptr (SwTensor) none = make_empty (PLACE (data), dtype, "(0, 2, 3)");
      g_autoptr (SwTensor) wide = make_empty (PLACE (data), dtype, "(0, 3, 4)");
      GError *error = NULL;
      g_autoptr (SwExecutionOptions) options = sw_execution_options_new_into ("matmul", SW_DTYPE_INVALID, out, &error);
      g_autoptr (SwTensor) same = NULL;

      g_assert_no_error (error);
      assert_result_is (sw_matmul (lhs, rhs, NULL, &error), error, dtype, "(2, 2, 1)", 0, 0, 0, 0);
      assert_result (sw_matmul (none, wide, NULL, &error), error, dtype, "(0, 2, 4)", 0, NULL);
      assert_failure (sw_matmul (lhs, wide, NULL, &error), &error, SW_ERROR_VALUE, "the modes before the last two must be the same");
      same = sw_matmul (lhs, rhs, options, &error);
      assert_tensor (same, error, dtype, "(2, 2, 1)", 0, (double[]){ 0, 0, 0, 0 });
      /* And nothing between. */
      for (gint64 index = 0; index < sw_carrier_get_private (out->carrier)->size; index++)
        {
          SwTensor value = *out;
          g_autoptr (SwShape) shape = make_shape ("(1,)");
          g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
          gboolean is_written = index == 1 || index == 8 || index == 4 || index == 11;

          value.layout = layout;
          value.offset = index;
          g_assert_cmpfloat (get_number (&value, 0), ==, is_written ? 0 : index);
        }
    }
}

/* What is made of no values of any kind is numbers. */
static void
test_any (void)
{
  g_autoptr (SwTensor) lhs = make_empty (ON_GENERIC, SW_DTYPE_ANY, "(2, 0)");
  g_autoptr (SwTensor) rhs = make_empty (ON_GENERIC, SW_DTYPE_ANY, "(0, 1)");
  GError *error = NULL;
  g_autoptr (SwTensor) product = sw_matmul (lhs, rhs, NULL, &error);
  g_autoptr (SwTensor) sum = sw_reduce_sum (lhs, NULL, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  for (gint64 i = 0; i < 2; i++)
    {
      g_autoptr (SwValue) value = sw_tensor_get_value (product, &i, 1, &error);

      g_assert_no_error (error);
      g_assert_cmpint (sw_value_get_kind (value), ==, SW_VALUE_INT64);
      g_assert_cmpint (sw_value_get_int64 (value), ==, 0);
    }
  g_assert_cmpint (sw_tensor_get_size (sum), ==, 1);
  text = sw_tensor_to_string (lhs);
  g_assert_cmpstr (text, ==, "Tensor([], shape=(2, 0), dtype=Any, carrier=Generic)");
}

static void
test_slices (gconstpointer data)
{
  g_autoptr (SwTensor) a = make_view (PLACE (data), SW_DTYPE_INT32, "(3, 4)", "(1, 3)", 0);
  g_autoptr (SwTensor) none = make_empty (PLACE (data), SW_DTYPE_INT32, "(0, 4)");
  GError *error = NULL;

  assert_result (sw_tensor_slice (a, INDICES (3), NULL, 0, NULL, 0, &error), error, SW_DTYPE_INT32, "(0, 4)", 0, NULL);
  assert_result (sw_tensor_slice (a, INDICES (2), INDICES (1), INDICES (G_MAXINT64), &error), error, SW_DTYPE_INT32, "(0, 4)", 0, NULL);
  assert_result (sw_tensor_slice (a, INDICES (1, 4), INDICES (2, 4), INDICES (1, G_MAXINT64), &error), error, SW_DTYPE_INT32, "(1, 0)",
                 0, NULL);
  assert_result (sw_tensor_slice (none, INDICES (0, 3), NULL, 0, INDICES (1, 2), &error), error, SW_DTYPE_INT32, "(0, 1)", 0, NULL);
  assert_result (sw_tensor_slice (none, NULL, 0, INDICES (0, -4), NULL, 0, &error), error, SW_DTYPE_INT32, "(0, 0)", 0, NULL);
  assert_failure (sw_tensor_slice (none, INDICES (1), NULL, 0, NULL, 0, &error), &error, SW_ERROR_INDEX,
                  "starts[0] is 1, but must be from 0 to 0 for mode 0, whose extent is 0");
}

/* At the very end of a carrier, and beyond it. */
static void
test_places (gconstpointer data)
{
  g_autoptr (SwCarrier) carrier = make_carrier (PLACE (data), SW_DTYPE_FLOAT32, 3);
  g_autoptr (SwShape) shape = make_shape ("(0, 2)");
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  GError *error = NULL;
  g_autoptr (SwTensor) last = sw_tensor_new (carrier, 3, layout, &error);
  g_autoptr (SwTensor) added = sw_add (last, last, &error);
  g_autoptr (GBytes) bytes = sw_tensor_dup_bytes (last, &error);
  g_autoptr (GBytes) rows = sw_tensor_dup_row_major_bytes (last, &error);
  g_autoptr (SwBuffer) buffer = sw_buffer_new (last, &error);

  g_assert_no_error (error);
  g_assert_cmpint (sw_tensor_get_size (added), ==, 0);
  g_assert_cmpuint (g_bytes_get_size (bytes) + g_bytes_get_size (rows) + sw_buffer_get_size (buffer), ==, 0);
  g_assert_cmpuint (sw_buffer_get_address (buffer), !=, 0);
  sw_buffer_free_dlpack (sw_buffer_new_dlpack (buffer));
  assert_failure (sw_tensor_new (carrier, 4, layout, &error), &error, SW_ERROR_VALUE, "offset 4 + cosize 0 exceeds");
  g_assert_true (sw_carrier_scatter (carrier, last, last, layout, 3, &error));
  g_assert_no_error (error);
}

/* Shared views and copies of carriers that hold nothing. */
static void
test_carriers (void)
{
  GError *error = NULL;
  g_autoptr (GBytes) no_bytes = g_bytes_new (NULL, 0);
  SwCarrier *carriers[] = {
    sw_cpu_new (0, TRUE, SW_DTYPE_FLOAT64, FALSE, &error),
    sw_cpu_new_from_bytes (no_bytes, SW_DTYPE_FLOAT64, &error),
    sw_cpu_new_for_address (0, 0, TRUE, SW_DTYPE_FLOAT64, &error),
    sw_generic_new_doubles (NULL, 0, SW_DTYPE_FLOAT64, &error),
    sw_file_backed_new (NULL, TRUE, SW_DTYPE_FLOAT64, &error),
  };
  g_autoptr (SwShape) shape = make_shape ("(3, 0)");

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (carriers); i++)
    {
      g_autoptr (SwTensor) zeros = sw_zeros (shape, SW_DTYPE_INVALID, carriers[i], &error);
      g_autoptr (SwTensor) range = sw_arange_doubles (1, 1, 2, SW_DTYPE_INVALID, carriers[i], &error);
      g_autoptr (SwLayout) layout = sw_layout_new_row_major (shape);
      g_autoptr (SwTensor) tensor = sw_tensor_new (carriers[i], 0, layout, &error);
      g_autoptr (GBytes) bytes = sw_tensor_dup_bytes (tensor, &error);
      g_autofree char *text = sw_tensor_dup_values_text (tensor, &error);

      g_assert_no_error (error);
      g_assert_cmpint (sw_carrier_size (zeros->carrier, &error) + sw_carrier_size (range->carrier, &error), ==, 0);
      g_assert_cmpuint (g_bytes_get_size (bytes), ==, 0);
      g_assert_cmpstr (text, ==, "[]");
      sw_carrier_release (carriers[i], &error);
      g_assert_no_error (error);
      assert_failure (sw_tensor_new (carriers[i], 0, layout, &error), &error, SW_ERROR_STATE, "released");
      g_assert_null (sw_tensor_dup_values_text (tensor, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
      g_clear_error (&error);
      g_assert_null (sw_tensor_dup_bytes (tensor, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
      g_clear_error (&error);
      g_object_unref (g_steal_pointer (&carriers[i]));
    }
}

/* Any operation on random tensors, of which many have empty modes: Generic and CPU must do and say the same. */

typedef struct
{
  SwTensor *on[2]; /* by place */
} Pair;

static char *
random_extents (guint rank)
{
  static const char *const extents[] = { "0", "0", "1", "2", "3", "(2, 0)", "(1, 2)" };
  GString *text = g_string_new ("(");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%s,", extents[g_test_rand_int_range (0, rank < 3 ? 7 : 5)]);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

static Pair
make_pair (const char *shape_text,
           SwDType dtype)
{
  g_autoptr (SwShape) shape = make_shape (shape_text);
  gint64 size = sw_shape_get_size (shape);
  g_autofree double *values = g_new (double, size + 1);

  for (gint64 i = 0; i < size; i++)
    values[i] = g_test_rand_int_range (0, 3);
  return (Pair){ { make_tensor (ON_GENERIC, dtype, shape_text, values), make_tensor (ON_CPU, dtype, shape_text, values) } };
}

static void
pair_clear (Pair *self)
{
  sw_tensor_unref (self->on[0]);
  sw_tensor_unref (self->on[1]);
}

/* Inputs of the operation for one place; NULL where none is said. */
static SwTensor *
call_on (SwOperationId id,
         Place place,
         Pair *pairs,
         const gint64 *numbers,
         GError **error)
{
  SwTensor *a = pairs[0].on[place], *b = pairs[1].on[place], *index = pairs[2].on[place];
  SwValue *tensor = sw_value_new_tensor (a);
  const char *name = sw_operation_info_get (id)->name;

  switch (sw_operation_info_get (id)->family)
    {
    case SW_FAMILY_UNARY:
      return call_with (name, error, tensor);
    case SW_FAMILY_PARAMETRIC:
      if (id == SW_OPERATION_CLAMP)
        return call_with (name, error, tensor, sw_value_new_int64 (0), sw_value_new_int64 (1));
      return call_with (name, error, tensor, sw_value_new_double (0.5));
    case SW_FAMILY_CAST:
      return call_with (name, error, tensor, sw_value_new_int64 (SW_DTYPE_FLOAT64));
    case SW_FAMILY_BINARY:
      return call_with (name, error, tensor, sw_value_new_tensor (b));
    case SW_FAMILY_REDUCE:
    case SW_FAMILY_ARG_REDUCE:
      return call_with (name, error, tensor, sw_value_new_indices (numbers, 1), sw_value_new_bool (numbers[1] % 2));
    case SW_FAMILY_LINES:
    case SW_FAMILY_LAYER_NORM:
      return call_with (name, error, tensor, sw_value_new_indices (numbers, 1));
    case SW_FAMILY_MATMUL:
      return call_with (name, error, tensor, sw_value_new_tensor (b));
    case SW_FAMILY_CONVOLUTION:
      return call_with (name, error, tensor, sw_value_new_tensor (b));
    case SW_FAMILY_POOLING:
      return call_with (name, error, tensor, sw_value_new_indices (numbers + 1, 1));
    case SW_FAMILY_INDEXED:
      if (id == SW_OPERATION_GATHER)
        return call_with (name, error, tensor, sw_value_new_int64 (numbers[0]), sw_value_new_tensor (index));
      return call_with (name, error, tensor, sw_value_new_int64 (numbers[0]), sw_value_new_tensor (index), sw_value_new_tensor (b));
    case SW_FAMILY_SORT:
      if (id == SW_OPERATION_SORT)
        return call_with (name, error, tensor, sw_value_new_int64 (numbers[0]), sw_value_new_bool (numbers[1] % 2));
      return call_with (name, error, tensor, sw_value_new_int64 (numbers[1]), sw_value_new_int64 (numbers[0]));
    case SW_FAMILY_SELECT:
    case SW_FAMILY_VIEW:
    default:
      sw_value_unref (tensor);
      return sw_tensor_ref (a);
    }
}

static void
assert_same (SwTensor *a,
             GError *a_error,
             SwTensor *b,
             GError *b_error)
{
  g_assert_cmpint (a != NULL, ==, b != NULL);
  if (a == NULL)
    {
      g_assert_cmpint (a_error->code, ==, b_error->code);
      return;
    }
  g_assert_true (sw_shape_equal (sw_tensor_get_shape (a), sw_tensor_get_shape (b)));
  g_assert_cmpint (sw_tensor_get_dtype (a), ==, sw_tensor_get_dtype (b));
  for (gint64 i = 0; i < sw_tensor_get_size (a); i++)
    g_assert_true (is_close (get_number (a, i), get_number (b, i), 1e-5));
}

static void
try_operation (SwOperationId id,
               Pair *pairs)
{
  const gint64 numbers[] = { g_test_rand_int_range (0, 3), g_test_rand_int_range (0, 3) };
  GError *errors[2] = { NULL };
  g_autoptr (SwTensor) on_generic = call_on (id, ON_GENERIC, pairs, numbers, &errors[0]);
  g_autoptr (SwTensor) on_cpu = call_on (id, ON_CPU, pairs, numbers, &errors[1]);

  assert_same (on_generic, errors[0], on_cpu, errors[1]);
  g_clear_error (&errors[0]);
  g_clear_error (&errors[1]);
}

static void
test_random (void)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64 };
  guint n_rounds = g_test_thorough () ? 5000 : 400;

  for (guint i = 0; i < n_rounds; i++)
    {
      guint rank = g_test_rand_int_range (1, 4);
      SwDType dtype = dtypes[g_test_rand_int_range (0, G_N_ELEMENTS (dtypes))];
      g_autofree char *a_text = random_extents (rank);
      g_autofree char *b_text = g_test_rand_bit () ? g_strdup (a_text) : random_extents (rank);
      Pair pairs[] = { make_pair (a_text, dtype), make_pair (b_text, dtype), make_pair (b_text, SW_DTYPE_INT64) };

      for (SwOperationId id = 0; id < SW_N_OPERATIONS; id++)
        try_operation (id, pairs);
      for (guint k = 0; k < G_N_ELEMENTS (pairs); k++)
        pair_clear (&pairs[k]);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_test ("empty/sums", test_sums);
  add_test ("empty/products", test_products);
  add_test ("empty/slices", test_slices);
  add_test ("empty/places", test_places);
  g_test_add_func ("/empty/any", test_any);
  g_test_add_func ("/empty/carriers", test_carriers);
  g_test_add_func ("/empty/random", test_random);
  return g_test_run ();
}
