/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tier-fixture.h"

#include "sw-profiler/operation/sw-profiler-event.h"
#include "sw-profiler/operation/sw-profiler.h"
#include "sw/carriers/evictable/sw-evictable-operation.h"
#include "sw/operations/sw-execution-options.h"
#include "sw/operations/sw-functions.h"

#include <string.h>

static SwTensor *
new_hierarchy_tensor (GType primary_type,
                      GType secondary_type)
{
  g_autoptr (SwEvictable) carrier = new_hierarchy (primary_type, secondary_type);

  return new_tensor (SW_CARRIER (carrier), N_VALUES);
}

/* Dispatches by the first tensor. */
static SwTensor *
call (const char *name,
      SwTensor *first,
      SwTensor *second,
      GError **error)
{
  SwTensor *tensors[] = { first, second };
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (tensors, second != NULL ? 2 : 1);

  return sw_call_operation (name, inputs, NULL, error);
}

static void
assert_hierarchy (SwTensor *tensor,
                  GType primary_type,
                  GType secondary_type)
{
  SwCarrier *carrier = sw_tensor_get_carrier (tensor);
  g_autoptr (SwCarrier) primary = NULL;
  g_autoptr (SwCarrier) secondary = NULL;

  g_assert_true (SW_IS_EVICTABLE (carrier));
  primary = sw_evictable_get_primary (SW_EVICTABLE (carrier));
  secondary = sw_evictable_get_secondary (SW_EVICTABLE (carrier));
  g_assert_true (G_OBJECT_TYPE (primary) == primary_type);
  g_assert_true (G_OBJECT_TYPE (secondary) == secondary_type);
  g_assert_true (sw_carrier_is_owned (primary));
  g_assert_cmpint (sw_carrier_size (secondary, NULL), ==, 0);
}

static void
test_computes (void)
{
  const GType types[] = { SW_TYPE_CPU, SW_TYPE_GENERIC };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (SwTensor) tensor = new_hierarchy_tensor (types[i], SW_TYPE_FILE_BACKED);
      g_autoptr (SwTensor) negative = NULL;
      g_autoptr (SwTensor) sum = NULL;
      g_autoptr (SwTensor) largest = NULL;
      GError *error = NULL;

      negative = sw_neg (tensor, &error);
      g_assert_no_error (error);
      assert_hierarchy (negative, types[i], SW_TYPE_FILE_BACKED);
      g_assert_true (sw_tensor_get_carrier (negative) != sw_tensor_get_carrier (tensor));
      g_assert_cmpfloat (get_number (sw_tensor_get_carrier (negative), 4), ==, -5);

      sum = sw_add (tensor, negative, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (get_number (sw_tensor_get_carrier (sum), 3), ==, 0);

      largest = sw_argmax (tensor, &error);
      g_assert_no_error (error);
      g_assert_cmpint (sw_tensor_get_dtype (largest), ==, SW_DTYPE_INT64);
      assert_hierarchy (largest, types[i], SW_TYPE_FILE_BACKED);

      g_assert_true (sw_evictable_evict (SW_EVICTABLE (sw_tensor_get_carrier (sum)), &error));
      g_assert_no_error (error);
      g_assert_true (sw_evictable_promote (SW_EVICTABLE (sw_tensor_get_carrier (sum)), &error));
      g_assert_no_error (error);
      g_assert_cmpfloat (get_number (sw_tensor_get_carrier (sum), 3), ==, 0);
    }
}

