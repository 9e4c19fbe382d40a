// SPDX-License-Identifier: LGPL-2.1-or-later
// What is an event, what it says, and how events nest.
using Strideweave;
using Fixtures;

/* What the recorded thread ids are compared with. */
[CCode (cheader_filename = "pthread.h", cname = "pthread_self")]
extern ulong get_thread_id ();

void test_attempt () throws GLib.Error {
  // Covers: 4.1
  var on_generic = generic_tensor ();
  var on_cpu = cpu_tensor ();
  var events = profiled (new Profiler (), () => {
    assert_relu (relu (on_generic));
    relu (on_cpu);
  }).dup_events ();

  assert_equal (events.length, 2);
  assert_type (events[0].carrier_type, typeof (Generic));
  assert_type (events[1].carrier_type, typeof (CPU));
}

void test_lookup () throws GLib.Error {
  // Covers: 4.5
  var tensor = generic_tensor ();
  var profiler = profiled (new Profiler (), () => {
    var operation = tensor.carrier.dispatch_op ("relu");

    assert_text (operation.get_dispatch_name (), "relu");
    assert_type (operation.get_carrier_type (), typeof (Generic));
  });

  assert_equal (profiler.count_events (), 0);
}

void test_preflight () throws GLib.Error {
  // Covers: 4.2, 4.9
  var tensor = generic_tensor ("(2, 2)");
  var released = generic_tensor ("(2, 2)");
  var options = new ExecutionOptions ("reduce_sum", DType.FLOAT64);

  released.carrier.release ();
  var profiler = profiled (new Profiler (), () => {
    assert_fails (Strideweave.Error.VALUE, "reduce_sum", () => matmul (tensor, tensor, options));
    assert_fails (Strideweave.Error.STATE, "released", () => relu (released));
    assert_fails (Strideweave.Error.STATE, "inputs[1]", () => add (tensor, released));
  });

  assert_equal (profiler.count_events (), 0);
}

void test_no_metadata () throws GLib.Error {
  // Covers: 4.6
  var tensor = generic_tensor ();
  var profiler = profiled (new Profiler (), () => {
    var operation = (Operation) GLib.Object.new (typeof (GenericReLUOperation));

    assert_relu (operation.forward (new ValueList.tensors ({ tensor })));
    assert_null (operation.get_dispatch_name ());
    assert_true (operation.get_carrier_type () == Type.INVALID);
  });

  assert_equal (profiler.count_events (), 0);
}

void test_movement () throws GLib.Error {
  // Covers: 4.7
  var tensor = generic_tensor ();
  var destination = new CPU (2);
  var profiler = profiled (new Profiler (), () => assert_true (move (tensor, destination).carrier == destination));

  assert_equal (profiler.count_events (), 0);
}

void test_continue_after_failure () throws GLib.Error {
  // Covers: 4.8, 4.10
  var tensor = generic_tensor ();
  var events = profiled (new Profiler (), () => {
    assert_failing_add (tensor);
    relu (tensor);
  }).dup_events ();

  assert_equal (events.length, 2);
  assert_text (events[0].name, "add");
  assert_false (events[0].succeeded);
  assert_text (events[1].name, "relu");
  assert_true (events[1].succeeded);
  assert_equal (parent_of (events[1]), -1);
}

void test_successful_event () throws GLib.Error {
  // Covers: 5.1, 5.2
  var tensor = generic_tensor ();
  var event = profiled (new Profiler (), () => relu (tensor)).dup_event (0);

  assert_equal (event.id, 0);
  assert_equal (parent_of (event), -1);
  assert_text (event.name, "relu");
  assert_type (event.carrier_type, typeof (Generic));
  assert_type (event.implementation_type, typeof (GenericReLUOperation));
  assert_true (event.start_time_ns > 0);
  assert_true (event.duration_ns >= 0);
  assert_equal (event.self_time_ns, event.duration_ns);
  assert_true (event.thread_id == get_thread_id ());
  assert_true (event.succeeded);
}

