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

void test_columns () throws GLib.Error {
  var profiler = many ();
  var events = profiler.dup_events ();
  var columns = profiler.tabulate_events ();
  unowned int64[] durations = columns.get_int64s ("duration_ns");
  unowned int32[] names = columns.get_int32s ("name");
  var labels = columns.dup_labels ("name");

  assert_equal (columns.n_rows, events.length);
  assert_equal (durations.length, events.length);
  for (var i = 0; i < events.length; i++) {
    assert_equal (durations[i], events[i].duration_ns);
    assert_text (labels[names[i]], events[i].name);
  }
  assert_equal (columns.dup_column ("succeeded").length, events.length);

  var rows = profiler.tabulate_aggregates (ColumnOrder.COLUMNS, false, true);
  assert_near (rows.get_doubles ("p99_time_ns")[0], profiler.dup_key_statistics ()[0].p99_time_ns);
  assert_fails (Strideweave.Error.VALUE, "'nothing'", () => columns.dup_column ("nothing"));
  assert_fails (Strideweave.Error.TYPE, "duration_ns", () => columns.get_doubles ("duration_ns"));
  assert_fails (Strideweave.Error.STATE, "by rows", () =>
    profiler.tabulate_events (ColumnOrder.ROWS).dup_column ("id"));
}

void test_files () throws GLib.Error {
  var profiler = many ();
  string path, text;

  FileUtils.close (FileUtils.open_tmp ("strideweave-XXXXXX", out path));
  profiler.save_json (path);
  FileUtils.get_contents (path, out text);
  assert_text (text, profiler.dup_json ());
  profiler.save_events_csv (path);
  FileUtils.get_contents (path, out text);
  assert_text (text, profiler.dup_events_csv ());
  profiler.save_aggregates_csv (path, true, true);
  FileUtils.get_contents (path, out text);
  assert_text (text, profiler.dup_aggregates_csv (true, true));
  assert_true (text.contains ("p99_time_ns"));

  profiler.save (path);
  var loaded = Profiler.load (path);
  assert_text (loaded.dup_table (null, true, true), profiler.dup_table (null, true, true));
  assert_text (loaded.dup_json (), profiler.dup_json ());
  assert_true (loaded.dup_event (3).equal (profiler.dup_event (3)));
  FileUtils.set_contents (path, "something else");
  assert_fails (Strideweave.Error.VALUE, "no saved Profiler", () => Profiler.load (path));
  FileUtils.unlink (path);
  assert_fails (Strideweave.Error.IO, path, () => Profiler.load (path));
}

void test_list () throws GLib.Error {
  var tensor = generic_tensor ();
  var profiler = new Profiler ();
  GLib.ListModel list = profiler;
  var changes = 0;

  list.items_changed.connect ((position, removed, added) => {
    changes++;
    assert_equal (added, 2);
  });
  profiled (profiler, () => {
    relu (tensor);
    relu (tensor);
    assert_equal (list.get_n_items (), 0);
  });
  assert_equal (changes, 1);
  assert_equal (list.get_n_items (), 2);
  assert_type (list.get_item_type (), typeof (ProfilerEventItem));
  var item = (ProfilerEventItem) list.get_item (1);
  assert_text (item.name, "relu");
  assert_equal (item.event.id, 1);
  assert_true (list.get_item (1) == item);
  assert_true (list.get_item (2) == null);
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/results/statistics", test_statistics);
  test ("/results/table-columns", test_table_columns);
  test ("/results/columns", test_columns);
  test ("/results/files", test_files);
  test ("/results/list", test_list);
  return GLib.Test.run ();
}
