/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tier-fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const SwDType dtypes[] = {
  SW_DTYPE_FLOAT32, SW_DTYPE_FLOAT64, SW_DTYPE_INT32, SW_DTYPE_INT64, SW_DTYPE_BOOL, SW_DTYPE_FLOATING
};

static void
set_file_limit (rlim_t n_bytes)
{
  struct rlimit limit;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  limit.rlim_cur = MIN (n_bytes, limit.rlim_max);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}

static SwValue *
new_value (SwDType dtype,
           gint64 number)
{
  if (dtype == SW_DTYPE_BOOL)
    return sw_value_new_bool (number % 3 == 0);
  if (dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64)
    return sw_value_new_int64 (number);
  return sw_value_new_double (number);
}

/* A tensor of 2 x 3 from offset 1 on a carrier of 8 values. */
static SwTensor *
new_window (SwCarrier *like,
            SwDType dtype)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_value_unref);
  g_autoptr (SwShape) shape = sw_shape_new ((gint64[]){ 2, 3 }, 2, NULL);
  g_autoptr (SwLayout) layout = sw_layout_new_row_major (shape);
  g_autoptr (SwValueList) list = NULL;
  g_autoptr (SwCarrier) carrier = NULL;
  GError *error = NULL;
  SwTensor *tensor;

  for (guint i = 0; i < 8; i++)
    g_ptr_array_add (values, new_value (dtype, i));
  list = sw_value_list_new ((SwValue **) values->pdata, values->len);
  carrier = sw_carrier_new_like (like, list, TRUE, dtype, &error);
  g_assert_no_error (error);
  tensor = sw_tensor_new (carrier, 1, layout, &error);
  g_assert_no_error (error);
  return tensor;
}

static void
assert_values (SwCarrier *carrier,
               SwDType dtype,
               gint64 from,
               gint64 to)
{
  for (gint64 i = from; i < to; i++)
    {
      g_autoptr (SwValue) expected = new_value (dtype, i);
      g_autoptr (SwValue) value = sw_carrier_get_value (carrier, i, NULL);

      g_assert_nonnull (value);
      g_assert_true (sw_value_equal (value, expected));
    }
}

static void
check_pair (SwCarrier *source_like,
            SwCarrier *destination_like,
            SwDType dtype)
{
  g_autoptr (SwTensor) tensor = new_window (source_like, dtype);
  SwCarrier *source = sw_tensor_get_carrier (tensor);
  g_autoptr (SwCarrier) destination = NULL;
  g_autoptr (SwTensor) moved = NULL;
  GError *error = NULL;

  destination = sw_carrier_allocate_like (destination_like, 10, TRUE, dtype, FALSE, &error);
  g_assert_no_error (error);
  moved = sw_move (tensor, destination, &error);
  g_assert_no_error (error);

  g_assert_true (sw_tensor_get_carrier (moved) == destination);
  g_assert_cmpint (sw_tensor_get_offset (moved), ==, 1);
  g_assert_true (sw_layout_equal (sw_tensor_get_layout (moved), sw_tensor_get_layout (tensor)));
  g_assert_true (sw_carrier_is_released (source));
  g_assert_false (sw_carrier_is_owned (source));
  g_assert_false (sw_carrier_is_owned (destination));
  g_assert_cmpint (sw_carrier_get_version (destination), ==, 1);
  g_assert_cmpint (sw_carrier_size (destination, NULL), ==, 10);
  assert_values (destination, dtype, 0, 8);
}

static void
test_pairs (void)
{
  SwCarrier *likes[3];

  likes[0] = sw_generic_new_doubles (NULL, 0, SW_DTYPE_FLOAT64, NULL);
  likes[1] = sw_cpu_new (1, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  likes[2] = sw_file_backed_new (NULL, TRUE, SW_DTYPE_FLOAT64, NULL);

  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < 3; k++)
      for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
        if (sw_carrier_supports_storage_dtype (likes[i], dtypes[d]) && sw_carrier_supports_storage_dtype (likes[k], dtypes[d]))
          check_pair (likes[i], likes[k], dtypes[d]);

  for (guint i = 0; i < 3; i++)
    g_object_unref (likes[i]);
}

