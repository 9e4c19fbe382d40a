/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/operations/sw-operation-private.h"
#include "sw/tensor/sw-carrier-private.h"

static SwOperation *
dispatch_builtin (SwCarrier *self,
                  const SwImplementation *implementations,
                  const char *name,
                  GError **error)
{
  const SwOperationInfo *info = sw_operation_info_find (name);

  if (info == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED, "%s does not implement an operation named '%s'",
                   sw_carrier_get_class_name (self), name);
      return NULL;
    }

  return g_object_new (implementations[info->id].get_type (), NULL);
}

/* Asks a class of somebody else's, and takes no nonsense for an answer. */
static SwOperation *
dispatch_by_hook (SwCarrier *self,
                  const char *name,
                  GError **error)
{
  GError *failure = NULL;
  SwOperation *operation = SW_CARRIER_GET_CLASS (self)->dispatch_op (self, name, &failure);

  if (failure != NULL)
    {
      g_clear_object (&operation);
      g_propagate_error (error, failure);
      return NULL;
    }
  if (operation == NULL || !SW_IS_OPERATION (operation))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s.dispatch_op ('%s') must return a fresh Operation, and returned %s",
                   sw_carrier_get_class_name (self), name, operation == NULL ? "nothing" : G_OBJECT_TYPE_NAME (operation));
      g_clear_object (&operation);
    }

  return operation;
}

/**
 * sw_carrier_dispatch_op:
 * @self: a carrier
 * @name: a dispatch name, such as "relu"
 * @error: return location for an error
 *
 * Makes a fresh operation that executes @name on tensors of this carrier, marked with @name and with the exact class
 * of @self.
 *
 * Fails with %SW_ERROR_NOT_IMPLEMENTED for a name that the carrier does not know, with %SW_ERROR_STATE for a released
 * carrier, and with %SW_ERROR_TYPE when the carrier's own hook returns something else than a fresh operation.
 *
 * Returns: (transfer full): the operation
 */
SwOperation *
sw_carrier_dispatch_op (SwCarrier *self,
                        const char *name,
                        GError **error)
{
  const SwImplementation *implementations;
  SwOperation *operation;

  g_return_val_if_fail (SW_IS_CARRIER (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  if (!sw_carrier_check_live (self, "carrier", error) || !sw_carrier_check_made (self, error))
    return NULL;

  implementations = SW_CARRIER_GET_CLASS (self)->kernels;
  operation = implementations != NULL ? dispatch_builtin (self, implementations, name, error)
                                      : dispatch_by_hook (self, name, error);
  if (operation != NULL && !sw_operation_mark_dispatched (operation, name, self, error))
    g_clear_object (&operation);
  return operation;
}
