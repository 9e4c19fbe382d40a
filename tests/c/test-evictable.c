/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tier-fixture.h"

#include <string.h>

static void
test_new (void)
{
  SwCarrier *primary = new_numbers (SW_TYPE_CPU, N_VALUES);
  SwCarrier *secondary = new_numbers (SW_TYPE_FILE_BACKED, 0);
  GError *error = NULL;
  SwCarrier *carrier = sw_evictable_new (primary, secondary, &error);
  SwCarrier *tier;

  g_assert_no_error (error);
  g_assert_true (SW_IS_EVICTABLE (carrier));
  g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, N_VALUES);
  g_assert_cmpint (sw_carrier_dtype (carrier, NULL), ==, SW_DTYPE_FLOAT64);
  g_assert_true (sw_carrier_is_mutable (carrier, NULL));
  g_assert_false (sw_carrier_is_owned (carrier));
  g_assert_false (sw_evictable_is_evicted (SW_EVICTABLE (carrier)));
  assert_numbers (carrier, N_VALUES);
  tier = sw_evictable_get_primary (SW_EVICTABLE (carrier));
  g_assert_true (tier == primary);
  g_object_unref (tier);
  tier = sw_evictable_get_secondary (SW_EVICTABLE (carrier));
  g_assert_true (tier == secondary);
  g_object_unref (tier);

  g_assert_finalize_object (carrier);
  g_assert_false (sw_carrier_is_owned (primary));
  g_assert_false (sw_carrier_is_released (primary));
  g_assert_true (set_number (primary, 0, 1, NULL));
  g_assert_finalize_object (primary);
  g_assert_finalize_object (secondary);
}

static void
refuse_new (SwCarrier *primary,
            SwCarrier *secondary,
            SwError code,
            const char *text)
{
  gboolean primary_was_owned = sw_carrier_is_owned (primary);
  gboolean secondary_was_owned = sw_carrier_is_owned (secondary);
  GError *error = NULL;

  g_assert_null (sw_evictable_new (primary, secondary, &error));
  assert_sw_error (error, code, text);
  g_assert_cmpint (sw_carrier_is_owned (primary), ==, primary_was_owned);
  g_assert_cmpint (sw_carrier_is_owned (secondary), ==, secondary_was_owned);
}

static void
test_refuses (void)
{
  g_autoptr (SwCarrier) cpu = new_numbers (SW_TYPE_CPU, N_VALUES);
  g_autoptr (SwCarrier) generic = new_numbers (SW_TYPE_GENERIC, N_VALUES);
  g_autoptr (SwCarrier) floating = sw_generic_new_doubles (NULL, 0, SW_DTYPE_FLOATING, NULL);
  g_autoptr (SwCarrier) immutable = sw_cpu_new (3, FALSE, SW_DTYPE_FLOAT64, FALSE, NULL);
  g_autoptr (SwCarrier) released = new_numbers (SW_TYPE_CPU, N_VALUES);
  g_autoptr (SwCarrier) foreign = new_numbers (other_shelf_get_type (), N_VALUES);
  g_autoptr (SwEvictable) owner = new_hierarchy (SW_TYPE_CPU, SW_TYPE_GENERIC);
  g_autoptr (SwCarrier) owned = sw_evictable_get_primary (owner);
  g_autoptr (SwEvictable) evicted = new_hierarchy (SW_TYPE_CPU, SW_TYPE_GENERIC);

  evict (evicted);
  g_assert_true (sw_carrier_release (released, NULL));
  refuse_new (cpu, cpu, SW_ERROR_VALUE, "same CPU");
  refuse_new (released, generic, SW_ERROR_STATE, "primary is a released");
  refuse_new (cpu, released, SW_ERROR_STATE, "secondary is a released");
  refuse_new (owned, generic, SW_ERROR_STATE, "primary is a CPU that a composite");
  refuse_new (cpu, owned, SW_ERROR_STATE, "secondary is a CPU that a composite");
  refuse_new (SW_CARRIER (evicted), generic, SW_ERROR_STATE, "primary: the carrier is evicted");
  refuse_new (cpu, floating, SW_ERROR_TYPE, "secondary holds Floating, but primary Float64");
  refuse_new (cpu, immutable, SW_ERROR_STATE, "secondary is an immutable CPU");
  refuse_new (cpu, foreign, SW_ERROR_NOT_IMPLEMENTED, "no move from CPU to OtherShelf");
  refuse_new (foreign, generic, SW_ERROR_NOT_IMPLEMENTED, "no move from OtherShelf to Generic");
}

