/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/carriers/evictable/sw-evictable.h"
#include "sw/carriers/file-backed/sw-file-backed.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/carriers/sw-move.h"
#include "sw/operations/sw-operation.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/shape/sw-stride.h"
#include "sw/tensor/sw-carrier-private.h"
#include "sw/tensor/sw-tensor.h"
#include "sw/tensor/sw-value-list.h"
#include "sw/tensor/sw-value.h"

#include <gio/gio.h>

/* A carrier of Float64 as anybody may write one, with its moves and operations. The tests tell what goes wrong. */

typedef struct
{
  SwCarrier parent_instance;
  double *values;
  gint64 size;
  gboolean is_mutable;
} Shelf;

typedef struct
{
  SwCarrierClass parent_class;
} ShelfClass;

typedef enum
{
  SHELF_BEHAVES,
  SHELF_FAILS_TO_ALLOCATE,
  SHELF_FAILS_TO_ALLOCATE_EMPTY,
  SHELF_ALLOCATES_ANOTHER_CLASS,
  SHELF_FAILS_TO_MOVE, /* after the first value */
  SHELF_MOVES_TO_NOTHING,
  SHELF_MOVES_TO_THE_SOURCE,
  SHELF_MOVES_AND_FAILS,
} ShelfBehaviour;

static ShelfBehaviour shelf_behaviour;
static int n_shelves;
/* Called in the middle of each move. */
static void (*shelf_on_move) (void);
/* Called once, while the next value is read or the next operation computes, which fails where that releases the carrier. */
static void (*shelf_on_use) (void);

GType
shelf_get_type (void);
G_DEFINE_TYPE (Shelf, shelf, SW_TYPE_CARRIER)

typedef Shelf OtherShelf;
typedef ShelfClass OtherShelfClass;

GType
other_shelf_get_type (void);
G_DEFINE_TYPE (OtherShelf, other_shelf, shelf_get_type ())

static gboolean
shelf_fail (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BUSY, "the shelf broke");
  return FALSE;
}

static SwCarrier *
shelf_new (GType type,
           gint64 size,
           gboolean is_mutable)
{
  Shelf *self = g_object_new (type, NULL);

  self->values = g_new0 (double, size + 1);
  self->size = size;
  self->is_mutable = is_mutable;
  return SW_CARRIER (self);
}

static gint64
shelf_size (SwCarrier *carrier,
            GError **error)
{
  return ((Shelf *) carrier)->size;
}

static SwDType
shelf_dtype (SwCarrier *carrier,
             GError **error)
{
  return SW_DTYPE_FLOAT64;
}

static gboolean
shelf_is_mutable (SwCarrier *carrier,
                  GError **error)
{
  return ((Shelf *) carrier)->is_mutable;
}

static gboolean
shelf_use (SwCarrier *carrier,
           GError **error)
{
  void (*on_use) (void) = shelf_on_use;

  shelf_on_use = NULL;
  if (on_use != NULL)
    on_use ();
  return sw_carrier_check_live (carrier, "carrier", error);
}

static SwValue *
shelf_get_value (SwCarrier *carrier,
                 gint64 index,
                 GError **error)
{
  return shelf_use (carrier, error) ? sw_value_new_double (((Shelf *) carrier)->values[index]) : NULL;
}

static gboolean
shelf_set_value (SwCarrier *carrier,
                 gint64 index,
                 SwValue *value,
                 GError **error)
{
  ((Shelf *) carrier)->values[index] = sw_value_get_double (value);
  return TRUE;
}

static SwCarrier *
shelf_allocate_like (SwCarrier *carrier,
                     gint64 size,
                     gboolean is_mutable,
                     SwDType dtype,
                     gboolean is_empty,
                     GError **error)
{
  g_assert_cmpint (dtype, ==, SW_DTYPE_FLOAT64);
  if (shelf_behaviour == SHELF_FAILS_TO_ALLOCATE || (shelf_behaviour == SHELF_FAILS_TO_ALLOCATE_EMPTY && size == 0))
    {
      shelf_fail (error);
      return NULL;
    }
  if (shelf_behaviour == SHELF_ALLOCATES_ANOTHER_CLASS)
    return shelf_new (other_shelf_get_type (), size, is_mutable);
  return shelf_new (G_OBJECT_TYPE (carrier), size, is_mutable);
}

static SwCarrier *
shelf_new_like (SwCarrier *carrier,
                SwValueList *values,
                gboolean is_mutable,
                SwDType dtype,
                GError **error)
{
  gsize size = sw_value_list_get_length (values);
  SwCarrier *fresh = shelf_allocate_like (carrier, size, is_mutable, dtype, TRUE, error);

  for (gsize i = 0; fresh != NULL && i < size; i++)
    {
      g_autoptr (SwValue) value = sw_value_list_dup_value (values, i, NULL);

      ((Shelf *) fresh)->values[i] = sw_value_get_double (value);
    }

  return fresh;
}

