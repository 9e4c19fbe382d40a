/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

/* Shapes and layouts with extents of 0, by hand and at random. */

#include "sw/base/sw-error.h"
#include "tests/c/layout-model.h"

#include <string.h>

/* A random shape, of which some extents become 0. */
static SwShape *
random_shape (gboolean *is_empty)
{
  g_autoptr (SwShape) full = model_random_shape (3, 40);
  gsize n_tokens;
  g_autofree gint64 *tokens = sw_shape_dup_tokens (full, &n_tokens);
  GError *error = NULL;
  SwShape *shape;

  *is_empty = FALSE;
  for (gsize i = 0; i < n_tokens; i++)
    {
      if (tokens[i] < 0 || g_test_rand_int_range (0, 4) > 0)
        continue;
      tokens[i] = 0;
      *is_empty = TRUE;
    }
  shape = sw_shape_new_from_tokens (tokens, n_tokens, &error);
  g_assert_no_error (error);
  return shape;
}

static SwLayout *
random_layout (SwShape *shape)
{
  gsize n_tokens;
  g_autofree gint64 *tokens = sw_shape_dup_tokens (shape, &n_tokens);
  g_autoptr (SwStride) stride = NULL;
  GError *error = NULL;
  SwLayout *layout;

  for (gsize i = 0; i < n_tokens; i++)
    if (tokens[i] >= 0)
      tokens[i] = g_test_rand_int_range (0, 50);
  stride = sw_stride_new_from_tokens (tokens, n_tokens, &error);
  g_assert_no_error (error);
  layout = sw_layout_new (shape, stride, &error);
  g_assert_no_error (error);
  return layout;
}

