/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/sw-move-private.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/cpu/sw-cpu.h"
#include "sw/carriers/evictable/sw-evictable-private.h"
#include "sw/carriers/file-backed/sw-file-backed.h"
#include "sw/carriers/generic/sw-generic.h"
#include "sw/carriers/sw-memory-notes-private.h"
#include "sw/shape/sw-layout.h"
#include "sw/tensor/sw-carrier-private.h"
#include "sw/tensor/sw-storage-private.h"
#include "sw/tensor/sw-tensor-private.h"

#include <pthread.h>

typedef struct
{
  GType source_type;
  GType destination_type;
} Pair;

/* Never changes and never goes once it is registered, so it may be used without the lock. */
typedef struct
{
  Pair pair;
  SwMoveFunc func;
  gpointer user_data;
} Move;

/* Not GMutex: ThreadSanitizer cannot see into GLib. */
static pthread_mutex_t moves_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *moves;

static guint
pair_hash (gconstpointer data)
{
  const Pair *pair = data;

  return g_direct_hash ((gpointer) pair->source_type) * 31 + g_direct_hash ((gpointer) pair->destination_type);
}

static gboolean
pair_equal (gconstpointer a,
            gconstpointer b)
{
  const Pair *one = a;
  const Pair *other = b;

  return one->source_type == other->source_type && one->destination_type == other->destination_type;
}

static gboolean
is_builtin (GType type)
{
  return type == SW_TYPE_GENERIC || type == SW_TYPE_CPU || type == SW_TYPE_FILE_BACKED || type == SW_TYPE_EVICTABLE;
}

gboolean
sw_move_is_builtin (GType source_type,
                    GType destination_type)
{
  return is_builtin (source_type) && is_builtin (destination_type);
}

gboolean
sw_move_can_grow (SwCarrier *destination)
{
  return SW_IS_FILE_BACKED (destination);
}

static const Move *
find_move (GType source_type,
           GType destination_type)
{
  Pair pair = { source_type, destination_type };
  const Move *move;

  pthread_mutex_lock (&moves_lock);
  move = moves != NULL ? g_hash_table_lookup (moves, &pair) : NULL;
  pthread_mutex_unlock (&moves_lock);
  return move;
}

gboolean
sw_move_is_registered (GType source_type,
                       GType destination_type)
{
  return sw_move_is_builtin (source_type, destination_type) || find_move (source_type, destination_type) != NULL;
}

static gboolean
check_registered (SwCarrier *source,
                  SwCarrier *destination,
                  GError **error)
{
  if (sw_move_is_registered (G_OBJECT_TYPE (source), G_OBJECT_TYPE (destination)))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_NOT_IMPLEMENTED, "no move from %s to %s is registered",
               sw_carrier_get_class_name (source), sw_carrier_get_class_name (destination));
  return FALSE;
}

gboolean
sw_move_check_both_ways (SwCarrier *one,
                         SwCarrier *other,
                         GError **error)
{
  return check_registered (one, other, error) && check_registered (other, one, error);
}

/* Takes @move over, unless there is one for its pair. */
static gboolean
add_move (Move *move)
{
  gboolean added = FALSE;

  pthread_mutex_lock (&moves_lock);
  if (moves == NULL)
    moves = g_hash_table_new (pair_hash, pair_equal);
  if (!g_hash_table_contains (moves, &move->pair))
    added = g_hash_table_insert (moves, &move->pair, move);
  pthread_mutex_unlock (&moves_lock);
  return added;
}

static gboolean
check_type (GType type,
            const char *argument,
            GError **error)
{
  if (g_type_is_a (type, SW_TYPE_CARRIER))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s is %s, which is not a Carrier class", argument,
               type != G_TYPE_INVALID ? g_type_name (type) : "no type");
  return FALSE;
}

static gboolean
register_move (GType source_type,
               GType destination_type,
               SwMoveFunc func,
               gpointer user_data,
               GError **error)
{
  Move *move;

  if (!check_type (source_type, "source_type", error) || !check_type (destination_type, "destination_type", error))
    return FALSE;

  move = g_new (Move, 1);
  *move = (Move){ { source_type, destination_type }, func, user_data };
  if (!sw_move_is_builtin (source_type, destination_type) && add_move (move))
    return TRUE;

  g_free (move);
  g_set_error (error, SW_ERROR, SW_ERROR_VALUE, "a move from %s to %s is registered already",
               g_type_name (source_type), g_type_name (destination_type));
  return FALSE;
}

