/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-traces-private.h"

/* Spans as contexts. What decorates functions is the override's. */

typedef struct
{
  PyObject base;
  SwPythonEmission emission; /* with references of its own */
  PyObject *values[SW_PYTHON_TRACE_N_INLINE];
  guint64 token; /* 0: not open, or not recorded */
  gboolean is_entered;
} Span;

static PyTypeObject *span_type;
static PyObject *decorate; /* of the override: (span, function): the function decorated */

/* A few spans that nobody has any more: there are seldom more at a time than the program nests them. */
#define N_SPARE 16
static Span *spare[N_SPARE];
static guint n_spare;

PyObject *
sw_python_span_new (const SwPythonEmission *emission)
{
  Py_ssize_t n = emission->names != NULL ? PyTuple_GET_SIZE (emission->names) : 0;
  Span *self;

  if (G_LIKELY (n_spare > 0))
    self = (Span *) PyObject_Init ((PyObject *) spare[--n_spare], span_type);
  else
    self = PyObject_GC_New (Span, span_type);
  if (self == NULL)
    return NULL;
  self->emission = (SwPythonEmission){
    .context = Py_NewRef (emission->context),
    .name = Py_NewRef (emission->name),
    .category = Py_XNewRef (emission->category),
    .level = Py_NewRef (emission->level),
    .level_number = emission->level_number,
    .given = Py_XNewRef (emission->given),
    .names = Py_XNewRef (emission->names),
    .values = self->values,
    .more = Py_XNewRef (emission->more),
  };
  for (Py_ssize_t i = 0; i < n; i++)
    self->values[i] = Py_XNewRef (emission->values[i]);
  self->token = 0;
  self->is_entered = FALSE;
  PyObject_GC_Track (self);
  return (PyObject *) self;
}

static int
span_traverse (PyObject *object,
               visitproc visit,
               void *arg)
{
  Span *self = (Span *) object;
  Py_ssize_t n = self->emission.names != NULL ? PyTuple_GET_SIZE (self->emission.names) : 0;

  Py_VISIT (Py_TYPE (object));
  Py_VISIT (self->emission.context);
  Py_VISIT (self->emission.given);
  Py_VISIT (self->emission.more);
  for (Py_ssize_t i = 0; i < n; i++)
    Py_VISIT (self->values[i]);
  return 0;
}

/* What may lead back to the span; not what it needs to be entered, as it still may be. The context clears what it has. */
static int
span_clear (PyObject *object)
{
  Span *self = (Span *) object;
  Py_ssize_t n = self->emission.names != NULL ? PyTuple_GET_SIZE (self->emission.names) : 0;

  Py_CLEAR (self->emission.given);
  Py_CLEAR (self->emission.more);
  for (Py_ssize_t i = 0; i < n; i++)
    Py_CLEAR (self->values[i]);
  return 0;
}

static void
span_dealloc (PyObject *object)
{
  Span *self = (Span *) object;
  PyTypeObject *type = Py_TYPE (object);

  PyObject_GC_UnTrack (object);
  span_clear (object);
  Py_XDECREF (self->emission.names);
  Py_DECREF (self->emission.context);
  Py_DECREF (self->emission.name);
  Py_XDECREF (self->emission.category);
  Py_DECREF (self->emission.level);
  if (G_LIKELY (n_spare < N_SPARE))
    spare[n_spare++] = self;
  else
    PyObject_GC_Del (object);
  Py_DECREF (type);
}

static gboolean
begin (Span *self)
{
  const SwPythonEmission *emission = &self->emission;
  SwPythonArguments arguments;
  SwTraceSite own, *site;
  gboolean is_collected;

  if (!sw_python_may_trace ())
    return FALSE;
  sw_python_arguments_init (&arguments);
  is_collected = sw_python_arguments_collect (&arguments, emission);
  site = is_collected ? sw_python_trace_site (emission->name, emission->category, emission->level_number, &own) : NULL;
  if (site != NULL)
    self->token = sw_trace_begin_recorded (sw_python_context_of (emission->context), site, arguments.items, arguments.n);
  sw_python_arguments_clear (&arguments);
  return site != NULL;
}

static PyObject *
span_enter (PyObject *object,
            PyObject *unused)
{
  Span *self = (Span *) object;

  if (G_UNLIKELY (self->is_entered))
    return PyErr_Format (PyExc_RuntimeError, "this span is entered already");
  if (SW_TRACE_IS_ON (sw_python_context_of (self->emission.context), self->emission.level_number) && !begin (self))
    return NULL;
  self->is_entered = TRUE;
  return Py_NewRef (object);
}

/* Of the exception only the class: its text may hold anything. */
static gboolean
mark_failed (SwTraceContext *context,
             PyObject *class)
{
  SwTraceArgument failed = SW_TRACE_BOOLEAN ("failed", TRUE);
  PyObject *name = PyObject_GetAttrString (class, "__name__");
  PyObject *key = name != NULL ? PyUnicode_FromString ("error") : NULL;
  SwPythonArguments arguments;
  gboolean is_named = FALSE;

  sw_python_arguments_init (&arguments);
  if (key != NULL)
    is_named = sw_python_arguments_add (&arguments, key, name);
  if (is_named)
    {
      sw_trace_annotate_recorded (context, &failed);
      sw_trace_annotate_recorded (context, arguments.items);
    }
  sw_python_arguments_clear (&arguments);
  Py_XDECREF (key);
  Py_XDECREF (name);
  return is_named;
}

