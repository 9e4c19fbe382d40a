// SPDX-License-Identifier: LGPL-2.1-or-later
// Carriers and operations that are written in Vala.
using Strideweave;
using Fixtures;

double value_at (Tensor tensor, int64 index) throws GLib.Error {
  return tensor.get_value ({ index }).get_double ();
}

void test_values () throws GLib.Error {
  var shelf = new Shelf ({ 1, 2, 3 });
  var tensor = tensor_on (shelf, "(3,)");

  assert_equal (tensor.size, 3);
  assert_true (tensor.dtype == DType.FLOAT64);
  assert_cmpfloat (value_at (tensor, 2), CompareOperator.EQ, 3);
  tensor.set_value ({ 2 }, new Strideweave.Value.double (-4.5));
  assert_cmpfloat (value_at (tensor, 2), CompareOperator.EQ, -4.5);
  assert_cmpfloat (shelf.get_value (2).get_double (), CompareOperator.EQ, -4.5);
  assert_true (shelf.get_version () == 1);
}

void test_fresh_carriers () throws GLib.Error {
  var shelf = new Shelf ({ 1, 2, 3 });
  var filled = shelf.new_like (new ValueList.doubles ({ 4, 5 }));
  var zeros = shelf.allocate_like (3, false);

  assert_true (filled is Shelf && zeros is Shelf);
  assert_equal (filled.size (), 2);
  assert_cmpfloat (filled.get_value (1).get_double (), CompareOperator.EQ, 5);
  assert_true (filled.is_mutable ());
  assert_equal (zeros.size (), 3);
  assert_cmpfloat (zeros.get_value (2).get_double (), CompareOperator.EQ, 0);
  assert_false (zeros.is_mutable ());
  assert_fails (Strideweave.Error.VALUE, "dtype is Int32", () => shelf.allocate_like (3, true, DType.INT32));
  assert_true (shelf.supports_storage_dtype (DType.FLOAT64));
  assert_false (shelf.supports_storage_dtype (DType.INT32));
}

/* What the library checks before it calls a hook. */
void test_checked_calls () throws GLib.Error {
  var shelf = new Shelf ({ 1, 2 });
  var fixed = new Shelf ({ 1, 2 }, false);
  var one = new Strideweave.Value.double (1);

  foreach (int64 index in new int64[] { -1, 2, int64.MAX, int64.MIN }) {
    assert_fails (Strideweave.Error.INDEX, "index is", () => shelf.get_value (index));
    assert_fails (Strideweave.Error.INDEX, "index is", () => shelf.set_value (index, one));
  }
  assert_fails (Strideweave.Error.STATE, "immutable", () => fixed.set_value (0, one));
  assert_fails (Strideweave.Error.VALUE, "size is -1", () => shelf.allocate_like (-1));
  assert_fails (Strideweave.Error.VALUE, "3", () => tensor_on (shelf, "(3,)"));
  shelf.release ();
  assert_true (shelf.is_released ());
  assert_equal (shelf.size (), 0);
  assert_fails (Strideweave.Error.STATE, "released", () => shelf.get_value (0));
  assert_fails (Strideweave.Error.STATE, "released", () => shelf.dispatch_op ("relu"));
}

void test_scatter () throws GLib.Error {
  var onto = tensor_on (new Shelf ({ 0, 0, 0, 0 }), "(4,)");
  var source = tensor_on (new Shelf ({ 7, 8 }), "(2,)");

  // Every other value.
  onto.carrier.scatter (source, onto, new Layout (new Shape ({ 2 }), new Stride ({ 2 })), 1);
  assert_cmpfloat (value_at (onto, 0), CompareOperator.EQ, 0);
  assert_cmpfloat (value_at (onto, 1), CompareOperator.EQ, 7);
  assert_cmpfloat (value_at (onto, 3), CompareOperator.EQ, 8);
}

void test_operations () throws GLib.Error {
  var tensor = tensor_on (new Shelf ({ -1, 2 }), "(2,)");
  var events = profiled (new Profiler (true), () => {
    var positive = relu (tensor);

    assert_true (positive.carrier is Shelf);
    assert_relu (positive);
    assert_cmpfloat (value_at (add (positive, tensor), 0), CompareOperator.EQ, -1);
    assert_fails (Strideweave.Error.NOT_IMPLEMENTED, "'exp'", () => exp (tensor));
  }).dup_events ();

  assert_equal (events.length, 2);
  assert_type (events[0].carrier_type, typeof (Shelf));
  assert_type (events[0].implementation_type, typeof (ShelfReLU));
  assert_text (events[1].name, "add");
  assert_type (events[1].implementation_type, typeof (ShelfAdd));
  assert_text (events[1].input_shapes.to_string (), "((2,), (2,))");
}

