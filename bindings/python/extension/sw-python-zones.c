/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sw-python-zones-private.h"

/* Zones and frames as contexts. What an instrumented program does all the time is here; decorators, and what is wrong
 * with arguments, are the override's. */

typedef struct
{
  PyObject base;
  SwPythonPlace place;
  guint64 token; /* 0: not open, or not recorded */
  unsigned long thread; /* where it was begun, while it is open */
  gboolean is_frame;
  gboolean is_entered;
} Scope;

static PyTypeObject *scope_type;
/* Of the override: (scope, function): the function decorated; and the slow forms of the functions, by what is given. */
static PyObject *decorate, *slow_zone, *slow_function, *slow_frame, *find_place;

/* A few scopes that nobody has any more: there are seldom more at a time than the program nests them. */
#define N_SPARE 16
static Scope *spare[N_SPARE];
static guint n_spare;

static Scope *
scope_new (PyObject *name,
           gboolean is_frame)
{
  Scope *self;

  if (G_LIKELY (n_spare > 0))
    self = (Scope *) PyObject_Init ((PyObject *) spare[--n_spare], scope_type);
  else
    self = PyObject_New (Scope, scope_type);
  if (self == NULL)
    return NULL;
  self->place = (SwPythonPlace){ NULL, -1, Py_XNewRef (name) };
  self->token = 0;
  self->is_frame = is_frame;
  self->is_entered = FALSE;
  return self;
}

/* FALSE: it is open still. */
static gboolean
end (Scope *self)
{
  /* A misplaced end is counted, and no exception: instrumentation must not break what it measures, least of all in the
   * child of a fork, where nothing is open that was. */
  gboolean is_ended =
      self->is_frame ? sw_profile_frame_end (self->token, NULL) : sw_profile_zone_end (self->token, NULL);

  /* Its own thread can still end it. */
  if (G_UNLIKELY (!is_ended) && !self->is_frame && self->thread != PyThread_get_thread_ident ())
    return FALSE;
  self->token = 0;
  return TRUE;
}

static void
scope_dealloc (PyObject *object)
{
  Scope *self = (Scope *) object;
  PyTypeObject *type = Py_TYPE (object);

  if (G_UNLIKELY (self->token != 0))
    end (self);
  Py_XDECREF (self->place.code);
  Py_XDECREF (self->place.name);
  if (G_LIKELY (n_spare < N_SPARE))
    spare[n_spare++] = self;
  else
    PyObject_Free (object);
  Py_DECREF (type);
}

/* The scope was made while nothing was recorded, so its place was not found out then. */
static gboolean
find_place_late (Scope *self)
{
  PyObject *found = PyObject_CallNoArgs (find_place);
  gboolean is_found = FALSE;

  if (found != NULL && PyArg_ParseTuple (found, "O!i", &PyCode_Type, &self->place.code, &self->place.instruction))
    {
      Py_INCREF (self->place.code);
      is_found = TRUE;
    }
  else
    self->place.code = NULL;
  Py_XDECREF (found);
  return is_found;
}

static gboolean
begin_zone (Scope *self)
{
  guint site;

  if (G_UNLIKELY (self->place.code == NULL) && !find_place_late (self))
    return FALSE;
  site = sw_python_site_of (&self->place);
  if (G_UNLIKELY (site == 0))
    return FALSE;
  sw_python_meet_thread ();
  self->token = sw_profile_zone_begin (site);
  self->thread = PyThread_get_thread_ident ();
  return TRUE;
}

static gboolean
begin_frame (Scope *self)
{
  const char *name = PyUnicode_AsUTF8 (self->place.name);
  GError *error = NULL;

  if (name == NULL)
    return FALSE;
  sw_python_meet_thread ();
  self->token = sw_profile_frame_begin (name, &error);
  if (error == NULL)
    return TRUE;
  sw_python_raise (error);
  return FALSE;
}

static PyObject *
scope_enter (PyObject *object,
             PyObject *unused)
{
  Scope *self = (Scope *) object;

  if (G_UNLIKELY (self->is_entered))
    return PyErr_Format (PyExc_RuntimeError, "this %s is entered already", self->is_frame ? "frame" : "zone");
  if (SW_ZONE_GATE_IS_OPEN () && sw_profile_is_recording () && !(self->is_frame ? begin_frame (self) : begin_zone (self)))
    return NULL;
  self->is_entered = TRUE;
  return Py_NewRef (object);
}

static PyObject *
scope_exit (PyObject *object,
            PyObject *const *args,
            Py_ssize_t n_args)
{
  Scope *self = (Scope *) object;

  self->is_entered = self->token != 0 && !end (self);
  Py_RETURN_FALSE;
}

static PyObject *
scope_call (PyObject *object,
            PyObject *args,
            PyObject *kwargs)
{
  PyObject *function;

  if (kwargs != NULL && PyDict_GET_SIZE (kwargs) > 0)
    return PyErr_Format (PyExc_TypeError, "a zone decorates a function, and takes no other arguments");
  if (!PyArg_ParseTuple (args, "O:decorate", &function))
    return NULL;
  return PyObject_CallFunctionObjArgs (decorate, object, function, NULL);
}

static PyObject *
scope_get_name (PyObject *object,
                void *unused)
{
  Scope *self = (Scope *) object;

  return Py_NewRef (self->place.name != NULL ? self->place.name : Py_None);
}

