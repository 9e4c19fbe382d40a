/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/analysis/sw-trace-nesting-private.h"
#include "sw-profiler/export/sw-trace-names-private.h"
#include "sw-profiler/read/sw-trace-reader-private.h"

G_BEGIN_DECLS

/* What a trace says, gathered while it is read, in any order of time, and then asked as often as is wanted: each question about slices
 * is one pass over them, track by track, in order, with what is inside of what. It needs 24 bytes a slice, up to a budget; what is more
 * waits in a file without a name.
 *
 * To use it: make one; read a trace with sw_trace_analysis_visitor and it as the data; finish; visit. */
typedef struct _SwTraceAnalysis SwTraceAnalysis;

/* The text of an id that a visitor got: sw_trace_reader_name (), with the reader. */
typedef const SwTraceName *(*SwTraceNameFunc) (gpointer data,
                                               guint32 id);

/* A name and a category: most slices share a few. */
typedef struct
{
  guint32 name;
  guint32 category;
} SwTraceLabel;

typedef struct
{
  gboolean is_known; /* ids need not follow each other */
  SwTraceTrackKind kind;
  guint32 process; /* its track, or 0: that of the session */
  guint32 session; /* which */
  gint64 id;
  char *name; /* NULL: none */
  char *unit;
} SwAnalysisTrack;

/* The first one is there even when the trace names none. */
typedef struct
{
  gint64 base_ns;
  gint64 wall_ns;
  gint64 pid; /* 0: not known */
  char *process_name;
  gboolean has_base;
} SwAnalysisSession;

typedef struct
{
  guint32 track;
  guint32 label;
  guint64 n;
  gint64 first_ns;
  gint64 last_ns;
} SwAnalysisInstants;

typedef struct
{
  guint64 n;
  gint64 last_ns;
  gboolean is_integer; /* all of them: the integers count, else the reals */
  gint64 last_integer, min_integer, max_integer;
  double last, min, max; /* what is no number is only counted */
  guint64 n_not_finite;
} SwAnalysisCounter;

typedef struct
{
  char *name;
  guint64 n;
} SwAnalysisCount;

struct _SwTraceAnalysis
{
  SwTraceNameFunc name_func;
  gpointer name_data;
  gsize budget;            /* of memory, for slices */
  struct _SwSpill *slices; /* a list for each track */
  struct _SwSpill *moments; /* instants and values of counters; NULL: not kept */
  GArray *labels;          /* of SwTraceLabel */
  GArray *labels_by_name;  /* of guint32: the first label of a name, G_MAXUINT32 for none */
  GHashTable *further_labels; /* of names with several categories, by both */
  GArray *tracks;          /* of SwAnalysisTrack, by id */
  GArray *sessions;        /* of SwAnalysisSession */
  GArray *instants;        /* of SwAnalysisInstants */
  GHashTable *instants_by_key;
  GArray *counters;        /* of SwAnalysisCounter, by track */
  GArray *drops;           /* of SwAnalysisCount */
  GArray *diagnostics;     /* of SwAnalysisCount */
  GHashTable *drops_by_name; /* places in them */
  GHashTable *diagnostics_by_name;
  guint64 n_slices, n_instants, n_counters, n_negative, n_unfinished;
  gint64 first_ns, last_ns; /* of all events: the span of the trace. G_MAXINT64 and G_MININT64 when there are none */
};

/* @budget: bytes of memory for slices, 0 for the usual. */
SwTraceAnalysis *sw_trace_analysis_new (SwTraceNameFunc name_func,
                                        gpointer name_data,
                                        gsize budget) G_GNUC_WARN_UNUSED_RESULT;
void sw_trace_analysis_free (SwTraceAnalysis *self);

extern const SwTraceVisitor sw_trace_analysis_visitor;

/* Before reading: instants and values of counters are to be kept too, in 24 bytes each, of which the most wait in a file as well. */
void sw_trace_analysis_keep_moments (SwTraceAnalysis *self);

/* After reading. FALSE with IO, where what had no room in memory could not be kept elsewhere either. */
gboolean sw_trace_analysis_finish (SwTraceAnalysis *self,
                                   GError **error);
/* Where they were kept: instants and counters become those from @from_ns on and before @to_ns; what has none then has an n of 0. How many
 * the trace has in all stays. FALSE with IO. */
gboolean sw_trace_analysis_narrow_moments (SwTraceAnalysis *self,
                                           gint64 from_ns,
                                           gint64 to_ns,
                                           GError **error);
/* All slices of all tracks; or, of the tracks for which @wants says so, where that is not NULL. FALSE with IO. */
gboolean sw_trace_analysis_visit (SwTraceAnalysis *self,
                                  gboolean (*wants) (gpointer data,
                                                     guint32 track),
                                  const SwNestingVisitor *visitor,
                                  gpointer data,
                                  GError **error);

const char *sw_trace_analysis_get_text (const SwTraceAnalysis *self,
                                        guint32 name);
const SwTraceLabel *sw_trace_analysis_get_label (const SwTraceAnalysis *self,
                                                 guint32 label);
/* NULL for no track. */
const SwAnalysisTrack *sw_trace_analysis_get_track (const SwTraceAnalysis *self,
                                                    guint32 track);
/* Of the process that a track belongs to: its pid, 0 where that is not known, and its name, or NULL. */
gint64 sw_trace_analysis_get_pid (const SwTraceAnalysis *self,
                                  guint32 track,
                                  const char **name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwTraceAnalysis, sw_trace_analysis_free)

G_END_DECLS
