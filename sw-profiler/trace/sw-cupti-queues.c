/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-queues-private.h"

typedef struct
{
  guint32 device;
  guint32 context;
  guint32 stream;
  gboolean is_rest; /* of all streams of the device that have no lane of their own */
} Key;

static guint
hash_key (gconstpointer data)
{
  const Key *key = data;

  return (key->device * 31 + key->context) * 1009 + key->stream + (guint) key->is_rest;
}

static gboolean
equal_keys (gconstpointer a,
            gconstpointer b)
{
  const Key *x = a;
  const Key *y = b;

  return x->device == y->device && x->context == y->context && x->stream == y->stream && x->is_rest == y->is_rest;
}

static void
unref_lane (gpointer data)
{
  sw_lane_unref (data);
}

void
sw_cupti_queues_init (SwCuptiQueues *self)
{
  self->lanes = g_hash_table_new_full (hash_key, equal_keys, g_free, unref_lane);
  self->contexts = g_hash_table_new (NULL, NULL);
}

void
sw_cupti_queues_clear (SwCuptiQueues *self)
{
  g_hash_table_unref (self->lanes);
  g_hash_table_unref (self->contexts);
}

/* Nearly always a device has one context, which then needs no mention. */
static gboolean
is_first_context (SwCuptiQueues *self,
                  const Key *key)
{
  gpointer device = GUINT_TO_POINTER (key->device);
  gpointer first = NULL;

  if (g_hash_table_lookup_extended (self->contexts, device, NULL, &first))
    return GPOINTER_TO_UINT (first) == key->context;
  if (g_hash_table_size (self->contexts) < SW_CUPTI_MAX_QUEUES)
    g_hash_table_insert (self->contexts, device, GUINT_TO_POINTER (key->context));
  return TRUE;
}

static SwLane *
add (SwCuptiQueues *self,
     const Key *key)
{
  g_autofree char *name = NULL;
  SwLane *lane;

  if (key->is_rest)
    name = g_strdup_printf ("GPU %u · other streams", key->device);
  else if (is_first_context (self, key))
    name = g_strdup_printf ("GPU %u · stream %u", key->device, key->stream);
  else
    name = g_strdup_printf ("GPU %u · context %u · stream %u", key->device, key->context, key->stream);
  lane = sw_lane_new_for_queue (name);
  g_hash_table_insert (self->lanes, g_memdup2 (key, sizeof *key), lane);
  return lane;
}

SwLane *
sw_cupti_queues_get (SwCuptiQueues *self,
                     guint32 device,
                     guint32 context,
                     guint32 stream)
{
  Key key = { .device = device, .context = context, .stream = stream };
  SwLane *lane = g_hash_table_lookup (self->lanes, &key);

  if (lane != NULL)
    return lane;
  if (g_hash_table_size (self->lanes) >= SW_CUPTI_MAX_QUEUES)
    {
      key = (Key){ .device = device, .is_rest = TRUE };
      lane = g_hash_table_lookup (self->lanes, &key);
    }
  return lane != NULL ? lane : add (self, &key);
}
