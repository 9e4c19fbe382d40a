/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-private.h"

/* The functions on tensors. Each calls C where its operands are what it usually gets, and else hands them to the
 * override's own function of that name, which knows everything about odd ones. */

typedef SwTensor *(*OneFunction) (SwTensor *input,
                                  GError **error);
typedef SwTensor *(*TwoFunction) (SwTensor *lhs,
                                  SwTensor *rhs,
                                  GError **error);
typedef SwTensor *(*NumberFunction) (SwTensor *lhs,
                                     double rhs,
                                     GError **error);

typedef SwTensor *(*ShapeFunction) (SwTensor *input,
                                    SwShape *shape,
                                    GError **error);

typedef struct
{
  OneFunction one;
  TwoFunction two;
  NumberFunction number;
  ShapeFunction shape;
  PyMethodDef method;
  gboolean takes_out; /* as the only keyword */
  PyObject *fallback; /* from use on */
} Function;

/* Up to this many values an operation takes less time than another thread would need to notice that it may run. */
#define N_BRIEF 4096
/* The same for the product of the sizes of two matrices, which is at least the number of multiplications. */
#define N_BRIEF_PRODUCT 65536
/* The greatest integer up to which a double has them all. */
#define MAX_EXACT (G_GINT64_CONSTANT (1) << 53)

static PyTypeObject *tensor_type, *shape_type; /* those of the namespace */
static PyTypeObject *tensor_class;             /* what the override makes of it */
static GType tensor_gtype, cpu_gtype, generic_gtype, file_gtype;

static inline SwTensor *
peek_tensor (PyObject *object)
{
  return sw_python_peek_boxed (object, tensor_type);
}

gboolean
sw_python_is_base_of_boxed (PyTypeObject *type)
{
  return shape_type != NULL && shape_type != type && PyType_IsSubtype (shape_type, type);
}

/* Whether an operation on @tensor neither takes long nor waits for anything: then it keeps the GIL. */
static gboolean
is_brief (SwTensor *tensor)
{
  GType type = sw_tensor_get_carrier_type (tensor);

  return (type == cpu_gtype || type == generic_gtype) && sw_tensor_get_size (tensor) <= N_BRIEF;
}

static gboolean
is_brief_product (SwTensor *lhs,
                  SwTensor *rhs)
{
  return is_brief (lhs) && is_brief (rhs) && sw_tensor_get_size (lhs) * sw_tensor_get_size (rhs) <= N_BRIEF_PRODUCT;
}

/* Whether the library itself stores each value as a number of C, for which 2 and 2.0 are the same operand. */
static gboolean
has_plain_numbers (SwTensor *tensor)
{
  GType type = sw_tensor_get_carrier_type (tensor);

  return type == cpu_gtype || type == file_gtype || (type == generic_gtype && sw_tensor_get_dtype (tensor) != SW_DTYPE_ANY);
}

static inline gboolean
may_compute (void)
{
  if (G_UNLIKELY (sw_python_is_closing ()))
    return FALSE;
  sw_python_meet_thread ();
  return TRUE;
}

static PyObject *
return_tensor (SwTensor *result,
               GError *error)
{
  if (G_UNLIKELY (result == NULL))
    return sw_python_raise (error);
  if (G_UNLIKELY (!sw_python_after_success ()))
    {
      sw_tensor_unref (result);
      return NULL;
    }
  return sw_python_take_boxed (tensor_class, tensor_gtype, result);
}

/* The operands have a reference while C uses them: other threads, and hooks, may clear the objects that hold them. */
static PyObject *
run_one (const Function *self,
         SwTensor *input)
{
  GError *error = NULL;
  SwTensor *result;

  sw_tensor_ref (input);
  if (G_LIKELY (is_brief (input)))
    result = self->one (input, &error);
  else
    {
      Py_BEGIN_ALLOW_THREADS
          result = self->one (input, &error);
      Py_END_ALLOW_THREADS
    }
  sw_tensor_unref (input);
  return return_tensor (result, error);
}

static PyObject *
run_two (const Function *self,
         SwTensor *lhs,
         SwTensor *rhs)
{
  GError *error = NULL;
  SwTensor *result;

  sw_tensor_ref (lhs);
  sw_tensor_ref (rhs);
  if (G_LIKELY (is_brief (lhs)))
    result = self->two (lhs, rhs, &error);
  else
    {
      Py_BEGIN_ALLOW_THREADS
          result = self->two (lhs, rhs, &error);
      Py_END_ALLOW_THREADS
    }
  sw_tensor_unref (rhs);
  sw_tensor_unref (lhs);
  return return_tensor (result, error);
}

