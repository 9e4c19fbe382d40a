/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if !defined(SW_INSIDE) && !defined(SW_COMPILATION)
#error "Include <strideweave.h> only."
#endif

#include <glib-object.h>

#include <sw/base/sw-version-macros.h>

G_BEGIN_DECLS

#define SW_TYPE_PROFILER_ENCODER (sw_profiler_encoder_get_type ())

SW_AVAILABLE_IN_0_1
G_DECLARE_INTERFACE (SwProfilerEncoder, sw_profiler_encoder, SW, PROFILER_ENCODER, GObject)

SW_AVAILABLE_IN_0_1
gboolean sw_profiler_encoder_has_timestamps (SwProfilerEncoder *self);

G_END_DECLS
