/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/file-backed/sw-file-backed.h"

#include "sw/base/sw-error.h"
#include "sw/base/sw-note-private.h"
#include "sw/carriers/file-backed/sw-scratch-private.h"
#include "sw/tensor/sw-carrier-private.h"
#include "sw/tensor/sw-storage-private.h"
#include "sw/tensor/sw-tensor-private.h"

#include <string.h>
#include <unistd.h>

/**
 * SwFileBacked:
 *
 * A carrier that keeps its values in a file, as raw numbers, and does not compute.
 *
 * It begins without values; [func@Strideweave.move] and [class@Strideweave.Evictable] bring some. The files lie in a
 * directory that only this user can enter, one for each process; a file goes with its carrier, or at the latest with
 * its process. A forked child can read the values of its parent's carriers, and does not write or remove them.
 *
 * Any thread may use it.
 */
struct _SwFileBacked
{
  SwCarrier parent_instance;
  char *path;
  pid_t owner;       /* the process that may write and remove the file */
  gboolean has_file; /* there was something to write */
};

G_DEFINE_FINAL_TYPE (SwFileBacked, sw_file_backed, SW_TYPE_CARRIER)

/* What is said of files. Single values are too many for whoever wants to hear of operations only. */
static SwNote read_all_note = { "io", "file.read", SW_NOTE_OPERATIONS, 0 };
static SwNote read_value_note = { "io", "file.read", SW_NOTE_FULL, 0 };
static SwNote write_all_note = { "io", "file.write", SW_NOTE_OPERATIONS, 0 };
static SwNote write_value_note = { "io", "file.write", SW_NOTE_FULL, 0 };
static SwNote reserve_note = { "io", "file.reserve", SW_NOTE_OPERATIONS, 0 };

static SwNoteSpan
begin_note (SwFileBacked *self,
            SwNote *note,
            gsize n_bytes)
{
  const SwNoteArgument arguments[] = { SW_NOTE_BYTES (n_bytes), SW_NOTE_TEXT ("path", self->path) };
  SwNoteSpan span = { 0 };

  if (sw_note_is_wanted (note->level))
    span.token = sw_note_begin (note, arguments, G_N_ELEMENTS (arguments));
  return span;
}

/* Returns @succeeded. */
static gboolean
end_note (SwNoteSpan span,
          gboolean succeeded,
          GError *failure,
          GError **error)
{
  SW_NOTE_END (span, failure);
  if (!succeeded)
    g_propagate_error (error, failure);
  return succeeded;
}

static gboolean
read_file (SwFileBacked *self,
           SwNote *note,
           gint64 offset,
           gpointer data,
           gsize n_bytes,
           GError **error)
{
  SwNoteSpan span = begin_note (self, note, n_bytes);
  GError *failure = NULL;
  gboolean done = sw_scratch_read (self->path, offset, data, n_bytes, &failure);

  return end_note (span, done, failure, error);
}

static gboolean
overwrite_file (SwFileBacked *self,
                gint64 offset,
                gconstpointer data,
                gsize n_bytes,
                GError **error)
{
  SwNoteSpan span = begin_note (self, &write_value_note, n_bytes);
  GError *failure = NULL;
  gboolean done = sw_scratch_overwrite (self->path, offset, data, n_bytes, &failure);

  return end_note (span, done, failure, error);
}

static gboolean
replace_file (SwFileBacked *self,
              gconstpointer data,
              gsize n_bytes,
              gsize n_total,
              GError **error)
{
  SwNoteSpan span = begin_note (self, &write_all_note, n_total);
  GError *failure = NULL;
  gboolean done = sw_scratch_replace (self->path, data, n_bytes, n_total, &failure);

  return end_note (span, done, failure, error);
}

static gboolean
fill_file (SwFileBacked *self,
           gsize n_bytes,
           GError **error)
{
  SwNoteSpan span = begin_note (self, &reserve_note, n_bytes);
  GError *failure = NULL;
  gboolean done = sw_scratch_fill (self->path, n_bytes, &failure);

  return end_note (span, done, failure, error);
}

static gboolean
supports_dtype (SwCarrier *carrier,
                SwDType dtype)
{
  return dtype > SW_DTYPE_INVALID && dtype < SW_DTYPE_ANY;
}

