/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-kernel-private.h"

G_BEGIN_DECLS

/* Reads strides, paddings and the like, and what windows over the last modes of the first operand come to: its first two
 * modes are images and channels. @window has an extent for each further mode. Positions of absent or None operands have
 * their defaults: strides of @default_strides, no padding, dilations of 1; an index of 0 stands for an operand that the
 * operation does not have. Fails with TYPE or VALUE. */
gboolean
sw_windows_init (SwWindows *self,
                 const SwCall *call,
                 SwLayout *layout,
                 const gint64 *window,
                 const gint64 *default_strides,
                 guint strides,
                 guint padding,
                 guint dilation,
                 GError **error);

/* VALUE error unless the tensor has two modes and one to SW_MAX_WINDOW_MODES more, none of which is nested; else how many
 * more there are. */
gboolean
sw_windows_count (SwLayout *layout,
                  const char *argument,
                  guint *n_modes,
                  GError **error);

/* The layout of a result of @n_images and @n_channels: the last mode fastest. */
SwLayout *
sw_windows_build_layout (const SwWindows *self,
                         gint64 n_images,
                         gint64 n_channels,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
