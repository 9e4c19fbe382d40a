/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/operations/sw-functions.h"
#include "sw/operations/sw-operation-info-private.h"

SwOperationInfo sw_operation_infos[SW_N_OPERATIONS] = {
#define SW_OPERATION(ID, name, Stem, stem, FAMILY, DTYPE, flags) \
  { SW_OPERATION_##ID, #name, SW_FAMILY_##FAMILY, SW_RESULT_##DTYPE, flags },
#include "sw/operations/sw-operation-table.h"
#undef SW_OPERATION
};

/* Before anyone can read the table: recorders compare names by address, and another user of the same string may have
 * interned it first. */
__attribute__ ((constructor)) static void
intern_names (void)
{
  for (guint i = 0; i < SW_N_OPERATIONS; i++)
    sw_operation_infos[i].name = g_intern_static_string (sw_operation_infos[i].name);
}

const SwOperationInfo *
sw_operation_info_get (SwOperationId id)
{
  g_return_val_if_fail (id < SW_N_OPERATIONS, NULL);

  return &sw_operation_infos[id];
}

/* NULL: there is no such operation. Who calls by name does so again and again: where names with this beginning were found
 * last is looked at first. */
const SwOperationInfo *
sw_operation_info_find (const char *name)
{
  static guint32 found[64];
  guint32 *last = &found[((guchar) name[0] * 5u + (name[0] != '\0' ? (guchar) name[1] : 0u)) % G_N_ELEMENTS (found)];
  /* Relaxed: a number by itself, which is checked. */
  guint32 guess = __atomic_load_n (last, __ATOMIC_RELAXED);

  if (G_LIKELY (g_str_equal (sw_operation_infos[guess].name, name)))
    return &sw_operation_infos[guess];
  for (guint i = 0; i < SW_N_OPERATIONS; i++)
    {
      if (!g_str_equal (sw_operation_infos[i].name, name))
        continue;
      /* Relaxed: as above. */
      __atomic_store_n (last, i, __ATOMIC_RELAXED);
      return &sw_operation_infos[i];
    }

  return NULL;
}

/**
 * sw_list_operations:
 *
 * Lists the dispatch names of all operations that the library's own carriers implement.
 *
 * [func@Strideweave.call_operation] takes each of them. May be called on any thread.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 */
char **
sw_list_operations (void)
{
  char **names = g_new0 (char *, SW_N_OPERATIONS + 1);

  for (guint i = 0; i < SW_N_OPERATIONS; i++)
    names[i] = g_strdup (sw_operation_infos[i].name);
  return names;
}
