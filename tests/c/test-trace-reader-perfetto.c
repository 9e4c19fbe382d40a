/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Traces in Perfetto's form as other programs write them, made by hand: what the writer of this library never writes. */
#include "config.h"

#include <gio/gio.h>
#include <strideweave.h>
#include <string.h>

#include "sw-profiler/export/sw-trace-perfetto-private.h"
#include "sw-profiler/read/sw-trace-read-perfetto-private.h"
#include "trace-lines.h"

typedef GByteArray Message;

static void
put_varint (Message *self,
            guint64 value)
{
  guint8 bytes[10];

  g_byte_array_append (self, bytes, (guint) (sw_proto_put_varint (bytes, value) - bytes));
}

static Message *
number (Message *self,
        guint32 field,
        guint64 value)
{
  put_varint (self, (guint64) field << 3);
  put_varint (self, value);
  return self;
}

static Message *
real (Message *self,
      guint32 field,
      double value)
{
  guint8 bytes[24];

  g_byte_array_append (self, bytes, (guint) (sw_proto_put_fixed64 (bytes, field, &value) - bytes));
  return self;
}

static Message *
bytes (Message *self,
       guint32 field,
       const void *data,
       gsize n)
{
  put_varint (self, (guint64) field << 3 | 2);
  put_varint (self, n);
  return g_byte_array_append (self, data, (guint) n);
}

static Message *
text (Message *self,
      guint32 field,
      const char *value)
{
  return bytes (self, field, value, strlen (value));
}

/* Takes @inner. */
static Message *
put (Message *self,
     guint32 field,
     Message *inner)
{
  bytes (self, field, inner->data, inner->len);
  g_byte_array_unref (inner);
  return self;
}

static Message *
message (void)
{
  return g_byte_array_new ();
}

static Message *
packet (guint32 sequence,
        guint64 time)
{
  return number (number (message (), PACKET_SEQUENCE_ID, sequence), PACKET_TIMESTAMP, time);
}

static Message *
event (guint type,
       guint64 track,
       const char *name)
{
  Message *self = number (number (message (), EVENT_TYPE, type), EVENT_TRACK, track);

  return name != NULL ? text (self, EVENT_NAME, name) : self;
}

static void
put_event (Message *trace,
           guint64 time,
           guint type,
           guint64 track,
           const char *name)
{
  put (trace, TRACE_PACKET, put (packet (1, time), PACKET_TRACK_EVENT, event (type, track, name)));
}

static Message *
track (guint64 uuid,
       guint64 parent,
       const char *name)
{
  Message *self = number (message (), TRACK_UUID, uuid);

  if (parent != 0)
    number (self, TRACK_PARENT, parent);
  return name != NULL ? text (self, TRACK_NAME, name) : self;
}

static void
put_track (Message *trace,
           Message *descriptor)
{
  put (trace, TRACE_PACKET, put (number (message (), PACKET_SEQUENCE_ID, 1), PACKET_TRACK_DESCRIPTOR, descriptor));
}

static void
put_process (Message *trace,
             guint64 uuid,
             int pid,
             const char *name)
{
  Message *process = text (number (message (), PROCESS_PID, (guint64) pid), PROCESS_NAME, name);

  put_track (trace, put (track (uuid, 0, NULL), TRACK_PROCESS, process));
}

static void
put_thread (Message *trace,
            guint64 uuid,
            int pid,
            int tid,
            const char *name)
{
  Message *thread = text (number (number (message (), THREAD_PID, (guint64) pid), THREAD_TID, (guint64) tid), THREAD_NAME, name);

  put_track (trace, put (track (uuid, 0, NULL), TRACK_THREAD, thread));
}

static Message *
clock_of (guint64 id,
          guint64 value)
{
  return number (number (message (), CLOCK_ID, id), CLOCK_TIMESTAMP, value);
}

