// SPDX-License-Identifier: LGPL-2.1-or-later
// Zones, frames and the current profiler last as long as their scopes, and what a ZoneProfiler returns.
using Strideweave;
using Fixtures;

ZoneProfiler capturing () throws GLib.Error {
  var desc = new ZoneProfilerDesc ();

  desc.enable_auto_zones = false;
  var profiler = new ZoneProfiler (desc);
  profiler.start_capture ();
  return profiler;
}

unowned string name_of (uint32 site_id) {
  return ((!) ProfilerSite.lookup (site_id)).name;
}

/* "name<parent " for each zone, in the order in which they ended. */
string shape_of (ZoneTrace trace) {
  var text = new StringBuilder ();

  foreach (var chunk in trace.dup_zone_chunks ()) {
    var site_bytes = chunk.dup_site_id ();
    var parent_bytes = chunk.dup_parent_index ();
    unowned uint32[] sites = (uint32[]) site_bytes.get_data ();
    unowned int32[] parents = (int32[]) parent_bytes.get_data ();

    assert_equal (sites.length, chunk.zone_count);
    for (int i = 0; i < sites.length; i++)
      text.append (@"$(name_of (sites[i]))<$(parents[i] < 0 ? "" : name_of (sites[parents[i]])) ");
  }
  return text.str;
}

void assert_shape (ZoneProfiler profiler, string expected) throws GLib.Error {
  var trace = profiler.stop_capture ();

  assert_text (shape_of (trace), expected);
  assert_equal ((int64) trace.diagnostics.get_misplaced_end_count (), 0);
}

void test_without_profiler () throws GLib.Error {
  var zone = profile_zone ("nowhere");
  var frame = profile_frame ();
  var whole = profile_function ();

  assert_false (zone.recorded);
  assert_false (frame.recorded);
  assert_false (whole.recorded);
  assert_true (ZoneProfiler.dup_current () == null);
}

void test_end_of_block () throws GLib.Error {
  var profiler = capturing ();

  {
    var scope = profiler.scope ();

    assert_true (scope.profiler == profiler);
    {
      var zone = profile_zone ("outer");

      assert_true (zone.recorded);
      {
        var inner = profile_zone ("inner");

        assert_true (inner.recorded);
      }
    }
    {
      var zone = profile_zone ("second");
      var inner = profile_zone ("third");

      assert_true (zone.recorded && inner.recorded);
    }
  }
  assert_true (ZoneProfiler.dup_current () == profiler); // the thread's default
  assert_shape (profiler, "inner<outer outer< third<second second< ");
}

int zone_and_return (int way) throws GLib.Error {
  var zone = profile_zone ("first");

  if (way == 0)
    return 1;
  for (int i = 0; i < 4; i++) {
    var inner = profile_zone ("loop");

    if (i == 1)
      continue;
    if (i == 2)
      break;
    assert_true (inner.recorded);
  }
  if (zone.recorded)
    throw new HookError.BROKEN ("half way");
  return 2;
}

void test_return_and_throw () throws GLib.Error {
  var profiler = capturing ();

  {
    var scope = profiler.scope ();

    assert_equal (zone_and_return (0), 1);
    try {
      zone_and_return (1);
      assert_not_reached ();
    } catch (HookError error) {
      assert_text (error.message, "half way");
    }
    {
      var zone = profile_zone ("after");
      zone.end ();
    }
    scope.leave ();
  }
  assert_shape (profiler, "first< loop<first loop<first loop<first first< after< ");
}

void test_early_ends () throws GLib.Error {
  var profiler = capturing ();
  var scope = profiler.scope ();
  ZoneScope? zone = profile_zone ("null");

  zone = null;
  var frame = profile_frame ();
  var early = profile_zone ("end");
  early.end ();
  frame.end ();
  var after = profile_frame ();
  after.end ();
  scope.leave ();
  assert_false (profiler.withdraw ());
  assert_shape (profiler, "null< end< ");
}

class Scene : Object {
  public void draw () {
    {
      var zone = profile_function ();
      zone.end ();
    }
  }
}

