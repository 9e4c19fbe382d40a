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

/* The top-level modes of both operands; of few of them without an allocation. */
typedef struct
{
  SwMode *lhs;
  SwMode *rhs;
  guint rank;
  SwMode few[8];
} Modes;

static void
modes_init (Modes *self,
            SwTensor *lhs,
            SwTensor *rhs)
{
  guint lhs_rank = lhs->layout->shape->tree.n_items, n_modes = lhs_rank + rhs->layout->shape->tree.n_items;

  self->rank = lhs_rank;
  self->lhs = n_modes <= G_N_ELEMENTS (self->few) ? self->few : g_new (SwMode, n_modes);
  self->rhs = self->lhs + lhs_rank;
  sw_modes_init (self->lhs, lhs->layout);
  sw_modes_init (self->rhs, rhs->layout);
}

static void
modes_clear (Modes *self)
{
  if (self->lhs != self->few)
    g_free (self->lhs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Modes, modes_clear)

static gboolean
check_shapes (SwTensor *lhs,
              SwTensor *rhs,
              const Modes *modes,
              GError **error)
{
  guint rank = modes->rank;
  g_autofree char *lhs_text = NULL;
  g_autofree char *rhs_text = NULL;

  if (!check_rank (lhs, "lhs", error) || !check_rank (rhs, "rhs", error) || !check_batches (lhs, modes->lhs, rhs, modes->rhs, error))
    return FALSE;
  if (sw_mode_same_shape (&modes->lhs[rank - 1], &modes->rhs[rank - 2]))
    return TRUE;

  lhs_text = sw_mode_to_string (&modes->lhs[rank - 1]);
  rhs_text = sw_mode_to_string (&modes->rhs[rank - 2]);
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

/* Matrix after matrix, of @size values. With @last_first the last mode is fastest, else the first one: in each matrix, and
 * among the matrices. */
static SwLayout *
build_layout (const Modes *modes,
              gint64 size,
              gint64 total,
              gboolean last_first,
              GError **error)
{
  guint rank = modes->rank;
  g_autoptr (GArray) extents = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 root = SW_TREE_TUPLE (rank), step = last_first ? total : size;

  g_array_append_val (extents, root);
  g_array_append_val (steps, root);
  for (guint i = 0; i + 2 < rank; i++)
    {
      if (last_first)
        step /= modes->lhs[i].size;
      append_mode (extents, steps, &modes->lhs[i], step);
      if (!last_first)
        step *= modes->lhs[i].size;
    }
  append_mode (extents, steps, &modes->lhs[rank - 2], last_first ? modes->rhs[rank - 1].size : 1);
  append_mode (extents, steps, &modes->rhs[rank - 1], last_first ? 1 : modes->lhs[rank - 2].size);
  return sw_layout_new_from_tokens ((const gint64 *) extents->data, (const gint64 *) steps->data, extents->len, error);
}

/* Layouts of recent results: to make one takes longer than a small product. Who uses an entry takes it out meanwhile. */
static SwLayout *recent[8];

static gboolean
is_wanted (const SwLayout *layout,
           const gint64 *extents,
           const gint64 *steps)
{
  return layout->leaves[0].extent == extents[1] && layout->leaves[1].extent == extents[2] &&
         layout->leaves[0].step == steps[1] && layout->leaves[1].step == steps[2];
}

static SwLayout *
get_flat_layout (gint64 m,
                 gint64 n,
                 gboolean last_first,
                 GError **error)
{
  const gint64 extents[] = { SW_TREE_TUPLE (2), m, n }, steps[] = { SW_TREE_TUPLE (2), last_first ? n : 1, last_first ? 1 : m };
  SwLayout **entry = &recent[((guint64) m * 5 + (guint64) n * 3 + last_first) % G_N_ELEMENTS (recent)];
  /* Acquire, as the exchange below releases: what the layout holds was written before. */
  SwLayout *layout = __atomic_exchange_n (entry, NULL, __ATOMIC_ACQUIRE), *other;

  if (layout != NULL && !is_wanted (layout, extents, steps))
    g_clear_pointer (&layout, sw_layout_unref);
  if (layout == NULL)
    layout = sw_layout_new_from_tokens (extents, steps, G_N_ELEMENTS (extents), error);
  if (layout == NULL)
    return NULL;

  /* Release: see above. Acquire: for another one, which this drops. */
  other = __atomic_exchange_n (entry, sw_layout_ref (layout), __ATOMIC_ACQ_REL);
  g_clear_pointer (&other, sw_layout_unref);
  return layout;
}

/* Whether a matrix has its last mode fastest, or its first; one that is but a row or a column may have both. */
static gboolean
is_side_by_side (const SwAxis *axis)
{
  gint64 step;

  return axis->size == 1 || (sw_axis_get_step (axis, &step) && step == 1);
}

static gboolean
wants_last_first (const SwProduct *product)
{
  return is_side_by_side (&product->lhs_inner) && is_side_by_side (&product->rhs.axis) &&
         !(is_side_by_side (&product->lhs.axis) && is_side_by_side (&product->rhs_inner));
}

/* Whether a kernel can write to @out as it lies, by its shape and its strides. */
static gboolean
can_write (SwTensor *out,
           const Modes *modes)
{
  guint rank = modes->rank;
  SwMode few[8];

  if (out->layout->shape->tree.n_items != rank || rank > G_N_ELEMENTS (few))
    return FALSE;
  sw_modes_init (few, out->layout);
  for (guint i = 0; i < rank; i++)
    {
      if (!sw_mode_same_shape (&few[i], i + 1 < rank ? &modes->lhs[i] : &modes->rhs[i]))
        return FALSE;
    }
  {
    SwAxis rows = sw_mode_get_axis (&few[rank - 2], out->layout), columns = sw_mode_get_axis (&few[rank - 1], out->layout);
    gint64 step;

    return sw_axis_get_step (&rows, &step) && sw_axis_get_step (&columns, &step) && (is_side_by_side (&rows) || is_side_by_side (&columns));
  }
}

/* Of no values: in whatever order. */
static SwLayout *
build_empty_layout (const Modes *modes,
                    GError **error)
{
  g_autofree const SwMode **chosen = g_new (const SwMode *, modes->rank);

  for (guint i = 0; i < modes->rank; i++)
    chosen[i] = i + 1 < modes->rank ? &modes->lhs[i] : &modes->rhs[i];
  return sw_modes_build_layout (chosen, modes->rank, error);
}

/* @takes_out: whether the caller's tensor can be written as it lies. */
static SwLayout *
choose_layout (const SwCall *call,
               const SwProduct *product,
               const Modes *modes,
               gboolean *takes_out,
               GError **error)
{
  gint64 m = product->lhs.axis.size, n = product->rhs.axis.size, size, total;
  gboolean last_first = wants_last_first (product);

  *takes_out = call->out != NULL && can_write (call->out, modes);
  if (*takes_out && call->out->layout->compact)
    return sw_layout_ref (call->out->layout);
  if (m == 0 || n == 0 || product->lhs_batch.size == 0)
    return build_empty_layout (modes, error);
  if (__builtin_mul_overflow (m, n, &size) || __builtin_mul_overflow (size, product->lhs_batch.size, &total))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "the product has more values than 64 bits can count");
      return NULL;
    }
  if (modes->rank == 2 && modes->lhs[0].n_tokens == 1 && modes->rhs[1].n_tokens == 1)
    return get_flat_layout (m, n, last_first, error);
  return build_layout (modes, size, total, last_first, error);
}

