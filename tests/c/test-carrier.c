/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/tensor/sw-carrier-private.h"

#include <gio/gio.h>
#include <string.h>

/* A carrier as anybody may write it: four integers, and functions that do what the test tells them. */

typedef enum
{
  BEHAVES,
  FAILS,             /* with an error of its own */
  RETURNS_NOTHING,   /* and sets no error */
  RETURNS_AND_FAILS, /* a value and an error */
  RETURNS_ITSELF,
} Behaviour;

#define N_NUMBERS 4

typedef struct
{
  SwCarrier parent_instance;
  gint64 numbers[N_NUMBERS];
  Behaviour behaviour;
  gboolean is_mutable;
  gint64 size;
  SwDType dtype;
  gint64 unwritable; /* set_value fails there */
  guint n_calls;
} TestCarrier;

typedef SwCarrierClass TestCarrierClass;

GType
test_carrier_get_type (void);
G_DEFINE_TYPE (TestCarrier, test_carrier, SW_TYPE_CARRIER)

#define TEST_CARRIER(object) ((TestCarrier *) (object))

static void
fail (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BUSY, "the disk is on fire");
}

/* Returns whether there is something to return. */
static gboolean
behave (TestCarrier *self,
        GError **error)
{
  self->n_calls++;
  if (self->behaviour == FAILS || self->behaviour == RETURNS_AND_FAILS)
    fail (error);
  return self->behaviour == BEHAVES || self->behaviour == RETURNS_AND_FAILS;
}

static gint64
test_carrier_size (SwCarrier *carrier,
                   GError **error)
{
  return TEST_CARRIER (carrier)->size;
}

static SwDType
test_carrier_dtype (SwCarrier *carrier,
                    GError **error)
{
  return behave (TEST_CARRIER (carrier), error) ? TEST_CARRIER (carrier)->dtype : SW_DTYPE_INVALID;
}

static SwValue *
test_carrier_get_value (SwCarrier *carrier,
                        gint64 index,
                        GError **error)
{
  g_assert_cmpint (index, >=, 0);
  g_assert_cmpint (index, <, N_NUMBERS);
  return behave (TEST_CARRIER (carrier), error) ? sw_value_new_int64 (TEST_CARRIER (carrier)->numbers[index]) : NULL;
}

static gboolean
test_carrier_set_value (SwCarrier *carrier,
                        gint64 index,
                        SwValue *value,
                        GError **error)
{
  TestCarrier *self = TEST_CARRIER (carrier);

  if (!behave (self, error))
    return FALSE;
  if (index == self->unwritable)
    {
      fail (error);
      return FALSE;
    }
  self->numbers[index] = sw_value_get_int64 (value);
  return TRUE;
}

static gboolean
test_carrier_is_mutable (SwCarrier *carrier,
                         GError **error)
{
  return TEST_CARRIER (carrier)->is_mutable;
}

static SwCarrier *
make_fresh (SwCarrier *carrier,
            GError **error)
{
  if (TEST_CARRIER (carrier)->behaviour == RETURNS_ITSELF)
    return g_object_ref (carrier);
  return behave (TEST_CARRIER (carrier), error) ? g_object_new (test_carrier_get_type (), NULL) : NULL;
}

static SwCarrier *
test_carrier_new_like (SwCarrier *carrier,
                       SwValueList *values,
                       gboolean is_mutable,
                       SwDType dtype,
                       GError **error)
{
  return make_fresh (carrier, error);
}

static SwCarrier *
test_carrier_allocate_like (SwCarrier *carrier,
                            gint64 size,
                            gboolean is_mutable,
                            SwDType dtype,
                            gboolean is_empty,
                            GError **error)
{
  return make_fresh (carrier, error);
}

static void
test_carrier_class_init (TestCarrierClass *klass)
{
  klass->size = test_carrier_size;
  klass->dtype = test_carrier_dtype;
  klass->get_value = test_carrier_get_value;
  klass->set_value = test_carrier_set_value;
  klass->is_mutable = test_carrier_is_mutable;
  klass->new_like = test_carrier_new_like;
  klass->allocate_like = test_carrier_allocate_like;
}

static void
test_carrier_init (TestCarrier *self)
{
  self->size = N_NUMBERS;
  self->dtype = SW_DTYPE_INT64;
  self->is_mutable = TRUE;
  self->unwritable = -1;
  for (guint i = 0; i < N_NUMBERS; i++)
    self->numbers[i] = 10 * i;
}

/* A carrier that implements nothing. */
typedef SwCarrier BareCarrier;
typedef SwCarrierClass BareCarrierClass;

