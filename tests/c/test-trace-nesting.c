/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is inside of what: against a model that looks at every slice for every slice and every moment. */
#include "config.h"

#include "analysis-fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "sw-profiler/analysis/sw-spill-private.h"

#define N_TRACKS 3
#define END 200

typedef struct
{
  guint32 track;
  gint64 start, duration;
  gint32 depth;
  guint number;
  char name[16];
  /* As the model has it. */
  gint64 cut, self;
  int parent;
} Slice;

typedef struct
{
  SwTraceAnalysis *analysis;
  Slice *slices; /* by number, which the name holds */
  guint n_open;
  guint n_seen;
} Checker;

static int
compare_model (gconstpointer a,
               gconstpointer b)
{
  const Slice *x = a, *y = b;

  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->duration != y->duration)
    return x->duration > y->duration ? -1 : 1;
  if (x->depth != y->depth)
    return (guint) x->depth < (guint) y->depth ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

/* @slices in order. A moment belongs to the last slice in order that is open then. */
static void
model (Slice *slices,
       guint n)
{
  qsort (slices, n, sizeof *slices, compare_model);
  for (guint i = 0; i < n; i++)
    {
      gint64 end = slices[i].start + slices[i].duration;

      slices[i].parent = -1;
      for (guint j = 0; j < i; j++)
        if (slices[j].track == slices[i].track && slices[j].start + slices[j].cut > slices[i].start)
          slices[i].parent = (int) j;
      if (slices[i].parent >= 0)
        end = MIN (end, slices[slices[i].parent].start + slices[slices[i].parent].cut);
      slices[i].cut = end - slices[i].start;
    }
  for (guint32 track = 1; track <= N_TRACKS; track++)
    for (gint64 t = 0; t < 2 * END; t++)
      {
        Slice *owner = NULL;

        for (guint i = 0; i < n; i++)
          if (slices[i].track == track && slices[i].start <= t && t < slices[i].start + slices[i].cut)
            owner = &slices[i];
        if (owner != NULL)
          owner->self++;
      }
}

static guint
get_number (Checker *self,
            guint32 label)
{
  return (guint) g_ascii_strtoull (sw_trace_analysis_get_text (self->analysis, sw_trace_analysis_get_label (self->analysis, label)->name), NULL, 10);
}

static void
check_open (gpointer data,
            SwNestedSlice *slice,
            const SwNestedSlice *parent)
{
  Checker *self = data;

  g_assert_cmpuint (slice->depth, ==, self->n_open);
  g_assert_true ((parent != NULL) == (slice->depth > 0));
  slice->own = get_number (self, slice->label);
  self->n_open++;
}

static Slice *
find_slice (Checker *self,
            guint n,
            guint64 number)
{
  for (guint i = 0; i < n; i++)
    if (self->slices[i].number == number)
      return &self->slices[i];
  g_assert_not_reached ();
}

static guint n_slices;

static void
check_close (gpointer data,
             const SwNestedSlice *slice,
             const SwNestedSlice *parent)
{
  Checker *self = data;
  Slice *expected = find_slice (self, n_slices, slice->own);

  self->n_open--;
  self->n_seen++;
  g_assert_cmpuint (slice->depth, ==, self->n_open);
  g_assert_cmpuint (slice->track, ==, expected->track);
  g_assert_cmpint (slice->start_ns, ==, expected->start);
  g_assert_cmpint (slice->duration_ns, ==, expected->cut);
  g_assert_cmpint (slice->clipped_ns, ==, expected->duration - expected->cut);
  g_assert_true (((slice->flags & SW_SLICE_CLIPPED) != 0) == (slice->clipped_ns > 0));
  g_assert_cmpint (sw_nested_slice_get_self_ns (slice), ==, expected->self);
  g_assert_true ((parent != NULL) == (expected->parent >= 0));
  if (parent != NULL)
    g_assert_cmpuint (parent->own, ==, self->slices[expected->parent].number);
}

static void
shuffle (Slice *slices,
         guint n)
{
  for (guint i = n; i > 1; i--)
    {
      guint j = (guint) g_test_rand_int_range (0, (gint32) i);
      Slice moved = slices[i - 1];

      slices[i - 1] = slices[j];
      slices[j] = moved;
    }
}

