/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "tests/c/shape-model.h"

#include <string.h>

#define TUPLE(n) SW_TREE_TUPLE (n)

static SwShape *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  SwShape *shape = sw_shape_new_from_string (text, &error);

  g_assert_no_error (error);
  return shape;
}

static void
test_values (void)
{
  const struct
  {
    const char *text;
    const char *written;
    gint64 size;
    guint rank, depth, n_leaves;
  } cases[] = {
    { "()", "()", 1, 0, 0, 0 },
    { "5", "(5,)", 5, 1, 1, 1 },
    { "(5,)", "(5,)", 5, 1, 1, 1 },
    { " ( 2 ,(3,4 ), ) ", "(2, (3, 4))", 24, 2, 2, 3 },
    { "((), 3)", "((), 3)", 3, 2, 1, 1 },
    { "((((7,),),),)", "((((7,),),),)", 7, 1, 4, 1 },
    { "(9223372036854775807, 1)", "(9223372036854775807, 1)", G_MAXINT64, 2, 1, 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SwShape) shape = parse (cases[i].text);
      g_autofree char *written = sw_shape_to_string (shape);

      g_assert_cmpstr (written, ==, cases[i].written);
      g_assert_cmpint (sw_shape_get_size (shape), ==, cases[i].size);
      g_assert_cmpuint (sw_shape_get_rank (shape), ==, cases[i].rank);
      g_assert_cmpuint (sw_shape_get_depth (shape), ==, cases[i].depth);
      g_assert_cmpuint (sw_shape_get_n_leaves (shape), ==, cases[i].n_leaves);
    }
}

static void
test_tokens (void)
{
  const gint64 tokens[] = { TUPLE (2), 2, TUPLE (2), 3, 4 };
  const gint64 five = 5;
  g_autoptr (SwShape) shape = sw_shape_new_from_tokens (tokens, G_N_ELEMENTS (tokens), NULL);
  g_autoptr (SwShape) bare = sw_shape_new_from_tokens (&five, 1, NULL);
  g_autoptr (SwShape) flat = sw_shape_new (&five, 1, NULL);
  g_autoptr (SwShape) scalar = sw_shape_new (NULL, 0, NULL);
  g_autofree gint64 *copy = NULL;
  g_autofree gint64 *leaves = NULL;
  gsize n;

  g_assert_cmpint (TUPLE (2), ==, -4);
  copy = sw_shape_dup_tokens (shape, &n);
  g_assert_cmpmem (copy, n * sizeof *copy, tokens, sizeof tokens);
  leaves = sw_shape_dup_leaves (shape, &n);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpint (leaves[2], ==, 4);
  g_assert_true (sw_shape_equal (bare, flat));
  g_assert_cmpuint (sw_shape_hash (bare), ==, sw_shape_hash (flat));
  g_assert_cmpint (sw_shape_get_size (scalar), ==, 1);
  g_assert_false (sw_shape_equal (bare, scalar));
}

static void
test_modes (void)
{
  g_autoptr (SwShape) shape = parse ("(2, (3, (4, 5)), ())");
  g_autoptr (SwShape) leaf = sw_shape_dup_mode (shape, 0, NULL);
  g_autoptr (SwShape) tuple = sw_shape_dup_mode (shape, 1, NULL);
  g_autoptr (SwShape) empty = sw_shape_dup_mode (shape, 2, NULL);
  g_autofree char *leaf_text = sw_shape_to_string (leaf);
  g_autofree char *tuple_text = sw_shape_to_string (tuple);

  g_assert_cmpstr (leaf_text, ==, "(2,)");
  g_assert_cmpstr (tuple_text, ==, "(3, (4, 5))");
  g_assert_cmpuint (sw_shape_get_rank (empty), ==, 0);
  g_assert_true (sw_shape_is_leaf (shape, 0));
  g_assert_false (sw_shape_is_leaf (shape, 1));
  g_assert_false (sw_shape_is_leaf (shape, 3));
  g_assert_cmpint (sw_shape_get_extent (shape, 0), ==, 2);
  g_assert_cmpint (sw_shape_get_extent (shape, 1), ==, 60);
  g_assert_cmpint (sw_shape_get_extent (shape, 2), ==, 1);
  g_assert_cmpint (sw_shape_get_extent (shape, 3), ==, 0);
  model_assert_fails (sw_shape_dup_mode (shape, 3, &model_error), SW_ERROR_INDEX, "mode is 3, but the shape has 3 modes");
  model_assert_fails (sw_shape_dup_mode (shape, G_MAXUINT, &model_error), SW_ERROR_INDEX, "mode is 4294967295");
}