/**
 * sw_register_move:
 * @source_type: the exact class of the carriers that values come from
 * @destination_type: the exact class of the carriers that they go to
 * @func: (scope notified) (closure user_data) (destroy destroy): what moves them
 * @user_data: data for @func
 * @destroy: (nullable): frees @user_data; called where the registration fails, since a registration lasts for ever
 * @error: return location for an error
 *
 * Says how [func@Strideweave.move] moves storage between two classes of carriers. Subclasses are pairs of their own.
 *
 * Fails with %SW_ERROR_TYPE when a type is not a class of carriers, and with %SW_ERROR_VALUE when the pair has its
 * move, as all pairs of the library's own classes do. May be called from any thread; @func runs on the threads that
 * move.
 *
 * Returns: whether @func is registered now
 */
gboolean
sw_register_move (GType source_type,
                  GType destination_type,
                  SwMoveFunc func,
                  gpointer user_data,
                  GDestroyNotify destroy,
                  GError **error)
{
  g_return_val_if_fail (func != NULL, FALSE);

  if (register_move (source_type, destination_type, func, user_data, error))
    return TRUE;

  if (destroy != NULL)
    destroy (user_data);
  return FALSE;
}

static gboolean
write_items (SwCarrier *destination,
             gconstpointer items,
             gint64 n_items,
             GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (destination)->builtin;
  gboolean done;

  if (!sw_carrier_enter (destination, "destination", error))
    return FALSE;
  done = builtin->write_all (destination, items, n_items, error);
  sw_carrier_drop (destination);
  return done;
}

static gboolean
read_items (SwCarrier *source,
            gpointer items,
            gint64 n_items,
            GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (source)->builtin;
  gboolean done;

  if (!sw_carrier_enter (source, "the tensor's carrier", error))
    return FALSE;
  done = builtin->read_all (source, items, n_items, error);
  sw_carrier_drop (source);
  return done;
}

/* Straight into the memory of a carrier that may end up with half of the values. */
static gboolean
read_into_memory (SwCarrier *source,
                  gint64 n_items,
                  SwCarrier *destination,
                  GError **error)
{
  SwStorage storage;
  gboolean done;

  if (!sw_carrier_hold (destination, &storage, error))
    return FALSE;
  done = read_items (source, storage.data, n_items, error);
  sw_carrier_drop (destination);
  return done;
}

static gboolean
copy_through_buffer (SwCarrier *source,
                     gint64 n_items,
                     SwDType dtype,
                     SwCarrier *destination,
                     GError **error)
{
  g_auto (SwStorage) buffer = { 0 };

  return sw_storage_alloc (&buffer, n_items, dtype, TRUE, error) &&
         read_items (source, buffer.data, n_items, error) &&
         write_items (destination, buffer.data, n_items, error);
}

/* The innermost carrier of @source; when that is in memory, with a hold on its values. */
static SwCarrier *
ref_innermost_and_hold (SwCarrier *source,
                        SwStorage *storage,
                        GError **error)
{
  for (;;)
    {
      g_autoptr (SwCarrier) innermost = sw_evictable_ref_innermost (source, error);
      GError *failure = NULL;

      if (innermost == NULL)
        return NULL;
      if (!sw_carrier_is_in_memory (innermost) || sw_carrier_hold (innermost, storage, &failure))
        return g_steal_pointer (&innermost);
      /* Else another thread has moved the values since. */
      if (innermost == source || !sw_carrier_is_released (innermost) || sw_carrier_is_released (source))
        {
          g_propagate_error (error, failure);
          return NULL;
        }
      g_clear_error (&failure);
    }
}