static PyObject *
run_number (const Function *self,
            SwTensor *lhs,
            double rhs)
{
  GError *error = NULL;
  SwTensor *result;

  sw_tensor_ref (lhs);
  if (G_LIKELY (is_brief (lhs)))
    result = self->number (lhs, rhs, &error);
  else
    {
      Py_BEGIN_ALLOW_THREADS
          result = self->number (lhs, rhs, &error);
      Py_END_ALLOW_THREADS
    }
  sw_tensor_unref (lhs);
  return return_tensor (result, error);
}

/* As the functions above, with the result in the tensor of @result, which is returned. */
static PyObject *
run_into (const Function *self,
          SwTensor *lhs,
          SwTensor *rhs, /* nullable */
          PyObject *result)
{
  const char *name = self->method.ml_name;
  SwTensor *out = sw_tensor_ref (peek_tensor (result));
  GError *error = NULL;
  gboolean is_written;

  sw_tensor_ref (lhs);
  if (rhs != NULL)
    sw_tensor_ref (rhs);
  Py_INCREF (result);
  /* Only products take more time than their results are large. */
  if (self->one != NULL || self->two != NULL ? is_brief (lhs) : is_brief_product (lhs, rhs))
    is_written = rhs == NULL ? sw_unary_into (out, name, lhs, &error) : sw_binary_into (out, name, lhs, rhs, &error);
  else
    {
      Py_BEGIN_ALLOW_THREADS
          is_written = rhs == NULL ? sw_unary_into (out, name, lhs, &error) : sw_binary_into (out, name, lhs, rhs, &error);
      Py_END_ALLOW_THREADS
    }
  if (rhs != NULL)
    sw_tensor_unref (rhs);
  sw_tensor_unref (lhs);
  sw_tensor_unref (out);
  if (G_LIKELY (is_written && sw_python_after_success ()))
    return result;

  Py_DECREF (result);
  return is_written ? NULL : sw_python_raise (error);
}

/* Whether "out" with a tensor is all that stands behind the operands. */
static inline gboolean
has_out (const Function *self,
         PyObject *names,
         PyObject *value)
{
  return self->takes_out && PyTuple_GET_SIZE (names) == 1 && PyUnicode_CompareWithASCIIString (PyTuple_GET_ITEM (names, 0), "out") == 0 &&
         peek_tensor (value) != NULL;
}

/* What these do is to arrange, except on a carrier of other people. */
static PyObject *
run_shape (const Function *self,
           SwTensor *input,
           SwShape *shape)
{
  GError *error = NULL;
  SwTensor *result;

  sw_tensor_ref (input);
  sw_shape_ref (shape);
  if (G_LIKELY (is_brief (input)))
    result = self->shape (input, shape, &error);
  else
    {
      Py_BEGIN_ALLOW_THREADS
          result = self->shape (input, shape, &error);
      Py_END_ALLOW_THREADS
    }
  sw_shape_unref (shape);
  sw_tensor_unref (input);
  return return_tensor (result, error);
}

static PyObject *
run_matmul (SwTensor *lhs,
            SwTensor *rhs)
{
  GError *error = NULL;
  SwTensor *result;

  sw_tensor_ref (lhs);
  sw_tensor_ref (rhs);
  if (is_brief_product (lhs, rhs))
    result = sw_matmul (lhs, rhs, NULL, &error);
  else
    {
      Py_BEGIN_ALLOW_THREADS
          result = sw_matmul (lhs, rhs, NULL, &error);
      Py_END_ALLOW_THREADS
    }
  sw_tensor_unref (rhs);
  sw_tensor_unref (lhs);
  return return_tensor (result, error);
}

/* Whether @rhs is a number that may go as a double. */
static gboolean
get_number (SwTensor *lhs,
            PyObject *rhs,
            double *number)
{
  long long integer;
  int overflow;

  if (PyFloat_CheckExact (rhs))
    {
      *number = PyFloat_AS_DOUBLE (rhs);
      return TRUE;
    }
  if (!PyLong_CheckExact (rhs) || !has_plain_numbers (lhs))
    return FALSE;
  integer = PyLong_AsLongLongAndOverflow (rhs, &overflow);
  *number = (double) integer;
  return overflow == 0 && integer >= -MAX_EXACT && integer <= MAX_EXACT;
}

static PyObject *
call_one (const Function *self,
          PyObject *const *args,
          Py_ssize_t n_args,
          PyObject *names)
{
  SwTensor *input;

  if (G_LIKELY (n_args == 1 && may_compute () && (input = peek_tensor (args[0])) != NULL))
    {
      if (G_LIKELY (names == NULL))
        return run_one (self, input);
      if (has_out (self, names, args[1]))
        return run_into (self, input, NULL, args[1]);
    }
  return PyObject_Vectorcall (self->fallback, args, n_args, names);
}