static void
test_owned (void)
{
  g_autoptr (SwEvictable) carrier = new_hierarchy (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwCarrier) primary = sw_evictable_get_primary (carrier);
  g_autoptr (SwCarrier) secondary = sw_evictable_get_secondary (carrier);
  GError *error = NULL;

  g_assert_true (sw_carrier_is_owned (primary));
  g_assert_true (sw_carrier_is_owned (secondary));
  g_assert_false (sw_carrier_is_mutable (primary, NULL));
  assert_numbers (primary, N_VALUES);
  g_assert_false (set_number (primary, 0, 7, &error));
  assert_sw_error (error, SW_ERROR_STATE, "composite");
  g_assert_false (sw_carrier_release (secondary, &error));
  assert_sw_error (error, SW_ERROR_STATE, "composite");
  g_assert_false (sw_carrier_release (primary, &error));
  assert_sw_error (error, SW_ERROR_STATE, "composite");
  assert_numbers (SW_CARRIER (carrier), N_VALUES);
}

static void
test_round_trips (void)
{
  const GType types[] = { SW_TYPE_GENERIC, SW_TYPE_CPU, SW_TYPE_FILE_BACKED, shelf_get_type () };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    for (guint k = 0; k < G_N_ELEMENTS (types); k++)
      {
        SwEvictable *carrier;
        SwCarrier *first;

        if (types[i] == shelf_get_type () && types[k] == types[i])
          continue;

        carrier = new_hierarchy (types[i], types[k]);
        g_assert_true (set_number (SW_CARRIER (carrier), 0, 1, NULL));
        first = sw_evictable_get_primary (carrier);
        for (guint n = 0; n < 3; n++)
          {
            evict (carrier);
            evict (carrier);
            g_assert_true (sw_carrier_is_released (first));
            g_assert_false (sw_carrier_is_owned (first));
            promote (carrier);
            promote (carrier);
          }
        g_assert_finalize_object (first);

        first = sw_evictable_get_primary (carrier);
        g_assert_true (G_OBJECT_TYPE (first) == types[i]);
        g_assert_true (sw_carrier_is_owned (first));
        g_assert_cmpint (sw_carrier_get_version (SW_CARRIER (carrier)), ==, 1);
        g_assert_finalize_object (carrier);
        g_assert_false (sw_carrier_is_owned (first));
        g_assert_finalize_object (first);
      }
  g_assert_cmpint (n_shelves, ==, 0);
}

static void
test_tiers (void)
{
  g_autoptr (SwEvictable) carrier = new_hierarchy (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwCarrier) secondary = sw_evictable_get_secondary (carrier);
  g_autoptr (SwCarrier) evicted_primary = NULL;
  g_autoptr (SwCarrier) promoted_secondary = NULL;
  g_autofree char *path = g_strdup (sw_file_backed_get_path (SW_FILE_BACKED (secondary)));

  evict (carrier);
  assert_numbers (secondary, N_VALUES);
  evicted_primary = sw_evictable_get_primary (carrier);
  g_assert_true (G_OBJECT_TYPE (evicted_primary) == SW_TYPE_CPU);
  g_assert_cmpint (sw_carrier_size (evicted_primary, NULL), ==, 0);
  g_assert_true (sw_carrier_is_owned (evicted_primary));

  promote (carrier);
  promoted_secondary = sw_evictable_get_secondary (carrier);
  g_assert_true (promoted_secondary != secondary);
  g_assert_true (sw_carrier_is_released (secondary));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpint (sw_carrier_size (promoted_secondary, NULL), ==, 0);
}

