/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/tensor/sw-carrier.h"

/* What reads or writes memory that is kept is a mistake. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)
#define ASAN_UNPOISON_MEMORY_REGION(address, size)
#endif

G_BEGIN_DECLS

/* Every block begins at such an address: the width of a cache line, and of the widest vector registers. */
#define SW_CPU_ALIGNMENT 64

/* Memory for values that recently belonged to others, or fresh memory: @n_bytes, undefined. NULL: there is none. */
gpointer sw_cpu_cache_take (gsize n_bytes) G_GNUC_WARN_UNUSED_RESULT;
/* Gives a block back that was taken with the same @n_bytes, on any thread. */
void sw_cpu_cache_put (gpointer memory,
                       gsize n_bytes);

/* The same for carriers without memory. Takes the only reference to @carrier, or returns FALSE. */
gboolean sw_cpu_cache_keep_carrier (SwCarrier *carrier);
/* One that was kept, or NULL. */
SwCarrier *sw_cpu_cache_get_carrier (void) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
