// SPDX-License-Identifier: LGPL-2.1-or-later
// Profilers by schedule, and for all threads of the process.
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

/* Steps of which each runs an operation that is named after it. */
ProfilerCycle[] run_schedule (ProfilerSchedule schedule, int n_steps) throws GLib.Error {
  var tensor = tensor_on (new ScriptCarrier ());
  ProfilerCycle[] cycles = {};

  schedule.set_cycle_func ((cycle) => {
    cycles += cycle;
    return true;
  });
  var scope = schedule.scope ();
  for (int s = 0; s < n_steps; s++) {
    assert_equal (schedule.get_step (), s);
    call_operation (s.to_string (), new ValueList.tensors ({ tensor }));
    scope.step ();
  }
  scope.leave ();
  return cycles;
}

/* "1 2 | 4 5 | " for the steps 1 and 2 and so on. */
string expect (int skip, int wait, int warmup, int active, int repeat, int n_steps) {
  int length = wait + warmup + active;
  string text = "";

  for (int s = skip; s < n_steps && (repeat == 0 || (s - skip) / length < repeat); s++) {
    int place = (s - skip) % length;

    if (place >= wait + warmup)
      text += @"$s ";
    if (place == length - 1)
      text += "| ";
  }
  return text;
}

void test_formula () throws GLib.Error {
  for (int bits = 0; bits < 48; bits++) {
    for (int n_steps = 5; n_steps <= 6; n_steps++) {
      var schedule = new ProfilerSchedule (null, bits & 1, bits >> 1 & 1, bits >> 2 & 1, 1 + (bits >> 3 & 1), bits >> 4);
      string recorded = "";

      foreach (unowned var cycle in run_schedule (schedule, n_steps)) {
        foreach (var event in cycle.profiler.dup_events ())
          recorded += event.name + " ";
        if (!cycle.is_partial ())
          recorded += "| ";
        assert_equal (cycle.profiler.count_events (), cycle.n_steps);
      }
      assert_text (recorded, expect (bits & 1, bits >> 1 & 1, bits >> 2 & 1, 1 + (bits >> 3 & 1), bits >> 4, n_steps));
    }
  }
}

void test_labels () throws GLib.Error {
  var cycles = run_schedule (new ProfilerSchedule (new Profiler (true), 0, 1, 2, 3, 0), 6);
  int64 first, count;

  assert_equal (cycles.length, 1);
  var cycle = cycles[0];
  assert_equal (cycle.number, 0);
  assert_equal (cycle.first_step, 3);
  assert_equal (cycle.n_steps, 3);
  assert_equal (cycle.get_step_of_event (2), 5);
  cycle.get_events_of_step (4, out first, out count);
  assert_equal (first, 1);
  assert_equal (count, 1);
  assert_true (cycle.profiler.get_record_shapes ());
  assert_fails (Strideweave.Error.INDEX, "id is 3", () => cycle.get_step_of_event (3));
  assert_fails (Strideweave.Error.INDEX, "step is 6", () => cycle.get_events_of_step (6, null, null));
  assert_fails (Strideweave.Error.VALUE, "active is 0", () => new ProfilerSchedule (null, 0, 0, 0, 0, 0));
  assert_fails (Strideweave.Error.VALUE, "warmup is -1", () => new ProfilerSchedule (null, 0, 0, -1, 1, 0));
}

void test_function_throws () throws GLib.Error {
  var tensor = generic_tensor ();
  var schedule = new ProfilerSchedule (null, 0, 0, 0, 1, 0);
  int n_cycles = 0;

  schedule.set_cycle_func ((cycle) => {
    n_cycles++;
    if (cycle.number == 1)
      throw new HookError.BROKEN ("not this one");
    return true;
  });
  var scope = schedule.scope ();
  for (int s = 0; s < 3; s++) {
    relu (tensor);
    try {
      scope.step ();
      assert_true (s != 1);
    } catch (HookError error) {
      assert_text (error.message, "not this one");
      assert_equal (s, 1);
    }
  }
  scope.leave ();
  assert_equal (n_cycles, 3);
  assert_fails (Strideweave.Error.STATE, "exited already", () => scope.step ());
}

void run_and_throw (ProfilerSchedule schedule, Tensor tensor) throws GLib.Error {
  var scope = schedule.scope ();

  relu (tensor);
  if (scope.schedule.is_active ())
    throw new HookError.BROKEN ("half way");
}

void test_end_of_block () throws GLib.Error {
  var schedule = new ProfilerSchedule (null, 0, 0, 0, 2, 0);
  bool was_partial = false;

  schedule.set_cycle_func ((cycle) => {
    was_partial = cycle.is_partial ();
    return true;
  });
  try {
    run_and_throw (schedule, generic_tensor ());
    assert_not_reached ();
  } catch (HookError error) {
    assert_text (error.message, "half way");
  }
  assert_true (was_partial);
  assert_false (schedule.is_active ());
  assert_fails (Strideweave.Error.STATE, "single-use", () => schedule.scope ());
}