/* Takes @trace. */
static TraceLines *
read_trace (Message *trace)
{
  TraceLines *lines = trace_lines_of_bytes (trace->data, trace->len);

  g_assert_no_error (lines->error);
  g_assert_cmpint (lines->report.input, ==, SW_TRACE_INPUT_PERFETTO);
  g_assert_false (lines->report.is_truncated);
  g_byte_array_unref (trace);
  return lines;
}

static void
assert_clean (const TraceLines *lines)
{
  g_assert_cmpuint (lines->report.n_malformed, ==, 0);
  g_assert_cmpuint (lines->report.n_bad_times, ==, 0);
  g_assert_cmpuint (lines->report.n_orphan_ends, ==, 0);
  g_assert_cmpuint (lines->report.n_unfinished, ==, 0);
  g_assert_cmpuint (lines->report.n_ignored, ==, 0);
}

static void
put_legacy (Message *trace,
            guint64 time,
            const char *name,
            Message *legacy)
{
  Message *inside = put (message (), EVENT_LEGACY, legacy);

  if (name != NULL)
    text (inside, EVENT_NAME, name);
  put (trace, TRACE_PACKET, put (packet (1, time), PACKET_TRACK_EVENT, inside));
}

static Message *
phase (char letter)
{
  return number (number (number (message (), LEGACY_PHASE, (guint64) letter), LEGACY_PID, 7), LEGACY_TID, 8);
}

/* Events of Chromium's older tracing, phases and all. */
static void
test_legacy (void)
{
  Message *trace = message ();
  g_autoptr (TraceLines) lines = NULL;

  put_legacy (trace, 100, "whole", number (phase ('X'), LEGACY_DURATION_US, 3));
  put_legacy (trace, 5000, "begun", phase ('B'));
  put_legacy (trace, 6000, NULL, phase ('E'));
  put_legacy (trace, 6500, "point", phase ('i'));
  put_legacy (trace, 100, "request", number (phase ('b'), LEGACY_UNSCOPED_ID, 5));
  put_legacy (trace, 200, "request", number (phase ('b'), LEGACY_GLOBAL_ID, 5));
  put_legacy (trace, 300, "request", number (phase ('b'), LEGACY_LOCAL_ID, 5));
  put_legacy (trace, 400, "request", number (text (phase ('b'), LEGACY_SCOPE, "other"), LEGACY_UNSCOPED_ID, 5));
  put_legacy (trace, 1100, NULL, number (phase ('e'), LEGACY_UNSCOPED_ID, 5));
  put_legacy (trace, 1300, NULL, number (phase ('e'), LEGACY_GLOBAL_ID, 5));
  put_legacy (trace, 1600, NULL, number (phase ('e'), LEGACY_LOCAL_ID, 5));
  put_legacy (trace, 2000, NULL, number (text (phase ('e'), LEGACY_SCOPE, "other"), LEGACY_UNSCOPED_ID, 5));
  put_legacy (trace, 100, "negative", number (phase ('X'), LEGACY_DURATION_US, (guint64) -1));
  put_legacy (trace, 100, "object", phase ('N'));
  lines = read_trace (trace);
  trace_lines_assert (lines, "instant / point 6500\n"
                             "slice / begun 5000+1000\n"
                             "slice / whole 100+3000\n"
                             "slice /request request 100+1000\n"
                             "slice /request request 200+1100\n"
                             "slice /request request 300+1300\n"
                             "slice /request request 400+1600");
  g_assert_cmpuint (lines->report.n_bad_times, ==, 1);
  g_assert_cmpuint (lines->report.n_ignored, ==, 1);
  g_assert_cmpstr (lines->ignored, ==, "legacy event");
}

static void
put_interned (Message *trace,
              guint32 sequence,
              guint32 flags,
              guint64 iid,
              const char *name)
{
  Message *entry = text (number (message (), INTERNED_IID, iid), INTERNED_TEXT, name);
  Message *data = put (message (), 2, entry);

  put (trace, TRACE_PACKET,
       put (number (number (message (), PACKET_SEQUENCE_ID, sequence), PACKET_SEQUENCE_FLAGS, flags), PACKET_INTERNED_DATA, data));
}

