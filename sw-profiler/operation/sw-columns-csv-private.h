/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw-profiler/operation/sw-file-writer-private.h"
#include "sw-profiler/operation/sw-profiler-columns.h"

G_BEGIN_DECLS

/* A header and a record for each row, as RFC 4180 has them. */
void sw_profiler_columns_write_csv (SwProfilerColumns *self,
                                    SwFileWriter *file);

G_END_DECLS
