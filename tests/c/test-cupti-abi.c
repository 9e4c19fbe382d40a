/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <cupti.h>
#include <glib.h>
#include <stddef.h>

#include "sw-profiler/trace/sw-cupti-private.h"

/* What the library says of CUPTI, compared with CUPTI's own headers, where there are any. */

#define SAME(own, own_field, theirs, their_field)                                \
  G_STATIC_ASSERT (offsetof (own, own_field) == offsetof (theirs, their_field)); \
  G_STATIC_ASSERT (sizeof (((own *) NULL)->own_field) == sizeof (((theirs *) NULL)->their_field))
#define WITHIN(own, theirs) G_STATIC_ASSERT (sizeof (own) <= sizeof (theirs))

#define CHECK_KERNEL(theirs)                                                \
  SAME (SwCuptiKernel, kind, theirs, kind);                                 \
  SAME (SwCuptiKernel, registers, theirs, registersPerThread);              \
  SAME (SwCuptiKernel, start, theirs, start);                               \
  SAME (SwCuptiKernel, end, theirs, end);                                   \
  SAME (SwCuptiKernel, device, theirs, deviceId);                           \
  SAME (SwCuptiKernel, context, theirs, contextId);                         \
  SAME (SwCuptiKernel, stream, theirs, streamId);                           \
  SAME (SwCuptiKernel, grid[0], theirs, gridX);                             \
  SAME (SwCuptiKernel, grid[1], theirs, gridY);                             \
  SAME (SwCuptiKernel, grid[2], theirs, gridZ);                             \
  SAME (SwCuptiKernel, block[0], theirs, blockX);                           \
  SAME (SwCuptiKernel, block[1], theirs, blockY);                           \
  SAME (SwCuptiKernel, block[2], theirs, blockZ);                           \
  SAME (SwCuptiKernel, static_shared_memory, theirs, staticSharedMemory);   \
  SAME (SwCuptiKernel, dynamic_shared_memory, theirs, dynamicSharedMemory); \
  SAME (SwCuptiKernel, correlation, theirs, correlationId);                 \
  SAME (SwCuptiKernel, name, theirs, name);                                 \
  WITHIN (SwCuptiKernel, theirs)

#define CHECK_MEMCPY(theirs)                                \
  SAME (SwCuptiMemcpy, kind, theirs, kind);                 \
  SAME (SwCuptiMemcpy, copy_kind, theirs, copyKind);        \
  SAME (SwCuptiMemcpy, from_kind, theirs, srcKind);         \
  SAME (SwCuptiMemcpy, to_kind, theirs, dstKind);           \
  SAME (SwCuptiMemcpy, bytes, theirs, bytes);               \
  SAME (SwCuptiMemcpy, start, theirs, start);               \
  SAME (SwCuptiMemcpy, end, theirs, end);                   \
  SAME (SwCuptiMemcpy, device, theirs, deviceId);           \
  SAME (SwCuptiMemcpy, context, theirs, contextId);         \
  SAME (SwCuptiMemcpy, stream, theirs, streamId);           \
  SAME (SwCuptiMemcpy, correlation, theirs, correlationId); \
  WITHIN (SwCuptiMemcpy, theirs)

#define CHECK_PEER_MEMCPY(theirs)                               \
  SAME (SwCuptiPeerMemcpy, kind, theirs, kind);                 \
  SAME (SwCuptiPeerMemcpy, copy_kind, theirs, copyKind);        \
  SAME (SwCuptiPeerMemcpy, from_kind, theirs, srcKind);         \
  SAME (SwCuptiPeerMemcpy, to_kind, theirs, dstKind);           \
  SAME (SwCuptiPeerMemcpy, bytes, theirs, bytes);               \
  SAME (SwCuptiPeerMemcpy, start, theirs, start);               \
  SAME (SwCuptiPeerMemcpy, end, theirs, end);                   \
  SAME (SwCuptiPeerMemcpy, device, theirs, deviceId);           \
  SAME (SwCuptiPeerMemcpy, context, theirs, contextId);         \
  SAME (SwCuptiPeerMemcpy, stream, theirs, streamId);           \
  SAME (SwCuptiPeerMemcpy, from_device, theirs, srcDeviceId);   \
  SAME (SwCuptiPeerMemcpy, to_device, theirs, dstDeviceId);     \
  SAME (SwCuptiPeerMemcpy, correlation, theirs, correlationId); \
  WITHIN (SwCuptiPeerMemcpy, theirs)