static void
assert_bad_tokens (const gint64 *tokens,
                   gsize n_tokens,
                   const char *text)
{
  model_assert_fails (sw_shape_new_from_tokens (tokens, n_tokens, &model_error), SW_ERROR_VALUE, text);
}

#define BAD_TOKENS(text, ...)                                \
  G_STMT_START                                               \
  {                                                          \
    const gint64 bad[] = { __VA_ARGS__ };                    \
    /* On the heap, so that a read past the end is found. */ \
    g_autofree gint64 *copy = g_memdup2 (bad, sizeof bad);   \
                                                             \
    assert_bad_tokens (copy, G_N_ELEMENTS (bad), (text));    \
  }                                                          \
  G_STMT_END

static void
test_bad_tokens (void)
{
  assert_bad_tokens (NULL, 0, "shape has 0 tokens");
  BAD_TOKENS ("shape[1][0] is none, but an extent is at least 0", TUPLE (2), 1, TUPLE (1), -1);
  BAD_TOKENS ("shape is none", -1);
  BAD_TOKENS ("shape[1] is none", TUPLE (2), 1, -1);
  BAD_TOKENS ("shape announces 1 items, but 0 tokens follow", TUPLE (1));
  BAD_TOKENS ("shape announces 9223372036854775806 items, but 0 tokens follow", G_MININT64);
  BAD_TOKENS ("shape[0] announces 9223372036854775806 items", TUPLE (1), G_MININT64);
  BAD_TOKENS ("shape ends after 4 tokens, inside a tuple", TUPLE (2), TUPLE (2), 1, 1);
  BAD_TOKENS ("shape has 3 tokens, but its tree ends after 2", TUPLE (1), 1, 1);
  BAD_TOKENS ("shape has 2 tokens, but its tree ends after 1", 5, 5);
  BAD_TOKENS ("shape has 2 tokens, but its tree ends after 1", TUPLE (0), 5);
  BAD_TOKENS ("has more than 9223372036854775807 elements", TUPLE (2), G_MAXINT64, 2);
  BAD_TOKENS ("(4294967296, (4294967296,)) has more than", TUPLE (2), G_GINT64_CONSTANT (1) << 32, TUPLE (1), G_GINT64_CONSTANT (1) << 32);
}

static void
test_bad_extents (void)
{
  const gint64 negative[] = { -4, 3 };
  const gint64 large[] = { G_MAXINT64, 1, 3 };

  model_assert_fails (sw_shape_new (negative, 2, &model_error), SW_ERROR_VALUE, "shape[0] is -4, but an extent is at least 0");
  model_assert_fails (sw_shape_new (large, 3, &model_error), SW_ERROR_VALUE, "9223372036854775807 elements");
  model_assert_fails (sw_shape_new (negative, G_MAXSIZE, &model_error), SW_ERROR_VALUE, "modes, but at most");
}