static void
put_by_iid (Message *trace,
            guint32 sequence,
            guint64 time,
            guint64 iid)
{
  Message *inside = number (number (number (message (), EVENT_TYPE, TYPE_INSTANT), EVENT_TRACK, 9), EVENT_NAME_IID, iid);

  put (trace, TRACE_PACKET, put (number (packet (sequence, time), PACKET_SEQUENCE_FLAGS, FLAG_NEEDS_STATE), PACKET_TRACK_EVENT, inside));
}

/* Texts belong to a sequence, and to the time between two clearings of it. */
static void
test_sequences (void)
{
  Message *trace = message ();
  g_autoptr (TraceLines) lines = NULL;

  put_by_iid (trace, 1, 50, 1); /* nothing of its state is known */
  put_interned (trace, 1, FLAG_STATE_CLEARED, 1, "first");
  put_interned (trace, 2, FLAG_STATE_CLEARED, 1, "second");
  put_by_iid (trace, 1, 100, 1);
  put_by_iid (trace, 2, 200, 1);
  put_interned (trace, 1, FLAG_STATE_CLEARED, 1, "renamed");
  put_by_iid (trace, 1, 300, 1);
  put_by_iid (trace, 2, 400, 1);
  /* Some of the second sequence is lost, until it says all again. */
  put (trace, TRACE_PACKET, number (number (message (), PACKET_SEQUENCE_ID, 2), PACKET_PREVIOUS_DROPPED, 1));
  put_by_iid (trace, 2, 500, 1);
  put_interned (trace, 2, FLAG_STATE_CLEARED, 70000, "again");
  put_by_iid (trace, 2, 600, 70000);
  put_by_iid (trace, 2, 700, 1);
  lines = read_trace (trace);
  trace_lines_assert (lines, "instant /  700\n"
                             "instant / again 600\n"
                             "instant / first 100\n"
                             "instant / renamed 300\n"
                             "instant / second 200\n"
                             "instant / second 400");
  g_assert_cmpuint (lines->report.n_malformed, ==, 3);
}

static void
put_snapshot (Message *trace,
              guint32 sequence,
              Message *snapshot)
{
  put (trace, TRACE_PACKET, put (number (message (), PACKET_SEQUENCE_ID, sequence), PACKET_CLOCK_SNAPSHOT, snapshot));
}

static void
put_at (Message *trace,
        guint32 sequence,
        guint64 time,
        guint64 clock,
        const char *name)
{
  Message *self = packet (sequence, time);

  if (clock != 0)
    number (self, PACKET_TIMESTAMP_CLOCK_ID, clock);
  put (trace, TRACE_PACKET, put (self, PACKET_TRACK_EVENT, event (TYPE_INSTANT, 9, name)));
}