static SwOperation *
shelf_dispatch_op (SwCarrier *carrier,
                   const char *name,
                   GError **error);

static void
shelf_finalize (GObject *object)
{
  g_free (((Shelf *) object)->values);
  G_OBJECT_CLASS (shelf_parent_class)->finalize (object);
  g_atomic_int_add (&n_shelves, -1);
}

static void
shelf_class_init (ShelfClass *klass)
{
  SwCarrierClass *carrier_class = SW_CARRIER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shelf_finalize;
  carrier_class->size = shelf_size;
  carrier_class->dtype = shelf_dtype;
  carrier_class->is_mutable = shelf_is_mutable;
  carrier_class->get_value = shelf_get_value;
  carrier_class->set_value = shelf_set_value;
  carrier_class->new_like = shelf_new_like;
  carrier_class->allocate_like = shelf_allocate_like;
  carrier_class->dispatch_op = shelf_dispatch_op;
}

static void
shelf_init (Shelf *self)
{
  g_atomic_int_add (&n_shelves, 1);
}

static void
other_shelf_class_init (OtherShelfClass *klass)
{
}

static void
other_shelf_init (OtherShelf *self)
{
}

/* "halve" computes on a carrier of its own, "view" returns its input, "fail" fails, "count" tells how many inputs it got
 * in each value of its result. */

typedef struct
{
  SwOperation parent_instance;
  const char *name;
} ShelfOperation;

typedef SwOperationClass ShelfOperationClass;

GType
shelf_operation_get_type (void);
G_DEFINE_TYPE (ShelfOperation, shelf_operation, SW_TYPE_OPERATION)

static SwTensor *
shelf_operation_compute (SwOperation *operation,
                         SwValueList *inputs,
                         SwExecutionOptions *options,
                         GError **error)
{
  const char *name = ((ShelfOperation *) operation)->name;
  g_autoptr (SwTensor) input = sw_value_list_dup_tensor (inputs, 0, error);
  g_autoptr (SwCarrier) fresh = NULL;
  Shelf *source;

  if (input == NULL)
    return NULL;
  if (g_str_equal (name, "fail"))
    {
      shelf_fail (error);
      return NULL;
    }
  if (g_str_equal (name, "view"))
    return g_steal_pointer (&input);

  source = (Shelf *) sw_tensor_get_carrier (input);
  if (!shelf_use (SW_CARRIER (source), error))
    return NULL;
  g_assert_true (G_TYPE_CHECK_INSTANCE_TYPE (source, shelf_get_type ()));
  fresh = shelf_new (G_OBJECT_TYPE (source), source->size, TRUE);
  for (gint64 i = 0; i < source->size; i++)
    ((Shelf *) fresh)->values[i] = g_str_equal (name, "count") ? sw_value_list_get_length (inputs) : source->values[i] / 2;
  return sw_tensor_new (fresh, sw_tensor_get_offset (input), sw_tensor_get_layout (input), error);
}

static void
shelf_operation_class_init (ShelfOperationClass *klass)
{
  klass->compute = shelf_operation_compute;
}

static void
shelf_operation_init (ShelfOperation *self)
{
}

static SwOperation *
shelf_dispatch_op (SwCarrier *carrier,
                   const char *name,
                   GError **error)
{
  ShelfOperation *operation = g_object_new (shelf_operation_get_type (), NULL);

  operation->name = g_intern_string (name);
  return SW_OPERATION (operation);
}

/* Moves by the public way, as a script would. */
static SwTensor *
shelf_move (SwTensor *source,
            SwCarrier *destination,
            gpointer user_data,
            GError **error)
{
  SwCarrier *carrier = sw_tensor_get_carrier (source);
  gint64 size = sw_carrier_size (carrier, NULL);

  for (gint64 i = 0; i < size; i++)
    {
      g_autoptr (SwValue) value = sw_carrier_get_value (carrier, i, error);

      if (value == NULL || !sw_carrier_set_value (destination, i, value, error))
        return NULL;
      if (shelf_behaviour == SHELF_FAILS_TO_MOVE)
        {
          shelf_fail (error);
          return NULL;
        }
      if (i == 0 && shelf_on_move != NULL)
        shelf_on_move ();
    }

  if (shelf_behaviour == SHELF_MOVES_TO_NOTHING)
    return NULL;
  if (shelf_behaviour == SHELF_MOVES_TO_THE_SOURCE)
    return sw_tensor_ref (source);
  if (shelf_behaviour == SHELF_MOVES_AND_FAILS)
    shelf_fail (error);
  return sw_tensor_new (destination, sw_tensor_get_offset (source), sw_tensor_get_layout (source), NULL);
}