void test_other_thread () throws GLib.Error {
  var schedule = new ProfilerSchedule (null, 0, 0, 0, 1, 0);
  var scope = schedule.scope ();

  new Thread<bool> ("other", () => {
    assert_fails (Strideweave.Error.STATE, "thread", () => schedule.step ());
    return true;
  }).join ();
  assert_equal (schedule.get_step (), 0);
  scope.leave ();
}

void test_group () throws GLib.Error {
  var tensor = generic_tensor ();
  var scope = new ProfilerGroup (new Profiler (true)).scope ();
  var own = new Profiler ();

  profiled (own, () => relu (tensor));
  for (int i = 0; i < 3; i++) {
    new Thread<bool> (@"worker-$i", () => {
      try {
        relu (tensor);
      } catch (GLib.Error error) {
        assert_no_error (error);
      }
      return true;
    }).join ();
  }
  assert_fails (Strideweave.Error.STATE, "already active", () => new ProfilerGroup ().scope ());
  scope.leave ();

  var group = scope.group;
  var threads = group.dup_threads ();
  assert_equal (own.count_events (), 1);
  assert_equal (threads.length, 4);
  assert_text (threads[2].name, "worker-1");
  assert_true (threads[2].os_thread_id > 0);
  assert_text (threads[2].profiler.dup_event (0).input_shapes.to_string (), "((2,),)");
  assert_true (threads[2].thread_id == threads[2].profiler.dup_event (0).thread_id);
  assert_equal (group.dup_events ().length, 4);
  assert_equal (group.dup_key_averages ()[0].count, 4);
  assert_true (group.dup_table_by_thread ().contains ("\n\nThread worker-2 ("));
  assert_true (group.dup_table ().contains ("relu"));
  assert_equal (group.get_n_lost_threads (), 0);
  assert_fails (Strideweave.Error.STATE, "not active", () => group.exit ());
}

void test_group_end_of_block () throws GLib.Error {
  var tensor = generic_tensor ();
  var group = new ProfilerGroup ();

  {
    ProfilerGroupScope scope;

    scope = group.scope ();
    relu (tensor);
  }
  assert_true (group.is_completed ());
  assert_equal (group.dup_threads ().length, 1);
  assert_true (group.dup_key_statistics ()[0].has_statistics ());
  assert_equal (group.tabulate_aggregates ().get_n_rows (), group.dup_key_averages ().length);
  assert_true (group.dup_table_with_columns ({ "p99_time_ns" }, "p99_time_ns").contains ("p99"));
}

void test_merged () throws GLib.Error {
  var tensor = generic_tensor ();
  Profiler[] profilers = {};

  for (int i = 0; i < 3; i++)
    profilers += profiled (new Profiler (), () => relu (tensor));
  assert_equal (Profiler.dup_merged_key_averages (profilers)[0].count, 3);
  assert_true (Profiler.dup_merged_table (profilers).contains ("relu"));
  var row = Profiler.dup_merged_key_statistics (profilers)[0];
  assert_true (row.has_statistics ());
  var columns = Profiler.tabulate_merged_aggregates (profilers, ColumnOrder.COLUMNS, false, true);
  assert_true (columns.get_doubles ("p99_time_ns")[0] == row.p99_time_ns);
  assert_true (Profiler.dup_merged_table_with_columns (profilers, { "p99_time_ns" }).contains ("p99"));
  profilers += new Profiler ();
  assert_fails (Strideweave.Error.STATE, "profilers[3]", () => Profiler.dup_merged_table (profilers));
}

void run_session (Tensor tensor) throws GLib.Error {
  var schedule = new ProfilerSchedule (null, 0, 0, 1, 1, 1);
  int64 n_events = 0;

  schedule.set_cycle_func ((cycle) => {
    n_events += cycle.profiler.count_events ();
    return true;
  });
  var scope = schedule.scope ();
  var group_scope = new ProfilerGroup (new Profiler (true)).scope ();
  for (int s = 0; s < 2; s++) {
    relu (tensor);
    scope.step ();
  }
  group_scope.leave ();
  scope.leave ();
  assert_equal (n_events, 1);
  assert_equal (group_scope.group.dup_events ().length, 2);
}

void test_many_sessions () throws GLib.Error {
  // Freed memory that the heap keeps at hand for its thread counts as used, unless the heap is told to keep none.
  size_t slack = Environment.get_variable ("GLIBC_TUNABLES") != null ? 1024 : 65536;
  var tensor = generic_tensor ();

  for (int i = 0; i < 100; i++)
    run_session (tensor);
  var before = get_heap_use ().uordblks;
  for (int i = 0; i < 2000; i++)
    run_session (tensor);
  var after = get_heap_use ().uordblks;

  GLib.Test.message ("heap: %s bytes before, %s after", before.to_string (), after.to_string ());
  assert_true (after <= before + slack);
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/sessions/formula", test_formula);
  test ("/sessions/labels", test_labels);
  test ("/sessions/function-throws", test_function_throws);
  test ("/sessions/end-of-block", test_end_of_block);
  test ("/sessions/other-thread", test_other_thread);
  test ("/sessions/group", test_group);
  test ("/sessions/group-end-of-block", test_group_end_of_block);
  test ("/sessions/merged", test_merged);
  test ("/sessions/many-sessions", test_many_sessions);
  return GLib.Test.run ();
}
