/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random trees of nested operations against a model of what must be recorded. */
#include "config.h"

#include "profiler-fixtures.h"

#define MAX_DEPTH 64
#define MAX_NODES 200
#define N_TREES 400
#define STEP 3

typedef struct _Node Node;

struct _Node
{
  GType carrier_type;
  gboolean fails;      /* after its children */
  gboolean propagates; /* the failure of a child ends it at once */
  GPtrArray *children;
};

typedef struct
{
  gint64 parent;
  GType carrier_type;
  gint64 start, duration, self_time;
  gboolean succeeded;
} Expected;

typedef struct
{
  GArray *events; /* of Expected */
  gint64 now;
  gboolean select_test, select_other;
} Model;

static void
node_free (gpointer data)
{
  Node *node = data;

  g_ptr_array_unref (node->children);
  g_free (node);
}

static Node *
node_new (guint depth,
          guint *n_nodes,
          gboolean deep)
{
  Node *node = g_new0 (Node, 1);
  guint n_children = depth >= MAX_DEPTH ? 0 : (guint) g_test_rand_int_range (deep ? 1 : 0, deep ? 2 : 4);

  ++*n_nodes;
  node->carrier_type = g_test_rand_bit () ? TEST_TYPE_CARRIER : TEST_TYPE_OTHER_CARRIER;
  node->fails = g_test_rand_int_range (0, 5) == 0;
  node->propagates = g_test_rand_bit ();
  node->children = g_ptr_array_new_with_free_func (node_free);
  for (guint i = 0; i < n_children && *n_nodes < MAX_NODES; i++)
    g_ptr_array_add (node->children, node_new (depth + 1, n_nodes, deep));
  return node;
}

static SwTensor *
run_node (SwOperation *operation,
          SwValueList *inputs,
          gpointer data,
          GError **error);

static gboolean
execute (Node *node,
         GError **error)
{
  g_autoptr (SwCarrier) carrier = test_carrier_new (node->carrier_type, run_node, node);
  g_autoptr (SwTensor) tensor = test_tensor_on (carrier);
  g_autoptr (SwTensor) result = sw_relu (tensor, error);

  return result != NULL;
}

static SwTensor *
run_node (SwOperation *operation,
          SwValueList *inputs,
          gpointer data,
          GError **error)
{
  Node *node = data;

  for (guint i = 0; i < node->children->len; i++)
    {
      if (!execute (g_ptr_array_index (node->children, i), node->propagates ? error : NULL) && node->propagates)
        return NULL;
    }

  if (node->fails)
    {
      g_set_error_literal (error, SW_ERROR, SW_ERROR_FAILED, "meant to fail");
      return NULL;
    }
  return sw_value_list_dup_tensor (inputs, 0, error);
}

/* The same run in the model: each boundary reads the clock once when it begins and once when it ends. */
static gint64
simulate (Model *model,
          Node *node,
          gint64 ancestor,
          gboolean *succeeded)
{
  gboolean selected = node->carrier_type == TEST_TYPE_CARRIER ? model->select_test : model->select_other;
  gint64 start = model->now;
  gint64 children = 0;
  gint64 own = -1;

  model->now += STEP;
  *succeeded = !node->fails;
  if (selected)
    {
      Expected event = { ancestor, node->carrier_type, start, 0, 0, FALSE };

      own = model->events->len;
      g_array_append_val (model->events, event);
    }

  for (guint i = 0; i < node->children->len; i++)
    {
      gboolean child_succeeded;

      children += simulate (model, g_ptr_array_index (node->children, i), selected ? own : ancestor, &child_succeeded);
      if (!child_succeeded && node->propagates)
        {
          *succeeded = FALSE;
          break;
        }
    }

  if (selected)
    {
      Expected *event = &g_array_index (model->events, Expected, own);

      event->duration = model->now - start;
      event->self_time = event->duration - children;
      event->succeeded = *succeeded;
    }
  model->now += STEP;
  return model->now - STEP - start;
}

static SwProfiler *
make_profiler (Model *model)
{
  GType carriers[2];
  gsize n = 0;

  if (model->select_test)
    carriers[n++] = TEST_TYPE_CARRIER;
  if (model->select_other)
    carriers[n++] = TEST_TYPE_OTHER_CARRIER;
  return n == 2 && g_test_rand_bit () ? sw_profiler_new (TRUE) : sw_profiler_new_for_carriers (carriers, n, TRUE, NULL);
}

