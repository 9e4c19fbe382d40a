/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-operation-private.h"

#include "sw/base/sw-error.h"
#include "sw/base/sw-note-private.h"
#include "sw/operations/sw-boundary-private.h"
#include "sw/operations/sw-execution-options-private.h"
#include "sw/operations/sw-kernel-choice-private.h"
#include "sw/operations/sw-out-private.h"
#include "sw/tensor/sw-carrier-private.h"
#include "sw/tensor/sw-tensor-private.h"
#include "sw/tensor/sw-value-private.h"

/* Calls have one to three inputs; more go to the heap. */
#define N_OPERANDS_ON_STACK 8

/**
 * SwOperation:
 *
 * One execution of something that makes a tensor from inputs.
 *
 * [method@Strideweave.Carrier.dispatch_op] makes a fresh operation for each execution and marks it with the name it
 * was asked for and with the exact class of the carrier; recorders see such operations only. An operation that was
 * made directly computes the same and stays unseen.
 *
 * Implement [vfunc@Strideweave.Operation.compute] for operations of one's own. An operation belongs to one thread at
 * a time.
 */

typedef struct
{
  const char *dispatch_name; /* interned; NULL before a dispatch */
  GType carrier_type;
  SwKernelChoice choice; /* of the last time it computed */
} SwOperationPrivate;

enum
{
  PROP_0,
  PROP_KERNEL,
  PROP_KERNEL_REJECTIONS,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SwOperation, sw_operation, G_TYPE_OBJECT)

static inline SwOperationPrivate *
get_private (SwOperation *self)
{
  return sw_operation_get_instance_private (self);
}

static SwTensor *
sw_operation_real_compute (SwOperation *self,
                           SwValueList *inputs,
                           SwExecutionOptions *options,
                           GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s does not implement compute ()", G_OBJECT_TYPE_NAME (self));
  return NULL;
}

