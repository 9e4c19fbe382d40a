/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/tensor/sw-carrier-private.h"

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
test_ownership (void)
{
  g_autoptr (SwCarrier) owner = sw_cpu_new (0, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwCarrier) carrier = sw_generic_new_doubles ((const double[]){ 1 }, 1, SW_DTYPE_FLOATING, NULL);
  g_autoptr (SwTensor) tensor = new_tensor (carrier, 1);
  g_autoptr (SwValue) value = sw_value_new_double (2);
  g_autoptr (SwValue) found = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (sw_carrier_claim (carrier, owner, "primary", &error));
  g_assert_no_error (error);
  g_assert_true (sw_carrier_is_owned (carrier));
  g_assert_false (sw_carrier_is_mutable (carrier, NULL));
  assert_state (sw_carrier_claim (carrier, owner, "secondary", &state_error), "secondary is a Generic that a composite carrier owns");
  assert_state (sw_carrier_set_value (carrier, 0, value, &state_error), "carrier is a Generic that a composite carrier owns");
  assert_state (sw_carrier_scatter (carrier, tensor, tensor, sw_tensor_get_layout (tensor), 0, &state_error),
                "carrier is a Generic that a composite carrier owns");
  assert_state (sw_carrier_release (carrier, &state_error), "carrier is a Generic that a composite carrier owns");
  found = sw_carrier_get_value (carrier, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (sw_value_get_double (found), ==, 1);

  /* The owner goes past the check. */
  g_assert_true (sw_carrier_call_set_value (carrier, 0, value, &error));
  sw_carrier_relinquish (carrier, owner);
  g_assert_false (sw_carrier_is_owned (carrier));
  g_assert_true (sw_carrier_set_value (carrier, 0, value, &error));

  g_assert_true (sw_carrier_claim (carrier, owner, "primary", &error));
  sw_carrier_release_owned (carrier);
  g_assert_true (sw_carrier_is_released (carrier));
  sw_carrier_relinquish (carrier, owner);
  g_assert_true (sw_carrier_is_released (carrier));
  g_assert_no_error (error);
}

static void
count_call (gpointer n_calls)
{
  ++*(guint *) n_calls;
}

/* A hold, or an owner, or both, when the release comes: the storage goes once, and last. */
static void
test_holds (void)
{
  for (guint owned = 0; owned < 2; owned++)
    {
      double memory[1] = { 1 };
      guint n_calls = 0;
      g_autoptr (SwCarrier) owner = sw_cpu_new (0, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
      g_autoptr (SwCarrier) carrier = sw_cpu_new_for_memory (1, (gsize) memory, TRUE, SW_DTYPE_FLOAT64, count_call, &n_calls, NULL);
      g_autoptr (GError) error = NULL;
      SwStorage first = { 0 }, second = { 0 };

      if (owned)
        g_assert_true (sw_carrier_claim (carrier, owner, "primary", NULL));
      g_assert_true (sw_carrier_hold (carrier, &first, &error));
      g_assert_true (sw_carrier_hold (carrier, &second, &error));
      g_assert_true (first.data == memory && second.data == memory && first.size == 1 && first.dtype == SW_DTYPE_FLOAT64);
      if (owned)
        sw_carrier_release_owned (carrier);
      else
        g_assert_true (sw_carrier_release (carrier, NULL));
      g_assert_false (sw_carrier_hold (carrier, &first, &error));
      g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
      sw_carrier_drop (carrier);
      g_assert_cmpuint (n_calls, ==, 0);
      sw_carrier_drop (carrier);
      g_assert_cmpuint (n_calls, ==, 1);
      if (owned)
        sw_carrier_relinquish (carrier, owner);
      g_assert_finalize_object (g_steal_pointer (&carrier));
      g_assert_cmpuint (n_calls, ==, 1);
    }
}

/* What the hot path pays, for a look with --verbose. */
static void
test_hold_costs (void)
{
  g_autoptr (SwCarrier) carrier = sw_cpu_new (1, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  const guint n = 1000000;
  SwStorage storage;
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < n; i++)
    {
      g_assert_true (sw_carrier_hold (carrier, &storage, NULL));
      sw_carrier_drop (carrier);
    }
  g_test_message ("hold and drop: %.1f ns", (g_get_monotonic_time () - start) * 1000.0 / n);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/carrier-life/ownership", test_ownership);
  g_test_add_func ("/carrier-life/holds", test_holds);
  g_test_add_func ("/carrier-life/hold-costs", test_hold_costs);
  return g_test_run ();
}