static void
assert_event (SwProfilerEvent *event,
              const Expected *expected,
              guint id)
{
  gint64 parent;

  if (!sw_profiler_event_get_parent_id (event, &parent))
    parent = -1;
  g_assert_cmpint (sw_profiler_event_get_id (event), ==, id);
  g_assert_cmpint (parent, ==, expected->parent);
  g_assert_cmpuint (sw_profiler_event_get_carrier_type (event), ==, expected->carrier_type);
  g_assert_cmpint (sw_profiler_event_get_start_time_ns (event), ==, expected->start);
  g_assert_cmpint (sw_profiler_event_get_duration_ns (event), ==, expected->duration);
  g_assert_cmpint (sw_profiler_event_get_self_time_ns (event), ==, expected->self_time);
  g_assert_cmpint (sw_profiler_event_get_succeeded (event), ==, expected->succeeded);
}

static void
check_tree (gboolean deep)
{
  guint n_nodes = 0;
  Node *root = node_new (1, &n_nodes, deep);
  Model model = { g_array_new (FALSE, FALSE, sizeof (Expected)), 0, g_test_rand_bit (), g_test_rand_bit () };
  g_autoptr (SwProfiler) profiler = make_profiler (&model);
  g_autoptr (GPtrArray) events = NULL;
  gint64 begin;

  sw_testing_set_fake_clock (1000, STEP);
  g_assert_true (sw_profiler_enter (profiler, NULL));
  begin = 1000 + STEP;
  /* Two independent runs in one session: a failure in the first leaves nothing behind for the second. */
  model.now = begin;
  for (guint run = 0; run < 2; run++)
    {
      gboolean expected;
      gboolean succeeded = execute (root, NULL);

      simulate (&model, root, -1, &expected);
      g_assert_cmpint (succeeded, ==, expected);
    }
  test_profiler_exit (profiler);
  sw_testing_unset_fake_clock ();

  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, model.events->len);
  for (guint i = 0; i < events->len; i++)
    assert_event (g_ptr_array_index (events, i), &g_array_index (model.events, Expected, i), i);

  g_array_unref (model.events);
  node_free (root);
}

static void
test_wide (void)
{
  /* Covers: 8.1, 8.2, 8.3, 8.5, 8.6, 8.8 */
  for (guint i = 0; i < N_TREES; i++)
    check_tree (FALSE);
}

static void
test_deep (void)
{
  /* Covers: 8.6, 8.7 */
  for (guint i = 0; i < N_TREES / 8; i++)
    check_tree (TRUE);
}

static void
test_many (void)
{
  /* Covers: 5.1 */
  g_autoptr (SwTensor) tensor = test_evictable_tensor (1);
  g_autoptr (SwProfiler) profiler = test_profiler_entered (TRUE);
  g_autoptr (GPtrArray) events = NULL;
  gint64 last = 0;

  /* Several chunks, with parents and children on both sides of each edge. */
  for (guint i = 0; i < 10001; i++)
    test_relu (tensor);
  test_profiler_exit (profiler);
  events = test_profiler_events (profiler);
  g_assert_cmpuint (events->len, ==, 20002);
  for (guint i = 0; i < events->len; i++)
    {
      SwProfilerEvent *event = g_ptr_array_index (events, i);
      gint64 parent;

      g_assert_cmpint (sw_profiler_event_get_parent_id (event, &parent), ==, i % 2);
      if (i % 2 == 1)
        {
          SwProfilerEvent *outer = g_ptr_array_index (events, i - 1);

          g_assert_cmpint (parent, ==, i - 1);
          g_assert_cmpint (sw_profiler_event_get_self_time_ns (outer), ==,
                           sw_profiler_event_get_duration_ns (outer) - sw_profiler_event_get_duration_ns (event));
        }
      g_assert_cmpint (sw_profiler_event_get_start_time_ns (event), >=, last);
      last = sw_profiler_event_get_start_time_ns (event);
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/trees/wide", test_wide);
  g_test_add_func ("/profiler/trees/deep", test_deep);
  g_test_add_func ("/profiler/trees/many", test_many);
  return g_test_run ();
}