/* A secondary with room is used as it is, others are replaced. A foreign move function fills all of it. */
static void
test_room (void)
{
  const GType types[] = { SW_TYPE_GENERIC, SW_TYPE_CPU, shelf_get_type () };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    for (gint64 room = N_VALUES - 1; room <= N_VALUES + 1; room++)
      {
        g_autoptr (SwCarrier) primary = new_numbers (SW_TYPE_CPU, N_VALUES);
        g_autoptr (SwCarrier) secondary = new_numbers (types[i], room);
        g_autoptr (SwCarrier) carrier = sw_evictable_new (primary, secondary, NULL);
        g_autoptr (SwCarrier) used = NULL;
        gboolean fits = types[i] == shelf_get_type () ? room == N_VALUES : room >= N_VALUES;

        evict (SW_EVICTABLE (carrier));
        used = sw_evictable_get_secondary (SW_EVICTABLE (carrier));
        g_assert_true ((used == secondary) == fits);
        g_assert_true (sw_carrier_is_released (secondary) == !fits);
        g_assert_true (sw_carrier_is_owned (used));
        g_assert_cmpint (sw_carrier_size (used, NULL), ==, fits ? room : N_VALUES);
        promote (SW_EVICTABLE (carrier));
        g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, N_VALUES);
      }
}

static void
test_evicted (void)
{
  g_autoptr (SwEvictable) evictable = new_hierarchy (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  SwCarrier *carrier = SW_CARRIER (evictable);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, N_VALUES);
  g_autoptr (SwCarrier) like = NULL;
  GError *error = NULL;

  evict (evictable);
  g_assert_cmpint (sw_carrier_size (carrier, NULL), ==, N_VALUES);
  g_assert_cmpint (sw_carrier_dtype (carrier, NULL), ==, SW_DTYPE_FLOAT64);
  g_assert_null (sw_carrier_get_value (carrier, 0, &error));
  assert_sw_error (error, SW_ERROR_STATE, "the carrier is evicted; call promote() first");
  g_assert_false (set_number (carrier, 0, 1, &error));
  assert_sw_error (error, SW_ERROR_STATE, "promote()");
  g_assert_false (sw_carrier_scatter (carrier, tensor, tensor, sw_tensor_get_layout (tensor), 0, &error));
  assert_sw_error (error, SW_ERROR_STATE, "promote()");
  g_assert_null (sw_carrier_dispatch_op (carrier, "relu", &error));
  assert_sw_error (error, SW_ERROR_STATE, "promote()");
  g_assert_null (sw_tensor_dup_bytes (tensor, &error));
  assert_sw_error (error, SW_ERROR_STATE, "promote()");
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 0);

  like = sw_carrier_allocate_like (carrier, 3, TRUE, SW_DTYPE_INVALID, FALSE, &error);
  g_assert_no_error (error);
  g_assert_false (sw_evictable_is_evicted (SW_EVICTABLE (like)));
}