/* Between the library's own classes: from memory without a copy in between. */
static gboolean
copy_values (SwCarrier *source,
             gint64 n_items,
             SwDType dtype,
             SwCarrier *destination,
             gboolean is_fresh,
             GError **error)
{
  SwStorage storage;
  g_autoptr (SwCarrier) innermost = ref_innermost_and_hold (source, &storage, error);
  gboolean done;

  if (innermost == NULL)
    return FALSE;

  if (!sw_carrier_is_in_memory (innermost))
    {
      if (is_fresh && sw_carrier_is_in_memory (destination))
        return read_into_memory (source, n_items, destination, error);
      return copy_through_buffer (source, n_items, dtype, destination, error);
    }

  done = write_items (destination, storage.data, MIN (n_items, storage.size), error);
  sw_carrier_drop (innermost);
  return done;
}

static SwTensor *
copy_builtin (SwTensor *tensor,
              gint64 n_values,
              SwCarrier *destination,
              SwDType dtype,
              gboolean is_fresh,
              GError **error)
{
  if (!copy_values (tensor->carrier, n_values, dtype, destination, is_fresh, error))
    return NULL;

  return sw_tensor_new_take (g_object_ref (destination), tensor->offset, sw_layout_ref (tensor->layout));
}

/* What is missing on the destination would be lost with the source. */
static gboolean
check_arrived (SwCarrier *source,
               SwCarrier *destination,
               gint64 n_values,
               GError **error)
{
  gint64 arrived = sw_carrier_size (destination, error);

  if (arrived < 0)
    return FALSE;
  if (arrived >= n_values)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
               "the move from %s to %s left %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " values on its destination",
               sw_carrier_get_class_name (source), sw_carrier_get_class_name (destination), arrived, n_values);
  return FALSE;
}

/* Somebody else's function: takes no nonsense for an answer. */
static SwTensor *
copy_registered (SwTensor *tensor,
                 gint64 n_values,
                 SwCarrier *destination,
                 GError **error)
{
  SwCarrier *source = tensor->carrier;
  const Move *move = find_move (G_OBJECT_TYPE (source), G_OBJECT_TYPE (destination));
  GError *failure = NULL;
  g_autoptr (SwTensor) moved = move->func (tensor, destination, move->user_data, &failure);

  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return NULL;
    }
  if (moved != NULL && moved->carrier == destination && moved->offset == tensor->offset &&
      sw_layout_equal (moved->layout, tensor->layout))
    return check_arrived (source, destination, n_values, error) ? g_steal_pointer (&moved) : NULL;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE,
               "the move from %s to %s must return a Tensor on its destination, with the offset and the layout of its "
               "source, and returned %s",
               sw_carrier_get_class_name (source), sw_carrier_get_class_name (destination),
               moved == NULL ? "nothing" : "another one");
  return NULL;
}

static gboolean
check_dtypes (SwCarrier *source,
              SwCarrier *destination,
              SwDType *dtype,
              GError **error)
{
  SwDType other = SW_DTYPE_INVALID;

  *dtype = sw_carrier_dtype (source, error);
  if (*dtype != SW_DTYPE_INVALID)
    other = sw_carrier_dtype (destination, error);
  if (other == SW_DTYPE_INVALID)
    return FALSE;
  if (other == *dtype)
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "destination holds %s, but the tensor %s", sw_dtype_to_string (other),
               sw_dtype_to_string (*dtype));
  return FALSE;
}

static gboolean
check_room (SwCarrier *destination,
            gint64 n_values,
            GError **error)
{
  gint64 room = sw_carrier_size (destination, error);

  if (room < 0)
    return FALSE;
  if (room >= n_values || sw_move_can_grow (destination))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_VALUE,
               "destination has room for %" G_GINT64_FORMAT " values, but the tensor's carrier has %" G_GINT64_FORMAT,
               room, n_values);
  return FALSE;
}

SwTensor *
sw_move_copy (SwTensor *tensor,
              gint64 n_values,
              SwCarrier *destination,
              gboolean is_fresh,
              GError **error)
{
  SwCarrier *source = tensor->carrier;
  SwDType dtype;

  if (!check_registered (source, destination, error) ||
      !check_dtypes (source, destination, &dtype, error) ||
      !check_room (destination, n_values, error))
    return NULL;

  if (sw_move_is_builtin (G_OBJECT_TYPE (source), G_OBJECT_TYPE (destination)))
    return copy_builtin (tensor, n_values, destination, dtype, is_fresh, error);
  return copy_registered (tensor, n_values, destination, error);
}