static void
test_keeps_the_rest (void)
{
  const GType types[] = { SW_TYPE_GENERIC, SW_TYPE_CPU, SW_TYPE_FILE_BACKED };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (SwCarrier) source = new_numbers (SW_TYPE_CPU, 3);
      g_autoptr (SwCarrier) destination = new_numbers (types[i], 6);
      g_autoptr (SwTensor) tensor = new_tensor (source, 2);
      g_autoptr (SwTensor) moved = NULL;

      g_assert_true (set_number (destination, 2, -1, NULL));
      moved = sw_move (tensor, destination, NULL);
      g_assert_nonnull (moved);
      assert_numbers (destination, 6);
      g_assert_cmpint (sw_carrier_size (destination, NULL), ==, 6);
    }
}

static void
test_grows (void)
{
  g_autoptr (SwCarrier) source = new_numbers (SW_TYPE_GENERIC, 5);
  g_autoptr (SwCarrier) destination = new_numbers (SW_TYPE_FILE_BACKED, 2);
  g_autoptr (SwTensor) tensor = new_tensor (source, 5);
  g_autoptr (SwTensor) moved = NULL;
  GError *error = NULL;

  moved = sw_move (tensor, destination, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sw_carrier_size (destination, NULL), ==, 5);
  assert_numbers (destination, 5);
}

static void
test_any (void)
{
  SwCarrier *source = NULL;
  SwCarrier *destination = NULL;
  SwValue *values[3] = { sw_value_new_int64 (7), sw_value_new_none (), sw_value_new_double (0.5) };
  g_autoptr (SwValueList) list = sw_value_list_new (values, 3);
  GError *error = NULL;

  source = sw_generic_new (list, TRUE, SW_DTYPE_ANY, &error);
  g_assert_no_error (error);
  destination = sw_generic_new (list, TRUE, SW_DTYPE_ANY, &error);
  g_assert_no_error (error);
  {
    g_autoptr (SwTensor) tensor = new_tensor (source, 3);
    g_autoptr (SwTensor) moved = sw_move (tensor, destination, &error);

    g_assert_no_error (error);
    g_assert_nonnull (moved);
    for (guint i = 0; i < 3; i++)
      {
        g_autoptr (SwValue) value = sw_carrier_get_value (destination, i, NULL);

        g_assert_true (sw_value_equal (value, values[i]));
      }
  }

  g_assert_finalize_object (source);
  g_assert_finalize_object (destination);
  for (guint i = 0; i < 3; i++)
    sw_value_unref (values[i]);
}

static void
test_same (void)
{
  g_autoptr (SwCarrier) carrier = new_numbers (SW_TYPE_CPU, 3);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 3);
  g_autoptr (SwTensor) moved = sw_move (tensor, carrier, NULL);

  g_assert_true (moved == tensor);
  g_assert_false (sw_carrier_is_released (carrier));
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 0);
}

static void
refuse (SwTensor *tensor,
        SwCarrier *destination,
        SwError code,
        const char *text)
{
  GError *error = NULL;

  g_assert_null (sw_move (tensor, destination, &error));
  assert_sw_error (error, code, text);
}

static void
test_refuses (void)
{
  g_autoptr (SwCarrier) source = new_numbers (SW_TYPE_CPU, 3);
  g_autoptr (SwTensor) tensor = new_tensor (source, 2);
  g_autoptr (SwCarrier) other_dtype = sw_cpu_new (3, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwCarrier) small = new_numbers (SW_TYPE_GENERIC, 2);
  g_autoptr (SwCarrier) immutable = sw_cpu_new (3, FALSE, SW_DTYPE_FLOAT64, FALSE, NULL);
  g_autoptr (SwCarrier) released = new_numbers (SW_TYPE_CPU, 3);
  g_autoptr (SwTensor) of_released = new_tensor (released, 2);
  g_autoptr (SwCarrier) shelf = new_numbers (other_shelf_get_type (), 3);

  g_assert_true (sw_carrier_release (released, NULL));
  refuse (tensor, other_dtype, SW_ERROR_TYPE, "Float32");
  refuse (tensor, small, SW_ERROR_VALUE, "room for 2 values");
  refuse (tensor, immutable, SW_ERROR_STATE, "immutable");
  refuse (tensor, released, SW_ERROR_STATE, "destination is a released CPU");
  refuse (of_released, small, SW_ERROR_STATE, "the tensor's carrier is a released CPU");
  refuse (of_released, released, SW_ERROR_STATE, "released");
  refuse (tensor, shelf, SW_ERROR_NOT_IMPLEMENTED, "no move from CPU to OtherShelf");

  assert_numbers (source, 3);
  assert_numbers (small, 2);
  g_assert_cmpuint (sw_carrier_get_version (small), ==, 0);
  g_assert_false (sw_carrier_is_owned (source));
  g_assert_false (sw_carrier_is_owned (small));
}