static void
check (Slice *slices,
       guint n,
       gsize budget)
{
  static const SwNestingVisitor visitor = { check_open, check_close };
  g_autoptr (GError) error = NULL;
  g_autofree Slice *expected = g_memdup2 (slices, n * sizeof *slices);
  Fixture fixture;
  Checker checker;

  fixture_init (&fixture, budget);
  for (guint32 track = 1; track <= N_TRACKS; track++)
    fixture_track (&fixture, track, SW_TRACE_TRACK_THREAD, "thread");
  for (guint i = 0; i < n; i++)
    {
      expected[i].number = i;
      g_snprintf (expected[i].name, sizeof expected[i].name, "%u", i);
      fixture_slice (&fixture, slices[i].track, expected[i].name, "", slices[i].start, slices[i].duration, slices[i].depth, 0);
    }
  fixture_finish (&fixture);
  if (budget == 0 || n > 16 * N_TRACKS)
    g_assert_true ((sw_spill_get_n_spilled (fixture.analysis->slices) > 0) == (budget == 1));
  model (expected, n);
  checker = (Checker){ fixture.analysis, expected, 0, 0 };
  n_slices = n;
  for (int round = 0; round < 2; round++)
    {
      checker.n_seen = 0;
      g_assert_true (sw_trace_analysis_visit (fixture.analysis, NULL, &visitor, &checker, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (checker.n_seen, ==, n);
    }
  fixture_clear (&fixture);
}

/* Anything at all: overlaps, ties, no length, runaway lengths. */
static guint
make_anything (Slice *slices,
               guint n)
{
  for (guint i = 0; i < n; i++)
    slices[i] = (Slice){
      .track = (guint32) g_test_rand_int_range (1, N_TRACKS + 1),
      .start = g_test_rand_int_range (0, END),
      .duration = g_test_rand_int_range (0, g_test_rand_bit () ? 8 : END),
      .depth = -1,
    };
  return n;
}

/* Slices that nest, with their depths; parents before children. */
static guint
make_forest (Slice *slices,
             guint n,
             guint at,
             gint64 start,
             gint64 end,
             gint32 depth)
{
  while (at < n && start < end)
    {
      gint64 begin = g_test_rand_int_range ((gint32) start, (gint32) end + 1);
      gint64 stop = g_test_rand_int_range ((gint32) begin, (gint32) end + 1);

      slices[at] = (Slice){ .track = 1, .start = begin, .duration = stop - begin, .depth = depth };
      at = make_forest (slices, n, at + 1, begin, stop, depth + 1);
      start = stop;
    }
  return at;
}

static void
test_anything (void)
{
  Slice slices[120];

  for (guint round = 0; round < 60; round++)
    check (slices, make_anything (slices, 1 + round * 2), round % 2);
}

static void
test_forests (void)
{
  Slice slices[150];

  for (guint round = 0; round < 40; round++)
    {
      guint n = make_forest (slices, G_N_ELEMENTS (slices), 0, 0, END, 0);

      check (slices, n, round % 2);
      shuffle (slices, n);
      check (slices, n, (round + 1) % 2);
    }
}

typedef struct
{
  Fixture *fixture;
  const char *name;
  gint64 self;
  guint n;
} Wanted;

static void
add_self (gpointer data,
          const SwNestedSlice *slice,
          const SwNestedSlice *parent)
{
  Wanted *wanted = data;
  const SwTraceLabel *label = sw_trace_analysis_get_label (wanted->fixture->analysis, slice->label);

  if (!g_str_equal (sw_trace_analysis_get_text (wanted->fixture->analysis, label->name), wanted->name))
    return;
  wanted->self += sw_nested_slice_get_self_ns (slice);
  wanted->n++;
}

static gint64
self_of (Fixture *fixture,
         const char *name)
{
  static const SwNestingVisitor visitor = { .close = add_self };
  Wanted wanted = { fixture, name, 0, 0 };

  g_assert_true (sw_trace_analysis_visit (fixture->analysis, NULL, &visitor, &wanted, NULL));
  g_assert_cmpuint (wanted.n, >, 0);
  return wanted.self;
}

/* Of the same times, the one that is stated to be less deep is outside, whatever came first. */
static void
test_depth_decides_ties (void)
{
  Fixture fixture;

  fixture_init (&fixture, 0);
  fixture_track (&fixture, 1, SW_TRACE_TRACK_THREAD, "thread");
  fixture_slice (&fixture, 1, "inner", "", 10, 5, 3, 0);
  fixture_slice (&fixture, 1, "outer", "", 10, 5, 2, 0);
  fixture_slice (&fixture, 1, "first", "", 20, 5, -1, 0);
  fixture_slice (&fixture, 1, "second", "", 20, 5, -1, 0);
  fixture_finish (&fixture);
  g_assert_cmpint (self_of (&fixture, "inner"), ==, 5);
  g_assert_cmpint (self_of (&fixture, "outer"), ==, 0);
  g_assert_cmpint (self_of (&fixture, "second"), ==, 5);
  g_assert_cmpint (self_of (&fixture, "first"), ==, 0);
  fixture_clear (&fixture);
}

/* Nothing asynchronous is inside of anything. */
static void
test_asynchronous (void)
{
  Fixture fixture;

  fixture_init (&fixture, 0);
  fixture_track (&fixture, 1, SW_TRACE_TRACK_ASYNC, "requests");
  fixture_slice (&fixture, 1, "a", "", 0, 100, -1, 0);
  fixture_slice (&fixture, 1, "b", "", 10, 200, -1, 0);
  fixture_finish (&fixture);
  g_assert_cmpint (self_of (&fixture, "a"), ==, 100);
  g_assert_cmpint (self_of (&fixture, "b"), ==, 200);
  fixture_clear (&fixture);
}

static void
test_extreme_times (void)
{
  Fixture fixture;

  fixture_init (&fixture, 0);
  fixture_track (&fixture, 1, SW_TRACE_TRACK_THREAD, "thread");
  fixture_slice (&fixture, 1, "all", "", G_MININT64, G_MAXINT64, -1, 0);
  fixture_slice (&fixture, 1, "late", "", G_MAXINT64 - 5, G_MAXINT64, -1, 0);
  fixture_slice (&fixture, 1, "negative", "", 0, G_MININT64, G_MAXINT32, 0);
  fixture_finish (&fixture);
  g_assert_cmpint (self_of (&fixture, "all"), ==, G_MAXINT64);
  g_assert_cmpint (self_of (&fixture, "late"), ==, 5);
  g_assert_cmpint (self_of (&fixture, "negative"), ==, 0);
  g_assert_cmpuint (fixture.analysis->n_negative, ==, 1);
  g_assert_cmpint (fixture.analysis->first_ns, ==, G_MININT64);
  g_assert_cmpint (fixture.analysis->last_ns, ==, G_MAXINT64);
  fixture_clear (&fixture);
}

/* A nesting that is as deep as there are slices, and many that begin at once. */
static void
test_deep (void)
{
  enum
  {
    N = 200000
  };
  Fixture fixture;

  fixture_init (&fixture, 1 << 20);
  fixture_track (&fixture, 1, SW_TRACE_TRACK_THREAD, "thread");
  for (gint64 i = 0; i < N; i++)
    fixture_slice (&fixture, 1, "deep", "", i % 2, 3 * N - i, -1, 0);
  fixture_finish (&fixture);
  /* All of the time belongs to one of them. */
  g_assert_cmpint (self_of (&fixture, "deep"), ==, 3 * N);
  fixture_clear (&fixture);
}

static void
test_no_place_to_spill (void)
{
  g_autoptr (SwSpill) spill = sw_spill_new (8, 1 << 10, NULL);
  g_autoptr (GError) error = NULL;
  struct rlimit old, none = { 0, 0 };

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  none.rlim_max = old.rlim_max;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &none), ==, 0);
  for (guint64 i = 0; i < 10000; i++)
    *(guint64 *) sw_spill_add (spill, (guint32) i % 3) = i;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  g_assert_false (sw_spill_finish (spill, &error));
  g_assert_error (error, SW_ERROR, SW_ERROR_IO);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace-nesting/anything", test_anything);
  g_test_add_func ("/trace-nesting/forests", test_forests);
  g_test_add_func ("/trace-nesting/depth-decides-ties", test_depth_decides_ties);
  g_test_add_func ("/trace-nesting/asynchronous", test_asynchronous);
  g_test_add_func ("/trace-nesting/extreme-times", test_extreme_times);
  g_test_add_func ("/trace-nesting/deep", test_deep);
  g_test_add_func ("/trace-nesting/no-place-to-spill", test_no_place_to_spill);
  return g_test_run ();
}
