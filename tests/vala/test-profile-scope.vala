// SPDX-License-Identifier: LGPL-2.1-or-later
// The scope leaves its profiler on every way out of a block.
using Strideweave;
using Fixtures;

void assert_left (Profiler profiler, int64 n_events) throws GLib.Error {
  assert_false (profiler.is_active ());
  assert_true (profiler.is_completed ());
  assert_equal (profiler.count_events (), n_events);
  // The thread is free for the next one.
  profiled (new Profiler (), () => {});
}

void test_end_of_block () throws GLib.Error {
  var tensor = generic_tensor ();
  var profiler = new Profiler ();

  {
    ProfileScope scope;

    scope = profiler.scope ();
    relu (tensor);
    assert_true (profiler.is_active ());
  }
  assert_left (profiler, 1);
}

void test_leave () throws GLib.Error {
  var tensor = generic_tensor ();
  var scope = new Profiler (true).scope ();

  relu (tensor);
  scope.leave ();
  assert_left (scope.profiler, 1);
  assert_true (scope.profiler.get_record_shapes ());
  assert_fails (Strideweave.Error.STATE, "not active", () => scope.leave ());
}

void test_constructor () throws GLib.Error {
  var profiler = new Profiler ();
  var scope = new ProfileScope (profiler);

  assert_true (scope.profiler == profiler);
  scope = null;
  assert_left (profiler, 0);
}

void relu_and_throw (Profiler profiler, Tensor tensor) throws GLib.Error {
  var scope = profiler.scope ();

  relu (tensor);
  if (scope.profiler.is_active ())
    throw new HookError.BROKEN ("half way");
  relu (tensor);
}

void test_throw () throws GLib.Error {
  var profiler = new Profiler ();
  var tensor = generic_tensor ();

  try {
    relu_and_throw (profiler, tensor);
    assert_not_reached ();
  } catch (HookError error) {
    assert_text (error.message, "half way");
  }
  assert_left (profiler, 1);
}

int relu_and_return (Profiler profiler, Tensor tensor) throws GLib.Error {
  var scope = profiler.scope ();

  relu (tensor);
  if (scope.profiler.is_active ())
    return 7;
  relu (tensor);
  return 8;
}

void test_early_return () throws GLib.Error {
  var profiler = new Profiler ();

  assert_equal (relu_and_return (profiler, generic_tensor ()), 7);
  assert_left (profiler, 1);
}

void test_loop () throws GLib.Error {
  var tensor = generic_tensor ();
  Profiler[] profilers = {};

  for (int i = 0; i < 4; i++) {
    var scope = new Profiler ().scope ();

    profilers += scope.profiler;
    if (i == 1)
      continue;
    relu (tensor);
    if (i == 2)
      break;
  }
  assert_equal (profilers.length, 3);
  assert_left (profilers[0], 1);
  assert_left (profilers[1], 0);
  assert_left (profilers[2], 1);
}

void test_refused () throws GLib.Error {
  var tensor = generic_tensor ();
  var outer = new Profiler ();
  var scope = outer.scope ();

  assert_fails (Strideweave.Error.STATE, "already active", () => relu_and_return (new Profiler (), tensor));
  assert_true (outer.is_active ());
  relu (tensor);
  scope.leave ();
  assert_left (outer, 1);
  assert_fails (Strideweave.Error.STATE, "single-use", () => outer.scope ());
}

void test_no_reference_left () throws GLib.Error {
  var scope = new Profiler ().scope ();
  var profiler = WeakRef (scope.profiler);

  assert_true (profiler.get () != null);
  scope = null;
  assert_true (profiler.get () == null);
}

/* Gives the other tasks a turn, or two. */
async void turn () {
  Idle.add (turn.callback);
  yield;
}

async int relu_twice (Profiler profiler, Tensor tensor) throws GLib.Error {
  var scope = profiler.scope ();

  relu (tensor);
  yield turn ();
  assert_true (scope.profiler.is_active ());
  relu (tensor);
  return 2;
}

async int relu_until (Profiler profiler, Tensor tensor, bool throws_error) throws GLib.Error {
  var scope = profiler.scope ();

  relu (tensor);
  yield turn ();
  if (throws_error)
    throw new HookError.BROKEN ("after a turn");
  if (scope.profiler.is_active ())
    return 1;
  relu (tensor);
  return 2;
}

void test_async () throws GLib.Error {
  var profiler = new Profiler ();
  var loop = new MainLoop ();
  AsyncResult? result = null;

  relu_twice.begin (profiler, generic_tensor (), (source, ready) => {
    result = ready;
    loop.quit ();
  });
  assert_true (profiler.is_active ());
  loop.run ();
  assert_equal (relu_twice.end (result), 2);
  assert_left (profiler, 2);
}

int run_until (Profiler profiler, bool throws_error) throws GLib.Error {
  var loop = new MainLoop ();
  AsyncResult? result = null;

  relu_until.begin (profiler, generic_tensor (), throws_error, (source, ready) => {
    result = ready;
    loop.quit ();
  });
  loop.run ();
  return relu_until.end (result);
}

void test_async_return () throws GLib.Error {
  var profiler = new Profiler ();

  assert_equal (run_until (profiler, false), 1);
  assert_left (profiler, 1);
}

void test_async_throw () throws GLib.Error {
  var profiler = new Profiler ();

  try {
    run_until (profiler, true);
    assert_not_reached ();
  } catch (HookError error) {
    assert_text (error.message, "after a turn");
  }
  assert_left (profiler, 1);
}

/* Two tasks of one thread: the second is told that the first one's profiler is active, and harms nothing. */
void test_async_interleaved () throws GLib.Error {
  var tensor = generic_tensor ();
  var first = new Profiler ();
  var second = new Profiler ();
  var loop = new MainLoop ();
  AsyncResult? first_result = null;
  AsyncResult? second_result = null;

  relu_twice.begin (first, tensor, (source, ready) => {
    first_result = ready;
    loop.quit ();
  });
  relu_twice.begin (second, tensor, (source, ready) => second_result = ready);
  loop.run ();
  assert_fails (Strideweave.Error.STATE, "already active", () => relu_twice.end (second_result));
  assert_equal (relu_twice.end (first_result), 2);
  assert_left (first, 2);
}

/* The scope goes on another thread than it came. */
void test_other_thread () throws GLib.Error {
  var profiler = new Profiler ();
  var scope = profiler.scope ();

  new Thread<bool> ("worker", () => {
    ProfileScope? moved = (owned) scope;

    moved = null;
    return true;
  }).join ();
  assert_false (profiler.is_active ());
  assert_fails (Strideweave.Error.STATE, "abandoned", () => profiler.dup_events ());
  profiled (new Profiler (), () => {});
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/profile-scope/end-of-block", test_end_of_block);
  test ("/profile-scope/leave", test_leave);
  test ("/profile-scope/constructor", test_constructor);
  test ("/profile-scope/throw", test_throw);
  test ("/profile-scope/early-return", test_early_return);
  test ("/profile-scope/loop", test_loop);
  test ("/profile-scope/refused", test_refused);
  test ("/profile-scope/no-reference-left", test_no_reference_left);
  test ("/profile-scope/async", test_async);
  test ("/profile-scope/async-return", test_async_return);
  test ("/profile-scope/async-throw", test_async_throw);
  test ("/profile-scope/async-interleaved", test_async_interleaved);
  test ("/profile-scope/other-thread", test_other_thread);
  return GLib.Test.run ();
}
