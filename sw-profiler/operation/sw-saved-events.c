/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-saved-events-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu-operations.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/carriers/evictable/sw-evictable-operation.h"
#include "sw/carriers/evictable/sw-evictable.h"
#include "sw/carriers/file-backed/sw-file-backed.h"
#include "sw/carriers/generic/sw-generic-operations.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/operations/sw-operation.h"

/* The fewest bytes that one of these can have. */
#define MIN_SITE_SIZE 5
#define MIN_SHAPES_SIZE 2
#define MIN_EVENT_SIZE 5
#define MAX_EVENTS (SW_EVENT_FAILED - 1)

struct _SwSavedEvents
{
  gboolean record_shapes;
  guint64 thread_id;
  guint64 n_dropped;
  guint64 n_clock_faults;
  SwEventIdentity identity;
  gsize n_events;
  gint64 *start;
  gint64 *duration;
  gint64 *self;
  guint32 *parent;
  guint32 *site;
  guint32 *shapes; /* NULL when none were recorded */
  GArray *sites;   /* of SwEventSite */
  GPtrArray *texts;
  GPtrArray *shapes_by_id;
};

/* What is left of a file. */
typedef struct
{
  const guint8 *at;
  gsize n_left;
  const char *fault; /* the first one */
} Reader;

void
sw_saved_events_free (SwSavedEvents *self)
{
  g_free (self->start);
  g_free (self->duration);
  g_free (self->self);
  g_free (self->parent);
  g_free (self->site);
  g_free (self->shapes);
  g_array_unref (self->sites);
  g_ptr_array_unref (self->texts);
  g_ptr_array_unref (self->shapes_by_id);
  g_free (self);
}

static void
unref_shapes (gpointer shapes)
{
  /* Place 0 is empty. */
  if (shapes != NULL)
    sw_input_shapes_unref (shapes);
}

static SwSavedEvents *
saved_events_new (void)
{
  SwSavedEvents *self = g_new0 (SwSavedEvents, 1);

  self->sites = g_array_new (FALSE, FALSE, sizeof (SwEventSite));
  self->texts = g_ptr_array_new_with_free_func (g_free);
  self->shapes_by_id = g_ptr_array_new_with_free_func (unref_shapes);
  g_ptr_array_add (self->shapes_by_id, NULL);
  return self;
}

/* --- Reading parts of a file --- */

static gboolean
set_fault (Reader *self,
           const char *fault)
{
  if (self->fault == NULL)
    self->fault = fault;
  return FALSE;
}

/* An integer of at most @max, in as few bytes as it needs. */
static gboolean
read_uint (Reader *self,
           guint64 max,
           guint64 *value)
{
  guint shift = 0;
  guint8 byte;

  *value = 0;
  do
    {
      if (self->n_left == 0)
        return set_fault (self, "it ends too early");
      byte = *self->at++;
      self->n_left--;
      if (shift == 63 && byte > 1)
        return set_fault (self, "a number is too large");
      *value |= (guint64) (byte & 0x7f) << shift;
      shift += 7;
    }
  while ((byte & 0x80) != 0);
  if (byte == 0 && shift > 7)
    return set_fault (self, "a number is longer than it needs to be");
  return *value <= max || set_fault (self, "a number is too large");
}

static gint64
unfold (guint64 value)
{
  return (gint64) ((value >> 1) ^ ((value & 1) != 0 ? G_MAXUINT64 : 0));
}

/* How many of what has at least @min_size bytes each. No more than are there, so that nobody makes room for them. */
static gboolean
read_count (Reader *self,
            gsize min_size,
            guint64 *count)
{
  return read_uint (self, G_MAXUINT64, count) && (*count <= self->n_left / min_size || set_fault (self, "it ends too early"));
}

static const char *
read_text (Reader *self,
           SwSavedEvents *events)
{
  guint64 length;
  char *text;

  if (!read_count (self, 1, &length))
    return NULL;
  if (memchr (self->at, '\0', length) != NULL)
    {
      set_fault (self, "a text holds a NUL");
      return NULL;
    }
  text = g_strndup ((const char *) self->at, length);
  self->at += length;
  self->n_left -= length;
  g_ptr_array_add (events->texts, text);
  return text;
}

/* The type of that name, if this process has it and it is what it should be; else the base class. */
static GType
resolve (const char *type_name,
         GType base)
{
  GType type = g_type_from_name (type_name);

  return type != G_TYPE_INVALID && g_type_is_a (type, base) ? type : base;
}

