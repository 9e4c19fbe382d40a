/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-traces-private.h"

/* The methods of a TraceContext that an instrumented program calls all the time. What is given to them in an odd way, and
 * what is wrong with it, is the override's. */

static PyTypeObject *level_type;
static PyObject *default_level;
/* Of the override: the slow forms of the methods; and (context, name, level, value), for a counter whose value is of no
 * usual class. */
static PyObject *slow_span, *slow_instant, *slow_counter, *count_odd, *slow_annotate;
static PyObject *slow_flow_start, *slow_flow_step, *slow_flow_end, *slow_async_span;
static PyObject *async_class;
static PyTypeObject *context_class;
static PyObject *category_keyword, *level_keyword;

/* What was called */

/* 0: it is no level that records anything. */
static inline guint
level_of (PyObject *level)
{
  long number;

  if (Py_TYPE (level) != level_type)
    return 0;
  number = PyLong_AsLong (level);
  return number >= SW_TRACE_VERBOSITY_DECISIONS && number <= SW_TRACE_VERBOSITY_FULL ? (guint) number : 0;
}

static gboolean
take_keyword (SwPythonEmission *self,
              PyObject *keyword,
              PyObject *value,
              PyObject **rest)
{
  *rest = NULL;
  if (keyword == category_keyword)
    {
      self->category = value != Py_None ? value : NULL;
      return value == Py_None || sw_python_is_plain_text (value);
    }
  if (keyword == level_keyword)
    {
      self->level = value;
      return TRUE;
    }
  *rest = value;
  /* One that the interpreter did not intern may be equal to those of the signature. */
  return PyUnicode_CHECK_INTERNED (keyword) && PyUnicode_CompareWithASCIIString (keyword, "arguments") != 0 &&
         PyUnicode_CompareWithASCIIString (keyword, "name") != 0 && PyUnicode_CompareWithASCIIString (keyword, "self") != 0;
}

/* Borrows; @values is for the keywords. FALSE, without an exception: it is not as simple as that. */
static inline gboolean
read_call (SwPythonEmission *self,
           PyObject **values,
           PyObject *context,
           PyObject *const *args,
           Py_ssize_t n_args,
           PyObject *names)
{
  Py_ssize_t n_names = names != NULL ? PyTuple_GET_SIZE (names) : 0;

  if (n_args < 1 || n_args > 2 || n_names > SW_PYTHON_TRACE_N_INLINE || sw_python_context_of (context) == NULL ||
      !sw_python_is_plain_text (args[0]))
    return FALSE;
  *self = (SwPythonEmission){ .context = context, .name = args[0], .level = default_level, .names = names, .values = values };
  if (n_args == 2 && args[1] != Py_None)
    self->given = args[1];
  for (Py_ssize_t i = 0; i < n_names; i++)
    if (!take_keyword (self, PyTuple_GET_ITEM (names, i), args[n_args + i], &values[i]))
      return FALSE;
  self->level_number = level_of (self->level);
  return self->level_number != 0;
}

static PyObject *
call_slow (PyObject *function,
           PyObject *self,
           PyObject *const *args,
           Py_ssize_t n_args,
           PyObject *names)
{
  Py_ssize_t n = n_args + (names != NULL ? PyTuple_GET_SIZE (names) : 0);
  PyObject **all = PyMem_New (PyObject *, n + 1);
  PyObject *result;

  if (all == NULL)
    return PyErr_NoMemory ();
  all[0] = self;
  memcpy (all + 1, args, n * sizeof *all);
  result = PyObject_Vectorcall (function, all, n_args + 1, names);
  PyMem_Free (all);
  return result;
}

static gboolean
annotate (PyObject *context,
          PyObject *const *values,
          PyObject *names)
{
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE (names); i++)
    {
      SwPythonArguments arguments;
      gboolean is_added;

      sw_python_arguments_init (&arguments);
      is_added = sw_python_may_trace () && sw_python_arguments_add (&arguments, PyTuple_GET_ITEM (names, i), values[i]);
      if (is_added)
        sw_trace_annotate_recorded (sw_python_context_of (context), arguments.items);
      sw_python_arguments_clear (&arguments);
      if (!is_added)
        return FALSE;
    }
  return TRUE;
}