static PyObject *
scope_get_is_frame (PyObject *object,
                    void *unused)
{
  return PyBool_FromLong (((Scope *) object)->is_frame);
}

static PyObject *
scope_repr (PyObject *object)
{
  Scope *self = (Scope *) object;

  if (self->place.name == NULL)
    return PyUnicode_FromString ("profile_function()");
  return PyUnicode_FromFormat ("%s(%R)", self->is_frame ? "profile_frame" : "profile_zone", self->place.name);
}

/* A str that C can have just as it is. */
static inline gboolean
is_plain_name (PyObject *name)
{
  const char *text;
  Py_ssize_t size;

  if (!PyUnicode_CheckExact (name))
    return FALSE;
  text = PyUnicode_AsUTF8AndSize (name, &size);
  if (text != NULL)
    return (Py_ssize_t) strlen (text) == size;
  PyErr_Clear ();
  return FALSE;
}

static inline PyObject *
make_zone (PyObject *name)
{
  Scope *self = scope_new (name, FALSE);

  if (self != NULL && SW_ZONE_GATE_IS_OPEN () && sw_profile_is_recording ())
    sw_python_place_here (&self->place);
  return (PyObject *) self;
}

PyObject *
sw_python_profile_zone (PyObject *module,
                        PyObject *const *args,
                        Py_ssize_t n_args,
                        PyObject *names)
{
  if (G_LIKELY (n_args == 1 && names == NULL && is_plain_name (args[0])))
    return make_zone (args[0]);
  return PyObject_Vectorcall (slow_zone, args, n_args, names);
}

PyObject *
sw_python_profile_function (PyObject *module,
                            PyObject *const *args,
                            Py_ssize_t n_args,
                            PyObject *names)
{
  if (G_LIKELY (n_args == 0 && names == NULL))
    return make_zone (NULL);
  return PyObject_Vectorcall (slow_function, args, n_args, names);
}

PyObject *
sw_python_profile_frame (PyObject *module,
                         PyObject *const *args,
                         Py_ssize_t n_args,
                         PyObject *names)
{
  if (n_args == 1 && names == NULL && is_plain_name (args[0]))
    return (PyObject *) scope_new (args[0], TRUE);
  return PyObject_Vectorcall (slow_frame, args, n_args, names);
}

/* scope_of (name or None, is_frame, code, instruction): a scope at a given place. */
PyObject *
sw_python_scope_of (PyObject *module,
                    PyObject *args)
{
  PyObject *name, *code;
  int is_frame, instruction;
  Scope *self;

  if (!PyArg_ParseTuple (args, "OpO!i:scope_of", &name, &is_frame, &PyCode_Type, &code, &instruction))
    return NULL;
  if (name == Py_None && !is_frame)
    name = NULL;
  else if (!is_plain_name (name))
    return PyErr_Format (PyExc_TypeError, "name is %R, which C cannot have", name);
  self = scope_new (name, is_frame);
  if (self == NULL)
    return NULL;
  self->place.code = Py_NewRef (code);
  self->place.instruction = MAX (instruction, -1);
  return (PyObject *) self;
}

/* use_zones (decorate, slow forms of profile_zone, profile_function and profile_frame, find_place) */
PyObject *
sw_python_use_zones (PyObject *module,
                     PyObject *args)
{
  PyObject *functions[5];

  if (!PyArg_ParseTuple (args, "OOOOO:use_zones", &functions[0], &functions[1], &functions[2], &functions[3], &functions[4]))
    return NULL;
  Py_XSETREF (decorate, Py_NewRef (functions[0]));
  Py_XSETREF (slow_zone, Py_NewRef (functions[1]));
  Py_XSETREF (slow_function, Py_NewRef (functions[2]));
  Py_XSETREF (slow_frame, Py_NewRef (functions[3]));
  Py_XSETREF (find_place, Py_NewRef (functions[4]));
  Py_RETURN_NONE;
}

static PyMethodDef scope_methods[] = {
  { "__enter__", scope_enter, METH_NOARGS, NULL },
  { "__exit__", (PyCFunction) (void (*) (void)) scope_exit, METH_FASTCALL, NULL },
  { NULL, NULL, 0, NULL },
};

static PyGetSetDef scope_attributes[] = {
  { "name", scope_get_name, NULL, "What the zone is called; None for the name of the function.", NULL },
  { "is_frame", scope_get_is_frame, NULL, "Whether it is a frame, and no zone.", NULL },
  { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot scope_slots[] = {
  { Py_tp_dealloc, scope_dealloc },
  { Py_tp_call, scope_call },
  { Py_tp_repr, scope_repr },
  { Py_tp_methods, scope_methods },
  { Py_tp_getset, scope_attributes },
  { Py_tp_doc, "A zone or a frame, for a with statement, or to decorate a function." },
  { 0, NULL },
};

static PyType_Spec scope_spec = {
  .name = "strideweave.ProfileScope",
  .basicsize = sizeof (Scope),
  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
  .slots = scope_slots,
};

gboolean
sw_python_add_zones (PyObject *module)
{
  scope_type = (PyTypeObject *) PyType_FromSpec (&scope_spec);
  return scope_type != NULL && PyModule_AddObjectRef (module, "ProfileScope", (PyObject *) scope_type) == 0;
}
