/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw/carriers/generic/sw-generic-operations.h"
#include "sw/carriers/generic/sw-generic-kernels-private.h"
#include "sw/carriers/generic/sw-generic-private.h"
#include "sw/operations/sw-families-private.h"
#include "sw/operations/sw-operation-info-private.h"
#include "sw/operations/sw-operation-private.h"

static const SwImplementation implementations[SW_N_OPERATIONS] = {
#define SW_OPERATION(ID, name, Stem, stem, FAMILY, DTYPE, flags) \
  { &sw_operation_infos[SW_OPERATION_##ID], sw_generic_##stem##_operation_get_type, SW_COMPUTE_##FAMILY, &sw_generic_##stem##_kernel },
#include "sw/operations/sw-operation-table.h"
#undef SW_OPERATION
};

#define SW_OPERATION(ID, name, Stem, stem, FAMILY, DTYPE, flags)                                      \
  GType                                                                                               \
      sw_generic_##stem##_operation_get_type (void)                                                   \
  {                                                                                                   \
    static gsize type;                                                                                \
                                                                                                      \
    if (g_once_init_enter (&type))                                                                    \
      g_once_init_leave (&type, sw_builtin_operation_register ("SwGeneric" #Stem "Operation",         \
                                                               &implementations[SW_OPERATION_##ID])); \
    return type;                                                                                      \
  }
#include "sw/operations/sw-operation-table.h"
#undef SW_OPERATION

void
sw_generic_class_add_kernels (SwCarrierClass *klass)
{
  klass->kernels = implementations;
}