PyObject *
sw_python_context_annotate (PyObject *context,
                            PyObject *const *args,
                            Py_ssize_t n_args,
                            PyObject *names)
{
  if (n_args != 0 || sw_python_context_of (context) == NULL)
    return call_slow (slow_annotate, context, args, n_args, names);
  if (names != NULL && SW_TRACE_IS_ON (sw_python_context_of (context), SW_TRACE_VERBOSITY_DECISIONS) &&
      !annotate (context, args, names))
    return NULL;
  Py_RETURN_NONE;
}

/* span_of (context, name, category or None, level, arguments or None, a dict of more) */
PyObject *
sw_python_span_of (PyObject *module,
                   PyObject *args)
{
  SwPythonEmission emission = { NULL };

  if (!PyArg_ParseTuple (args, "OUOOOO!:span_of", &emission.context, &emission.name, &emission.category, &emission.level,
                         &emission.given, &PyDict_Type, &emission.more))
    return NULL;
  emission.level_number = level_of (emission.level);
  if (emission.level_number == 0 || sw_python_context_of (emission.context) == NULL)
    return PyErr_Format (PyExc_TypeError, "no span is made of this");
  if (emission.category == Py_None)
    emission.category = NULL;
  if (emission.given == Py_None)
    emission.given = NULL;
  return sw_python_span_new (&emission);
}

/* Methods of contexts */

static PyObject *
context_span (PyObject *context,
              PyObject *const *args,
              Py_ssize_t n_args,
              PyObject *names)
{
  PyObject *values[SW_PYTHON_TRACE_N_INLINE];
  SwPythonEmission emission;

  if (G_LIKELY (read_call (&emission, values, context, args, n_args, names)))
    return sw_python_span_new (&emission);
  return call_slow (slow_span, context, args, n_args, names);
}

static PyObject *
emit_instant (const SwPythonEmission *emission)
{
  SwPythonArguments arguments;
  SwTraceSite own, *site;
  gboolean is_collected;

  if (!sw_python_may_trace ())
    return NULL;
  sw_python_arguments_init (&arguments);
  is_collected = sw_python_arguments_collect (&arguments, emission);
  site = is_collected ? sw_python_trace_site (emission->name, emission->category, emission->level_number, &own) : NULL;
  if (site != NULL)
    sw_trace_instant_recorded (sw_python_context_of (emission->context), site, arguments.items, arguments.n);
  sw_python_arguments_clear (&arguments);
  if (site == NULL)
    return NULL;
  Py_RETURN_NONE;
}

static PyObject *
context_instant (PyObject *context,
                 PyObject *const *args,
                 Py_ssize_t n_args,
                 PyObject *names)
{
  PyObject *values[SW_PYTHON_TRACE_N_INLINE];
  SwPythonEmission emission;

  if (G_UNLIKELY (!read_call (&emission, values, context, args, n_args, names)))
    return call_slow (slow_instant, context, args, n_args, names);
  if (SW_TRACE_IS_ON (sw_python_context_of (context), emission.level_number))
    return emit_instant (&emission);
  Py_RETURN_NONE;
}

/* FALSE: the value is no float, and no int of 64 bits. */
static gboolean
count_plainly (const SwPythonEmission *emission,
               SwTraceSite *site,
               PyObject *value)
{
  SwTraceContext *context = sw_python_context_of (emission->context);
  int overflow = 0;
  gint64 number;

  if (PyFloat_CheckExact (value))
    {
      sw_trace_counter_recorded (context, site, PyFloat_AS_DOUBLE (value));
      return TRUE;
    }
  if (!PyLong_CheckExact (value))
    return FALSE;
  number = PyLong_AsLongLongAndOverflow (value, &overflow);
  if (overflow == 0)
    sw_trace_context_emit_counter_int64 (context, site->name, emission->level_number, number, NULL);
  return overflow == 0;
}