static void
test_scalar (void)
{
  g_autoptr (SwTensor) tensor = new_hierarchy_tensor (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwTensor) result = NULL;
  GError *error = NULL;

  result = sw_mul_scalar (tensor, 2, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (get_number (sw_tensor_get_carrier (result), 4), ==, 10);
}

/* A view of the primary is a view of the hierarchy. */
static void
test_view (void)
{
  g_autoptr (SwTensor) tensor = new_hierarchy_tensor (SW_TYPE_CPU, SW_TYPE_GENERIC);
  g_autoptr (SwTensor) shelved = new_hierarchy_tensor (shelf_get_type (), SW_TYPE_CPU);
  g_autoptr (SwShape) shape = sw_shape_new ((gint64[]){ 1, N_VALUES }, 2, NULL);
  g_autoptr (SwTensor) view = NULL;
  g_autoptr (SwTensor) shelved_view = NULL;
  GError *error = NULL;

  view = sw_reshape (tensor, shape, &error);
  g_assert_no_error (error);
  g_assert_true (sw_tensor_get_carrier (view) == sw_tensor_get_carrier (tensor));

  shelved_view = call ("view", shelved, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (sw_tensor_get_carrier (shelved_view) == sw_tensor_get_carrier (shelved));
}

static void
test_foreign (void)
{
  SwTensor *tensor = new_hierarchy_tensor (shelf_get_type (), SW_TYPE_FILE_BACKED);
  SwTensor *half;
  SwTensor *count;
  GError *error = NULL;

  half = call ("halve", tensor, NULL, &error);
  g_assert_no_error (error);
  assert_hierarchy (half, shelf_get_type (), SW_TYPE_FILE_BACKED);
  g_assert_cmpfloat (get_number (sw_tensor_get_carrier (half), 2), ==, 1.5);
  count = call ("count", tensor, half, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (get_number (sw_tensor_get_carrier (count), 2), ==, 2);

  g_assert_null (call ("fail", tensor, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BUSY);
  g_clear_error (&error);

  sw_tensor_unref (tensor);
  sw_tensor_unref (half);
  sw_tensor_unref (count);
  g_assert_cmpint (n_shelves, ==, 0);
}

static void
refuse (SwTensor *first,
        SwTensor *second,
        SwError code,
        const char *text)
{
  GError *error = NULL;

  g_assert_null (call ("add", first, second, &error));
  assert_sw_error (error, code, text);
}

static void
test_refuses (void)
{
  g_autoptr (SwTensor) tensor = new_hierarchy_tensor (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwTensor) other_primary = new_hierarchy_tensor (SW_TYPE_GENERIC, SW_TYPE_FILE_BACKED);
  g_autoptr (SwTensor) other_secondary = new_hierarchy_tensor (SW_TYPE_CPU, SW_TYPE_GENERIC);
  g_autoptr (SwTensor) evicted = new_hierarchy_tensor (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwTensor) released = new_hierarchy_tensor (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwCarrier) cpu = new_numbers (SW_TYPE_CPU, N_VALUES);
  g_autoptr (SwTensor) plain = new_tensor (cpu, N_VALUES);
  GError *error = NULL;

  g_assert_true (sw_evictable_evict (SW_EVICTABLE (sw_tensor_get_carrier (evicted)), NULL));
  g_assert_true (sw_carrier_release (sw_tensor_get_carrier (released), NULL));
  refuse (tensor, plain, SW_ERROR_TYPE, "inputs[1] lies on a CPU, not on an Evictable");
  refuse (tensor, other_primary, SW_ERROR_TYPE, "over Generic and FileBacked, not over CPU and FileBacked");
  refuse (tensor, other_secondary, SW_ERROR_TYPE, "inputs[1] lies on an Evictable over");
  refuse (tensor, evicted, SW_ERROR_STATE, "inputs[1]: the carrier is evicted; call promote() first");
  refuse (evicted, tensor, SW_ERROR_STATE, "promote()");
  refuse (tensor, released, SW_ERROR_STATE, "released");

  g_assert_null (sw_carrier_dispatch_op (sw_tensor_get_carrier (tensor), "nonsense", &error));
  assert_sw_error (error, SW_ERROR_NOT_IMPLEMENTED, "nonsense");
  g_assert_null (sw_carrier_dispatch_op (sw_tensor_get_carrier (released), "relu", &error));
  assert_sw_error (error, SW_ERROR_STATE, "released");
}

static void
test_primary_does_not_compute (void)
{
  g_autoptr (SwTensor) tensor = new_hierarchy_tensor (SW_TYPE_FILE_BACKED, SW_TYPE_CPU);
  GError *error = NULL;

  g_assert_null (sw_relu (tensor, &error));
  assert_sw_error (error, SW_ERROR_NOT_IMPLEMENTED, "FileBacked stores values and does not compute: relu");
}

static void
test_runs_once (void)
{
  g_autoptr (SwTensor) tensor = new_hierarchy_tensor (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&tensor, 1);
  g_autoptr (SwOperation) operation = NULL;
  g_autoptr (SwOperation) direct = g_object_new (SW_TYPE_EVICTABLE_OPERATION, NULL);
  g_autoptr (SwTensor) result = NULL;
  GError *error = NULL;

  operation = sw_carrier_dispatch_op (sw_tensor_get_carrier (tensor), "relu", &error);
  g_assert_no_error (error);
  g_assert_true (SW_IS_EVICTABLE_OPERATION (operation));
  g_assert_cmpstr (sw_operation_get_dispatch_name (operation), ==, "relu");
  g_assert_true (sw_operation_get_carrier_type (operation) == SW_TYPE_EVICTABLE);
  result = sw_operation_forward (operation, inputs, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (sw_operation_forward (operation, inputs, NULL, &error));
  assert_sw_error (error, SW_ERROR_STATE, "runs once");

  g_assert_null (sw_operation_forward (direct, inputs, NULL, &error));
  assert_sw_error (error, SW_ERROR_STATE, "dispatch_op()");
}

static void
test_options (void)
{
  g_autoptr (SwTensor) tensor = new_hierarchy_tensor (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwExecutionOptions) options = sw_execution_options_new ("reduce_sum", SW_DTYPE_FLOAT64, NULL);
  g_autoptr (SwExecutionOptions) wrong = sw_execution_options_new ("matmul", SW_DTYPE_FLOAT64, NULL);
  g_autoptr (SwTensor) sum = NULL;
  GError *error = NULL;

  sum = sw_reduce_sum (tensor, options, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (get_number (sw_tensor_get_carrier (sum), 0), ==, 15);
  g_assert_null (sw_reduce_sum (tensor, wrong, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_VALUE);
  g_clear_error (&error);
}

static void
assert_event (SwProfiler *profiler,
              gint64 id,
              gint64 parent,
              const char *name,
              GType carrier_type,
              gboolean succeeded)
{
  g_autoptr (SwProfilerEvent) event = sw_profiler_dup_event (profiler, id, NULL);
  gint64 parent_id = -1;

  g_assert_cmpstr (sw_profiler_event_get_name (event), ==, name);
  g_assert_true (sw_profiler_event_get_carrier_type (event) == carrier_type);
  g_assert_cmpint (sw_profiler_event_get_parent_id (event, &parent_id), ==, parent >= 0);
  if (parent >= 0)
    g_assert_cmpint (parent_id, ==, parent);
  g_assert_cmpint (sw_profiler_event_get_succeeded (event), ==, succeeded);
}

static void
test_profiled (void)
{
  g_autoptr (SwEvictable) inner = new_hierarchy (SW_TYPE_CPU, SW_TYPE_GENERIC);
  g_autoptr (SwCarrier) file = new_numbers (SW_TYPE_FILE_BACKED, 0);
  g_autoptr (SwCarrier) outer = sw_evictable_new (SW_CARRIER (inner), file, NULL);
  g_autoptr (SwTensor) tensor = new_tensor (outer, N_VALUES);
  g_autoptr (SwTensor) plain = NULL;
  g_autoptr (SwCarrier) cpu = new_numbers (SW_TYPE_CPU, N_VALUES);
  g_autoptr (SwCarrier) destination = new_numbers (SW_TYPE_GENERIC, N_VALUES);
  g_autoptr (SwTensor) moved = NULL;
  g_autoptr (SwTensor) result = NULL;
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);
  GError *error = NULL;

  plain = new_tensor (cpu, N_VALUES);
  g_assert_true (sw_profiler_enter (profiler, &error));
  result = sw_relu (tensor, &error);
  g_assert_no_error (error);
  g_assert_null (sw_add (tensor, plain, NULL));
  moved = sw_move (plain, destination, &error);
  g_assert_no_error (error);
  g_assert_true (sw_evictable_evict (SW_EVICTABLE (outer), &error));
  g_assert_true (sw_evictable_promote (SW_EVICTABLE (outer), &error));
  g_assert_true (sw_profiler_exit (profiler, &error));

  g_assert_cmpint (sw_profiler_count_events (profiler, NULL), ==, 4);
  assert_event (profiler, 0, -1, "relu", SW_TYPE_EVICTABLE, TRUE);
  assert_event (profiler, 1, 0, "relu", SW_TYPE_EVICTABLE, TRUE);
  assert_event (profiler, 2, 1, "relu", SW_TYPE_CPU, TRUE);
  assert_event (profiler, 3, -1, "add", SW_TYPE_EVICTABLE, FALSE);

  assert_hierarchy (result, SW_TYPE_EVICTABLE, SW_TYPE_FILE_BACKED);
  assert_numbers (sw_tensor_get_carrier (result), N_VALUES);
}

static SwEvictable *moving;

static void
move_away_and_back (void)
{
  evict (moving);
  promote (moving);
}

/* An operation cannot begin again: it says what came between, and the next one computes. */
static void
test_meets_a_change (void)
{
  g_autoptr (SwTensor) tensor = new_hierarchy_tensor (shelf_get_type (), SW_TYPE_CPU);
  g_autoptr (SwTensor) result = NULL;
  GError *error = NULL;

  moving = SW_EVICTABLE (sw_tensor_get_carrier (tensor));
  shelf_on_use = move_away_and_back;
  g_assert_null (call ("halve", tensor, NULL, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_cmpstr (error->message, ==, "inputs[0]: the carrier's values were moving between its tiers");
  g_clear_error (&error);

  result = call ("halve", tensor, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (get_number (sw_tensor_get_carrier (result), 4), ==, 2.5);
}

static gint stop;

static gpointer
change_tiers (gpointer data)
{
  while (!g_atomic_int_get (&stop))
    {
      g_assert_true (sw_evictable_evict (data, NULL));
      g_assert_true (sw_evictable_promote (data, NULL));
    }

  return NULL;
}

/* A tier that is released is nothing the user knows of. */
static void
assert_away (const GError *error)
{
  g_assert_error (error, SW_ERROR, SW_ERROR_STATE);
  g_assert_null (strstr (error->message, "released"));
}

/* What computes keeps the primary that it began with. */
static void
test_threads (void)
{
  SwTensor *tensor = new_hierarchy_tensor (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  SwCarrier *carrier = g_object_ref (sw_tensor_get_carrier (tensor));
  GThread *thread = g_thread_new ("tiers", change_tiers, carrier);

  for (guint i = 0; i < 2000; i++)
    {
      GError *error = NULL;
      g_autoptr (SwTensor) result = sw_neg (tensor, &error);

      if (result != NULL)
        g_assert_cmpfloat (get_number (sw_tensor_get_carrier (result), 4), ==, -5);
      else
        assert_away (error);
      g_clear_error (&error);
    }

  g_atomic_int_set (&stop, 1);
  g_thread_join (thread);
  sw_tensor_unref (tensor);
  g_assert_finalize_object (carrier);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  shelf_register_moves ();
  g_test_add_func ("/evictable-operation/computes", test_computes);
  g_test_add_func ("/evictable-operation/scalar", test_scalar);
  g_test_add_func ("/evictable-operation/view", test_view);
  g_test_add_func ("/evictable-operation/foreign", test_foreign);
  g_test_add_func ("/evictable-operation/refuses", test_refuses);
  g_test_add_func ("/evictable-operation/primary-does-not-compute", test_primary_does_not_compute);
  g_test_add_func ("/evictable-operation/runs-once", test_runs_once);
  g_test_add_func ("/evictable-operation/options", test_options);
  g_test_add_func ("/evictable-operation/profiled", test_profiled);
  g_test_add_func ("/evictable-operation/meets-a-change", test_meets_a_change);
  g_test_add_func ("/evictable-operation/threads", test_threads);
  return g_test_run ();
}