/* All times are those of the monotonic clock, by the snapshot before them. */
static void
test_clocks (void)
{
  Message *trace = message ();
  Message *snapshot = message ();
  g_autoptr (TraceLines) lines = NULL;

  put (snapshot, SNAPSHOT_CLOCKS, clock_of (CLOCK_OF_WALL, G_GUINT64_CONSTANT (1700000000000000000)));
  put (snapshot, SNAPSHOT_CLOCKS, clock_of (CLOCK_MONOTONIC_ID, 1000));
  put (snapshot, SNAPSHOT_CLOCKS, clock_of (CLOCK_BOOTTIME_ID, 5000));
  put (snapshot, SNAPSHOT_CLOCKS, number (clock_of (64, 1), CLOCK_MULTIPLIER, 1000));
  put (snapshot, SNAPSHOT_CLOCKS, number (number (clock_of (65, 2), CLOCK_MULTIPLIER, 1000), CLOCK_IS_INCREMENTAL, 1));
  put (snapshot, SNAPSHOT_CLOCKS, clock_of (128, 77));
  put_snapshot (trace, 1, snapshot);
  put_at (trace, 1, 1010, CLOCK_MONOTONIC_ID, "monotonic");
  put_at (trace, 1, 5020, CLOCK_BOOTTIME_ID, "boot");
  put_at (trace, 1, 5025, 0, "default");
  put_at (trace, 1, G_GUINT64_CONSTANT (1700000000000000030), CLOCK_OF_WALL, "wall");
  put_at (trace, 1, 3, 64, "thousands");
  put_at (trace, 1, 4, 65, "later");
  put_at (trace, 1, 5, 65, "still later");
  put_at (trace, 2, 78, 128, "of all");
  put_at (trace, 2, 3, 64, "of another sequence");
  put_at (trace, 2, 3, 200, "unknown");
  /* Asleep for a second: the clocks differ by more. */
  snapshot = message ();
  put (snapshot, SNAPSHOT_CLOCKS, clock_of (CLOCK_MONOTONIC_ID, 20000));
  put (snapshot, SNAPSHOT_CLOCKS, clock_of (CLOCK_BOOTTIME_ID, 1000024000));
  put_snapshot (trace, 1, snapshot);
  put_at (trace, 1, 1000024001, CLOCK_BOOTTIME_ID, "awake");
  lines = read_trace (trace);
  trace_lines_assert (lines, "instant / awake 20001\n"
                             "instant / boot 1020\n"
                             "instant / default 1025\n"
                             "instant / later 5000\n"
                             "instant / monotonic 1010\n"
                             "instant / of all 1001\n"
                             "instant / still later 10000\n"
                             "instant / thousands 3000\n"
                             "instant / wall 1030");
  g_assert_cmpuint (lines->report.n_bad_times, ==, 2);
}

/* What was taken as it is stays comparable with what comes later. */
static void
test_late_snapshot (void)
{
  Message *trace = message ();
  Message *snapshot = message ();
  g_autoptr (TraceLines) lines = NULL;

  put_at (trace, 1, 5000, 0, "early");
  put_at (trace, 1, 1000, CLOCK_MONOTONIC_ID, "of another clock");
  put (snapshot, SNAPSHOT_CLOCKS, clock_of (CLOCK_MONOTONIC_ID, 1000));
  put (snapshot, SNAPSHOT_CLOCKS, clock_of (CLOCK_BOOTTIME_ID, 5000));
  put_snapshot (trace, 1, snapshot);
  put_at (trace, 1, 5010, 0, "late");
  put_at (trace, 1, 1020, CLOCK_MONOTONIC_ID, "monotonic");
  lines = read_trace (trace);
  trace_lines_assert (lines, "instant / early 5000\n"
                             "instant / late 5010\n"
                             "instant / monotonic 5020");
  g_assert_cmpuint (lines->report.n_bad_times, ==, 1);
}

static Message *
named (const char *name)
{
  return text (message (), ARG_NAME, name);
}

/* Lists and dictionaries in both forms, as deep as they are. */
static void
test_annotations (void)
{
  Message *trace = message ();
  Message *inside = event (TYPE_INSTANT, 9, "all");
  Message *deep = number (named ("x"), ARG_INT64, 1);
  Message *nested = number (message (), 1, 1);
  g_autoptr (TraceLines) lines = NULL;

  put (inside, EVENT_ARGS,
       put (put (named ("dict"), ARG_DICTIONARY, number (named ("a"), ARG_INT64, (guint64) -5)), ARG_DICTIONARY,
            put (put (named ("list"), ARG_ARRAY, text (message (), ARG_STRING, "one \"two\"")), ARG_ARRAY, real (message (), ARG_DOUBLE, 0.5))));
  put (inside, EVENT_ARGS, put (named ("array"), ARG_ARRAY, number (message (), ARG_BOOL, 1)));
  put (inside, EVENT_ARGS, number (named ("pointer"), ARG_POINTER, 4096));
  put (inside, EVENT_ARGS, text (named ("json"), ARG_JSON, "{ \"k\" : [ 1, null ] }"));
  put (inside, EVENT_ARGS, text (named ("no json"), ARG_JSON, "{"));
  text (nested, 2, "key");
  put (nested, 3, number (message (), 5, 7));
  put (inside, EVENT_ARGS, put (named ("old"), ARG_NESTED, nested));
  put (trace, TRACE_PACKET, put (packet (1, 1), PACKET_TRACK_EVENT, inside));
  for (guint i = 0; i < 200; i++)
    deep = put (named ("d"), ARG_DICTIONARY, deep);
  put (trace, TRACE_PACKET, put (packet (1, 2), PACKET_TRACK_EVENT, put (event (TYPE_INSTANT, 9, "deep"), EVENT_ARGS, deep)));
  lines = read_trace (trace);
  trace_lines_assert (lines, "instant / all 1 {dict={\"a\":-5,\"list\":[\"one \\\"two\\\"\",0.5]}, array=[true], pointer=4096, "
                             "json={\"k\":[1,null]}, no json=\"{\", old={\"key\":7}}\n"
                             "instant / deep 2");
  g_assert_cmpuint (lines->report.n_malformed, ==, 1);
}

