/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-work-private.h"

#define MAX_ARGUMENTS 8
#define TRIPLE_SIZE 48

static const char *const copy_names[] = {
  "memcpy",
  "memcpy HtoD",
  "memcpy DtoH",
  "memcpy HtoA",
  "memcpy AtoH",
  "memcpy AtoA",
  "memcpy AtoD",
  "memcpy DtoA",
  "memcpy DtoD",
  "memcpy HtoH",
  "memcpy PtoP",
};

static const char *const memory_kinds[] = {
  NULL,
  "pageable",
  "pinned",
  "device",
  "array",
  "managed",
  "device static",
  "managed static",
};

static const char *
name_overhead (guint32 kind)
{
  switch (kind)
    {
    case 1:
      return "overhead: driver compiler";
    case 1 << 16:
      return "overhead: buffer flush";
    case 2 << 16:
      return "overhead: instrumentation";
    case 3 << 16:
      return "overhead: resources";
    case 4 << 16:
      return "overhead: module loading";
    case 5 << 16:
      return "overhead: function loading";
    case 6 << 16:
      return "overhead: command buffer full";
    case 7 << 16:
      return "overhead: buffer request";
    case 8 << 16:
      return "overhead: managed memory";
    default:
      return "overhead";
    }
}

static void
take_kernel (SwCuptiWork *self,
             const SwCuptiKernel *kernel)
{
  self->correlation = kernel->correlation;
  memcpy (self->of.kernel.grid, kernel->grid, sizeof kernel->grid);
  memcpy (self->of.kernel.block, kernel->block, sizeof kernel->block);
  self->of.kernel.registers = kernel->registers;
  self->of.kernel.shared_memory = (gint64) kernel->static_shared_memory + kernel->dynamic_shared_memory;
}

static void
take_memcpy (SwCuptiWork *self,
             const SwCuptiMemcpy *copy)
{
  self->of.memory.bytes = copy->bytes;
  self->of.memory.copy_kind = copy->copy_kind;
  self->of.memory.from_kind = copy->from_kind;
  self->of.memory.to_kind = copy->to_kind;
}

gboolean
sw_cupti_work_init (SwCuptiWork *self,
                    const SwCuptiRecord *record)
{
  const SwCuptiMemcpy *copy = (const SwCuptiMemcpy *) record;
  const SwCuptiPeerMemcpy *peer_copy = (const SwCuptiPeerMemcpy *) record;
  const SwCuptiMemset *set = (const SwCuptiMemset *) record;
  const SwCuptiOverhead *overhead = (const SwCuptiOverhead *) record;

  *self = (SwCuptiWork){ .kind = record->kind };
  switch (record->kind)
    {
    case SW_CUPTI_KIND_KERNEL:
    case SW_CUPTI_KIND_CONCURRENT_KERNEL:
      take_kernel (self, (const SwCuptiKernel *) record);
      return TRUE;
    case SW_CUPTI_KIND_MEMCPY:
      take_memcpy (self, copy);
      self->correlation = copy->correlation;
      return TRUE;
    case SW_CUPTI_KIND_MEMCPY2:
      take_memcpy (self, copy);
      self->correlation = peer_copy->correlation;
      self->of.memory.from_device = peer_copy->from_device;
      self->of.memory.to_device = peer_copy->to_device;
      return TRUE;
    case SW_CUPTI_KIND_MEMSET:
      self->correlation = set->correlation;
      self->of.memory.bytes = set->bytes;
      self->of.memory.value = set->value;
      return TRUE;
    case SW_CUPTI_KIND_OVERHEAD:
      self->of.overhead = overhead->overhead_kind;
      return TRUE;
    default:
      return FALSE;
    }
}

void
sw_cupti_work_get_times (const SwCuptiRecord *record,
                         guint64 *start,
                         guint64 *end)
{
  const SwCuptiOverhead *overhead = (const SwCuptiOverhead *) record;
  const SwCuptiMemcpy *copy = (const SwCuptiMemcpy *) record;

  /* All but overheads have them at the same place. */
  *start = record->kind == SW_CUPTI_KIND_OVERHEAD ? overhead->start : copy->start;
  *end = record->kind == SW_CUPTI_KIND_OVERHEAD ? overhead->end : copy->end;
}

static const char *
print_triple (char *text,
              const gint32 *values)
{
  g_snprintf (text, TRIPLE_SIZE, "(%d, %d, %d)", values[0], values[1], values[2]);
  return text;
}