static PyObject *
emit_counter (const SwPythonEmission *emission,
              PyObject *given)
{
  PyObject *value = sw_python_may_trace () ? Py_NewRef (given) : NULL;
  PyObject *result = NULL;
  SwTraceSite own, *site;

  if (value != NULL && PyCallable_Check (value))
    Py_SETREF (value, PyObject_CallNoArgs (given));
  site = value != NULL ? sw_python_trace_site (emission->name, NULL, emission->level_number, &own) : NULL;
  if (site != NULL && count_plainly (emission, site, value))
    result = Py_NewRef (Py_None);
  else if (site != NULL)
    result = PyObject_CallFunctionObjArgs (count_odd, emission->context, emission->name, emission->level, value, NULL);
  Py_XDECREF (value);
  return result;
}

static PyObject *
context_counter (PyObject *context,
                 PyObject *const *args,
                 Py_ssize_t n_args,
                 PyObject *names)
{
  PyObject *values[SW_PYTHON_TRACE_N_INLINE];
  SwPythonEmission emission;

  /* As a call of the others, with the value in the place of arguments; the only keyword is the level. */
  if (G_UNLIKELY (n_args != 2 || (names != NULL && (PyTuple_GET_SIZE (names) != 1 || PyTuple_GET_ITEM (names, 0) != level_keyword)) ||
                  !read_call (&emission, values, context, args, n_args, names)))
    return call_slow (slow_counter, context, args, n_args, names);
  if (SW_TRACE_IS_ON (sw_python_context_of (context), emission.level_number))
    return emit_counter (&emission, args[1]);
  Py_RETURN_NONE;
}

/* Asynchronous spans: what holds one is of the override. 0 with an exception. */

static guint64
begin_async (const SwPythonEmission *emission)
{
  SwPythonArguments arguments;
  SwTraceSite own, *site = NULL;
  guint64 id = 0;

  if (!sw_python_may_trace ())
    return 0;
  sw_python_arguments_init (&arguments);
  if (sw_python_arguments_collect (&arguments, emission))
    site = sw_python_trace_site (emission->name, emission->category, emission->level_number, &own);
  if (site != NULL)
    id = sw_trace_begin_async_recorded (sw_python_context_of (emission->context), site, arguments.items, arguments.n);
  sw_python_arguments_clear (&arguments);
  return id;
}

static PyObject *
context_async_span (PyObject *context,
                    PyObject *const *args,
                    Py_ssize_t n_args,
                    PyObject *names)
{
  PyObject *values[SW_PYTHON_TRACE_N_INLINE];
  SwPythonEmission emission;
  PyObject *number, *result;
  guint64 id = 0;

  if (G_UNLIKELY (!read_call (&emission, values, context, args, n_args, names)))
    return call_slow (slow_async_span, context, args, n_args, names);
  if (SW_TRACE_IS_ON (sw_python_context_of (context), emission.level_number))
    id = begin_async (&emission);
  if (id == 0 && PyErr_Occurred () != NULL)
    return NULL;
  number = PyLong_FromUnsignedLongLong (id);
  if (number == NULL)
    return NULL;
  result = PyObject_CallFunctionObjArgs (async_class, context, emission.name, number, NULL);
  Py_DECREF (number);
  return result;
}

/* end_async_span (context, number): one that was ended when recording stopped stays as it is. */
PyObject *
sw_python_end_async_span (PyObject *module,
                          PyObject *args)
{
  PyObject *context;
  unsigned long long id;

  if (!PyArg_ParseTuple (args, "OK:end_async_span", &context, &id))
    return NULL;
  if (context_class == NULL || !PyObject_TypeCheck (context, context_class))
    return PyErr_Format (PyExc_TypeError, "context must be a TraceContext, not %s", Py_TYPE (context)->tp_name);
  if (!sw_python_may_trace ())
    return NULL;
  if (sw_python_context_of (context) != NULL)
    sw_trace_end_async_recorded (sw_python_context_of (context), id);
  Py_RETURN_NONE;
}