/* Ids one at a time and packed, in fields of both ages. */
static void
test_flows (void)
{
  static const guint8 packed_old[] = { 0x05, 0xac, 0x02 };
  const guint64 packed[] = { GUINT64_TO_LE (5), GUINT64_TO_LE (300) };
  Message *trace = message ();
  g_autoptr (TraceLines) lines = NULL;
  guint64 id = 300;

  put (trace, TRACE_PACKET,
       put (packet (1, 1), PACKET_TRACK_EVENT, bytes (event (TYPE_INSTANT, 9, "a"), EVENT_FLOW_OLD, packed_old, sizeof packed_old)));
  put (trace, TRACE_PACKET,
       put (packet (1, 2), PACKET_TRACK_EVENT, bytes (event (TYPE_INSTANT, 9, "b"), EVENT_FLOW, packed, sizeof packed)));
  put (trace, TRACE_PACKET,
       put (packet (1, 3), PACKET_TRACK_EVENT, number (event (TYPE_INSTANT, 9, "c"), EVENT_LAST_FLOW_OLD, 5)));
  put (trace, TRACE_PACKET,
       put (packet (1, 4), PACKET_TRACK_EVENT,
            real (event (TYPE_INSTANT, 9, "d"), EVENT_LAST_FLOW, *(double *) memcpy (&(double){ 0 }, &id, sizeof id))));
  lines = read_trace (trace);
  trace_lines_assert (lines, "instant / a 1 <5 start, 300 start>\n"
                             "instant / b 2 <5 step, 300 step>\n"
                             "instant / c 3 <5 end>\n"
                             "instant / d 4 <300 end>");
  assert_clean (lines);
}

/* Rows belong to the process of whatever they are in, in whatever order that is said. */
static void
test_late_descriptors (void)
{
  Message *trace = message ();
  g_autoptr (TraceLines) lines = NULL;

  put_event (trace, 10, TYPE_BEGIN, 30, "early");
  put_event (trace, 20, TYPE_END, 30, NULL);
  put_event (trace, 12, TYPE_INSTANT, 40, "in a row");
  put_track (trace, track (40, 41, "grandchild"));
  put_track (trace, track (41, 42, "child"));
  put_track (trace, track (50, 51, "in a circle"));
  put_track (trace, track (51, 50, "in it, too"));
  put_process (trace, 42, 7, "program");
  put_thread (trace, 30, 7, 8, "worker");
  put_track (trace, track (60, 30, "of a thread"));
  put_event (trace, 30, TYPE_INSTANT, 60, "late");
  put_event (trace, 40, TYPE_INSTANT, 50, "round");
  lines = read_trace (trace);
  trace_lines_assert (lines, "instant /in a circle round 40\n"
                             "instant program/grandchild in a row 12\n"
                             "instant program/of a thread late 30\n"
                             "slice program/worker early 10+10");
  assert_clean (lines);
}

/* A process that nothing refers to is not made up. */
static void
test_no_other_process (void)
{
  Message *trace = message ();
  g_autoptr (TraceLines) lines = NULL;

  put_track (trace, track (41, 42, "row"));
  put_process (trace, 42, 7, "program");
  put_event (trace, 10, TYPE_INSTANT, 41, "a");
  lines = read_trace (trace);
  trace_lines_assert (lines, "track program process 7\n"
                             "track program/row gpu_queue 0");
}