static gboolean
check_dtype (SwDType dtype,
             GError **error)
{
  if (supports_dtype (NULL, dtype))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "dtype is %s, but FileBacked stores numbers only",
               sw_dtype_to_string (dtype));
  return FALSE;
}

static gboolean
check_filename (const char *filename,
                GError **error)
{
  g_autofree char *name = g_filename_display_name (filename);

  if (*filename == '\0' || strcmp (filename, ".") == 0 || strcmp (filename, "..") == 0 ||
      strchr (filename, G_DIR_SEPARATOR) != NULL)
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "filename is '%s', but must be a bare name, without directories", name);
      return FALSE;
    }
  if (g_str_has_prefix (filename, SW_SCRATCH_RESERVED_PREFIX))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "filename is '%s', but names that begin with '%s' are reserved", name,
                   SW_SCRATCH_RESERVED_PREFIX);
      return FALSE;
    }

  return TRUE;
}

static gboolean
check_owner (SwFileBacked *self,
             GError **error)
{
  g_autofree char *name = NULL;

  if (self->owner == getpid ())
    return TRUE;

  name = g_filename_display_name (self->path);
  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "%s belongs to the process %ld, which this one was forked from", name,
               (long) self->owner);
  return FALSE;
}

static SwFileBacked *
new_for_path (char *path,
              gboolean has_file,
              gboolean is_mutable,
              SwDType dtype)
{
  SwFileBacked *self = g_object_new (SW_TYPE_FILE_BACKED, NULL);
  SwCarrierPrivate *priv = sw_carrier_get_private (SW_CARRIER (self));

  priv->dtype = dtype;
  priv->is_mutable = is_mutable;
  self->path = path;
  self->has_file = has_file;
  self->owner = getpid ();
  return self;
}

static SwFileBacked *
new_reserved (gboolean is_mutable,
              SwDType dtype,
              GError **error)
{
  char *path;

  if (!check_dtype (dtype, error))
    return NULL;
  path = sw_scratch_reserve (error);
  return path != NULL ? new_for_path (path, FALSE, is_mutable, dtype) : NULL;
}

/**
 * sw_file_backed_new:
 * @filename: (nullable) (type filename): a bare name for the file, or %NULL for one that no other file has
 * @is_mutable: whether values may be written
 * @dtype: what each value is: any dtype of numbers, or Bool
 * @error: return location for an error
 *
 * Makes a carrier without values, over a new, empty file.
 *
 * Fails with %SW_ERROR_VALUE when @filename is not a bare name or @dtype cannot be stored, and with %SW_ERROR_IO when
 * there is a file of that name already or none can be made.
 *
 * Returns: (transfer full) (type Strideweave.FileBacked): the carrier
 */
SwCarrier *
sw_file_backed_new (const char *filename,
                    gboolean is_mutable,
                    SwDType dtype,
                    GError **error)
{
  g_autoptr (SwFileBacked) self = NULL;
  char *path;

  if (filename == NULL)
    {
      self = new_reserved (is_mutable, dtype, error);
      if (self == NULL || !sw_scratch_touch (self->path, error))
        return NULL;
      self->has_file = TRUE;
      return SW_CARRIER (g_steal_pointer (&self));
    }

  if (!check_dtype (dtype, error) || !check_filename (filename, error))
    return NULL;
  path = sw_scratch_create (filename, error);
  return path != NULL ? SW_CARRIER (new_for_path (path, TRUE, is_mutable, dtype)) : NULL;
}

/**
 * sw_file_backed_get_path:
 * @self: the carrier
 *
 * Tells where the values are kept, one after the other in the machine's own byte order. A carrier that was allocated
 * without values gets its file with the first ones.
 *
 * Returns: (type filename): the absolute path
 */
const char *
sw_file_backed_get_path (SwFileBacked *self)
{
  g_return_val_if_fail (SW_IS_FILE_BACKED (self), NULL);

  return self->path;
}

