/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/read/sw-trace-json-read-private.h"

G_BEGIN_DECLS

typedef enum {
  CHROME_PH,
  CHROME_NAME,
  CHROME_CAT,
  CHROME_TS,
  CHROME_DUR,
  CHROME_PID,
  CHROME_TID,
  CHROME_ARGS,
  CHROME_ID,
  CHROME_ID2,
  CHROME_SCOPE,
  CHROME_S,
  CHROME_BP,
  CHROME_BIND_ID,
  CHROME_FLOW_IN,
  CHROME_FLOW_OUT,
  CHROME_N_FIELDS,
} SwChromeField;

typedef struct
{
  guint present; /* a bit for each field */
  char phase;
  SwJsonText fields[CHROME_N_FIELDS];
} SwChromeRecord;

/* A number, or what else was given as one: "worker 3" is a thread like any other. */
typedef struct
{
  gint64 number;
  guint32 text; /* 0: the number counts */
} SwChromeId;

typedef enum {
  CHROME_TRACK_PROCESS,
  CHROME_TRACK_THREAD,
  CHROME_TRACK_ASYNC,   /* by name */
  CHROME_TRACK_COUNTER, /* by name */
} SwChromeTrackKind;

/* What a track is found by. */
typedef struct
{
  SwChromeId pid;
  SwChromeId tid; /* of others than threads: text is the name */
  guint32 kind;
} SwChromeKey;

typedef struct
{
  SwTraceReader *reader;
  GHashTable *tracks;   /* ids, by SwChromeKey */
  SwChromeKey last_key; /* the thread that was found last */
  guint32 last_track;
  gint64 base_ns;
  gboolean has_session;
  gboolean is_given; /* its record was read before, and is still to come */
  gboolean has_summary;
  gboolean slices_wait; /* flows may come for them later */
  guint64 n_records;
} SwChrome;

static inline const SwJsonText *
sw_chrome_get (const SwChromeRecord *record,
               SwChromeField field)
{
  return (record->present & 1u << field) != 0 ? &record->fields[field] : NULL;
}

void sw_chrome_init (SwChrome *self,
                     SwTraceReader *reader);
void sw_chrome_clear (SwChrome *self);

/* What is at @at, behind its brace; as sw_json_value () otherwise. */
const char *sw_chrome_scan (SwJsonScan *scan,
                            const char *at,
                            SwChromeRecord *record);
/* Events. Flows that follow right behind a record, and pass through it, are in the scratch already. */
void sw_chrome_take (SwChrome *self,
                     const SwChromeRecord *record);
/* Metadata. */
void sw_chrome_take_metadata (SwChrome *self,
                              const SwChromeRecord *record);
/* Whether @flow passes through what @record is, as it has its place and time. */
gboolean sw_chrome_is_flow_of (SwChrome *self,
                               const SwChromeRecord *flow,
                               const SwChromeRecord *record);
void sw_chrome_add_flow (SwChrome *self,
                         const SwChromeRecord *flow);

guint32 sw_chrome_thread (SwChrome *self,
                          const SwChromeRecord *record);
guint32 sw_chrome_process (SwChrome *self,
                           const SwChromeRecord *record);
/* One of a process, of a kind that is found by its name. */
guint32 sw_chrome_named_track (SwChrome *self,
                               const SwChromeRecord *record,
                               SwChromeTrackKind kind,
                               guint32 name);
guint32 sw_chrome_name (SwChrome *self,
                        const SwChromeRecord *record,
                        SwChromeField field);

G_END_DECLS