GType
bare_carrier_get_type (void);
G_DEFINE_TYPE (BareCarrier, bare_carrier, SW_TYPE_CARRIER)

static void
bare_carrier_class_init (BareCarrierClass *klass)
{
}

static void
bare_carrier_init (BareCarrier *self)
{
}

/* One of the library's own carriers, that keeps its values elsewhere. */
typedef TestCarrier ElsewhereCarrier;
typedef SwCarrierClass ElsewhereCarrierClass;

GType
elsewhere_carrier_get_type (void);
G_DEFINE_TYPE (ElsewhereCarrier, elsewhere_carrier, test_carrier_get_type ())

static gboolean
elsewhere_read_all (SwCarrier *carrier,
                    gpointer items,
                    gint64 n_items,
                    GError **error)
{
  if (!behave (TEST_CARRIER (carrier), error))
    return FALSE;
  memcpy (items, TEST_CARRIER (carrier)->numbers, n_items * sizeof (gint64));
  return TRUE;
}

static gboolean
elsewhere_check_access (SwCarrier *carrier,
                        GError **error)
{
  g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "evicted");
  return FALSE;
}

static void
elsewhere_carrier_class_init (ElsewhereCarrierClass *klass)
{
  static const SwBuiltinCarrier builtin = {
    .name = "Elsewhere",
    .read_all = elsewhere_read_all,
    .check_access = elsewhere_check_access,
  };

  klass->builtin = (gpointer) &builtin;
}

static void
elsewhere_carrier_init (ElsewhereCarrier *self)
{
}

static TestCarrier *
new_test_carrier (void)
{
  return g_object_new (test_carrier_get_type (), NULL);
}

