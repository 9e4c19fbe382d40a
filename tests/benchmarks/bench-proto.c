/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What decoding Perfetto's packets costs by hand and with the parser that protobuf-c generates: bench-proto ROUNDS
 *
 * Both walk the same bytes in memory, packet by packet, and add up the same numbers: the time, sequence, type, name, category and row of
 * each event. protobuf-c does it twice, once with malloc () and once out of an arena that is empty again after each packet, which is
 * the cheapest that it can be given. Prints one JSON object: name -> a figure of processor time for each round. */
#include "config.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <strideweave.h>
#include <time.h>

#include "bench-proto.pb-c.h"
#include "sw-profiler/export/sw-trace-perfetto-private.h"
#include "sw-profiler/export/sw-trace-writer-private.h"
#include "sw-profiler/read/sw-proto-scan-private.h"
#include "sw-profiler/read/sw-trace-read-perfetto-private.h"
#include "sw-profiler/read/sw-trace-reader-private.h"

#define N_SLICES 1000000
#define N_NAMES 48
#define MAX_ROUNDS 101
#define BASE G_GINT64_CONSTANT (1000000000000)
#define N_KINDS 4

typedef struct
{
  guint64 n_packets;
  guint64 n_events;
  guint64 sum; /* of all numbers, each with a weight of its own */
} Tally;

static double
cpu_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static GBytes *
write_slices (void)
{
  SwTraceSession session = { { 1, 2 }, BASE, 0, 4321, "bench-proto" };
  SwTraceTrackInfo thread = { SW_TRACE_TRACK_THREAD, SW_TRACE_ORDER_START, 0, SW_TRACE_NO_RANK, 4321, "main", NULL };
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "bench-proto.pftrace", NULL);
  SwTraceSlice slice = { 0 };
  g_autoptr (GError) error = NULL;
  SwTraceWriter *writer = sw_trace_writer_new_for_path (SW_TRACE_FORMAT_PERFETTO, path, SW_TRACE_SINK_STREAM, &session, &error);
  char *contents;
  gsize length;

  if (writer == NULL)
    g_error ("%s", error->message);
  slice.track = sw_trace_writer_add_track (writer, &thread);
  slice.category = sw_trace_writer_intern (writer, "cpu", -1);
  for (guint i = 0; i < N_SLICES; i++)
    {
      g_autofree char *name = g_strdup_printf ("Renderer.pass_%u", i % N_NAMES);

      slice.name = sw_trace_writer_intern (writer, name, -1);
      slice.start_ns = BASE + (gint64) i * 16667;
      slice.duration_ns = 9000 + i % 5000;
      sw_trace_writer_slice (writer, &slice);
    }
  if (!sw_trace_writer_close (writer, &error) || !g_file_get_contents (path, &contents, &length, &error))
    g_error ("%s", error->message);
  g_unlink (path);
  return g_bytes_new_take (contents, length);
}

/* A trace is packets one after the other, as fields of a message that no parser is given as a whole. */
static gboolean
next_packet (SwProtoScan *trace,
             SwProtoField *packet)
{
  while (sw_proto_next (trace, packet))
    if (packet->field == TRACE_PACKET && packet->wire == 2)
      return TRUE;
  return FALSE;
}

static void
scan_event (const SwProtoField *bytes,
            Tally *tally)
{
  SwProtoScan scan = sw_proto_scan_field (bytes);
  SwProtoField field;

  tally->n_events++;
  while (sw_proto_next (&scan, &field))
    switch (field.field)
      {
      case EVENT_TYPE:
        tally->sum += field.number * 3;
        break;
      case EVENT_NAME_IID:
        tally->sum += field.number * 5;
        break;
      case EVENT_CATEGORY_IID:
        tally->sum += field.number * 7;
        break;
      case EVENT_TRACK:
        tally->sum += field.number * 11;
        break;
      default:
        break;
      }
}

static void
scan_packet (const SwProtoField *packet,
             Tally *tally)
{
  SwProtoScan scan = sw_proto_scan_field (packet);
  SwProtoField field;

  tally->n_packets++;
  while (sw_proto_next (&scan, &field))
    if (field.field == PACKET_TIMESTAMP)
      tally->sum += field.number * 13;
    else if (field.field == PACKET_SEQUENCE_ID)
      tally->sum += field.number * 17;
    else if (field.field == PACKET_TRACK_EVENT)
      scan_event (&field, tally);
}

typedef struct
{
  guint8 memory[1 << 16];
  gsize used;
} Arena;

static void *
arena_alloc (void *data,
             size_t size)
{
  Arena *self = data;
  gpointer place = self->memory + self->used;

  self->used += (size + 15) & ~(size_t) 15;
  if (self->used > sizeof self->memory)
    g_error ("a packet needs more than %" G_GSIZE_FORMAT " bytes", sizeof self->memory);
  return place;
}

static void
arena_free (void *data G_GNUC_UNUSED,
            void *place G_GNUC_UNUSED)
{
}

