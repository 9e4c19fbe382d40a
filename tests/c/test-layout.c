/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "tests/c/layout-model.h"

#include <string.h>

static void
assert_layout (SwLayout *layout,
               const char *text)
{
  g_autofree char *written = sw_layout_to_string (layout);

  g_assert_cmpstr (written, ==, text);
}

static void
test_values (void)
{
  g_autoptr (SwShape) shape = sw_shape_new_from_string ("(2, (3, 4))", NULL);
  g_autoptr (SwLayout) compact = sw_layout_new_compact (shape);
  g_autoptr (SwLayout) row_major = sw_layout_new_row_major (shape);
  g_autoptr (SwLayout) gaps = model_layout ("(2, 3)", "(1, 4)");
  g_autoptr (SwLayout) scalar = model_layout ("()", "()");

  assert_layout (compact, "(2, (3, 4)):(1, (2, 6))");
  assert_layout (row_major, "(2, (3, 4)):(12, (4, 1))");
  g_assert_true (sw_layout_is_compact (compact));
  g_assert_true (sw_layout_is_compact (row_major));
  g_assert_false (sw_layout_is_compact (gaps));
  g_assert_true (sw_layout_is_injective (gaps));
  g_assert_cmpint (sw_layout_get_size (gaps), ==, 6);
  g_assert_cmpint (sw_layout_get_cosize (gaps), ==, 10);
  g_assert_true (sw_layout_is_compact (scalar));
  g_assert_cmpint (sw_layout_get_cosize (scalar), ==, 1);
  g_assert_cmpint (sw_layout_get_index_at (scalar, 0, NULL), ==, 0);
  g_assert_true (sw_layout_get_shape (compact) == shape);
}

static void
test_equality (void)
{
  g_autoptr (SwLayout) a = model_layout ("(2, (3, 4))", "(1, (2, 6))");
  g_autoptr (SwLayout) b = sw_layout_new_compact (sw_layout_get_shape (a));
  g_autoptr (SwLayout) c = sw_layout_new_row_major (sw_layout_get_shape (a));
  SwLayout *copy = g_boxed_copy (SW_TYPE_LAYOUT, a);

  g_assert_true (copy == a);
  g_boxed_free (SW_TYPE_LAYOUT, copy);
  g_assert_true (sw_layout_equal (a, a));
  g_assert_true (sw_layout_equal (a, b));
  g_assert_cmpuint (sw_layout_hash (a), ==, sw_layout_hash (b));
  g_assert_false (sw_layout_equal (a, c));
}

static void
test_bad_layouts (void)
{
  const struct
  {
    const char *shape, *stride, *message;
  } cases[] = {
    { "(2, 3)", "(1,)", "shape (2, 3) and stride (1,) are not nested alike" },
    { "(2, 3)", "(1, (2,))", "shape (2, 3) and stride (1, (2,)) are not nested alike" },
    { "(2, (3, 4))", "((1, 2), 3)", "are not nested alike" },
    { "(2, ())", "((), 2)", "are not nested alike" },
    { "()", "(1,)", "are not nested alike" },
    { "(3,)", "(4611686018427387904,)", "reaches past index 9223372036854775806" },
    { "(2,)", "(9223372036854775807,)", "shape (2,) with stride (9223372036854775807,) reaches past" },
    { "(2, 2)", "(9223372036854775806, 1)", "reaches past" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SwShape) shape = sw_shape_new_from_string (cases[i].shape, NULL);
      g_autoptr (SwStride) stride = sw_stride_new_from_string (cases[i].stride, NULL);

      model_assert_fails (sw_layout_new (shape, stride, &model_error), SW_ERROR_VALUE, cases[i].message);
    }
}

static void
test_largest (void)
{
  g_autoptr (SwLayout) last = model_layout ("(2,)", "(9223372036854775806,)");
  g_autoptr (SwLayout) full = model_layout ("(9223372036854775807,)", "(1,)");
  g_autoptr (SwLayout) one = model_layout ("(1,)", "(9223372036854775807,)");

  g_assert_cmpint (sw_layout_get_cosize (last), ==, G_MAXINT64);
  g_assert_cmpint (sw_layout_get_index_at (last, 1, NULL), ==, G_MAXINT64 - 1);
  g_assert_true (sw_layout_is_injective (last));
  g_assert_true (sw_layout_is_compact (full));
  g_assert_cmpint (sw_layout_get_index_at (full, G_MAXINT64 - 1, NULL), ==, G_MAXINT64 - 1);
  g_assert_true (sw_layout_is_compact (one));
}

