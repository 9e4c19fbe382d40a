/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <string.h>

#include "sw-profiler/operation/sw-input-shapes.h"
#include "sw/base/sw-error.h"
#include "sw/shape/sw-shape.h"

#define TOKENS(...) ((const gint64[]){ __VA_ARGS__ }), G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ }))

static SwInputShapes *
parse (const gint64 *tokens,
       gsize n_tokens)
{
  g_autoptr (GError) error = NULL;
  SwInputShapes *shapes = sw_input_shapes_new_from_tokens (tokens, n_tokens, &error);

  g_assert_no_error (error);
  g_assert_nonnull (shapes);
  return shapes;
}

static void
assert_string (const gint64 *tokens,
               gsize n_tokens,
               const char *expected)
{
  g_autoptr (SwInputShapes) shapes = parse (tokens, n_tokens);
  g_autofree char *text = sw_input_shapes_to_string (shapes);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_to_string (void)
{
  assert_string (TOKENS (-2), "()");
  assert_string (TOKENS (-3, -1), "(None,)");
  assert_string (TOKENS (-3, -3, 5), "((5,),)");
  assert_string (TOKENS (-3, 5), "((5,),)");
  assert_string (TOKENS (-3, -2), "((),)");
  assert_string (TOKENS (-4, -4, 2, -4, 3, 4, -1), "((2, (3, 4)), None)");
  assert_string (TOKENS (-5, -1, -3, 7, -1), "(None, (7,), None)");
}

static void
assert_round_trip (const gint64 *tokens,
                   gsize n_tokens)
{
  g_autoptr (SwInputShapes) shapes = parse (tokens, n_tokens);
  g_autoptr (SwInputShapes) again = NULL;
  g_autofree gint64 *copy = NULL;
  gsize n_copy;

  copy = sw_input_shapes_dup_tokens (shapes, &n_copy);
  g_assert_cmpmem (copy, n_copy * sizeof (gint64), tokens, n_tokens * sizeof (gint64));
  again = parse (copy, n_copy);
  g_assert_true (sw_input_shapes_equal (shapes, again));
  g_assert_cmpuint (sw_input_shapes_hash (shapes), ==, sw_input_shapes_hash (again));
}

static void
test_tokens (void)
{
  assert_round_trip (TOKENS (-2));
  assert_round_trip (TOKENS (-3, -1));
  assert_round_trip (TOKENS (-5, -4, 2, -4, 3, 4, -1, -2));
  assert_round_trip (TOKENS (-3, -3, -3, -3, -3, 9));
}

static void
test_positions (void)
{
  SwShape *a = sw_shape_new ((const gint64[]){ 2, 3 }, 2, NULL);
  SwShape *list[] = { a, NULL, a };
  g_autoptr (SwInputShapes) shapes = sw_input_shapes_new (list, G_N_ELEMENTS (list));
  g_autofree char *text = NULL;

  /* The list has references of its own. */
  sw_shape_unref (a);
  g_assert_cmpuint (sw_input_shapes_get_length (shapes), ==, 3);
  g_assert_true (sw_input_shapes_get_shape (shapes, 0) == sw_input_shapes_get_shape (shapes, 2));
  g_assert_null (sw_input_shapes_get_shape (shapes, 1));
  g_assert_null (sw_input_shapes_get_shape (shapes, 3));
  g_assert_null (sw_input_shapes_get_shape (shapes, G_MAXUINT));
  text = sw_input_shapes_to_string (shapes);
  g_assert_cmpstr (text, ==, "((2, 3), None, (2, 3))");
}

static void
test_equal (void)
{
  SwInputShapes *lists[] = {
    parse (TOKENS (-2)),
    parse (TOKENS (-3, -1)),
    parse (TOKENS (-4, -1, -1)),
    parse (TOKENS (-3, -2)),
    parse (TOKENS (-3, -3, 6)),
    parse (TOKENS (-3, -4, 2, 3)),
    parse (TOKENS (-3, -4, 3, 2)),
    parse (TOKENS (-3, -3, -4, 2, 3)),
    parse (TOKENS (-4, -3, 2, -3, 3)),
    parse (TOKENS (-4, -3, 2, -1)),
    parse (TOKENS (-4, -1, -3, 2)),
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      for (gsize k = 0; k < G_N_ELEMENTS (lists); k++)
        g_assert_true (sw_input_shapes_equal (lists[i], lists[k]) == (i == k));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    sw_input_shapes_unref (lists[i]);
}

static void
assert_refused (const gint64 *tokens,
                gsize n_tokens,
                const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_input_shapes_new_from_tokens (tokens, n_tokens, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  if (strstr (error->message, message) == NULL)
    g_error ("“%s” does not contain “%s”", error->message, message);
}

static void
test_bad_tokens (void)
{
  assert_refused (NULL, 0, "tokens is empty");
  assert_refused (TOKENS (5), "tokens[0] is 5");
  assert_refused (TOKENS (-1), "tokens[0] is -1");
  assert_refused (TOKENS (-3), "tokens[0] is -3, a tuple of 1 items, but only 0 tokens follow");
  assert_refused (TOKENS (G_MININT64), "tokens[0] is -9223372036854775808");
  assert_refused (TOKENS (G_MININT64, -1), "tokens[0] is -9223372036854775808");
  assert_refused (TOKENS (-2, -1), "tokens has 2 values, but the list ends after 1");
  assert_refused (TOKENS (-3, -1, 4), "tokens has 3 values, but the list ends after 2");
  assert_refused (TOKENS (-4, -3, 5), "input_shapes[1]: tokens ends after 3 values");
  assert_refused (TOKENS (-4, -1, -4, 2), "input_shapes[1]: tokens ends after 4 values");
  assert_refused (TOKENS (-3, G_MININT64), "input_shapes[0]: tokens ends after 2 values");
  assert_refused (TOKENS (-3, -3, -1), "input_shapes[0]: ");
  assert_refused (TOKENS (-3, -4, G_MAXINT64, G_MAXINT64), "input_shapes[0]: ");
}

/* Whatever the tokens are, they make a list that gives them back, or an error. */
static void
test_random_tokens (void)
{
  for (guint round = 0; round < 20000; round++)
    {
      gint64 tokens[8];
      gsize n = g_test_rand_int_range (0, G_N_ELEMENTS (tokens) + 1);
      g_autoptr (GError) error = NULL;
      g_autoptr (SwInputShapes) shapes = NULL;
      g_autoptr (SwInputShapes) again = NULL;
      g_autofree gint64 *copy = NULL;
      gsize n_copy;

      for (gsize i = 0; i < n; i++)
        tokens[i] = g_test_rand_int_range (-5, 4);
      shapes = sw_input_shapes_new_from_tokens (tokens, n, &error);
      g_assert_true ((shapes != NULL) == (error == NULL));
      if (shapes == NULL)
        continue;
      copy = sw_input_shapes_dup_tokens (shapes, &n_copy);
      again = parse (copy, n_copy);
      g_assert_true (sw_input_shapes_equal (shapes, again));
    }
}

static void
test_boxed (void)
{
  SwInputShapes *shapes = parse (TOKENS (-3, -3, 5));
  SwInputShapes *copy = g_boxed_copy (SW_TYPE_INPUT_SHAPES, shapes);

  sw_input_shapes_unref (shapes);
  g_assert_cmpuint (sw_input_shapes_get_length (copy), ==, 1);
  g_boxed_free (SW_TYPE_INPUT_SHAPES, copy);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/input-shapes/to-string", test_to_string);
  g_test_add_func ("/input-shapes/tokens", test_tokens);
  g_test_add_func ("/input-shapes/positions", test_positions);
  g_test_add_func ("/input-shapes/equal", test_equal);
  g_test_add_func ("/input-shapes/bad-tokens", test_bad_tokens);
  g_test_add_func ("/input-shapes/random-tokens", test_random_tokens);
  g_test_add_func ("/input-shapes/boxed", test_boxed);
  return g_test_run ();
}
