/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-slab-private.h"

/* Events. Their class is a boxed type of PyGObject, but with descriptors of C for its fields, and without a dict and what
 * a garbage collector needs, so that events are small. They have one pointer more: to a tuple of fields, for an event
 * that Python made, which may hold anything, or to the slab that the object is part of. */

typedef PyObject *(*ReadFunction) (PyObject *object,
                                   SwProfilerEvent *event);

typedef struct
{
  ReadFunction read;
  guint place;
} Field;

static PyTypeObject *event_class; /* NULL until it is made */
static Py_ssize_t extra_offset;
static GType event_gtype;
/* (object, field): the class that a field of C stands for; and what it said, by GType. Types are for ever. */
static PyObject *get_class;
static GHashTable *classes;

/* What @object has beyond a boxed value: a tuple, or a slab with IN_SLAB added, or nothing. */
#define IN_SLAB ((guintptr) 1)

static inline guintptr *
extra_of (PyObject *object)
{
  return (guintptr *) ((char *) object + extra_offset);
}

/* Names and shapes that were read lately: most events of a session share a few. */
#define N_RECENT 64
typedef struct
{
  gpointer key;
  PyObject *value;
} Recent;

static Recent recent_names[N_RECENT];
static Recent recent_shapes[N_RECENT];

static inline Recent *
find_recent (Recent *table,
             gconstpointer key)
{
  guintptr bits = (guintptr) key >> 4;

  return &table[(bits ^ (bits >> 6) ^ (bits >> 12)) % N_RECENT];
}

static PyObject *
read_name (PyObject *object,
           SwProfilerEvent *event)
{
  const char *name = sw_profiler_event_get_name (event);
  Recent *recent = find_recent (recent_names, name);
  PyObject *value;

  /* The memory may have been given to another name meanwhile. */
  if (G_LIKELY (recent->key == name) && strcmp (PyUnicode_AsUTF8 (recent->value), name) == 0)
    return Py_NewRef (recent->value);
  value = PyUnicode_FromString (name);
  if (value == NULL || PyUnicode_AsUTF8 (value) == NULL)
    return value;
  recent->key = (gpointer) name;
  Py_XSETREF (recent->value, Py_NewRef (value));
  return value;
}

/* Reads the tree that begins at @tokens[*place]. */
static PyObject *
read_tree (const gint64 *tokens,
           gsize *place)
{
  gint64 token = tokens[(*place)++];
  PyObject *tree;
  gint64 n;

  if (token >= 0)
    return PyLong_FromLongLong (token);
  if (token == -1)
    Py_RETURN_NONE;

  n = -2 - token;
  tree = PyTuple_New (n);
  for (gint64 i = 0; tree != NULL && i < n; i++)
    {
      PyObject *item = read_tree (tokens, place);

      if (item == NULL)
        Py_CLEAR (tree);
      else
        PyTuple_SET_ITEM (tree, i, item);
    }
  return tree;
}

static PyObject *
read_input_shapes (PyObject *object,
                   SwProfilerEvent *event)
{
  SwInputShapes *shapes = sw_profiler_event_get_input_shapes (event);
  g_autofree gint64 *tokens = NULL;
  Recent *recent;
  PyObject *value;
  gsize n_tokens, place = 0;

  if (shapes == NULL)
    Py_RETURN_NONE;
  recent = find_recent (recent_shapes, shapes);
  if (G_LIKELY (recent->key == shapes))
    return Py_NewRef (recent->value);

  tokens = sw_input_shapes_dup_tokens (shapes, &n_tokens);
  value = read_tree (tokens, &place);
  if (value == NULL)
    return NULL;
  /* With a reference, so that no others can be at this address. */
  sw_input_shapes_ref (shapes);
  if (recent->key != NULL)
    sw_input_shapes_unref (recent->key);
  recent->key = shapes;
  Py_XSETREF (recent->value, Py_NewRef (value));
  return value;
}

static PyObject *
read_class (PyObject *object,
            GType gtype,
            const char *field)
{
  PyObject *cls = g_hash_table_lookup (classes, GSIZE_TO_POINTER (gtype));

  if (G_LIKELY (cls != NULL))
    return Py_NewRef (cls);
  cls = PyObject_CallFunction (get_class, "Os", object, field);
  if (cls != NULL)
    g_hash_table_insert (classes, GSIZE_TO_POINTER (gtype), Py_NewRef (cls));
  return cls;
}

#define DEFINE_READ(field, expression)      \
  static PyObject *                         \
      read_##field (PyObject *object,       \
                    SwProfilerEvent *event) \
  {                                         \
    return expression;                      \
  }

