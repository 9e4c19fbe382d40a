/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-value-private.h"

#include "sw/base/sw-error.h"
#include "sw/tensor/sw-tensor.h"

#include <string.h>

typedef enum
{
  ITEMS_VALUES,
  ITEMS_DOUBLES,
  ITEMS_INT64S,
} ItemKind;

/**
 * SwValueList:
 *
 * An immutable list of [struct@Strideweave.Value].
 *
 * Lists that were made from bare numbers keep them as such, eight bytes each. Lists are reference counted; any thread
 * may use them.
 */
struct _SwValueList
{
  SwRefCount ref_count;
  ItemKind item_kind;
  gsize n_items;
  union
  {
    SwValue *value;
    double real;
    gint64 integer;
  } items[];
};

G_DEFINE_BOXED_TYPE (SwValueList, sw_value_list, sw_value_list_ref, sw_value_list_unref)

/* Bulk access reads the items as an array of numbers. */
G_STATIC_ASSERT (sizeof (((SwValueList *) NULL)->items[0]) == sizeof (double));
G_STATIC_ASSERT (sizeof (((SwValueList *) NULL)->items[0]) == sizeof (gint64));

static SwValueList *
new_list (ItemKind item_kind,
          gsize n_items)
{
  SwValueList *self = g_malloc (sizeof *self + n_items * sizeof self->items[0]);

  sw_ref_count_init (&self->ref_count);
  self->item_kind = item_kind;
  self->n_items = n_items;
  return self;
}

/**
 * sw_value_list_new:
 * @values: (array length=n_values) (nullable): the values; %NULL among them stands for no value
 * @n_values: how many
 *
 * Makes a list that keeps a reference to each value.
 *
 * Returns: (transfer full): the list
 */
SwValueList *
sw_value_list_new (SwValue **values,
                   gsize n_values)
{
  SwValueList *self;

  g_return_val_if_fail (values != NULL || n_values == 0, NULL);

  self = new_list (ITEMS_VALUES, n_values);
  for (gsize i = 0; i < n_values; i++)
    self->items[i].value = values[i] != NULL ? sw_value_ref (values[i]) : sw_value_new_none ();
  return self;
}

/**
 * sw_value_list_new_doubles:
 * @values: (array length=n_values) (nullable): real numbers
 * @n_values: how many
 *
 * Makes a list of real numbers.
 *
 * Returns: (transfer full): the list
 */
SwValueList *
sw_value_list_new_doubles (const double *values,
                           gsize n_values)
{
  SwValueList *self;

  g_return_val_if_fail (values != NULL || n_values == 0, NULL);

  self = new_list (ITEMS_DOUBLES, n_values);
  if (n_values > 0)
    memcpy (self->items, values, n_values * sizeof *values);
  return self;
}

/**
 * sw_value_list_new_int64s:
 * @values: (array length=n_values) (nullable): integers
 * @n_values: how many
 *
 * Makes a list of integers.
 *
 * Returns: (transfer full): the list
 */
SwValueList *
sw_value_list_new_int64s (const gint64 *values,
                          gsize n_values)
{
  SwValueList *self;

  g_return_val_if_fail (values != NULL || n_values == 0, NULL);

  self = new_list (ITEMS_INT64S, n_values);
  if (n_values > 0)
    memcpy (self->items, values, n_values * sizeof *values);
  return self;
}

/**
 * sw_value_list_new_tensors:
 * @tensors: (array length=n_tensors) (nullable): tensors; %NULL among them stands for no value
 * @n_tensors: how many
 *
 * Makes a list that keeps a reference to each tensor.
 *
 * Returns: (transfer full): the list
 */
SwValueList *
sw_value_list_new_tensors (SwTensor **tensors,
                           gsize n_tensors)
{
  SwValueList *self;

  g_return_val_if_fail (tensors != NULL || n_tensors == 0, NULL);

  self = new_list (ITEMS_VALUES, n_tensors);
  for (gsize i = 0; i < n_tensors; i++)
    self->items[i].value = tensors[i] != NULL ? sw_value_new_tensor (tensors[i]) : sw_value_new_none ();
  return self;
}