/* An operation that was made directly is seen by nobody, and what it dispatches inside is a root. */
void test_direct_operation () throws GLib.Error {
  var tensor = tensor_on (new Shelf ({ -1, 2 }), "(2,)");
  var events = profiled (new Profiler (), () => {
    assert_relu (new ShelfReLU ().forward (new ValueList.tensors ({ tensor })));
    relu (tensor);
  }).dup_events ();

  assert_equal (events.length, 1);
  assert_equal (parent_of (events[0]), -1);
}

void assert_levels (GenericArray<ProfilerEvent> events, Type[] carriers) {
  assert_equal (events.length, carriers.length);
  for (int i = 0; i < carriers.length; i++) {
    assert_type (events[i].carrier_type, carriers[i]);
    assert_equal (parent_of (events[i]), i - 1);
    if (i + 1 < carriers.length)
      assert_equal (events[i].self_time_ns, events[i].duration_ns - events[i + 1].duration_ns);
  }
}

void test_wrapper () throws GLib.Error {
  var tensor = tensor_on (new Wrapper (generic (2)), "(2,)");
  var events = profiled (new Profiler (), () => {
    var result = relu (tensor);

    assert_true (result.carrier is Wrapper);
    assert_relu (result);
  }).dup_events ();

  assert_levels (events, { typeof (Wrapper), typeof (Generic) });
  assert_type (events[0].implementation_type, typeof (WrapperOperation));
  assert_type (events[1].implementation_type, typeof (GenericReLUOperation));
}

/* Vala over Vala over C over C, and over Vala at the bottom. */
void test_towers () throws GLib.Error {
  var over_c = tensor_on (new OuterWrapper (new Wrapper (new Evictable (generic (2), generic (0)))), "(2,)");
  var over_vala = tensor_on (new OuterWrapper (new Wrapper (new Shelf ({ -1, 2 }))), "(2,)");

  assert_levels (profiled (new Profiler (), () => assert_relu (relu (over_c))).dup_events (),
                 { typeof (OuterWrapper), typeof (Wrapper), typeof (Evictable), typeof (Generic) });
  assert_levels (profiled (new Profiler (), () => assert_relu (relu (over_vala))).dup_events (),
                 { typeof (OuterWrapper), typeof (Wrapper), typeof (Shelf) });
  assert_levels (profiled (new Profiler.for_carriers ({ typeof (Wrapper) }), () => relu (over_vala)).dup_events (),
                 { typeof (Wrapper) });
}

void test_options_reach_the_bottom () throws GLib.Error {
  var tensor = tensor_on (new OuterWrapper (new Wrapper (generic (2))), "(2,)");
  var others = new ExecutionOptions ("matmul");
  var options = new ExecutionOptions ("reduce_sum", DType.FLOAT64);

  assert_cmpfloat (reduce_sum (tensor, options).get_value ({ -2 }).get_double (), CompareOperator.EQ, 1);
  assert_fails (Strideweave.Error.VALUE, "matmul", () => reduce_sum (tensor, others));
}

void test_errors_pass_all_levels () throws GLib.Error {
  var bottom = new ScriptCarrier ((inputs) => {
    throw new HookError.BROKEN ("at the bottom");
  });
  var tensor = tensor_on (new OuterWrapper (new Wrapper (bottom)));
  var events = profiled (new Profiler (), () => {
    try {
      relu (tensor);
      assert_not_reached ();
    } catch (HookError error) {
      assert_true (error is HookError.BROKEN);
      assert_text (error.message, "at the bottom");
    }
    relu (generic_tensor ());
  }).dup_events ();

  assert_equal (events.length, 4);
  for (int i = 0; i < 3; i++)
    assert_false (events[i].succeeded);
  assert_true (events[3].succeeded);
  assert_equal (parent_of (events[3]), -1);
}

/* One of its hooks misbehaves. */
class BadCarrier : Carrier {
  public string hook = "";
  public bool returns_nothing = false;
  public Operation? dispatched;

  bool fails (string name) throws HookError {
    if (hook == name && !returns_nothing)
      throw new HookError.BROKEN ("%s broke", name);
    return hook == name;
  }

  public override int64 size () throws GLib.Error {
    return fails ("size") ? -7 : 1;
  }

  public override DType dtype () throws GLib.Error {
    return fails ("dtype") ? DType.INVALID : DType.FLOAT64;
  }

  public override bool is_mutable () throws GLib.Error {
    return !fails ("is_mutable");
  }

  public override Strideweave.Value get_value (int64 index) throws GLib.Error {
    Strideweave.Value? value = null;

    if (!fails ("get_value"))
      value = new Strideweave.Value.double (1);
    return value;
  }

  public override bool set_value (int64 index, Strideweave.Value value) throws GLib.Error {
    return !fails ("set_value");
  }