static void
put_items (GByteArray *items,
           const SwTraceArgument *arguments,
           gsize n_arguments,
           const SwCuptiWork *work)
{
  gsize size = sw_trace_arguments_size (arguments, n_arguments);
  guint8 *at;

  g_byte_array_set_size (items, (guint) (size + (work->link != 0 ? SW_TRACE_FLOW_SIZE : 0)));
  at = sw_trace_arguments_put (arguments, n_arguments, items->data);
  if (work->link != 0)
    sw_trace_flow_put (work->link, SW_TRACE_FLOW_STEP, (guint64) work->start_ns, at);
}

static void
describe_kernel (const SwCuptiWork *self,
                 GByteArray *items,
                 SwTraceRecord *record)
{
  char grid[TRIPLE_SIZE];
  char block[TRIPLE_SIZE];
  const SwTraceArgument arguments[] = {
    SW_TRACE_STRING ("grid", print_triple (grid, self->of.kernel.grid)),
    SW_TRACE_STRING ("block", print_triple (block, self->of.kernel.block)),
    SW_TRACE_INT64 ("registers", self->of.kernel.registers),
    SW_TRACE_INT64 ("shared_memory", self->of.kernel.shared_memory),
    SW_TRACE_UINT64 ("correlation", self->correlation),
  };

  record->name = self->name;
  record->category = "gpu.kernel";
  put_items (items, arguments, G_N_ELEMENTS (arguments), self);
}

/* Nothing of one that is not known, or newer than this. */
static gsize
add_memory (SwTraceArgument *arguments,
            gsize n,
            const char *key,
            guint8 memory_kind)
{
  if (memory_kind >= G_N_ELEMENTS (memory_kinds) || memory_kinds[memory_kind] == NULL)
    return n;
  arguments[n] = SW_TRACE_STRING (key, memory_kinds[memory_kind]);
  return n + 1;
}

static void
describe_copy (const SwCuptiWork *self,
               GByteArray *items,
               SwTraceRecord *record)
{
  SwTraceArgument arguments[MAX_ARGUMENTS];
  gsize n = 0;

  arguments[n++] = SW_TRACE_UINT64 ("bytes", self->of.memory.bytes);
  n = add_memory (arguments, n, "from", self->of.memory.from_kind);
  n = add_memory (arguments, n, "to", self->of.memory.to_kind);
  if (self->kind == SW_CUPTI_KIND_MEMCPY2)
    {
      arguments[n++] = SW_TRACE_UINT64 ("from_device", self->of.memory.from_device);
      arguments[n++] = SW_TRACE_UINT64 ("to_device", self->of.memory.to_device);
    }
  arguments[n++] = SW_TRACE_UINT64 ("correlation", self->correlation);
  record->name = copy_names[self->of.memory.copy_kind < G_N_ELEMENTS (copy_names) ? self->of.memory.copy_kind : 0];
  record->category = "gpu.memcpy";
  put_items (items, arguments, n, self);
}

static void
describe_set (const SwCuptiWork *self,
              GByteArray *items,
              SwTraceRecord *record)
{
  const SwTraceArgument arguments[] = {
    SW_TRACE_UINT64 ("bytes", self->of.memory.bytes),
    SW_TRACE_UINT64 ("value", self->of.memory.value),
    SW_TRACE_UINT64 ("correlation", self->correlation),
  };

  record->name = "memset";
  record->category = "gpu.memset";
  put_items (items, arguments, G_N_ELEMENTS (arguments), self);
}

static void
describe_overhead (const SwCuptiWork *self,
                   SwTraceRecord *record)
{
  record->kind = SW_TRACE_EVENT_KIND_ASYNC_SPAN;
  record->level = SW_TRACE_VERBOSITY_FULL;
  record->depth = -1;
  /* It belongs to no thread that is known here: whoever passes it on stands in. */
  record->lane = sw_lane_get ();
  record->name = name_overhead (self->of.overhead);
  record->category = "gpu.overhead";
}

void
sw_cupti_work_to_record (const SwCuptiWork *self,
                         GByteArray *items,
                         SwTraceRecord *record)
{
  g_byte_array_set_size (items, 0);
  *record = (SwTraceRecord){ .kind = SW_TRACE_EVENT_KIND_GPU_SPAN, .level = SW_TRACE_VERBOSITY_OPERATIONS };
  record->lane = self->lane;
  record->start_ns = self->start_ns;
  record->duration_ns = self->end_ns - self->start_ns;
  switch (self->kind)
    {
    case SW_CUPTI_KIND_MEMCPY:
    case SW_CUPTI_KIND_MEMCPY2:
      describe_copy (self, items, record);
      break;
    case SW_CUPTI_KIND_MEMSET:
      describe_set (self, items, record);
      break;
    case SW_CUPTI_KIND_OVERHEAD:
      describe_overhead (self, record);
      break;
    default:
      describe_kernel (self, items, record);
      break;
    }
  record->items = items->data;
  record->items_size = items->len;
}
