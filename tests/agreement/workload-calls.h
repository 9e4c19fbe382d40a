/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <strideweave.h>

G_BEGIN_DECLS

/* Calls the operation words[0] with the arguments that the other words stand for. */
SwTensor *
workload_call (GHashTable *tensors,
               char **words,
               GError **error);

G_END_DECLS
