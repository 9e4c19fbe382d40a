/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "sw/operations/sw-implementation-private.h"
#include "sw/shape/sw-layout-private.h"
#include "sw/tensor/sw-carrier-private.h"

G_BEGIN_DECLS

/* Coordinates that run through some leaves of a layout, the first leaf fastest. No leaves: one coordinate. */
typedef struct
{
  gint64 size;
  guint n_leaves;
  const SwLayoutLeaf *leaves;
} SwAxis;

/* The values of an operand or a result where a kernel can reach them: storage that is held, or one number. */
typedef struct
{
  const char *argument; /* for messages */
  gpointer data;
  SwDType dtype;
  gint64 offset;
  SwAxis axis;
} SwView;

/* One number in the item format of a dtype. */
typedef union
{
  float float32;
  double float64;
  gint32 int32;
  gint64 int64;
  guint8 boolean;
  SwValue *any;
} SwNumberCell;

#define SW_MAX_PARAMETERS 2

/* Every value of @result comes from the values of @kept's coordinate, shifted by each coordinate of @reduced. */
typedef struct
{
  const char *name;
  SwDType accumulator; /* SW_DTYPE_INVALID: the carrier's choice */
  SwView kept;         /* of the input */
  SwAxis reduced;      /* of the input */
  SwView result;
} SwReduction;

/* result[i + j * result_step] is the sum over k of lhs[i, k] * rhs[k, j]: for one matrix after the other, which begin at the
 * coordinates of the batches. */
typedef struct
{
  const char *name;
  SwDType accumulator; /* SW_DTYPE_INVALID: the carrier's choice */
  SwView lhs;          /* its first mode */
  SwAxis lhs_inner;
  SwView rhs; /* its second mode */
  SwAxis rhs_inner;
  SwView result;       /* both modes, the first one of the operation's result first */
  gint64 result_step;  /* from column to column; the rows lie side by side */
  gboolean is_turned;  /* lhs and rhs, and so rows and columns, have changed places, for a result whose last mode is fastest */
  SwAxis lhs_batch;    /* all three of the same size, at least 1 */
  SwAxis rhs_batch;
  SwAxis result_batch;
} SwProduct;

/* Lines of values, as many as the kept coordinates: each of the result comes from the one of the input. The two views hold
 * the kept coordinates, the axes those of one line. */
typedef struct
{
  const char *name;
  SwView input;
  SwAxis input_line;
  SwView result;
  SwAxis result_line;
  /* Only for layer_norm: values for each place of a line, with one leaf at least, or data that is NULL. */
  SwView weight;
  SwView bias;
  double epsilon;
} SwLines;

/* A tensor of which lines along one mode are looked at: the view holds the other coordinates, the axis those of a line. */
typedef struct
{
  SwView view;
  SwAxis line;
} SwIndexedPart;

/* Lines of the input, the index, the result and, where values are scattered, the source belong together. */
typedef struct
{
  const char *name;
  SwIndexedPart input;
  SwIndexedPart index; /* Int32 or Int64 */
  SwIndexedPart result;
  SwIndexedPart source;
} SwIndexed;

#define SW_MAX_WINDOW_MODES 3

/* Windows over the last modes of a tensor, whose first two are images and channels. */
typedef struct
{
  guint n_modes;
  gint64 input_extents[SW_MAX_WINDOW_MODES];
  gint64 input_steps[SW_MAX_WINDOW_MODES];
  gint64 extents[SW_MAX_WINDOW_MODES]; /* of a window */
  gint64 strides[SW_MAX_WINDOW_MODES];
  gint64 dilations[SW_MAX_WINDOW_MODES];
  gint64 paddings[SW_MAX_WINDOW_MODES]; /* before the first value */
  gint64 counts[SW_MAX_WINDOW_MODES];   /* of windows */
  gint64 size;                          /* of a window: the product of its extents */
  gint64 n_positions;                   /* the product of the counts */
} SwWindows;

/* The result has its last mode fastest, then the others backwards; the axes of input and weight are whole tensors. */
typedef struct
{
  const char *name;
  SwWindows windows;
  SwView input;  /* n_images, n_inputs, the modes of the windows */
  SwView weight; /* n_outputs, n_inputs / groups, the extents of a window */
  SwView result; /* n_images, n_outputs, the counts of the windows */
  gint64 n_images;
  gint64 n_inputs;
  gint64 n_outputs;
  gint64 groups;
} SwConvolution;

typedef struct
{
  const char *name;
  SwWindows windows;
  SwView input;
  SwView result;
} SwPooling;

/* What a carrier contributes to an operation. A carrier puts what its run () needs behind these, in a larger struct.
 * All inputs are checked: dtypes agree with the operation's rule, views of one call are congruent, results are fresh and
 * have a value at least, and so do lines that are reduced; only the index and the source of what scatters may be empty.
 * run () fails for what only the values tell, such as overflow. */