  public override bool scatter (Tensor source, Tensor onto, Layout mapping, int64 offset) throws GLib.Error {
    return !fails ("scatter");
  }

  public override Carrier new_like (ValueList values, bool is_mutable, DType dtype) throws GLib.Error {
    Carrier? carrier = null;

    if (!fails ("new_like"))
      carrier = new BadCarrier ();
    return carrier;
  }

  public override Carrier allocate_like (int64 size, bool is_mutable, DType dtype, bool is_empty) throws GLib.Error {
    Carrier? carrier = null;

    if (!fails ("allocate_like"))
      carrier = new BadCarrier ();
    return carrier;
  }

  public override Operation dispatch_op (string name) throws GLib.Error {
    fails ("dispatch_op");
    return dispatched;
  }
}

class BadOperation : Operation {
  protected override Tensor compute (ValueList inputs, ExecutionOptions? options) throws GLib.Error {
    Tensor? result = null;

    return result;
  }
}

class EmptyOperation : Operation {
}

/* Calls what ends in the hook of @carrier. */
void call_hook (BadCarrier carrier, string hook) throws GLib.Error {
  var value = new Strideweave.Value.double (1);
  var tensor = tensor_on (new Shelf ({ 1 }));

  switch (hook) {
    case "size":
      carrier.size ();
      break;
    case "dtype":
      carrier.dtype ();
      break;
    case "is_mutable":
      carrier.is_mutable ();
      break;
    case "get_value":
      carrier.get_value (0);
      break;
    case "set_value":
      carrier.set_value (0, value);
      break;
    case "scatter":
      carrier.scatter (tensor, tensor_on (carrier), tensor.layout, 0);
      break;
    case "new_like":
      carrier.new_like (new ValueList.doubles ({ 1 }));
      break;
    case "allocate_like":
      carrier.allocate_like (1);
      break;
    default:
      carrier.dispatch_op ("relu");
      break;
  }
}

const string[] HOOKS = {
  "size", "dtype", "is_mutable", "get_value", "set_value", "scatter", "new_like", "allocate_like", "dispatch_op"
};

BadCarrier bad_carrier (string hook, bool returns_nothing) throws GLib.Error {
  var carrier = new BadCarrier ();

  carrier.hook = hook;
  carrier.returns_nothing = returns_nothing;
  return carrier;
}

void test_throwing_hooks () throws GLib.Error {
  foreach (unowned var hook in HOOKS) {
    var carrier = bad_carrier (hook, false);

    try {
      // The tensor that scatter needs is made before.
      call_hook (carrier, hook);
      assert_not_reached ();
    } catch (HookError error) {
      assert_text (error.message, hook + " broke");
    }
  }
}

void test_hooks_that_return_nothing () throws GLib.Error {
  foreach (unowned var hook in HOOKS) {
    var carrier = bad_carrier (hook, true);
    var code = hook == "dispatch_op" ? Strideweave.Error.TYPE : Strideweave.Error.FAILED;

    // A carrier that is not mutable is no mistake.
    if (hook != "is_mutable")
      assert_fails (code, "BadCarrier." + hook, () => call_hook (carrier, hook));
  }
}

void test_operations_that_return_nothing () throws GLib.Error {
  var carrier = bad_carrier ("", true);
  var tensor = tensor_on (carrier);
  var events = profiled (new Profiler (), () => {
    carrier.dispatched = new BadOperation ();
    assert_fails (Strideweave.Error.TYPE, "BadOperation.compute must return a Tensor", () => relu (tensor));
    carrier.dispatched = new EmptyOperation ();
    assert_fails (Strideweave.Error.TYPE, "EmptyOperation does not implement compute", () => relu (tensor));
    // The same one again: it is not fresh.
    assert_fails (Strideweave.Error.TYPE, "fresh", () => relu (tensor));
  }).dup_events ();

  assert_equal (events.length, 2);
  assert_false (events[0].succeeded || events[1].succeeded);
}

class PlainCarrier : Carrier {
}

void test_defaults () throws GLib.Error {
  var carrier = new PlainCarrier ();
  var value = new Strideweave.Value.double (1);

  assert_false (carrier.is_mutable ());
  assert_fails (Strideweave.Error.NOT_IMPLEMENTED, "PlainCarrier does not implement size", () => carrier.size ());
  assert_fails (Strideweave.Error.NOT_IMPLEMENTED, "dtype", () => carrier.dtype ());
  assert_fails (Strideweave.Error.NOT_IMPLEMENTED, "size", () => carrier.get_value (0));
  assert_fails (Strideweave.Error.STATE, "immutable", () => carrier.set_value (0, value));
  assert_fails (Strideweave.Error.NOT_IMPLEMENTED, "'relu'", () => carrier.dispatch_op ("relu"));
  assert_fails (Strideweave.Error.NOT_IMPLEMENTED, "allocate_like", () => carrier.allocate_like (1));
}