/* Flows */

static PyObject *
context_flow_start (PyObject *context,
                    PyObject *const *args,
                    Py_ssize_t n_args,
                    PyObject *names)
{
  Py_ssize_t n_names = names != NULL ? PyTuple_GET_SIZE (names) : 0;
  guint level = n_names == 0 ? SW_TRACE_VERBOSITY_OPERATIONS : 0;

  if (n_names == 1 && PyTuple_GET_ITEM (names, 0) == level_keyword)
    level = level_of (args[n_args]);
  if (G_UNLIKELY (n_args != 0 || level == 0 || sw_python_context_of (context) == NULL))
    return call_slow (slow_flow_start, context, args, n_args, names);
  if (!SW_TRACE_IS_ON (sw_python_context_of (context), level))
    return PyLong_FromLong (0);
  return sw_python_may_trace () ? PyLong_FromUnsignedLongLong (sw_trace_flow_start_recorded (sw_python_context_of (context)))
                                : NULL;
}

typedef gboolean (*GoOn) (SwTraceContext *self,
                          guint64 id,
                          GError **error);

static PyObject *
go_on (GoOn function,
       PyObject *slow,
       PyObject *context,
       PyObject *const *args,
       Py_ssize_t n_args,
       PyObject *names)
{
  GError *error = NULL;
  int overflow = 0;
  long long id = -1;

  if (n_args == 1 && names == NULL && PyLong_CheckExact (args[0]) && sw_python_context_of (context) != NULL)
    id = PyLong_AsLongLongAndOverflow (args[0], &overflow);
  if (G_UNLIKELY (id < 0))
    return call_slow (slow, context, args, n_args, names);
  if (!sw_python_may_trace ())
    return NULL;
  if (!function (sw_python_context_of (context), (guint64) id, &error))
    return sw_python_raise (error);
  Py_RETURN_NONE;
}

static PyObject *
context_flow_step (PyObject *context,
                   PyObject *const *args,
                   Py_ssize_t n_args,
                   PyObject *names)
{
  return go_on (sw_trace_context_flow_step, slow_flow_step, context, args, n_args, names);
}

static PyObject *
context_flow_end (PyObject *context,
                  PyObject *const *args,
                  Py_ssize_t n_args,
                  PyObject *names)
{
  return go_on (sw_trace_context_flow_end, slow_flow_end, context, args, n_args, names);
}

#define EVENT_SIGNATURE "($self, name, arguments=None, *, category=None, level=2, **more)\n--\n\n"

static PyMethodDef context_methods[] = {
  { "span", SW_PYTHON_FAST (context_span),
    "span" EVENT_SIGNATURE
    "A span of the thread's time, for `with` or as a decorator.\n\n"
    "Arguments are strings, numbers, bools and shapes, as a dict, a function that returns one, or keywords, each a\n"
    "value or a function that returns it. Functions are called only when the span is recorded." },
  { "instant", SW_PYTHON_FAST (context_instant), "instant" EVENT_SIGNATURE "Records that something happened now, on this thread." },
  { "counter", SW_PYTHON_FAST (context_counter),
    "counter($self, name, value, *, level=2)\n--\n\n"
    "Records what a counter of the process counts from now on: a number, or a function that returns one." },
  { "annotate", SW_PYTHON_FAST (sw_python_context_annotate),
    "annotate($self, **arguments)\n--\n\n"
    "Adds arguments to the innermost span that this thread has open; nothing where there is none." },
  { "flow_start", SW_PYTHON_FAST (context_flow_start),
    "flow_start($self, *, level=2)\n--\n\n"
    "Begins a flow in the innermost span of this thread: an arrow to others. Returns its number; 0 for none." },
  { "flow_step", SW_PYTHON_FAST (context_flow_step),
    "flow_step($self, flow)\n--\n\n"
    "Leads a flow through the innermost span of this thread." },
  { "flow_end", SW_PYTHON_FAST (context_flow_end),
    "flow_end($self, flow)\n--\n\n"
    "Ends a flow in the innermost span of this thread." },
  { "async_span", SW_PYTHON_FAST (context_async_span),
    "async_span" EVENT_SIGNATURE
    "Begins a span that belongs to no thread, may overlap others, and is ended by `with` or end ()." },
};