static PyObject *
read_parent_id (PyObject *object,
                SwProfilerEvent *event)
{
  gint64 parent;

  if (!sw_profiler_event_get_parent_id (event, &parent))
    Py_RETURN_NONE;
  return PyLong_FromLongLong (parent);
}

DEFINE_READ (id, PyLong_FromLongLong (sw_profiler_event_get_id (event)))
DEFINE_READ (carrier_type, read_class (object, sw_profiler_event_get_carrier_type (event), "carrier_type"))
DEFINE_READ (implementation_type, read_class (object, sw_profiler_event_get_implementation_type (event), "implementation_type"))
DEFINE_READ (start_time_ns, PyLong_FromLongLong (sw_profiler_event_get_start_time_ns (event)))
DEFINE_READ (duration_ns, PyLong_FromLongLong (sw_profiler_event_get_duration_ns (event)))
DEFINE_READ (self_time_ns, PyLong_FromLongLong (sw_profiler_event_get_self_time_ns (event)))
DEFINE_READ (thread_id, PyLong_FromUnsignedLongLong (sw_profiler_event_get_thread_id (event)))
DEFINE_READ (succeeded, PyBool_FromLong (sw_profiler_event_get_succeeded (event)))

static PyObject *
get_field (PyObject *object,
           void *closure)
{
  const Field *field = closure;
  guintptr extra = *extra_of (object);
  SwProfilerEvent *event = ((SwPythonBoxed *) object)->boxed;

  if (G_UNLIKELY (extra != 0 && (extra & IN_SLAB) == 0))
    return Py_NewRef (PyTuple_GET_ITEM ((PyObject *) extra, field->place));
  if (G_LIKELY (event != NULL))
    return field->read (object, event);
  PyErr_SetString (PyExc_ValueError, "this event has been cleared");
  return NULL;
}

#define FIELD(place, name, doc)                                  \
  {                                                              \
#name, get_field, NULL, doc, &(Field) { read_##name, place } \
  }

static PyGetSetDef fields[] = {
  FIELD (0, id, "The number of the event in its session, from 0, in the order of starts."),
  FIELD (1, parent_id, "The number of the nearest recorded event in which this one ran, or None."),
  FIELD (2, name, "The dispatch name."),
  FIELD (3, carrier_type, "The exact class of the carrier that dispatched the operation."),
  FIELD (4, implementation_type, "The exact class of the operation that ran."),
  FIELD (5, input_shapes, "The shapes of the positional inputs, None for each that is no tensor; None if not recorded."),
  FIELD (6, start_time_ns, "When it started, in nanoseconds of the monotonic clock."),
  FIELD (7, duration_ns, "How long it took, with all that ran inside, in nanoseconds."),
  FIELD (8, self_time_ns, "How long it took without the operations that ran directly inside, in nanoseconds."),
  FIELD (9, thread_id, "The thread that ran it, as threading.get_ident() names it."),
  FIELD (10, succeeded, "Whether it returned a valid tensor."),
  { NULL, NULL, NULL, NULL, NULL },
};

#define N_FIELDS ((Py_ssize_t) G_N_ELEMENTS (fields) - 1)

static void
event_dealloc (PyObject *object)
{
  PyTypeObject *type = Py_TYPE (object);
  SwPythonBoxed *self = (SwPythonBoxed *) object;
  guintptr extra = *extra_of (object);

  if (self->boxed != NULL && self->free_on_dealloc)
    sw_profiler_event_unref (self->boxed);
  if ((extra & IN_SLAB) != 0)
    sw_python_slab_give_back ((SwPythonSlab *) (extra - IN_SLAB));
  else
    {
      Py_XDECREF ((PyObject *) extra);
      type->tp_free (object);
    }
  Py_DECREF (type);
}

static gboolean
make_class (PyObject *bases,
            PyTypeObject *boxed_type)
{
  PyType_Slot slots[] = {
    { Py_tp_dealloc, event_dealloc },
    { Py_tp_getset, fields },
    { 0, NULL },
  };
  PyType_Spec spec = {
    .name = "strideweave.ProfilerEvent",
    .basicsize = boxed_type->tp_basicsize + sizeof (guintptr),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
  };

  extra_offset = boxed_type->tp_basicsize;
  event_gtype = SW_TYPE_PROFILER_EVENT;
  event_class = (PyTypeObject *) PyType_FromSpecWithBases (&spec, bases);
  return event_class != NULL;
}