void test_sites () throws GLib.Error {
  var profiler = capturing ();
  var scope = profiler.scope ();

  for (int i = 0; i < 3; i++) {
    var zone = profile_zone ("one place");

    zone.end ();
  }
  for (int i = 0; i < 100; i++) {
    var zone = profile_zone (@"zone $i");

    zone.end ();
  }
  new Scene ().draw ();
  scope.leave ();
  var trace = profiler.stop_capture ();
  assert_equal (trace.zone_count, 104);
  assert_equal (trace.dup_sites ().length, 102);
  assert_equal (trace.query_zones ("one place").count, 3);
  assert_equal (trace.query_zones ("zone 99").count, 1);
  assert_equal (trace.query_zones ("scene_draw").count, 1);
  foreach (var site in trace.dup_sites ()) {
    assert_true ("test-zones" in site.file);
    assert_true (site.line > 0);
    assert_text (site.function, site.name == "scene_draw" ? "scene_draw" : "test_sites");
  }
}

void test_frames () throws GLib.Error {
  var profiler = capturing ();

  {
    var scope = profiler.scope ();

    for (int i = 0; i < 3; i++) {
      {
        var frame = profile_frame ("tick");

        {
          var zone = profile_zone ("inside");
          zone.end ();
        }
        assert_fails (Strideweave.Error.STATE, "already active", () => profile_frame ());
        frame.end ();
      }
    }
    var last = profile_frame ();
    assert_true (last.recorded);
    scope.leave ();
  }
  var trace = profiler.stop_capture ();
  var frames = trace.dup_frames ();

  assert_equal (frames.length, 4);
  assert_text (frames[0].name, "tick");
  assert_text (frames[3].name, "frame");
  assert_equal (frames[3].index, 3);
  assert_true (frames[1].start_ns >= frames[0].start_ns + frames[0].duration_ns);
  assert_equal (trace.query_zones (null, TimelineType.CPU, 1, 3).count, 2);
}

void test_profiler_scopes () throws GLib.Error {
  var first = capturing ();
  var second = capturing ();
  ZoneProfilerScope? first_scope = first.scope ();
  ZoneProfilerScope? second_scope = second.scope ();

  assert_true (second_scope.profiler == second);
  assert_true (ZoneProfiler.dup_current () == second);
  assert_true (first_scope.profiler == first);
  first_scope = null; // out of order
  assert_true (ZoneProfiler.dup_current () == second);
  {
    var zone = profile_zone ("of the second");

    {
      var scope = first.scope ();

      {
        var inner_zone = profile_zone ("of the first");
        inner_zone.end ();
      }
      scope.leave ();
    }
    zone.end ();
  }
  second_scope = null;
  assert_true (ZoneProfiler.dup_current () != second);
  assert_shape (first, "of the first< ");
  assert_shape (second, "of the second< ");
  assert_fails (Strideweave.Error.STATE, "entered last", () => first.exit ());
  assert_false (first.withdraw ());
}

void test_no_reference_left () throws GLib.Error {
  ZoneProfiler? profiler = capturing ();
  var reference = WeakRef (profiler);

  {
    var scope = profiler.scope ();

    var zone = profile_zone ("zone");

    assert_true (zone.recorded);
    scope.leave ();
  }
  profiler = null;
  assert_true (reference.get () == null);
}

/* Gives the other tasks a turn. */
async void turn () {
  Idle.add (turn.callback);
  yield;
}

async int wait_in_zone (string name, int turns, bool throws_error) throws GLib.Error {
  var zone = profile_zone (name);

  for (int i = 0; i < turns; i++)
    yield turn ();
  if (throws_error)
    throw new HookError.BROKEN (name);
  assert_true (zone.recorded);
  return turns;
}

async int wait_in_profiler (ZoneProfiler profiler, int turns) throws GLib.Error {
  var scope = profiler.scope ();

  for (int i = 0; i < turns; i++)
    yield turn ();
  assert_true (scope.profiler == profiler);
  return turns;
}

void test_async () throws GLib.Error {
  var profiler = capturing ();
  var loop = new MainLoop ();
  int n_running = 3;
  string failed = "";

  {
    var scope = profiler.scope ();

    foreach (unowned string name in new string[] { "one", "three", "two" }) {
      int turns = name == "one" ? 1 : name == "two" ? 2 : 3;

      wait_in_zone.begin (name, turns, turns == 2, (source, result) => {
        try {
          assert_equal (wait_in_zone.end (result), turns);
        } catch (GLib.Error error) {
          failed += error.message;
        }
        if (--n_running == 0)
          loop.quit ();
      });
    }
    loop.run ();
    {
      var zone = profile_zone ("after");
      zone.end ();
    }
    scope.leave ();
  }
  var trace = profiler.stop_capture ();
  assert_text (failed, "two");
  assert_equal (trace.zone_count, 4);
  assert_true (shape_of (trace).has_suffix ("after< "));
  assert_equal ((int64) profiler.dup_diagnostics ().get_emitted_count (), 4);
}

