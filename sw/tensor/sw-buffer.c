/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/tensor/sw-buffer.h"

#include "sw/base/sw-error.h"
#include "sw/base/sw-ref-count-private.h"
#include "sw/shape/sw-layout-private.h"
#include "sw/tensor/sw-carrier-private.h"
#include "sw/tensor/sw-tensor-private.h"

/**
 * SwBuffer:
 *
 * The memory under a tensor, for who wants to see it as it is: another library's array, for instance.
 *
 * A buffer keeps the carrier and holds its storage in place, after [method@Strideweave.Carrier.release] too; the last
 * reference ends that. What is written through a buffer does not count as a new version of the carrier. References may
 * be taken and dropped in any thread.
 */
struct _SwBuffer
{
  SwRefCount ref_count;
  SwTensor *tensor;
  guint8 *address;
  gsize size;
  SwDType dtype;
  gboolean is_writable;
};

G_DEFINE_BOXED_TYPE (SwBuffer, sw_buffer, sw_buffer_ref, sw_buffer_unref)

static gboolean
check_dtype (SwDType dtype,
             GError **error)
{
  if (dtype != SW_DTYPE_ANY)
    return TRUE;

  g_set_error_literal (error, SW_ERROR, SW_ERROR_UNSUPPORTED,
                       "the tensor holds values of any kind, which other libraries cannot read from memory");
  return FALSE;
}

/**
 * sw_buffer_new: (constructor)
 * @tensor: a tensor on a carrier that keeps its values in memory
 * @error: return location for an error
 *
 * Holds the memory under a tensor in place.
 *
 * Fails with %SW_ERROR_STATE on a released carrier, and with %SW_ERROR_UNSUPPORTED when the values are not in memory
 * that stays where it is, or are of the dtype Any.
 *
 * Returns: (transfer full): the buffer
 */
SwBuffer *
sw_buffer_new (SwTensor *tensor,
               GError **error)
{
  SwStorage storage;
  gsize item_size;
  SwBuffer *self;

  g_return_val_if_fail (tensor != NULL, NULL);

  if (!sw_carrier_hold (tensor->carrier, &storage, error))
    return NULL;
  if (!check_dtype (storage.dtype, error))
    {
      sw_carrier_drop (tensor->carrier);
      return NULL;
    }

  item_size = sw_dtype_get_item_size (storage.dtype);
  self = g_new (SwBuffer, 1);
  sw_ref_count_init (&self->ref_count);
  self->tensor = sw_tensor_ref (tensor);
  self->address = (guint8 *) storage.data + tensor->offset * item_size;
  self->size = tensor->layout->cosize * item_size;
  self->dtype = storage.dtype;
  self->is_writable = sw_carrier_check_writable (tensor->carrier, NULL);
  return self;
}

