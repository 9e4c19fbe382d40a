# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operation, its hook, and the functions on tensors."""
import inspect
import threading

from . import tensors  # noqa: F401  (the extension knows Tensor when that is loaded)
from .carriers import check_callable, is_introspected, refuse_closed
from .dtypes import DType, check_dtype
from .errors import (
    call,
    check_bool,
    check_instance,
    check_name,
    guarded,
    raw,
    type_name,
)
from .extension import accelerate
from .layouts import as_shape
from .registry import class_of, register
from .trees import indices_of, integer
from .values import from_list, to_inputs

ExecutionOptions = raw.ExecutionOptions


def check_options(options):
    if options is not None and not isinstance(options, ExecutionOptions):
        raise TypeError(f"options must be execution options, not {type_name(options)}")


def operation_execution_options(name, *, accumulator_dtype=None, out=None):
    """Typed options for the operation @name: what sums are kept in, and the tensor that the result is written to."""
    check_name("name", name)
    dtype = DType.INVALID if accumulator_dtype is None else check_dtype("accumulator_dtype", accumulator_dtype)
    if out is None:
        return call(ExecutionOptions.new, name, dtype)
    check_instance("out", out, raw.Tensor)
    return call(ExecutionOptions.new_into, name, dtype, out)


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
        check_options(options)
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

    @property
    def kernel(self):
        """Which of several ways to compute was taken the last time, in words, or None."""
        return raw.Operation.dup_kernel(self)

    @property
    def kernel_rejections(self):
        """Why better ways were not taken, as a list of "candidate: reason"; None where kernel is."""
        return None if self.kernel is None else raw.Operation.dup_kernel_rejections(self)


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


def dispatch(name, inputs, options=None):
    """Any operation on any inputs, by the first input's carrier."""
    if not isinstance(inputs[0], raw.Tensor):
        raise TypeError(f"the first input of {name} must be a Tensor, not {type_name(inputs[0])}")
    check_options(options)
    return inputs[0].carrier.dispatch_op(name).forward(*inputs, options=options)


def into(out, name, inputs, accumulator_dtype=None):
    """The same, with the result in @out, which is returned."""
    check_instance("out", out, raw.Tensor)
    if accumulator_dtype is None and isinstance(inputs[0], raw.Tensor):
        if len(inputs) == 1:
            call(raw.unary_into, out, name, *inputs)
            return out
        if len(inputs) == 2 and isinstance(inputs[1], raw.Tensor):
            call(raw.binary_into, out, name, *inputs)
            return out
        if len(inputs) == 2 and type(inputs[1]) is float:
            call(raw.binary_scalar_into, out, name, *inputs)
            return out
    dispatch(name, inputs, operation_execution_options(name, accumulator_dtype=accumulator_dtype, out=out))
    return out


def _each(value, tensor, argument):
    """A list of integers, or one that stands for each mode after the first two."""
    if value is None or isinstance(value, (tuple, list)):
        return value if value is None else indices_of((value,), argument)
    return [integer(value, argument)] * max(0, len(tensor.shape) - 2)


def conv_general(input, weight, strides=None, padding=None, dilation=None, groups=1):
    """The convolution of images (n, c, ...) with weights (o, c / groups, ...): (n, o, ...)."""
    check_instance("input", input, raw.Tensor)
    check_instance("weight", weight, raw.Tensor)
    lists = ((strides, "strides", 1), (padding, "padding", 0), (dilation, "dilation", 1))
    given = [_each(default if value is None else value, input, name) for value, name, default in lists]
    return call(raw.conv_general, input, weight, *given, integer(groups, "groups"))


def _pooling(name, doc):
    function_of_c = getattr(raw, name)

    def function(input, window, strides=None, padding=None):
        check_instance("input", input, raw.Tensor)
        window = _each(window, input, "window")
        strides = window if strides is None else _each(strides, input, "strides")
        padding = _each(0 if padding is None else padding, input, "padding")
        return call(function_of_c, input, window, strides, padding)

    return named(function, name, doc)


