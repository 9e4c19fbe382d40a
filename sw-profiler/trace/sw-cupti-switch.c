/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-profiler/trace/sw-cupti-switch-private.h"

#include "sw-profiler/trace/sw-cupti-live-private.h"
#include "sw-profiler/trace/sw-trace-types.h"
#include "sw/base/sw-error.h"
#include "sw/base/sw-turn-private.h"

struct _SwCuptiSwitch
{
  SwTurn turn;        /* CUPTI is called with it; of what follows */
  GHashTable *levels; /* by context */
  guint level;
  gboolean is_off; /* for good */
  GError *error;
};

typedef struct
{
  guint32 kind;
  guint level;
  gboolean is_optional;
} Kind;

/* What CUPTI itself costs, and copies between devices, some devices do not tell. */
static const Kind kinds[] = {
  { SW_CUPTI_KIND_EXTERNAL_CORRELATION, SW_TRACE_VERBOSITY_OPERATIONS, FALSE },
  { SW_CUPTI_KIND_CONCURRENT_KERNEL, SW_TRACE_VERBOSITY_OPERATIONS, FALSE },
  { SW_CUPTI_KIND_MEMCPY, SW_TRACE_VERBOSITY_OPERATIONS, FALSE },
  { SW_CUPTI_KIND_MEMSET, SW_TRACE_VERBOSITY_OPERATIONS, FALSE },
  { SW_CUPTI_KIND_MEMCPY2, SW_TRACE_VERBOSITY_OPERATIONS, TRUE },
  { SW_CUPTI_KIND_OVERHEAD, SW_TRACE_VERBOSITY_FULL, TRUE },
};

SwCuptiSwitch *
sw_cupti_switch_new (void)
{
  SwCuptiSwitch *self = g_new0 (SwCuptiSwitch, 1);

  sw_turn_init (&self->turn);
  self->levels = g_hash_table_new (NULL, NULL);
  return self;
}

void
sw_cupti_switch_free (SwCuptiSwitch *self)
{
  sw_turn_clear (&self->turn);
  g_hash_table_unref (self->levels);
  g_clear_error (&self->error);
  g_free (self);
}

static gboolean
set_kind (const SwCuptiLibrary *library,
          const Kind *kind,
          gboolean on,
          GError **error)
{
  SwCuptiResult result = on ? library->call.enable (kind->kind) : library->call.disable (kind->kind);
  g_autofree char *call = NULL;

  if (result == SW_CUPTI_SUCCESS || kind->is_optional)
    return TRUE;
  call = g_strdup_printf ("%s(%u)", on ? "cuptiActivityEnable" : "cuptiActivityDisable", kind->kind);
  return sw_cupti_library_check (library, result, call, SW_ERROR_UNSUPPORTED, error);
}

gboolean
sw_cupti_switch_try (const SwCuptiLibrary *library,
                     GError **error)
{
  guint n = 0;
  gboolean succeeded = TRUE;

  for (; n < G_N_ELEMENTS (kinds) && succeeded; n++)
    succeeded = set_kind (library, &kinds[n], TRUE, error);
  while (n-- > 0)
    set_kind (library, &kinds[n], FALSE, NULL);
  return succeeded;
}

/* With the turn. Threads tell of their spans only while somebody listens. */
static void
change (SwCuptiSwitch *self,
        const SwCuptiLibrary *library,
        guint level)
{
  sw_cupti_live_set_on (level >= SW_TRACE_VERBOSITY_OPERATIONS);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      gboolean was_on = self->level >= kinds[i].level;
      gboolean is_on = level >= kinds[i].level;
      GError *error = NULL;

      if (was_on == is_on || set_kind (library, &kinds[i], is_on, &error))
        continue;
      if (self->error == NULL)
        self->error = error;
      else
        g_error_free (error);
    }
  self->level = level;
}

static guint
get_highest_level (SwCuptiSwitch *self)
{
  GHashTableIter iter;
  gpointer level;
  guint highest = SW_TRACE_VERBOSITY_NONE;

  g_hash_table_iter_init (&iter, self->levels);
  while (g_hash_table_iter_next (&iter, NULL, &level))
    highest = MAX (highest, GPOINTER_TO_UINT (level));
  return highest;
}

static void
update (SwCuptiSwitch *self)
{
  const SwCuptiLibrary *library = sw_cupti_library_get ();
  guint level = self->is_off ? SW_TRACE_VERBOSITY_NONE : get_highest_level (self);

  if (library != NULL && level != self->level)
    change (self, library, level);
}

void
sw_cupti_switch_set_level (SwCuptiSwitch *self,
                           gconstpointer context,
                           guint level)
{
  gboolean is_new = sw_turn_enter (&self->turn);

  if (level != SW_TRACE_VERBOSITY_NONE)
    g_hash_table_insert (self->levels, (gpointer) context, GUINT_TO_POINTER (level));
  else
    g_hash_table_remove (self->levels, context);
  update (self);
  if (is_new)
    sw_turn_leave (&self->turn);
}

void
sw_cupti_switch_off (SwCuptiSwitch *self)
{
  gboolean is_new = sw_turn_enter (&self->turn);

  self->is_off = TRUE;
  update (self);
  if (is_new)
    sw_turn_leave (&self->turn);
}

GError *
sw_cupti_switch_take_error (SwCuptiSwitch *self)
{
  gboolean is_new = sw_turn_enter (&self->turn);
  GError *error = g_steal_pointer (&self->error);

  if (is_new)
    sw_turn_leave (&self->turn);
  return error;
}