static void
test_refuses_owned (void)
{
  g_autoptr (SwCarrier) primary = new_numbers (SW_TYPE_CPU, 3);
  g_autoptr (SwCarrier) secondary = new_numbers (SW_TYPE_GENERIC, 3);
  g_autoptr (SwTensor) of_primary = new_tensor (primary, 3);
  g_autoptr (SwCarrier) carrier = sw_evictable_new (primary, secondary, NULL);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 3);
  g_autoptr (SwCarrier) other = new_numbers (SW_TYPE_CPU, 3);
  g_autoptr (SwTensor) of_other = new_tensor (other, 3);
  g_autoptr (SwTensor) moved = NULL;
  GError *error = NULL;

  refuse (of_primary, other, SW_ERROR_STATE, "composite");
  refuse (of_primary, primary, SW_ERROR_STATE, "composite");
  refuse (of_other, secondary, SW_ERROR_STATE, "composite");

  /* The hierarchy itself can be moved, to and from. */
  g_assert_true (sw_evictable_evict (SW_EVICTABLE (carrier), &error));
  refuse (tensor, other, SW_ERROR_STATE, "promote()");
  refuse (of_other, carrier, SW_ERROR_STATE, "promote()");
  g_assert_true (sw_evictable_promote (SW_EVICTABLE (carrier), &error));
  g_assert_no_error (error);
  g_assert_true (set_number (other, 1, 20, NULL));
  moved = sw_move (of_other, carrier, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (get_number (carrier, 1), ==, 20);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 1);
  g_assert_true (sw_carrier_is_released (other));
}

static void
test_moves_a_hierarchy (void)
{
  g_autoptr (SwCarrier) primary = new_numbers (SW_TYPE_CPU, 3);
  g_autoptr (SwCarrier) secondary = sw_file_backed_new (NULL, TRUE, SW_DTYPE_FLOAT64, NULL);
  g_autoptr (SwCarrier) carrier = sw_evictable_new (primary, secondary, NULL);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 3);
  g_autoptr (SwCarrier) destination = sw_file_backed_new (NULL, TRUE, SW_DTYPE_FLOAT64, NULL);
  GError *error = NULL;
  g_autoptr (SwTensor) moved = sw_move (tensor, destination, &error);

  g_assert_no_error (error);
  assert_numbers (destination, 3);
  g_assert_true (sw_carrier_is_released (carrier));
  g_assert_true (sw_carrier_is_released (primary));
  g_assert_true (sw_carrier_is_released (secondary));
}

static void
note_destroyed (gpointer data)
{
  ++*(guint *) data;
}

static void
test_registry (void)
{
  GError *error = NULL;
  guint n_destroyed = 0;

  g_assert_false (sw_register_move (SW_TYPE_CPU, SW_TYPE_GENERIC, shelf_move, &n_destroyed, note_destroyed, &error));
  assert_sw_error (error, SW_ERROR_VALUE, "already");
  g_assert_cmpuint (n_destroyed, ==, 1);
  g_assert_false (sw_register_move (shelf_get_type (), SW_TYPE_CPU, shelf_move, NULL, NULL, &error));
  assert_sw_error (error, SW_ERROR_VALUE, "Shelf");
  g_assert_false (sw_register_move (G_TYPE_OBJECT, SW_TYPE_CPU, shelf_move, NULL, NULL, &error));
  assert_sw_error (error, SW_ERROR_TYPE, "source_type is GObject");
  g_assert_false (sw_register_move (SW_TYPE_CPU, G_TYPE_INVALID, shelf_move, NULL, NULL, &error));
  assert_sw_error (error, SW_ERROR_TYPE, "destination_type");
}

static void
test_foreign (void)
{
  const ShelfBehaviour failures[] = { SHELF_FAILS_TO_MOVE, SHELF_MOVES_AND_FAILS, SHELF_MOVES_TO_NOTHING, SHELF_MOVES_TO_THE_SOURCE };
  SwCarrier *source = new_numbers (shelf_get_type (), 3);
  SwCarrier *destination = sw_cpu_new (3, TRUE, SW_DTYPE_FLOAT64, FALSE, NULL);
  SwTensor *tensor = new_tensor (source, 2);
  SwTensor *moved;
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      shelf_behaviour = failures[i];
      g_assert_null (sw_move (tensor, destination, &error));
      if (i < 2)
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
      else
        g_assert_error (error, SW_ERROR, SW_ERROR_TYPE);
      g_clear_error (&error);
      g_assert_false (sw_carrier_is_released (source));
      g_assert_false (sw_carrier_is_owned (source));
      g_assert_false (sw_carrier_is_owned (destination));
      assert_numbers (source, 3);
    }

  shelf_behaviour = SHELF_BEHAVES;
  moved = sw_move (tensor, destination, &error);
  g_assert_no_error (error);
  assert_numbers (destination, 3);
  g_assert_true (sw_carrier_is_released (source));

  sw_tensor_unref (tensor);
  sw_tensor_unref (moved);
  g_assert_finalize_object (source);
  g_assert_finalize_object (destination);
}