/* What a dtype means to the functions that make a carrier like another. */
static SwFileBacked *
new_like (SwCarrier *like,
          gboolean is_mutable,
          SwDType dtype,
          GError **error)
{
  return new_reserved (is_mutable, dtype != SW_DTYPE_INVALID ? dtype : sw_carrier_get_private (like)->dtype, error);
}

static SwDType
get_dtype (SwFileBacked *self)
{
  return sw_carrier_get_private (SW_CARRIER (self))->dtype;
}

static gsize
get_item_size (SwFileBacked *self)
{
  return sw_dtype_get_item_size (get_dtype (self));
}

static gint64
sw_file_backed_size (SwCarrier *carrier,
                     GError **error)
{
  /* Acquire: see replace_values (). */
  return __atomic_load_n (&sw_carrier_get_private (carrier)->size, __ATOMIC_ACQUIRE);
}

static SwDType
sw_file_backed_dtype (SwCarrier *carrier,
                      GError **error)
{
  return sw_carrier_get_private (carrier)->dtype;
}

static gboolean
sw_file_backed_is_mutable (SwCarrier *carrier,
                           GError **error)
{
  return sw_carrier_get_private (carrier)->is_mutable;
}

static SwValue *
sw_file_backed_get_value (SwCarrier *carrier,
                          gint64 index,
                          GError **error)
{
  SwFileBacked *self = SW_FILE_BACKED (carrier);
  gsize item_size = get_item_size (self);
  guint64 item = 0;
  SwStorage storage = { &item, 1, get_dtype (self) };

  if (!read_file (self, &read_value_note, index * item_size, &item, item_size, error))
    return NULL;
  return sw_storage_get_value (&storage, 0);
}

static gboolean
sw_file_backed_set_value (SwCarrier *carrier,
                          gint64 index,
                          SwValue *value,
                          GError **error)
{
  SwFileBacked *self = SW_FILE_BACKED (carrier);
  gsize item_size = get_item_size (self);
  guint64 item = 0;
  SwStorage storage = { &item, 1, get_dtype (self) };

  return check_owner (self, error) && sw_storage_set_value (&storage, 0, value, error) &&
         overwrite_file (self, index * item_size, &item, item_size, error);
}

static gboolean
read_all (SwCarrier *carrier,
          gpointer items,
          gint64 n_items,
          GError **error)
{
  SwFileBacked *self = SW_FILE_BACKED (carrier);

  return n_items == 0 || read_file (self, &read_all_note, 0, items, n_items * get_item_size (self), error);
}

static gboolean
replace_values (SwFileBacked *self,
                gconstpointer items,
                gint64 n_items,
                GError **error)
{
  SwCarrier *carrier = SW_CARRIER (self);
  gint64 size = MAX (n_items, sw_file_backed_size (carrier, NULL));
  gsize item_size = get_item_size (self);

  if (!check_owner (self, error) || !replace_file (self, items, n_items * item_size, size * item_size, error))
    return FALSE;

  /* Relaxed: who removes the file comes after the end of this hold. */
  __atomic_store_n (&self->has_file, TRUE, __ATOMIC_RELAXED);
  /* Release: the values are there before the size says so. */
  __atomic_store_n (&sw_carrier_get_private (carrier)->size, size, __ATOMIC_RELEASE);
  return TRUE;
}

static gboolean
write_all (SwCarrier *carrier,
           gconstpointer items,
           gint64 n_items,
           GError **error)
{
  if (!replace_values (SW_FILE_BACKED (carrier), items, n_items, error))
    return FALSE;

  sw_carrier_changed (carrier);
  return TRUE;
}

/* On a copy in memory, which then takes the place of the file: all values or none. */
static gboolean
sw_file_backed_scatter (SwCarrier *carrier,
                        SwTensor *source,
                        SwTensor *onto,
                        SwLayout *mapping,
                        gint64 mapping_offset,
                        GError **error)
{
  SwDType dtype = get_dtype (SW_FILE_BACKED (carrier));
  gint64 size = sw_file_backed_size (carrier, NULL);
  g_auto (SwStorage) all = { 0 };
  g_auto (SwStorage) items = { 0 };

  if (!check_owner (SW_FILE_BACKED (carrier), error) ||
      !sw_storage_alloc (&items, sw_tensor_get_size (source), dtype, TRUE, error) ||
      !sw_storage_gather (&items, source, error) ||
      !sw_storage_alloc (&all, size, dtype, TRUE, error) ||
      !read_all (carrier, all.data, size, error))
    return FALSE;

  sw_storage_scatter (&all, &items, mapping, mapping_offset);
  return replace_values (SW_FILE_BACKED (carrier), all.data, size, error);
}