static gboolean
read_site (Reader *self,
           SwSavedEvents *events)
{
  SwEventSite site = { 0 };

  if ((site.name = read_text (self, events)) == NULL ||
      (site.carrier_name = read_text (self, events)) == NULL ||
      (site.carrier_key = read_text (self, events)) == NULL ||
      (site.implementation_name = read_text (self, events)) == NULL ||
      (site.implementation_key = read_text (self, events)) == NULL)
    return FALSE;
  site.carrier_type = resolve (site.carrier_key, SW_TYPE_CARRIER);
  site.implementation_type = resolve (site.implementation_key, SW_TYPE_OPERATION);
  g_array_append_val (events->sites, site);
  return TRUE;
}

static gboolean
read_shapes (Reader *self,
             SwSavedEvents *events)
{
  g_autofree gint64 *tokens = NULL;
  SwInputShapes *shapes;
  guint64 n_tokens;

  if (!read_count (self, 1, &n_tokens))
    return FALSE;
  tokens = g_try_new (gint64, n_tokens + 1);
  if (tokens == NULL)
    return set_fault (self, "there is no memory for its shapes");
  for (guint64 i = 0; i < n_tokens; i++)
    {
      guint64 token;

      if (!read_uint (self, G_MAXUINT64, &token))
        return FALSE;
      tokens[i] = unfold (token);
    }
  shapes = sw_input_shapes_new_from_tokens (tokens, n_tokens, NULL);
  if (shapes == NULL)
    return set_fault (self, "a shape is none");
  g_ptr_array_add (events->shapes_by_id, shapes);
  return TRUE;
}

static gboolean
read_event (Reader *self,
            SwSavedEvents *events,
            guint32 id,
            guint64 last_start)
{
  guint64 start, duration, hidden, distance, site, shapes;

  if (!read_uint (self, G_MAXUINT64, &start) ||
      !read_uint (self, G_MAXINT64, &duration) ||
      !read_uint (self, duration, &hidden) ||
      !read_uint (self, id, &distance) ||
      !read_uint (self, 2 * (guint64) events->sites->len - 1, &site))
    return FALSE;
  events->start[id] = (gint64) (last_start + (guint64) unfold (start));
  events->duration[id] = (gint64) duration;
  events->self[id] = (gint64) (duration - hidden);
  events->parent[id] = distance == 0 ? SW_EVENT_NO_PARENT : id - (guint32) distance;
  events->site[id] = (guint32) (site / 2) | ((site & 1) != 0 ? SW_EVENT_FAILED : 0);
  if (events->start[id] > G_MAXINT64 - events->duration[id])
    return set_fault (self, "an event ends beyond all time");
  if (events->shapes == NULL)
    return TRUE;
  if (!read_uint (self, events->shapes_by_id->len - 1, &shapes))
    return FALSE;
  events->shapes[id] = (guint32) shapes;
  return TRUE;
}

static gboolean
allocate_events (SwSavedEvents *self)
{
  gsize n = self->n_events + 1;

  self->start = g_try_new (gint64, n);
  self->duration = g_try_new (gint64, n);
  self->self = g_try_new (gint64, n);
  self->parent = g_try_new (guint32, n);
  self->site = g_try_new (guint32, n);
  self->shapes = self->record_shapes ? g_try_new (guint32, n) : NULL;
  return self->start != NULL && self->duration != NULL && self->self != NULL && self->parent != NULL &&
         self->site != NULL && (self->shapes != NULL || !self->record_shapes);
}

static gboolean
read_events (Reader *self,
             SwSavedEvents *events)
{
  guint64 last_start = 0;

  if (events->n_events > MAX_EVENTS || (events->sites->len == 0 && events->n_events > 0))
    return set_fault (self, "a number is too large");
  if (!allocate_events (events))
    return set_fault (self, "there is no memory for its events");
  for (guint32 id = 0; id < events->n_events; id++)
    {
      if (!read_event (self, events, id, last_start))
        return FALSE;
      last_start = (guint64) events->start[id];
    }
  return self->n_left == 0 || set_fault (self, "more follows the last event");
}

static gboolean
read_int (Reader *self,
          gint64 *value)
{
  guint64 folded;

  if (!read_uint (self, G_MAXUINT64, &folded))
    return FALSE;
  *value = unfold (folded);
  return TRUE;
}