void test_failed_event () throws GLib.Error {
  // Covers: 4.8, 5.2
  var broken = tensor_on (new ScriptCarrier ((inputs) => {
    throw new HookError.BROKEN ("inner");
  }));
  var outer = tensor_on (new DerivedCarrier ((inputs) => relu (broken)));
  var events = profiled (new Profiler (true), () => {
    try {
      exp (outer);
      assert_not_reached ();
    } catch (HookError error) {
      assert_text (error.message, "inner");
    }
  }).dup_events ();

  assert_equal (events.length, 2);
  foreach (var event in events) {
    assert_false (event.succeeded);
    assert_type (event.implementation_type, typeof (ScriptOperation));
    assert_true (event.duration_ns >= event.self_time_ns && event.self_time_ns >= 0);
    assert_true (event.thread_id == get_thread_id ());
    assert_equal (event.input_shapes.size, 1);
  }
  assert_text (events[0].name, "exp");
  assert_type (events[0].carrier_type, typeof (DerivedCarrier));
  assert_equal (parent_of (events[0]), -1);
  assert_text (events[1].name, "relu");
  assert_type (events[1].carrier_type, typeof (ScriptCarrier));
  assert_equal (parent_of (events[1]), 0);
}

void test_event_value () throws GLib.Error {
  // Covers: 6.1
  var shapes = new InputShapes ({ new Shape ({ 2, 3 }), null });
  var event = new ProfilerEvent (7, 3, "name", typeof (CPU), typeof (CPUAddOperation), shapes, -5, int64.MAX, -9,
                                 uint64.MAX, false);

  assert_equal (event.id, 7);
  assert_equal (parent_of (event), 3);
  assert_text (event.name, "name");
  assert_type (event.carrier_type, typeof (CPU));
  assert_type (event.implementation_type, typeof (CPUAddOperation));
  assert_true (event.input_shapes == shapes);
  assert_equal (event.start_time_ns, -5);
  assert_equal (event.duration_ns, int64.MAX);
  assert_equal (event.self_time_ns, -9);
  assert_true (event.thread_id == uint64.MAX);
  assert_false (event.succeeded);
  assert_true (event.equal (new ProfilerEvent (7, 3, "name", typeof (CPU), typeof (CPUAddOperation), shapes, -5,
                                               int64.MAX, -9, uint64.MAX, false)));
  assert_false (event.equal (new ProfilerEvent (8, 3, "name", typeof (CPU), typeof (CPUAddOperation), shapes, -5,
                                                int64.MAX, -9, uint64.MAX, false)));
}

void test_shapes () throws GLib.Error {
  // Covers: 7.2, 7.3, 7.4
  var tensor = generic_tensor ("(2, (3, 4))");
  var shapes = profiled (new Profiler (true), () => mul_scalar (tensor, 2)).dup_event (0).input_shapes;

  assert_text (shapes.to_string (), "((2, (3, 4)), None)");
  assert_equal (shapes.size, 2);
  assert_true (shapes[0].equal (new Shape.from_string ("(2, (3, 4))")));
  assert_true (shapes[1] == null);
  assert_true (shapes[2] == null);
}

void test_no_shapes () throws GLib.Error {
  // Covers: 7.1
  var tensor = generic_tensor ();

  assert_true (profiled (new Profiler (), () => relu (tensor)).dup_event (0).input_shapes == null);
}

void test_options_are_no_input () throws GLib.Error {
  // Covers: 7.5, 7.6
  var tensor = generic_tensor ("(2, 3)");
  var options = new ExecutionOptions ("reduce_sum", DType.FLOAT64);
  var event = profiled (new Profiler (true), () => reduce_sum (tensor, options)).dup_event (0);

  assert_text (event.input_shapes.to_string (), "((2, 3),)");
}

void test_both_levels () throws GLib.Error {
  // Covers: 8.2, 8.6
  var tensor = evictable_tensor ();
  var events = profiled (new Profiler (), () => relu (tensor)).dup_events ();

  assert_equal (events.length, 2);
  assert_type (events[0].carrier_type, typeof (Evictable));
  assert_equal (parent_of (events[0]), -1);
  assert_type (events[1].carrier_type, typeof (Generic));
  assert_equal (parent_of (events[1]), events[0].id);
  assert_equal (events[0].self_time_ns, events[0].duration_ns - events[1].duration_ns);
}

