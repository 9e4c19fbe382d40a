// SPDX-License-Identifier: LGPL-2.1-or-later
// Values are held by whoever names them, and by nobody else; sessions leave nothing behind.
using Strideweave;
using Fixtures;

/* Bytes of the heap that are in use. */
[SimpleType]
[CCode (cname = "struct mallinfo2", cheader_filename = "malloc.h", has_type_id = false)]
extern struct HeapUse {
  public size_t uordblks;
}
[CCode (cname = "mallinfo2", cheader_filename = "malloc.h")]
extern HeapUse get_heap_use ();

void assert_tokens (int64[] actual, int64[] expected) {
  assert_equal (actual.length, expected.length);
  for (int i = 0; i < expected.length; i++)
    assert_equal (actual[i], expected[i]);
}

void test_assignment_refers () throws GLib.Error {
  var shape = new Shape ({ 2, 3 });
  var same = shape;

  shape = new Shape ({ 4 });
  assert_text (same.to_string (), "(2, 3)");
  assert_text (@"$shape $(new Stride ({ 1 }))", "(4,) (1,)");

  var layout = new Layout.compact (same);
  var of_layout = layout.shape;
  var stride = layout.stride;
  same = null;
  layout = null;
  assert_text (of_layout.to_string (), "(2, 3)");
  assert_text (stride.to_string (), "(1, 2)");

  ExecutionOptions? options = new ExecutionOptions ("matmul", DType.INT64);
  var same_options = options;
  options = null;
  assert_text (same_options.operation_name, "matmul");
  assert_true (same_options.accumulator_dtype == DType.INT64);
}

void test_parts_outlive_events () throws GLib.Error {
  var tensor = generic_tensor ("(2, (3, 4))");
  Profiler? profiler = profiled (new Profiler (true), () => relu (tensor));
  var events = profiler.dup_events ();
  var event = events[0];
  var rows = profiler.dup_key_averages (true);
  var row = rows[0];

  profiler = null;
  events = null;
  rows = null;
  assert_text (event.name, "relu");
  assert_text (row.name, "relu");

  var shapes = event.input_shapes;
  var shape = row.input_shapes[0];
  string name = event.name;
  event = null;
  row = null;
  assert_text (shapes.to_string (), "((2, (3, 4)),)");
  assert_text (shape.to_string (), "(2, (3, 4))");
  assert_text (name, "relu");
}

void test_arrays_of_events () throws GLib.Error {
  var tensor = generic_tensor ();
  var profiler = profiled (new Profiler (), () => {
    for (int i = 0; i < 10; i++)
      relu (tensor);
  });
  var events = profiler.dup_events ();
  ProfilerEvent[] kept = {};

  foreach (var event in events)
    kept += event;
  events.remove_index_fast (0);
  events.add (profiler.dup_event (3));
  events.length = 2;
  events = null;
  for (int i = 0; i < 10; i++)
    assert_equal (kept[i].id, i);

  var sorted = profiler.dup_events ();
  sorted.sort_with_data ((a, b) => (int) (b.id - a.id));
  assert_equal (sorted[0].id, 9);
  assert_fails (Strideweave.Error.INDEX, "id is 10", () => profiler.dup_event (10));
}

void test_arrays_of_numbers () throws GLib.Error {
  int64[] tokens = { -4, 2, -4, 3, 4 };
  var shape = new Shape.from_tokens (tokens);

  assert_text (shape.to_string (), "(2, (3, 4))");
  assert_tokens (shape.dup_tokens (), tokens);
  assert_tokens (shape.dup_leaves (), { 2, 3, 4 });
  assert_tokens (new Shape ({}).dup_leaves (), {});
  assert_tokens (new Shape (null).dup_tokens (), { -2 });
  assert_tokens (shape.decode (3), { -4, 1, -4, 1, 0 });
  assert_equal (shape.encode ({ -4, 1, -4, 1, 0 }), 3);
  assert_tokens (new Strideweave.Value.indices ({ 1, 0 }).dup_indices (), { 1, 0 });
  assert_tokens (new Strideweave.Value.none ().dup_indices (), {});
  assert_tokens (new InputShapes ({ shape, null }).dup_tokens (), { -4, -4, 2, -4, 3, 4, -1 });
  assert_fails (Strideweave.Error.VALUE, "", () => new Shape.from_tokens ({ -4, 2 }));
  assert_true ("relu" in list_operations ());

  var tensor = permute (generic_tensor ("(2, 3)"), { 1, 0 });
  assert_text (tensor.shape.to_string (), "(3, 2)");
  assert_text (reduce_sum_modes (tensor, { 1 }).shape.to_string (), "(3,)");
}