static gboolean
read_identity (Reader *self,
               SwSavedEvents *events)
{
  SwEventIdentity *identity = &events->identity;

  if (!read_int (self, &identity->process_id) ||
      !read_int (self, &identity->thread_id) ||
      !read_int (self, &identity->wall_offset_ns) ||
      !read_uint (self, G_MAXUINT64, &identity->session_id[0]) ||
      !read_uint (self, G_MAXUINT64, &identity->session_id[1]))
    return FALSE;
  identity->thread_name = read_text (self, events);
  return identity->thread_name != NULL;
}

static gboolean
read_all (Reader *self,
          SwSavedEvents *events)
{
  guint64 flags, n_sites, n_shapes, n_events;

  if (!read_uint (self, SW_SAVED_SHAPES, &flags) ||
      !read_uint (self, G_MAXUINT64, &events->thread_id) ||
      !read_uint (self, G_MAXUINT64, &events->n_dropped) ||
      !read_uint (self, G_MAXUINT64, &events->n_clock_faults) ||
      !read_identity (self, events) ||
      !read_count (self, MIN_SITE_SIZE, &n_sites) ||
      !read_count (self, MIN_SHAPES_SIZE, &n_shapes) ||
      !read_count (self, MIN_EVENT_SIZE, &n_events))
    return FALSE;
  events->record_shapes = (flags & SW_SAVED_SHAPES) != 0;
  events->n_events = n_events;
  if (n_sites > MAX_EVENTS || n_shapes > MAX_EVENTS)
    return set_fault (self, "a number is too large");
  for (guint64 i = 0; i < n_sites; i++)
    {
      if (!read_site (self, events))
        return FALSE;
    }
  for (guint64 i = 0; i < n_shapes; i++)
    {
      if (!read_shapes (self, events))
        return FALSE;
    }
  return read_events (self, events);
}

/* --- Reading the file --- */

static void
set_io_error (GError **error,
              const char *path,
              const char *reason)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, SW_ERROR, SW_ERROR_IO, "cannot read '%s': %s", name, reason);
}

static void
set_value_error (GError **error,
                 const char *path,
                 const char *reason)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "path is '%s', which %s", name, reason);
}

/* As many bytes as there are, up to @n_bytes; -1 after a failure. */
static gssize
read_bytes (int fd,
            guint8 *bytes,
            gsize n_bytes)
{
  gsize n_read = 0;

  while (n_read < n_bytes)
    {
      gssize n = read (fd, bytes + n_read, n_bytes - n_read);

      if (n == 0)
        break;
      if (n < 0 && errno != EINTR)
        return -1;
      n_read += n > 0 ? (gsize) n : 0;
    }
  return (gssize) n_read;
}

static guint32
read_uint32 (const guint8 *bytes)
{
  guint32 little;

  memcpy (&little, bytes, sizeof little);
  return GUINT32_FROM_LE (little);
}

/* Before the rest is read: a foreign file may be large. */
static gboolean
check_header (const guint8 *header,
              gssize n_bytes,
              const char *path,
              GError **error)
{
  g_autofree char *reason = NULL;

  if (n_bytes < SW_SAVED_HEADER_SIZE || memcmp (header, SW_SAVED_MAGIC, SW_SAVED_MAGIC_SIZE) != 0)
    {
      set_value_error (error, path, "holds no saved Profiler");
      return FALSE;
    }
  if (read_uint32 (header + SW_SAVED_MAGIC_SIZE) == SW_SAVED_VERSION)
    return TRUE;
  reason = g_strdup_printf ("holds a Profiler in version %" G_GUINT32_FORMAT " of the format; this library knows version %d",
                            read_uint32 (header + SW_SAVED_MAGIC_SIZE), SW_SAVED_VERSION);
  set_value_error (error, path, reason);
  return FALSE;
}