static void
tally_message (const BenchProto__Packet *packet,
               Tally *tally)
{
  const BenchProto__Event *event = packet->track_event;

  tally->n_packets++;
  tally->sum += packet->timestamp * 13 + (guint64) packet->trusted_packet_sequence_id * 17;
  if (event == NULL)
    return;
  tally->n_events++;
  tally->sum += (guint64) event->type * 3 + event->name_iid * 5 + event->track_uuid * 11;
  for (gsize i = 0; i < event->n_category_iids; i++)
    tally->sum += event->category_iids[i] * 7;
}

static void
unpack_packet (const SwProtoField *bytes,
               ProtobufCAllocator *allocator,
               Tally *tally)
{
  BenchProto__Packet *packet = bench_proto__packet__unpack (allocator, bytes->length, bytes->bytes);

  if (packet == NULL)
    g_error ("packet %" G_GUINT64_FORMAT " is none", tally->n_packets);
  tally_message (packet, tally);
  if (allocator != NULL)
    ((Arena *) allocator->allocator_data)->used = 0;
  else
    bench_proto__packet__free_unpacked (packet, NULL);
}

static double
scan_all (GBytes *trace,
          Tally *tally)
{
  double before = cpu_ns ();
  SwProtoScan scan = sw_proto_scan (g_bytes_get_data (trace, NULL), g_bytes_get_size (trace));
  SwProtoField packet;

  while (next_packet (&scan, &packet))
    scan_packet (&packet, tally);
  return cpu_ns () - before;
}

static double
unpack_all (GBytes *trace,
            ProtobufCAllocator *allocator,
            Tally *tally)
{
  double before = cpu_ns ();
  SwProtoScan scan = sw_proto_scan (g_bytes_get_data (trace, NULL), g_bytes_get_size (trace));
  SwProtoField packet;

  while (next_packet (&scan, &packet))
    unpack_packet (&packet, allocator, tally);
  return cpu_ns () - before;
}

static void
on_slice (gpointer data,
          const SwTraceReadSlice *slice)
{
  *(gint64 *) data += slice->slice.duration_ns;
}

/* All that the reader does with them: names, tracks, clocks, pairs. */
static double
read_all (GBytes *trace)
{
  SwTraceVisitor visitor = { .no_args = TRUE, .slice = on_slice };
  gint64 total_ns = 0;
  g_autoptr (GError) error = NULL;
  double before = cpu_ns ();
  g_autoptr (SwTraceReader) reader = sw_trace_reader_new_for_bytes (g_bytes_get_data (trace, NULL), g_bytes_get_size (trace));

  if (!sw_trace_reader_read (reader, &visitor, &total_ns, &error) || sw_trace_reader_get_report (reader)->n_slices != N_SLICES)
    g_error ("%s", error != NULL ? error->message : "not all slices");
  return cpu_ns () - before;
}

static guint64
measure (GBytes *trace,
         double figures[N_KINDS])
{
  static Arena arena;
  ProtobufCAllocator allocator = { arena_alloc, arena_free, &arena };
  Tally tallies[3] = { 0 };

  figures[0] = scan_all (trace, &tallies[0]);
  figures[1] = unpack_all (trace, NULL, &tallies[1]);
  figures[2] = unpack_all (trace, &allocator, &tallies[2]);
  figures[3] = read_all (trace);
  for (guint i = 1; i < G_N_ELEMENTS (tallies); i++)
    if (tallies[i].sum != tallies[0].sum || tallies[i].n_events != tallies[0].n_events || tallies[i].n_packets != tallies[0].n_packets)
      g_error ("the parsers differ");
  if (tallies[0].n_events < 2 * N_SLICES)
    g_error ("not all events");
  return tallies[0].n_packets;
}

int
main (int argc,
      char **argv)
{
  static const char *const kinds[N_KINDS] = {
    "decoding by hand",
    "decoding with protobuf-c",
    "decoding with protobuf-c and an arena",
    "reading",
  };
  int n_rounds = CLAMP (argc > 1 ? atoi (argv[1]) : 5, 1, MAX_ROUNDS);
  g_autoptr (GBytes) trace = write_slices ();
  double figures[MAX_ROUNDS][N_KINDS];

  for (int round = 0; round < n_rounds; round++)
    {
      double n_packets = (double) measure (trace, figures[round]);

      for (guint kind = 0; kind < N_KINDS; kind++)
        figures[round][kind] /= n_packets;
    }
  for (guint kind = 0; kind < N_KINDS; kind++)
    {
      g_print ("%s  \"%s, ns a packet\": [", kind == 0 ? "{\n" : ",\n", kinds[kind]);
      for (int round = 0; round < n_rounds; round++)
        g_print ("%s%.2f", round > 0 ? ", " : "", figures[round][kind]);
      g_print ("]");
    }
  g_print ("\n}\n");
  return 0;
}