/* A script that takes its time; others may run it inside theirs. */
Tensor take_time (ValueList inputs) throws GLib.Error {
  Thread.usleep (2000);
  return inputs.dup_tensor (0);
}

void test_hidden_child () throws GLib.Error {
  // Covers: 8.1, 8.8
  var inner = tensor_on (new ScriptCarrier (take_time));
  var outer = tensor_on (new DerivedCarrier ((inputs) => relu (inner)));
  var events = profiled (new Profiler.for_carriers ({ typeof (DerivedCarrier) }), () => relu (outer)).dup_events ();

  assert_equal (events.length, 1);
  assert_true (events[0].duration_ns - events[0].self_time_ns >= 2000000);
}

void test_only_nested () throws GLib.Error {
  // Covers: 8.1, 8.3
  var tensor = evictable_tensor ();
  var events = profiled (new Profiler.for_carriers ({ typeof (Generic) }), () => relu (tensor)).dup_events ();

  assert_equal (events.length, 1);
  assert_equal (parent_of (events[0]), -1);
  assert_equal (events[0].self_time_ns, events[0].duration_ns);
}

void test_three_levels () throws GLib.Error {
  // Covers: 8.6, 8.7
  var innermost = tensor_on (new ScriptCarrier (take_time));
  var middle = tensor_on (new ScriptCarrier ((inputs) => relu (innermost)));
  var outer = tensor_on (new DerivedCarrier ((inputs) => relu (middle)));
  var events = profiled (new Profiler (), () => relu (outer)).dup_events ();

  assert_equal (events.length, 3);
  for (int i = 0; i < 3; i++)
    assert_equal (parent_of (events[i]), i - 1);
  for (int i = 0; i < 2; i++)
    assert_equal (events[i].self_time_ns, events[i].duration_ns - events[i + 1].duration_ns);
  assert_equal (events[2].self_time_ns, events[2].duration_ns);
  assert_true (events[2].duration_ns >= 2000000);
}

void test_duration () throws GLib.Error {
  // Covers: 13.4, 13.5
  // Work that a device would go on with after the operation has returned.
  Thread<bool>? device = null;
  var finish = new AsyncQueue<string> ();
  var tensor = tensor_on (new ScriptCarrier ((inputs) => {
    device = new Thread<bool> ("device", () => finish.pop () == "finish");
    return inputs.dup_tensor (0);
  }));
  int64 before = 0, after = 0;
  var event = profiled (new Profiler (), () => {
    before = get_monotonic_time () * 1000;
    relu (tensor);
    after = (get_monotonic_time () + 1) * 1000;
    Thread.usleep (5000);
    finish.push ("finish");
    assert_true (device.join ());
  }).dup_event (0);

  // Between the readings of another clock; anchors of the two are some microseconds apart.
  assert_true (event.start_time_ns >= before - 20000);
  assert_true (event.start_time_ns + event.duration_ns <= after + 20000);
  assert_true (event.duration_ns >= 0);
}

int main (string[] args) {
  GLib.Test.init (ref args);
  scenario ("Record a dispatched attempt", test_attempt);
  scenario ("Exclude dispatch lookup", test_lookup);
  scenario ("Exclude a preflight failure", test_preflight);
  scenario ("Exclude execution without dispatch metadata", test_no_metadata);
  scenario ("Exclude public movement", test_movement);
  scenario ("Continue after an attempted execution fails", test_continue_after_failure);
  scenario ("Inspect a successful event", test_successful_event);
  scenario ("Inspect a failed event", test_failed_event);
  scenario ("Construct an event value directly", test_event_value);
  scenario ("Snapshot a hierarchical Tensor and a scalar", test_shapes);
  scenario ("Omit shape recording", test_no_shapes);
  scenario ("Keep execution options outside shape positions", test_options_are_no_input);
  scenario ("Record both composite levels", test_both_levels);
  scenario ("Hide nested work without charging it to the parent", test_hidden_child);
  scenario ("Select only the nested execution", test_only_nested);
  scenario ("Exclude three-level nesting exactly once", test_three_levels);
  scenario ("Interpret an event duration", test_duration);
  return GLib.Test.run ();
}