static SwCarrier *
sw_file_backed_new_like (SwCarrier *carrier,
                         SwValueList *values,
                         gboolean is_mutable,
                         SwDType dtype,
                         GError **error)
{
  g_autoptr (SwFileBacked) fresh = new_like (carrier, is_mutable, dtype, error);
  gint64 size = sw_value_list_get_length (values);
  g_auto (SwStorage) storage = { 0 };

  if (fresh == NULL ||
      !sw_storage_alloc (&storage, size, get_dtype (fresh), TRUE, error) ||
      !sw_storage_fill (&storage, values, TRUE, "values", error) ||
      !replace_values (fresh, storage.data, size, error))
    return NULL;

  return SW_CARRIER (g_steal_pointer (&fresh));
}

/* Nothing is written for no values: most carriers that are allocated so never get any. */
static SwCarrier *
sw_file_backed_allocate_like (SwCarrier *carrier,
                              gint64 size,
                              gboolean is_mutable,
                              SwDType dtype,
                              gboolean is_empty,
                              GError **error)
{
  g_autoptr (SwFileBacked) fresh = new_like (carrier, is_mutable, dtype, error);
  gsize n_bytes;

  if (fresh == NULL ||
      !sw_storage_get_n_bytes (size, get_dtype (fresh), &n_bytes, error) ||
      (n_bytes > 0 && !fill_file (fresh, n_bytes, error)))
    return NULL;

  fresh->has_file = n_bytes > 0;
  sw_carrier_get_private (SW_CARRIER (fresh))->size = size;
  return SW_CARRIER (g_steal_pointer (&fresh));
}

static SwCarrier *
allocate (SwCarrier *like,
          gint64 size,
          SwDType dtype,
          GError **error)
{
  return sw_file_backed_allocate_like (like, size, TRUE, dtype, TRUE, error);
}

static SwOperation *
sw_file_backed_dispatch_op (SwCarrier *carrier,
                            const char *name,
                            GError **error)
{
  g_set_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED, "FileBacked stores values and does not compute: %s", name);
  return NULL;
}

static void
release (SwCarrier *carrier)
{
  SwFileBacked *self = SW_FILE_BACKED (carrier);

  /* Relaxed: see replace_values (). */
  if (__atomic_load_n (&self->has_file, __ATOMIC_RELAXED) && self->owner == getpid ())
    sw_scratch_remove (self->path);
}

static void
sw_file_backed_finalize (GObject *object)
{
  SwFileBacked *self = SW_FILE_BACKED (object);
  char *path = self->path;

  G_OBJECT_CLASS (sw_file_backed_parent_class)->finalize (object);
  g_free (path);
}

static const SwBuiltinCarrier builtin = {
  .name = "FileBacked",
  .allocate = allocate,
  .supports_dtype = supports_dtype,
  .read_all = read_all,
  .write_all = write_all,
  .release = release,
};

static void
sw_file_backed_class_init (SwFileBackedClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  SwCarrierClass *carrier_class = SW_CARRIER_CLASS (klass);

  object_class->finalize = sw_file_backed_finalize;

  carrier_class->size = sw_file_backed_size;
  carrier_class->dtype = sw_file_backed_dtype;
  carrier_class->is_mutable = sw_file_backed_is_mutable;
  carrier_class->get_value = sw_file_backed_get_value;
  carrier_class->set_value = sw_file_backed_set_value;
  carrier_class->scatter = sw_file_backed_scatter;
  carrier_class->new_like = sw_file_backed_new_like;
  carrier_class->allocate_like = sw_file_backed_allocate_like;
  carrier_class->dispatch_op = sw_file_backed_dispatch_op;
  carrier_class->builtin = (gpointer) &builtin;
}

static void
sw_file_backed_init (SwFileBacked *self)
{
}
