/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <strideweave.h>

/* What plugin.so brings: a type and texts that go when it is unloaded. */
typedef struct
{
  GType (*register_carrier) (GTypeModule *module);
  void (*run) (SwCarrier *carrier);
} Plugin;

#define PLUGIN_SYMBOL "plugin"