#define CHECK_MEMSET(theirs)                                \
  SAME (SwCuptiMemset, kind, theirs, kind);                 \
  SAME (SwCuptiMemset, value, theirs, value);               \
  SAME (SwCuptiMemset, bytes, theirs, bytes);               \
  SAME (SwCuptiMemset, start, theirs, start);               \
  SAME (SwCuptiMemset, end, theirs, end);                   \
  SAME (SwCuptiMemset, device, theirs, deviceId);           \
  SAME (SwCuptiMemset, context, theirs, contextId);         \
  SAME (SwCuptiMemset, stream, theirs, streamId);           \
  SAME (SwCuptiMemset, correlation, theirs, correlationId); \
  WITHIN (SwCuptiMemset, theirs)

#define CHECK_OVERHEAD(theirs)                                 \
  SAME (SwCuptiOverhead, kind, theirs, kind);                  \
  SAME (SwCuptiOverhead, overhead_kind, theirs, overheadKind); \
  SAME (SwCuptiOverhead, start, theirs, start);                \
  SAME (SwCuptiOverhead, end, theirs, end);                    \
  WITHIN (SwCuptiOverhead, theirs)

/* The oldest of CUDA 11 and what is newest where this is built; of CUDA 13, each one. */
CHECK_KERNEL (CUpti_ActivityKernel4);
CHECK_MEMCPY (CUpti_ActivityMemcpy);
CHECK_PEER_MEMCPY (CUpti_ActivityMemcpyPtoP);
CHECK_MEMSET (CUpti_ActivityMemset);
CHECK_OVERHEAD (CUpti_ActivityOverhead);
#if CUPTI_API_VERSION >= 130000
CHECK_KERNEL (CUpti_ActivityKernel5);
CHECK_KERNEL (CUpti_ActivityKernel6);
CHECK_KERNEL (CUpti_ActivityKernel7);
CHECK_KERNEL (CUpti_ActivityKernel8);
CHECK_KERNEL (CUpti_ActivityKernel9);
CHECK_KERNEL (CUpti_ActivityKernel10);
CHECK_MEMCPY (CUpti_ActivityMemcpy3);
CHECK_MEMCPY (CUpti_ActivityMemcpy4);
CHECK_MEMCPY (CUpti_ActivityMemcpy5);
CHECK_MEMCPY (CUpti_ActivityMemcpy6);
CHECK_PEER_MEMCPY (CUpti_ActivityMemcpyPtoP2);
CHECK_PEER_MEMCPY (CUpti_ActivityMemcpyPtoP3);
CHECK_PEER_MEMCPY (CUpti_ActivityMemcpyPtoP4);
CHECK_MEMSET (CUpti_ActivityMemset2);
CHECK_MEMSET (CUpti_ActivityMemset3);
CHECK_MEMSET (CUpti_ActivityMemset4);
CHECK_OVERHEAD (CUpti_ActivityOverhead2);
CHECK_OVERHEAD (CUpti_ActivityOverhead3);
#endif

