/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/base/sw-error.h"
#include "sw/carriers/evictable/sw-evictable-private.h"
#include "sw/carriers/sw-memory-notes-private.h"
#include "sw/carriers/sw-move-private.h"
#include "sw/shape/sw-layout.h"
#include "sw/shape/sw-shape.h"
#include "sw/tensor/sw-storage-private.h"
#include "sw/tensor/sw-tensor-private.h"

/* One move of all values between the tiers. Nobody else changes the tiers meanwhile, so they are borrowed. */
typedef struct
{
  SwEvictable *self;
  gboolean evicts;
  SwCarrier *from;
  SwCarrier *to;
  SwCarrier *target; /* where the values go: to, or a fresh one like it */
  SwCarrier *empty;  /* what comes in the place of from */
} Change;

static gint64
get_size (const Change *change)
{
  return sw_carrier_get_private (SW_CARRIER (change->self))->size;
}

static gboolean
is_builtin (const Change *change)
{
  return sw_move_is_builtin (G_OBJECT_TYPE (change->from), G_OBJECT_TYPE (change->to));
}

/* A foreign move function writes by the public way, which an immutable carrier does not have. */
static SwCarrier *
allocate_tier (const Change *change,
               SwCarrier *like,
               gint64 size,
               GError **error)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (SW_CARRIER (change->self));
  gboolean is_primary = (like == change->from) == change->evicts;
  gboolean is_mutable = !is_primary || priv->is_mutable || !is_builtin (change);
  g_autoptr (SwCarrier) fresh = sw_carrier_allocate_like (like, size, is_mutable, priv->dtype, TRUE, error);

  if (fresh != NULL && G_OBJECT_TYPE (fresh) != G_OBJECT_TYPE (like))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s.allocate_like returned a %s, which cannot take its place",
                   sw_carrier_get_class_name (like), sw_carrier_get_class_name (fresh));
      return NULL;
    }

  return g_steal_pointer (&fresh);
}

/* Only the library's own moves make a carrier grow, or leave what is behind the values alone. */
static gboolean
has_room (const Change *change,
          SwCarrier *tier)
{
  gint64 room = sw_carrier_size (tier, NULL);

  if (!is_builtin (change))
    return room == get_size (change);
  return room >= get_size (change) || sw_move_can_grow (tier);
}

static gboolean
can_take_values (const Change *change,
                 SwCarrier *tier)
{
  return sw_evictable_owns (change->self, tier) && !sw_carrier_is_released (tier) && has_room (change, tier);
}

static gboolean
prepare (Change *change,
         GError **error)
{
  if (can_take_values (change, change->to))
    change->target = g_object_ref (change->to);
  else
    change->target = allocate_tier (change, change->to, get_size (change), error);
  if (change->target == NULL)
    return FALSE;

  change->empty = allocate_tier (change, change->from, 0, error);
  return change->empty != NULL && sw_carrier_claim (change->empty, SW_CARRIER (change->self), "the empty tier", error);
}

static SwTensor *
new_whole_tensor (SwCarrier *carrier,
                  gint64 size)
{
  g_autoptr (SwShape) shape = sw_shape_new (&size, 1, NULL);

  return sw_tensor_new_take (g_object_ref (carrier), 0, sw_layout_new_compact (shape));
}

static gboolean
copy_values (const Change *change,
             GError **error)
{
  gint64 size = get_size (change);
  g_autoptr (SwTensor) whole = NULL;
  g_autoptr (SwTensor) moved = NULL;

  if (size == 0)
    return TRUE;

  whole = new_whole_tensor (change->from, size);
  moved = sw_move_copy (whole, size, change->target, change->target != change->to, error);
  return moved != NULL;
}

/* Foreign functions write by the public way, so they get a target that nobody owns. */
static gboolean
fill_target (const Change *change,
             GError **error)
{
  SwCarrier *self = SW_CARRIER (change->self);
  gboolean is_fresh = change->target != change->to;
  gboolean is_lent = !is_fresh && !is_builtin (change);
  gboolean done;

  if (is_lent)
    sw_carrier_relinquish (change->target, self);

  done = copy_values (change, error);

  if (!is_fresh && !is_lent)
    return done;
  if (done)
    return sw_carrier_claim (change->target, self, "the tier that the values went to", error);
  if (is_lent)
    sw_carrier_claim (change->target, self, "", NULL);
  return FALSE;
}

static void
commit (const Change *change)
{
  SwEvictable *self = change->self;

  pthread_mutex_lock (&self->lock);
  self->primary = g_object_ref (change->evicts ? change->empty : change->target);
  self->secondary = g_object_ref (change->evicts ? change->target : change->empty);
  self->is_evicted = change->evicts;
  self->is_moving = FALSE;
  pthread_mutex_unlock (&self->lock);

  sw_evictable_let_go (self, change->from, TRUE);
  if (change->target != change->to)
    sw_evictable_let_go (self, change->to, TRUE);
  g_object_unref (change->from);
  g_object_unref (change->to);
}

