/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-dtype-rules-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-inputs-private.h"
#include "sw/operations/sw-out-private.h"
#include "sw/operations/sw-modes-private.h"

static gboolean
check_rank (SwTensor *tensor,
            const char *argument,
            GError **error)
{
  g_autofree char *shape = NULL;

  if (tensor->layout->shape->tree.n_items >= 2)
    return TRUE;

  shape = sw_shape_to_string (tensor->layout->shape);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "%s must have 2 modes, but its shape is %s", argument, shape);
  return FALSE;
}

/* The modes before the last two count matrices. */
static gboolean
check_batches (SwTensor *lhs,
               const SwMode *lhs_modes,
               SwTensor *rhs,
               const SwMode *rhs_modes,
               GError **error)
{
  guint rank = lhs->layout->shape->tree.n_items;
  gboolean fits = rhs->layout->shape->tree.n_items == rank;
  g_autofree char *lhs_text = NULL;
  g_autofree char *rhs_text = NULL;

  for (guint i = 0; fits && i + 2 < rank; i++)
    fits = sw_mode_same_shape (&lhs_modes[i], &rhs_modes[i]);
  if (fits)
    return TRUE;

  lhs_text = sw_shape_to_string (lhs->layout->shape);
  rhs_text = sw_shape_to_string (rhs->layout->shape);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
               "rhs has the shape %s, but lhs has the shape %s; the modes before the last two must be the same", rhs_text, lhs_text);
  return FALSE;
}

static gboolean
check_shapes (SwTensor *lhs,
              SwTensor *rhs,
              GError **error)
{
  guint rank = lhs->layout->shape->tree.n_items;
  g_autofree SwMode *lhs_modes = NULL;
  g_autofree SwMode *rhs_modes = NULL;
  g_autofree char *lhs_text = NULL;
  g_autofree char *rhs_text = NULL;

  if (!check_rank (lhs, "lhs", error) || !check_rank (rhs, "rhs", error))
    return FALSE;
  lhs_modes = sw_modes_new (lhs->layout);
  rhs_modes = sw_modes_new (rhs->layout);
  if (!check_batches (lhs, lhs_modes, rhs, rhs_modes, error))
    return FALSE;
  if (sw_mode_same_shape (&lhs_modes[rank - 1], &rhs_modes[rank - 2]))
    return TRUE;

  lhs_text = sw_mode_to_string (&lhs_modes[rank - 1]);
  rhs_text = sw_mode_to_string (&rhs_modes[rank - 2]);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "mode %u of rhs is %s, but mode %u of lhs is %s", rank - 2, rhs_text, rank - 1, lhs_text);
  return FALSE;
}

static void
append_mode (GArray *extents,
             GArray *steps,
             const SwMode *mode,
             gint64 step)
{
  for (guint i = 0; i < mode->n_tokens; i++)
    {
      gint64 token = mode->tokens[i] < 0 ? mode->tokens[i] : step;

      g_array_append_val (extents, mode->tokens[i]);
      g_array_append_val (steps, token);
      if (mode->tokens[i] >= 0)
        step *= mode->tokens[i];
    }
}

/* Matrix after matrix, each with its first mode fastest, so that each is what a kernel writes. */
static SwLayout *
build_layout (const SwMode *lhs_modes,
              const SwMode *rhs_modes,
              guint rank,
              gint64 *n_matrices,
              GError **error)
{
  g_autoptr (GArray) extents = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 m = lhs_modes[rank - 2].size, n = rhs_modes[rank - 1].size, root = SW_TREE_TUPLE (rank), size, total;

  *n_matrices = 1;
  for (guint i = 0; i + 2 < rank; i++)
    *n_matrices *= lhs_modes[i].size;
  if (__builtin_mul_overflow (m, n, &size) || __builtin_mul_overflow (size, *n_matrices, &total))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the product has more values than 64 bits can count");
      return NULL;
    }

  g_array_append_val (extents, root);
  g_array_append_val (steps, root);
  total = size;
  for (guint i = 0; i + 2 < rank; i++)
    {
      append_mode (extents, steps, &lhs_modes[i], total);
      total *= lhs_modes[i].size;
    }
  append_mode (extents, steps, &lhs_modes[rank - 2], 1);
  append_mode (extents, steps, &rhs_modes[rank - 1], m);
  return sw_layout_new_from_tokens ((const gint64 *) extents->data, (const gint64 *) steps->data, extents->len, error);
}

/* The coordinates of the matrices: all leaves before those of the last two modes. */
static SwAxis
get_batch (const SwMode *modes,
           guint rank,
           SwLayout *layout,
           gint64 n_matrices)
{
  return (SwAxis){ n_matrices, modes[rank - 2].first_leaf, layout->leaves };
}

static gboolean
run_matrices (const SwMatmulKernel *kernel,
              SwProduct *product,
              const SwAxis *lhs_batch,
              const SwAxis *rhs_batch,
              GError **error)
{
  gint64 lhs = product->lhs.offset, rhs = product->rhs.offset;
  gsize size = product->lhs.axis.size * product->rhs.axis.size * sw_dtype_get_item_size (product->result.dtype);
  char *data = product->result.data;

  for (gint64 i = 0; i < lhs_batch->size; i++)
    {
      product->lhs.offset = lhs + sw_axis_get_index (lhs_batch, i);
      product->rhs.offset = rhs + sw_axis_get_index (rhs_batch, i);
      product->result.data = data + i * (gssize) size;
      if (kernel->run (kernel, product, error))
        continue;
      if (lhs_batch->size > 1)
        g_prefix_error (error, "matrix %" G_GINT64_FORMAT ": ", i);
      return FALSE;
    }
  return TRUE;
}