Tensor copy_values (Tensor source, Carrier destination) throws GLib.Error {
  for (int64 i = 0; i < source.carrier.size (); i++)
    destination.set_value (i, source.carrier.get_value (i));
  return new Tensor (destination, source.offset, source.layout);
}

void test_moves () throws GLib.Error {
  var tensor = tensor_on (new Shelf ({ -1, 2 }), "(2,)");
  var room = new Shelf ({ 0, 0, 0 });
  int n_moves = 0;

  assert_fails (Strideweave.Error.NOT_IMPLEMENTED, "no move from Shelf to Shelf", () => move (tensor, room));
  register_move (typeof (Shelf), typeof (Shelf), (source, destination) => {
    n_moves++;
    return copy_values (source, destination);
  });
  var moved = move (tensor, room);
  assert_true (moved.carrier == room);
  assert_cmpfloat (value_at (moved, 0), CompareOperator.EQ, -1);
  assert_true (tensor.carrier.is_released ());
  assert_equal (n_moves, 1);

  // A refused registration gives its function back.
  var object = new GLib.Object ();
  var watched = WeakRef (object);
  assert_fails (Strideweave.Error.VALUE, "registered already", () => {
    var kept = object;
    register_move (typeof (Shelf), typeof (Shelf), (source, destination) => {
      assert_nonnull (kept);
      return copy_values (source, destination);
    });
  });
  object = null;
  assert_true (watched.get () == null);
}

/* The library's own composite, over two tiers of Vala. */
void test_evictable_over_vala () throws GLib.Error {
  var tiers = new Evictable (new Shelf ({ -1, 2 }), new Shelf ({}));
  var tensor = tensor_on (tiers, "(2,)");

  assert_levels (profiled (new Profiler (), () => assert_relu (relu (tensor))).dup_events (),
                 { typeof (Evictable), typeof (Shelf) });
  tiers.evict ();
  assert_fails (Strideweave.Error.STATE, "promote", () => relu (tensor));
  tiers.promote ();
  assert_relu (relu (tensor));
  assert_true (tiers.get_primary ().is_owned ());
}

void test_borrowed_memory () throws GLib.Error {
  var memory = new float[] { -1, 2 };
  int n_ends = 0;
  Carrier? carrier = new CPU.for_memory (2, (uint64) (ulong) memory, true, DType.FLOAT32, () => n_ends++);
  Tensor? tensor = tensor_on (carrier, "(2,)");

  assert_relu (relu (tensor));
  carrier = null;
  assert_equal (n_ends, 0);
  tensor = null;
  assert_equal (n_ends, 1);
  assert_fails (Strideweave.Error.VALUE, "size", () => {
    new CPU.for_memory (-2, (uint64) (ulong) memory, true, DType.FLOAT32, () => n_ends++);
  });
  assert_equal (n_ends, 2);
}

int64 count_in_thread () {
  try {
    return profiled (new Profiler (), () => {
      var tensor = tensor_on (new OuterWrapper (new Wrapper (new Shelf ({ -1, 2 }))), "(2,)");

      for (int i = 0; i < 100; i++)
        assert_relu (relu (tensor));
    }).count_events ();
  } catch (GLib.Error error) {
    return -1;
  }
}

void test_threads () throws GLib.Error {
  Thread<int64?>[] threads = {};

  for (int i = 0; i < 4; i++)
    threads += new Thread<int64?> ("worker", () => count_in_thread ());
  foreach (var thread in threads)
    assert_equal (thread.join (), 300);
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/carriers/values", test_values);
  test ("/carriers/fresh-carriers", test_fresh_carriers);
  test ("/carriers/checked-calls", test_checked_calls);
  test ("/carriers/scatter", test_scatter);
  test ("/carriers/operations", test_operations);
  test ("/carriers/direct-operation", test_direct_operation);
  test ("/carriers/wrapper", test_wrapper);
  test ("/carriers/towers", test_towers);
  test ("/carriers/options-reach-the-bottom", test_options_reach_the_bottom);
  test ("/carriers/errors-pass-all-levels", test_errors_pass_all_levels);
  test ("/carriers/throwing-hooks", test_throwing_hooks);
  test ("/carriers/hooks-that-return-nothing", test_hooks_that_return_nothing);
  test ("/carriers/operations-that-return-nothing", test_operations_that_return_nothing);
  test ("/carriers/defaults", test_defaults);
  test ("/carriers/moves", test_moves);
  test ("/carriers/evictable-over-vala", test_evictable_over_vala);
  test ("/carriers/borrowed-memory", test_borrowed_memory);
  test ("/carriers/threads", test_threads);
  return GLib.Test.run ();
}