static G_GNUC_UNUSED void
shelf_register_moves (void)
{
  const GType others[] = { SW_TYPE_GENERIC, SW_TYPE_CPU, SW_TYPE_FILE_BACKED };
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      sw_register_move (shelf_get_type (), others[i], shelf_move, NULL, NULL, &error);
      g_assert_no_error (error);
      sw_register_move (others[i], shelf_get_type (), shelf_move, NULL, NULL, &error);
      g_assert_no_error (error);
    }
}

/* The numbers 1, 2, 3 ... in Float64 on a carrier of the given class. */
static G_GNUC_UNUSED SwCarrier *
new_numbers (GType type,
             gint64 n_values)
{
  GError *error = NULL;
  g_autoptr (SwCarrier) like = NULL;
  g_autoptr (SwValueList) list = NULL;
  g_autofree double *numbers = g_new (double, n_values + 1);
  SwCarrier *carrier;

  for (gint64 i = 0; i < n_values; i++)
    numbers[i] = i + 1;
  list = sw_value_list_new_doubles (numbers, n_values);

  if (type == SW_TYPE_GENERIC)
    like = sw_generic_new_doubles (NULL, 0, SW_DTYPE_FLOAT64, &error);
  else if (type == SW_TYPE_CPU)
    like = sw_cpu_new (1, TRUE, SW_DTYPE_FLOAT64, FALSE, &error);
  else if (type == SW_TYPE_FILE_BACKED)
    like = sw_file_backed_new (NULL, TRUE, SW_DTYPE_FLOAT64, &error);
  else
    like = shelf_new (type, 0, TRUE);
  g_assert_no_error (error);

  carrier = sw_carrier_new_like (like, list, TRUE, SW_DTYPE_FLOAT64, &error);
  g_assert_no_error (error);
  g_assert_true (G_OBJECT_TYPE (carrier) == type);
  return carrier;
}

static G_GNUC_UNUSED SwTensor *
new_tensor (SwCarrier *carrier,
            gint64 n_values)
{
  GError *error = NULL;
  g_autoptr (SwShape) shape = sw_shape_new (&n_values, 1, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  SwTensor *tensor = sw_tensor_new (carrier, 0, layout, &error);

  g_assert_no_error (error);
  return tensor;
}

static G_GNUC_UNUSED double
get_number (SwCarrier *carrier,
            gint64 index)
{
  GError *error = NULL;
  g_autoptr (SwValue) value = sw_carrier_get_value (carrier, index, &error);

  g_assert_no_error (error);
  return sw_value_get_double (value);
}

static G_GNUC_UNUSED void
assert_numbers (SwCarrier *carrier,
                gint64 n_values)
{
  for (gint64 i = 0; i < n_values; i++)
    g_assert_cmpfloat (get_number (carrier, i), ==, i + 1);
}

static G_GNUC_UNUSED gboolean
set_number (SwCarrier *carrier,
            gint64 index,
            double number,
            GError **error)
{
  g_autoptr (SwValue) value = sw_value_new_double (number);

  return sw_carrier_set_value (carrier, index, value, error);
}

#define N_VALUES 5

static G_GNUC_UNUSED SwEvictable *
new_hierarchy (GType primary_type,
               GType secondary_type)
{
  g_autoptr (SwCarrier) primary = new_numbers (primary_type, N_VALUES);
  g_autoptr (SwCarrier) secondary = new_numbers (secondary_type, 0);
  GError *error = NULL;
  SwCarrier *carrier = sw_evictable_new (primary, secondary, &error);

  g_assert_no_error (error);
  return SW_EVICTABLE (carrier);
}

static G_GNUC_UNUSED void
evict (SwEvictable *self)
{
  GError *error = NULL;

  sw_evictable_evict (self, &error);
  g_assert_no_error (error);
  g_assert_true (sw_evictable_is_evicted (self));
}

static G_GNUC_UNUSED void
promote (SwEvictable *self)
{
  GError *error = NULL;

  sw_evictable_promote (self, &error);
  g_assert_no_error (error);
  g_assert_false (sw_evictable_is_evicted (self));
  assert_numbers (SW_CARRIER (self), N_VALUES);
}

#define assert_sw_error(error, code, text)                         \
  G_STMT_START                                                     \
  {                                                                \
    g_assert_error ((error), SW_ERROR, (int) (code));                    \
    if (strstr ((error)->message, (text)) == NULL)                 \
      g_error ("'%s' is not in '%s'", (text), (error)->message);   \
    g_clear_error (&(error));                                      \
  }                                                                \
  G_STMT_END