static SwTensor *
new_tensor (SwCarrier *carrier,
            gint64 extent)
{
  g_autoptr (SwShape) shape = sw_shape_new (&extent, 1, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_compact (shape);
  g_autoptr (GError) error = NULL;
  SwTensor *tensor = sw_tensor_new (carrier, 0, layout, &error);

  g_assert_no_error (error);
  return tensor;
}

#define assert_state(call, text)                            \
  G_STMT_START                                              \
  {                                                         \
    g_autoptr (GError) state_error = NULL;                  \
    g_assert_false (call);                                  \
    g_assert_error (state_error, SW_ERROR, SW_ERROR_STATE); \
    g_assert_cmpstr (state_error->message, ==, text);       \
  }                                                         \
  G_STMT_END

static void
test_derived (void)
{
  TestCarrier *self = new_test_carrier ();
  SwCarrier *carrier = SW_CARRIER (self);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwValue) value = sw_value_new_int64 (77);
  g_autoptr (SwValue) found = NULL;

  g_assert_cmpint (sw_carrier_size (carrier, &error), ==, 4);
  g_assert_cmpint (sw_carrier_dtype (carrier, &error), ==, SW_DTYPE_INT64);
  g_assert_true (sw_carrier_is_mutable (carrier, &error));
  g_assert_true (sw_carrier_supports_storage_dtype (carrier, SW_DTYPE_INT64));
  g_assert_false (sw_carrier_supports_storage_dtype (carrier, SW_DTYPE_INT32));
  g_assert_false (sw_carrier_supports_storage_dtype (carrier, SW_DTYPE_INVALID));
  g_assert_true (sw_carrier_set_value (carrier, 2, value, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 1);
  found = sw_carrier_get_value (carrier, 2, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sw_value_get_int64 (found), ==, 77);
  g_assert_finalize_object (carrier);
}

static void
test_index (void)
{
  static const gint64 outside[] = { -1, 4, 9, G_MAXINT64, G_MININT64 };
  g_autoptr (SwCarrier) carrier = SW_CARRIER (new_test_carrier ());
  g_autoptr (SwValue) value = sw_value_new_int64 (77);

  for (guint i = 0; i < G_N_ELEMENTS (outside); i++)
    {
      g_autofree char *message = g_strdup_printf ("index is %" G_GINT64_FORMAT ", but the carrier holds 4 values", outside[i]);
      g_autoptr (GError) error = NULL;

      g_assert_null (sw_carrier_get_value (carrier, outside[i], &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_INDEX);
      g_assert_cmpstr (error->message, ==, message);
      g_clear_error (&error);
      g_assert_false (sw_carrier_set_value (carrier, outside[i], value, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_INDEX);
      g_assert_false (sw_carrier_set_value (carrier, outside[i], value, NULL));
    }
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 0);
}

/* Whatever a function does wrong, the caller gets one error and no value. */
static void
check_error (GError **error,
             Behaviour behaviour,
             const char *message)
{
  if (behaviour == RETURNS_NOTHING)
    {
      g_assert_error (*error, SW_ERROR, SW_ERROR_FAILED);
      g_assert_cmpstr ((*error)->message, ==, message);
    }
  else
    {
      g_assert_error (*error, G_IO_ERROR, G_IO_ERROR_BUSY);
      g_assert_cmpstr ((*error)->message, ==, "the disk is on fire");
    }
  g_clear_error (error);
}

static void
test_bad_hooks (void)
{
  static const Behaviour behaviours[] = { FAILS, RETURNS_NOTHING, RETURNS_AND_FAILS };
  g_autoptr (SwValue) value = sw_value_new_int64 (77);
  g_autoptr (SwValueList) values = sw_value_list_new (NULL, 0);

  for (guint i = 0; i < G_N_ELEMENTS (behaviours); i++)
    {
      TestCarrier *self = new_test_carrier ();
      SwCarrier *carrier = SW_CARRIER (self);
      g_autoptr (SwTensor) tensor = new_tensor (carrier, 1);
      g_autoptr (GError) error = NULL;

      self->behaviour = behaviours[i];
      g_assert_null (sw_carrier_get_value (carrier, 0, &error));
      check_error (&error, behaviours[i], "TestCarrier.get_value returned nothing and set no error");
      g_assert_false (sw_carrier_set_value (carrier, 0, value, &error));
      check_error (&error, behaviours[i], "TestCarrier.set_value returned false and set no error");
      g_assert_cmpint (sw_carrier_dtype (carrier, &error), ==, SW_DTYPE_INVALID);
      check_error (&error, behaviours[i], "TestCarrier.dtype returned no dtype and set no error");
      g_assert_null (sw_carrier_new_like (carrier, values, TRUE, SW_DTYPE_INVALID, &error));
      check_error (&error, behaviours[i], "TestCarrier.new_like returned nothing and set no error");
      g_assert_null (sw_carrier_allocate_like (carrier, 0, TRUE, SW_DTYPE_INVALID, FALSE, &error));
      check_error (&error, behaviours[i], "TestCarrier.allocate_like returned nothing and set no error");
      g_assert_null (sw_tensor_dup_bytes (tensor, &error));
      check_error (&error, behaviours[i], "TestCarrier.dtype returned no dtype and set no error");

      g_assert_false (sw_carrier_supports_storage_dtype (carrier, SW_DTYPE_INT64));
      g_assert_cmpint (sw_tensor_get_dtype (tensor), ==, SW_DTYPE_INVALID);
      g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 0);
      g_assert_null (sw_carrier_get_value (carrier, 0, NULL));
      g_clear_pointer (&tensor, sw_tensor_unref);
      g_assert_finalize_object (carrier);
    }
}

static void
test_nonsense_from_hooks (void)
{
  TestCarrier *self = new_test_carrier ();
  g_autoptr (SwCarrier) carrier = SW_CARRIER (self);
  g_autoptr (SwValueList) values = sw_value_list_new (NULL, 0);
  g_autoptr (GError) error = NULL;

  self->size = -7;
  g_assert_cmpint (sw_carrier_size (carrier, &error), ==, -1);
  g_assert_error (error, SW_ERROR, SW_ERROR_FAILED);
  g_assert_cmpstr (error->message, ==, "TestCarrier.size returned a negative number and set no error");
  g_clear_error (&error);
  g_assert_null (sw_carrier_get_value (carrier, 0, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_FAILED);
  g_clear_error (&error);

  self->dtype = (SwDType) 99;
  g_assert_cmpint (sw_carrier_dtype (carrier, &error), ==, SW_DTYPE_INVALID);
  g_assert_error (error, SW_ERROR, SW_ERROR_FAILED);
  g_clear_error (&error);

  self->behaviour = RETURNS_ITSELF;
  g_assert_null (sw_carrier_new_like (carrier, values, TRUE, SW_DTYPE_INVALID, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
  g_assert_cmpstr (error->message, ==, "TestCarrier.new_like must return a fresh Carrier, and returned its own carrier");
  g_assert_finalize_object (g_steal_pointer (&carrier));
}

static void
test_not_writable (void)
{
  TestCarrier *self = new_test_carrier ();
  g_autoptr (SwCarrier) carrier = SW_CARRIER (self);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 4);
  g_autoptr (SwValue) value = sw_value_new_int64 (77);

  self->is_mutable = FALSE;
  self->n_calls = 0;
  g_assert_false (sw_carrier_is_mutable (carrier, NULL));
  assert_state (sw_carrier_set_value (carrier, 0, value, &state_error), "carrier is an immutable TestCarrier");
  assert_state (sw_carrier_scatter (carrier, tensor, tensor, sw_tensor_get_layout (tensor), 0, &state_error),
                "carrier is an immutable TestCarrier");
  g_assert_cmpuint (self->n_calls, ==, 0);
}

static void
test_release (void)
{
  TestCarrier *self = new_test_carrier ();
  g_autoptr (SwCarrier) carrier = SW_CARRIER (self);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 4);
  g_autoptr (SwValue) value = sw_value_new_int64 (77);

  g_assert_false (sw_carrier_is_released (carrier));
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_true (sw_carrier_is_released (carrier));
  g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, 0);
  g_assert_cmpint (sw_carrier_dtype (carrier, NULL), ==, SW_DTYPE_INT64);
  g_assert_false (sw_carrier_is_mutable (carrier, NULL));

  self->n_calls = 0;
  assert_state (sw_carrier_get_value (carrier, 0, &state_error) != NULL, "carrier is a released TestCarrier");
  assert_state (sw_carrier_set_value (carrier, 0, value, &state_error), "carrier is a released TestCarrier");
  assert_state (sw_carrier_scatter (carrier, tensor, tensor, sw_tensor_get_layout (tensor), 0, &state_error),
                "carrier is a released TestCarrier");
  assert_state (sw_carrier_ref_bytes (carrier, NULL, &state_error) != NULL, "carrier is a released TestCarrier");
  assert_state (sw_carrier_claim (carrier, carrier, "primary", &state_error), "primary is a released TestCarrier");
  g_assert_cmpuint (self->n_calls, ==, 0);
}

static void
test_hold_elsewhere (void)
{
  g_autoptr (SwCarrier) carrier = SW_CARRIER (new_test_carrier ());
  g_autoptr (GError) error = NULL;
  SwStorage storage;

  g_assert_false (sw_carrier_is_in_memory (carrier));
  g_assert_false (sw_carrier_hold (carrier, &storage, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==, "carrier is a TestCarrier, which does not keep its values in memory");
  g_assert_null (sw_carrier_ref_bytes (carrier, NULL, NULL));
}

static void
assert_numbers (TestCarrier *self,
                gint64 a,
                gint64 b,
                gint64 c,
                gint64 d)
{
  const gint64 expected[] = { a, b, c, d };

  g_assert_cmpmem (self->numbers, sizeof self->numbers, expected, sizeof expected);
}

static void
test_default_scatter (void)
{
  TestCarrier *self = new_test_carrier ();
  g_autoptr (SwCarrier) carrier = SW_CARRIER (self);
  g_autoptr (SwTensor) all = new_tensor (carrier, 4);
  g_autoptr (SwTensor) three = new_tensor (carrier, 3);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_carrier_scatter (carrier, three, all, sw_tensor_get_layout (three), 1, &error));
  g_assert_no_error (error);
  assert_numbers (self, 0, 0, 10, 20);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 1);
  bytes = sw_tensor_dup_bytes (all, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), self->numbers, sizeof self->numbers);

  /* The third write fails, and the first two are taken back. */
  self->unwritable = 3;
  g_assert_false (sw_carrier_scatter (carrier, three, all, sw_tensor_get_layout (three), 1, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
  assert_numbers (self, 0, 0, 10, 20);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 1);
}

