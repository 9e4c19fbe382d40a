/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <strideweave.h>

#include "sw/base/sw-clock-testing.h"

G_BEGIN_DECLS

/* A carrier of somebody else's, written in C: it owns nothing but numbers, and each operation runs a script. */
#define TEST_TYPE_CARRIER (test_carrier_get_type ())
G_DECLARE_DERIVABLE_TYPE (TestCarrier, test_carrier, TEST, CARRIER, SwCarrier)

struct _TestCarrierClass
{
  SwCarrierClass parent_class;
};

/* Another exact class, derived from the first. */
#define TEST_TYPE_OTHER_CARRIER (test_other_carrier_get_type ())
GType test_other_carrier_get_type (void);

#define TEST_TYPE_OPERATION (test_operation_get_type ())
G_DECLARE_FINAL_TYPE (TestOperation, test_operation, TEST, OPERATION, SwOperation)

/* What an operation of a test carrier does inside its boundary. NULL with @error set: it fails. */
typedef SwTensor *(*TestBody) (SwOperation *operation,
                               SwValueList *inputs,
                               gpointer data,
                               GError **error);

SwCarrier *test_carrier_new (GType type,
                             TestBody body,
                             gpointer data);
SwTensor *test_tensor_on (SwCarrier *carrier);

/* Flat tensors with the values -1, 2, -3, 4 ... */
SwTensor *test_generic_tensor (gint64 n);
SwTensor *test_cpu_tensor (gint64 n);
SwTensor *test_evictable_tensor (gint64 n);
SwTensor *test_nested_tensor (const char *shape);

SwProfiler *test_profiler_entered (gboolean record_shapes);
SwProfiler *test_profiler_entered_for (GType carrier_type);
void test_profiler_exit (SwProfiler *profiler);
GPtrArray *test_profiler_events (SwProfiler *profiler);

/* Runs relu, and drops the result. */
void test_relu (SwTensor *tensor);
/* Fails inside the boundary: add with something that is no tensor. */
void test_failing_add (SwTensor *tensor);

/* Adds a test whose name is the title of a scenario. */
void test_scenario (const char *title,
                    GTestFunc func);

G_END_DECLS
