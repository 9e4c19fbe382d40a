/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/read/sw-trace-visitor-private.h"

G_BEGIN_DECLS

/* Reads a trace of any of the formats, compressed with gzip or not, from a file or a pipe, in one pass and in bounded memory. */

typedef enum {
  SW_TRACE_INPUT_UNKNOWN,
  SW_TRACE_INPUT_CHROME_JSON, /* an array of records, or an object with traceEvents; from whomever */
  SW_TRACE_INPUT_JSONL,
  SW_TRACE_INPUT_PERFETTO,
} SwTraceInput;

/* What was in the file besides what the visitor got. */
typedef struct
{
  SwTraceInput input;
  guint64 n_bytes;         /* uncompressed */
  guint64 n_records;       /* of any kind */
  guint64 n_slices;
  guint64 n_instants;
  guint64 n_counters;
  guint64 n_orphan_ends;   /* ends without a beginning: left out */
  guint64 n_unfinished;    /* slices without an end */
  guint64 n_malformed;     /* records that are none: left out */
  guint64 n_bad_times;     /* times that are no numbers or do not fit: such records are left out */
  guint64 n_bad_texts;     /* texts that are no UTF-8: bytes of them became U+FFFD */
  guint64 n_misnamed_ends; /* ends that name another slice than the innermost open one */
  guint64 n_ignored;       /* records of kinds that no form has a place for; ignored says which */
  const char *ignored;     /* "N, O, D"; NULL: none */
  gboolean is_base_late;   /* the file says what its times count from only after events, and could not be read twice: they count from 0 */
  gboolean is_truncated;   /* the file ends inside of a record, or lacks its end */
  guint64 error_offset;    /* where reading had to stop, in uncompressed bytes, or else the first malformed record; meaningful
                            * with is_truncated or n_malformed */
  guint64 error_record;    /* the number of that record, from 1 */
} SwTraceReadReport;

/* Fails with IO. "-" is the standard input. */
SwTraceReader *sw_trace_reader_new_for_path (const char *path,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Does not take the bytes. */
SwTraceReader *sw_trace_reader_new_for_bytes (const void *bytes,
                                              gsize n_bytes) G_GNUC_WARN_UNUSED_RESULT;
void sw_trace_reader_free (SwTraceReader *self);

/* Reads it all, once. FALSE, with a message that says the byte offset and the number of the record, when the file is none of
 * the formats or goes wrong before its first record. What is cut short or broken later is a success whose report says so. */
gboolean sw_trace_reader_read (SwTraceReader *self,
                               const SwTraceVisitor *visitor,
                               gpointer data,
                               GError **error);
const SwTraceReadReport *sw_trace_reader_get_report (SwTraceReader *self);

/* The bytes read so far of the file itself, and its size, 0 where that is not known: for showing progress. Called from within the visitor. */
guint64 sw_trace_reader_get_position (SwTraceReader *self,
                                      guint64 *size);

/* The text of an id that the visitor got. */
const SwTraceName *sw_trace_reader_name (SwTraceReader *self,
                                         guint32 id);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwTraceReader, sw_trace_reader_free)

G_END_DECLS
