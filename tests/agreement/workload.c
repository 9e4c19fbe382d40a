/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs workload.txt in C and prints what was recorded. */
#include "config.h"

#include "workload-calls.h"
#include "workload-carriers.h"
#include "workload-results.h"

#include "tests/fixtures/clock.h"

#include <string.h>

typedef struct
{
  GPtrArray *lines; /* of GStrv */
  GHashTable *tensors;
  GHashTable *profilers;
} Runner;

/* A block of lines as the block of a step. */
typedef struct
{
  Runner *runner;
  guint place;
  gboolean throws;
} Block;

static void
run_block (Runner *self,
           guint place);

/* --- What the script names --- */

static GType
get_class (const char *name)
{
  const struct
  {
    const char *name;
    GType type;
  } classes[] = {
    { "Generic", SW_TYPE_GENERIC },
    { "CPU", SW_TYPE_CPU },
    { "Evictable", SW_TYPE_EVICTABLE },
    { "First", workload_first_get_type () },
    { "Second", workload_second_get_type () },
    { "Twin", workload_twin_get_type () },
    { "Step", WORKLOAD_TYPE_STEP },
    { "Lowering", WORKLOAD_TYPE_LOWERING },
  };

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      if (g_str_equal (classes[i].name, name))
        return classes[i].type;
    }
  g_error ("no class is called %s", name);
}

static double
value_at (gint64 index)
{
  return (double) (index + 1) * (index % 2 == 0 ? -1 : 1);
}

static SwCarrier *
make_generic (gint64 size)
{
  g_autoptr (GError) error = NULL;
  g_autofree double *values = g_new (double, size + 1);
  SwCarrier *carrier;

  for (gint64 i = 0; i < size; i++)
    values[i] = value_at (i);
  carrier = sw_generic_new_doubles (values, size, SW_DTYPE_FLOAT32, &error);
  g_assert_no_error (error);
  return carrier;
}

static SwCarrier *
make_cpu (gint64 size)
{
  g_autoptr (GError) error = NULL;
  SwCarrier *carrier = sw_cpu_new (size, TRUE, SW_DTYPE_FLOAT32, FALSE, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < size; i++)
    {
      g_autoptr (SwValue) value = sw_value_new_double (value_at (i));

      sw_carrier_set_value (carrier, i, value, &error);
      g_assert_no_error (error);
    }
  return carrier;
}

static SwCarrier *
make_carrier (const char *name,
              gint64 size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwCarrier) primary = NULL, secondary = NULL;
  SwCarrier *carrier;

  if (g_str_equal (name, "Generic"))
    return make_generic (size);
  if (g_str_equal (name, "CPU"))
    return make_cpu (size);
  g_assert_cmpstr (name, ==, "Evictable");
  primary = make_generic (size);
  secondary = make_generic (0);
  carrier = sw_evictable_new (primary, secondary, &error);
  g_assert_no_error (error);
  return carrier;
}

static SwTensor *
make_tensor (const char *chain,
             const char *shape_text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwShape) shape = sw_shape_new_from_string (shape_text, &error);
  g_auto (GStrv) names = g_strsplit (chain, "/", -1);
  guint n = g_strv_length (names);
  g_autoptr (SwCarrier) carrier = NULL;
  g_autoptr (SwLayout) layout = NULL;
  SwTensor *tensor;

  g_assert_no_error (error);
  carrier = make_carrier (names[n - 1], sw_shape_get_size (shape));
  for (guint i = n - 1; i-- > 0;)
    {
      g_autoptr (SwCarrier) inner = g_steal_pointer (&carrier);

      carrier = workload_adapter_new (get_class (names[i]), inner);
    }
  layout = sw_layout_new_compact (shape);
  tensor = sw_tensor_new (carrier, 0, layout, &error);
  g_assert_no_error (error);
  return tensor;
}

static const char *
kind_of (const GError *error)
{
  if (error->domain == WORKLOAD_ERROR)
    return "thrown";
  g_assert_cmpint (error->domain, ==, SW_ERROR);
  switch ((SwError) error->code)
    {
    case SW_ERROR_TYPE:
      return "type";
    case SW_ERROR_VALUE:
      return "value";
    default:
      return "state";
    }
}

/* --- Commands with a block --- */