static void
put_counter (Message *trace,
             guint64 uuid,
             Message *counter)
{
  put_track (trace, put (track (uuid, 0, "counter"), TRACK_COUNTER, counter));
}

static Message *
count (guint64 uuid,
       gint64 value)
{
  return number (event (TYPE_COUNTER, uuid, NULL), EVENT_COUNTER_INTEGER, (guint64) value);
}

/* Differences add up until the state of their sequence is cleared; multiples are multiplied. */
static void
test_counters (void)
{
  Message *trace = message ();
  g_autoptr (TraceLines) lines = NULL;

  put_counter (trace, 70, number (number (message (), COUNTER_MULTIPLIER, 1024), COUNTER_UNIT, 3));
  put_counter (trace, 71, number (message (), COUNTER_IS_INCREMENTAL, 1));
  put (trace, TRACE_PACKET, put (packet (1, 1), PACKET_TRACK_EVENT, count (70, 2)));
  put (trace, TRACE_PACKET, put (packet (1, 2), PACKET_TRACK_EVENT, count (71, 5)));
  put (trace, TRACE_PACKET, put (packet (1, 3), PACKET_TRACK_EVENT, count (71, -2)));
  put (trace, TRACE_PACKET, number (number (message (), PACKET_SEQUENCE_ID, 1), PACKET_STATE_CLEARED, 1));
  put (trace, TRACE_PACKET, put (packet (1, 4), PACKET_TRACK_EVENT, count (71, 10)));
  put (trace, TRACE_PACKET, put (packet (1, 5), PACKET_TRACK_EVENT, count (71, G_MAXINT64)));
  put (trace, TRACE_PACKET, put (packet (1, 6), PACKET_TRACK_EVENT, count (70, G_MAXINT64)));
  put (trace, TRACE_PACKET, put (packet (1, 7), PACKET_TRACK_EVENT, event (TYPE_COUNTER, 70, NULL)));
  lines = read_trace (trace);
  trace_lines_assert (lines, "counter /counter 1 2048\n"
                             "counter /counter 2 5\n"
                             "counter /counter 3 3\n"
                             "counter /counter 4 10");
  g_assert_cmpuint (lines->report.n_malformed, ==, 3);
}

/* Counters that a slice has besides, by its own words or by what is taken for granted. */
static void
test_extra_counters (void)
{
  Message *trace = message ();
  Message *defaults = number (number (message (), DEFAULTS_TRACK_EVENT_TRACK, 9), DEFAULTS_EXTRA_TRACK, 80);
  Message *first = message ();
  g_autoptr (TraceLines) lines = NULL;

  put_track (trace, put (track (80, 0, "a"), TRACK_COUNTER, message ()));
  put_track (trace, put (track (81, 0, "b"), TRACK_COUNTER, message ()));
  put_track (trace, put (track (82, 0, "c"), TRACK_COUNTER, message ()));
  put (first, PACKET_DEFAULTS, put (message (), DEFAULTS_TRACK_EVENT, defaults));
  put (trace, TRACE_PACKET, number (number (first, PACKET_SEQUENCE_ID, 1), PACKET_SEQUENCE_FLAGS, FLAG_STATE_CLEARED));
  put (trace, TRACE_PACKET,
       put (packet (1, 10), PACKET_TRACK_EVENT,
            text (number (number (message (), EVENT_TYPE, TYPE_BEGIN), EVENT_EXTRA_VALUE, 1), EVENT_NAME, "slice")));
  put (trace, TRACE_PACKET,
       put (packet (1, 20), PACKET_TRACK_EVENT,
            real (number (bytes (bytes (number (message (), EVENT_TYPE, TYPE_END), EVENT_EXTRA_TRACK, "\x51\x50", 2), EVENT_EXTRA_VALUE,
                                 "\x02\x03", 2),
                          EVENT_EXTRA_REAL_TRACK, 82),
                  EVENT_EXTRA_REAL_VALUE, 0.25)));
  put (trace, TRACE_PACKET,
       put (packet (1, 30), PACKET_TRACK_EVENT,
            text (real (number (message (), EVENT_TYPE, TYPE_INSTANT), EVENT_EXTRA_REAL_VALUE, 1), EVENT_NAME, "of no counter")));
  lines = read_trace (trace);
  trace_lines_assert (lines, "counter /a 10 1\n"
                             "counter /a 20 3\n"
                             "counter /b 20 2\n"
                             "counter /c 20 ~0.25\n"
                             "instant / of no counter 30\n"
                             "slice / slice 10+10");
  g_assert_cmpuint (lines->report.n_malformed, ==, 1);
}

