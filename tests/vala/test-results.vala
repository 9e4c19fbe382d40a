// SPDX-License-Identifier: LGPL-2.1-or-later
// Results as data: statistics, columns, text, saved profilers and list models.
using Strideweave;
using Fixtures;

Profiler many () throws GLib.Error {
  var tensor = generic_tensor ();
  var other = evictable_tensor ();

  return profiled (new Profiler (true), () => {
    for (var i = 0; i < 50; i++)
      relu (tensor);
    relu (other);
  });
}

void assert_near (double actual, double expected) {
  assert_cmpfloat_with_epsilon (actual, expected, 1e-9 * double.max (1, expected.abs ()));
}

double percentile (GenericArray<ProfilerEvent> events, Type carrier_type, double fraction) {
  var times = new GenericArray<double?> ();

  foreach (var event in events) {
    if (event.carrier_type == carrier_type)
      times.add ((double) event.duration_ns);
  }
  times.sort ((a, b) => (int) (a > b) - (int) (a < b));

  var position = (times.length - 1) * fraction;
  var below = (int) position;
  var above = int.min (below + 1, times.length - 1);
  return times[below] + (times[above] - times[below]) * (position - below);
}

void test_statistics () throws GLib.Error {
  var profiler = many ();
  var rows = profiler.dup_key_statistics ();
  var plain = profiler.dup_key_averages ();
  var shares = 0.0;

  assert_equal (rows.length, 2);
  for (var i = 0; i < rows.length; i++) {
    var row = rows[i];

    assert_true (row.has_statistics () && !plain[i].has_statistics ());
    assert_true (row.equal (plain[i]));
    assert_true (plain[i].p50_time_ns.is_nan ());
    assert_near (row.p50_time_ns, percentile (profiler.dup_events (), row.carrier_type, 0.5));
    assert_near (row.p90_time_ns, percentile (profiler.dup_events (), row.carrier_type, 0.9));
    assert_near (row.p99_time_ns, percentile (profiler.dup_events (), row.carrier_type, 0.99));
    assert_true (row.stddev_time_ns >= 0 && row.total_percent > 0);
    shares += row.self_total_percent;
  }
  assert_near (shares, 100);
  assert_text (rows[0].carrier_name, "Strideweave.Evictable");
  assert_text (profiler.dup_event (0).carrier_name, "Strideweave.Generic");
}

void test_table_columns () throws GLib.Error {
  var profiler = many ();
  string[] columns = { "p99_time_ns", "stddev_time_ns" };
  var header = profiler.dup_table_with_columns (columns, "p99_time_ns").split ("\n")[0];

  assert_true (header.has_suffix ("Std dev (ns)") && header.contains ("p99 (ns)"));
  assert_text (profiler.dup_table_with_columns (null), profiler.dup_table ());
  assert_fails (Strideweave.Error.VALUE, "'p98_time_ns'", () => profiler.dup_table_with_columns ({ "p98_time_ns" }));
  assert_fails (Strideweave.Error.VALUE, "sort field", () => profiler.dup_table ("p99_time_ns"));
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/results/statistics", test_statistics);
  test ("/results/table-columns", test_table_columns);
  return GLib.Test.run ();
}