static SwCarrier *busy;

static void
release_busy (void)
{
  GError *error = NULL;

  g_assert_false (sw_carrier_release (busy, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_clear_error (&error);
}

/* The source cannot go away under a move. */
static void
test_source_is_busy (void)
{
  g_autoptr (SwCarrier) source = new_numbers (shelf_get_type (), 3);
  g_autoptr (SwCarrier) destination = sw_cpu_new (3, TRUE, SW_DTYPE_FLOAT64, FALSE, NULL);
  g_autoptr (SwTensor) tensor = new_tensor (source, 2);
  g_autoptr (SwTensor) moved = NULL;

  busy = source;
  shelf_on_move = release_busy;
  moved = sw_move (tensor, destination, NULL);
  shelf_on_move = NULL;
  g_assert_nonnull (moved);
  assert_numbers (destination, 3);
}

static void
test_full_disk (void)
{
  g_autoptr (SwCarrier) source = new_numbers (SW_TYPE_CPU, 100);
  g_autoptr (SwCarrier) filled = new_numbers (SW_TYPE_FILE_BACKED, 4);
  g_autoptr (SwCarrier) empty = sw_file_backed_new (NULL, TRUE, SW_DTYPE_FLOAT64, NULL);
  g_autoptr (SwTensor) tensor = new_tensor (source, 2);

  set_file_limit (100);
  refuse (tensor, filled, SW_ERROR_IO, "File too large");
  refuse (tensor, empty, SW_ERROR_IO, sw_file_backed_get_path (SW_FILE_BACKED (empty)));
  set_file_limit (RLIM_INFINITY);

  assert_numbers (source, 100);
  assert_numbers (filled, 4);
  g_assert_cmpint (sw_carrier_size (filled, NULL), ==, 4);
  g_assert_cmpint (sw_carrier_size (empty, NULL), ==, 0);
  g_assert_cmpuint (sw_carrier_get_version (filled), ==, 0);
}

/* What cannot be read must not leave half of itself behind. */
static void
test_damaged_source (void)
{
  const GType types[] = { SW_TYPE_GENERIC, SW_TYPE_CPU, SW_TYPE_FILE_BACKED };
  g_autoptr (SwCarrier) source = new_numbers (SW_TYPE_FILE_BACKED, 6);
  g_autoptr (SwTensor) tensor = new_tensor (source, 2);

  g_assert_true (set_number (source, 0, 50, NULL));
  g_assert_cmpint (truncate (sw_file_backed_get_path (SW_FILE_BACKED (source)), 20), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (SwCarrier) destination = new_numbers (types[i], 6);

      refuse (tensor, destination, SW_ERROR_IO, sw_file_backed_get_path (SW_FILE_BACKED (source)));
      assert_numbers (destination, 6);
    }
  g_assert_false (sw_carrier_is_released (source));
  g_assert_cmpfloat (get_number (source, 0), ==, 50);
}

int
main (int argc,
      char **argv)
{
  signal (SIGXFSZ, SIG_IGN);
  g_test_init (&argc, &argv, NULL);
  shelf_register_moves ();
  g_test_add_func ("/move/pairs", test_pairs);
  g_test_add_func ("/move/keeps-the-rest", test_keeps_the_rest);
  g_test_add_func ("/move/grows", test_grows);
  g_test_add_func ("/move/any", test_any);
  g_test_add_func ("/move/same", test_same);
  g_test_add_func ("/move/refuses", test_refuses);
  g_test_add_func ("/move/refuses-owned", test_refuses_owned);
  g_test_add_func ("/move/moves-a-hierarchy", test_moves_a_hierarchy);
  g_test_add_func ("/move/registry", test_registry);
  g_test_add_func ("/move/foreign", test_foreign);
  g_test_add_func ("/move/source-is-busy", test_source_is_busy);
  g_test_add_func ("/move/full-disk", test_full_disk);
  g_test_add_func ("/move/damaged-source", test_damaged_source);
  return g_test_run ();
}