/**
 * sw_value_list_ref:
 * @self: a list
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 */
SwValueList *
sw_value_list_ref (SwValueList *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_value_list_unref:
 * @self: (transfer full): a list
 *
 * Gives a reference back.
 */
void
sw_value_list_unref (SwValueList *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;

  if (self->item_kind == ITEMS_VALUES)
    {
      for (gsize i = 0; i < self->n_items; i++)
        sw_value_unref (self->items[i].value);
    }
  g_free (self);
}

/**
 * sw_value_list_get_length:
 * @self: a list
 *
 * Counts the values.
 *
 * Returns: how many there are
 */
gsize
sw_value_list_get_length (SwValueList *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_items;
}

static gboolean
check_index (SwValueList *self,
             gsize index,
             GError **error)
{
  if (G_LIKELY (index < self->n_items))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_INDEX,
               "index is %" G_GSIZE_FORMAT ", but the list holds %" G_GSIZE_FORMAT " values", index, self->n_items);
  return FALSE;
}

/**
 * sw_value_list_dup_value:
 * @self: a list
 * @index: which value, from 0
 * @error: return location for an error
 *
 * Gives one value. Fails with %SW_ERROR_INDEX past the end.
 *
 * Returns: (transfer full): the value
 */
SwValue *
sw_value_list_dup_value (SwValueList *self,
                         gsize index,
                         GError **error)
{
  g_return_val_if_fail (self != NULL, NULL);

  if (!check_index (self, index, error))
    return NULL;

  switch (self->item_kind)
    {
    case ITEMS_DOUBLES:
      return sw_value_new_double (self->items[index].real);
    case ITEMS_INT64S:
      return sw_value_new_int64 (self->items[index].integer);
    case ITEMS_VALUES:
    default:
      return sw_value_ref (self->items[index].value);
    }
}

static const char *
get_item_type_name (SwValueList *self,
                    gsize index)
{
  switch (self->item_kind)
    {
    case ITEMS_DOUBLES:
      return "double";
    case ITEMS_INT64S:
      return "int64";
    case ITEMS_VALUES:
    default:
      return sw_value_get_type_name (self->items[index].value);
    }
}

/**
 * sw_value_list_dup_tensor:
 * @self: a list, usually the inputs of an operation
 * @index: which value, from 0
 * @error: return location for an error
 *
 * Gives one value that must be a tensor. Fails with %SW_ERROR_INDEX past the end, with %SW_ERROR_TYPE where the value
 * is something else.
 *
 * Returns: (transfer full): the tensor
 */
SwTensor *
sw_value_list_dup_tensor (SwValueList *self,
                          gsize index,
                          GError **error)
{
  SwValue *value;

  g_return_val_if_fail (self != NULL, NULL);

  if (!check_index (self, index, error))
    return NULL;

  value = sw_value_list_peek (self, index);
  if (value != NULL && value->kind == SW_VALUE_TENSOR)
    return sw_tensor_ref (value->tensor);

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "inputs[%" G_GSIZE_FORMAT "] is a %s, not a Tensor",
               index, get_item_type_name (self, index));
  return NULL;
}

SwValue *
sw_value_list_peek (SwValueList *self,
                    gsize index)
{
  return self->item_kind == ITEMS_VALUES ? self->items[index].value : NULL;
}

const double *
sw_value_list_peek_doubles (SwValueList *self)
{
  return self->item_kind == ITEMS_DOUBLES ? &self->items[0].real : NULL;
}

const gint64 *
sw_value_list_peek_int64s (SwValueList *self)
{
  return self->item_kind == ITEMS_INT64S ? &self->items[0].integer : NULL;
}