static Message *
compress (const Message *plain)
{
  g_autoptr (GConverter) compressor = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, -1));
  g_autofree guint8 *packed = g_malloc (plain->len + 1024);
  gsize n_read;
  gsize n_packed;

  g_assert_cmpint (g_converter_convert (compressor, plain->data, plain->len, packed, plain->len + 1024, G_CONVERTER_INPUT_AT_END,
                                        &n_read, &n_packed, NULL),
                   ==, G_CONVERTER_FINISHED);
  return g_byte_array_append (message (), packed, (guint) n_packed);
}

static Message *
make_plain (void)
{
  Message *plain = message ();

  put_thread (plain, 9, 7, 8, "worker");
  for (guint i = 0; i < 30000; i++)
    {
      put_event (plain, 100 * i, TYPE_BEGIN, 9, "step");
      put_event (plain, 100 * i + 50, TYPE_END, 9, NULL);
    }
  return plain;
}

/* More than a window of them, in two packets, then plain ones. */
static void
test_compressed (void)
{
  Message *trace = message ();
  g_autoptr (GByteArray) plain = make_plain ();
  g_autoptr (TraceLines) lines = NULL;
  g_autoptr (TraceLines) expected = trace_lines_of_bytes (plain->data, plain->len);
  g_autoptr (GByteArray) rest = message ();

  g_assert_cmpuint (plain->len, >, SW_TRACE_BYTES_WINDOW);
  g_assert_no_error (expected->error);
  put (trace, TRACE_PACKET, put (message (), PACKET_COMPRESSED, compress (plain)));
  put_event (rest, 4000000, TYPE_INSTANT, 9, "more");
  put (trace, TRACE_PACKET, put (message (), PACKET_COMPRESSED, compress (rest)));
  put_event (trace, 5000000, TYPE_INSTANT, 9, "plain");
  lines = read_trace (trace);
  assert_clean (lines);
  g_assert_cmpuint (lines->report.n_slices, ==, 30000);
  g_assert_cmpuint (lines->report.n_instants, ==, 2);
  g_assert_true (g_str_has_suffix (lines->text, strstr (expected->text, "slice ")));
}

/* What is broken inside says so, and the rest of the file is read; packets within packets within packets are left alone. */
static void
test_broken_compressed (void)
{
  g_autoptr (GByteArray) plain = make_plain ();
  g_autoptr (GByteArray) twice = message ();
  g_autoptr (GByteArray) zeros = g_byte_array_append (message (), (const guint8[64]){ 0 }, 64);
  Message *trace = message ();
  Message *cut = compress (plain);
  Message *flipped = compress (plain);
  g_autoptr (TraceLines) lines = NULL;

  g_byte_array_set_size (cut, cut->len / 2);
  flipped->data[flipped->len - 1] ^= 0xff; /* of the checksum */
  put (twice, TRACE_PACKET, put (message (), PACKET_COMPRESSED, compress (plain)));
  put_event (trace, 1, TYPE_INSTANT, 9, "before");
  put (trace, TRACE_PACKET, put (message (), PACKET_COMPRESSED, cut));
  put (trace, TRACE_PACKET, put (message (), PACKET_COMPRESSED, flipped));
  put (trace, TRACE_PACKET, put (message (), PACKET_COMPRESSED, compress (zeros)));
  put (trace, TRACE_PACKET, text (message (), PACKET_COMPRESSED, "no zlib"));
  put (trace, TRACE_PACKET, put (message (), PACKET_COMPRESSED, compress (twice)));
  put_event (trace, 2, TYPE_INSTANT, 9, "after");
  lines = read_trace (trace);
  g_assert_cmpuint (lines->report.n_malformed, ==, 4);
  g_assert_cmpuint (lines->report.n_ignored, ==, 1);
  g_assert_cmpstr (lines->ignored, ==, "compressed_packets");
  trace_lines_assert (lines, "instant /worker after 2\ninstant /worker before 1");
}

