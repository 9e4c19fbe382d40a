/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/tensor/sw-carrier-private.h"

#include <string.h>

static guint64
address_of (gconstpointer memory)
{
  return (guint64) (gsize) memory;
}

static void
count_call (gpointer n_calls)
{
  ++*(guint *) n_calls;
}

static double
get_double (SwCarrier *carrier,
            gint64 index)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwValue) value = sw_carrier_get_value (carrier, index, &error);

  g_assert_no_error (error);
  return sw_value_get_double (value);
}

static void
test_new (void)
{
  static const SwDType dtypes[] = { SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64, SW_DTYPE_BOOL };
  static const gint64 sizes[] = { 0, 1, 17, 100000 };

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    for (guint j = 0; j < G_N_ELEMENTS (sizes); j++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (SwCarrier) carrier = sw_cpu_new (sizes[j], TRUE, dtypes[i], FALSE, &error);
        gsize n_bytes = sizes[j] * sw_dtype_get_item_size (dtypes[i]);
        g_autofree char *zeros = g_malloc0 (n_bytes + 1);
        guint64 address;

        g_assert_no_error (error);
        address = sw_cpu_get_address (SW_CPU (carrier), &error);
        g_assert_no_error (error);
        g_assert_cmpuint (address, !=, 0);
        g_assert_cmpuint (address % 64, ==, 0);
        g_assert_cmpmem ((gpointer) (gsize) address, n_bytes, zeros, n_bytes);
        g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, sizes[j]);
        g_assert_cmpint (sw_carrier_dtype (carrier, NULL), ==, dtypes[i]);
        g_assert_true (sw_carrier_is_mutable (carrier, NULL));
        g_assert_true (sw_carrier_supports_storage_dtype (carrier, dtypes[i]));
        g_assert_finalize_object (g_steal_pointer (&carrier));
      }
}

static void
assert_new_fails (gint64 size,
                  SwDType dtype,
                  const char *message)
{
  for (guint is_empty = 0; is_empty < 2; is_empty++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sw_cpu_new (size, TRUE, dtype, is_empty, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
      g_assert_cmpstr (error->message, ==, message);
    }
}

static void
test_new_errors (void)
{
  g_autoptr (SwCarrier) carrier = sw_cpu_new (1, TRUE, SW_DTYPE_BOOL, TRUE, NULL);

  assert_new_fails (1, SW_DTYPE_FLOATING, "dtype is Floating, which CPU does not hold");
  assert_new_fails (1, SW_DTYPE_ANY, "dtype is Any, which CPU does not hold");
  assert_new_fails (1, SW_DTYPE_INVALID, "dtype is Invalid, which CPU does not hold");
  assert_new_fails (1, (SwDType) 1000, "dtype is Invalid, which CPU does not hold");
  assert_new_fails (-5, SW_DTYPE_FLOAT32, "size is -5, and must not be negative");
  assert_new_fails (G_MININT64, SW_DTYPE_BOOL, "size is -9223372036854775808, and must not be negative");
  assert_new_fails (G_MAXINT64, SW_DTYPE_FLOAT32,
                    "size is 9223372036854775807, and there is no memory for so many values of Float32");
  assert_new_fails (G_MAXINT64, SW_DTYPE_BOOL,
                    "size is 9223372036854775807, and there is no memory for so many values of Bool");
  /* Fits the address space's arithmetic, and no machine. */
  assert_new_fails (G_GINT64_CONSTANT (1) << 58, SW_DTYPE_FLOAT64,
                    "size is 288230376151711744, and there is no memory for so many values of Float64");
  g_assert_false (sw_carrier_supports_storage_dtype (carrier, SW_DTYPE_FLOATING));
  g_assert_false (sw_carrier_supports_storage_dtype (carrier, SW_DTYPE_ANY));
}

static void
test_foreign_memory (void)
{
  float memory[3] = { 1, 2, 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) carrier = sw_cpu_new_for_address (3, address_of (memory), TRUE, SW_DTYPE_FLOAT32, &error);
  g_autoptr (SwValue) value = sw_value_new_double (9.5);

  g_assert_no_error (error);
  g_assert_cmpuint (sw_cpu_get_address (SW_CPU (carrier), NULL), ==, address_of (memory));
  g_assert_cmpfloat (get_double (carrier, 2), ==, 3);
  g_assert_true (sw_carrier_set_value (carrier, 1, value, &error));
  g_assert_cmpfloat (memory[1], ==, 9.5f);
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_cmpuint (sw_cpu_get_address (SW_CPU (carrier), &error), ==, 0);
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_cmpfloat (memory[2], ==, 3);
}

static void
test_nothing_at_no_address (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) carrier = sw_cpu_new_for_address (0, 0, TRUE, SW_DTYPE_FLOAT32, &error);
  SwStorage storage = { 0 };

  g_assert_no_error (error);
  g_assert_true (sw_carrier_hold (carrier, &storage, &error));
  g_assert_cmpint (storage.size, ==, 0);
  sw_carrier_drop (carrier);
}