static void
profile (Runner *self,
         guint place,
         char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) types = NULL;
  gboolean record_shapes = FALSE;
  SwProfiler *profiler;

  for (guint i = 2; words[i] != NULL; i++)
    {
      g_auto (GStrv) names = NULL;

      record_shapes |= g_str_equal (words[i], "shapes");
      if (!g_str_has_prefix (words[i], "carriers="))
        continue;
      types = g_array_new (FALSE, FALSE, sizeof (GType));
      names = g_strsplit (words[i] + strlen ("carriers="), ",", -1);
      for (guint k = 0; names[k] != NULL; k++)
        g_array_append_vals (types, (GType[]){ get_class (names[k]) }, 1);
    }

  profiler = types != NULL ? sw_profiler_new_for_carriers ((GType *) types->data, types->len, record_shapes, &error)
                           : sw_profiler_new (record_shapes);
  g_assert_no_error (error);
  g_hash_table_insert (self->profilers, g_strdup (words[1]), profiler);
  sw_profiler_enter (profiler, &error);
  g_assert_no_error (error);
  run_block (self, place);
  sw_profiler_exit (profiler, &error);
  g_assert_no_error (error);
}

static gboolean
run_as_step (gpointer data,
             GError **error)
{
  Block *block = data;

  run_block (block->runner, block->place);
  if (block->throws)
    g_set_error_literal (error, WORKLOAD_ERROR, 1, "thrown");
  return !block->throws;
}

/* Its second input is no tensor, as the function of other languages is none. */
static SwTensor *
execute_step (SwTensor *tensor,
              WorkloadBlock block,
              gpointer data,
              GError **error)
{
  g_autoptr (SwOperation) operation = sw_carrier_dispatch_op (sw_tensor_get_carrier (tensor), "step", error);
  g_autoptr (SwValue) first = sw_value_new_tensor (tensor);
  g_autoptr (SwValue) second = sw_value_new_none ();
  g_autoptr (SwValueList) inputs = sw_value_list_new ((SwValue *[]){ first, second }, 2);

  g_assert_nonnull (operation);
  workload_step_set_block (WORKLOAD_STEP (operation), block, data);
  return sw_operation_forward (operation, inputs, NULL, error);
}

static void
step (Runner *self,
      guint place,
      char **words)
{
  g_autoptr (GError) error = NULL;
  Block block = { self, place, g_str_equal (words[0], "throw") };
  g_autoptr (SwTensor) result = execute_step (g_hash_table_lookup (self->tensors, words[1]), run_as_step, &block, &error);

  if (!block.throws)
    {
      g_assert_no_error (error);
      return;
    }
  g_assert_error (error, WORKLOAD_ERROR, 1);
  g_print ("caught throw\n");
}

static void
repeat (Runner *self,
        guint place,
        char **words)
{
  for (gint64 n = g_ascii_strtoll (words[1], NULL, 10); n > 0; n--)
    run_block (self, place);
}

static const struct
{
  const char *name;
  void (*run) (Runner *,
               guint,
               char **);
} block_commands[] = { { "profile", profile }, { "step", step }, { "throw", step }, { "repeat", repeat } };

/* --- Commands of one line --- */

static void
set_name (Runner *self,
          char **words)
{
  sw_profiler_set_type_name (get_class (words[1]), words[2]);
}

static void
set_clock (Runner *self,
           char **words)
{
  fixture_clock_set (g_ascii_strtoll (words[1], NULL, 10), g_ascii_strtoll (words[2], NULL, 10));
}

static void
advance (Runner *self,
         char **words)
{
  fixture_clock_advance (g_ascii_strtoll (words[1], NULL, 10));
}

static void
add_tensor (Runner *self,
            char **words)
{
  g_hash_table_insert (self->tensors, g_strdup (words[1]), make_tensor (words[2], words[3]));
}

static void
release_carrier (Runner *self,
                 char **words)
{
  g_autoptr (GError) error = NULL;

  sw_carrier_release (sw_tensor_get_carrier (g_hash_table_lookup (self->tensors, words[1])), &error);
  g_assert_no_error (error);
}

static void
run (Runner *self,
     char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) result = workload_call (self->tensors, words + 1, &error);

  g_assert_no_error (error);
}

static void
let (Runner *self,
     char **words)
{
  g_autoptr (GError) error = NULL;
  SwTensor *result = workload_call (self->tensors, words + 2, &error);

  g_assert_no_error (error);
  g_hash_table_insert (self->tensors, g_strdup (words[1]), result);
}

static void
fail (Runner *self,
      char **words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (workload_call (self->tensors, words + 1, &error));
  g_print ("caught %s %s\n", words[1], kind_of (error));
}