/* A carrier that has become shorter than the tensors on it: its functions are not asked for what is gone. */
static void
test_shrunk (void)
{
  TestCarrier *self = new_test_carrier ();
  g_autoptr (SwCarrier) carrier = SW_CARRIER (self);
  g_autoptr (SwTensor) all = new_tensor (carrier, 4);
  g_autoptr (SwTensor) two = new_tensor (carrier, 2);
  g_autoptr (SwCarrier) other = SW_CARRIER (new_test_carrier ());
  g_autoptr (SwTensor) onto = new_tensor (other, 4);
  g_autoptr (GError) error = NULL;

  self->size = 2;
  g_assert_null (sw_tensor_dup_bytes (all, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_INDEX);
  g_clear_error (&error);
  g_assert_false (sw_carrier_scatter (other, all, onto, sw_tensor_get_layout (onto), 0, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_INDEX);
  g_clear_error (&error);
  g_assert_true (sw_carrier_scatter (other, two, onto, sw_tensor_get_layout (two), 0, &error));
  g_assert_no_error (error);
}

static void
test_elsewhere (void)
{
  TestCarrier *self = g_object_new (elsewhere_carrier_get_type (), NULL);
  g_autoptr (SwCarrier) carrier = SW_CARRIER (self);
  g_autoptr (SwTensor) all = new_tensor (carrier, 4);
  g_autoptr (SwTensor) two = new_tensor (carrier, 2);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  SwStorage storage;

  self->n_calls = 0;
  bytes = sw_tensor_dup_bytes (two, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), self->numbers, 2 * sizeof (gint64));
  /* Once for the dtype of the result, once for that of the items, once for all values. */
  g_assert_cmpuint (self->n_calls, ==, 3);

  self->size = 3;
  g_assert_null (sw_tensor_dup_bytes (all, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_INDEX);
  g_assert_cmpstr (error->message, ==, "the tensor reaches to index 3, but the carrier holds 3 values");
  g_clear_error (&error);

  g_assert_false (sw_carrier_hold (carrier, &storage, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_cmpstr (error->message, ==, "evicted");
  g_clear_error (&error);
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_null (sw_tensor_dup_bytes (two, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_cmpstr (error->message, ==, "the tensor's carrier is a released Elsewhere");
}

static void
test_implements_nothing (void)
{
  g_autoptr (SwCarrier) carrier = g_object_new (bare_carrier_get_type (), NULL);
  g_autoptr (SwValueList) values = sw_value_list_new (NULL, 0);
  g_autoptr (SwValue) value = sw_value_new_none ();
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sw_carrier_size (carrier, &error), ==, -1);
  g_assert_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED);
  g_assert_cmpstr (error->message, ==, "BareCarrier does not implement size");
  g_clear_error (&error);
  g_assert_cmpint (sw_carrier_dtype (carrier, &error), ==, SW_DTYPE_INVALID);
  g_assert_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED);
  g_clear_error (&error);
  g_assert_null (sw_carrier_get_value (carrier, 0, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED);
  g_clear_error (&error);
  g_assert_false (sw_carrier_is_mutable (carrier, &error));
  g_assert_no_error (error);
  assert_state (sw_carrier_set_value (carrier, 0, value, &state_error), "carrier is an immutable BareCarrier");
  g_assert_false (sw_carrier_call_set_value (carrier, 0, value, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED);
  g_clear_error (&error);
  g_assert_null (sw_carrier_new_like (carrier, values, TRUE, SW_DTYPE_INVALID, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED);
  g_assert_cmpstr (error->message, ==, "BareCarrier does not implement new_like");
  g_clear_error (&error);
  g_assert_null (sw_carrier_allocate_like (carrier, 1, TRUE, SW_DTYPE_INVALID, FALSE, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED);
  g_clear_error (&error);
  g_assert_null (SW_CARRIER_GET_CLASS (carrier)->dispatch_op (carrier, "relu", &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED);
  g_assert_cmpstr (error->message, ==, "BareCarrier does not implement an operation named 'relu'");
}

static void
test_class_names (void)
{
  GTypeInfo info = { .class_size = sizeof (SwCarrierClass), .instance_size = sizeof (SwCarrier) };
  GType python_like = g_type_register_static (SW_TYPE_CARRIER, "pkg+mod+MyCarrier", &info, 0);
  g_autoptr (SwCarrier) mine = g_object_new (python_like, NULL);
  g_autoptr (SwCarrier) generic = sw_generic_new_doubles (NULL, 0, SW_DTYPE_FLOATING, NULL);
  g_autoptr (SwCarrier) cpu = sw_cpu_new (0, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);

  g_assert_cmpstr (sw_carrier_get_class_name (mine), ==, "MyCarrier");
  g_assert_cmpstr (sw_carrier_get_class_name (generic), ==, "Generic");
  g_assert_cmpstr (sw_carrier_get_class_name (cpu), ==, "CPU");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/carrier/derived", test_derived);
  g_test_add_func ("/carrier/index", test_index);
  g_test_add_func ("/carrier/bad-hooks", test_bad_hooks);
  g_test_add_func ("/carrier/nonsense-from-hooks", test_nonsense_from_hooks);
  g_test_add_func ("/carrier/not-writable", test_not_writable);
  g_test_add_func ("/carrier/release", test_release);
  g_test_add_func ("/carrier/hold-elsewhere", test_hold_elsewhere);
  g_test_add_func ("/carrier/default-scatter", test_default_scatter);
  g_test_add_func ("/carrier/shrunk", test_shrunk);
  g_test_add_func ("/carrier/elsewhere", test_elsewhere);
  g_test_add_func ("/carrier/implements-nothing", test_implements_nothing);
  g_test_add_func ("/carrier/class-names", test_class_names);
  return g_test_run ();
}