/**
 * sw_buffer_ref:
 * @self: a buffer
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 */
SwBuffer *
sw_buffer_ref (SwBuffer *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  sw_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * sw_buffer_unref:
 * @self: (transfer full): a buffer
 *
 * Drops a reference; the last one ends the hold.
 */
void
sw_buffer_unref (SwBuffer *self)
{
  g_return_if_fail (self != NULL);

  if (!sw_ref_count_dec (&self->ref_count))
    return;

  sw_carrier_drop (self->tensor->carrier);
  sw_tensor_unref (self->tensor);
  g_free (self);
}

/**
 * sw_buffer_get_address:
 * @self: a buffer
 *
 * Gets where the value with index 0 of the tensor's layout is, the tensor's offset included.
 *
 * Returns: the address, valid as long as the buffer
 */
guint64
sw_buffer_get_address (SwBuffer *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return (guintptr) self->address;
}

/**
 * sw_buffer_get_size:
 * @self: a buffer
 *
 * Gets how much memory the tensor's layout reaches, from the address on.
 *
 * Returns: the size in bytes
 */
gsize
sw_buffer_get_size (SwBuffer *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->size;
}

/**
 * sw_buffer_get_dtype:
 * @self: a buffer
 *
 * Gets what each item is, in the machine's byte order; Floating is kept as Float64.
 *
 * Returns: the dtype
 */
SwDType
sw_buffer_get_dtype (SwBuffer *self)
{
  g_return_val_if_fail (self != NULL, SW_DTYPE_INVALID);

  return self->dtype;
}

/**
 * sw_buffer_is_writable:
 * @self: a buffer
 *
 * Tells whether its user may write: not when the carrier was immutable, or owned by another one.
 *
 * Returns: %TRUE for memory that may be written
 */
gboolean
sw_buffer_is_writable (SwBuffer *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->is_writable;
}

/* The binary interface of DLPack before version 1.0, which every consumer understands. */
typedef struct
{
  gint32 device_type;
  gint32 device_id;
} DLDevice;

typedef struct
{
  guint8 code;
  guint8 bits;
  guint16 lanes;
} DLDataType;

typedef struct
{
  gpointer data;
  DLDevice device;
  gint32 n_dimensions;
  DLDataType dtype;
  gint64 *shape;
  gint64 *strides;
  guint64 byte_offset;
} DLTensor;

typedef struct _DLManagedTensor DLManagedTensor;

struct _DLManagedTensor
{
  DLTensor tensor;
  gpointer manager_context;
  void (*deleter) (DLManagedTensor *self);
  gint64 dimensions[];
};

G_STATIC_ASSERT (sizeof (DLTensor) == 48 || GLIB_SIZEOF_VOID_P != 8);

enum
{
  DL_DEVICE_CPU = 1,
  DL_TYPE_INT = 0,
  DL_TYPE_FLOAT = 2,
  DL_TYPE_BOOL = 6,
};

static DLDataType
get_dlpack_dtype (SwDType dtype)
{
  guint8 code = dtype == SW_DTYPE_BOOL                               ? DL_TYPE_BOOL
                : dtype == SW_DTYPE_INT32 || dtype == SW_DTYPE_INT64 ? DL_TYPE_INT
                                                                     : DL_TYPE_FLOAT;

  return (DLDataType){ code, sw_dtype_get_item_size (dtype) * 8, 1 };
}

static void
free_managed_tensor (DLManagedTensor *self)
{
  sw_buffer_unref (self->manager_context);
  g_free (self);
}

/**
 * sw_buffer_new_dlpack:
 * @self: a buffer
 *
 * Describes the buffer as a `DLManagedTensor` of DLPack, with every leaf of the tensor's layout as a dimension.
 *
 * The structure keeps the buffer. Who takes it over calls its deleter in the end, in any thread; nobody else did:
 * [func@Strideweave.Buffer.free_dlpack].
 *
 * Returns: the address of the structure
 */
guint64
sw_buffer_new_dlpack (SwBuffer *self)
{
  DLManagedTensor *managed;
  const SwLayoutLeaf *leaves;
  guint n_leaves;

  g_return_val_if_fail (self != NULL, 0);

  n_leaves = sw_layout_get_n_leaves (self->tensor->layout);
  leaves = sw_layout_get_leaves (self->tensor->layout);
  managed = g_malloc0 (sizeof (DLManagedTensor) + 2 * n_leaves * sizeof (gint64));
  managed->tensor.data = self->address;
  managed->tensor.device.device_type = DL_DEVICE_CPU;
  managed->tensor.n_dimensions = n_leaves;
  managed->tensor.dtype = get_dlpack_dtype (self->dtype);
  managed->tensor.shape = managed->dimensions;
  managed->tensor.strides = managed->dimensions + n_leaves;
  for (guint i = 0; i < n_leaves; i++)
    {
      managed->tensor.shape[i] = leaves[i].extent;
      managed->tensor.strides[i] = leaves[i].step;
    }
  managed->manager_context = sw_buffer_ref (self);
  managed->deleter = free_managed_tensor;

  return (guintptr) managed;
}

/**
 * sw_buffer_free_dlpack:
 * @address: what [method@Strideweave.Buffer.new_dlpack] returned, and nobody took over
 *
 * Frees the structure and its hold.
 */
void
sw_buffer_free_dlpack (guint64 address)
{
  DLManagedTensor *managed = (DLManagedTensor *) (guintptr) address;

  g_return_if_fail (managed != NULL);

  managed->deleter (managed);
}

static struct
{
  int (*is_valid) (gpointer capsule,
                   const char *name);
  gpointer (*get_pointer) (gpointer capsule,
                           const char *name);
} python_capsule;

/* Who takes the tensor over renames the capsule, and calls the deleter later. */
static void
destroy_capsule (gpointer capsule)
{
  static const char name[] = "dltensor";

  if (python_capsule.is_valid (capsule, name))
    free_managed_tensor (python_capsule.get_pointer (capsule, name));
}

/**
 * sw_buffer_get_capsule_destructor:
 * @is_valid: the address of Python's `PyCapsule_IsValid`
 * @get_pointer: the address of Python's `PyCapsule_GetPointer`
 *
 * Gets a destructor for Python's capsules of DLPack, which frees what [method@Strideweave.Buffer.new_dlpack] made where
 * nobody took it over. It has to be code of C, because a capsule may die while an exception is on its way.
 *
 * Returns: the address of the destructor
 */
guint64
sw_buffer_get_capsule_destructor (guint64 is_valid,
                                  guint64 get_pointer)
{
  g_return_val_if_fail (is_valid != 0 && get_pointer != 0, 0);

  /* Relaxed: always the same addresses, and who has the destructor has set them. */
  __atomic_store_n ((guintptr *) &python_capsule.is_valid, (guintptr) is_valid, __ATOMIC_RELAXED);
  __atomic_store_n ((guintptr *) &python_capsule.get_pointer, (guintptr) get_pointer, __ATOMIC_RELAXED);
  return (guintptr) destroy_capsule;
}
