/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-out-private.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-operation-info-private.h"

gboolean
sw_out_check (SwTensor *out,
              GError **error)
{
  if (G_LIKELY (out == NULL || !sw_carrier_is_released (out->carrier)))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "out lies on a released %s", sw_carrier_get_class_name (out->carrier));
  return FALSE;
}

gboolean
sw_out_check_operation (const char *name,
                        GError **error)
{
  switch (sw_operation_info_find (name)->family)
    {
    case SW_FAMILY_UNARY:
    case SW_FAMILY_PARAMETRIC:
    case SW_FAMILY_CAST:
    case SW_FAMILY_BINARY:
    case SW_FAMILY_SELECT:
    case SW_FAMILY_MATMUL:
      return TRUE;
    default:
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
                   "out is given, but %s makes its result by itself; only operations element by element and matmul write elsewhere",
                   name);
      return FALSE;
    }
}

static gboolean
check_shape (SwTensor *out,
             SwShape *shape,
             GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *expected = NULL;

  if (G_LIKELY (out->layout->shape == shape || sw_shape_equal (out->layout->shape, shape)))
    return TRUE;

  text = sw_shape_to_string (out->layout->shape);
  expected = sw_shape_to_string (shape);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "out has the shape %s, but the result has the shape %s", text, expected);
  return FALSE;
}

static gboolean
check_dtype (SwDType dtype,
             SwDType expected,
             GError **error)
{
  if (G_UNLIKELY (dtype == SW_DTYPE_ANY))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "out holds Any, which no result is written to");
      return FALSE;
    }
  if (G_LIKELY (dtype == expected))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "out holds %s, but the result holds %s", sw_dtype_to_string (dtype),
               sw_dtype_to_string (expected));
  return FALSE;
}

/* Each coordinate must have a value of its own. */
static gboolean
check_layout (SwLayout *layout,
              GError **error)
{
  g_autofree char *text = NULL;

  if (G_LIKELY (layout->compact) || sw_layout_is_injective (layout))
    return TRUE;

  text = sw_layout_describe (layout);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "out has the layout %s, in which several coordinates share a value", text);
  return FALSE;
}

static gboolean
check_carrier (const SwCall *call,
               GError **error)
{
  SwCarrier *carrier = call->out->carrier;

  if (G_UNLIKELY (!sw_inputs_is_implemented_by (call, carrier)))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED, "out is on %s, but the first input of %s is on %s; move one of them",
                   sw_carrier_get_class_name (carrier), call->implementation->info->name,
                   sw_carrier_get_class_name (call->operands[0].tensor->carrier));
      return FALSE;
    }
  if (call->owns_out || sw_carrier_check_writable (carrier, error))
    return TRUE;

  g_prefix_error (error, "out: ");
  return FALSE;
}

/* The bytes from the first to behind the last value; none where there are no values. */
static void
get_range (const SwView *view,
           gsize *begin,
           gsize *end)
{
  gsize size = sw_dtype_get_item_size (view->dtype);
  gint64 last = 0;

  for (guint i = 0; i < view->axis.n_leaves; i++)
    last += (MAX (view->axis.leaves[i].extent, 1) - 1) * view->axis.leaves[i].step;
  *begin = (gsize) view->data + view->offset * size;
  *end = view->axis.size > 0 ? *begin + (last + 1) * size : *begin;
}

static gboolean
is_same_place (const SwView *a,
               const SwView *b)
{
  if (a->axis.n_leaves != b->axis.n_leaves)
    return FALSE;
  for (guint i = 0; i < a->axis.n_leaves; i++)
    {
      if (a->axis.leaves[i].extent > 1 && a->axis.leaves[i].step != b->axis.leaves[i].step)
        return FALSE;
    }
  return sw_dtype_get_item_size (a->dtype) == sw_dtype_get_item_size (b->dtype);
}

/* Whether writing values one after the other could change inputs that are still to be read. */
static gboolean
is_in_the_way (const SwView *out,
               const SwView *const *inputs,
               guint n_inputs,
               gboolean may_be_same)
{
  gsize begin, end;

  get_range (out, &begin, &end);
  for (guint i = 0; i < n_inputs; i++)
    {
      gsize input_begin, input_end;

      get_range (inputs[i], &input_begin, &input_end);
      if (input_end <= begin || end <= input_begin)
        continue;
      if (!may_be_same || input_begin != begin || !is_same_place (out, inputs[i]))
        return TRUE;
    }
  return FALSE;
}

/* @layout: where the kernel writes, if not to the tensor as it lies, which @takes_out allows; NULL for any that has the shape.
 * Both are borrowed. */
