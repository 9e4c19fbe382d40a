/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <strideweave.h>

static SwShape *
shape_new (const char *text)
{
  GError *error = NULL;
  SwShape *shape = sw_shape_new_from_string (text, &error);

  g_assert_no_error (error);
  return shape;
}

static void
test_last_mode_is_fastest (void)
{
  static const gint32 source[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (source, sizeof source);
  g_autoptr (SwShape) shape = shape_new ("(2, 3, 2)");
  GError *error = NULL;
  g_autoptr (SwTensor) tensor = sw_from_bytes (bytes, shape, SW_DTYPE_INT32, &error);
  g_autoptr (GBytes) ordered = NULL;
  const gint32 *values;

  g_assert_no_error (error);
  g_assert_true (sw_shape_equal (sw_tensor_get_shape (tensor), shape));
  g_assert_cmpint (sw_tensor_get_dtype (tensor), ==, SW_DTYPE_INT32);
  g_assert_false (sw_carrier_is_mutable (sw_tensor_get_carrier (tensor), NULL));
  ordered = sw_tensor_dup_bytes (tensor, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (ordered), ==, sizeof source);
  /* By ordinals, which have the first mode fastest. */
  values = g_bytes_get_data (ordered, NULL);
  for (gint32 i = 0; i < 12; i++)
    g_assert_cmpint (values[i], ==, 6 * (i % 2) + 2 * (i / 2 % 3) + i / 6);
}

static void
note_free (gpointer data)
{
  *(gboolean *) data = TRUE;
}

static void
test_memory (void)
{
  static const double source[] = { 1, 2 };
  gboolean is_freed = FALSE;
  GBytes *bytes = g_bytes_new_with_free_func (source, sizeof source, note_free, &is_freed);
  g_autoptr (SwShape) shape = shape_new ("(2,)");
  GError *error = NULL;
  SwTensor *tensor = sw_from_bytes (bytes, shape, SW_DTYPE_FLOAT64, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (sw_cpu_get_address (SW_CPU (sw_tensor_get_carrier (tensor)), NULL), ==, (gsize) source);
  g_bytes_unref (bytes);
  g_assert_false (is_freed);
  sw_tensor_unref (tensor);
  g_assert_true (is_freed);
}

static void
assert_refused (gsize n_bytes,
                const char *shape_text,
                SwDType dtype,
                const char *message)
{
  static const guint64 source[4];
  g_autoptr (GBytes) bytes = g_bytes_new_static (source, n_bytes);
  g_autoptr (SwShape) shape = shape_new (shape_text);
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_from_bytes (bytes, shape, dtype, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_refused (void)
{
  assert_refused (16, "(2, 3)", SW_DTYPE_FLOAT32, "bytes holds 4 values of Float32, but shape has 6");
  assert_refused (32, "(2, 3)", SW_DTYPE_FLOAT32, "bytes holds 8 values of Float32, but shape has 6");
  assert_refused (0, "(1,)", SW_DTYPE_BOOL, "bytes holds 0 values of Bool, but shape has 1");
  assert_refused (15, "(2,)", SW_DTYPE_INT64, "bytes holds 15 bytes");
  assert_refused (16, "(2,)", SW_DTYPE_ANY, "Any");
  assert_refused (16, "(2,)", SW_DTYPE_FLOATING, "Floating");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/creation/last-mode-is-fastest", test_last_mode_is_fastest);
  g_test_add_func ("/creation/memory", test_memory);
  g_test_add_func ("/creation/refused", test_refused);
  return g_test_run ();
}