gboolean
sw_python_add_traces (PyObject *module)
{
  category_keyword = PyUnicode_InternFromString ("category");
  level_keyword = PyUnicode_InternFromString ("level");
  return category_keyword != NULL && level_keyword != NULL && sw_python_add_spans (module);
}

G_STATIC_ASSERT (SW_TRACE_VERBOSITY_OPERATIONS == 2);

/* Whether an instance is laid out as it is read here. */
static gboolean
check_layout (PyObject *context)
{
  PyObject *capsule = PyObject_GetAttrString (context, "__gpointer__");
  gpointer pointer = capsule != NULL ? PyCapsule_GetPointer (capsule, NULL) : NULL;

  Py_XDECREF (capsule);
  if (pointer != NULL && Py_TYPE (context)->tp_basicsize >= (Py_ssize_t) sizeof (SwPythonWrapper) &&
      pointer == ((SwPythonWrapper *) context)->object && SW_IS_TRACE_CONTEXT (pointer))
    return TRUE;
  if (PyErr_Occurred () == NULL)
    PyErr_SetString (PyExc_ImportError, "this PyGObject lays out objects in another way");
  return FALSE;
}

static gboolean
add_methods (PyTypeObject *class)
{
  for (gsize i = 0; i < G_N_ELEMENTS (context_methods); i++)
    {
      PyObject *method = PyDescr_NewMethod (class, &context_methods[i]);
      gboolean is_set = method != NULL && PyObject_SetAttrString ((PyObject *) class, context_methods[i].ml_name, method) == 0;

      Py_XDECREF (method);
      if (!is_set)
        return FALSE;
    }
  return TRUE;
}

/* use_traces (a context, the default level, the class of shapes, the functions (decorate, count_odd, check_key, plain), the class
 * of asynchronous spans): puts the fast methods into the class of the context, which is asked for the slow ones first. */
PyObject *
sw_python_use_traces (PyObject *module,
                      PyObject *args)
{
  PyObject *context, *level, *functions[4];
  PyTypeObject *class, *shape_class;
  PyObject *asyncs;
  PyObject **slow[] = { &slow_span, &slow_instant, &slow_counter, &slow_annotate,
                        &slow_flow_start, &slow_flow_step, &slow_flow_end, &slow_async_span };

  if (!PyArg_ParseTuple (args, "OOO!(OOOO)O:use_traces", &context, &level, &PyType_Type, &shape_class, &functions[0],
                         &functions[1], &functions[2], &functions[3], &asyncs) ||
      !check_layout (context))
    return NULL;
  class = Py_TYPE (context);
  for (gsize i = 0; i < G_N_ELEMENTS (slow); i++)
    {
      PyObject *function = PyObject_GetAttrString ((PyObject *) class, context_methods[i].ml_name);

      if (function == NULL)
        return NULL;
      Py_XSETREF (*slow[i], function);
    }
  sw_python_use_decorate (functions[0]);
  Py_XSETREF (count_odd, Py_NewRef (functions[1]));
  Py_XSETREF (async_class, Py_NewRef (asyncs));
  sw_python_use_trace_arguments (shape_class, functions[2], functions[3]);
  Py_XSETREF (default_level, Py_NewRef (level));
  level_type = Py_TYPE (level);
  context_class = class;
  if (!add_methods (class))
    return NULL;
  Py_RETURN_NONE;
}