def named(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__module__ = "strideweave.operation"
    function.__doc__ = doc
    return function


def matmul(lhs, rhs, options=None, *, out=None):
    """The product of two matrices, (m, k) x (k, n) -> (m, n); each mode may be of any depth."""
    if out is not None:
        check_options(options)
        dtype = DType.INVALID if options is None else options.get_accumulator_dtype()
        return into(out, "matmul", (lhs, rhs), None if dtype == DType.INVALID else dtype)
    if isinstance(lhs, raw.Tensor) and isinstance(rhs, raw.Tensor):
        check_options(options)
        return call(raw.matmul, lhs, rhs, options)
    return dispatch("matmul", (lhs, rhs), options)


max_pool = _pooling("max_pool", "The greatest value in each window over the modes after the first two.")
avg_pool = _pooling("avg_pool", "The mean of each window over the modes after the first two, without its padding.")


def _modes(modes):
    return indices_of((modes,), "modes")


def reduce_sum(tensor, modes=None, options=None, *, keepdims=False):
    """The sum of all values, as a tensor of rank 0, or of the values along the given modes."""
    if isinstance(modes, ExecutionOptions):
        modes, options = None, modes
    check_instance("tensor", tensor, raw.Tensor)
    check_options(options)
    check_bool("keepdims", keepdims)
    if modes is None and not keepdims:
        return call(raw.reduce_sum, tensor, options)
    return call(raw.reduce_sum_modes, tensor, _modes_or_all(tensor, modes), keepdims, options)


def _reduction(name, doc):
    of_all, of_modes = getattr(raw, name), getattr(raw, name + "_modes")

    def function(tensor, modes=None, *, keepdims=False):
        check_instance("tensor", tensor, raw.Tensor)
        check_bool("keepdims", keepdims)
        if modes is None and not keepdims:
            return call(of_all, tensor)
        return call(of_modes, tensor, _modes_or_all(tensor, modes), keepdims)

    return named(function, name, doc)


def _arg_reduction(name, doc):
    of_all, of_mode = getattr(raw, name), getattr(raw, name + "_mode")

    def function(tensor, mode=None, *, keepdims=False):
        check_instance("tensor", tensor, raw.Tensor)
        check_bool("keepdims", keepdims)
        if mode is not None:
            return call(of_mode, tensor, integer(mode, "mode"), keepdims)
        return dispatch(name, (tensor, None, True)) if keepdims else call(of_all, tensor)

    return named(function, name, doc)


reduce_max = _reduction("reduce_max", "The greatest of all values, as a tensor of rank 0, or of those along the given modes.")
reduce_min = _reduction("reduce_min", "The least of all values, as a tensor of rank 0, or of those along the given modes.")
reduce_prod = _reduction("reduce_prod", "The product of all values, of rank 0, or of the values along the given modes.")
argmax = _arg_reduction("argmax", "Where the greatest value is: its ordinal in the whole tensor, or in one mode.")
argmin = _arg_reduction("argmin", "Where the least value is: its ordinal in the whole tensor, or in one mode.")


def _modes_or_all(tensor, modes):
    return list(range(len(tensor.shape))) if modes is None else _modes(modes)


def cumsum(tensor, mode):
    """The sums of the values up to each one, along one mode."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.cumsum, tensor, integer(mode, "mode"))


def softmax(tensor, modes=None):
    """exp(x) / sum(exp(x)) along the given modes, or all of them."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.softmax, tensor, _modes_or_all(tensor, modes))


def layer_norm(tensor, modes=None, weight=None, bias=None, epsilon=1e-5):
    """(x - mean) / sqrt(variance + epsilon) * weight + bias along the given modes, or all of them."""
    check_instance("tensor", tensor, raw.Tensor)
    for argument, value in (("weight", weight), ("bias", bias)):
        if value is not None:
            check_instance(argument, value, raw.Tensor)
    if type(epsilon) not in (int, float):
        raise TypeError(f"epsilon must be a number, not {type_name(epsilon)}")
    return call(raw.layer_norm, tensor, _modes_or_all(tensor, modes), weight, bias, epsilon)


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


def view(tensor, shape):
    """The same as reshape, but never a copy: where strides cannot express it, that is an error."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.view, tensor, as_shape(shape))


def rearrange(tensor, pattern):
    """The tensor with its modes reordered and nested, as a pattern such as "a b c -> (c a) b" says."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.rearrange, tensor, check_name("pattern", pattern))


def squeeze(tensor, modes=None):
    """The tensor without the given modes, which are of size 1, or without all such modes."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.squeeze, tensor) if modes is None else call(raw.squeeze_modes, tensor, _modes(modes))


def unsqueeze(tensor, mode):
    """The tensor with a further mode of extent 1, as the given one."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.unsqueeze, tensor, integer(mode, "mode"))


def as_strided(tensor, layout, offset=None):
    """Any values of the tensor's carrier in any layout, from an offset in the carrier on; by default the tensor's."""
    check_instance("tensor", tensor, raw.Tensor)
    check_instance("layout", layout, raw.Layout)
    offset = tensor.get_offset() if offset is None else integer(offset, "offset")
    return call(raw.as_strided, tensor, layout, offset)


def _indexed(name, doc):
    function_of_c = getattr(raw, name)

    def function(tensor, mode, index, source):
        for argument, value in (("tensor", tensor), ("index", index), ("source", source)):
            check_instance(argument, value, raw.Tensor)
        return call(function_of_c, tensor, integer(mode, "mode"), index, source)

    return named(function, name, doc)


def gather(tensor, mode, index):
    """The values at the places along a mode that an index of integers names."""
    check_instance("tensor", tensor, raw.Tensor)
    check_instance("index", index, raw.Tensor)
    return call(raw.gather, tensor, integer(mode, "mode"), index)


scatter = _indexed("scatter", "A copy in which the source's values are at the places along a mode that an index names.")
scatter_add = _indexed("scatter_add", "A copy with the source's values added at the places along a mode that an index names.")


def sort(tensor, mode, descending=False):
    """The values along a mode in order."""
    check_instance("tensor", tensor, raw.Tensor)
    check_bool("descending", descending)
    return call(raw.sort, tensor, integer(mode, "mode"), descending)


def topk(tensor, k, mode):
    """The k greatest values along a mode, the greatest first."""
    check_instance("tensor", tensor, raw.Tensor)
    return call(raw.topk, tensor, integer(k, "k"), integer(mode, "mode"))


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
    return dispatch(name, inputs, options)


for _function in (
    matmul,
    conv_general,
    reduce_sum,
    cumsum,
    softmax,
    layer_norm,
    broadcast_to,
    permute,
    reshape,
    view,
    rearrange,
    squeeze,
    unsqueeze,
    as_strided,
    gather,
    sort,
    topk,
    move,
):
    _function.__module__ = "strideweave.operation"

FUNCTIONS = (
    "argmax",
    "argmin",
    "as_strided",
    "avg_pool",
    "broadcast_to",
    "call_operation",
    "conv_general",
    "cumsum",
    "gather",
    "layer_norm",
    "matmul",
    "max_pool",
    "move",
    "permute",
    "rearrange",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "register_move",
    "reshape",
    "scatter",
    "scatter_add",
    "softmax",
    "sort",
    "squeeze",
    "topk",
    "unsqueeze",
    "view",
)

accelerate(globals(), FUNCTIONS)
