/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/operation/sw-type-name.h"

#include <string.h>

#define LIBRARY_PREFIX "Sw"

/* Not G_DEFINE_QUARK: its cache is a plain variable, which two threads would race for. */
static GQuark
type_name_quark (void)
{
  static gsize quark = 0;

  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_quark_from_static_string ("sw-type-name"));
  return (GQuark) quark;
}

/* What a type is called that nobody named: SwCPU is Strideweave.CPU, as the bindings call it. */
static const char *
default_name (GType type)
{
  const char *name = g_type_name (type);
  g_autofree char *qualified = NULL;

  if (name == NULL)
    return "invalid";
  if (!g_str_has_prefix (name, LIBRARY_PREFIX) || !g_ascii_isupper (name[strlen (LIBRARY_PREFIX)]))
    return name;
  qualified = g_strconcat ("Strideweave.", name + strlen (LIBRARY_PREFIX), NULL);
  return g_intern_string (qualified);
}

/**
 * sw_profiler_get_type_name:
 * @type: the type of a carrier or an operation
 *
 * Returns what results of the Profiler call a type.
 *
 * May be called on any thread.
 *
 * Returns: (transfer none): the name; it stays valid
 */
const char *
sw_profiler_get_type_name (GType type)
{
  const char *name = type != G_TYPE_INVALID ? g_type_get_qdata (type, type_name_quark ()) : NULL;

  return name != NULL ? name : default_name (type);
}

/**
 * sw_profiler_set_type_name:
 * @type: the type of a carrier or an operation
 * @qualified_name: (nullable): the name with its module, such as `package.module.Class`; %NULL for the default
 *
 * Sets what results of the Profiler call a type: in tables, in saved events and in the order of rows.
 *
 * This is for language bindings, whose classes have names that the type system does not know. May be called on any
 * thread. The library keeps the name until the process ends.
 */
void
sw_profiler_set_type_name (GType type,
                           const char *qualified_name)
{
  g_return_if_fail (type != G_TYPE_INVALID);

  /* Interned, so that a reader on another thread keeps a valid name when a later one replaces it. */
  g_type_set_qdata (type, type_name_quark (), (gpointer) g_intern_string (qualified_name));
}