/* event_class ((class that has the methods, gi.Boxed), get_class): the class of events, which is made once. */
PyObject *
sw_python_event_class (PyObject *module,
                       PyObject *args)
{
  PyTypeObject *body, *boxed_type;
  PyObject *bases, *function;

  if (!PyArg_ParseTuple (args, "O!O:event_class", &PyTuple_Type, &bases, &function) ||
      !PyArg_ParseTuple (bases, "O!O!:event_class", &PyType_Type, &body, &PyType_Type, &boxed_type))
    return NULL;
  if (event_class != NULL)
    return PyErr_Format (PyExc_TypeError, "there is a class of events already");
  /* The layout of Shape's instances is known, and so that of every base's. */
  if (!sw_python_is_base_of_boxed (boxed_type) || boxed_type->tp_basicsize < (Py_ssize_t) sizeof (SwPythonBoxed) ||
      PyType_IS_GC (boxed_type))
    return PyErr_Format (PyExc_TypeError, "%s is not PyGObject's type for boxed values", boxed_type->tp_name);
  if (!make_class (bases, boxed_type))
    return NULL;

  classes = g_hash_table_new (NULL, NULL);
  get_class = Py_NewRef (function);
  return Py_NewRef (event_class);
}

/* keep_fields (event, tuple): what an event made by Python says of itself. */
PyObject *
sw_python_keep_fields (PyObject *module,
                       PyObject *args)
{
  PyObject *event, *values;

  if (!PyArg_ParseTuple (args, "OO!:keep_fields", &event, &PyTuple_Type, &values))
    return NULL;
  if (event_class == NULL || !PyObject_TypeCheck (event, event_class) || PyTuple_GET_SIZE (values) != N_FIELDS ||
      *extra_of (event) != 0)
    return PyErr_Format (PyExc_TypeError, "keep_fields() takes a new event and as many values as it has fields");
  *extra_of (event) = (guintptr) Py_NewRef (values);
  Py_RETURN_NONE;
}

/* The object for @event, which it takes over: in @slab where there is one. */
static inline PyObject *
make_object (SwPythonSlab *slab,
             SwProfilerEvent *event)
{
  PyObject *object;

  if (slab == NULL)
    return sw_python_take_boxed (event_class, event_gtype, event);
  object = PyObject_Init (sw_python_slab_take (slab), event_class);
  ((SwPythonBoxed *) object)->boxed = event;
  ((SwPythonBoxed *) object)->gtype = event_gtype;
  ((SwPythonBoxed *) object)->free_on_dealloc = TRUE;
  *extra_of (object) = (guintptr) slab | IN_SLAB;
  return object;
}

/* Takes the events out of @events. */
static PyObject *
make_objects (GPtrArray *events)
{
  PyObject *tuple = PyTuple_New (events->len);
  SwPythonSlab *slab = NULL;

  for (guint i = 0; tuple != NULL && i < events->len; i++)
    {
      PyObject *object;

      if (slab == NULL || !sw_python_slab_has_room (slab))
        slab = sw_python_slab_new (event_class->tp_basicsize, events->len - i);
      object = make_object (slab, g_steal_pointer (&events->pdata[i]));
      if (G_UNLIKELY (object == NULL))
        Py_CLEAR (tuple);
      else
        PyTuple_SET_ITEM (tuple, i, object);
    }
  return tuple;
}

static void
event_free (gpointer event)
{
  if (event != NULL)
    sw_profiler_event_unref (event);
}

/* The Profiler that @object is, or NULL with an exception. */
static SwProfiler *
profiler_of (PyObject *object)
{
  PyObject *capsule = PyObject_GetAttrString (object, "__gpointer__");
  gpointer pointer;

  if (capsule == NULL)
    return NULL;
  pointer = PyCapsule_GetPointer (capsule, NULL);
  Py_DECREF (capsule);
  if (pointer != NULL && SW_IS_PROFILER (pointer))
    return pointer;
  if (PyErr_Occurred () == NULL)
    PyErr_Format (PyExc_TypeError, "profiler must be a Profiler, not %s", Py_TYPE (object)->tp_name);
  return NULL;
}

/* read_events (profiler): all events, as a tuple. */
PyObject *
sw_python_read_events (PyObject *module,
                       PyObject *profiler)
{
  SwProfiler *self = profiler_of (profiler);
  GError *error = NULL;
  GPtrArray *events;
  PyObject *tuple;

  if (self == NULL)
    return NULL;
  if (event_class == NULL)
    return PyErr_Format (PyExc_RuntimeError, "event_class() has not been called");

  g_object_ref (self);
  Py_BEGIN_ALLOW_THREADS
      events = sw_profiler_dup_events (self, &error);
  Py_END_ALLOW_THREADS
      g_object_unref (self);
  if (events == NULL)
    return sw_python_raise (error);
  g_ptr_array_set_free_func (events, event_free);
  tuple = make_objects (events);
  g_ptr_array_unref (events);
  return tuple;
}
