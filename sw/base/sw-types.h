/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#if !defined(SW_INSIDE) && !defined(SW_COMPILATION)
#error "Include <strideweave.h> only."
#endif

#include <glib-object.h>

#include <sw/base/sw-version-macros.h>

G_BEGIN_DECLS

typedef struct _SwShape SwShape;
typedef struct _SwStride SwStride;
typedef struct _SwLayout SwLayout;
typedef struct _SwValue SwValue;
typedef struct _SwValueList SwValueList;
typedef struct _SwTensor SwTensor;
typedef struct _SwCarrier SwCarrier;
typedef struct _SwOperation SwOperation;
typedef struct _SwExecutionOptions SwExecutionOptions;

G_END_DECLS