/* The end of the memory's use comes once: by release, by the end of the carrier, or by failure. */
static void
test_destroy_once (void)
{
  double memory[2] = { 1, 2 };
  guint n_calls = 0;
  g_autoptr (GError) error = NULL;
  SwCarrier *carrier = sw_cpu_new_for_memory (2, address_of (memory), TRUE, SW_DTYPE_FLOAT64, count_call, &n_calls, &error);

  g_assert_no_error (error);
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_cmpuint (n_calls, ==, 1);
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_finalize_object (carrier);
  g_assert_cmpuint (n_calls, ==, 1);

  n_calls = 0;
  carrier = sw_cpu_new_for_memory (2, address_of (memory), TRUE, SW_DTYPE_FLOAT64, count_call, &n_calls, &error);
  g_assert_cmpuint (n_calls, ==, 0);
  g_assert_finalize_object (carrier);
  g_assert_cmpuint (n_calls, ==, 1);
}

static void
assert_memory_fails (gint64 size,
                     guint64 address,
                     SwDType dtype,
                     const char *message)
{
  guint n_calls = 0;
  g_autoptr (GError) error = NULL;

  g_assert_null (sw_cpu_new_for_memory (size, address, TRUE, dtype, count_call, &n_calls, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, message);
  g_assert_cmpuint (n_calls, ==, 1);
}

static void
test_memory_errors (void)
{
  assert_memory_fails (2, 0, SW_DTYPE_FLOAT64, "address is 0, where there is no memory");
  assert_memory_fails (-2, 64, SW_DTYPE_FLOAT64, "size is -2, and must not be negative");
  assert_memory_fails (2, 0x1004, SW_DTYPE_FLOAT64, "address is 0x1004, which is not a multiple of the 8 bytes of Float64");
  assert_memory_fails (2, 0x1000, SW_DTYPE_ANY, "dtype is Any, which CPU does not hold");
  assert_memory_fails (9, G_MAXUINT64 - 7, SW_DTYPE_INT64, "address is 0xfffffffffffffff8, and 9 values of Int64 do not fit behind it");
  assert_memory_fails (G_MAXINT64, 0x1000, SW_DTYPE_INT64,
                       "size is 9223372036854775807, and there is no memory for so many values of Int64");
}

/* A release lets go of memory only when the last view of it has gone. */
static void
test_view_outlives_release (void)
{
  gint32 memory[2] = { 5, 6 };
  guint n_calls = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) carrier = sw_cpu_new_for_memory (2, address_of (memory), TRUE, SW_DTYPE_INT32, count_call, &n_calls, NULL);
  guint64 address = 0;
  g_autoptr (GBytes) first = sw_carrier_ref_bytes (carrier, &address, &error);
  g_autoptr (GBytes) second = sw_carrier_ref_bytes (carrier, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (address, ==, address_of (memory));
  g_assert_cmpmem (g_bytes_get_data (first, NULL), g_bytes_get_size (first), memory, sizeof memory);
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_null (sw_carrier_ref_bytes (carrier, NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_cmpuint (n_calls, ==, 0);
  g_clear_pointer (&first, g_bytes_unref);
  g_assert_cmpuint (n_calls, ==, 0);
  g_clear_pointer (&second, g_bytes_unref);
  g_assert_cmpuint (n_calls, ==, 1);
  g_assert_finalize_object (g_steal_pointer (&carrier));
  g_assert_cmpuint (n_calls, ==, 1);
}

static void
test_view_keeps_carrier (void)
{
  g_autoptr (SwCarrier) carrier = sw_cpu_new (4, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (GBytes) view = sw_carrier_ref_bytes (carrier, NULL, NULL);

  g_object_add_weak_pointer (G_OBJECT (carrier), (gpointer *) &carrier);
  g_object_unref (carrier);
  g_assert_nonnull (carrier);
  g_assert_cmpint (((const guint8 *) g_bytes_get_data (view, NULL))[15], ==, 0);
  g_clear_pointer (&view, g_bytes_unref);
  g_assert_null (carrier);
}

static void
test_bytes (void)
{
  gint64 *numbers = g_new (gint64, 3);
  guint n_calls = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (SwCarrier) carrier = NULL;

  for (guint i = 0; i < 3; i++)
    numbers[i] = i * 10;
  bytes = g_bytes_new_with_free_func (numbers, 3 * sizeof *numbers, count_call, &n_calls);
  carrier = sw_cpu_new_from_bytes (bytes, SW_DTYPE_INT64, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sw_cpu_get_address (SW_CPU (carrier), NULL), ==, address_of (numbers));
  g_assert_false (sw_carrier_is_mutable (carrier, NULL));

  g_clear_pointer (&bytes, g_bytes_unref);
  g_assert_cmpuint (n_calls, ==, 0);
  {
    g_autoptr (SwValue) value = sw_carrier_get_value (carrier, 2, NULL);

    g_assert_cmpint (sw_value_get_int64 (value), ==, 20);
    g_assert_false (sw_carrier_set_value (carrier, 0, value, &error));
    g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  }
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_cmpuint (n_calls, ==, 1);
  g_free (numbers);
}

static void
test_odd_bytes (void)
{
  static const guint64 source[] = { 1, 2, 3 };
  g_autoptr (GBytes) bytes = g_bytes_new (source, sizeof source);
  g_autoptr (GBytes) shifted = g_bytes_new_from_bytes (bytes, 1, 16);
  g_autoptr (GBytes) odd = g_bytes_new_from_bytes (bytes, 0, 15);
  g_autoptr (GBytes) none = g_bytes_new (NULL, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) carrier = sw_cpu_new_from_bytes (shifted, SW_DTYPE_INT64, &error);
  g_autoptr (SwCarrier) empty = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, 2);
  g_assert_false (sw_carrier_is_mutable (carrier, NULL));
  g_assert_cmpmem ((gpointer) (gsize) sw_cpu_get_address (SW_CPU (carrier), NULL), 16, g_bytes_get_data (shifted, NULL), 16);

  empty = sw_cpu_new_from_bytes (none, SW_DTYPE_INT64, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sw_carrier_size (empty, NULL), ==, 0);

  g_assert_null (sw_cpu_new_from_bytes (odd, SW_DTYPE_INT64, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "bytes holds 15 bytes, which is not a multiple of the 8 bytes of Int64");
  g_clear_error (&error);
  g_assert_null (sw_cpu_new_from_bytes (odd, SW_DTYPE_ANY, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
}

static void
test_like (void)
{
  g_autoptr (SwCarrier) carrier = sw_cpu_new (1, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwValueList) list = sw_value_list_new_doubles ((const double[]){ 1, 2.5 }, 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) fresh = NULL;
  g_autoptr (SwCarrier) zeros = NULL;

  g_assert_true (sw_carrier_release (carrier, NULL));
  fresh = sw_carrier_new_like (carrier, list, FALSE, SW_DTYPE_INVALID, &error);
  g_assert_no_error (error);
  g_assert_true (SW_IS_CPU (fresh));
  g_assert_false (sw_carrier_is_mutable (fresh, NULL));
  g_assert_cmpfloat (get_double (fresh, 1), ==, 2.5);

  zeros = sw_carrier_allocate_like (carrier, 3, TRUE, SW_DTYPE_FLOAT64, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sw_carrier_dtype (zeros, NULL), ==, SW_DTYPE_FLOAT64);
  g_assert_cmpfloat (get_double (zeros, 2), ==, 0);

  g_assert_null (sw_carrier_new_like (carrier, list, FALSE, SW_DTYPE_FLOATING, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==, "dtype is Floating, which CPU does not hold");
}

static void
test_read_and_write_all (void)
{
  g_autoptr (SwCarrier) carrier = sw_cpu_new (3, FALSE, SW_DTYPE_FLOAT32, FALSE, NULL);
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (carrier)->builtin;
  const float written[3] = { 1, 2, 3 };
  float read[3] = { 0 };
  g_autoptr (GError) error = NULL;

  /* For the library itself, which has checked already whether it may. */
  g_assert_true (builtin->write_all (carrier, written, 3, &error));
  g_assert_true (builtin->read_all (carrier, read, 3, &error));
  g_assert_no_error (error);
  g_assert_cmpmem (read, sizeof read, written, sizeof written);
  g_assert_false (builtin->write_all (carrier, written, 4, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_true (sw_carrier_release (carrier, NULL));
  g_assert_false (builtin->read_all (carrier, read, 3, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu/new", test_new);
  g_test_add_func ("/cpu/new-errors", test_new_errors);
  g_test_add_func ("/cpu/memory/foreign", test_foreign_memory);
  g_test_add_func ("/cpu/memory/nothing", test_nothing_at_no_address);
  g_test_add_func ("/cpu/memory/destroy-once", test_destroy_once);
  g_test_add_func ("/cpu/memory/errors", test_memory_errors);
  g_test_add_func ("/cpu/view/outlives-release", test_view_outlives_release);
  g_test_add_func ("/cpu/view/keeps-carrier", test_view_keeps_carrier);
  g_test_add_func ("/cpu/bytes", test_bytes);
  g_test_add_func ("/cpu/bytes-odd", test_odd_bytes);
  g_test_add_func ("/cpu/like", test_like);
  g_test_add_func ("/cpu/read-and-write-all", test_read_and_write_all);
  return g_test_run ();
}