static void
lookup (Runner *self,
        char **words)
{
  g_autoptr (GError) error = NULL;
  SwTensor *tensor = g_hash_table_lookup (self->tensors, words[2]);
  g_autoptr (SwOperation) operation = sw_carrier_dispatch_op (sw_tensor_get_carrier (tensor), words[1], &error);

  g_assert_no_error (error);
}

static void
run_directly (Runner *self,
              char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwOperation) operation = g_object_new (WORKLOAD_TYPE_STEP, NULL);
  SwTensor *tensor = g_hash_table_lookup (self->tensors, words[1]);
  g_autoptr (SwValueList) inputs = sw_value_list_new_tensors (&tensor, 1);
  g_autoptr (SwTensor) result = sw_operation_forward (operation, inputs, NULL, &error);

  g_assert_no_error (error);
}

static void
move_tensor (Runner *self,
             char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SwTensor) tensor = make_tensor ("Generic", "(2,)");
  g_autoptr (SwCarrier) destination = make_cpu (2);
  g_autoptr (SwTensor) moved = sw_move (tensor, destination, &error);

  g_assert_no_error (error);
}

static void
refuse (Runner *self,
        char **words)
{
  g_autoptr (SwProfiler) profiler = sw_profiler_new (FALSE);

  for (int attempt = 0; attempt < 2; attempt++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (sw_profiler_enter (profiler, &error));
      g_print ("refused %s\n", kind_of (error));
    }
}

static void
show (Runner *self,
      char **words)
{
  workload_show (g_hash_table_lookup (self->profilers, words[1]), words[1]);
}

static void
summary (Runner *self,
         char **words)
{
  workload_summarize (g_hash_table_lookup (self->profilers, words[1]));
}

static void
tables (Runner *self,
        char **words)
{
  workload_print_tables (g_hash_table_lookup (self->profilers, words[1]));
}

static const struct
{
  const char *name;
  void (*run) (Runner *,
               char **);
} line_commands[] = {
  { "name", set_name },
  { "clock", set_clock },
  { "advance", advance },
  { "tensor", add_tensor },
  { "release", release_carrier },
  { "run", run },
  { "let", let },
  { "fail", fail },
  { "lookup", lookup },
  { "direct", run_directly },
  { "move", move_tensor },
  { "refuse", refuse },
  { "show", show },
  { "summary", summary },
  { "tables", tables },
};

/* --- The script --- */

static gint
find_block_command (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (block_commands); i++)
    {
      if (g_str_equal (block_commands[i].name, name))
        return (gint) i;
    }
  return -1;
}

static guint
skip_block (Runner *self,
            guint place)
{
  for (guint depth = 1; depth > 0; place++)
    {
      const char *command = ((char **) self->lines->pdata[place])[0];

      if (g_str_equal (command, "end"))
        depth--;
      else if (find_block_command (command) >= 0)
        depth++;
    }
  return place;
}

static void
run_line (Runner *self,
          char **words)
{
  for (guint i = 0; i < G_N_ELEMENTS (line_commands); i++)
    {
      if (g_str_equal (line_commands[i].name, words[0]))
        {
          line_commands[i].run (self, words);
          return;
        }
    }
  g_error ("no command is called %s", words[0]);
}

static void
run_block (Runner *self,
           guint place)
{
  while (place < self->lines->len)
    {
      char **words = self->lines->pdata[place++];
      gint command = find_block_command (words[0]);

      if (g_str_equal (words[0], "end"))
        return;
      if (command < 0)
        {
          run_line (self, words);
          continue;
        }
      block_commands[command].run (self, place, words);
      place = skip_block (self, place);
    }
}

static GPtrArray *
read_lines (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  g_auto (GStrv) lines = NULL;
  GPtrArray *result = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);

  g_file_get_contents (path, &contents, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (contents, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_strstrip (lines[i]);
      if (*lines[i] != '\0' && *lines[i] != '#')
        g_ptr_array_add (result, g_strsplit (lines[i], " ", -1));
    }
  return result;
}

int
main (int argc,
      char **argv)
{
  g_autoptr (GPtrArray) lines = read_lines (argv[1]);
  g_autoptr (GHashTable) tensors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) sw_tensor_unref);
  g_autoptr (GHashTable) profilers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  Runner runner = { lines, tensors, profilers };

  run_block (&runner, 0);
  fixture_clock_unset ();
  return 0;
}