static void
test_bad_text (void)
{
  const struct
  {
    const char *text, *message;
  } cases[] = {
    { "", "ends at byte 0" },
    { "(", "ends at byte 1" },
    { "(2, 3", "ends at byte 5, where a comma or ')'" },
    { "(5)", "has ')' at byte 2, where a comma" },
    { "(2,,3)", "has ',' at byte 3" },
    { "(,)", "has ',' at byte 1" },
    { ")", "has ')' at byte 0" },
    { "(2, 3) 4", "has '4' at byte 7, where its end" },
    { "(2, 3))", "has ')' at byte 6, where its end" },
    { "5 5", "where its end" },
    { "[2, 3]", "has '[' at byte 0" },
    { "(2.5,)", "has '.' at byte 2" },
    { "(-,)", "has '-' at byte 1" },
    { "(+3,)", "has '+' at byte 1" },
    { "(2, -3)", "shape has -3 at byte 4, but an extent is 0" },
    { "(9223372036854775808,)", "shape has 9223372036854775808 at byte 1" },
    { "(-99999999999999999999999999,)", "shape has -99999999999999999999999 at byte 1" },
    { "(\xff\xfe,)", "has the byte 0xff at byte 1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    model_assert_fails (sw_shape_new_from_string (cases[i].text, &model_error), SW_ERROR_VALUE, cases[i].message);
}

/* Depths around the limit, and far past it. */
static void
test_deep (void)
{
  const guint depths[] = { 256, 257, 100000 };

  for (guint i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      guint depth = depths[i];
      g_autofree gint64 *tokens = g_new (gint64, depth + 1);
      g_autoptr (GString) text = g_string_new (NULL);

      for (guint k = 0; k < depth; k++)
        {
          tokens[k] = TUPLE (1);
          g_string_append_c (text, '(');
        }
      tokens[depth] = 3;
      g_string_append_c (text, '3');
      for (guint k = 0; k < depth; k++)
        g_string_append (text, ",)");

      if (depth == 256)
        {
          g_autoptr (SwShape) shape = sw_shape_new_from_tokens (tokens, depth + 1, NULL);
          g_autoptr (SwShape) parsed = parse (text->str);
          g_autofree char *written = sw_shape_to_string (shape);

          g_assert_cmpuint (sw_shape_get_depth (shape), ==, 256);
          g_assert_true (sw_shape_equal (shape, parsed));
          g_assert_cmpstr (written, ==, text->str);
          continue;
        }
      model_assert_fails (sw_shape_new_from_tokens (tokens, depth + 1, &model_error), SW_ERROR_VALUE, "more than 256 levels");
      model_assert_fails (sw_shape_new_from_string (text->str, &model_error), SW_ERROR_VALUE, "more than 256 levels");
    }
}

static void
test_wide (void)
{
  const gsize n = 200000;
  g_autofree gint64 *ones = g_new (gint64, n);
  g_autoptr (SwShape) shape = NULL;

  for (gsize i = 0; i < n; i++)
    ones[i] = 1;
  shape = sw_shape_new (ones, n, NULL);
  g_assert_cmpuint (sw_shape_get_rank (shape), ==, n);
  g_assert_cmpint (sw_shape_get_size (shape), ==, 1);
}

static void
test_bad_coordinates (void)
{
  g_autoptr (SwShape) shape = parse ("(2, (3, 4))");
  const struct
  {
    gint64 tokens[6];
    gsize n;
    const char *message;
  } cases[] = {
    { { 0 }, 0, "coordinate has no tokens" },
    { { 24 }, 1, "coordinate is 24, which lies outside of the shape (2, (3, 4))" },
    { { -1 }, 1, "coordinate is none" },
    { { TUPLE (2), 2, 0 }, 3, "coordinate[0] is 2, which lies outside of the extent 2" },
    { { TUPLE (2), 0, 12 }, 3, "coordinate[1] is 12, which lies outside of the mode (3, 4)" },
    { { TUPLE (2), 0, TUPLE (2), 3, 0 }, 5, "coordinate[1][0] is 3" },
    { { TUPLE (2), 0, TUPLE (2), 0, G_MAXINT64 }, 5, "coordinate[1][1] is 9223372036854775807" },
    { { TUPLE (3), 0, 0, 0 }, 4, "coordinate is a tuple of 3, which does not fit the shape" },
    { { TUPLE (2), 0, TUPLE (1), 0 }, 4, "coordinate[1] is a tuple of 1, which does not fit the mode (3, 4)" },
    { { TUPLE (2), TUPLE (1), 0, 0 }, 4, "coordinate[0] is a tuple of 1, which does not fit the extent 2" },
    { { TUPLE (2), 0 }, 2, "coordinate ends after 2 tokens" },
    { { TUPLE (2), 0, TUPLE (2), 0 }, 4, "coordinate ends after 4 tokens" },
    { { TUPLE (2), 0, 0, 0 }, 4, "coordinate has 4 tokens, but its tree ends after 3" },
    { { G_MININT64 }, 1, "coordinate is a tuple of 9223372036854775806" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree gint64 *tokens = g_memdup2 (cases[i].tokens, cases[i].n * sizeof (gint64));

      g_assert_cmpint (sw_shape_encode (shape, tokens, cases[i].n, &error), ==, -1);
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      if (strstr (error->message, cases[i].message) == NULL)
        g_error ("\"%s\" is not in: %s", cases[i].message, error->message);
    }
}

static void
test_bad_ordinals (void)
{
  g_autoptr (SwShape) shape = parse ("(2, (3, 4))");
  gsize n;

  model_assert_fails (sw_shape_decode (shape, 24, &n, &model_error), SW_ERROR_VALUE, "ordinal is 24, but the shape (2, (3, 4)) has 24 elements");
  g_assert_cmpuint (n, ==, 0);
  model_assert_fails (sw_shape_decode (shape, -1, &n, &model_error), SW_ERROR_VALUE, "ordinal is -1");
  model_assert_fails (sw_shape_decode (shape, G_MININT64, &n, &model_error), SW_ERROR_VALUE, "ordinal is -9223372036854775808");
}

static void
test_random_coordinates (void)
{
  for (guint i = 0; i < 600; i++)
    {
      g_autoptr (SwShape) shape = model_random_shape (4, 300);
      gint64 coordinate[MODEL_MAX_LEAVES * 4] = { 0 };
      g_autofree gint64 *extents = NULL;
      gsize n_leaves;
      gint64 ordinal = 0;

      extents = sw_shape_dup_leaves (shape, &n_leaves);
      do
        {
          g_autoptr (GArray) exact = model_key (shape, coordinate, FALSE);
          g_autoptr (GArray) mixed = model_key (shape, coordinate, TRUE);
          g_autofree gint64 *tokens = NULL;
          gsize n;

          tokens = sw_shape_decode (shape, ordinal, &n, NULL);
          g_assert_cmpmem (tokens, n * sizeof *tokens, exact->data, exact->len * sizeof (gint64));
          g_assert_cmpint (sw_shape_encode (shape, tokens, n, NULL), ==, ordinal);
          g_assert_cmpint (sw_shape_encode (shape, (const gint64 *) (gpointer) mixed->data, mixed->len, NULL), ==, ordinal);
          ordinal++;
        }
      while (model_count (extents, n_leaves, coordinate));
      g_assert_cmpint (ordinal, ==, sw_shape_get_size (shape));
    }
}

static void
test_random_round_trips (void)
{
  for (guint i = 0; i < 1500; i++)
    {
      g_autoptr (SwShape) shape = model_random_shape (4, 1000);
      g_autoptr (SwShape) other = model_random_shape (2, 10);
      g_autofree char *text = sw_shape_to_string (shape);
      g_autofree char *other_text = sw_shape_to_string (other);
      g_autoptr (SwShape) parsed = parse (text);
      g_autofree gint64 *tokens = NULL;
      g_autoptr (SwShape) copy = NULL;
      gsize n;

      tokens = sw_shape_dup_tokens (shape, &n);
      copy = sw_shape_new_from_tokens (tokens, n, NULL);
      g_assert_true (sw_shape_equal (shape, parsed));
      g_assert_true (sw_shape_equal (shape, copy));
      g_assert_cmpuint (sw_shape_hash (shape), ==, sw_shape_hash (copy));
      g_assert_cmpint (sw_shape_compare (shape, copy), ==, 0);
      g_assert_cmpint (sw_shape_equal (shape, other), ==, strcmp (text, other_text) == 0);
      g_assert_cmpint (sw_shape_compare (shape, other) == 0, ==, strcmp (text, other_text) == 0);
    }
}

/* Anything at all: an error or a shape that says the same again, never a crash. */
static void
test_random_tokens (void)
{
  guint n_fine = 0;

  for (guint i = 0; i < 20000; i++)
    {
      gsize n = g_test_rand_int_range (0, 8);
      g_autofree gint64 *tokens = g_new (gint64, n);
      g_autoptr (SwShape) shape = NULL;
      g_autoptr (GError) error = NULL;

      for (gsize k = 0; k < n; k++)
        tokens[k] = g_test_rand_int_range (-4, 4);
      shape = sw_shape_new_from_tokens (tokens, n, &error);
      g_assert_true ((shape == NULL) == (error != NULL));
      if (shape != NULL)
        {
          g_autofree char *text = sw_shape_to_string (shape);
          g_autoptr (SwShape) parsed = parse (text);

          g_assert_true (sw_shape_equal (shape, parsed));
          n_fine++;
        }
    }
  g_assert_cmpuint (n_fine, >, 20);
}

static void
test_order (void)
{
  const char *sorted[] = { "()", "(1,)", "(1, 1)", "(1, 2)", "(1, 10)", "(1, ())", "(1, (1,))", "(2,)", "(2, 1)", "(10,)", "((),)", "((), 1)", "((1,),)", "((1, 2), 1)", "((1, 2), 3)", "((1, 3), 1)", "((2,), 1)" };

  for (guint i = 0; i < G_N_ELEMENTS (sorted); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sorted); k++)
      {
        g_autoptr (SwShape) a = parse (sorted[i]);
        g_autoptr (SwShape) b = parse (sorted[k]);
        int order = sw_shape_compare (a, b);

        g_assert_cmpint ((order > 0) - (order < 0), ==, (i > k) - (i < k));
      }
}

static void
test_boxed (void)
{
  g_autoptr (SwShape) shape = parse ("(2, 3)");
  SwShape *copy = g_boxed_copy (SW_TYPE_SHAPE, shape);

  /* Immutable, so a copy is a reference. */
  g_assert_true (copy == shape);
  g_boxed_free (SW_TYPE_SHAPE, copy);
  g_assert_cmpint (sw_shape_get_size (shape), ==, 6);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shape/values", test_values);
  g_test_add_func ("/shape/tokens", test_tokens);
  g_test_add_func ("/shape/modes", test_modes);
  g_test_add_func ("/shape/bad-tokens", test_bad_tokens);
  g_test_add_func ("/shape/bad-extents", test_bad_extents);
  g_test_add_func ("/shape/bad-text", test_bad_text);
  g_test_add_func ("/shape/deep", test_deep);
  g_test_add_func ("/shape/wide", test_wide);
  g_test_add_func ("/shape/bad-coordinates", test_bad_coordinates);
  g_test_add_func ("/shape/bad-ordinals", test_bad_ordinals);
  g_test_add_func ("/shape/random-coordinates", test_random_coordinates);
  g_test_add_func ("/shape/random-round-trips", test_random_round_trips);
  g_test_add_func ("/shape/random-tokens", test_random_tokens);
  g_test_add_func ("/shape/order", test_order);
  g_test_add_func ("/shape/boxed", test_boxed);
  return g_test_run ();
}