SAME (SwCuptiExternalCorrelation, kind, CUpti_ActivityExternalCorrelation, kind);
SAME (SwCuptiExternalCorrelation, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
SAME (SwCuptiExternalCorrelation, external_id, CUpti_ActivityExternalCorrelation, externalId);
SAME (SwCuptiExternalCorrelation, correlation, CUpti_ActivityExternalCorrelation, correlationId);
WITHIN (SwCuptiExternalCorrelation, CUpti_ActivityExternalCorrelation);
SAME (SwCuptiRecord, kind, CUpti_Activity, kind);

G_STATIC_ASSERT ((int) SW_CUPTI_SUCCESS == (int) CUPTI_SUCCESS);
G_STATIC_ASSERT ((int) SW_CUPTI_ERROR_MAX_LIMIT_REACHED == (int) CUPTI_ERROR_MAX_LIMIT_REACHED);
G_STATIC_ASSERT ((int) SW_CUPTI_ERROR_NOT_INITIALIZED == (int) CUPTI_ERROR_NOT_INITIALIZED);
G_STATIC_ASSERT ((int) SW_CUPTI_KIND_MEMCPY == (int) CUPTI_ACTIVITY_KIND_MEMCPY);
G_STATIC_ASSERT ((int) SW_CUPTI_KIND_MEMSET == (int) CUPTI_ACTIVITY_KIND_MEMSET);
G_STATIC_ASSERT ((int) SW_CUPTI_KIND_KERNEL == (int) CUPTI_ACTIVITY_KIND_KERNEL);
G_STATIC_ASSERT ((int) SW_CUPTI_KIND_CONCURRENT_KERNEL == (int) CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
G_STATIC_ASSERT ((int) SW_CUPTI_KIND_OVERHEAD == (int) CUPTI_ACTIVITY_KIND_OVERHEAD);
G_STATIC_ASSERT ((int) SW_CUPTI_KIND_MEMCPY2 == (int) CUPTI_ACTIVITY_KIND_MEMCPY2);
G_STATIC_ASSERT ((int) SW_CUPTI_KIND_EXTERNAL_CORRELATION == (int) CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
G_STATIC_ASSERT ((int) SW_CUPTI_EXTERNAL_CUSTOM0 == (int) CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
G_STATIC_ASSERT ((int) SW_CUPTI_FLUSH_FORCED == (int) CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
G_STATIC_ASSERT (sizeof (SwCuptiResult) == sizeof (CUptiResult));
G_STATIC_ASSERT (SW_CUPTI_ALIGNMENT == ACTIVITY_RECORD_ALIGNMENT);

/* The arguments of functions, which the library calls through pointers of its own: CUPTI's enumerations are unsigned there, its
 * integers have the same sizes, and its handles are pointers. */
#define IS_ENUM_OF_INT(type) G_STATIC_ASSERT (sizeof (type) == sizeof (guint32))

IS_ENUM_OF_INT (CUpti_ActivityKind);
IS_ENUM_OF_INT (CUpti_ExternalCorrelationKind);
G_STATIC_ASSERT (sizeof (CUcontext) == sizeof (gpointer));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiGetTimestamp), CUptiResult (uint64_t *)));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiGetResultString), CUptiResult (CUptiResult, const char **)));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiActivityEnable), CUptiResult (CUpti_ActivityKind)));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiActivityDisable), CUptiResult (CUpti_ActivityKind)));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiActivityFlushAll), CUptiResult (uint32_t)));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiActivityGetNextRecord),
                                               CUptiResult (uint8_t *, size_t, CUpti_Activity **)));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiActivityGetNumDroppedRecords),
                                               CUptiResult (CUcontext, uint32_t, size_t *)));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiActivityPushExternalCorrelationId),
                                               CUptiResult (CUpti_ExternalCorrelationKind, uint64_t)));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiActivityPopExternalCorrelationId),
                                               CUptiResult (CUpti_ExternalCorrelationKind, uint64_t *)));
G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (cuptiActivityRegisterCallbacks),
                                               CUptiResult (CUpti_BuffersCallbackRequestFunc,
                                                            CUpti_BuffersCallbackCompleteFunc)));
G_STATIC_ASSERT (__builtin_types_compatible_p (CUpti_BuffersCallbackRequestFunc, void (*) (uint8_t **, size_t *, size_t *)));
G_STATIC_ASSERT (__builtin_types_compatible_p (CUpti_BuffersCallbackCompleteFunc,
                                               void (*) (CUcontext, uint32_t, uint8_t *, size_t, size_t)));

static void
test_same (void)
{
  /* That it was compiled says it all. */
  g_assert_cmpuint (CUPTI_API_VERSION, >=, 13);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cupti-abi/same", test_same);
  return g_test_run ();
}
