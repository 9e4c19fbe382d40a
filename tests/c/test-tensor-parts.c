/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <strideweave.h>

/* 0, 1, 2 ... with the last mode fastest. */
static SwTensor *
new_counting (const char *shape_text,
              gint64 size)
{
  GError *error = NULL;
  g_autoptr (SwTensor) numbers = sw_arange (0, size, 1, SW_DTYPE_INT64, NULL, &error);
  g_autoptr (SwShape) shape = sw_shape_new_from_string (shape_text, &error);
  g_autoptr (SwLayout) layout = sw_layout_new_row_major (shape);
  SwTensor *tensor = sw_tensor_new (sw_tensor_get_carrier (numbers), 0, layout, &error);

  g_assert_no_error (error);
  return tensor;
}

static void
assert_row_major (SwTensor *tensor,
                  const char *shape,
                  const gint64 *expected,
                  gsize n_expected)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = sw_tensor_dup_row_major_bytes (tensor, &error);
  g_autofree char *shape_text = sw_shape_to_string (sw_tensor_get_shape (tensor));

  g_assert_no_error (error);
  g_assert_cmpstr (shape_text, ==, shape);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, n_expected * sizeof *expected);
}

#define VALUES(...) (const gint64[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ }))
#define NOTHING NULL, 0

static void
test_slice (void)
{
  g_autoptr (SwTensor) tensor = new_counting ("(3, 4)", 12);
  GError *error = NULL;
  g_autoptr (SwTensor) whole = sw_tensor_slice (tensor, NOTHING, NOTHING, NOTHING, &error);
  g_autoptr (SwTensor) rows = sw_tensor_slice (tensor, VALUES (1), NOTHING, NOTHING, &error);
  g_autoptr (SwTensor) columns = sw_tensor_slice (tensor, VALUES (0, 1), VALUES (3, G_MAXINT64), VALUES (2, 2), &error);
  g_autoptr (SwTensor) last = sw_tensor_slice (tensor, VALUES (-1, -4), VALUES (G_MAXINT64, -2), VALUES (G_MAXINT64), &error);
  g_autoptr (SwTensor) again = sw_tensor_slice (columns, VALUES (1), NOTHING, NOTHING, &error);

  g_assert_no_error (error);
  assert_row_major (whole, "(3, 4)", VALUES (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  assert_row_major (rows, "(2, 4)", VALUES (4, 5, 6, 7, 8, 9, 10, 11));
  assert_row_major (columns, "(2, 2)", VALUES (1, 3, 9, 11));
  assert_row_major (last, "(1, 2)", VALUES (8, 9));
  assert_row_major (again, "(1, 2)", VALUES (9, 11));
  g_assert_true (sw_tensor_get_carrier (rows) == sw_tensor_get_carrier (tensor));
}

static void
test_nested (void)
{
  g_autoptr (SwTensor) tensor = new_counting ("(2, (2, (3,)), 2)", 24);
  GError *error = NULL;
  g_autoptr (SwTensor) part = sw_tensor_slice (tensor, VALUES (1, 0, 1), NOTHING, NOTHING, &error);

  g_assert_no_error (error);
  assert_row_major (part, "(1, (2, (3,)), 1)", VALUES (13, 15, 17, 19, 21, 23));
  g_assert_null (sw_tensor_slice (tensor, VALUES (0, 1), NOTHING, NOTHING, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "mode 1 is nested"));
  g_clear_error (&error);
}

static void
assert_refused (SwTensor *result,
                GError **error,
                gint code,
                const char *message)
{
  g_assert_null (result);
  g_assert_error (*error, SW_ERROR, code);
  g_assert_nonnull (strstr ((*error)->message, message));
  g_clear_error (error);
}

static void
test_refused (void)
{
  g_autoptr (SwTensor) tensor = new_counting ("(3, 4)", 12);
  GError *error = NULL;

  assert_refused (sw_tensor_slice (tensor, VALUES (0, 5), NOTHING, NOTHING, &error), &error, SW_ERROR_INDEX,
                  "starts[1] is 5, but must be from -4 to 4 for mode 1, whose extent is 4");
  assert_refused (sw_tensor_slice (tensor, VALUES (-4), NOTHING, NOTHING, &error), &error, SW_ERROR_INDEX, "starts[0] is -4");
  assert_refused (sw_tensor_slice (tensor, VALUES (G_MININT64), NOTHING, NOTHING, &error), &error, SW_ERROR_INDEX,
                  "starts[0] is -9223372036854775808");
  assert_refused (sw_tensor_slice (tensor, NOTHING, VALUES (4), NOTHING, &error), &error, SW_ERROR_INDEX, "stops[0] is 4");
  assert_refused (sw_tensor_slice (tensor, NOTHING, NOTHING, VALUES (1, 0), &error), &error, SW_ERROR_VALUE, "steps[1] is 0");
  assert_refused (sw_tensor_slice (tensor, NOTHING, NOTHING, VALUES (-1), &error), &error, SW_ERROR_VALUE, "steps[0] is -1");
  assert_refused (sw_tensor_slice (tensor, VALUES (0, 0, 0), NOTHING, NOTHING, &error), &error, SW_ERROR_VALUE,
                  "starts has 3 items, but the tensor has 2 modes");
  sw_carrier_release (sw_tensor_get_carrier (tensor), &error);
  g_assert_no_error (error);
  assert_refused (sw_tensor_slice (tensor, VALUES (1), NOTHING, NOTHING, &error), &error, SW_ERROR_STATE, "released");
  g_assert_null (sw_tensor_dup_row_major_bytes (tensor, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
}

static void
test_row_major (void)
{
  g_autoptr (SwTensor) tensor = new_counting ("(2, (3, 2), 2)", 24);
  g_autoptr (SwTensor) alone = new_counting ("()", 1);
  GError *error = NULL;
  g_autoptr (SwTensor) turned = sw_permute (tensor, VALUES (2, 1, 0), &error);
  g_autoptr (GBytes) bytes = sw_tensor_dup_row_major_bytes (turned, &error);
  g_autoptr (SwTensor) again = sw_from_bytes (bytes, sw_tensor_get_shape (turned), SW_DTYPE_INT64, &error);
  g_autoptr (GBytes) expected = sw_tensor_dup_bytes (turned, &error);
  g_autoptr (GBytes) found = sw_tensor_dup_bytes (again, &error);

  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (expected, found));
  assert_row_major (alone, "()", VALUES (0));
  g_assert_cmpint (((const gint64 *) g_bytes_get_data (bytes, NULL))[1], ==, 12);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensor-parts/slice", test_slice);
  g_test_add_func ("/tensor-parts/nested", test_nested);
  g_test_add_func ("/tensor-parts/refused", test_refused);
  g_test_add_func ("/tensor-parts/row-major", test_row_major);
  return g_test_run ();
}