void test_values () throws GLib.Error {
  var tensor = generic_tensor ();
  GLib.Value text = "text";
  var list = new ValueList ({
    new Strideweave.Value.tensor (tensor),
    new Strideweave.Value.object (text),
    new Strideweave.Value.shape (tensor.shape),
    new Strideweave.Value.int64 (int64.MIN),
    new Strideweave.Value.bool (true),
  });

  assert_equal ((int64) list.get_length (), 5);
  assert_true (list.dup_tensor (0) == tensor);
  assert_true (list.dup_value (0).get_tensor () == tensor);
  assert_true (list.dup_value (1).get_tensor () == null);
  assert_true (list.dup_value (1).get_kind () == ValueKind.OBJECT);
  assert_text ((string) list.dup_value (1).get_object (), "text");
  assert_true (list.dup_value (0).get_object () == null);
  assert_true (list.dup_value (2).get_shape ().equal (new Shape ({ 2 })));
  assert_equal (list.dup_value (3).get_int64 (), int64.MIN);
  assert_true (list.dup_value (4).get_bool ());
  assert_fails (Strideweave.Error.INDEX, "5", () => list.dup_value (5));
  assert_fails (Strideweave.Error.TYPE, "Tensor", () => list.dup_tensor (3));
}

void test_defaults () throws GLib.Error {
  var cpu = new CPU (3);
  var generic = new Generic (new ValueList.doubles ({ 1 }));
  var file = new FileBacked ();

  assert_true (cpu.dtype () == DType.FLOAT32 && cpu.is_mutable ());
  assert_true (generic.dtype () == DType.FLOATING && generic.is_mutable ());
  assert_true (file.dtype () == DType.FLOAT32 && file.size () == 0);
  assert_false (new Profiler ().get_record_shapes ());
}

void test_bytes_hold_their_carrier () throws GLib.Error {
  Carrier? carrier = new CPU.from_bytes (new Bytes ({ 0, 0, 128, 63 }));
  var watched = WeakRef (carrier);
  uint64 address;
  var bytes = carrier.ref_bytes (out address);

  assert_true (address == (uint64) (ulong) bytes.get_data ());
  carrier = null;
  assert_true (*(float*) bytes.get_data () == 1.0f);
  bytes = null;
  assert_true (watched.get () == null);
}

/* Recorded shapes keep no tensor, and no carrier, alive. */
void test_session_keeps_nothing () throws GLib.Error {
  Tensor? tensor = generic_tensor ();
  var carrier = WeakRef (tensor.carrier);
  var profiler = new Profiler (true);

  profiled (profiler, () => {
    relu (tensor);
    tensor = null;
    assert_true (carrier.get () == null);
  });
  var watched = WeakRef (profiler);
  var events = profiler.dup_events ();
  profiler = null;
  assert_true (watched.get () == null);
  assert_text (events[0].input_shapes.to_string (), "((2,),)");
}

/* A session of every kind of event, read in every way. */
void run_session () throws GLib.Error {
  var scope = new Profiler (true).scope ();
  var profiler = scope.profiler;
  var wrapped = tensor_on (new OuterWrapper (new Wrapper (new Shelf ({ -1, 2 }))), "(2,)");

  relu (wrapped);
  mul_scalar (generic_tensor (), 2);
  relu (evictable_tensor ());
  assert_failing_add (cpu_tensor ());
  assert_fails (Strideweave.Error.STATE, "already active", () => new Profiler ().scope ());
  scope.leave ();
  foreach (var event in profiler.dup_events ())
    assert_true (event.input_shapes != null);
  assert_equal (profiler.dup_key_averages (true).length, 7);
  assert_true (profiler.dup_table ().length > 0);
}

void test_many_sessions () throws GLib.Error {
  // Freed memory that the heap keeps at hand for its thread counts as used, unless the heap is told to keep none.
  size_t slack = Environment.get_variable ("GLIBC_TUNABLES") != null ? 1024 : 65536;

  // The first ones fill caches: of types, of interned names.
  for (int i = 0; i < 100; i++)
    run_session ();
  var before = get_heap_use ().uordblks;
  for (int i = 0; i < 2000; i++)
    run_session ();
  var after = get_heap_use ().uordblks;

  GLib.Test.message ("heap: %s bytes before, %s after", before.to_string (), after.to_string ());
  assert_true (after <= before + slack);
  assert_equal (Shelf.live, 0);
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/ownership/assignment-refers", test_assignment_refers);
  test ("/ownership/parts-outlive-events", test_parts_outlive_events);
  test ("/ownership/arrays-of-events", test_arrays_of_events);
  test ("/ownership/arrays-of-numbers", test_arrays_of_numbers);
  test ("/ownership/values", test_values);
  test ("/ownership/defaults", test_defaults);
  test ("/ownership/bytes-hold-their-carrier", test_bytes_hold_their_carrier);
  test ("/ownership/session-keeps-nothing", test_session_keeps_nothing);
  test ("/ownership/many-sessions", test_many_sessions);
  return GLib.Test.run ();
}
