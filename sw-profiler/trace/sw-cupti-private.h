/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* NVIDIA's CUPTI, as far as a collector needs it: declared here, so that the library is the same wherever it is built, and
 * needs no CUDA for it. Of records, what is declared is what all versions from CUDA 11 to CUDA 13 begin with; what newer ones
 * add comes after that. A test compares all of it with CUPTI's own headers where there are any. */

typedef guint32 SwCuptiResult;

enum
{
  SW_CUPTI_SUCCESS = 0,
  SW_CUPTI_ERROR_MAX_LIMIT_REACHED = 12, /* no more records */
  SW_CUPTI_ERROR_NOT_INITIALIZED = 15,
};

/* What CUPTI records. */
enum
{
  SW_CUPTI_KIND_MEMCPY = 1,
  SW_CUPTI_KIND_MEMSET = 2,
  SW_CUPTI_KIND_KERNEL = 3, /* the same, where kernels run one after the other */
  SW_CUPTI_KIND_CONCURRENT_KERNEL = 10,
  SW_CUPTI_KIND_OVERHEAD = 17,
  SW_CUPTI_KIND_MEMCPY2 = 22, /* between devices */
  SW_CUPTI_KIND_EXTERNAL_CORRELATION = 39,
};

enum
{
  SW_CUPTI_EXTERNAL_CUSTOM0 = 3,
};

enum
{
  SW_CUPTI_FLUSH_FORCED = 1 << 0, /* also what is not complete */
};

typedef struct
{
  guint32 kind;
} SwCuptiRecord;

typedef struct
{
  guint32 kind;
  guint8 cache_config;
  guint8 shared_memory_config;
  guint16 registers; /* of each thread */
  guint32 requested_global_cache;
  guint32 executed_global_cache;
  guint64 start; /* CUPTI's nanoseconds, as are all times; 0, as is the end: not known */
  guint64 end;
  guint64 completed;
  guint32 device;
  guint32 context;
  guint32 stream;
  gint32 grid[3];
  gint32 block[3];
  gint32 static_shared_memory;
  gint32 dynamic_shared_memory;
  guint32 local_memory_of_thread;
  guint32 local_memory;
  guint32 correlation;
  gint64 grid_id;
  const char *name;
} SwCuptiKernel;

typedef struct
{
  guint32 kind;
  guint8 copy_kind;
  guint8 from_kind;
  guint8 to_kind;
  guint8 flags;
  guint64 bytes;
  guint64 start;
  guint64 end;
  guint32 device;
  guint32 context;
  guint32 stream;
  guint32 correlation;
} SwCuptiMemcpy;

typedef struct
{
  guint32 kind;
  guint8 copy_kind;
  guint8 from_kind;
  guint8 to_kind;
  guint8 flags;
  guint64 bytes;
  guint64 start;
  guint64 end;
  guint32 device;
  guint32 context;
  guint32 stream;
  guint32 from_device;
  guint32 from_context;
  guint32 to_device;
  guint32 to_context;
  guint32 correlation;
} SwCuptiPeerMemcpy;

typedef struct
{
  guint32 kind;
  guint32 value;
  guint64 bytes;
  guint64 start;
  guint64 end;
  guint32 device;
  guint32 context;
  guint32 stream;
  guint32 correlation;
} SwCuptiMemset;

typedef struct
{
  guint32 kind;
  guint32 overhead_kind;
  guint32 object_kind;
  guint32 object_id[3];
  guint64 start;
  guint64 end;
} SwCuptiOverhead;

/* What a call of CUDA's was made inside of, in the program's own terms. */
typedef struct
{
  guint32 kind;
  guint32 external_kind;
  guint64 external_id;
  guint32 correlation;
} SwCuptiExternalCorrelation;

/* What CUPTI has to be aligned to. */
#define SW_CUPTI_ALIGNMENT 8

typedef void (*SwCuptiRequestBuffer) (guint8 **buffer,
                                      gsize *size,
                                      gsize *max_records);
typedef void (*SwCuptiCompleteBuffer) (gpointer context,
                                       guint32 stream,
                                       guint8 *buffer,
                                       gsize size,
                                       gsize valid_size);

typedef struct
{
  SwCuptiResult (*get_result_string) (SwCuptiResult result,
                                      const char **text);
  SwCuptiResult (*get_timestamp) (guint64 *timestamp);
  SwCuptiResult (*register_callbacks) (SwCuptiRequestBuffer request,
                                       SwCuptiCompleteBuffer complete);
  SwCuptiResult (*enable) (guint32 kind);
  SwCuptiResult (*disable) (guint32 kind);
  SwCuptiResult (*get_next_record) (guint8 *buffer,
                                    gsize valid_size,
                                    SwCuptiRecord **record);
  SwCuptiResult (*get_dropped) (gpointer context,
                                guint32 stream,
                                gsize *n_dropped);
  SwCuptiResult (*flush_all) (guint32 flags);
  SwCuptiResult (*push) (guint32 external_kind,
                         guint64 id);
  SwCuptiResult (*pop) (guint32 external_kind,
                        guint64 *id);
} SwCuptiFunctions;

typedef struct
{
  SwCuptiFunctions call;
  char *name; /* what it was found as */
} SwCuptiLibrary;

/* Found and loaded once and for good. NULL with UNSUPPORTED; a later call tries again. */
const SwCuptiLibrary *sw_cupti_library_load (GError **error);
/* What was loaded, or NULL; in the child of a fork, none. */
const SwCuptiLibrary *sw_cupti_library_get (void);
/* Whether it has a driver to work with. Disturbs nobody else who uses it. FALSE with UNSUPPORTED. */
gboolean sw_cupti_library_probe (const SwCuptiLibrary *self,
                                 GError **error);
/* TRUE where the call succeeded; else an error of @code that names the function and CUPTI's own result. */
gboolean sw_cupti_library_check (const SwCuptiLibrary *self,
                                 SwCuptiResult result,
                                 const char *function,
                                 int code,
                                 GError **error);

G_END_DECLS