/* How a body is left that goes on later, or is done. */
static inline gboolean
is_no_failure (PyObject *class)
{
  return class == Py_None || PyErr_GivenExceptionMatches (class, PyExc_StopIteration) ||
         PyErr_GivenExceptionMatches (class, PyExc_StopAsyncIteration) ||
         PyErr_GivenExceptionMatches (class, PyExc_GeneratorExit);
}

static PyObject *
span_exit (PyObject *object,
           PyObject *const *args,
           Py_ssize_t n_args)
{
  Span *self = (Span *) object;
  guint64 token = self->token;
  gboolean is_marked = TRUE;

  if (n_args < 1)
    return PyErr_Format (PyExc_TypeError, "__exit__() needs the class of an exception, or None");
  self->token = 0;
  self->is_entered = FALSE;
  if (token != 0)
    {
      SwTraceContext *context = sw_python_context_of (self->emission.context);

      if (G_UNLIKELY (!is_no_failure (args[0])))
        is_marked = mark_failed (context, args[0]);
      /* On another thread, or in the child of a fork, it does nothing: instrumentation must not break what it measures. */
      sw_trace_end_recorded (context, token);
    }
  if (!is_marked)
    return NULL;
  Py_RETURN_FALSE;
}

static PyObject *
span_annotate (PyObject *object,
               PyObject *const *args,
               Py_ssize_t n_args,
               PyObject *names)
{
  Span *self = (Span *) object;

  if (n_args != 0)
    return PyErr_Format (PyExc_TypeError, "annotate() takes keywords only");
  if (self->token == 0)
    Py_RETURN_NONE;
  return sw_python_context_annotate (self->emission.context, args, n_args, names);
}

static PyObject *
span_call (PyObject *object,
           PyObject *args,
           PyObject *kwargs)
{
  PyObject *function;

  if (kwargs != NULL && PyDict_GET_SIZE (kwargs) > 0)
    return PyErr_Format (PyExc_TypeError, "a span decorates a function, and takes no other arguments");
  if (!PyArg_ParseTuple (args, "O:decorate", &function))
    return NULL;
  return PyObject_CallFunctionObjArgs (decorate, object, function, NULL);
}

/* A span like this one, which is not entered. */
static PyObject *
span_again (PyObject *object,
            PyObject *unused)
{
  return sw_python_span_new (&((Span *) object)->emission);
}

/* Whether entering it would record anything. */
static PyObject *
span_is_wanted (PyObject *object,
                PyObject *unused)
{
  const SwPythonEmission *emission = &((Span *) object)->emission;

  if (SW_TRACE_IS_ON (sw_python_context_of (emission->context), emission->level_number))
    Py_RETURN_TRUE;
  Py_RETURN_FALSE;
}

static PyObject *
span_repr (PyObject *object)
{
  return PyUnicode_FromFormat ("TraceSpan(%R)", ((Span *) object)->emission.name);
}

static PyObject *
span_get (PyObject *object,
          void *offset)
{
  PyObject *value = *(PyObject **) ((char *) &((Span *) object)->emission + GPOINTER_TO_SIZE (offset));

  return Py_NewRef (value != NULL ? value : Py_None);
}

static PyMethodDef span_methods[] = {
  { "__enter__", span_enter, METH_NOARGS, NULL },
  { "__exit__", (PyCFunction) (void (*) (void)) span_exit, METH_FASTCALL, NULL },
  { "annotate", SW_PYTHON_FAST (span_annotate),
    "annotate($self, **arguments)\n--\n\n"
    "Adds arguments to the innermost span of this thread, which is this one if no other was begun inside of it." },
  { "_again", span_again, METH_NOARGS, NULL },
  { "_is_wanted", span_is_wanted, METH_NOARGS, NULL },
  { NULL, NULL, 0, NULL },
};

#define ATTRIBUTE(name, doc)                                                       \
  {                                                                                \
#name, span_get, NULL, doc, GSIZE_TO_POINTER(offsetof(SwPythonEmission, name)) \
  }

static PyGetSetDef span_attributes[] = {
  ATTRIBUTE (context, "The context that it is recorded in."),
  ATTRIBUTE (name, "What it is called."),
  ATTRIBUTE (category, "What viewers filter by, or None."),
  ATTRIBUTE (level, "From which verbosity on it is recorded."),
  { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot span_slots[] = {
  { Py_tp_dealloc, span_dealloc },
  { Py_tp_traverse, span_traverse },
  { Py_tp_clear, span_clear },
  { Py_tp_call, span_call },
  { Py_tp_repr, span_repr },
  { Py_tp_methods, span_methods },
  { Py_tp_getset, span_attributes },
  { Py_tp_doc, "A span of a TraceContext, for a with statement, or to decorate a function." },
  { 0, NULL },
};

static PyType_Spec span_spec = {
  .name = "strideweave.TraceSpan",
  .basicsize = sizeof (Span),
  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
  .slots = span_slots,
};

gboolean
sw_python_add_spans (PyObject *module)
{
  span_type = (PyTypeObject *) PyType_FromSpec (&span_spec);
  return span_type != NULL && PyModule_AddObjectRef (module, "TraceSpan", (PyObject *) span_type) == 0;
}

void
sw_python_use_decorate (PyObject *function)
{
  Py_XSETREF (decorate, Py_NewRef (function));
}
