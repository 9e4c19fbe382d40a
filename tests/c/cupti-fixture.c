/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cupti-fixture.h"

#include <dlfcn.h>

FakeCupti fake;

char *
fake_cupti_dup_path (const char *name)
{
  return g_strdup_printf ("%s/libfake-cupti%s.so", g_getenv ("SW_FAKE_CUPTI"), name);
}

static void *
look_up (void *handle,
         const char *name)
{
  void *function = dlsym (handle, name);

  g_assert_nonnull (function);
  return function;
}

void
fake_cupti_use (void)
{
  g_autofree char *path = fake_cupti_dup_path ("");
  void *handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);

  g_assert_nonnull (handle);
  g_setenv ("STRIDEWEAVE_CUPTI", path, TRUE);
  fake.reset = look_up (handle, "fake_cupti_reset");
  fake.set_result = look_up (handle, "fake_cupti_set_result");
  fake.set_offset = look_up (handle, "fake_cupti_set_offset");
  fake.now = look_up (handle, "fake_cupti_now");
  fake.is_enabled = look_up (handle, "fake_cupti_is_enabled");
  fake.get_depth = look_up (handle, "fake_cupti_get_depth");
  fake.put = look_up (handle, "fake_cupti_put");
  fake.correlate = look_up (handle, "fake_cupti_correlate");
  fake.set_next = look_up (handle, "fake_cupti_set_next");
  fake.set_dropped = look_up (handle, "fake_cupti_set_dropped");
  fake.complete = look_up (handle, "fake_cupti_complete");
  fake.complete_foreign = look_up (handle, "fake_cupti_complete_foreign");
  fake.reset ();
}

SwMemoryCollector *
fixture_memory (void)
{
  return sw_memory_collector_new (1 << 20, NULL);
}

SwCuptiCollector *
fixture_cupti (SwCollector *target)
{
  g_autoptr (GError) error = NULL;
  SwCuptiCollector *collector = sw_cupti_collector_new (target, &error);

  g_assert_no_error (error);
  return collector;
}

SwTraceContext *
fixture_context (SwCollector *collector,
                 SwTraceVerbosity verbosity)
{
  SwTraceContext *context = sw_trace_context_new ();

  sw_trace_context_set_verbosity (context, verbosity);
  sw_trace_context_set_collector (context, collector);
  sw_trace_context_set_enabled (context, TRUE);
  return context;
}

void
fixture_close (SwCollector *collector)
{
  g_autoptr (GError) error = NULL;

  sw_collector_close (collector, &error);
  g_assert_no_error (error);
}

void
fixture_flush (SwCollector *collector)
{
  g_autoptr (GError) error = NULL;

  sw_collector_flush (collector, &error);
  g_assert_no_error (error);
}

SwTraceEvent *
fixture_find (GPtrArray *events,
              const char *name)
{
  for (guint i = 0; i < events->len; i++)
    if (g_str_equal (sw_trace_event_get_name (g_ptr_array_index (events, i)), name))
      return g_ptr_array_index (events, i);
  g_error ("there is no '%s'", name);
}

guint64
fixture_get_flow (SwTraceEvent *event,
                  const char *step)
{
  g_autoptr (GVariant) flows = sw_trace_event_dup_flows (event);
  const char *found;
  guint64 id;
  gint64 time;

  if (g_variant_n_children (flows) == 0)
    return 0;
  g_assert_cmpuint (g_variant_n_children (flows), ==, 1);
  g_variant_get_child (flows, 0, "(tx&s)", &id, &time, &found);
  g_assert_cmpstr (found, ==, step);
  g_assert_cmpint (time, ==, sw_trace_event_get_start_ns (event));
  return id;
}

static void
put_of_size (gconstpointer record,
             gsize size,
             gsize whole_size)
{
  guint8 whole[256];

  memset (whole, 0xa5, sizeof whole);
  memcpy (whole, record, size);
  fake.put (whole, whole_size);
}

void
put_kernel (const char *name,
            guint32 stream,
            guint64 start,
            guint64 end,
            guint32 correlation)
{
  SwCuptiKernel kernel = { .kind = SW_CUPTI_KIND_CONCURRENT_KERNEL, .context = 1, .stream = stream, .name = name };

  kernel.start = start;
  kernel.end = end;
  kernel.correlation = correlation;
  kernel.registers = 32;
  kernel.grid[0] = 64;
  kernel.grid[1] = kernel.grid[2] = 1;
  kernel.block[0] = 256;
  kernel.block[1] = kernel.block[2] = 1;
  kernel.static_shared_memory = 1024;
  kernel.dynamic_shared_memory = 512;
  put_of_size (&kernel, sizeof kernel, 216);
}

void
put_kernel_on (guint32 device,
               guint32 context,
               guint32 stream,
               guint64 start,
               guint64 end)
{
  SwCuptiKernel kernel = { .kind = SW_CUPTI_KIND_KERNEL, .device = device, .context = context, .stream = stream };

  kernel.start = start;
  kernel.end = end;
  put_of_size (&kernel, sizeof kernel, 144);
}

void
put_memcpy (guint8 copy_kind,
            guint64 bytes,
            guint64 start,
            guint64 end)
{
  SwCuptiPeerMemcpy copy = { .kind = SW_CUPTI_KIND_MEMCPY, .copy_kind = copy_kind, .from_kind = 1, .to_kind = 3 };
  gboolean is_peer = copy_kind == 10;

  copy.bytes = bytes;
  copy.start = start;
  copy.end = end;
  copy.context = 1;
  copy.stream = 7;
  /* Of one that is not between devices, what is there is its correlation. */
  copy.from_device = is_peer ? 2 : 0;
  copy.to_device = 3;
  if (is_peer)
    copy.kind = SW_CUPTI_KIND_MEMCPY2;
  put_of_size (&copy, sizeof copy, 96);
}

void
put_memset (guint64 bytes,
            guint64 start,
            guint64 end)
{
  SwCuptiMemset set = { .kind = SW_CUPTI_KIND_MEMSET, .value = 0xff, .bytes = bytes, .context = 1, .stream = 7 };

  set.start = start;
  set.end = end;
  put_of_size (&set, sizeof set, 88);
}

void
put_overhead (guint32 kind,
              guint64 start,
              guint64 end)
{
  SwCuptiOverhead overhead = { .kind = SW_CUPTI_KIND_OVERHEAD, .overhead_kind = kind, .start = start, .end = end };

  put_of_size (&overhead, sizeof overhead, 56);
}

void
launch (const char *name,
        guint32 stream,
        guint64 start,
        guint64 end)
{
  static guint32 last_correlation;
  /* Relaxed: the numbers only have to differ. */
  guint32 correlation = __atomic_add_fetch (&last_correlation, 1, __ATOMIC_RELAXED);

  fake.correlate (correlation);
  put_kernel (name, stream, start, end, correlation);
}
