/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "sw-profiler/operation/sw-event-source-private.h"
#include "sw-profiler/operation/sw-type-name.h"

/* Events that a test makes up, in blocks of the sizes that it wants. */
typedef struct
{
  GArray *start, *duration, *self; /* of gint64 */
  GArray *parent, *site, *shapes;  /* of guint32 */
  GArray *sites;                   /* of SwEventSite */
  GPtrArray *texts;                /* what the sites' names point to */
  GPtrArray *shapes_by_id;
  GArray *block_ends; /* of gsize */
  gboolean records_shapes;
  guint64 n_dropped;
} FakeEvents;

static inline void
fake_events_unref_shapes (gpointer shapes)
{
  if (shapes != NULL)
    sw_input_shapes_unref (shapes);
}

static inline FakeEvents *
fake_events_new (void)
{
  FakeEvents *self = g_new0 (FakeEvents, 1);

  self->start = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->duration = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->self = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->parent = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->site = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->shapes = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->sites = g_array_new (FALSE, FALSE, sizeof (SwEventSite));
  self->texts = g_ptr_array_new_with_free_func (g_free);
  self->shapes_by_id = g_ptr_array_new_with_free_func (fake_events_unref_shapes);
  g_ptr_array_add (self->shapes_by_id, NULL);
  self->block_ends = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->records_shapes = TRUE;
  return self;
}

