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
test_dup_mode (void)
{
  g_autoptr (SwLayout) layout = model_layout ("(2, (3, 4))", "(1, (2, 6))");
  g_autoptr (SwLayout) leaf = sw_layout_dup_mode (layout, 0, NULL);
  g_autoptr (SwLayout) tuple = sw_layout_dup_mode (layout, 1, NULL);

  assert_layout (leaf, "(2,):(1,)");
  assert_layout (tuple, "(3, 4):(2, 6)");
  model_assert_fails (sw_layout_dup_mode (layout, 2, &model_error), SW_ERROR_INDEX, "mode is 2, but the layout has 2 modes");
}

static void
test_broadcast (void)
{
  g_autoptr (SwLayout) layout = model_layout ("(2, (1, 4))", "(4, (9, 1))");
  g_autoptr (SwShape) target = sw_shape_new_from_string ("(2, (5, 4))", NULL);
  g_autoptr (SwShape) flat = sw_shape_new_from_string ("(2, 5, 4)", NULL);
  g_autoptr (SwShape) longer = sw_shape_new_from_string ("(3, (1, 4))", NULL);
  g_autoptr (SwShape) shorter = sw_shape_new_from_string ("(2, (1, 1))", NULL);
  g_autoptr (SwLayout) same = sw_layout_broadcast_to (layout, sw_layout_get_shape (layout), NULL);
  g_autoptr (SwLayout) wide = sw_layout_broadcast_to (layout, target, NULL);

  g_assert_true (same == layout);
  assert_layout (wide, "(2, (5, 4)):(4, (0, 1))");
  model_assert_fails (sw_layout_broadcast_to (layout, flat, &model_error), SW_ERROR_VALUE, "shape (2, (1, 4)) cannot be broadcast to (2, 5, 4)");
  model_assert_fails (sw_layout_broadcast_to (layout, longer, &model_error), SW_ERROR_VALUE, "an extent of 2 cannot become 3");
  model_assert_fails (sw_layout_broadcast_to (layout, shorter, &model_error), SW_ERROR_VALUE, "an extent of 4 cannot become 1");
}

static void
test_permute (void)
{
  g_autoptr (SwLayout) layout = model_layout ("(2, (3, 4), 5)", "(1, (2, 6), 24)");
  const gint64 order[] = { 1, 2, 0 };
  const gint64 outside[] = { 0, 7, 1 };
  const gint64 negative[] = { 0, 1, -1 };
  const gint64 twice[] = { 2, 1, 2 };
  g_autoptr (SwLayout) permuted = sw_layout_permute (layout, order, 3, NULL);

  assert_layout (permuted, "((3, 4), 5, 2):((2, 6), 24, 1)");
  model_assert_fails (sw_layout_permute (layout, order, 2, &model_error), SW_ERROR_VALUE, "order has 2 entries, but the layout has 3 modes");
  model_assert_fails (sw_layout_permute (layout, NULL, 0, &model_error), SW_ERROR_VALUE, "order has 0 entries");
  model_assert_fails (sw_layout_permute (layout, outside, 3, &model_error), SW_ERROR_VALUE, "order[1] is 7, but the layout has 3 modes");
  model_assert_fails (sw_layout_permute (layout, negative, 3, &model_error), SW_ERROR_VALUE, "order[2] is -1, but the layout has 3 modes");
  model_assert_fails (sw_layout_permute (layout, twice, 3, &model_error), SW_ERROR_VALUE, "order[2] is 2, as order[0] already is");
}

static void
test_concat_append (void)
{
  g_autoptr (SwLayout) a = model_layout ("(2, 3)", "(1, 2)");
  g_autoptr (SwLayout) b = model_layout ("(4, (5,))", "(6, (24,))");
  g_autoptr (SwLayout) single = model_layout ("(7,)", "(6,)");
  g_autoptr (SwLayout) scalar = model_layout ("()", "()");
  g_autoptr (SwLayout) large = model_layout ("(4611686018427387904,)", "(0,)");
  g_autoptr (SwLayout) concat = sw_layout_concat (a, b, NULL);
  g_autoptr (SwLayout) append = sw_layout_append (a, b, NULL);
  g_autoptr (SwLayout) append_single = sw_layout_append (a, single, NULL);
  g_autoptr (SwLayout) append_scalar = sw_layout_append (a, scalar, NULL);
  g_autoptr (SwLayout) concat_scalar = sw_layout_concat (scalar, a, NULL);

  assert_layout (concat, "(2, 3, 4, (5,)):(1, 2, 6, (24,))");
  assert_layout (append, "(2, 3, (4, (5,))):(1, 2, (6, (24,)))");
  assert_layout (append_single, "(2, 3, 7):(1, 2, 6)");
  assert_layout (append_scalar, "(2, 3, ()):(1, 2, ())");
  assert_layout (concat_scalar, "(2, 3):(1, 2)");
  model_assert_fails (sw_layout_concat (a, large, &model_error), SW_ERROR_VALUE, "has more than");
  model_assert_fails (sw_layout_append (large, large, &model_error), SW_ERROR_VALUE, "has more than");
}