static PyObject *
call_two (const Function *self,
          PyObject *const *args,
          Py_ssize_t n_args,
          PyObject *names)
{
  SwTensor *lhs, *rhs;
  double number;

  if (G_LIKELY (n_args == 2 && may_compute () && (lhs = peek_tensor (args[0])) != NULL))
    {
      rhs = peek_tensor (args[1]);
      if (names != NULL)
        return rhs != NULL && has_out (self, names, args[2]) ? run_into (self, lhs, rhs, args[2]) :
                                                               PyObject_Vectorcall (self->fallback, args, n_args, names);
      if (rhs != NULL)
        return run_two (self, lhs, rhs);
      if (self->number != NULL && get_number (lhs, args[1], &number))
        return run_number (self, lhs, number);
    }
  return PyObject_Vectorcall (self->fallback, args, n_args, names);
}

static PyObject *
call_shape (const Function *self,
            PyObject *const *args,
            Py_ssize_t n_args,
            PyObject *names)
{
  SwTensor *input;
  SwShape *shape;

  if (G_LIKELY (n_args == 2 && names == NULL && may_compute ()) && (input = peek_tensor (args[0])) != NULL &&
      (shape = sw_python_peek_boxed (args[1], shape_type)) != NULL)
    return run_shape (self, input, shape);
  return PyObject_Vectorcall (self->fallback, args, n_args, names);
}

static PyObject *
call_matmul (const Function *self,
             PyObject *const *args,
             Py_ssize_t n_args,
             PyObject *names)
{
  SwTensor *lhs, *rhs;

  if (G_LIKELY (n_args == 2 && may_compute ()) &&
      (lhs = peek_tensor (args[0])) != NULL && (rhs = peek_tensor (args[1])) != NULL)
    {
      if (names == NULL)
        return run_matmul (lhs, rhs);
      if (has_out (self, names, args[2]))
        return run_into (self, lhs, rhs, args[2]);
    }
  return PyObject_Vectorcall (self->fallback, args, n_args, names);
}

static SwTensor *
sum_all (SwTensor *input,
         GError **error)
{
  return sw_reduce_sum (input, NULL, error);
}

/* The functions of one tensor, those among them that take no tensor for the result, those of two tensors or a tensor and a number, and those of a tensor and a shape. */
#define FOR_ALL_OF_ONE(F) \
  F (abs) \
  F (ceil) \
  F (cos) \
  F (erf) \
  F (exp) \
  F (exp2) \
  F (floor) \
  F (gelu) \
  F (log) \
  F (log2) \
  F (logical_not) \
  F (neg) \
  F (recip) \
  F (relu) \
  F (round) \
  F (rsqrt) \
  F (sigmoid) \
  F (sign) \
  F (silu) \
  F (sin) \
  F (softplus) \
  F (sqrt) \
  F (tanh)
#define FOR_ALL_FOLDS(F) \
  F (argmax) \
  F (argmin) \
  F (reduce_max) \
  F (reduce_min) \
  F (reduce_prod)
#define FOR_ALL_OF_TWO(F) \
  F (add) \
  F (div) \
  F (eq) \
  F (le) \
  F (lt) \
  F (maximum) \
  F (minimum) \
  F (mul) \
  F (ne) \
  F (pow) \
  F (rem) \
  F (sub)
#define FOR_ALL_OF_SHAPE(F) \
  F (broadcast_to) \
  F (reshape)

#define MEMBER(name) FUNCTION_##name,

enum
{
  FOR_ALL_OF_ONE (MEMBER)
  FOR_ALL_FOLDS (MEMBER)
  FOR_ALL_OF_TWO (MEMBER)
  FOR_ALL_OF_SHAPE (MEMBER)
  FUNCTION_elementwise_mul,
  FUNCTION_matmul,
  FUNCTION_reduce_sum,
  N_FUNCTIONS,
};

static Function functions[N_FUNCTIONS];