static void
assert_no_coordinates (SwLayout *layout)
{
  SwShape *shape = sw_layout_get_shape (layout);
  gsize n_tokens;
  g_autofree gint64 *key = sw_shape_dup_tokens (shape, &n_tokens);
  GError *error = NULL;

  for (gsize i = 0; i < n_tokens; i++)
    if (key[i] >= 0)
      key[i] = 0;
  g_assert_cmpint (sw_layout_get_index (layout, key, n_tokens, &error), ==, -1);
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_cmpint (sw_shape_encode (shape, key, n_tokens, &error), ==, -1);
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  for (gint64 ordinal = -1; ordinal < 3; ordinal++)
    {
      g_assert_cmpint (sw_layout_get_index_at (layout, ordinal, &error), ==, -1);
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      g_clear_error (&error);
      g_assert_null (sw_shape_decode (shape, ordinal, &n_tokens, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      g_clear_error (&error);
    }
  /* An integer for each top-level mode. */
  for (gint64 place = 0; place < 2; place++)
    {
      gint64 whole[] = { place };

      g_assert_cmpint (sw_layout_get_index (layout, whole, 1, &error), ==, -1);
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      g_clear_error (&error);
    }
}

static void
assert_empty (SwLayout *layout,
              SwShape *shape)
{
  g_assert_true (sw_shape_equal (sw_layout_get_shape (layout), shape));
  g_assert_cmpint (sw_layout_get_size (layout), ==, 0);
  g_assert_cmpint (sw_layout_get_cosize (layout), ==, 0);
  g_assert_true (sw_layout_is_compact (layout));
  g_assert_true (sw_layout_is_injective (layout));
  assert_no_coordinates (layout);
}

static void
take_empty (SwLayout *layout,
            GError *error)
{
  g_assert_no_error (error);
  assert_empty (layout, sw_layout_get_shape (layout));
  sw_layout_unref (layout);
}

static void
assert_forms (SwShape *shape)
{
  gsize n_tokens;
  g_autofree gint64 *tokens = sw_shape_dup_tokens (shape, &n_tokens);
  g_autofree char *text = sw_shape_to_string (shape);
  g_autoptr (SwShape) read = sw_shape_new_from_string (text, NULL);
  g_autoptr (SwShape) copy = sw_shape_new_from_tokens (tokens, n_tokens, NULL);
  gint64 product = 1;

  g_assert_true (sw_shape_equal (shape, read) && sw_shape_equal (shape, copy));
  g_assert_cmpuint (sw_shape_hash (shape), ==, sw_shape_hash (read));
  g_assert_cmpint (sw_shape_compare (shape, read), ==, 0);
  for (guint mode = 0; mode < sw_shape_get_rank (shape); mode++)
    {
      g_autoptr (SwShape) part = sw_shape_dup_mode (shape, mode, NULL);

      g_assert_cmpint (sw_shape_get_size (part), ==, sw_shape_get_extent (shape, mode));
      product *= sw_shape_get_extent (shape, mode);
    }
  g_assert_cmpint (product, ==, sw_shape_get_size (shape));
}

static void
assert_algebra (SwLayout *layout)
{
  SwShape *shape = sw_layout_get_shape (layout);
  guint rank = sw_shape_get_rank (shape);
  g_autofree gint64 *order = g_new (gint64, rank + 1);
  g_autoptr (SwShape) other = sw_shape_new_from_string ("(5, (0, 3))", NULL);
  g_autoptr (SwShape) one = sw_shape_new_from_string ("(1,)", NULL);
  g_autoptr (SwLayout) one_layout = sw_layout_new_compact (one);
  g_autoptr (SwLayout) composed = NULL;
  GError *error = NULL;

  for (guint i = 0; i < rank; i++)
    order[i] = rank - 1 - i;
  take_empty (sw_layout_permute (layout, order, rank, &error), error);
  take_empty (sw_layout_concat (layout, one_layout, &error), error);
  take_empty (sw_layout_append (one_layout, layout, &error), error);
  take_empty (sw_layout_reshape (layout, other, &error), error);
  take_empty (sw_layout_broadcast_to (layout, shape, &error), error);
  composed = sw_layout_compose (one_layout, layout, &error);
  g_assert_no_error (error);
  assert_empty (composed, shape);
  g_assert_true (sw_layout_new_for_result (layout) == layout);
  sw_layout_unref (layout);
  model_assert_fails (sw_layout_compose (layout, one_layout, &model_error), SW_ERROR_VALUE, "has the index 0, but the layout");
  model_assert_fails (sw_layout_reshape (layout, one, &model_error), SW_ERROR_VALUE, "has 1 elements, but the layout");
}

static void
test_random (void)
{
  guint n_empty = 0;

  for (guint i = 0; i < 2000; i++)
    {
      gboolean is_empty;
      g_autoptr (SwShape) shape = random_shape (&is_empty);
      g_autoptr (SwLayout) layout = random_layout (shape);
      g_autoptr (SwLayout) compact = sw_layout_new_compact (shape);
      g_autoptr (SwLayout) rows = sw_layout_new_row_major (shape);

      g_assert_cmpint (sw_shape_get_size (shape) == 0, ==, is_empty);
      assert_forms (shape);
      g_assert_cmpint (sw_layout_get_cosize (compact), ==, sw_shape_get_size (shape));
      g_assert_cmpint (sw_layout_get_cosize (rows), ==, sw_shape_get_size (shape));
      if (!is_empty)
        continue;
      n_empty++;
      assert_empty (layout, shape);
      assert_empty (compact, shape);
      assert_empty (rows, shape);
      assert_algebra (layout);
      assert_algebra (rows);
    }
  g_assert_cmpuint (n_empty, >, 500);
}

static void
assert_text (SwLayout *layout,
             GError *error,
             const char *expected)
{
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = sw_layout_to_string (layout);
  g_assert_cmpstr (text, ==, expected);
  sw_layout_unref (layout);
}

/* As NumPy's strides of fresh arrays. */
static void
test_strides (void)
{
  g_autoptr (SwShape) shape = sw_shape_new_from_string ("(2, 0, (3, 4))", NULL);
  g_autoptr (SwShape) alone = sw_shape_new_from_string ("0", NULL);
  g_autoptr (SwShape) target = sw_shape_new_from_string ("(0, 4)", NULL);
  g_autoptr (SwLayout) once = model_layout ("(1, 4)", "(5, 2)");
  GError *error = NULL;

  assert_text (sw_layout_new_compact (shape), NULL, "(2, 0, (3, 4)):(1, 2, (2, 6))");
  assert_text (sw_layout_new_row_major (shape), NULL, "(2, 0, (3, 4)):(12, 12, (4, 1))");
  assert_text (sw_layout_new_compact (alone), NULL, "(0,):(1,)");
  assert_text (sw_layout_broadcast_to (once, target, &error), error, "(0, 4):(0, 2)");
}

static void
test_bounds (void)
{
  const gint64 large[] = { G_MAXINT64, 0, 2 };
  const gint64 largest[] = { 0, G_MAXINT64, 1 };
  GError *error = NULL;
  g_autoptr (SwShape) shape = sw_shape_new (largest, 3, &error);
  g_autoptr (SwShape) rows = sw_shape_new_from_string ("(0, 3)", NULL);
  g_autoptr (SwStride) far = sw_stride_new_from_string ("(1, 9223372036854775807)", NULL);
  g_autoptr (SwLayout) layout = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (sw_shape_get_size (shape), ==, 0);
  layout = sw_layout_new_row_major (shape);
  assert_empty (layout, shape);
  model_assert_fails (sw_shape_new (large, 3, &model_error), SW_ERROR_VALUE,
                      "has more than 9223372036854775807 elements along the modes that are not empty");
  /* Nothing is there to reach, but sums of steps stay numbers. */
  model_assert_fails (sw_layout_new (rows, far, &model_error), SW_ERROR_VALUE, "reaches past");
}

/* More of them than there can be wide modes. */
static void
test_many_modes (void)
{
  gint64 extents[200], steps[200];
  GError *error = NULL;
  g_autoptr (SwShape) shape = NULL;
  g_autoptr (SwStride) stride = NULL;
  g_autoptr (SwLayout) layout = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      extents[i] = i % 4 == 1 && i < 100 ? 2 : 0;
      steps[i] = 3 * i;
    }
  shape = sw_shape_new (extents, G_N_ELEMENTS (extents), &error);
  g_assert_no_error (error);
  stride = sw_stride_new (steps, G_N_ELEMENTS (steps), &error);
  g_assert_no_error (error);
  layout = sw_layout_new (shape, stride, &error);
  g_assert_no_error (error);
  assert_empty (layout, shape);
  assert_algebra (layout);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/empty-layouts/random", test_random);
  g_test_add_func ("/empty-layouts/strides", test_strides);
  g_test_add_func ("/empty-layouts/bounds", test_bounds);
  g_test_add_func ("/empty-layouts/many-modes", test_many_modes);
  return g_test_run ();
}