static void
test_bad_index (void)
{
  g_autoptr (SwLayout) layout = model_layout ("(2, (3, 4))", "(1, (2, 6))");
  const gint64 outside[] = { -4, 1, -4, 3, 0 };
  const gint64 ordinals[] = { -1, 24, G_MININT64, G_MAXINT64 };
  GError *error = NULL;

  g_assert_cmpint (sw_layout_get_index (layout, outside, 5, &error), ==, -1);
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "coordinate[1][0] is 3"));
  g_clear_error (&error);
  g_assert_cmpint (sw_layout_get_index (layout, NULL, 0, &error), ==, -1);
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  for (guint i = 0; i < G_N_ELEMENTS (ordinals); i++)
    {
      g_assert_cmpint (sw_layout_get_index_at (layout, ordinals[i], &error), ==, -1);
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, "ordinal is"));
      g_clear_error (&error);
    }
}

static void
test_for_result (void)
{
  g_autoptr (SwLayout) compact = model_layout ("(2, 3)", "(3, 1)");
  g_autoptr (SwLayout) broadcast = model_layout ("(2, 3)", "(0, 1)");
  g_autoptr (SwLayout) same = sw_layout_new_for_result (compact);
  g_autoptr (SwLayout) fresh = sw_layout_new_for_result (broadcast);

  g_assert_true (same == compact);
  assert_layout (fresh, "(2, 3):(1, 2)");
}

static void
test_random_indices (void)
{
  for (guint i = 0; i < 800; i++)
    {
      g_autoptr (SwLayout) layout = model_random_layout (4, 300);
      SwShape *shape = sw_layout_get_shape (layout);
      gint64 coordinate[MODEL_MAX_LEAVES * 4] = { 0 };
      g_autofree gint64 *extents = NULL;
      gsize n_leaves;
      gint64 ordinal = 0;
      gint64 last = 0;

      extents = sw_shape_dup_leaves (shape, &n_leaves);
      do
        {
          g_autoptr (GArray) key = model_key (shape, coordinate, TRUE);
          gint64 index = model_index (layout, coordinate);

          g_assert_cmpint (sw_layout_get_index_at (layout, ordinal++, NULL), ==, index);
          g_assert_cmpint (sw_layout_get_index (layout, (const gint64 *) (gpointer) key->data, key->len, NULL), ==, index);
          last = MAX (last, index);
        }
      while (model_count (extents, n_leaves, coordinate));
      g_assert_cmpint (sw_layout_get_size (layout), ==, ordinal);
      g_assert_cmpint (sw_layout_get_cosize (layout), ==, last + 1);
    }
}

/* An injective layout without gaps visits 0 to its size in some order of its modes. */
static void
test_random_injectivity (void)
{
  guint n_injective = 0;
  guint n_compact = 0;

  for (guint i = 0; i < 4000; i++)
    {
      g_autoptr (SwLayout) layout = model_random_layout (i % 2 == 0 ? 3 : 1, 500);
      gboolean injective = model_is_injective (layout);
      gboolean compact = injective && layout->cosize == layout->size;

      g_assert_cmpint (sw_layout_is_injective (layout), ==, injective);
      g_assert_cmpint (sw_layout_is_compact (layout), ==, compact);
      n_injective += injective;
      n_compact += compact;
    }
  g_assert_cmpuint (n_injective, >, 400);
  g_assert_cmpuint (n_injective, <, 3600);
  g_assert_cmpuint (n_compact, >, 100);
}