/* Each has code of its own: a function of C that is bound to no object is what `pickle` and `inspect` expect. */
#define DEFINE_FUNCTION(name, call)                             \
  static PyObject *name##_function (PyObject *unused,           \
                                    PyObject *const *args,      \
                                    Py_ssize_t n_args,          \
                                    PyObject *names)            \
  {                                                             \
    return call (&functions[FUNCTION_##name], args, n_args, names); \
  }

#define DEFINE_ONE(name) DEFINE_FUNCTION (name, call_one)
#define DEFINE_TWO(name) DEFINE_FUNCTION (name, call_two)
#define DEFINE_SHAPE(name) DEFINE_FUNCTION (name, call_shape)

FOR_ALL_OF_ONE (DEFINE_ONE)
FOR_ALL_FOLDS (DEFINE_ONE)
FOR_ALL_OF_TWO (DEFINE_TWO)
FOR_ALL_OF_SHAPE (DEFINE_SHAPE)
DEFINE_FUNCTION (elementwise_mul, call_two)
DEFINE_FUNCTION (matmul, call_matmul)
DEFINE_FUNCTION (reduce_sum, call_one)

#define METHOD(name) .method = { #name, (PyCFunction) (void (*) (void)) name##_function, METH_FASTCALL | METH_KEYWORDS, NULL }
#define ROW_ONE(name) [FUNCTION_##name] = { METHOD (name), .one = sw_##name, .takes_out = TRUE },
#define ROW_FOLD(name) [FUNCTION_##name] = { METHOD (name), .one = sw_##name },
#define ROW_TWO(name) [FUNCTION_##name] = { METHOD (name), .two = sw_##name, .number = sw_##name##_scalar, .takes_out = TRUE },
#define ROW_SHAPE(name) [FUNCTION_##name] = { METHOD (name), .shape = sw_##name },

static Function functions[N_FUNCTIONS] = {
  FOR_ALL_OF_ONE (ROW_ONE)
  FOR_ALL_FOLDS (ROW_FOLD)
  FOR_ALL_OF_TWO (ROW_TWO)
  FOR_ALL_OF_SHAPE (ROW_SHAPE)
  [FUNCTION_elementwise_mul] = { METHOD (elementwise_mul), .two = sw_elementwise_mul, .takes_out = TRUE },
  [FUNCTION_matmul] = { METHOD (matmul), .takes_out = TRUE },
  [FUNCTION_reduce_sum] = { METHOD (reduce_sum), .one = sum_all },
};

static Function *
find_function (const char *name)
{
  for (guint i = 0; i < N_FUNCTIONS; i++)
    {
      if (strcmp (functions[i].method.ml_name, name) == 0)
        return &functions[i];
    }
  return NULL;
}

/* operation (name, documentation, module name, fallback): the fast form of the override's function @fallback, or that
 * itself where there is none. */
PyObject *
sw_python_operation (PyObject *module,
                     PyObject *args)
{
  const char *name, *documentation;
  PyObject *module_name, *fallback;
  Function *function;

  if (!PyArg_ParseTuple (args, "ssUO:operation", &name, &documentation, &module_name, &fallback))
    return NULL;

  function = find_function (name);
  if (function == NULL || tensor_class == NULL || function->fallback != NULL)
    return Py_NewRef (fallback);
  function->fallback = Py_NewRef (fallback);
  function->method.ml_doc = g_strdup (documentation);
  return PyCFunction_NewEx (&function->method, NULL, module_name);
}

/* use_tensors (raw Tensor, Tensor, raw Shape, a shape of 3 values) */
PyObject *
sw_python_use_tensors (PyObject *module,
                       PyObject *args)
{
  PyTypeObject *tensor, *override, *shape;
  SwPythonBoxed *probe;

  if (!PyArg_ParseTuple (args, "O!O!O!O:use_tensors", &PyType_Type, &tensor, &PyType_Type, &override, &PyType_Type, &shape, &probe))
    return NULL;
  if (!PyType_IsSubtype (override, tensor) || !PyObject_TypeCheck ((PyObject *) probe, shape))
    {
      PyErr_SetString (PyExc_TypeError, "use_tensors() takes the classes of Tensor and Shape and a Shape");
      return NULL;
    }
  if (shape->tp_basicsize < (Py_ssize_t) sizeof (SwPythonBoxed) || probe->gtype != SW_TYPE_SHAPE || probe->boxed == NULL ||
      sw_shape_get_size (probe->boxed) != 3)
    {
      PyErr_SetString (PyExc_ImportError, "this PyGObject lays out its boxed values in another way");
      return NULL;
    }

  tensor_type = (PyTypeObject *) Py_NewRef (tensor);
  tensor_class = (PyTypeObject *) Py_NewRef (override);
  shape_type = (PyTypeObject *) Py_NewRef (shape);
  tensor_gtype = SW_TYPE_TENSOR;
  cpu_gtype = SW_TYPE_CPU;
  generic_gtype = SW_TYPE_GENERIC;
  file_gtype = SW_TYPE_FILE_BACKED;
  Py_RETURN_NONE;
}