/* All of an open file; NULL with an error. */
static guint8 *
read_file (int fd,
           const char *path,
           gsize *n_bytes,
           GError **error)
{
  g_autofree guint8 *bytes = NULL;
  guint8 header[SW_SAVED_HEADER_SIZE];
  struct stat info;
  gssize n;

  if (fstat (fd, &info) != 0)
    {
      set_io_error (error, path, g_strerror (errno));
      return NULL;
    }
  /* What has no end cannot be read to it. */
  if (!S_ISREG (info.st_mode))
    {
      set_io_error (error, path, "it is no regular file");
      return NULL;
    }
  n = read_bytes (fd, header, sizeof header);
  if (n < 0)
    {
      set_io_error (error, path, g_strerror (errno));
      return NULL;
    }
  if (!check_header (header, n, path, error))
    return NULL;
  *n_bytes = MAX ((gsize) info.st_size, sizeof header);
  bytes = g_try_malloc (*n_bytes);
  if (bytes == NULL)
    {
      set_io_error (error, path, "there is no memory for it");
      return NULL;
    }
  memcpy (bytes, header, sizeof header);
  n = read_bytes (fd, bytes + sizeof header, *n_bytes - sizeof header);
  if (n < 0)
    {
      set_io_error (error, path, g_strerror (errno));
      return NULL;
    }
  *n_bytes = sizeof header + (gsize) n;
  return g_steal_pointer (&bytes);
}

/* GObject knows types that were used before; those of the library may be asked for by their names at any time. */
static void
know_own_types (void)
{
  g_type_ensure (SW_TYPE_GENERIC);
  g_type_ensure (SW_TYPE_CPU);
  g_type_ensure (SW_TYPE_FILE_BACKED);
  g_type_ensure (SW_TYPE_EVICTABLE);
  g_type_ensure (SW_TYPE_EVICTABLE_OPERATION);
#define SW_OPERATION(ID, dispatch_name, ClassStem, class_stem, FAMILY, RESULT_DTYPE, flags) \
  g_type_ensure (sw_generic_##class_stem##_operation_get_type ());                          \
  g_type_ensure (sw_cpu_##class_stem##_operation_get_type ());
#include "sw/operations/sw-operation-table.h"
#undef SW_OPERATION
}

static SwSavedEvents *
parse (const guint8 *bytes,
       gsize n_bytes,
       const char *path,
       GError **error)
{
  gsize n_summed = n_bytes - SW_SAVED_CHECKSUM_SIZE;
  Reader reader = { bytes + SW_SAVED_HEADER_SIZE, n_summed - SW_SAVED_HEADER_SIZE, NULL };
  g_autoptr (SwSavedEvents) events = NULL;
  g_autofree char *reason = NULL;

  if (n_bytes < SW_SAVED_HEADER_SIZE + SW_SAVED_CHECKSUM_SIZE)
    reader.fault = "it ends too early";
  else if (sw_saved_checksum (0, bytes, n_summed) != read_uint32 (bytes + n_summed))
    reader.fault = "its checksum is another one";
  if (reader.fault == NULL)
    {
      know_own_types ();
      events = saved_events_new ();
      if (read_all (&reader, events))
        return g_steal_pointer (&events);
    }
  reason = g_strdup_printf ("holds a damaged Profiler: %s", reader.fault);
  set_value_error (error, path, reason);
  return NULL;
}

SwSavedEvents *
sw_saved_events_load (const char *path,
                      GError **error)
{
  /* Not blocking: it may be a pipe. */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  g_autofree guint8 *bytes = NULL;
  gsize n_bytes;

  if (fd < 0)
    {
      set_io_error (error, path, g_strerror (errno));
      return NULL;
    }
  bytes = read_file (fd, path, &n_bytes, error);
  close (fd);
  return bytes != NULL ? parse (bytes, n_bytes, path, error) : NULL;
}

static void
get_block (gconstpointer data,
           gsize index,
           SwEventBlock *block)
{
  const SwSavedEvents *self = data;

  *block = (SwEventBlock){ 0, self->n_events, self->start, self->duration, self->self, self->parent, self->site, self->shapes };
}

void
sw_saved_events_init_source (SwSavedEvents *self,
                             SwEventSource *source)
{
  *source = (SwEventSource){
    .n_events = self->n_events,
    .n_dropped = self->n_dropped,
    .n_clock_faults = self->n_clock_faults,
    .n_blocks = self->n_events > 0 ? 1 : 0,
    .get_block = get_block,
    .data = self,
    .sites = (const SwEventSite *) (gpointer) self->sites->data,
    .n_sites = self->sites->len,
    .shapes = (SwInputShapes *const *) self->shapes_by_id->pdata,
    .n_shapes = self->shapes_by_id->len,
    .thread_id = self->thread_id,
    .identity = self->identity,
  };
}

gboolean
sw_saved_events_get_record_shapes (SwSavedEvents *self)
{
  return self->record_shapes;
}