void test_async_profilers () throws GLib.Error {
  var loop = new MainLoop ();
  int n_running = 2;
  var standing = capturing (); // the thread's default
  var first = capturing ();
  var second = capturing ();
  AsyncReadyCallback finished = (source, result) => {
    if (--n_running == 0)
      loop.quit ();
  };

  wait_in_profiler.begin (first, 1, (source, result) => finished (source, result));
  wait_in_profiler.begin (second, 3, (source, result) => finished (source, result));
  assert_true (ZoneProfiler.dup_current () == second);
  loop.run ();
  assert_true (ZoneProfiler.dup_current () == standing);
}

void test_other_thread () throws GLib.Error {
  var profiler = capturing ();
  ZoneScope? moving = null;

  {
    var scope = profiler.scope ();

    moving = profile_zone ("moved");
    new Thread<bool> ("worker", () => {
      ZoneScope? moved = (owned) moving;

      moved = null;
      return true;
    }).join ();
    new Thread<bool> ("recorder", () => {
      try {
        {
          var inner_scope = profiler.scope ();

          {
            var zone = profile_zone ("on a thread");
            zone.end ();
          }
          inner_scope.leave ();
        }
      } catch (GLib.Error error) {
        assert_no_error (error);
      }
      return true;
    }).join ();
    scope.leave ();
  }
  var trace = profiler.stop_capture ();
  assert_text (shape_of (trace), "on a thread< ");
  assert_equal ((int64) profiler.dup_diagnostics ().get_misplaced_end_count (), 1);
  assert_text (trace.dup_timelines ()[0].name, "recorder");
}

void test_disabled () throws GLib.Error {
  var profiler = capturing ();

  {
    var scope = profiler.scope ();

    var zone = profile_zone ("before");

    profiler.enabled = false;
    assert_true (zone.recorded);
    var unrecorded = profile_zone ("during");
    assert_false (unrecorded.recorded);
    var frame = profile_frame ();
    assert_false (frame.recorded);
    scope.leave ();
  }
  assert_shape (profiler, "before< ");
}

void test_desc () throws GLib.Error {
  var desc = new ZoneProfilerDesc ();

  assert_equal (desc.thread_event_capacity, 8192);
  desc.live_frame_count = 7;
  var profiler = new ZoneProfiler (desc);
  desc.live_frame_count = 8;
  assert_equal (profiler.dup_desc ().live_frame_count, 7);
  desc.thread_event_capacity = 48;
  assert_fails (Strideweave.Error.VALUE, "thread_event_capacity is 48", () => new ZoneProfiler (desc));
  assert_equal (new ZoneProfiler ().dup_desc ().live_frame_count, 120);
}

void test_captures () throws GLib.Error {
  var profiler = capturing ();
  var limit = new CaptureDesc ();

  assert_fails (Strideweave.Error.STATE, "already active", () => profiler.start_capture ());
  profiler.discard_capture ();
  assert_fails (Strideweave.Error.STATE, "No active", () => profiler.stop_capture ());
  assert_fails (Strideweave.Error.STATE, "No active", () => profiler.discard_capture ());
  limit.max_memory_bytes = 0;
  assert_fails (Strideweave.Error.VALUE, "max_memory_bytes is 0", () => profiler.start_capture (limit));
  limit.max_memory_bytes = 20000;
  profiler.start_capture (limit);
  {
    var scope = profiler.scope ();

    for (int i = 0; i < 3000; i++) {
      {
        var zone = profile_zone ("many");
        zone.end ();
      }
    }
    scope.leave ();
  }
  var trace = profiler.stop_capture ();
  assert_true (trace.truncated);
  assert_true (trace.stop_reason == StopReason.MEMORY_LIMIT);
  assert_true (trace.memory_bytes <= 20000);
}