static void
test_writes (void)
{
  g_autoptr (SwEvictable) evictable = new_hierarchy (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  SwCarrier *carrier = SW_CARRIER (evictable);
  g_autoptr (SwCarrier) source_carrier = new_numbers (SW_TYPE_GENERIC, 2);
  g_autoptr (SwTensor) source = new_tensor (source_carrier, 2);
  g_autoptr (SwTensor) onto = new_tensor (carrier, N_VALUES);
  GError *error = NULL;

  g_assert_true (set_number (carrier, 4, 50, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (get_number (carrier, 4), ==, 50);
  g_assert_true (sw_carrier_scatter (carrier, source, onto, sw_tensor_get_layout (source), 3, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (get_number (carrier, 3), ==, 1);
  g_assert_cmpfloat (get_number (carrier, 4), ==, 2);
  g_assert_true (sw_carrier_scatter (carrier, onto, onto, sw_tensor_get_layout (onto), 0, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (sw_carrier_get_version (carrier), ==, 3);

  g_assert_false (set_number (carrier, N_VALUES, 0, &error));
  assert_sw_error (error, SW_ERROR_INDEX, "5");
}

static void
test_immutable (void)
{
  const GType types[] = { SW_TYPE_CPU, SW_TYPE_FILE_BACKED, shelf_get_type () };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (SwCarrier) numbers = new_numbers (types[i], N_VALUES);
      g_autoptr (SwCarrier) primary = sw_carrier_allocate_like (numbers, N_VALUES, FALSE, SW_DTYPE_FLOAT64, FALSE, NULL);
      g_autoptr (SwCarrier) secondary = new_numbers (SW_TYPE_GENERIC, 0);
      SwCarrier *carrier = sw_evictable_new (primary, secondary, NULL);
      g_autoptr (SwCarrier) promoted = NULL;
      GError *error = NULL;

      g_assert_false (sw_carrier_is_mutable (carrier, NULL));
      g_assert_true (sw_evictable_evict (SW_EVICTABLE (carrier), &error));
      g_assert_no_error (error);
      g_assert_true (sw_evictable_promote (SW_EVICTABLE (carrier), &error));
      g_assert_no_error (error);
      g_assert_false (sw_carrier_is_mutable (carrier, NULL));
      g_assert_false (set_number (carrier, 0, 1, &error));
      assert_sw_error (error, SW_ERROR_STATE, "immutable Evictable");
      g_assert_cmpfloat (get_number (carrier, 0), ==, 0);

      promoted = sw_evictable_get_primary (SW_EVICTABLE (carrier));
      g_assert_finalize_object (carrier);
      if (types[i] != shelf_get_type ())
        g_assert_false (sw_carrier_is_mutable (promoted, NULL));
    }
}

static void
test_release (void)
{
  SwEvictable *evictable = new_hierarchy (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  SwCarrier *carrier = SW_CARRIER (evictable);
  g_autoptr (SwCarrier) primary = sw_evictable_get_primary (evictable);
  g_autoptr (SwCarrier) secondary = sw_evictable_get_secondary (evictable);
  GError *error = NULL;

  g_assert_true (sw_carrier_release (carrier, &error));
  g_assert_no_error (error);
  g_assert_true (sw_carrier_is_released (primary));
  g_assert_true (sw_carrier_is_released (secondary));
  g_assert_false (sw_carrier_is_owned (primary));
  g_assert_false (g_file_test (sw_file_backed_get_path (SW_FILE_BACKED (secondary)), G_FILE_TEST_EXISTS));

  g_assert_null (sw_carrier_get_value (carrier, 0, &error));
  assert_sw_error (error, SW_ERROR_STATE, "released Evictable");
  g_assert_false (sw_evictable_evict (evictable, &error));
  assert_sw_error (error, SW_ERROR_STATE, "released Evictable");
  g_assert_false (sw_evictable_promote (evictable, &error));
  assert_sw_error (error, SW_ERROR_STATE, "released Evictable");
  g_assert_null (sw_carrier_dispatch_op (carrier, "relu", &error));
  assert_sw_error (error, SW_ERROR_STATE, "released Evictable");
  g_assert_finalize_object (carrier);
}

static void
test_like (void)
{
  g_autoptr (SwEvictable) evictable = new_hierarchy (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  const double numbers[] = { 1, 2, 3 };
  g_autoptr (SwValueList) list = sw_value_list_new_doubles (numbers, 3);
  g_autoptr (SwCarrier) fresh = NULL;
  g_autoptr (SwCarrier) secondary = NULL;
  GError *error = NULL;

  fresh = sw_carrier_new_like (SW_CARRIER (evictable), list, FALSE, SW_DTYPE_FLOAT32, &error);
  g_assert_no_error (error);
  g_assert_true (SW_IS_EVICTABLE (fresh));
  g_assert_cmpint (sw_carrier_dtype (fresh, NULL), ==, SW_DTYPE_FLOAT32);
  g_assert_false (sw_carrier_is_mutable (fresh, NULL));
  assert_numbers (fresh, 3);
  secondary = sw_evictable_get_secondary (SW_EVICTABLE (fresh));
  g_assert_true (SW_IS_FILE_BACKED (secondary));
  g_assert_cmpint (sw_carrier_size (secondary, NULL), ==, 0);
  evict (SW_EVICTABLE (fresh));
  g_assert_true (sw_evictable_promote (SW_EVICTABLE (fresh), NULL));
  assert_numbers (fresh, 3);

  g_assert_true (sw_carrier_supports_storage_dtype (fresh, SW_DTYPE_INT32));
  g_assert_false (sw_carrier_supports_storage_dtype (fresh, SW_DTYPE_ANY));
  g_assert_null (sw_carrier_new_like (fresh, list, TRUE, SW_DTYPE_ANY, &error));
  assert_sw_error (error, SW_ERROR_VALUE, "Any");
}

static void
check_nested (GType inner_primary,
              GType inner_secondary,
              GType outer_secondary)
{
  SwEvictable *inner = new_hierarchy (inner_primary, inner_secondary);
  SwCarrier *secondary = new_numbers (outer_secondary, 0);
  GError *error = NULL;
  SwCarrier *outer = sw_evictable_new (SW_CARRIER (inner), secondary, &error);

  g_assert_no_error (error);
  assert_numbers (outer, N_VALUES);
  g_assert_false (sw_evictable_evict (inner, &error));
  assert_sw_error (error, SW_ERROR_STATE, "composite");

  evict (SW_EVICTABLE (outer));
  g_assert_true (sw_carrier_is_released (SW_CARRIER (inner)));
  promote (SW_EVICTABLE (outer));
  g_assert_true (set_number (outer, 2, 3, &error));
  g_assert_no_error (error);
  evict (SW_EVICTABLE (outer));
  promote (SW_EVICTABLE (outer));

  g_assert_finalize_object (inner);
  g_assert_finalize_object (outer);
  g_assert_finalize_object (secondary);
}

static void
test_nested (void)
{
  check_nested (SW_TYPE_CPU, SW_TYPE_GENERIC, SW_TYPE_FILE_BACKED);
  check_nested (SW_TYPE_FILE_BACKED, SW_TYPE_CPU, SW_TYPE_GENERIC);
  check_nested (shelf_get_type (), SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_assert_cmpint (n_shelves, ==, 0);
}

static void
test_nested_secondary (void)
{
  SwEvictable *inner = new_hierarchy (SW_TYPE_GENERIC, SW_TYPE_FILE_BACKED);
  SwCarrier *primary = new_numbers (SW_TYPE_CPU, N_VALUES);
  SwCarrier *outer = sw_evictable_new (primary, SW_CARRIER (inner), NULL);

  evict (SW_EVICTABLE (outer));
  assert_numbers (SW_CARRIER (inner), N_VALUES);
  promote (SW_EVICTABLE (outer));
  evict (SW_EVICTABLE (outer));
  promote (SW_EVICTABLE (outer));
  g_assert_true (sw_carrier_is_released (SW_CARRIER (inner)));

  g_assert_finalize_object (outer);
  g_assert_finalize_object (inner);
  g_assert_finalize_object (primary);
}

static void
test_any (void)
{
  SwValue *values[2] = { sw_value_new_int64 (7), sw_value_new_none () };
  g_autoptr (SwValueList) list = sw_value_list_new (values, 2);
  g_autoptr (SwCarrier) primary = sw_generic_new (list, TRUE, SW_DTYPE_ANY, NULL);
  g_autoptr (SwCarrier) secondary = sw_carrier_allocate_like (primary, 0, TRUE, SW_DTYPE_ANY, FALSE, NULL);
  g_autoptr (SwCarrier) innermost_secondary = sw_carrier_allocate_like (primary, 0, TRUE, SW_DTYPE_ANY, FALSE, NULL);
  g_autoptr (SwCarrier) inner = sw_evictable_new (primary, innermost_secondary, NULL);
  g_autoptr (SwCarrier) carrier = sw_evictable_new (inner, secondary, NULL);
  GError *error = NULL;

  for (guint i = 0; i < 2; i++)
    {
      evict (SW_EVICTABLE (carrier));
      g_assert_true (sw_evictable_promote (SW_EVICTABLE (carrier), &error));
      g_assert_no_error (error);
    }
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (SwValue) value = sw_carrier_get_value (carrier, i, NULL);

      g_assert_true (sw_value_equal (value, values[i]));
      sw_value_unref (values[i]);
    }
}

static gint stop;

/* A tier that is released is nothing the user knows of: the values are elsewhere, or gone. */
static void
assert_away (const GError *error)
{
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_true (g_str_equal (error->message, "the carrier is evicted; call promote() first") ||
                 g_str_equal (error->message, "carrier is a released Evictable"));
}

/* The values themselves are the user's to guard: each thread writes another one. */
static gpointer
use_tiers (gpointer data)
{
  static int n_threads;
  SwCarrier *carrier = data;
  const gint64 own = 3 + g_atomic_int_add (&n_threads, 1) % 2;

  while (!g_atomic_int_get (&stop))
    {
      GError *error = NULL;
      g_autoptr (SwValue) value = sw_carrier_get_value (carrier, 2, &error);
      g_autoptr (SwCarrier) primary = sw_evictable_get_primary (SW_EVICTABLE (carrier));

      if (value != NULL)
        g_assert_cmpfloat (sw_value_get_double (value), ==, 3);
      else
        assert_away (error);
      g_clear_error (&error);
      if (!set_number (carrier, own, own + 1, &error))
        g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
      g_clear_error (&error);
    }

  return NULL;
}

static gpointer
change_tiers (gpointer data)
{
  SwEvictable *carrier = data;

  while (!g_atomic_int_get (&stop))
    {
      GError *error = NULL;

      if (!sw_evictable_evict (carrier, &error))
        g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
      g_clear_error (&error);
      if (!sw_evictable_promote (carrier, &error))
        g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
      g_clear_error (&error);
    }

  return NULL;
}

static void
test_threads (void)
{
  const GType types[] = { SW_TYPE_CPU, SW_TYPE_GENERIC, SW_TYPE_FILE_BACKED };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      SwEvictable *carrier = new_hierarchy (types[i], types[(i + 2) % 3]);
      GThread *threads[4];

      g_atomic_int_set (&stop, 0);
      for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
        threads[k] = g_thread_new ("tiers", k < 2 ? use_tiers : change_tiers, carrier);
      g_usleep (100000);
      /* Released while all others are at work, in every second round. */
      if (i == 1)
        g_assert_true (sw_carrier_release (SW_CARRIER (carrier), NULL));
      g_atomic_int_set (&stop, 1);
      for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
        g_thread_join (threads[k]);
      if (i != 1)
        promote (carrier);
      g_assert_finalize_object (carrier);
    }
}

static SwEvictable *moving;

static void
move_away (void)
{
  evict (moving);
}

static void
move_away_and_back (void)
{
  evict (moving);
  promote (moving);
}

/* The tiers change in the middle of a read: who reads gets the value, wherever it is, or hears that it is away. */
static void
test_reads_meet_changes (void)
{
  g_autoptr (SwEvictable) carrier = moving = new_hierarchy (shelf_get_type (), SW_TYPE_CPU);
  g_autoptr (SwTensor) tensor = new_tensor (SW_CARRIER (carrier), N_VALUES);
  g_autoptr (GBytes) bytes = NULL;
  double numbers[N_VALUES];
  GError *error = NULL;

  for (guint i = 0; i < N_VALUES; i++)
    numbers[i] = i + 1;
  shelf_on_use = move_away_and_back;
  g_assert_cmpfloat (get_number (SW_CARRIER (carrier), 2), ==, 3);
  g_assert_null (shelf_on_use);

  shelf_on_use = move_away_and_back;
  bytes = sw_tensor_dup_bytes (tensor, &error);
  g_assert_no_error (error);
  g_assert_null (shelf_on_use);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), numbers, sizeof numbers);

  shelf_on_use = move_away;
  g_assert_null (sw_carrier_get_value (SW_CARRIER (carrier), 2, &error));
  assert_away (error);
  g_clear_error (&error);
  promote (carrier);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  shelf_register_moves ();
  g_test_add_func ("/evictable/new", test_new);
  g_test_add_func ("/evictable/refuses", test_refuses);
  g_test_add_func ("/evictable/owned", test_owned);
  g_test_add_func ("/evictable/round-trips", test_round_trips);
  g_test_add_func ("/evictable/tiers", test_tiers);
  g_test_add_func ("/evictable/room", test_room);
  g_test_add_func ("/evictable/evicted", test_evicted);
  g_test_add_func ("/evictable/writes", test_writes);
  g_test_add_func ("/evictable/immutable", test_immutable);
  g_test_add_func ("/evictable/release", test_release);
  g_test_add_func ("/evictable/like", test_like);
  g_test_add_func ("/evictable/nested", test_nested);
  g_test_add_func ("/evictable/nested-secondary", test_nested_secondary);
  g_test_add_func ("/evictable/any", test_any);
  g_test_add_func ("/evictable/reads-meet-changes", test_reads_meet_changes);
  g_test_add_func ("/evictable/threads", test_threads);
  return g_test_run ();
}