typedef struct _SwUnaryKernel SwUnaryKernel;
typedef struct _SwParametricKernel SwParametricKernel;
typedef struct _SwBinaryKernel SwBinaryKernel;
typedef struct _SwSelectKernel SwSelectKernel;
typedef struct _SwReduceKernel SwReduceKernel;
typedef struct _SwLinesKernel SwLinesKernel;
typedef struct _SwConvolutionKernel SwConvolutionKernel;
typedef struct _SwPoolingKernel SwPoolingKernel;
typedef struct _SwIndexedKernel SwIndexedKernel;
typedef struct _SwSortKernel SwSortKernel;
typedef struct _SwMatmulKernel SwMatmulKernel;
typedef struct _SwViewKernel SwViewKernel;

struct _SwUnaryKernel
{
  gboolean (*run) (const SwUnaryKernel *self, const char *name, const SwView *input, const SwView *result, GError **error);
};

/* The parameters are in the item format of the input. */
struct _SwParametricKernel
{
  gboolean (*run) (const SwParametricKernel *self, const char *name, const SwView *input, const SwNumberCell *parameters, const SwView *result, GError **error);
};

struct _SwBinaryKernel
{
  gboolean (*run) (const SwBinaryKernel *self, const char *name, const SwView *lhs, const SwView *rhs, const SwView *result, GError **error);
};

struct _SwSelectKernel
{
  gboolean (*run) (const SwSelectKernel *self, const SwView *condition, const SwView *lhs, const SwView *rhs, const SwView *result, GError **error);
};

struct _SwReduceKernel
{
  gboolean (*run) (const SwReduceKernel *self, const SwReduction *reduction, GError **error);
};

struct _SwLinesKernel
{
  gboolean (*run) (const SwLinesKernel *self, const SwLines *lines, GError **error);
};

struct _SwConvolutionKernel
{
  gboolean (*run) (const SwConvolutionKernel *self, const SwConvolution *convolution, GError **error);
};

/* Each window holds a value at least. */
struct _SwPoolingKernel
{
  gboolean (*run) (const SwPoolingKernel *self, const SwPooling *pooling, GError **error);
};

struct _SwIndexedKernel
{
  gboolean (*run) (const SwIndexedKernel *self, const SwIndexed *indexed, GError **error);
};

/* A line of the result may be shorter than that of the input: it has the values that come first. */
struct _SwSortKernel
{
  gboolean (*run) (const SwSortKernel *self, const SwLines *lines, gboolean is_descending, GError **error);
};

/* run () computes one matrix, run_batch () all of them, for which sw_product_run_each () is there as well. */
struct _SwMatmulKernel
{
  gboolean (*run) (const SwMatmulKernel *self, const SwProduct *product, GError **error);
  gboolean (*run_batch) (const SwMatmulKernel *self, const SwProduct *product, GError **error);
};

/* Runs the kernel for each matrix; a failure says for which. */
gboolean
sw_product_run_each (const SwMatmulKernel *kernel,
                     const SwProduct *product,
                     GError **error);

struct _SwViewKernel
{
  /* Says with @needs_copy that no strides over the same storage express the result; the layout is a compact one then. */
  SwLayout *(*transform) (const SwCall *call, SwLayout *layout, gboolean *needs_copy, GError **error);
  /* NULL where a copy is never needed. */
  void (*copy) (const SwView *input, const SwView *result);
  /* How many inputs there may be, the tensor included. */
  guint min_inputs;
  guint max_inputs;
};

static inline gint64
sw_axis_get_index (const SwAxis *self,
                   gint64 ordinal)
{
  gint64 index = 0;

  for (guint i = 0; i < self->n_leaves; i++)
    {
      index += ordinal % self->leaves[i].extent * self->leaves[i].step;
      ordinal /= self->leaves[i].extent;
    }
  return index;
}

/* The step of an axis that one loop can walk; 0 where it has a single coordinate, FALSE when it takes several loops. */
static inline gboolean
sw_axis_get_step (const SwAxis *self,
                  gint64 *step)
{
  gint64 extent = 1;

  *step = 0;
  for (guint i = 0; i < self->n_leaves; i++)
    {
      if (self->leaves[i].extent == 1)
        continue;
      if (extent > 1 && self->leaves[i].step != *step * extent)
        return FALSE;
      if (extent == 1)
        *step = self->leaves[i].step;
      extent *= self->leaves[i].extent;
    }
  return TRUE;
}

/* Which value of the operation's result is in row @i and column @j of the product. */
static inline gint64
sw_product_get_ordinal (const SwProduct *self,
                        gint64 i,
                        gint64 j)
{
  return self->is_turned ? j + i * self->rhs.axis.size : i + j * self->lhs.axis.size;
}

/* The matrix number @i alone. */
static inline SwProduct
sw_product_get_matrix (const SwProduct *self,
                       gint64 i)
{
  SwProduct matrix = *self;

  matrix.lhs.offset += sw_axis_get_index (&self->lhs_batch, i);
  matrix.rhs.offset += sw_axis_get_index (&self->rhs_batch, i);
  matrix.result.offset += sw_axis_get_index (&self->result_batch, i);
  return matrix;
}

static inline gint64
sw_view_get_index (const SwView *self,
                   gint64 ordinal)
{
  return self->offset + sw_axis_get_index (&self->axis, ordinal);
}

G_END_DECLS
