/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/base/sw-note-private.h"
#include "sw/tensor/sw-carrier-private.h"

G_BEGIN_DECLS

/* Memory that carriers of the library have of their own, and what is said about it. */

/* A carrier of @type has got memory for its values, or given it back. */
void sw_memory_note_allocated (GType type,
                               SwDType dtype,
                               gsize n_bytes);
void sw_memory_note_released (GType type,
                              SwDType dtype,
                              gsize n_bytes);
/* There was none. */
void sw_memory_note_refused (GType type,
                             SwDType dtype,
                             gsize n_bytes,
                             const GError *error);

/* How many bytes there are now. */
gint64 sw_memory_get_n_bytes (void);

/* The argument "bytes" about all values of a carrier; none where only somebody else's code could tell. */
SwNoteArgument sw_memory_note_values (SwCarrier *carrier);

G_END_DECLS