static inline void
fake_events_free (FakeEvents *self)
{
  g_array_unref (self->start);
  g_array_unref (self->duration);
  g_array_unref (self->self);
  g_array_unref (self->parent);
  g_array_unref (self->site);
  g_array_unref (self->shapes);
  g_array_unref (self->sites);
  g_ptr_array_unref (self->texts);
  g_ptr_array_unref (self->shapes_by_id);
  g_array_unref (self->block_ends);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (FakeEvents, fake_events_free)

/* Always at another address, even for a text that another site has. */
static inline guint32
fake_events_add_site (FakeEvents *self,
                      const char *name,
                      GType carrier_type,
                      GType implementation_type)
{
  SwEventSite site = { g_strdup (name), carrier_type, implementation_type };

  g_ptr_array_add (self->texts, (gpointer) site.name);
  g_array_append_val (self->sites, site);
  return self->sites->len - 1;
}

static inline guint32
fake_events_add_shapes (FakeEvents *self,
                        const gint64 *tokens,
                        gsize n_tokens)
{
  SwInputShapes *shapes = sw_input_shapes_new_from_tokens (tokens, n_tokens, NULL);

  g_assert_nonnull (shapes);
  g_ptr_array_add (self->shapes_by_id, shapes);
  return self->shapes_by_id->len - 1;
}

static inline void
fake_events_add (FakeEvents *self,
                 guint32 site,
                 guint32 shapes,
                 guint32 parent,
                 gint64 start,
                 gint64 duration,
                 gint64 self_time,
                 gboolean succeeded)
{
  if (!succeeded)
    site |= SW_EVENT_FAILED;
  g_array_append_val (self->site, site);
  g_array_append_val (self->shapes, shapes);
  g_array_append_val (self->parent, parent);
  g_array_append_val (self->start, start);
  g_array_append_val (self->duration, duration);
  g_array_append_val (self->self, self_time);
}

static inline void
fake_events_end_block (FakeEvents *self)
{
  gsize end = self->site->len;
  gsize last = self->block_ends->len > 0 ? g_array_index (self->block_ends, gsize, self->block_ends->len - 1) : 0;

  if (end > last)
    g_array_append_val (self->block_ends, end);
}

static inline void
fake_events_get_block (gconstpointer data,
                       gsize index,
                       SwEventBlock *block)
{
  const FakeEvents *self = data;
  gsize first = index > 0 ? g_array_index (self->block_ends, gsize, index - 1) : 0;

  block->first = first;
  block->n = g_array_index (self->block_ends, gsize, index) - first;
  block->start_ns = &g_array_index (self->start, gint64, first);
  block->duration_ns = &g_array_index (self->duration, gint64, first);
  block->self_ns = &g_array_index (self->self, gint64, first);
  block->parent = &g_array_index (self->parent, guint32, first);
  block->site = &g_array_index (self->site, guint32, first);
  block->shapes = self->records_shapes ? &g_array_index (self->shapes, guint32, first) : NULL;
}

/* Ends the last block. */
static inline SwEventSource
fake_events_get_source (FakeEvents *self)
{
  fake_events_end_block (self);
  return (SwEventSource){
    .n_events = self->site->len,
    .n_dropped = self->n_dropped,
    .n_blocks = self->block_ends->len,
    .get_block = fake_events_get_block,
    .data = self,
    .sites = &g_array_index (self->sites, SwEventSite, 0),
    .n_sites = self->sites->len,
    .shapes = (SwInputShapes *const *) self->shapes_by_id->pdata,
    .n_shapes = self->shapes_by_id->len,
    .thread_id = G_MAXUINT64 - 5,
    .identity = { .thread_name = "" },
  };
}

/* Types that only have a name. */
static inline GType
fake_type (const char *name)
{
  GType type = g_type_from_name (name);

  if (type != 0)
    return type;
  return g_type_register_static_simple (G_TYPE_OBJECT, name, sizeof (GObjectClass), NULL, sizeof (GObject), NULL, 0);
}

/* Names as only an enemy gives them. */
static const char *const hostile_names[] = {
  "",
  " ",
  "\"",
  "\\",
  "'",
  "a\nb\r\tc",
  "\x01\x1b[31m\x7f",
  "\xff\xfe\xc3",
  "\xe2\x82",
  "{\"name\":\"relu\",\"id\":3}",
  "(2, None)",
  "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
  "\xe2\x80\xa8\xe2\x80\xa9\xc2\x85",
  "\xe2\x80\xae"
  "ulev",
  "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac",
  "%s%n%d",
};

/* Some 4096 bytes that end in @end. */
static inline char *
fake_long_name (const char *end)
{
  GString *name = g_string_new (NULL);

  while (name->len < 4096 - strlen (end))
    g_string_append_c (name, 'a' + name->len % 26);
  g_string_append (name, end);
  return g_string_free (name, FALSE);
}

static inline gint64
fake_random_time (void)
{
  return ((gint64) g_test_rand_int_range (0, 1 << 20) << 20) + g_test_rand_int_range (0, 1 << 20);
}

/* Sites with names that are nice and names that are not, on types that share displayed names, with failed events and
 * parents anywhere. */
static inline FakeEvents *
fake_events_new_random (gsize n_events)
{
  FakeEvents *self = fake_events_new ();
  const GType carriers[] = { fake_type ("SwFakeGeneric"), fake_type ("FakeCarrier"), fake_type ("FakeTwinB"), fake_type ("FakeTwinA") };
  const GType implementations[] = { fake_type ("SwFakeReLUOperation"), fake_type ("FakeOperation") };
  guint n_sites = g_test_rand_int_range (1, 80);

  sw_profiler_set_type_name (carriers[2], "module.Twin");
  sw_profiler_set_type_name (carriers[3], "module.Twin");
  for (guint i = 0; i < n_sites; i++)
    {
      g_autofree char *name = NULL;

      switch (g_test_rand_int_range (0, 3))
        {
        case 0:
          name = g_strdup (hostile_names[g_test_rand_int_range (0, G_N_ELEMENTS (hostile_names))]);
          break;
        case 1:
          name = fake_long_name (g_test_rand_bit () ? "x" : "y");
          break;
        default:
          name = g_strdup (g_test_rand_bit () ? "relu" : "matmul");
        }
      fake_events_add_site (self, name, carriers[g_test_rand_int_range (0, 4)], implementations[g_test_rand_int_range (0, 2)]);
    }
  /* Twice each: equal shapes under two ids are one key. */
  for (guint i = 0; i < 16; i++)
    {
      fake_events_add_shapes (self, (const gint64[]){ -4, -4, 2, -3, 1 + i / 2, -1 }, 6);
      fake_events_add_shapes (self, (const gint64[]){ -3, -3, 1 + i / 2 }, 3);
    }
  for (gsize i = 0; i < n_events; i++)
    {
      guint32 parent = i > 0 && g_test_rand_bit () ? (guint32) g_test_rand_int_range (0, i) : SW_EVENT_NO_PARENT;

      fake_events_add (self, g_test_rand_int_range (0, n_sites), g_test_rand_int_range (0, self->shapes_by_id->len),
                       parent, fake_random_time (), fake_random_time (), fake_random_time (), g_test_rand_bit ());
      if (g_test_rand_int_range (0, 50) == 0)
        fake_events_end_block (self);
    }
  return self;
}
