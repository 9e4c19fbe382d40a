# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operation, its hook, and the functions on tensors."""
import inspect
import threading

from gi.repository import GLib

from . import extension, tensors  # noqa: F401  (the extension knows Tensor when that is loaded)
from .carriers import check_callable, is_introspected, refuse_closed
from .dtypes import DType, check_dtype
from .errors import (
    after_call,
    call,
    check_instance,
    check_name,
    check_python_lives,
    closing,
    guarded,
    pending,
    raw,
    translate,
    translate_unmade,
    type_name,
)
from .layouts import as_shape
from .registry import class_of, register
from .trees import indices_of, integer
from .values import from_list, to_inputs

ExecutionOptions = raw.ExecutionOptions


def _check_options(options):
    if options is not None and not isinstance(options, ExecutionOptions):
        raise TypeError(f"options must be execution options, not {type_name(options)}")


def operation_execution_options(name, *, accumulator_dtype=None):
    """Typed options for the operation @name: what sums are kept in."""
    check_name("name", name)
    dtype = DType.INVALID if accumulator_dtype is None else check_dtype("accumulator_dtype", accumulator_dtype)
    return call(ExecutionOptions.new, name, dtype)


_NOBODYS_CALL = (None, None)


class _Call(threading.local):
    """The operation that this thread is about to execute, and its inputs."""

    current = _NOBODYS_CALL


_call = _Call()


@register
class Operation(raw.Operation):
    """One execution of something that makes a Tensor from inputs.

    A subclass implements `_forward(self, *inputs)` (or `_compute`, or `do_compute(self, inputs, options)` as in C) and
    returns a Tensor. The options of the call are `self.options`, and go to the hook where it takes `options`.
    """

    options = None

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if is_introspected(cls):
            return
        refuse_closed(cls, (raw.Operation, Operation), "subclass Operation")
        _install_hook(cls)

    def forward(self, *inputs, options=None):
        """Checks options and inputs, then computes."""
        return self._execute(raw.Operation.forward, inputs, options)

    def lower(self, *inputs, options=None):
        """The same inside another operation, as composite carriers do it."""
        return self._execute(raw.Operation.lower, inputs, options)

    def _execute(self, function, inputs, options):
        _check_options(options)
        if type(self)._hook is None:
            return call(function, self, to_inputs(inputs), options)
        # The hook gets the caller's own objects, not others for the same values.
        before, _call.current = _call.current, (self, inputs)
        try:
            return call(function, self, to_inputs(inputs), options)
        finally:
            _call.current = before

    _hook = None

    @property
    def dispatch_name(self):
        """The name that a carrier dispatched the operation by, or None."""
        return raw.Operation.get_dispatch_name(self)

    @property
    def carrier_type(self):
        """The exact class of the carrier that dispatched the operation, or None."""
        return None if self.dispatch_name is None else class_of(raw.Operation.get_carrier_type(self), raw)


def _do_compute(self, inputs, options):
    cls = type(self)
    operation, arguments = _call.current
    if operation is self:
        _call.current = _NOBODYS_CALL
    else:
        arguments = from_list(inputs)
    del inputs, operation  # see call ()
    self.options = options
    result = cls._hook(self, *arguments, options=options) if cls._hook_takes_options else cls._hook(self, *arguments)
    return _check_result(self, cls._hook.__name__, result)


def _check_result(self, hook, result):
    if not isinstance(result, raw.Tensor):
        raise TypeError(f"{type(self).__name__}.{hook}() must return a Tensor, not {type_name(result)}")
    return result


def _do_own_compute(function):
    def do_compute(self, inputs, options):
        return _check_result(self, "do_compute", function(self, inputs, options))

    return do_compute


def _takes_options(function):
    parameters = inspect.signature(function).parameters
    return "options" in parameters and parameters["options"].kind is not inspect.Parameter.VAR_POSITIONAL


def _install_hook(cls):
    own = cls.__dict__.get("do_compute")
    if own is not None:
        check_callable(cls, "do_compute", own)
        cls._hook = None
        cls.do_compute = guarded(_do_own_compute(own))
        return
    name = "_forward" if getattr(cls, "_forward", None) is not None else "_compute"
    hook = getattr(cls, name, None)
    if hook is not None:
        check_callable(cls, name, hook)
        cls._hook = hook
        cls._hook_takes_options = _takes_options(hook)
        cls.do_compute = guarded(_do_compute)


def _dispatch(name, inputs, options=None):
    """Any operation on any inputs, by the first input's carrier."""
    if not isinstance(inputs[0], raw.Tensor):
        raise TypeError(f"the first input of {name} must be a Tensor, not {type_name(inputs[0])}")
    _check_options(options)
    return inputs[0].carrier.dispatch_op(name).forward(*inputs, options=options)