static void
undo (const Change *change)
{
  SwEvictable *self = change->self;

  if (change->empty != NULL)
    sw_evictable_let_go (self, change->empty, TRUE);
  if (change->target != NULL && change->target != change->to)
    sw_carrier_release (change->target, NULL);

  pthread_mutex_lock (&self->lock);
  self->is_moving = FALSE;
  pthread_mutex_unlock (&self->lock);
}

static gboolean
run (Change *change,
     GError **error)
{
  gboolean done = prepare (change, error) && fill_target (change, error);

  if (done)
    commit (change);
  else
    undo (change);

  g_clear_object (&change->target);
  g_clear_object (&change->empty);
  return done;
}

/* FALSE without an error: the values are there already. */
static gboolean
begin (Change *change,
       GError **error)
{
  SwEvictable *self = change->self;
  gboolean is_moving, is_written, is_there;

  pthread_mutex_lock (&self->lock);
  is_moving = self->is_moving;
  is_written = self->n_writers > 0;
  is_there = self->is_evicted == change->evicts;
  change->from = change->evicts ? self->primary : self->secondary;
  change->to = change->evicts ? self->secondary : self->primary;
  if (!is_moving && !is_written && !is_there)
    self->is_moving = TRUE;
  pthread_mutex_unlock (&self->lock);

  if (is_moving)
    g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "the carrier's values are moving between its tiers already");
  else if (!is_there && is_written)
    g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "the carrier's values are being written");
  return !is_moving && !is_written && !is_there;
}

/* What never began has no tiers to tell of. */
static guint64
begin_note (const Change *change)
{
  static SwNote notes[] = {
    { "memory", "promote", SW_NOTE_DECISIONS, 0 },
    { "memory", "evict", SW_NOTE_DECISIONS, 0 },
  };
  const SwNoteArgument arguments[] = {
    SW_NOTE_TYPE ("from", change->from != NULL ? G_OBJECT_TYPE (change->from) : G_TYPE_INVALID),
    SW_NOTE_TYPE ("to", change->to != NULL ? G_OBJECT_TYPE (change->to) : G_TYPE_INVALID),
    sw_memory_note_values (SW_CARRIER (change->self)),
  };

  return sw_note_begin (&notes[change->evicts], arguments, G_N_ELEMENTS (arguments));
}

static void
run_noted (Change *change,
           GError **error)
{
  GError *failure = NULL;
  SwNoteSpan span = { 0 };

  if (sw_note_is_wanted (SW_NOTE_DECISIONS))
    span.token = begin_note (change);
  run (change, &failure);
  SW_NOTE_END (span, failure);
  if (failure != NULL)
    g_propagate_error (error, failure);
}

static void
note_refusal (Change *change,
              const GError *error)
{
  SwNoteSpan span = { 0 };

  if (!sw_note_is_wanted (SW_NOTE_DECISIONS))
    return;
  change->from = change->to = NULL;
  span.token = begin_note (change);
  SW_NOTE_END (span, error);
}

static gboolean
change_tiers (SwEvictable *self,
              gboolean evicts,
              GError **error)
{
  Change change = { .self = self, .evicts = evicts };
  GError *failure = NULL;

  if (sw_carrier_check_made (SW_CARRIER (self), &failure) && sw_carrier_enter (SW_CARRIER (self), "carrier", &failure))
    {
      if (begin (&change, &failure))
        run_noted (&change, &failure);
      else if (failure != NULL)
        note_refusal (&change, failure);
      sw_carrier_drop (SW_CARRIER (self));
    }
  else
    note_refusal (&change, failure);

  if (failure != NULL)
    g_propagate_error (error, failure);
  return failure == NULL;
}

/**
 * sw_evictable_evict:
 * @self: the carrier
 * @error: return location for an error
 *
 * Moves the values from the primary to the secondary, and releases the primary. A secondary that they do not fit is
 * replaced by a fresh one of its class. Does nothing where the values are on the secondary already. The version
 * stays as it is.
 *
 * Where that fails, nothing changes, and it can be tried again: %SW_ERROR_STATE when the carrier is released, or owned,
 * or somebody is writing to it or changing the tiers; otherwise the errors of the two classes, such as %SW_ERROR_IO.
 *
 * Returns: whether the values are on the secondary
 */
gboolean
sw_evictable_evict (SwEvictable *self,
                    GError **error)
{
  g_return_val_if_fail (SW_IS_EVICTABLE (self), FALSE);

  if (sw_carrier_is_owned (SW_CARRIER (self)))
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "carrier is an Evictable that a composite carrier owns");
      return FALSE;
    }

  return change_tiers (self, TRUE, error);
}

/**
 * sw_evictable_promote:
 * @self: the carrier
 * @error: return location for an error
 *
 * Moves the values from the secondary to a fresh primary of the same class, and releases the secondary. Does nothing
 * where the values are on the primary already. The version stays as it is.
 *
 * Where that fails, nothing changes, and it can be tried again: %SW_ERROR_STATE when the carrier is released or somebody
 * is changing the tiers; otherwise the errors of the two classes, such as %SW_ERROR_IO.
 *
 * Returns: whether the values are on the primary
 */
