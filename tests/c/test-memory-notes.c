/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <strideweave.h>
#include <unistd.h>

#include "sw/base/sw-note-private.h"
#include "sw/carriers/sw-memory-notes-private.h"
#include "tier-fixture.h"

/* What carriers say about memory and files. */

static SwMemoryCollector *
listen (SwTraceVerbosity verbosity)
{
  SwTraceContext *context = sw_trace_context_get_default ();
  SwMemoryCollector *collector = sw_memory_collector_new (4096, NULL);

  sw_trace_context_set_verbosity (context, verbosity);
  sw_trace_context_set_collector (context, SW_COLLECTOR (collector));
  return collector;
}

static GPtrArray *
stop (SwMemoryCollector *collector)
{
  sw_trace_context_set_collector (sw_trace_context_get_default (), NULL);
  return sw_memory_collector_dup_events (collector);
}

/* "name(key=value, ...)": the chosen arguments of all events but counters, as they came in. */
static char *
describe (GPtrArray *events)
{
  static const char *const keys[] = { "from", "to", "carrier", "dtype", "bytes", "failed", "error" };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < events->len; i++)
    {
      SwTraceEvent *event = g_ptr_array_index (events, i);
      g_autoptr (GVariant) arguments = sw_trace_event_dup_arguments (event);

      if (sw_trace_event_get_kind (event) == SW_TRACE_EVENT_KIND_COUNTER)
        continue;
      g_string_append_printf (text, "%s(", sw_trace_event_get_name (event));
      for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
        {
          g_autoptr (GVariant) value = g_variant_lookup_value (arguments, keys[k], NULL);
          g_autofree char *printed = value != NULL ? g_variant_print (value, FALSE) : NULL;

          if (printed != NULL)
            g_string_append_printf (text, "%s=%s ", keys[k], printed);
        }
      g_string_truncate (text, text->str[text->len - 1] == ' ' ? text->len - 1 : text->len);
      g_string_append (text, ")\n");
    }
  return g_string_free (text, FALSE);
}

static void
assert_events (SwMemoryCollector *collector,
               const char *expected)
{
  g_autoptr (GPtrArray) events = stop (collector);
  g_autofree char *described = describe (events);

  g_assert_cmpstr (described, ==, expected);
}

static void
test_tiers (void)
{
  g_autoptr (SwEvictable) carrier = new_hierarchy (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwMemoryCollector) collector = listen (SW_TRACE_VERBOSITY_OPERATIONS);

  evict (carrier);
  evict (carrier);
  promote (carrier);
  promote (carrier);
  assert_events (collector, "file.write(bytes=40)\n"
                            "evict(from='Strideweave.CPU' to='Strideweave.FileBacked' bytes=40)\n"
                            "file.read(bytes=40)\n"
                            "promote(from='Strideweave.FileBacked' to='Strideweave.CPU' bytes=40)\n");
}

static void
test_failed_promotion (void)
{
  g_autoptr (SwEvictable) carrier = new_hierarchy (SW_TYPE_CPU, SW_TYPE_FILE_BACKED);
  g_autoptr (SwMemoryCollector) collector = NULL;
  g_autoptr (SwCarrier) secondary = sw_evictable_get_secondary (carrier);
  const char *path = sw_file_backed_get_path (SW_FILE_BACKED (secondary));
  g_autoptr (GPtrArray) events = NULL;
  g_autoptr (GVariant) arguments = NULL;
  const char *reason;
  g_autofree char *described = NULL;

  evict (carrier);
  g_assert_cmpint (truncate (path, 20), ==, 0);
  collector = listen (SW_TRACE_VERBOSITY_OPERATIONS);
  g_assert_false (sw_evictable_promote (carrier, NULL));
  g_assert_true (sw_carrier_release (SW_CARRIER (carrier), NULL));
  g_assert_false (sw_evictable_promote (carrier, NULL));
  events = stop (collector);
  described = describe (events);
  g_assert_cmpstr (described, ==,
                   "file.read(bytes=40 failed=true error='io')\n"
                   "promote(from='Strideweave.FileBacked' to='Strideweave.CPU' bytes=40 failed=true error='io')\n"
                   "promote(bytes=40 failed=true error='state')\n");
  arguments = sw_trace_event_dup_arguments (g_ptr_array_index (events, 1));
  g_assert_true (g_variant_lookup (arguments, "reason", "&s", &reason));
  g_assert_nonnull (strstr (reason, path));
}

static void
test_foreign_failure (void)
{
  g_autoptr (SwEvictable) carrier = new_hierarchy (shelf_get_type (), SW_TYPE_CPU);
  g_autoptr (SwMemoryCollector) collector = listen (SW_TRACE_VERBOSITY_OPERATIONS);

  shelf_behaviour = SHELF_MOVES_TO_NOTHING;
  g_assert_false (sw_evictable_evict (carrier, NULL));
  shelf_behaviour = SHELF_BEHAVES;
  assert_events (collector, "evict(from='Shelf' to='Strideweave.CPU' bytes=40 failed=true error='type')\n");
}