def _named(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__module__ = "strideweave.operation"
    function.__doc__ = doc
    return function


# What follows calls C directly, without call (): these functions are what programs spend their time in.


def _unary(name, doc):
    of_tensor = getattr(raw, name)

    def function(tensor):
        if closing:
            check_python_lives()
        try:
            result = of_tensor(tensor)
        except GLib.Error as error:
            failure = translate(error)
        except RuntimeError as error:
            failure = translate_unmade(error)
        except TypeError:
            return _dispatch(name, (tensor,))
        else:
            if pending:
                after_call()
            return result
        try:
            raise failure
        finally:
            del failure

    return _named(function, name, doc)


def _binary(name, doc):
    of_tensors = getattr(raw, name)
    of_tensor_and_number = getattr(raw, name + "_scalar", None)
    if of_tensor_and_number is None:
        of_tensor_and_number = of_tensors

    def function(lhs, rhs):
        if closing:
            check_python_lives()
        try:
            result = of_tensor_and_number(lhs, rhs) if type(rhs) is float else of_tensors(lhs, rhs)
        except GLib.Error as error:
            failure = translate(error)
        except RuntimeError as error:
            failure = translate_unmade(error)
        except TypeError:
            # Other operands are the operation's own to judge: inside its boundary, as one attempt.
            return _dispatch(name, (lhs, rhs))
        else:
            if pending:
                after_call()
            return result
        try:
            raise failure
        finally:
            del failure

    return _named(function, name, doc)


relu = _unary("relu", "Each value, or 0 where it is less.")
neg = _unary("neg", "The negative of each value.")
exp = _unary("exp", "e to the power of each value.")
add = _binary("add", "Adds a tensor of the same shape, or a number, to each value.")
sub = _binary("sub", "Subtracts a tensor of the same shape, or a number, from each value.")
mul = _binary("mul", "Multiplies each value by that of a tensor of the same shape, or by a number.")
elementwise_mul = _binary("elementwise_mul", "Multiplies two tensors of the same shape, value by value.")
div = _binary("div", "Divides each value by that of a tensor of the same shape, or by a number.")
maximum = _binary("maximum", "The greater of each value and that of a tensor of the same shape, or a number.")


def matmul(lhs, rhs, options=None):
    """The product of two matrices, (m, k) x (k, n) -> (m, n); each mode may be of any depth."""
    if isinstance(lhs, raw.Tensor) and isinstance(rhs, raw.Tensor):
        _check_options(options)
        return call(raw.matmul, lhs, rhs, options)
    return _dispatch("matmul", (lhs, rhs), options)


def _modes(modes):
    return indices_of((modes,), "modes")


def reduce_sum(tensor, modes=None, options=None):
    """The sum of all values, as a tensor of rank 0, or of the values along the given modes."""
    if isinstance(modes, ExecutionOptions):
        modes, options = None, modes
    check_instance("tensor", tensor, raw.Tensor)
    _check_options(options)
    if modes is None:
        return call(raw.reduce_sum, tensor, options)
    return call(raw.reduce_sum_modes, tensor, _modes(modes), options)


def reduce_max(tensor, modes=None):
    """The greatest of all values, as a tensor of rank 0, or of the values along the given modes."""
    check_instance("tensor", tensor, raw.Tensor)
    if modes is None:
        return call(raw.reduce_max, tensor)
    return call(raw.reduce_max_modes, tensor, _modes(modes))


def argmax(tensor, mode=None):
    """Where the greatest value is: its ordinal in the whole tensor, or in one mode."""
    check_instance("tensor", tensor, raw.Tensor)
    if mode is None:
        return call(raw.argmax, tensor)
    return call(raw.argmax_mode, tensor, integer(mode, "mode"))


def broadcast_to(tensor, shape):
    """The tensor with a greater shape: modes of extent 1 repeat their value."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.broadcast_to, tensor, as_shape(shape))


def permute(tensor, *order):
    """The tensor with its modes in another order."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.permute, tensor, indices_of(order, "order"))


def reshape(tensor, shape):
    """The tensor's values, first mode fastest, with another shape of the same size."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.reshape, tensor, as_shape(shape))


def move(tensor, destination):
    """Moves the values of the tensor's carrier to the beginning of another one, and releases the tensor's own.

    How is registered for each pair of exact carrier classes. The result has the tensor's offset and layout.
    """
    check_instance("tensor", tensor, raw.Tensor)
    check_instance("destination", destination, raw.Carrier)
    return call(raw.move, tensor, destination)


def register_move(source_type, destination_type, function):
    """Makes move() call `function(tensor, destination)` for tensors between two exact carrier classes."""
    for argument, cls in (("source_type", source_type), ("destination_type", destination_type)):
        if not (isinstance(cls, type) and issubclass(cls, raw.Carrier)):
            raise TypeError(f"{argument} must be a Carrier class, not {cls!r}")
    if not callable(function):
        raise TypeError(f"function must be callable, not {type_name(function)}")

    def moved(source, destination, *_):
        result = function(source, destination)
        if not isinstance(result, raw.Tensor):
            raise TypeError(f"a move function must return a Tensor, not {type_name(result)}")
        return result

    call(raw.register_move, source_type, destination_type, guarded(moved))


def call_operation(name, *inputs, options=None):
    """Dispatches any operation by name, by the carrier of the first input, and executes it."""
    if not inputs:
        raise TypeError(f"the first input of {name} must be a Tensor, not nothing")
    return _dispatch(name, inputs, options)


for _function in (matmul, reduce_sum, reduce_max, argmax, broadcast_to, permute, reshape, move):
    _function.__module__ = "strideweave.operation"

FUNCTIONS = (
    "add",
    "argmax",
    "broadcast_to",
    "call_operation",
    "div",
    "elementwise_mul",
    "exp",
    "matmul",
    "maximum",
    "move",
    "mul",
    "neg",
    "permute",
    "reduce_max",
    "reduce_sum",
    "register_move",
    "relu",
    "reshape",
    "sub",
)


def _accelerate(name):
    """Puts the extension's form of a function in front of the one that is here."""
    function = globals()[name]
    documentation = f"{name}{inspect.signature(function)}\n--\n\n{function.__doc__}"
    globals()[name] = extension.extension.operation(name, documentation, function.__module__, function)


if extension.extension is not None:
    for _function_name in FUNCTIONS:
        _accelerate(_function_name)
