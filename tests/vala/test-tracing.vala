// SPDX-License-Identifier: LGPL-2.1-or-later
// Spans last as long as their scopes, and arguments are put together only for what is recorded.
using Strideweave;
using Fixtures;

class Recording {
  public TraceContext context = new TraceContext ();
  MemoryCollector collector;

  public Recording () throws GLib.Error {
    collector = new MemoryCollector (1000);
    context.set_collector (collector);
  }

  /* "name@depth{arguments} " for each event, in the order in which they ended. */
  public string take () throws GLib.Error {
    var text = new StringBuilder ();

    context.flush ();
    foreach (var event in collector.dup_events ())
      text.append (@"$(event.get_name ())@$(event.get_depth ())$(event.dup_arguments ().print (false)) ");
    assert_equal ((int64) context.get_misplaced_end_count (), 0);
    return text.str;
  }
}

/* Runs on a thread of the library. */
class Counting : Collector {
  public int n_events;
  public int n_flushes;
  public bool has_closed;

  public override bool emit (TraceEvent event) throws GLib.Error {
    if (event.get_name () == "bad")
      throw new IOError.FAILED ("no place for it");
    AtomicInt.inc (ref n_events);
    return true;
  }

  public override bool flush () throws GLib.Error {
    AtomicInt.inc (ref n_flushes);
    return true;
  }

  public override bool close () throws GLib.Error {
    has_closed = true;
    return true;
  }
}

void test_own_collector () throws GLib.Error {
  var context = new TraceContext ();
  var counting = new Counting ();
  Thread<void>[] threads = {};

  context.set_collector (counting);
  for (var i = 0; i < 4; i++)
    threads += new Thread<void> (null, () => {
      try {
        for (var k = 0; k < 100; k++) {
          var span = context.span ("work");
          span.end ();
        }
      } catch (GLib.Error error) {
        assert_not_reached ();
      }
    });
  foreach (var thread in threads)
    thread.join ();
  context.flush ();
  assert_equal (AtomicInt.get (ref counting.n_events), 400);
  assert_true (AtomicInt.get (ref counting.n_flushes) > 0);

  context.instant ("bad");
  try {
    context.flush ();
    assert_not_reached ();
  } catch (IOError error) {
    assert_text (error.message, "no place for it");
  }
  context.instant ("good");
  context.set_collector (null);
  counting.close ();
  assert_true (counting.has_closed);
  assert_equal (AtomicInt.get (ref counting.n_events), 401);
}

/* Takes several at once, on the thread that it is bound to. */
class Bound : Collector {
  public unowned Thread<void> thread = Thread.self<void> ();
  public int n_events;
  public int n_calls;

  public override bool emit_many (GenericArray<TraceEvent> events) throws GLib.Error {
    assert_true (Thread.self<void> () == thread);
    n_calls++;
    for (var i = 0; i < events.length; i++)
      if (events[i].get_name () == "bad")
        refuse (i);
      else
        n_events++;
    return true;
  }
}

void test_bound_collector () throws GLib.Error {
  var context = new TraceContext ();
  var bound = new Bound ();

  bound.bind_to_thread ();
  context.set_collector (bound);
  var thread = new Thread<void> (null, () => {
    try {
      for (var k = 0; k < 100; k++)
        context.instant (k == 50 ? "bad" : "good");
    } catch (GLib.Error error) {
      assert_not_reached ();
    }
  });
  thread.join ();
  context.flush ();
  assert_equal (bound.n_events, 99);
  assert_true (bound.n_calls < 10);
  assert_equal ((int64) bound.get_event_count (), 99);
  assert_equal ((int64) bound.get_dropped_count (), 1);
  context.instant ("later");
  while (bound.n_events < 100)
    MainContext.default ().iteration (true);
  bound.close ();
  try {
    bound.bind_to_thread ();
    assert_not_reached ();
  } catch (Strideweave.Error error) {
    assert_true (error is Strideweave.Error.STATE);
  } catch (GLib.Error error) {
    assert_not_reached ();
  }
}

void test_end_of_block () throws GLib.Error {
  var recording = new Recording ();

  {
    var outer = recording.context.span ("outer");

    assert_true (outer.recorded);
    {
      var inner = recording.context.span ("inner", "category", TraceVerbosity.DECISIONS);

      assert_true (inner.recorded);
    }
    var second = recording.context.span ("second");
    second.end ();
    recording.context.instant ("instant");
  }
  assert_text (recording.take (), "inner@1{} second@1{} instant@1{} outer@0{} ");
}

void fail (TraceContext context) throws GLib.Error {
  var span = context.span ("fails");

  assert_true (span.recorded);
  throw new IOError.FAILED ("no");
}

void test_thrown_error () throws GLib.Error {
  var recording = new Recording ();

  try {
    fail (recording.context);
    assert_not_reached ();
  } catch (IOError error) {
    assert_text (error.message, "no");
  }
  assert_text (recording.take (), "fails@0{} ");
}

void test_arguments () throws GLib.Error {
  var recording = new Recording ();
  var size = 4096;
  var calls = 0;

  {
    var span = recording.context.span ("load", "data", TraceVerbosity.OPERATIONS, arguments => {
      calls++;
      arguments.insert_value ("bytes", size);
    });

    assert_true (span.recorded);
  }
  {
    var span = recording.context.span ("noted");

    recording.context.annotate ("late", true);
    assert_true (span.recorded);
  }
  recording.context.instant ("seen", null, TraceVerbosity.OPERATIONS, arguments => {
    arguments.insert_value ("shape", new Variant ("(xx)", (int64) 2, (int64) 3));
  });
  assert_equal (calls, 1);
  assert_text (recording.take (), "load@0{'bytes': <int64 4096>} noted@0{'late': <true>} seen@0{'shape': <'(2, 3)'>} ");
}

