/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events as columns that say what they are. */
#include "config.h"

#include "sw-profiler/operation/sw-event-source-private.h"

#include "sw-profiler/operation/sw-profiler-columns-private.h"

/* In the order of an event's fields. */
enum
{
  FIELD_ID,
  FIELD_PARENT_ID,
  FIELD_NAME,
  FIELD_CARRIER_TYPE,
  FIELD_IMPLEMENTATION_TYPE,
  FIELD_INPUT_SHAPES,
  FIELD_START_TIME_NS,
  FIELD_DURATION_NS,
  FIELD_SELF_TIME_NS,
  FIELD_THREAD_ID,
  FIELD_SUCCEEDED,
  N_FIELDS,
};

static const SwColumnSpec fields[N_FIELDS] = {
  [FIELD_ID] = { "id", SW_COLUMN_KIND_INT32 },
  [FIELD_PARENT_ID] = { "parent_id", SW_COLUMN_KIND_INT32 },
  [FIELD_NAME] = { "name", SW_COLUMN_KIND_LABEL },
  [FIELD_CARRIER_TYPE] = { "carrier_type", SW_COLUMN_KIND_LABEL },
  [FIELD_IMPLEMENTATION_TYPE] = { "implementation_type", SW_COLUMN_KIND_LABEL },
  [FIELD_INPUT_SHAPES] = { "input_shapes", SW_COLUMN_KIND_LABEL },
  [FIELD_START_TIME_NS] = { "start_time_ns", SW_COLUMN_KIND_INT64 },
  [FIELD_DURATION_NS] = { "duration_ns", SW_COLUMN_KIND_INT64 },
  [FIELD_SELF_TIME_NS] = { "self_time_ns", SW_COLUMN_KIND_INT64 },
  [FIELD_THREAD_ID] = { "thread_id", SW_COLUMN_KIND_UINT64 },
  [FIELD_SUCCEEDED] = { "succeeded", SW_COLUMN_KIND_BOOL },
};

/* Where the columns are, and which labels the sites and shapes of a source have. */
typedef struct
{
  guint8 *values[N_FIELDS];
  gsize strides[N_FIELDS];
  gint32 *site_labels; /* of name, carrier and implementation of each site */
  gint32 *shape_labels;
} EventTable;

#define put(table, field, type, row, value) \
  (*(type *) (gpointer) ((table)->values[field] + (row) * (table)->strides[field]) = (type) (value))

/* What tells a type from others, also those of other types that are called the same. */
static char *
make_type_key (GType type,
               const char *name)
{
  return g_strdup_printf ("%" G_GSIZE_FORMAT " %s", (gsize) type, name);
}

static void
label_sites (EventTable *self,
             const SwEventSource *source,
             SwProfilerColumns *columns)
{
  SwLabels labels[3];

  for (guint i = 0; i < 3; i++)
    sw_labels_init (&labels[i]);
  self->site_labels = g_new (gint32, 3 * source->n_sites + 1);
  for (gsize i = 0; i < source->n_sites; i++)
    {
      const SwEventSite *site = &source->sites[i];
      const char *carrier = sw_event_site_get_carrier_name (site);
      const char *implementation = sw_event_site_get_implementation_name (site);
      g_autofree char *carrier_key = make_type_key (site->carrier_type, site->carrier_key != NULL ? site->carrier_key : carrier);
      g_autofree char *implementation_key = make_type_key (site->implementation_type, implementation);

      self->site_labels[3 * i] = sw_labels_add (&labels[0], site->name, site->name);
      self->site_labels[3 * i + 1] = sw_labels_add (&labels[1], carrier_key, carrier);
      self->site_labels[3 * i + 2] = sw_labels_add (&labels[2], implementation_key, implementation);
    }
  sw_profiler_columns_take_labels (columns, FIELD_NAME, &labels[0]);
  sw_profiler_columns_take_labels (columns, FIELD_CARRIER_TYPE, &labels[1]);
  sw_profiler_columns_take_labels (columns, FIELD_IMPLEMENTATION_TYPE, &labels[2]);
}

static void
label_shapes (EventTable *self,
              const SwEventSource *source,
              SwProfilerColumns *columns)
{
  GPtrArray *shapes = g_ptr_array_new_with_free_func ((GDestroyNotify) sw_input_shapes_unref);
  SwLabels labels;

  sw_labels_init (&labels);
  self->shape_labels = g_new (gint32, source->n_shapes + 1);
  self->shape_labels[0] = -1;
  for (gsize i = 1; i < source->n_shapes; i++)
    {
      g_autofree char *text = sw_input_shapes_to_string (source->shapes[i]);

      self->shape_labels[i] = sw_labels_add (&labels, text, text);
      if (self->shape_labels[i] == (gint32) shapes->len)
        g_ptr_array_add (shapes, sw_input_shapes_ref (source->shapes[i]));
    }
  sw_profiler_columns_take_labels (columns, FIELD_INPUT_SHAPES, &labels);
  sw_profiler_columns_take_shapes (columns, shapes);
}

static void
put_rows (const EventTable *self,
          const SwEventBlock *block,
          guint64 thread_id)
{
  for (gsize i = 0; i < block->n; i++)
    {
      gsize row = block->first + i;
      const gint32 *labels = &self->site_labels[3 * (gsize) (block->site[i] & ~SW_EVENT_FAILED)];

      put (self, FIELD_ID, gint32, row, row);
      put (self, FIELD_PARENT_ID, gint32, row, block->parent[i]);
      put (self, FIELD_NAME, gint32, row, labels[0]);
      put (self, FIELD_CARRIER_TYPE, gint32, row, labels[1]);
      put (self, FIELD_IMPLEMENTATION_TYPE, gint32, row, labels[2]);
      put (self, FIELD_INPUT_SHAPES, gint32, row, block->shapes != NULL ? self->shape_labels[block->shapes[i]] : -1);
      put (self, FIELD_START_TIME_NS, gint64, row, block->start_ns[i]);
      put (self, FIELD_DURATION_NS, gint64, row, block->duration_ns[i]);
      put (self, FIELD_SELF_TIME_NS, gint64, row, block->self_ns[i]);
      put (self, FIELD_THREAD_ID, guint64, row, thread_id);
      put (self, FIELD_SUCCEEDED, guint8, row, (block->site[i] & SW_EVENT_FAILED) == 0);
    }
}

/* No parent is -1 in both. */
G_STATIC_ASSERT ((gint32) SW_EVENT_NO_PARENT == -1);

SwProfilerColumns *
sw_event_source_tabulate_events (const SwEventSource *self,
                                 SwColumnOrder order)
{
  SwProfilerColumns *columns = sw_profiler_columns_new (fields, N_FIELDS, self->n_events, order);
  EventTable table;

  for (guint field = 0; field < N_FIELDS; field++)
    table.values[field] = sw_profiler_columns_get_values (columns, field, &table.strides[field]);
  label_sites (&table, self, columns);
  label_shapes (&table, self, columns);
  for (gsize k = 0; k < self->n_blocks; k++)
    {
      SwEventBlock block;

      self->get_block (self->data, k, &block);
      put_rows (&table, &block, self->thread_id);
    }
  g_free (table.site_labels);
  g_free (table.shape_labels);
  return columns;
}