static gboolean
begin_in_out (SwResult *self,
              const SwCall *call,
              SwShape *shape,
              SwLayout *layout,
              gboolean takes_out,
              SwDType dtype,
              const SwView *const *inputs,
              guint n_inputs,
              GError **error)
{
  /* What can overflow goes through a fresh tensor, so that a failure leaves the caller's as it was. */
  gboolean may_fail = dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64;
  SwTensor *out = call->out;

  if (!check_carrier (call, error) || !check_shape (out, shape, error) || !check_layout (out->layout, error) ||
      !sw_view_hold (&self->out_view, out, "out", error))
    return FALSE;
  self->out = out;
  if (!check_dtype (self->out_view.dtype, dtype, error))
    return FALSE;

  if (self->out_view.axis.size == 0 || (!may_fail && takes_out && !is_in_the_way (&self->out_view, inputs, n_inputs, layout == NULL)))
    {
      self->view = self->out_view;
      return TRUE;
    }

  self->fresh = sw_view_allocate (&self->view, out, layout != NULL ? sw_layout_ref (layout) : sw_layout_new_for_result (out->layout), dtype,
                                  error);
  return self->fresh != NULL;
}

static gboolean
finish_begin (SwResult *self,
              gboolean done)
{
  if (!done && self->out != NULL)
    sw_view_drop (self->out);
  return done;
}

gboolean
sw_result_begin (SwResult *self,
                 const SwCall *call,
                 SwTensor *like,
                 SwDType dtype,
                 const SwView *const *inputs,
                 guint n_inputs,
                 GError **error)
{
  self->fresh = self->out = NULL;
  if (G_UNLIKELY (call->out != NULL))
    return finish_begin (self, begin_in_out (self, call, like->layout->shape, NULL, TRUE, dtype, inputs, n_inputs, error));

  self->fresh = sw_view_allocate (&self->view, like, sw_layout_new_for_result (like->layout), dtype, error);
  return self->fresh != NULL;
}

gboolean
sw_result_begin_as (SwResult *self,
                    const SwCall *call,
                    SwTensor *like,
                    SwLayout *layout,
                    gboolean takes_out,
                    SwDType dtype,
                    const SwView *const *inputs,
                    guint n_inputs,
                    GError **error)
{
  gboolean done;

  self->fresh = self->out = NULL;
  if (G_LIKELY (call->out == NULL))
    {
      self->fresh = sw_view_allocate (&self->view, like, layout, dtype, error);
      return self->fresh != NULL;
    }

  done = finish_begin (self, begin_in_out (self, call, layout->shape, layout, takes_out, dtype, inputs, n_inputs, error));
  sw_layout_unref (layout);
  return done;
}

/* Between views of one dtype. */
static gboolean
copy (SwTensor *out,
      const SwView *from,
      const SwView *to,
      GError **error)
{
  const SwImplementation *implementations = SW_CARRIER_GET_CLASS (out->carrier)->kernels;
  const SwUnaryKernel *kernel = implementations[SW_OPERATION_CAST].kernel;

  return kernel->run (kernel, "cast", from, to, error);
}

SwTensor *
sw_result_end (SwResult *self,
               gboolean done,
               GError **error)
{
  SwTensor *out = self->out;

  if (G_LIKELY (out == NULL))
    {
      if (!done)
        g_clear_pointer (&self->fresh, sw_tensor_unref);
      return self->fresh;
    }

  if (self->fresh != NULL)
    done = done && copy (out, &self->view, &self->out_view, error);
  if (done || self->fresh == NULL)
    sw_carrier_changed (out->carrier);
  sw_view_drop (out);
  g_clear_pointer (&self->fresh, sw_tensor_unref);
  return done ? sw_tensor_ref (out) : NULL;
}

gboolean
sw_out_put (SwTensor *out,
            gboolean owns_out,
            SwTensor *result,
            GError **error)
{
  SwDType expected = sw_carrier_dtype (result->carrier, error), dtype;

  if (expected == SW_DTYPE_INVALID)
    return FALSE;
  dtype = sw_carrier_dtype (out->carrier, error);
  if (dtype == SW_DTYPE_INVALID || !check_dtype (dtype, expected, error) || !check_shape (out, result->layout->shape, error) ||
      !check_layout (out->layout, error))
    return FALSE;

  if (!owns_out)
    {
      if (sw_carrier_scatter (out->carrier, result, out, out->layout, out->offset, error))
        return TRUE;
    }
  else if (sw_carrier_call_scatter (out->carrier, result, out, out->layout, out->offset, error))
    {
      sw_carrier_changed (out->carrier);
      return TRUE;
    }
  g_prefix_error (error, "out: ");
  return FALSE;
}
