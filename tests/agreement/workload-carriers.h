/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <strideweave.h>

G_BEGIN_DECLS

#define WORKLOAD_ERROR (g_quark_from_static_string ("workload-error"))

/* What an operation "step" does inside its boundary. */
typedef gboolean (*WorkloadBlock) (gpointer data,
                                   GError **error);

#define WORKLOAD_TYPE_STEP (workload_step_get_type ())
G_DECLARE_FINAL_TYPE (WorkloadStep, workload_step, WORKLOAD, STEP, SwOperation)

void
workload_step_set_block (WorkloadStep *self,
                         WorkloadBlock block,
                         gpointer data);

#define WORKLOAD_TYPE_LOWERING (workload_lowering_get_type ())
G_DECLARE_FINAL_TYPE (WorkloadLowering, workload_lowering, WORKLOAD, LOWERING, SwOperation)

/* Owns another carrier, and lowers to it. */
#define WORKLOAD_TYPE_ADAPTER (workload_adapter_get_type ())
G_DECLARE_DERIVABLE_TYPE (WorkloadAdapter, workload_adapter, WORKLOAD, ADAPTER, SwCarrier)

struct _WorkloadAdapterClass
{
  SwCarrierClass parent_class;
  gint64 cost;
};

GType
workload_first_get_type (void);
GType
workload_second_get_type (void);
GType
workload_twin_get_type (void);

SwCarrier *
workload_adapter_new (GType type,
                      SwCarrier *inner);

G_END_DECLS