/* Takes @layout. */
static gboolean
begin_result (SwResult *result,
              const SwCall *call,
              const SwProduct *product,
              SwTensor *lhs,
              SwTensor *rhs,
              SwLayout *layout,
              SwDType dtype,
              GError **error)
{
  SwView lhs_view = product->lhs, rhs_view = product->rhs;

  lhs_view.axis = (SwAxis){ lhs->layout->size, lhs->layout->n_leaves, lhs->layout->leaves };
  rhs_view.axis = (SwAxis){ rhs->layout->size, rhs->layout->n_leaves, rhs->layout->leaves };
  return sw_result_begin_as (result, call, lhs, layout, dtype, (const SwView *[]){ &lhs_view, &rhs_view }, 2, error);
}

/* The shapes fit and both operands hold the same. */
static SwTensor *
run (const SwCall *call,
     SwProduct *product,
     SwTensor *lhs,
     SwTensor *rhs,
     SwDType dtype,
     GError **error)
{
  guint rank = lhs->layout->shape->tree.n_items;
  g_autofree SwMode *lhs_modes = sw_modes_new (lhs->layout);
  g_autofree SwMode *rhs_modes = sw_modes_new (rhs->layout);
  SwAxis lhs_batch, rhs_batch;
  SwLayoutLeaf place;
  gint64 n_matrices;
  SwLayout *layout;
  SwResult result;
  gboolean done;

  product->lhs.axis = sw_mode_get_axis (&lhs_modes[rank - 2], lhs->layout);
  product->lhs_inner = sw_mode_get_axis (&lhs_modes[rank - 1], lhs->layout);
  product->rhs.axis = sw_mode_get_axis (&rhs_modes[rank - 1], rhs->layout);
  product->rhs_inner = sw_mode_get_axis (&rhs_modes[rank - 2], rhs->layout);

  layout = build_layout (lhs_modes, rhs_modes, rank, &n_matrices, error);
  if (layout == NULL)
    return NULL;
  if (!begin_result (&result, call, product, lhs, rhs, layout, dtype, error))
    return NULL;

  product->result = result.view;
  /* Matrix after matrix is written to where the data begin. */
  product->result.offset = 0;
  product->result.data = (char *) result.view.data + result.view.offset * (gssize) sw_dtype_get_item_size (dtype);
  place = (SwLayoutLeaf){ product->lhs.axis.size * product->rhs.axis.size, 1 };
  product->result.axis = (SwAxis){ place.extent, 1, &place };
  lhs_batch = get_batch (lhs_modes, rank, lhs->layout, n_matrices);
  rhs_batch = get_batch (rhs_modes, rank, rhs->layout, n_matrices);
  done = run_matrices (call->implementation->kernel, product, &lhs_batch, &rhs_batch, error);
  return sw_result_end (&result, done, error);
}

static SwTensor *
run_with_held (const SwCall *call,
               SwProduct *product,
               GError **error)
{
  const SwOperationInfo *info = call->implementation->info;
  SwTensor *lhs = call->operands[0].tensor;
  SwTensor *rhs = call->operands[1].tensor;
  SwTensor *first = NULL, *second = NULL, *result = NULL;
  SwDTypes dtypes;

  if (!check_shapes (lhs, rhs, error) ||
      !sw_dtype_rules_resolve_two (info, lhs->carrier, product->lhs.dtype, product->rhs.dtype, &dtypes, error) ||
      !sw_dtype_rules_get_accumulator (info, call->options, dtypes.operands, &product->accumulator, error))
    return NULL;

  if (sw_view_convert (&product->lhs, lhs, dtypes.operands, &first, error) &&
      sw_view_convert (&product->rhs, rhs, dtypes.operands, &second, error))
    result = run (call, product, first != NULL ? first : lhs, second != NULL ? second : rhs, dtypes.result, error);

  g_clear_pointer (&second, sw_tensor_unref);
  g_clear_pointer (&first, sw_tensor_unref);
  return result;
}

SwTensor *
sw_matmul_compute (const SwCall *call,
                   GError **error)
{
  SwProduct product = { call->implementation->info->name };
  SwTensor *lhs, *rhs, *result;

  if (!sw_inputs_check_count (call, 2, 2, error))
    return NULL;
  lhs = sw_inputs_get_tensor (call, 0, "lhs", error);
  rhs = lhs != NULL ? sw_inputs_get_tensor (call, 1, "rhs", error) : NULL;
  if (rhs == NULL || !sw_view_hold (&product.lhs, lhs, "lhs", error))
    return NULL;
  if (!sw_view_hold (&product.rhs, rhs, "rhs", error))
    {
      sw_view_drop (lhs);
      return NULL;
    }

  result = run_with_held (call, &product, error);
  sw_view_drop (rhs);
  sw_view_drop (lhs);
  return result;
}