/* A megabyte of what would become a gigabyte is no packet that anybody wrote. */
static void
test_bomb (void)
{
  g_autoptr (GByteArray) plain = message ();
  Message *trace = message ();
  g_autoptr (TraceLines) lines = NULL;

  put_varint (plain, TRACE_PACKET << 3 | 2);
  put_varint (plain, G_GUINT64_CONSTANT (1) << 29);
  g_byte_array_set_size (plain, 16 * 1024 * 1024);
  put (trace, TRACE_PACKET, put (message (), PACKET_COMPRESSED, compress (plain)));
  put_event (trace, 2, TYPE_INSTANT, 9, "after");
  lines = read_trace (trace);
  trace_lines_assert (lines, "instant / after 2");
  g_assert_cmpuint (lines->report.n_malformed, ==, 1);
}

/* Whatever has no place is counted and named. */
static void
test_others (void)
{
  Message *trace = message ();
  g_autoptr (TraceLines) lines = NULL;

  put (trace, TRACE_PACKET, text (packet (1, 1), 1, ""));
  put (trace, TRACE_PACKET, text (packet (1, 1), 2, ""));
  put (trace, TRACE_PACKET, text (packet (1, 1), 900, "of a kind to come"));
  put (trace, TRACE_PACKET, put (packet (1, 5), PACKET_TRACK_EVENT, number (event (TYPE_INSTANT, 9, "a"), 34, 1)));
  put (trace, TRACE_PACKET, put (packet (1, 5), PACKET_TRACK_EVENT, number (event (TYPE_INSTANT, 9, "a"), 800, 1)));
  put (trace, TRACE_PACKET, put (packet (1, 5), PACKET_TRACK_EVENT, text (message (), EVENT_NAME, "of no type")));
  lines = read_trace (trace);
  trace_lines_assert (lines, "instant / a 5\ninstant / a 5");
  g_assert_cmpuint (lines->report.n_records, ==, 6);
  g_assert_cmpuint (lines->report.n_ignored, ==, 6);
  g_assert_cmpstr (lines->ignored, ==,
                   "ftrace_events, process_tree, packet 900, source_location, track_event field 800, track event without a type");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/trace-reader/perfetto/legacy", test_legacy);
  g_test_add_func ("/trace-reader/perfetto/sequences", test_sequences);
  g_test_add_func ("/trace-reader/perfetto/clocks", test_clocks);
  g_test_add_func ("/trace-reader/perfetto/late-snapshot", test_late_snapshot);
  g_test_add_func ("/trace-reader/perfetto/annotations", test_annotations);
  g_test_add_func ("/trace-reader/perfetto/flows", test_flows);
  g_test_add_func ("/trace-reader/perfetto/late-descriptors", test_late_descriptors);
  g_test_add_func ("/trace-reader/perfetto/no-other-process", test_no_other_process);
  g_test_add_func ("/trace-reader/perfetto/counters", test_counters);
  g_test_add_func ("/trace-reader/perfetto/extra-counters", test_extra_counters);
  g_test_add_func ("/trace-reader/perfetto/compressed", test_compressed);
  g_test_add_func ("/trace-reader/perfetto/broken-compressed", test_broken_compressed);
  g_test_add_func ("/trace-reader/perfetto/bomb", test_bomb);
  g_test_add_func ("/trace-reader/perfetto/others", test_others);

  return g_test_run ();
}