void test_queries () throws GLib.Error {
  var profiler = capturing ();

  {
    var scope = profiler.scope ();

    for (int i = 0; i < 10; i++) {
      {
        var frame = profile_frame ();

        {
          var zone = profile_zone ("queried");
          zone.end ();
        }
        frame.end ();
      }
    }
    scope.leave ();
  }
  var trace = profiler.stop_capture ();
  var selection = trace.query_zones ("queried");
  var bytes = selection.dup_column (ZoneColumn.DURATION_NS);
  unowned uint64[] durations = (uint64[]) bytes.get_data ();
  var statistics = selection.dup_statistics ();
  uint64 total = 0;

  assert_equal (durations.length, 10);
  foreach (var duration in durations)
    total += duration;
  assert_cmpfloat_with_epsilon (statistics.total_ms, total / 1e6, 1e-12);
  assert_equal ((int64) statistics.count, 10);
  assert_true (statistics.min_ms <= statistics.p50_ms && statistics.p99_ms <= statistics.max_ms);
  assert_equal (selection.slowest (3).count, 3);
  assert_equal (selection.trace.zone_count, 10);
  assert_equal (selection.dup_histogram (4, 0, 0).get_bin_count (), 4);
  assert_equal (trace.query_zones (null, -1, -1, -1, (int64) trace.start_ns, (int64) trace.stop_ns).count, 10);
  assert_fails (Strideweave.Error.VALUE, "frame_begin is -2", () => trace.query_zones (null, -1, -2));
  assert_fails (Strideweave.Error.VALUE, "timeline_type is 9", () => trace.query_zones (null, 9));
  assert_fails (Strideweave.Error.VALUE, "n_bins is 0", () => selection.dup_histogram (0, 0, 0));
  assert_fails (Strideweave.Error.IO, "/nonexistent", () => trace.write_to_json ("/nonexistent/trace.json"));
}

void test_frame_statistics () throws GLib.Error {
  var profiler = new ZoneProfiler ();

  {
    var scope = profiler.scope ();

    for (int i = 0; i < 5; i++) {
      {
        var frame = profile_frame ();

        {
          var zone = profile_zone ("outer");

          {
            var inner_zone = profile_zone ("inner");
            inner_zone.end ();
          }
          zone.end ();
        }
        frame.end ();
      }
    }
    scope.leave ();
  }
  FrameStats stats = profiler.frame_stats_snapshot ();
  GenericArray<FrameStatsEntry> entries = stats.dup_entries ();
  var calls_bytes = stats.dup_sample_call_count ();
  unowned uint32[] calls = (uint32[]) calls_bytes.get_data ();
  FrameStatsEntry inner = entries[1];

  assert_equal (stats.sample_count, 5);
  assert_equal (calls.length, stats.sample_count * stats.entry_count);
  stats = null;
  entries = null;
  assert_text (inner.name, "inner");
  assert_equal (inner.parent_index, 0);
  assert_equal ((int64) inner.cpu_time_per_call.count, 5);
  assert_equal ((int64) inner.gpu_time_per_frame.count, 0);
  profiler.clear_frame_stats ();
  assert_equal (profiler.frame_stats_snapshot ().sample_count, 0);
}

void test_bad_tokens () throws GLib.Error {
  assert_fails (Strideweave.Error.STATE, "token 12345", () => profile_zone_end (12345));
  assert_fails (Strideweave.Error.STATE, "token 12345", () => profile_frame_end (12345));
  assert_true (profile_zone_end (0));
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/zones/without-profiler", test_without_profiler);
  test ("/zones/end-of-block", test_end_of_block);
  test ("/zones/return-and-throw", test_return_and_throw);
  test ("/zones/early-ends", test_early_ends);
  test ("/zones/sites", test_sites);
  test ("/zones/frames", test_frames);
  test ("/zones/profiler-scopes", test_profiler_scopes);
  test ("/zones/no-reference-left", test_no_reference_left);
  test ("/zones/async", test_async);
  test ("/zones/async-profilers", test_async_profilers);
  test ("/zones/other-thread", test_other_thread);
  test ("/zones/disabled", test_disabled);
  test ("/zones/desc", test_desc);
  test ("/zones/captures", test_captures);
  test ("/zones/queries", test_queries);
  test ("/zones/frame-statistics", test_frame_statistics);
  test ("/zones/bad-tokens", test_bad_tokens);
  return GLib.Test.run ();
}
