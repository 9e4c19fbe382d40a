/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/trace/sw-cupti-private.h"

G_BEGIN_DECLS

/* The buffers that CUPTI puts its records into. There is one set in a process, since CUPTI's callbacks say nothing of whom
 * they are for, and as many as there may be: when all are full, CUPTI drops what it would record, and counts that. CUPTI asks
 * for a buffer and gives it back on any thread, also long after recording was switched off. */

#define SW_CUPTI_BUFFER_BYTES ((gsize) 1 << 20)
#define SW_CUPTI_N_BUFFERS 32

/* For CUPTI, which keeps them for good. */
void sw_cupti_buffers_request (guint8 **buffer,
                               gsize *size,
                               gsize *max_records);
void sw_cupti_buffers_complete (gpointer context,
                                guint32 stream,
                                guint8 *buffer,
                                gsize size,
                                gsize valid_size);

/* While it is open, full buffers are kept for the reader, and contexts are woken for them; else what is in them is counted. */
void sw_cupti_buffers_set_open (gboolean is_open);
/* The oldest full one, for the one reader there is. NULL: none. */
guint8 *sw_cupti_buffers_take (gsize *valid_size);
void sw_cupti_buffers_give_back (guint8 *buffer);
/* Records that came while nobody was to read them, and that are gone. */
guint64 sw_cupti_buffers_get_late_count (void);

/* The next record of a buffer, all of which is in it. NULL: no more, @is_intact says whether for a good reason. */
const SwCuptiRecord *sw_cupti_record_next (const SwCuptiLibrary *library,
                                           guint8 *buffer,
                                           gsize valid_size,
                                           const SwCuptiRecord *last,
                                           gboolean *is_intact);

G_END_DECLS