void test_nobody_looks () throws GLib.Error {
  var recording = new Recording ();
  var calls = 0;
  TraceArgumentsFunc count = arguments => {
    calls++;
  };

  recording.context.set_verbosity (TraceVerbosity.DECISIONS);
  {
    var span = recording.context.span ("unseen", null, TraceVerbosity.OPERATIONS, count);
    var request = recording.context.async_span ("unseen", null, TraceVerbosity.FULL, count);

    assert_false (span.recorded);
    assert_false (request.recorded);
    recording.context.instant ("unseen", null, TraceVerbosity.FULL, count);
    recording.context.counter ("unseen", 1);
  }
  assert_equal (calls, 0);
  assert_equal ((int64) recording.context.flow_start (), 0);
  assert_text (recording.take (), "");
}

void test_async_spans_overlap () throws GLib.Error {
  var recording = new Recording ();
  var first = recording.context.async_span ("first", "request", TraceVerbosity.OPERATIONS, arguments => {
    arguments.insert_value ("id", 7);
  });
  var second = recording.context.async_span ("second");

  assert_true (first.recorded && second.recorded);
  first.end ();
  new GLib.Thread<void> (null, () => {
    second.end ();
  }).join ();
  /* Each thread's events arrive in their order, those of two threads in either. */
  var first_text = "first@0{'id': <int64 7>} ";
  var second_text = "second@0{} ";
  var seen = recording.take ();
  assert_true (seen == first_text + second_text || seen == second_text + first_text);
}

void test_flows () throws GLib.Error {
  var collector = new MemoryCollector (10);
  var context = new TraceContext ();
  uint64 flow;

  context.set_collector (collector);
  {
    var submit = context.span ("submit");

    flow = context.flow_start ();
    assert_true (submit.recorded && flow != 0);
  }
  {
    var answer = context.span ("answer");

    context.flow_step (flow);
    context.flow_end (flow);
    assert_true (answer.recorded);
  }
  context.flush ();
  var events = collector.dup_events ();
  assert_equal (events[0].dup_flows ().n_children (), 1);
  assert_equal (events[1].dup_flows ().n_children (), 2);
  try {
    context.flow_end (flow);
    assert_not_reached ();
  } catch (Strideweave.Error error) {
    assert_text (error.message, @"id is $flow, which is a flow that has ended");
  }
}

void test_counters () throws GLib.Error {
  var collector = new MemoryCollector (10);
  var context = new TraceContext ();

  context.set_collector (collector);
  context.counter ("real", 0.25);
  context.counter_int64 ("whole", (int64) 1 << 62, TraceVerbosity.DECISIONS);
  context.flush ();
  var events = collector.dup_events ();
  assert_true (events[0].get_value () == 0.25);
  assert_true (events[1].get_value () == (double) ((int64) 1 << 62));
  assert_true (events[1].get_level () == TraceVerbosity.DECISIONS);
}

void test_default_context () throws GLib.Error {
  var collector = new MemoryCollector (10);
  unowned TraceContext context = TraceContext.get_default ();

  {
    var span = trace_span ("unseen");

    assert_false (span.recorded);
  }
  context.set_collector (collector);
  {
    var span = trace_span ("seen", "test", TraceVerbosity.FULL, arguments => {
      arguments.insert_value ("text", "yes");
    });

    assert_true (span.recorded);
  }
  context.flush ();
  context.set_collector (null);
  var events = collector.dup_events ();
  assert_equal (events.length, 1);
  assert_text (events[0].get_name (), "seen");
  assert_text (events[0].dup_arguments ().print (false), "{'text': <'yes'>}");
}

void test_bad_input () throws GLib.Error {
  var recording = new Recording ();

  try {
    var span = recording.context.span ("list", null, TraceVerbosity.OPERATIONS, arguments => {
      arguments.insert_value ("list", new Variant.strv ({ "a" }));
    });

    assert_true (span.recorded);
    assert_not_reached ();
  } catch (Strideweave.Error error) {
    assert_true (error is Strideweave.Error.TYPE);
    assert_text (error.message, "argument 'list' is of type as, which is no string, number, boolean or shape");
  }
  recording.context.set_verbosity (TraceVerbosity.NONE);
  try {
    var span = recording.context.async_span ("level", null, (TraceVerbosity) 9);

    assert_true (span.recorded);
    assert_not_reached ();
  } catch (Strideweave.Error error) {
    assert_text (error.message, "level is 9, which is none of DECISIONS, OPERATIONS and FULL");
  }
  assert_text (recording.take (), "");
}

int main (string[] args) {
  GLib.Test.init (ref args);
  test ("/tracing/end-of-block", test_end_of_block);
  test ("/tracing/thrown-error", test_thrown_error);
  test ("/tracing/arguments", test_arguments);
  test ("/tracing/nobody-looks", test_nobody_looks);
  test ("/tracing/async-spans-overlap", test_async_spans_overlap);
  test ("/tracing/flows", test_flows);
  test ("/tracing/counters", test_counters);
  test ("/tracing/default-context", test_default_context);
  test ("/tracing/bad-input", test_bad_input);
  test ("/tracing/own-collector", test_own_collector);
  test ("/tracing/bound-collector", test_bound_collector);
  return GLib.Test.run ();
}