static void
test_injectivity (void)
{
  const struct
  {
    const char *shape, *stride;
    gboolean injective;
  } cases[] = {
    { "(4, 2)", "(1, 1)", FALSE },
    { "(4, 2)", "(1, 3)", FALSE },
    { "(4, 2)", "(1, 4)", TRUE },
    { "(4, 2)", "(1, 9)", TRUE },
    { "(2, 3)", "(0, 1)", FALSE },
    { "(1, 3)", "(0, 1)", TRUE },
    /* Interleaved, yet apart. */
    { "(3, 2)", "(2, 3)", TRUE },
    { "(4, 2)", "(2, 3)", TRUE },
    { "(4, 3)", "(2, 3)", FALSE },
    { "(2, 2, 2)", "(3, 5, 6)", TRUE },
    { "(2, 2, 2)", "(3, 5, 8)", FALSE },
    /* Far too many elements to look at each. */
    { "(2147483648, 1073741824)", "(1, 2147483648)", TRUE },
    { "(2147483648, 1073741824)", "(1073741824, 1)", TRUE },
    { "(1073741824, 2147483648)", "(1073741824, 1)", FALSE },
    { "(1073741824, 1073741824)", "(1073741824, 1)", TRUE },
    { "(1073741824, 1073741824)", "(1073741827, 1073741831)", TRUE },
    { "(1073741832, 1073741832)", "(1073741827, 1073741831)", FALSE },
    { "(1048576, 1048576, 1048576)", "(3, 3145728, 3298534883328)", TRUE },
    { "(1048576, 1048576, 1048576)", "(3, 3145725, 3298534883328)", FALSE },
    { "(4294967296, 2147483646)", "(2147483647, 1)", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SwLayout) layout = model_layout (cases[i].shape, cases[i].stride);

      if (sw_layout_is_injective (layout) != cases[i].injective)
        g_error ("%s:%s", cases[i].shape, cases[i].stride);
    }
}

/* Whatever the answer, it comes. */
static void
test_hostile_injectivity (void)
{
  gint64 twos[40], steps[40];
  g_autoptr (SwShape) shape = NULL;
  g_autoptr (SwStride) stride = NULL;
  g_autoptr (SwLayout) layout = NULL;
  g_autoptr (GTimer) timer = NULL;

  for (guint i = 0; i < 40; i++)
    {
      twos[i] = 2;
      steps[i] = (G_GINT64_CONSTANT (1) << 56) + (gint64) g_test_rand_int () * 4194304 + g_test_rand_int ();
    }
  shape = sw_shape_new (twos, 40, NULL);
  stride = sw_stride_new (steps, 40, NULL);
  layout = sw_layout_new (shape, stride, NULL);
  timer = g_timer_new ();
  sw_layout_is_injective (layout);
  g_assert_cmpfloat (g_timer_elapsed (timer, NULL), <, 30);
}

/* Steps that look random and still never collide: powers of two, scrambled by a factor modulo a prime. The search
 * gives up on them, and trying every element decides. */
static void
test_mapped_injectivity (void)
{
  const gint64 prime = 1048583;
  gint64 twos[20], steps[20];

  for (guint kind = 0; kind < 2; kind++)
    {
      g_autoptr (SwShape) shape = NULL;
      g_autoptr (SwStride) stride = NULL;
      g_autoptr (SwLayout) layout = NULL;

      for (guint i = 0; i < 20; i++)
        {
          twos[i] = 2;
          steps[i] = (G_GINT64_CONSTANT (1) << i) * 634513 % prime;
        }
      if (kind == 1)
        steps[19] = steps[3] + steps[11];
      shape = sw_shape_new (twos, 20, NULL);
      stride = sw_stride_new (steps, 20, NULL);
      layout = sw_layout_new (shape, stride, NULL);
      g_assert_cmpint (model_is_injective (layout), ==, kind == 0);
      g_assert_cmpint (sw_layout_is_injective (layout), ==, kind == 0);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layout/values", test_values);
  g_test_add_func ("/layout/equality", test_equality);
  g_test_add_func ("/layout/bad", test_bad_layouts);
  g_test_add_func ("/layout/largest", test_largest);
  g_test_add_func ("/layout/bad-index", test_bad_index);
  g_test_add_func ("/layout/for-result", test_for_result);
  g_test_add_func ("/layout/random-indices", test_random_indices);
  g_test_add_func ("/layout/injectivity", test_injectivity);
  g_test_add_func ("/layout/random-injectivity", test_random_injectivity);
  g_test_add_func ("/layout/hostile-injectivity", test_hostile_injectivity);
  g_test_add_func ("/layout/mapped-injectivity", test_mapped_injectivity);
  return g_test_run ();
}