gboolean
sw_evictable_promote (SwEvictable *self,
                      GError **error)
{
  g_return_val_if_fail (SW_IS_EVICTABLE (self), FALSE);

  return change_tiers (self, FALSE, error);
}

static gboolean
read_values (SwCarrier *carrier,
             const SwStorage *items,
             GError **error)
{
  for (gint64 i = 0; i < items->size; i++)
    {
      g_autoptr (SwValue) value = sw_carrier_call_get_value (carrier, i, error);

      if (value == NULL || !sw_storage_set_value (items, i, value, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
read_primary (SwCarrier *primary,
              const SwStorage *storage,
              GError **error)
{
  const SwBuiltinCarrier *builtin = SW_CARRIER_GET_CLASS (primary)->builtin;
  gboolean done;

  if (!sw_carrier_enter (primary, "primary", error))
    return FALSE;
  done = builtin != NULL ? builtin->read_all (primary, storage->data, storage->size, error) : read_values (primary, storage, error);
  sw_carrier_drop (primary);
  return done;
}

/* Values of Any arrive where nothing was before. */
gboolean
sw_evictable_read_all (SwCarrier *carrier,
                       gpointer items,
                       gint64 n_items,
                       GError **error)
{
  const SwStorage storage = { items, n_items, sw_carrier_get_private (carrier)->dtype };

  for (;;)
    {
      g_autoptr (SwCarrier) primary = sw_evictable_ref_promoted (SW_EVICTABLE (carrier), error);
      GError *failure = NULL;

      if (primary == NULL)
        return FALSE;
      if (read_primary (primary, &storage, &failure))
        return TRUE;
      if (!sw_evictable_was_replaced (SW_EVICTABLE (carrier), primary))
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
      /* As in get_value. */
      g_clear_error (&failure);
    }
}

/* The new values and, behind them, what @carrier has there. */
static SwValueList *
new_list_of_all (SwCarrier *carrier,
                 const SwStorage *items,
                 gint64 size,
                 GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_full (size, (GDestroyNotify) sw_value_unref);

  for (gint64 i = 0; i < size; i++)
    {
      SwValue *value = i < items->size ? sw_storage_get_value (items, i) : sw_carrier_call_get_value (carrier, i, error);

      if (value == NULL)
        return NULL;
      g_ptr_array_add (values, value);
    }

  return sw_value_list_new ((SwValue **) values->pdata, values->len);
}

/* @fresh takes the place of @primary, unless something else did. */
static gboolean
replace_primary (SwEvictable *self,
                 SwCarrier *primary,
                 SwCarrier *fresh,
                 GError **error)
{
  gboolean replaces;

  if (!sw_carrier_claim (fresh, SW_CARRIER (self), "the new primary", error))
    return FALSE;

  pthread_mutex_lock (&self->lock);
  replaces = self->primary == primary;
  if (replaces)
    self->primary = g_object_ref (fresh);
  pthread_mutex_unlock (&self->lock);

  sw_evictable_let_go (self, replaces ? primary : fresh, TRUE);
  if (replaces)
    g_object_unref (primary);
  else
    g_set_error_literal (error, SW_ERROR, SW_ERROR_STATE, "the carrier's values are being written");
  return replaces;
}

/* A class of somebody else's has no write of all or nothing, so a new carrier takes the place of the old one. */
static gboolean
write_by_replacing (SwEvictable *self,
                    SwCarrier *primary,
                    const SwStorage *items,
                    GError **error)
{
  SwCarrierPrivate *priv = sw_carrier_get_private (SW_CARRIER (self));
  g_autoptr (SwValueList) values = new_list_of_all (primary, items, priv->size, error);
  g_autoptr (SwCarrier) fresh = NULL;

  if (values == NULL)
    return FALSE;
  fresh = sw_carrier_new_like (primary, values, TRUE, priv->dtype, error);
  if (fresh == NULL)
    return FALSE;
  if (G_OBJECT_TYPE (fresh) != G_OBJECT_TYPE (primary))
    {
      g_set_error (error, SW_ERROR, SW_ERROR_TYPE, "%s.new_like returned a %s, which cannot take its place",
                   sw_carrier_get_class_name (primary), sw_carrier_get_class_name (fresh));
      return FALSE;
    }

  return replace_primary (self, primary, fresh, error);
}

gboolean
sw_evictable_write_all (SwCarrier *carrier,
                        gconstpointer items,
                        gint64 n_items,
                        GError **error)
{
  SwEvictable *self = SW_EVICTABLE (carrier);
  SwCarrier *primary = sw_evictable_begin_write (self, error);
  const SwStorage storage = { (gpointer) items, n_items, sw_carrier_get_private (carrier)->dtype };
  const SwBuiltinCarrier *builtin;
  gboolean done;

  if (primary == NULL)
    return FALSE;

  builtin = SW_CARRIER_GET_CLASS (primary)->builtin;
  if (builtin != NULL)
    done = builtin->write_all (primary, items, n_items, error);
  else
    done = write_by_replacing (self, primary, &storage, error);
  if (done)
    sw_carrier_changed (carrier);

  sw_evictable_end_write (self, primary);
  return done;
}