static gboolean
check_movable (SwCarrier *carrier,
               const char *argument,
               GError **error)
{
  if (!sw_carrier_check_live (carrier, argument, error))
    return FALSE;
  if (!sw_carrier_is_owned (carrier))
    return TRUE;

  g_set_error (error, SW_ERROR, SW_ERROR_STATE, "%s is a %s that a composite carrier owns", argument,
               sw_carrier_get_class_name (carrier));
  return FALSE;
}

/* While values are on their way nobody else may release, write or claim the two carriers. A foreign function writes to
 * its destination by the public way, so that one stays free. */
static SwTensor *
move_claimed (SwTensor *tensor,
              SwCarrier *destination,
              GError **error)
{
  SwCarrier *source = tensor->carrier;
  gboolean claims_both = sw_move_is_builtin (G_OBJECT_TYPE (source), G_OBJECT_TYPE (destination));
  gint64 n_values;
  SwTensor *moved = NULL;

  if (!sw_carrier_claim (source, destination, "the tensor's carrier", error))
    return NULL;
  n_values = sw_carrier_size (source, error);
  if (n_values >= 0 && (!claims_both || sw_carrier_claim (destination, source, "destination", error)))
    {
      moved = sw_move_copy (tensor, n_values, destination, FALSE, error);
      if (claims_both)
        sw_carrier_relinquish (destination, source);
    }

  if (moved != NULL)
    sw_carrier_release_owned (source);
  sw_carrier_relinquish (source, destination);
  return moved;
}

static SwTensor *
move_between (SwTensor *tensor,
              SwCarrier *destination,
              GError **error)
{
  SwCarrier *source = tensor->carrier;

  if (!check_movable (source, "the tensor's carrier", error) || !check_movable (destination, "destination", error) ||
      !check_registered (source, destination, error) || !sw_carrier_check_writable (destination, error))
    return NULL;

  return move_claimed (tensor, destination, error);
}

/**
 * sw_move:
 * @tensor: a tensor
 * @destination: the carrier that its values shall lie on
 * @error: return location for an error
 *
 * Moves a tensor to another carrier.
 *
 * All values of the tensor's carrier, not only those that the tensor sees, go to the beginning of @destination; then
 * the tensor's carrier is released, and other tensors on it are of no use any more. @destination must have room for
 * the values, except that [class@Strideweave.FileBacked] makes room. A tensor that lies on @destination is returned as
 * it is. Nothing changes where the move fails. Profilers do not see it, since it is
 * not a dispatched operation; traces do.
 *
 * Fails with %SW_ERROR_STATE when either carrier is released, owned or evicted or when @destination is not mutable,
 * with %SW_ERROR_TYPE when the dtypes differ, with %SW_ERROR_VALUE when @destination is too small, with
 * %SW_ERROR_NOT_IMPLEMENTED when nobody registered a move between the two classes, and with %SW_ERROR_IO when a file
 * cannot be read or written.
 *
 * Returns: (transfer full): a tensor on @destination with the offset and the layout of @tensor
 */
SwTensor *
sw_move (SwTensor *tensor,
         SwCarrier *destination,
         GError **error)
{
  SwCarrier *source;
  GError *failure = NULL;
  SwTensor *moved;

  g_return_val_if_fail (tensor != NULL, NULL);
  g_return_val_if_fail (SW_IS_CARRIER (destination), NULL);

  source = tensor->carrier;
  if (source == destination)
    return check_movable (source, "the tensor's carrier", error) ? sw_tensor_ref (tensor) : NULL;

  SW_NOTE_BEGIN (span, SW_NOTE_OPERATIONS, "memory", "move", SW_NOTE_TYPE ("from", G_OBJECT_TYPE (source)),
                 SW_NOTE_TYPE ("to", G_OBJECT_TYPE (destination)), sw_memory_note_values (source));
  moved = move_between (tensor, destination, &failure);
  SW_NOTE_END (span, failure);
  if (failure != NULL)
    g_propagate_error (error, failure);
  return moved;
}
