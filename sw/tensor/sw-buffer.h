/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/base/sw-types.h>
#include <sw/tensor/sw-dtype.h>

G_BEGIN_DECLS

#define SW_TYPE_BUFFER (sw_buffer_get_type ())

typedef struct _SwBuffer SwBuffer;

SW_AVAILABLE_IN_0_1
GType
sw_buffer_get_type (void) G_GNUC_CONST;

SW_AVAILABLE_IN_0_1
SwBuffer *
sw_buffer_new (SwTensor *tensor,
               GError **error) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
SwBuffer *
sw_buffer_ref (SwBuffer *self);
SW_AVAILABLE_IN_0_1
void
sw_buffer_unref (SwBuffer *self);

SW_AVAILABLE_IN_0_1
guint64
sw_buffer_get_address (SwBuffer *self);
SW_AVAILABLE_IN_0_1
gsize
sw_buffer_get_size (SwBuffer *self);
SW_AVAILABLE_IN_0_1
SwDType
sw_buffer_get_dtype (SwBuffer *self);
SW_AVAILABLE_IN_0_1
gboolean
sw_buffer_is_writable (SwBuffer *self);

SW_AVAILABLE_IN_0_1
guint64
sw_buffer_new_dlpack (SwBuffer *self) G_GNUC_WARN_UNUSED_RESULT;
SW_AVAILABLE_IN_0_1
void
sw_buffer_free_dlpack (guint64 address);
SW_AVAILABLE_IN_0_1
guint64
sw_buffer_get_capsule_destructor (guint64 is_valid,
                                  guint64 get_pointer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SwBuffer, sw_buffer_unref)

G_END_DECLS
