// SPDX-License-Identifier: LGPL-2.1-or-later
// Aggregates and tables.
using Strideweave;
using Fixtures;

void test_repeated () throws GLib.Error {
  // Covers: 10.8, 10.9
  var tensor = generic_tensor ();
  var profiler = profiled (new Profiler (), () => {
    relu (tensor);
    relu (tensor);
  });
  var events = profiler.dup_events ();
  var rows = profiler.dup_key_averages ();
  var total = events[0].duration_ns + events[1].duration_ns;

  assert_equal (rows.length, 1);
  assert_text (rows[0].name, "relu");
  assert_type (rows[0].carrier_type, typeof (Generic));
  assert_equal (rows[0].count, 2);
  assert_equal (rows[0].total_time_ns, total);
  assert_equal (rows[0].self_total_time_ns, total);
  assert_cmpfloat (rows[0].mean_time_ns, CompareOperator.EQ, total / 2.0);
  assert_equal (rows[0].min_time_ns, int64.min (events[0].duration_ns, events[1].duration_ns));
  assert_equal (rows[0].max_time_ns, int64.max (events[0].duration_ns, events[1].duration_ns));
}

void test_separate_carriers () throws GLib.Error {
  // Covers: 10.5
  var tensor = evictable_tensor ();
  var rows = profiled (new Profiler (), () => relu (tensor)).dup_key_averages ();

  assert_equal (rows.length, 2);
  assert_type (rows[0].carrier_type, typeof (Evictable));
  assert_type (rows[1].carrier_type, typeof (Generic));
}

void test_group_by_shape () throws GLib.Error {
  // Covers: 10.6
  var nested = generic_tensor ("(2, (3, 4))");
  var flat = generic_tensor ("(2, 12)");
  var profiler = profiled (new Profiler (true), () => {
    relu (nested);
    relu (flat);
  });
  var combined = profiler.dup_key_averages ();
  var grouped = profiler.dup_key_averages (true);

  assert_equal (combined.length, 1);
  assert_true (combined[0].input_shapes == null);
  assert_equal (grouped.length, 2);
  assert_text (grouped[0].input_shapes.to_string (), "((2, (3, 4)),)");
  assert_text (grouped[1].input_shapes.to_string (), "((2, 12),)");
  foreach (var row in grouped)
    assert_equal (row.count, 1);
}

void test_aggregate_value () throws GLib.Error {
  // Covers: 11.1
  var shapes = new InputShapes ({});
  var row = new ProfilerAggregate ("name", typeof (CPU), shapes, -1, 2, 3, 4.5, 5, 6);

  assert_text (row.name, "name");
  assert_type (row.carrier_type, typeof (CPU));
  assert_true (row.input_shapes == shapes);
  assert_equal (row.count, -1);
  assert_equal (row.total_time_ns, 2);
  assert_equal (row.self_total_time_ns, 3);
  assert_cmpfloat (row.mean_time_ns, CompareOperator.EQ, 4.5);
  assert_equal (row.min_time_ns, 5);
  assert_equal (row.max_time_ns, 6);
  assert_true (row.equal (new ProfilerAggregate ("name", typeof (CPU), shapes, -1, 2, 3, 4.5, 5, 6)));
  assert_false (row.equal (new ProfilerAggregate ("name", typeof (CPU), null, -1, 2, 3, 4.5, 5, 6)));
}

string[] lines_of (string table) {
  return table.chomp ().split ("\n");
}

void test_limited_table () throws GLib.Error {
  // Covers: 12.1, 12.5, 12.8, 12.9
  var tensor = generic_tensor ();
  var profiler = profiled (new Profiler (), () => {
    relu (tensor);
    relu (tensor);
    exp (tensor);
  });
  var table = profiler.dup_table ("count", true, false, 1);
  var lines = lines_of (table);

  assert_text (profiler.dup_table ("count", true, false, 1), table);
  assert_equal (lines.length, 3);
  assert_true (lines[0].has_prefix ("Name"));
  assert_true (lines[1].has_prefix ("----"));
  assert_true (lines[2].has_prefix ("relu"));
  assert_true (lines_of (profiler.dup_table ("count", false, false, 1))[2].has_prefix ("exp"));
  assert_equal (lines_of (profiler.dup_table ()).length, 4);
}

void test_empty_table () throws GLib.Error {
  // Covers: 12.10
  var lines = lines_of (profiled (new Profiler (), () => {}).dup_table ());

  assert_equal (lines.length, 2);
  assert_true (lines[0].has_prefix ("Name"));
  assert_true (lines[1].has_prefix ("----"));
}

void test_sort_field () throws GLib.Error {
  // Covers: 12.12
  var profiler = profiled (new Profiler (), () => {});

  assert_fails (Strideweave.Error.VALUE, "sort field", () => profiler.dup_table ("unknown"));
  assert_fails (Strideweave.Error.VALUE, "sort field", () => profiler.dup_table (""));
}

void test_row_limit () throws GLib.Error {
  // Covers: 12.15
  var profiler = profiled (new Profiler (), () => {});

  assert_fails (Strideweave.Error.VALUE, "row_limit", () => profiler.dup_table (null, true, false, -2));
  assert_fails (Strideweave.Error.VALUE, "row_limit", () => profiler.dup_table (null, true, false, int64.MIN));
}

void test_write_trace () throws GLib.Error {
  var tensor = generic_tensor ();
  var profiler = profiled (new Profiler (true), () => relu (tensor));
  var path = Path.build_filename (DirUtils.make_tmp ("strideweave-XXXXXX"), "trace");
  string text;

  foreach (var format in new TraceFormat[] { CHROME_JSON, JSONL, PERFETTO }) {
    assert_true (profiler.write_trace (path, format));
    FileUtils.get_contents (path, out text);
    assert_true (text.length > 100);
  }
  profiler.write_trace (path, TraceFormat.JSONL);
  FileUtils.get_contents (path, out text);
  assert_true ("\"name\":\"relu\",\"category\":\"operation\"" in text);
  FileUtils.remove (path);
  DirUtils.remove (Path.get_dirname (path));

  try {
    profiler.write_trace (path, TraceFormat.JSONL);
    assert_not_reached ();
  } catch (Strideweave.Error error) {
    assert_true (error is Strideweave.Error.IO);
  }
  try {
    profiler.write_trace (path, (TraceFormat) 3);
    assert_not_reached ();
  } catch (Strideweave.Error error) {
    assert_true (error is Strideweave.Error.VALUE);
    assert_text (error.message, "format is 3, which is no TraceFormat");
  }
}

int main (string[] args) {
  GLib.Test.init (ref args);
  scenario ("Aggregate repeated executions", test_repeated);
  scenario ("Separate exact carrier classes", test_separate_carriers);
  scenario ("Group by hierarchical input shape", test_group_by_shape);
  scenario ("Construct an aggregate value directly", test_aggregate_value);
  scenario ("Render a deterministic limited table", test_limited_table);
  scenario ("Render an empty table", test_empty_table);
  scenario ("Reject an unsupported sort field", test_sort_field);
  scenario ("Reject an invalid row limit", test_row_limit);
  scenario ("Write a trace in each format", test_write_trace);
  return GLib.Test.run ();
}
