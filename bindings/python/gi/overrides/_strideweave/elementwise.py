# SPDX-License-Identifier: LGPL-2.1-or-later
"""The functions that compute one value from those at the same place."""
from gi.repository import GLib

from .dtypes import check_dtype
from .errors import (
    after_call,
    begin_on_thread,
    call,
    check_instance,
    check_python_lives,
    closing,
    of_thread,
    pending,
    raw,
    translate,
    translate_unmade,
)
from .extension import accelerate
from .operations import dispatch, into, named

# What follows calls C directly, without call (): these functions are what programs spend their time in.


def _unary(name, doc):
    of_tensor = getattr(raw, name)

    def function(tensor, *, out=None):
        if out is not None:
            return into(out, name, (tensor,))
        if closing:
            check_python_lives()
        if not of_thread.has_recorded:
            begin_on_thread()
        try:
            result = of_tensor(tensor)
        except GLib.Error as error:
            failure = translate(error)
        except RuntimeError as error:
            failure = translate_unmade(error)
        except TypeError:
            return dispatch(name, (tensor,))
        else:
            if pending:
                after_call()
            return result
        try:
            raise failure
        finally:
            del failure

    return named(function, name, doc)


def _binary(name, doc):
    of_tensors = getattr(raw, name)
    of_number = getattr(raw, name + "_scalar", of_tensors)

    def function(lhs, rhs, *, out=None):
        if out is not None:
            return into(out, name, (lhs, rhs))
        if closing:
            check_python_lives()
        if not of_thread.has_recorded:
            begin_on_thread()
        try:
            result = of_number(lhs, rhs) if type(rhs) is float else of_tensors(lhs, rhs)
        except GLib.Error as error:
            failure = translate(error)
        except RuntimeError as error:
            failure = translate_unmade(error)
        except TypeError:
            # Other operands are the operation's own to judge: inside its boundary, as one attempt.
            return dispatch(name, (lhs, rhs))
        else:
            if pending:
                after_call()
            return result
        try:
            raise failure
        finally:
            del failure

    return named(function, name, doc)


neg = _unary("neg", "The negative of each value.")
abs = _unary("abs", "Each value without its sign.")
sign = _unary("sign", "The sign of each value: -1, 0 or 1.")
floor = _unary("floor", "Each value rounded down.")
ceil = _unary("ceil", "Each value rounded up.")
round = _unary("round", "Each value rounded to the nearest integer, halves to the even one.")
recip = _unary("recip", "1 divided by each value.")
sqrt = _unary("sqrt", "The square root of each value.")
rsqrt = _unary("rsqrt", "1 divided by the square root of each value.")
logical_not = _unary("logical_not", "Whether each value is zero, or False.")
exp = _unary("exp", "e to the power of each value.")
exp2 = _unary("exp2", "2 to the power of each value.")
log = _unary("log", "The natural logarithm of each value.")
log2 = _unary("log2", "The binary logarithm of each value.")
sin = _unary("sin", "The sine of each value, in radians.")
cos = _unary("cos", "The cosine of each value, in radians.")
tanh = _unary("tanh", "The hyperbolic tangent of each value.")
erf = _unary("erf", "The error function of each value.")
relu = _unary("relu", "Each value, or 0 where it is less.")
sigmoid = _unary("sigmoid", "The logistic function of each value: 1 / (1 + exp(-x)).")
silu = _unary("silu", "Each value times its logistic function: x / (1 + exp(-x)).")
gelu = _unary(
    "gelu", "Each value times the probability that a normal variable is less: x * (1 + erf(x / sqrt(2))) / 2."
)
softplus = _unary("softplus", "A smooth form of the greater of each value and 0: log(1 + exp(x)).")

add = _binary("add", "Adds a tensor of the same shape, or a number, to each value.")
sub = _binary("sub", "Subtracts a tensor of the same shape, or a number, from each value.")
mul = _binary("mul", "Multiplies each value by that of a tensor of the same shape, or by a number.")
elementwise_mul = _binary("elementwise_mul", "Multiplies two tensors of the same shape, value by value.")
div = _binary("div", "Divides each value by that of a tensor of the same shape, or by a number.")
pow = _binary("pow", "Each value to the power of that of a tensor of the same shape, or of a number.")
rem = _binary(
    "rem", "The rest of each value divided by that of a tensor of the same shape, or by a number; it has the sign of the divisor."
)
maximum = _binary("maximum", "The greater of each value and that of a tensor of the same shape, or a number.")
minimum = _binary("minimum", "The lesser of each value and that of a tensor of the same shape, or a number.")
eq = _binary("eq", "Whether each value equals that of a tensor of the same shape, or a number.")
ne = _binary("ne", "Whether each value differs from that of a tensor of the same shape, or from a number.")
lt = _binary("lt", "Whether each value is less than that of a tensor of the same shape, or than a number.")
le = _binary("le", "Whether each value is at most that of a tensor of the same shape, or a number.")


def elu(tensor, alpha=1.0, *, out=None):
    """Each value, or alpha * (exp(x) - 1) where it is below 0."""
    if out is not None:
        return into(out, "elu", (tensor, alpha))
    if isinstance(tensor, raw.Tensor) and type(alpha) is float:
        return call(raw.elu, tensor, alpha)
    return dispatch("elu", (tensor, alpha))


def leaky_relu(tensor, slope=0.01, *, out=None):
    """Each value, times slope where it is below 0."""
    if out is not None:
        return into(out, "leaky_relu", (tensor, slope))
    if isinstance(tensor, raw.Tensor) and type(slope) is float:
        return call(raw.leaky_relu, tensor, slope)
    return dispatch("leaky_relu", (tensor, slope))


def clamp(tensor, minimum=None, maximum=None, *, out=None):
    """Each value, or the limit that it is beyond; None is no limit."""
    if out is not None:
        return into(out, "clamp", (tensor, minimum, maximum))
    if isinstance(tensor, raw.Tensor) and type(minimum) is type(maximum) is float:
        return call(raw.clamp, tensor, minimum, maximum)
    return dispatch("clamp", (tensor, minimum, maximum))


def cast(tensor, dtype, *, out=None):
    """A copy that holds another dtype; what it has no value for is a ValueError."""
    check_instance("tensor", tensor, raw.Tensor)
    if out is not None:
        return into(out, "cast", (tensor, int(check_dtype("dtype", dtype))))
    return call(raw.cast, tensor, check_dtype("dtype", dtype))


def select(condition, lhs, rhs, *, out=None):
    """Each value of lhs where the condition holds, else of rhs; one of the two may be a number."""
    if out is not None:
        return into(out, "select", (condition, lhs, rhs))
    if isinstance(condition, raw.Tensor) and isinstance(lhs, raw.Tensor) and isinstance(rhs, raw.Tensor):
        return call(raw.select, condition, lhs, rhs)
    return dispatch("select", (condition, lhs, rhs))


for _function in (elu, leaky_relu, clamp, cast, select):
    _function.__module__ = "strideweave.operation"

FUNCTIONS = (
    "abs",
    "add",
    "cast",
    "ceil",
    "clamp",
    "cos",
    "div",
    "elementwise_mul",
    "elu",
    "eq",
    "erf",
    "exp",
    "exp2",
    "floor",
    "gelu",
    "le",
    "leaky_relu",
    "log",
    "log2",
    "logical_not",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "ne",
    "neg",
    "pow",
    "recip",
    "relu",
    "rem",
    "round",
    "rsqrt",
    "select",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "softplus",
    "sqrt",
    "sub",
    "tanh",
)

accelerate(globals(), FUNCTIONS)