static void
test_append_depth (void)
{
  g_autoptr (SwLayout) layout = model_layout ("(1, 1)", "(0, 0)");
  g_autoptr (SwLayout) base = model_layout ("()", "()");
  g_autoptr (GError) error = NULL;

  for (guint depth = 1; depth < 256; depth++)
    {
      g_autoptr (SwLayout) inner = g_steal_pointer (&layout);

      layout = sw_layout_append (base, inner, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpuint (sw_shape_get_depth (sw_layout_get_shape (layout)), ==, 256);
  model_assert_fails (sw_layout_append (base, layout, &model_error), SW_ERROR_VALUE, "more than 256 levels");
}

static void
test_compose (void)
{
  const struct
  {
    const char *shape, *stride, *inner_shape, *inner_stride, *result;
  } cases[] = {
    { "(20,)", "(2,)", "(5, 4)", "(4, 1)", "(5, 4):(8, 2)" },
    { "(10, 2)", "(16, 4)", "(5, 4)", "(1, 5)", "(5, (2, 2)):(16, (80, 4))" },
    { "(6, 2)", "(8, 2)", "(4, 3)", "(3, 1)", "((2, 2), 3):((24, 2), 8)" },
    { "(4, 5)", "(5, 1)", "(20,)", "(1,)", "((4, 5),):((5, 1),)" },
    { "(4, 5)", "(1, 4)", "(20,)", "(1,)", "(20,):(1,)" },
    { "(4, (5, 2))", "(1, (10, 7))", "(2, 1, 3)", "(1, 9, 0)", "(2, 1, 3):(1, 0, 0)" },
    /* A step across two modes at once. */
    { "(4, 8)", "(1, 10)", "(2,)", "(5,)", "(2,):(11,)" },
    /* Bends that cancel each other out. */
    { "(2, 3, 4)", "(1, 0, 2)", "(4,)", "(3,)", "(4,):(1,)" },
    { "()", "()", "(1, 3)", "(5, 0)", "(1, 3):(0, 0)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SwLayout) outer = model_layout (cases[i].shape, cases[i].stride);
      g_autoptr (SwLayout) inner = model_layout (cases[i].inner_shape, cases[i].inner_stride);
      g_autoptr (GError) error = NULL;
      g_autoptr (SwLayout) result = sw_layout_compose (outer, inner, &error);

      g_assert_no_error (error);
      assert_layout (result, cases[i].result);
    }
}

static void
test_bad_compose (void)
{
  g_autoptr (SwLayout) outer = model_layout ("(4, 6)", "(1, 7)");
  g_autoptr (SwLayout) outside = model_layout ("(5,)", "(6,)");
  g_autoptr (SwLayout) odd = model_layout ("(6,)", "(1,)");
  g_autoptr (SwLayout) carry = model_layout ("(3, 3)", "(1, 1)");
  g_autoptr (SwLayout) line = model_layout ("(1073741824, 1073741824)", "(1, 1)");
  g_autoptr (SwLayout) large = model_layout ("(1073741824, 1073741824)", "(0, 1)");

  model_assert_fails (sw_layout_compose (outer, outside, &model_error), SW_ERROR_VALUE, "inner (5,):(6,) has the index 24, but the layout (4, 6):(1, 7) has 24 elements");
  model_assert_fails (sw_layout_compose (outer, odd, &model_error), SW_ERROR_VALUE, "no layout is the composition of (4, 6):(1, 7) with inner (6,):(1,)");
  model_assert_fails (sw_layout_compose (outer, carry, &model_error), SW_ERROR_VALUE, "no layout is the composition");
  model_assert_fails (sw_layout_compose (large, line, &model_error), SW_ERROR_VALUE, "no layout is the composition");
}

static void
test_reshape (void)
{
  g_autoptr (SwLayout) compact = model_layout ("(2, 3, 4)", "(1, 2, 6)");
  g_autoptr (SwLayout) rows = model_layout ("(3, 4)", "(4, 1)");
  g_autoptr (SwShape) flat = sw_shape_new_from_string ("(24,)", NULL);
  g_autoptr (SwShape) twelve = sw_shape_new_from_string ("(12,)", NULL);
  g_autoptr (SwShape) split = sw_shape_new_from_string ("((3, 1), (2, 2))", NULL);
  g_autoptr (SwLayout) line = sw_layout_reshape (compact, flat, NULL);
  g_autoptr (SwLayout) nested = sw_layout_reshape (rows, split, NULL);
  g_autoptr (SwLayout) same = sw_layout_reshape (rows, sw_layout_get_shape (rows), NULL);

  assert_layout (line, "(24,):(1,)");
  assert_layout (nested, "((3, 1), (2, 2)):((4, 0), (1, 2))");
  g_assert_true (same == rows);
  model_assert_fails (sw_layout_reshape (rows, twelve, &model_error), SW_ERROR_UNSUPPORTED, "layout (3, 4):(4, 1) has no view with the shape (12,)");
  model_assert_fails (sw_layout_reshape (rows, flat, &model_error), SW_ERROR_VALUE, "shape (24,) has 24 elements, but the layout (3, 4):(4, 1) has 12");
}

/* Every operation that moves whole modes, by what it does to the index at each coordinate. */
static void
test_random_rearrangements (void)
{
  for (guint i = 0; i < 500; i++)
    {
      g_autoptr (SwLayout) a = model_random_layout (4, 60);
      g_autoptr (SwLayout) b = model_random_layout (3, 20);
      g_autoptr (SwLayout) concat = sw_layout_concat (a, b, NULL);
      g_autoptr (SwLayout) append = sw_layout_append (a, b, NULL);
      g_autofree gint64 *table_a = model_table (a);
      g_autofree gint64 *table_b = model_table (b);

      for (gint64 q = 0; q < a->size * b->size; q++)
        {
          gint64 index = table_a[q % a->size] + table_b[q / a->size];

          g_assert_cmpint (sw_layout_get_index_at (concat, q, NULL), ==, index);
          g_assert_cmpint (sw_layout_get_index_at (append, q, NULL), ==, index);
        }
      g_assert_cmpuint (sw_shape_get_rank (append->shape), ==, sw_shape_get_rank (a->shape) + 1);
      g_assert_cmpuint (sw_shape_get_rank (concat->shape), ==, sw_shape_get_rank (a->shape) + sw_shape_get_rank (b->shape));
    }
}

static void
test_random_permutations (void)
{
  for (guint i = 0; i < 500; i++)
    {
      g_autoptr (SwLayout) layout = model_random_layout (4, 60);
      guint rank = sw_shape_get_rank (sw_layout_get_shape (layout));
      g_autoptr (SwLayout) permuted = NULL;
      gint64 order[8] = { 0 };

      for (guint k = 0; k < rank; k++)
        {
          guint other = g_test_rand_int_range (0, k + 1);

          order[k] = order[other];
          order[other] = k;
        }
      permuted = sw_layout_permute (layout, order, rank, NULL);
      for (gint64 q = 0; q < layout->size; q++)
        {
          gint64 key[9], moved[9];
          gint64 rest = q;

          key[0] = moved[0] = SW_TREE_TUPLE (rank);
          for (guint k = 0; k < rank; k++)
            {
              gint64 extent = sw_shape_get_extent (layout->shape, k);

              key[1 + k] = rest % extent;
              rest /= extent;
            }
          for (guint k = 0; k < rank; k++)
            moved[1 + k] = key[1 + order[k]];
          g_assert_cmpint (sw_layout_get_index (permuted, moved, rank + 1, NULL), ==, sw_layout_get_index (layout, key, rank + 1, NULL));
        }
    }
}

static void
test_random_broadcasts (void)
{
  for (guint i = 0; i < 500; i++)
    {
      g_autoptr (SwShape) target = model_random_shape (4, 200);
      g_autofree gint64 *tokens = NULL;
      g_autofree gint64 *extents = NULL;
      g_autoptr (SwShape) shape = NULL;
      g_autoptr (SwLayout) layout = NULL;
      g_autoptr (SwLayout) wide = NULL;
      gint64 coordinate[MODEL_MAX_LEAVES * 4] = { 0 };
      gint64 ordinal = 0;
      gsize n;

      tokens = sw_shape_dup_tokens (target, &n);
      for (gsize k = 0; k < n; k++)
        if (tokens[k] >= 0 && g_test_rand_int_range (0, 2) == 0)
          tokens[k] = 1;
      shape = sw_shape_new_from_tokens (tokens, n, NULL);
      layout = model_random_layout_of (shape);
      wide = sw_layout_broadcast_to (layout, target, NULL);
      g_assert_true (sw_shape_equal (sw_layout_get_shape (wide), target));

      extents = sw_shape_dup_leaves (target, &n);
      do
        {
          gint64 narrow[MODEL_MAX_LEAVES * 4];

          for (gsize k = 0; k < n; k++)
            narrow[k] = layout->leaves[k].extent == 1 ? 0 : coordinate[k];
          g_assert_cmpint (sw_layout_get_index_at (wide, ordinal++, NULL), ==, model_index (layout, narrow));
        }
      while (model_count (extents, n, coordinate));
    }
}

/* Whether the leaves of @inner can be split so that @table of ordinals becomes a layout: by trying it all out. */
static gboolean
model_composes (SwLayout *inner,
                const gint64 *table)
{
  g_autofree gint64 *inner_table = model_table (inner);
  gint64 extents[MODEL_MAX_LEAVES * 4], steps[MODEL_MAX_LEAVES * 4];
  guint n = 0;

  for (guint i = 0; i < inner->n_leaves; i++)
    {
      gint64 extent = inner->leaves[i].extent;
      gint64 step = inner->leaves[i].step;

      while (extent > 1)
        {
          gint64 straight = 1;

          while (straight < extent && table[straight * step] == straight * table[step])
            straight++;
          if (extent % straight != 0)
            return FALSE;
          extents[n] = straight;
          steps[n++] = table[step];
          extent /= straight;
          step *= straight;
        }
    }

  for (gint64 q = 0; q < inner->size; q++)
    {
      gint64 rest = q;
      gint64 sum = 0;

      for (guint i = 0; i < n; i++)
        {
          sum += rest % extents[i] * steps[i];
          rest /= extents[i];
        }
      if (sum != table[inner_table[q]])
        return FALSE;
    }
  return TRUE;
}

/* A layout that stays in the domain of @outer, more or less aligned with its modes. */
static SwLayout *
random_inner (SwLayout *outer)
{
  static const gint64 small[] = { 0, 1, 1, 2, 3, 4, 6 };
  g_autoptr (SwShape) shape = model_random_shape (2, MIN (outer->size, 40));
  g_autofree gint64 *tokens = NULL;
  g_autoptr (SwStride) stride = NULL;
  gsize n;
  gint64 left = outer->size - 1;

  tokens = sw_shape_dup_tokens (shape, &n);
  for (gsize i = 0; i < n; i++)
    {
      gint64 extent = tokens[i];
      gint64 step = small[g_test_rand_int_range (0, G_N_ELEMENTS (small))];

      if (extent < 0)
        continue;
      if (outer->n_leaves > 0)
        for (guint k = g_test_rand_int_range (0, outer->n_leaves); k > 0; k--)
          step *= outer->leaves[k - 1].extent;
      if ((extent - 1) * step > left)
        step = extent > 1 ? left / (extent - 1) : 0;
      left -= (extent - 1) * step;
      tokens[i] = step;
    }
  stride = sw_stride_new_from_tokens (tokens, n, NULL);
  return sw_layout_new (shape, stride, NULL);
}

static void
test_random_compositions (void)
{
  guint n_composed = 0;
  guint n_split = 0;

  for (guint i = 0; i < 6000; i++)
    {
      g_autoptr (SwLayout) outer = model_random_layout (3, 200);
      g_autoptr (SwLayout) inner = random_inner (outer);
      g_autofree gint64 *table = model_table (outer);
      g_autofree gint64 *inner_table = model_table (inner);
      g_autoptr (GError) error = NULL;
      g_autoptr (SwLayout) result = sw_layout_compose (outer, inner, &error);

      if ((result != NULL) != model_composes (inner, table))
        {
          g_autofree char *a = sw_layout_to_string (outer);
          g_autofree char *b = sw_layout_to_string (inner);

          g_error ("%s with %s: %s", a, b, error != NULL ? error->message : "composed");
        }
      if (result == NULL)
        {
          g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
          continue;
        }
      g_assert_cmpint (sw_layout_get_size (result), ==, inner->size);
      g_assert_cmpuint (sw_shape_get_rank (result->shape), ==, sw_shape_get_rank (inner->shape));
      for (gint64 q = 0; q < inner->size; q++)
        g_assert_cmpint (sw_layout_get_index_at (result, q, NULL), ==, table[inner_table[q]]);
      for (guint k = 0; k < sw_shape_get_rank (inner->shape); k++)
        g_assert_cmpint (sw_shape_get_extent (result->shape, k), ==, sw_shape_get_extent (inner->shape, k));
      n_composed++;
      n_split += result->n_leaves > inner->n_leaves;
    }
  g_assert_cmpuint (n_composed, >, 1000);
  g_assert_cmpuint (n_composed, <, 5800);
  g_assert_cmpuint (n_split, >, 100);
}

/* Splits an extent into random factors; with @nested, some of them within a tuple. */
static SwShape *
random_shape_of_size (gint64 size)
{
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 token = 0;
  guint n_items = 0;

  g_array_append_val (tokens, token);
  while (size > 1 || g_test_rand_int_range (0, 4) == 0)
    {
      gint64 factor;

      do
        factor = g_test_rand_int_range (1, size + 1);
      while (size % factor != 0);
      size /= factor;
      if (g_test_rand_int_range (0, 4) == 0)
        {
          token = SW_TREE_TUPLE (1);
          g_array_append_val (tokens, token);
        }
      g_array_append_val (tokens, factor);
      n_items++;
    }
  g_array_index (tokens, gint64, 0) = SW_TREE_TUPLE (n_items);
  return sw_shape_new_from_tokens ((const gint64 *) (gpointer) tokens->data, tokens->len, NULL);
}

static gboolean
model_has_view (const gint64 *table,
                SwShape *shape)
{
  g_autoptr (SwLayout) compact = sw_layout_new_compact (shape);

  for (gint64 q = 0; q < compact->size; q++)
    {
      gint64 rest = q;
      gint64 sum = 0;

      for (guint i = 0; i < compact->n_leaves; i++)
        {
          if (compact->leaves[i].extent > 1)
            sum += rest % compact->leaves[i].extent * table[compact->leaves[i].step];
          rest /= compact->leaves[i].extent;
        }
      if (sum != table[q])
        return FALSE;
    }
  return TRUE;
}

static void
test_random_reshapes (void)
{
  guint n_views = 0;

  for (guint i = 0; i < 3000; i++)
    {
      g_autoptr (SwLayout) layout = model_random_layout (3, 200);
      g_autoptr (SwShape) shape = random_shape_of_size (layout->size);
      g_autofree gint64 *table = model_table (layout);
      g_autoptr (GError) error = NULL;
      g_autoptr (SwLayout) view = sw_layout_reshape (layout, shape, &error);

      g_assert_cmpint (view != NULL, ==, model_has_view (table, shape));
      if (view == NULL)
        {
          g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
          continue;
        }
      g_assert_true (sw_shape_equal (sw_layout_get_shape (view), shape));
      for (gint64 q = 0; q < layout->size; q++)
        g_assert_cmpint (sw_layout_get_index_at (view, q, NULL), ==, table[q]);
      n_views++;
    }
  g_assert_cmpuint (n_views, >, 500);
  g_assert_cmpuint (n_views, <, 2900);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layout-algebra/dup-mode", test_dup_mode);
  g_test_add_func ("/layout-algebra/broadcast", test_broadcast);
  g_test_add_func ("/layout-algebra/permute", test_permute);
  g_test_add_func ("/layout-algebra/concat-append", test_concat_append);
  g_test_add_func ("/layout-algebra/append-depth", test_append_depth);
  g_test_add_func ("/layout-algebra/compose", test_compose);
  g_test_add_func ("/layout-algebra/bad-compose", test_bad_compose);
  g_test_add_func ("/layout-algebra/reshape", test_reshape);
  g_test_add_func ("/layout-algebra/random-rearrangements", test_random_rearrangements);
  g_test_add_func ("/layout-algebra/random-permutations", test_random_permutations);
  g_test_add_func ("/layout-algebra/random-broadcasts", test_random_broadcasts);
  g_test_add_func ("/layout-algebra/random-compositions", test_random_compositions);
  g_test_add_func ("/layout-algebra/random-reshapes", test_random_reshapes);
  return g_test_run ();
}