/* The coordinates of the matrices: all leaves before those of the last two modes. */
static SwAxis
get_batch (const SwMode *modes,
           guint rank,
           SwLayout *layout)
{
  SwAxis batch = { 1, modes[rank - 2].first_leaf, layout->leaves };

  for (guint i = 0; i + 2 < rank; i++)
    batch.size *= modes[i].size;
  return batch;
}

gboolean
sw_product_run_each (const SwMatmulKernel *kernel,
                     const SwProduct *product,
                     GError **error)
{
  for (gint64 i = 0; i < product->lhs_batch.size; i++)
    {
      SwProduct matrix = sw_product_get_matrix (product, i);

      if (kernel->run (kernel, &matrix, error))
        continue;
      if (product->lhs_batch.size > 1)
        g_prefix_error (error, "matrix %" G_GINT64_FORMAT ": ", i);
      return FALSE;
    }
  return TRUE;
}

static void
turn (SwProduct *product)
{
  SwProduct other = *product;

  product->lhs = other.rhs;
  product->lhs_inner = other.rhs_inner;
  product->lhs_batch = other.rhs_batch;
  product->rhs = other.lhs;
  product->rhs_inner = other.lhs_inner;
  product->rhs_batch = other.lhs_batch;
  product->is_turned = TRUE;
}

