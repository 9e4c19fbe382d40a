/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "tests/c/shape-model.h"

#include <string.h>

static void
test_values (void)
{
  const gint64 steps[] = { 0, 7 };
  g_autoptr (SwStride) flat = sw_stride_new (steps, 2, NULL);
  g_autoptr (SwStride) parsed = sw_stride_new_from_string ("(0, 7)", NULL);
  g_autoptr (SwStride) nested = sw_stride_new_from_string ("(1, (0, 7))", NULL);
  g_autoptr (SwStride) bare = sw_stride_new_from_string ("0", NULL);
  g_autoptr (SwStride) scalar = sw_stride_new (NULL, 0, NULL);
  g_autofree char *text = sw_stride_to_string (nested);
  g_autofree char *bare_text = sw_stride_to_string (bare);

  g_assert_true (sw_stride_equal (flat, parsed));
  g_assert_cmpuint (sw_stride_hash (flat), ==, sw_stride_hash (parsed));
  g_assert_false (sw_stride_equal (flat, nested));
  g_assert_cmpstr (text, ==, "(1, (0, 7))");
  g_assert_cmpstr (bare_text, ==, "(0,)");
  g_assert_cmpuint (sw_stride_get_rank (nested), ==, 2);
  g_assert_cmpuint (sw_stride_get_depth (nested), ==, 2);
  g_assert_cmpuint (sw_stride_get_n_leaves (nested), ==, 3);
  g_assert_cmpuint (sw_stride_get_rank (scalar), ==, 0);
}

static void
test_modes (void)
{
  g_autoptr (SwStride) stride = sw_stride_new_from_string ("(5, (0, 7))", NULL);
  g_autoptr (SwStride) tuple = sw_stride_dup_mode (stride, 1, NULL);
  g_autoptr (SwStride) leaf = sw_stride_dup_mode (stride, 0, NULL);
  g_autofree char *tuple_text = sw_stride_to_string (tuple);
  g_autofree char *leaf_text = sw_stride_to_string (leaf);

  g_assert_cmpstr (tuple_text, ==, "(0, 7)");
  g_assert_cmpstr (leaf_text, ==, "(5,)");
  g_assert_true (sw_stride_is_leaf (stride, 0));
  g_assert_false (sw_stride_is_leaf (stride, 1));
  g_assert_false (sw_stride_is_leaf (stride, 2));
  g_assert_cmpint (sw_stride_get_step (stride, 0), ==, 5);
  g_assert_cmpint (sw_stride_get_step (stride, 1), ==, -1);
  g_assert_cmpint (sw_stride_get_step (stride, 2), ==, -1);
  model_assert_fails (sw_stride_dup_mode (stride, 2, &model_error), SW_ERROR_INDEX, "mode is 2, but the stride has 2 modes");
}

static void
test_tokens (void)
{
  g_autoptr (SwStride) stride = sw_stride_new_from_string ("(5, (0, 7))", NULL);
  const gint64 expected[] = { -4, 5, -4, 0, 7 };
  const gint64 expected_leaves[] = { 5, 0, 7 };
  g_autofree gint64 *tokens = NULL;
  g_autofree gint64 *leaves = NULL;
  g_autoptr (SwStride) copy = NULL;
  gsize n;

  tokens = sw_stride_dup_tokens (stride, &n);
  g_assert_cmpmem (tokens, n * sizeof *tokens, expected, sizeof expected);
  copy = sw_stride_new_from_tokens (tokens, n, NULL);
  g_assert_true (sw_stride_equal (stride, copy));
  leaves = sw_stride_dup_leaves (stride, &n);
  g_assert_cmpmem (leaves, n * sizeof *leaves, expected_leaves, sizeof expected_leaves);
}

static void
test_bad (void)
{
  const gint64 negative[] = { 1, -1 };
  const gint64 none[] = { -4, 1, -1 };

  model_assert_fails (sw_stride_new (negative, 2, &model_error), SW_ERROR_VALUE, "stride[1] is -1, but a step is at least 0");
  model_assert_fails (sw_stride_new_from_tokens (none, 3, &model_error), SW_ERROR_VALUE, "stride[1] is none");
  model_assert_fails (sw_stride_new_from_tokens (NULL, 0, &model_error), SW_ERROR_VALUE, "stride has 0 tokens");
  model_assert_fails (sw_stride_new_from_string ("(1, -2)", &model_error), SW_ERROR_VALUE, "stride has -2 at byte 4, but a step is 0");
  model_assert_fails (sw_stride_new_from_string ("(1, 2", &model_error), SW_ERROR_VALUE, "the text of the stride ends");
}

static void
test_boxed (void)
{
  g_autoptr (SwStride) stride = sw_stride_new_from_string ("(1, 2)", NULL);
  SwStride *copy = g_boxed_copy (SW_TYPE_STRIDE, stride);

  g_assert_true (copy == stride);
  g_boxed_free (SW_TYPE_STRIDE, copy);
  g_assert_cmpuint (sw_stride_get_rank (stride), ==, 2);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stride/values", test_values);
  g_test_add_func ("/stride/modes", test_modes);
  g_test_add_func ("/stride/tokens", test_tokens);
  g_test_add_func ("/stride/bad", test_bad);
  g_test_add_func ("/stride/boxed", test_boxed);
  return g_test_run ();
}