static void
sw_operation_get_property (GObject *object,
                           guint property_id,
                           GValue *value,
                           GParamSpec *pspec)
{
  SwOperation *self = SW_OPERATION (object);

  switch (property_id)
    {
    case PROP_KERNEL:
      g_value_take_string (value, sw_operation_dup_kernel (self));
      break;
    case PROP_KERNEL_REJECTIONS:
      g_value_take_boxed (value, sw_operation_dup_kernel_rejections (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
sw_operation_class_init (SwOperationClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  klass->compute = sw_operation_real_compute;
  object_class->get_property = sw_operation_get_property;

  /**
   * SwOperation:kernel: (getter dup_kernel)
   *
   * Which of several ways to compute was taken, the last time it computed; see [method@Strideweave.Operation.dup_kernel].
   *
   * Changes are not notified.
   */
  props[PROP_KERNEL] = g_param_spec_string ("kernel", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  /**
   * SwOperation:kernel-rejections: (getter dup_kernel_rejections)
   *
   * Why better ways were not taken; see [method@Strideweave.Operation.dup_kernel_rejections].
   *
   * Changes are not notified.
   */
  props[PROP_KERNEL_REJECTIONS] =
      g_param_spec_boxed ("kernel-rejections", NULL, NULL, G_TYPE_STRV, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
sw_operation_init (SwOperation *self)
{
}

gboolean
sw_operation_mark_dispatched (SwOperation *self,
                              const char *name,
                              SwCarrier *carrier,
                              GError **error)
{
  SwOperationPrivate *priv = get_private (self);

  if (priv->dispatch_name != NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE,
                   "%s returned a %s that was dispatched before, as '%s'; each dispatch needs a fresh operation",
                   sw_carrier_get_class_name (carrier), G_OBJECT_TYPE_NAME (self), priv->dispatch_name);
      return FALSE;
    }

  priv->dispatch_name = g_intern_string (name);
  priv->carrier_type = G_OBJECT_TYPE (carrier);
  return TRUE;
}

gboolean
sw_operands_check (const SwOperand *operands,
                   guint n_operands,
                   GError **error)
{
  for (guint i = 0; i < n_operands; i++)
    {
      SwCarrier *carrier;

      if (operands[i].kind != SW_VALUE_TENSOR)
        continue;
      carrier = operands[i].tensor->carrier;
      if (G_UNLIKELY (sw_carrier_is_released (carrier)))
        {
          g_set_error (error, SW_ERROR, SW_ERROR_STATE, "inputs[%u] lies on a released %s", i, sw_carrier_get_class_name (carrier));
          return FALSE;
        }
    }

  return TRUE;
}

/* What a class of somebody else's returned, made into a tensor or an error, never both. */
static SwTensor *
check_result (SwOperation *self,
              SwTensor *result,
              GError *failure,
              GError **error)
{
  if (failure != NULL)
    {
      g_clear_pointer (&result, sw_tensor_unref);
      g_propagate_error (error, failure);
    }
  else if (result == NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s.compute must return a Tensor, and returned nothing",
                   G_OBJECT_TYPE_NAME (self));
    }

  return result;
}

/* Classes of somebody else's need not know of tensors to write to. */
static SwTensor *
put_into_out (SwTensor *result,
              SwExecutionOptions *options,
              GError **error)
{
  gboolean owns_out;
  SwTensor *out = sw_execution_options_peek_out (options, &owns_out);
  gboolean done;

  if (G_LIKELY (out == NULL || result == NULL || result == out))
    return result;

  done = sw_out_put (out, owns_out, result, error);
  sw_tensor_unref (result);
  return done ? sw_tensor_ref (out) : NULL;
}

static SwTensor *
compute (SwOperation *self,
         SwValueList *inputs,
         SwExecutionOptions *options,
         GError **error)
{
  GError *failure = NULL;
  SwTensor *result = SW_OPERATION_GET_CLASS (self)->compute (self, inputs, options, &failure);

  result = check_result (self, result, failure, error);
  return put_into_out (result, options, error);
}

static SwTensor *
compute_observed (SwOperation *self,
                  SwValueList *inputs,
                  const SwOperand *operands,
                  guint n_operands,
                  SwExecutionOptions *options,
                  GError **error)
{
  SwOperationPrivate *priv = get_private (self);
  SwBoundaryInfo info = { priv->dispatch_name, priv->carrier_type, G_OBJECT_TYPE (self), operands, n_operands };
  SwBoundary boundary;
  gboolean observed = sw_boundary_enter (&boundary, &info);
  SwTensor *result = compute (self, inputs, options, error);

  if (observed)
    sw_boundary_leave (&boundary, result != NULL);
  return result;
}

static const char *
get_options_name (SwOperation *self)
{
  const SwImplementation *implementation = SW_OPERATION_GET_CLASS (self)->implementation;
  const char *name = get_private (self)->dispatch_name;

  return name == NULL && implementation != NULL ? implementation->info->name : name;
}

static void
say_choice (SwOperation *self,
            const SwOperand *operands,
            guint n_operands)
{
  const SwImplementation *implementation = SW_OPERATION_GET_CLASS (self)->implementation;
  GType carrier = n_operands > 0 && operands[0].tensor != NULL ? G_OBJECT_TYPE (operands[0].tensor->carrier) : G_TYPE_INVALID;

  if (implementation != NULL)
    sw_kernel_choice_say (&get_private (self)->choice, implementation->info->name, carrier);
}

static SwTensor *
execute (SwOperation *self,
         SwValueList *inputs,
         const SwOperand *operands,
         guint n_operands,
         SwExecutionOptions *options,
         GError **error)
{
  SwTensor *result;
  gboolean owns_out;

  if (!sw_execution_options_check (options, get_options_name (self), error) ||
      !sw_operands_check (operands, n_operands, error) ||
      !sw_out_check (sw_execution_options_peek_out (options, &owns_out), error))
    return NULL;

  get_private (self)->choice.variant = NULL;
  if (sw_gate_is_open () && get_private (self)->dispatch_name != NULL)
    result = compute_observed (self, inputs, operands, n_operands, options, error);
  else
    result = compute (self, inputs, options, error);
  /* Afterwards: as in sw-call.c. */
  if (sw_kernel_choice_is_wanted ())
    say_choice (self, operands, n_operands);
  return result;
}

/* The list's values as operands; borrowed from @values, which must live as long. */
static void
init_operands (SwOperand *operands,
               SwValue **values,
               SwValueList *inputs,
               gsize n_inputs)
{
  for (gsize i = 0; i < n_inputs; i++)
    {
      values[i] = sw_value_list_dup_value (inputs, i, NULL);
      sw_operand_init_from_value (&operands[i], values[i]);
    }
}

/**
 * SwOperationClass::compute:
 * @self: the operation
 * @inputs: the positional inputs
 * @options: (nullable): the execution options of the call, or %NULL for the defaults
 * @error: where to put the error
 *
 * Computes a fresh tensor; runs inside the profiled boundary, on the thread of the caller.
 *
 * Returns: (transfer full): the result, or %NULL with @error set
 */

/**
 * sw_operation_forward:
 * @self: an operation
 * @inputs: the positional inputs
 * @options: (nullable): options made for this operation, or %NULL for the defaults
 * @error: return location for an error
 *
 * Executes the operation.
 *
 * Options and the structure of the tensors are checked first: %SW_ERROR_VALUE for another operation's options,
 * %SW_ERROR_STATE for a tensor on a released carrier. What follows, the computation and the check that it made a
 * tensor, is what recorders measure: host time on the calling thread, nested operations included, until the
 * operation returns; work that a device goes on with is not waited for.
 *
 * Errors of the computation come through as they are.
 *
 * Returns: (transfer full): the result
 */
SwTensor *
sw_operation_forward (SwOperation *self,
                      SwValueList *inputs,
                      SwExecutionOptions *options,
                      GError **error)
{
  SwOperand operands_on_stack[N_OPERANDS_ON_STACK];
  SwValue *values_on_stack[N_OPERANDS_ON_STACK];
  SwOperand *operands = operands_on_stack;
  SwValue **values = values_on_stack;
  SwTensor *result;
  gsize n_inputs;

  g_return_val_if_fail (SW_IS_OPERATION (self), NULL);
  g_return_val_if_fail (inputs != NULL, NULL);

  n_inputs = sw_value_list_get_length (inputs);
  if (n_inputs > N_OPERANDS_ON_STACK)
    {
      operands = g_new (SwOperand, n_inputs);
      values = g_new (SwValue *, n_inputs);
    }

  init_operands (operands, values, inputs, n_inputs);
  result = execute (self, inputs, operands, n_inputs, options, error);

  for (gsize i = 0; i < n_inputs; i++)
    sw_value_unref (values[i]);
  if (n_inputs > N_OPERANDS_ON_STACK)
    {
      g_free (operands);
      g_free (values);
    }

  return result;
}

/**
 * sw_operation_lower:
 * @self: an operation, usually dispatched by a carrier that another one owns
 * @inputs: the positional inputs, already in the form that @self understands
 * @options: (nullable): options made for this operation, or %NULL for the defaults
 * @error: return location for an error
 *
 * Executes an operation inside another one, as composite carriers do.
 *
 * The same checks and the same measured interval as [method@Strideweave.Operation.forward]; recorders show it as a
 * child of the operation that calls it.
 *
 * Returns: (transfer full): the result
 */
SwTensor *
sw_operation_lower (SwOperation *self,
                    SwValueList *inputs,
                    SwExecutionOptions *options,
                    GError **error)
{
  return sw_operation_forward (self, inputs, options, error);
}

/**
 * sw_operation_get_dispatch_name:
 * @self: an operation
 *
 * Tells by which name the operation was dispatched.
 *
 * Returns: (nullable): the name, or %NULL when no carrier dispatched it
 */
const char *
sw_operation_get_dispatch_name (SwOperation *self)
{
  g_return_val_if_fail (SW_IS_OPERATION (self), NULL);

  return get_private (self)->dispatch_name;
}

/**
 * sw_operation_get_carrier_type:
 * @self: an operation
 *
 * Tells the exact class of the carrier that dispatched the operation.
 *
 * Returns: the type, or %G_TYPE_INVALID when no carrier dispatched it
 */
GType
sw_operation_get_carrier_type (SwOperation *self)
{
  g_return_val_if_fail (SW_IS_OPERATION (self), G_TYPE_INVALID);

  return get_private (self)->carrier_type;
}

/**
 * sw_operation_dup_kernel:
 * @self: an operation
 *
 * Tells which of several ways to compute was taken, the last time the operation computed: the instructions or the library,
 * how the values lay, and into how many pieces for how many threads they were divided. For people, not for programs: the
 * words may change.
 *
 * Examples are "avx512 contiguous", "base strided", "avx2 math contiguous, 8 pieces, 2 threads", "blas sgemm, lhs copied"
 * and "im2col + sgemm"; "no values" where the result is empty and nothing ran. Where tensors were brought to one dtype first,
 * that is not told. The thread of the operation only.
 *
 * Returns: (transfer full) (nullable): the words, or %NULL before it computed, and where there is but one way, as for values
 *   on carriers other than [class@Strideweave.CPU] and for views
 */
char *
sw_operation_dup_kernel (SwOperation *self)
{
  g_return_val_if_fail (SW_IS_OPERATION (self), NULL);

  return sw_kernel_choice_dup_text (&get_private (self)->choice);
}

/**
 * sw_operation_dup_kernel_rejections:
 * @self: an operation
 *
 * Tells which better ways to compute were not taken, and why, the last time the operation computed: "contiguous: non-unit
 * stride in mode 1", "avx512: no AVX-512 on this processor", "threads: below the size for threads".
 *
 * Modes count from 0; of nested shapes, their leaves are counted. The thread of the operation only.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the candidates, each with its reason, or %NULL where
 *   [method@Strideweave.Operation.dup_kernel] is
 */
char **
sw_operation_dup_kernel_rejections (SwOperation *self)
{
  g_return_val_if_fail (SW_IS_OPERATION (self), NULL);

  return sw_kernel_choice_dup_rejections (&get_private (self)->choice);
}

static SwTensor *
builtin_compute (SwOperation *self,
                 SwValueList *inputs,
                 SwExecutionOptions *options,
                 GError **error)
{
  const SwImplementation *implementation = SW_OPERATION_GET_CLASS (self)->implementation;
  gsize n_inputs = sw_value_list_get_length (inputs);
  g_autofree SwOperand *operands = g_new (SwOperand, n_inputs + 1);
  g_autofree SwValue **values = g_new (SwValue *, n_inputs + 1);
  SwCall call = { implementation, operands, n_inputs, options };
  SwKernelChoice *choice = &get_private (self)->choice;
  gpointer before = sw_kernel_choice_begin (choice);
  SwTensor *result;

  call.out = sw_execution_options_peek_out (options, &call.owns_out);

  init_operands (operands, values, inputs, n_inputs);
  result = implementation->compute (&call, error);
  sw_kernel_choice_end (before);
  for (gsize i = 0; i < n_inputs; i++)
    sw_value_unref (values[i]);
  return result;
}

static void
builtin_class_init (gpointer klass,
                    gpointer class_data)
{
  SwOperationClass *operation_class = klass;

  operation_class->compute = builtin_compute;
  operation_class->implementation = class_data;
}

GType
sw_builtin_operation_register (const char *type_name,
                               const SwImplementation *implementation)
{
  GTypeInfo info = {
    .class_size = sizeof (SwOperationClass),
    .class_init = builtin_class_init,
    .class_data = implementation,
    .instance_size = sizeof (SwOperation),
  };

  return g_type_register_static (SW_TYPE_OPERATION, g_intern_static_string (type_name), &info, G_TYPE_FLAG_FINAL);
}
