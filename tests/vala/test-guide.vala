// SPDX-License-Identifier: LGPL-2.1-or-later
// The examples of the guide do what it says.
using Strideweave;
using Fixtures;

void test_show_times () throws GLib.Error {
  if (GLib.Test.subprocess ()) {
    show_times (generic_tensor ());
    return;
  }
  GLib.Test.trap_subprocess (null, 0, 0);
  GLib.Test.trap_assert_passed ();
  GLib.Test.trap_assert_stdout ("*relu took * ns*Name*relu*");
}

class Offline : Carrier {
  public override int64 size () throws GLib.Error {
    return 1;
  }

  public override Strideweave.Value get_value (int64 index) throws GLib.Error {
    throw new StoreError.OFFLINE ("gone");
  }
}

void test_show_some_steps () throws GLib.Error {
  if (GLib.Test.subprocess ()) {
    show_some_steps (generic_tensor ());
    return;
  }
  GLib.Test.trap_subprocess (null, 0, 0);
  GLib.Test.trap_assert_passed ();
  GLib.Test.trap_assert_stdout ("*steps from 2*relu *Strideweave.Generic* 2 *");
}

void test_show_threads () throws GLib.Error {
  if (GLib.Test.subprocess ()) {
    show_threads (generic_tensor ());
    return;
  }
  GLib.Test.trap_subprocess (null, 0, 0);
  GLib.Test.trap_assert_passed ();
  GLib.Test.trap_assert_stdout ("*: 1 events*");
}

void test_read_first () throws GLib.Error {
  assert_cmpfloat (read_first (generic (1)), CompareOperator.EQ, -1);
  assert_cmpfloat (read_first (generic (0)), CompareOperator.EQ, 0);
  assert_cmpfloat (read_first (new Offline ()), CompareOperator.EQ, -2);
}

void test_logged () throws GLib.Error {
  var tensor = tensor_on (new Logged (generic (2)), "(2,)");
  var events = profiled (new Profiler (), () => assert_relu (relu (tensor))).dup_events ();

  assert_equal (events.length, 2);
  assert_type (events[0].carrier_type, typeof (Logged));
  assert_type (events[0].implementation_type, typeof (LoggedOperation));
  assert_equal (parent_of (events[1]), 0);
}

void test_record_zones () throws GLib.Error {
  if (GLib.Test.subprocess ()) {
    record_zones ();
    return;
  }
  GLib.Test.trap_subprocess (null, 0, 0);
  GLib.Test.trap_assert_passed ();
  GLib.Test.trap_assert_stdout ("*drawn*2 of 3 zones*text *");
}

void test_trace_answers () throws GLib.Error {
  if (GLib.Test.subprocess ()) {
    trace_answers ();
    return;
  }
  GLib.Test.trap_subprocess (null, 0, 0);
  GLib.Test.trap_assert_passed ();
  GLib.Test.trap_assert_stdout ("*cache.miss *waiting *answer *'cold'*answer *'id': <int64 1>*");
}

void test_submit_and_handle () throws GLib.Error {
  var collector = new MemoryCollector (10);
  var context = new TraceContext ();
  var loop = new MainLoop ();
  GLib.Error? failure = null;
  var names = "";

  context.set_collector (collector);
  handle.begin (context, submit (context), (source, result) => {
    try {
      handle.end (result);
    } catch (GLib.Error error) {
      failure = error;
    }
    loop.quit ();
  });
  loop.run ();
  assert_true (failure == null);
  context.flush ();
  foreach (var event in collector.dup_events ())
    names += @"$(event.get_name ()) $(event.dup_flows ().n_children ()) ";
  assert_text (names, "submit 1 work 1 request 0 ");
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/guide/show-times", test_show_times);
  test ("/guide/show-some-steps", test_show_some_steps);
  test ("/guide/show-threads", test_show_threads);
  test ("/guide/read-first", test_read_first);
  test ("/guide/logged", test_logged);
  test ("/guide/record-zones", test_record_zones);
  test ("/guide/trace-answers", test_trace_answers);
  test ("/guide/submit-and-handle", test_submit_and_handle);
  return GLib.Test.run ();
}
