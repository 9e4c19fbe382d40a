/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#ifndef _SW_EXTERN
#define _SW_EXTERN extern
#endif

/* A symbol without one of these macros stays inside the library. */
#define SW_AVAILABLE_IN_0_1 _SW_EXTERN
