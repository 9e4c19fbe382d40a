// SPDX-License-Identifier: LGPL-2.1-or-later
// Choosing carriers, entering and leaving, threads.
using Strideweave;
using Fixtures;

void assert_carriers (Profiler profiler, Type[] expected) throws GLib.Error {
  var events = profiler.dup_events ();

  assert_equal (events.length, expected.length);
  for (int i = 0; i < expected.length; i++)
    assert_type (events[i].carrier_type, expected[i]);
}

void test_all_carriers () throws GLib.Error {
  // Covers: 2.2, 2.3
  var tensor = evictable_tensor ();

  assert_carriers (profiled (new Profiler (), () => relu (tensor)), { typeof (Evictable), typeof (Generic) });
}

void test_exact_carrier () throws GLib.Error {
  // Covers: 2.5
  var on_derived = tensor_on (new DerivedCarrier ());
  var on_evictable = evictable_tensor ();
  var generic_only = profiled (new Profiler.for_carriers ({ typeof (Generic) }), () => {
    relu (on_derived);
    relu (on_evictable);
  });
  // A class does not stand for those derived from it.
  var base_only = profiled (new Profiler.for_carriers ({ typeof (ScriptCarrier) }), () => relu (on_derived));
  var derived_only = profiled (new Profiler.for_carriers ({ typeof (DerivedCarrier) }), () => relu (on_derived));

  assert_carriers (generic_only, { typeof (Generic) });
  assert_carriers (base_only, {});
  assert_carriers (derived_only, { typeof (DerivedCarrier) });
}

void test_no_carrier () throws GLib.Error {
  // Covers: 2.4
  var tensor = generic_tensor ();

  assert_carriers (profiled (new Profiler.for_carriers ({}), () => relu (tensor)), {});
}

void test_invalid_filter () throws GLib.Error {
  // Covers: 2.7
  Type[] invalid = { typeof (GLib.Object), typeof (int), Type.INVALID, typeof (Operation), typeof (Tensor) };

  foreach (var type in invalid) {
    assert_fails (Strideweave.Error.TYPE, "carriers[1]", () => new Profiler.for_carriers ({ typeof (Generic), type }));
    assert_fails (Strideweave.Error.TYPE, "Carrier", () => new Profiler.for_carriers ({ type }));
  }
}

void test_results_after_exit () throws GLib.Error {
  // Covers: 3.1, 3.6, 3.8
  var tensor = generic_tensor ();
  var profiler = new Profiler ();

  profiler.enter ();
  assert_true (profiler.is_active ());
  relu (tensor);
  profiler.exit ();
  assert_false (profiler.is_active ());
  assert_true (profiler.is_completed ());

  // Frozen: what comes later is not in it.
  relu (tensor);
  assert_equal (profiler.dup_events ().length, 1);
}

void assert_no_results (Profiler profiler, string why) {
  assert_fails (Strideweave.Error.STATE, why, () => profiler.dup_events ());
  assert_fails (Strideweave.Error.STATE, why, () => profiler.dup_event (0));
  assert_fails (Strideweave.Error.STATE, why, () => profiler.dup_key_averages ());
  assert_fails (Strideweave.Error.STATE, why, () => profiler.dup_table ());
  assert_fails (Strideweave.Error.STATE, why, () => profiler.count_events ());
}

void test_no_results_before_exit () throws GLib.Error {
  // Covers: 3.6, 3.7
  var profiler = new Profiler ();

  assert_no_results (profiler, "only after context exit");
  var scope = profiler.scope ();
  assert_no_results (profiler, "only after context exit");
  scope.leave ();
  assert_equal (profiler.count_events (), 0);
}

void assert_single_use (Profiler profiler) {
  assert_fails (Strideweave.Error.STATE, "single-use", () => profiler.enter ());
  assert_fails (Strideweave.Error.STATE, "single-use", () => profiler.scope ());
}

void test_reused () throws GLib.Error {
  // Covers: 2.1, 3.4
  var profiler = new Profiler ();

  profiler.enter ();
  assert_single_use (profiler);
  profiler.exit ();
  assert_single_use (profiler);
}

void test_nested () throws GLib.Error {
  // Covers: 3.2, 3.3, 3.5
  var tensor = generic_tensor ();
  var outer = new Profiler ();
  var inner = new Profiler ();

  profiled (outer, () => {
    assert_fails (Strideweave.Error.STATE, "already active", () => inner.enter ());
    relu (tensor);
  });
  assert_equal (outer.count_events (), 1);
  assert_single_use (inner);
}

void test_body_throws () throws GLib.Error {
  // Covers: 3.8, 4.8
  var tensor = tensor_on (new ScriptCarrier ((inputs) => {
    throw new HookError.BROKEN ("the body broke");
  }));
  var profiler = new Profiler ();

  try {
    profiled (profiler, () => relu (tensor));
    assert_not_reached ();
  } catch (HookError error) {
    assert_text (error.message, "the body broke");
  }
  var events = profiler.dup_events ();
  assert_equal (events.length, 1);
  assert_text (events[0].name, "relu");
  assert_false (events[0].succeeded);

  // Nothing is left over of that session.
  assert_equal (profiled (new Profiler (), () => assert_relu (relu (generic_tensor ()))).count_events (), 1);
}

void test_other_thread () throws GLib.Error {
  // Covers: 9.1, 9.2
  var tensor = generic_tensor ();
  var profiler = profiled (new Profiler (), () => {
    new Thread<bool> ("worker", () => {
      try {
        relu (generic_tensor ());
        return true;
      } catch (GLib.Error error) {
        return false;
      }
    }).join ();
    relu (tensor);
  });

  assert_equal (profiler.count_events (), 1);
}

void test_cross_thread_exit () throws GLib.Error {
  // Covers: 9.3, 9.4, 9.5
  var tensor = generic_tensor ();
  var profiler = new Profiler ();

  profiler.enter ();
  relu (tensor);
  new Thread<bool> ("worker", () => {
    assert_fails (Strideweave.Error.STATE, "active thread", () => profiler.exit ());
    return true;
  }).join ();
  assert_false (profiler.is_active ());

  relu (tensor);
  assert_no_results (profiler, "abandoned");
  assert_fails (Strideweave.Error.STATE, "not active", () => profiler.exit ());
  assert_equal (profiled (new Profiler (), () => relu (tensor)).count_events (), 1);
}

int main (string[] args) {
  GLib.Test.init (ref args);
  scenario ("Record all carrier classes by default", test_all_carriers);
  scenario ("Select one exact carrier class", test_exact_carrier);
  scenario ("Select no carrier classes", test_no_carrier);
  scenario ("Reject an invalid carrier filter", test_invalid_filter);
  scenario ("Read results after normal exit", test_results_after_exit);
  scenario ("Refuse results before exit", test_no_results_before_exit);
  scenario ("Reject a reused context", test_reused);
  scenario ("Reject nested contexts on one thread", test_nested);
  scenario ("Preserve results when the context body raises", test_body_throws);
  scenario ("Ignore another thread's operation", test_other_thread);
  scenario ("Reject cross-thread exit and recover", test_cross_thread_exit);
  return GLib.Test.run ();
}