static void
test_move (void)
{
  g_autoptr (SwCarrier) source = sw_cpu_new (8, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwCarrier) destination = sw_generic_new_doubles (NULL, 0, SW_DTYPE_FLOATING, NULL);
  g_autoptr (SwCarrier) file = sw_file_backed_new (NULL, TRUE, SW_DTYPE_FLOAT32, NULL);
  g_autoptr (SwTensor) tensor = new_tensor (source, 8);
  g_autoptr (SwMemoryCollector) collector = listen (SW_TRACE_VERBOSITY_OPERATIONS);
  g_autoptr (SwTensor) moved = NULL;
  g_autoptr (SwTensor) same = NULL;

  g_assert_null (sw_move (tensor, destination, NULL));
  moved = sw_move (tensor, file, NULL);
  g_assert_nonnull (moved);
  same = sw_move (moved, file, NULL);
  g_assert_true (same == moved);
  assert_events (collector, "move(from='Strideweave.CPU' to='Strideweave.Generic' bytes=32 failed=true error='type')\n"
                            "file.write(bytes=32)\n"
                            "move(from='Strideweave.CPU' to='Strideweave.FileBacked' bytes=32)\n");
}

static void
test_single_values (void)
{
  g_autoptr (SwCarrier) like = sw_file_backed_new (NULL, TRUE, SW_DTYPE_FLOAT32, NULL);
  g_autoptr (SwCarrier) file = sw_carrier_allocate_like (like, 4, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  g_autoptr (SwMemoryCollector) operations = listen (SW_TRACE_VERBOSITY_OPERATIONS);
  g_autoptr (SwMemoryCollector) full = NULL;
  g_autoptr (SwCarrier) another = NULL;
  g_autoptr (SwValue) one = sw_value_new_double (1);

  g_assert_true (sw_carrier_set_value (file, 0, one, NULL));
  another = sw_carrier_allocate_like (like, 3, TRUE, SW_DTYPE_FLOAT32, FALSE, NULL);
  assert_events (operations, "file.reserve(bytes=12)\n");
  full = listen (SW_TRACE_VERBOSITY_FULL);
  g_assert_true (sw_carrier_set_value (file, 1, one, NULL));
  sw_value_unref (sw_carrier_get_value (file, 1, NULL));
  assert_events (full, "file.write(bytes=4)\nfile.read(bytes=4)\n");
}

static gint64
get_last_count (GPtrArray *events)
{
  SwTraceEvent *last = g_ptr_array_index (events, events->len - 1);

  g_assert_cmpint (sw_trace_event_get_kind (last), ==, SW_TRACE_EVENT_KIND_COUNTER);
  g_assert_cmpstr (sw_trace_event_get_name (last), ==, "memory.carriers");
  return (gint64) sw_trace_event_get_value (last);
}

static void
test_allocator (void)
{
  double number = 1;
  gint64 before = sw_memory_get_n_bytes ();
  g_autoptr (SwCarrier) early = sw_cpu_new (1000, TRUE, SW_DTYPE_FLOAT64, TRUE, NULL);
  g_autoptr (SwMemoryCollector) collector = listen (SW_TRACE_VERBOSITY_FULL);
  g_autoptr (SwCarrier) cpu = sw_cpu_new (16, TRUE, SW_DTYPE_INT32, TRUE, NULL);
  g_autoptr (SwCarrier) generic = sw_generic_new_doubles (&number, 1, SW_DTYPE_FLOATING, NULL);
  g_autoptr (SwCarrier) view = sw_cpu_new_for_memory (1, (gsize) &number, TRUE, SW_DTYPE_FLOAT64, NULL, NULL, NULL);
  g_autoptr (GPtrArray) events = NULL;
  g_autofree char *described = NULL;

  g_assert_true (sw_carrier_release (cpu, NULL));
  g_clear_object (&view);
  g_clear_object (&generic);
  g_assert_null (sw_cpu_new (G_GINT64_CONSTANT (1) << 50, TRUE, SW_DTYPE_FLOAT32, TRUE, NULL));
  events = stop (collector);
  described = describe (events);
  g_assert_cmpstr (described, ==,
                   "allocate(carrier='Strideweave.CPU' dtype='Int32' bytes=64)\n"
                   "allocate(carrier='Strideweave.Generic' dtype='Floating' bytes=8)\n"
                   "release(carrier='Strideweave.CPU' dtype='Int32' bytes=64)\n"
                   "release(carrier='Strideweave.Generic' dtype='Floating' bytes=8)\n"
                   "allocate(carrier='Strideweave.CPU' dtype='Float32' bytes=4503599627370496 failed=true error='value')\n");
  g_ptr_array_remove_index (events, events->len - 1);
  g_assert_cmpint (get_last_count (events), ==, before + 8000);
  g_clear_object (&early);
  g_assert_cmpint (sw_memory_get_n_bytes (), ==, before);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  shelf_register_moves ();
  g_test_add_func ("/memory-notes/tiers", test_tiers);
  g_test_add_func ("/memory-notes/failed-promotion", test_failed_promotion);
  g_test_add_func ("/memory-notes/foreign-failure", test_foreign_failure);
  g_test_add_func ("/memory-notes/move", test_move);
  g_test_add_func ("/memory-notes/single-values", test_single_values);
  g_test_add_func ("/memory-notes/allocator", test_allocator);
  return g_test_run ();
}