/* The result lies as choose_layout () says, with one of its modes side by side. */
static void
set_result (SwProduct *product,
            const SwResult *result,
            const Modes *modes)
{
  guint n_batch_leaves = modes->lhs[modes->rank - 2].first_leaf;
  const SwLayoutLeaf *leaves = result->view.axis.leaves;
  SwAxis rows = { product->lhs.axis.size, modes->lhs[modes->rank - 2].n_leaves, leaves + n_batch_leaves };
  SwAxis columns = { product->rhs.axis.size, modes->rhs[modes->rank - 1].n_leaves, rows.leaves + rows.n_leaves };
  gint64 row_step, column_step;

  product->result = result->view;
  product->result.axis = (SwAxis){ rows.size * columns.size, rows.n_leaves + columns.n_leaves, rows.leaves };
  product->result_batch = (SwAxis){ product->lhs_batch.size, n_batch_leaves, leaves };
  if (!sw_axis_get_step (&rows, &row_step) || !sw_axis_get_step (&columns, &column_step))
    g_assert_not_reached ();

  product->result_step = columns.size == 1 ? rows.size : column_step;
  if (is_side_by_side (&rows))
    return;
  product->result_step = rows.size == 1 ? columns.size : row_step;
  turn (product);
}

/* Takes @layout. */
static gboolean
begin_result (SwResult *result,
              const SwCall *call,
              const SwProduct *product,
              SwTensor *lhs,
              SwTensor *rhs,
              SwLayout *layout,
              gboolean takes_out,
              SwDType dtype,
              GError **error)
{
  SwView lhs_view = product->lhs, rhs_view = product->rhs;

  lhs_view.axis = (SwAxis){ lhs->layout->size, lhs->layout->n_leaves, lhs->layout->leaves };
  rhs_view.axis = (SwAxis){ rhs->layout->size, rhs->layout->n_leaves, rhs->layout->leaves };
  return sw_result_begin_as (result, call, lhs, layout, takes_out, dtype, (const SwView *[]){ &lhs_view, &rhs_view }, 2, error);
}

/* The shapes fit and both operands hold the same. */
static SwTensor *
run (const SwCall *call,
     SwProduct *product,
     SwTensor *lhs,
     SwTensor *rhs,
     const Modes *modes,
     SwDType dtype,
     GError **error)
{
  const SwMatmulKernel *kernel = call->implementation->kernel;
  guint rank = modes->rank;
  SwLayout *layout;
  SwResult result;
  gboolean takes_out, done;

  product->lhs.axis = sw_mode_get_axis (&modes->lhs[rank - 2], lhs->layout);
  product->lhs_inner = sw_mode_get_axis (&modes->lhs[rank - 1], lhs->layout);
  product->lhs_batch = get_batch (modes->lhs, rank, lhs->layout);
  product->rhs.axis = sw_mode_get_axis (&modes->rhs[rank - 1], rhs->layout);
  product->rhs_inner = sw_mode_get_axis (&modes->rhs[rank - 2], rhs->layout);
  product->rhs_batch = get_batch (modes->rhs, rank, rhs->layout);

  layout = choose_layout (call, product, modes, &takes_out, error);
  if (layout == NULL)
    return NULL;
  if (!begin_result (&result, call, product, lhs, rhs, layout, takes_out, dtype, error))
    return NULL;

  if (sw_view_is_empty (&result.view))
    return sw_result_end (&result, TRUE, error);
  if (product->lhs_inner.size == 0)
    return sw_result_end (&result, sw_view_fill (&result.view, lhs->carrier, 0, error), error);
  set_result (product, &result, modes);
  done = kernel->run_batch (kernel, product, error);
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
  g_auto (Modes) modes = { .few = { { NULL } } };
  SwDTypes dtypes;

  modes_init (&modes, lhs, rhs);
  if (!check_shapes (lhs, rhs, &modes, error) ||
      !sw_dtype_rules_resolve_two (info, lhs->carrier, product->lhs.dtype, product->rhs.dtype, &dtypes, error) ||
      !sw_dtype_rules_get_accumulator (info, call->options, dtypes.operands, &product->accumulator, error))
    return NULL;

  if (sw_view_convert (&product->lhs, lhs, dtypes.operands, &first, error) &&
      sw_view_convert (&product->rhs, rhs, dtypes.operands, &second, error))
    result = run (call, product, first != NULL ? first : lhs, second != NULL ? second : rhs, &modes, dtypes.result, error);

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
