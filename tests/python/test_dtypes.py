# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each operation makes of each dtype and each two of them, against the tables of the guide; integers that overflow."""
import itertools
import math
import pathlib
import random
import re

import numpy as np
import pytest
from helpers import evictable
from random_tensors import KINDS, on_cpu, on_evictable, on_generic, plain

import strideweave as sw

DType = sw.DType
GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "guide" / "tensors.md"
ALL = (DType.Float32, DType.Float64, DType.Int32, DType.Int64, DType.Bool, DType.Floating, DType.Any)
NAMES = {dtype.name: dtype for dtype in ALL}
HELD = {"Generic": ALL, "CPU": ALL[:5]}
INTEGERS = {DType.Int32: np.int32, DType.Int64: np.int64}


def read_table(heading):
    """The rows of the guide's table whose first column is called so, as lists of texts."""
    lines = GUIDE.read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[start:])
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if not row.startswith("| ---")]


def read_rules():
    """name: dtype: what the result holds, or None where it is not supported."""
    (_, *heads, _), *rows = read_table("rule")
    rules = {}
    for _, *results, names in rows:
        for name in re.search("`(.*)`", names).group(1).split():
            assert name not in rules, f"{name} stands in two rules of the guide"
            rules[name] = {NAMES[head]: NAMES.get(result) for head, result in zip(heads, results)}
    return rules


def read_pairs():
    (_, *heads), *rows = read_table("with")
    return {(NAMES[row[0]], NAMES[head]): NAMES.get(cell) for row in rows for head, cell in zip(heads, row[1:])}


RULES, PAIRS = read_rules(), read_pairs()


def test_the_guide_has_every_operation_and_every_pair():
    assert set(RULES) == set(sw.operation.Strideweave.list_operations())
    assert set(PAIRS) == set(itertools.product(ALL, ALL))
    assert all(PAIRS[a, b] == PAIRS[b, a] for a, b in PAIRS)
    assert all(set(results) == set(ALL) for results in RULES.values())


def ones(kind, dtype, *extents):
    """A tensor of ones, or of True."""
    one = True if dtype == DType.Bool else 1 if dtype in (DType.Int32, DType.Int64, DType.Any) else 1.0
    count = math.prod(extents)
    if kind == "Generic":
        carrier = sw.Generic([one] * count, dtype=dtype)
    else:
        carrier = sw.CPU(count, dtype=dtype)
        for place in range(count):
            carrier[place] = one
    strides = [math.prod(extents[:place]) for place in range(len(extents))]
    return sw.Tensor(carrier, 0, sw.Layout(sw.Shape(extents), sw.Stride(tuple(strides))))


BINARY = ("add", "sub", "mul", "elementwise_mul", "div", "pow", "rem", "maximum", "minimum", "eq", "ne", "lt", "le")
UNARY = (
    *("neg", "abs", "sign", "floor", "ceil", "round", "relu", "recip", "sqrt", "rsqrt", "exp", "exp2", "log", "log2"),
    *("sin", "cos", "tanh", "erf", "sigmoid", "gelu", "silu", "softplus", "logical_not", "elu", "leaky_relu", "clamp"),
    *("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "argmax", "argmin", "squeeze"),
)
# name: the operation on one tensor, of ones and of the shape (2, 2)
ONE = {
    **{name: getattr(sw, name) for name in UNARY},
    "max_pool": lambda t: sw.max_pool(sw.unsqueeze(sw.unsqueeze(t, 0), 0), 1),
    "avg_pool": lambda t: sw.avg_pool(sw.unsqueeze(sw.unsqueeze(t, 0), 0), 1),
    "cumsum": lambda t: sw.cumsum(t, 0),
    "softmax": lambda t: sw.softmax(t, 0),
    "broadcast_to": lambda t: sw.broadcast_to(t, (2, 2)),
    "permute": lambda t: sw.permute(t, 1, 0),
    "reshape": lambda t: sw.reshape(t, (4,)),
    "view": lambda t: sw.view(t, (4,)),
    "rearrange": lambda t: sw.rearrange(t, "a b -> b a"),
    "unsqueeze": lambda t: sw.unsqueeze(t, 0),
    "as_strided": lambda t: sw.as_strided(t, sw.Layout(2, 1), 0),
    "sort": lambda t: sw.sort(t, 0),
    "topk": lambda t: sw.topk(t, 1, 0),
}


def zeros_like_index(t):
    kind = "Generic" if isinstance(t.carrier, sw.Generic) else "CPU"
    return sw.sub(ones(kind, DType.Int64, 2, 2), 1)


def convolve(a, b):
    return sw.conv_general(*(sw.unsqueeze(sw.unsqueeze(t, 0), 0) for t in (a, b)))


def select(a, b):
    return sw.select(ones("Generic" if isinstance(a.carrier, sw.Generic) else "CPU", DType.Bool, 2, 2), a, b)


# name: the operation on two tensors of which each may hold anything
TWO = {
    **{name: getattr(sw, name) for name in (*BINARY, "matmul")},
    "conv_general": convolve,
    "select": select,
    "scatter": lambda a, b: sw.scatter(a, 0, zeros_like_index(a), b),
    "scatter_add": lambda a, b: sw.scatter_add(a, 0, zeros_like_index(a), b),
}
# These have a test of their own below.
OTHER = {"cast", "gather", "layer_norm"}


def test_every_operation_is_here():
    assert {*ONE, *TWO, *OTHER} == set(RULES)


def count_allocations():
    statistics = sw.CPU.get_cache_statistics()
    return statistics.n_hits + statistics.n_misses


def assert_unsupported(name, call):
    """Refused before there is any memory for a result, and the message names what is supported."""
    before = count_allocations()
    with pytest.raises(NotImplementedError, match=f"^{name} does not support .* it takes (one of )?Float32, Float64, Int32, Int64"):
        call()
    assert count_allocations() == before


@pytest.mark.parametrize("kind", HELD)
@pytest.mark.parametrize("name", ONE)
def test_one(kind, name):
    for dtype in HELD[kind]:
        tensor = ones(kind, dtype, 2, 2)
        expected = RULES[name][dtype]
        if expected is None:
            if name in ("max_pool", "avg_pool"):
                tensor = ones(kind, dtype, 1, 1, 2, 2)
                assert_unsupported(name, lambda: getattr(sw, name)(tensor, 1))
            else:
                assert_unsupported(name, lambda: ONE[name](tensor))
        else:
            result = ONE[name](tensor)
            assert result.dtype() == expected, (dtype, result.dtype())
            assert type(result.carrier) is type(tensor.carrier)


@pytest.mark.parametrize("kind", HELD)
@pytest.mark.parametrize("name", TWO)
def test_two(kind, name):
    for a, b in itertools.product(HELD[kind], repeat=2):
        common = PAIRS[a, b]
        expected = None if common is None else RULES[name][common]
        lhs, rhs = ones(kind, a, 2, 2), ones(kind, b, 2, 2)
        if expected is not None:
            result = TWO[name](lhs, rhs)
            assert result.dtype() == expected, (a, b, result.dtype())
            continue
        call = {
            "conv_general": lambda l, r: lambda: sw.conv_general(l, r),
            "select": lambda l, r: lambda: sw.select(condition, l, r),
            "scatter": lambda l, r: lambda: sw.scatter(l, 0, index, r),
            "scatter_add": lambda l, r: lambda: sw.scatter_add(l, 0, index, r),
        }.get(name, lambda l, r: lambda: TWO[name](l, r))
        condition, index = ones(kind, DType.Bool, 2, 2), zeros_like_index(lhs)
        if name == "conv_general":
            lhs, rhs = ones(kind, a, 1, 1, 2, 2), ones(kind, b, 1, 1, 2, 2)
        assert_unsupported(name, call(lhs, rhs))


@pytest.mark.parametrize("kind", HELD)
def test_layer_norm(kind):
    for a, b, c in itertools.product(HELD[kind], repeat=3):
        tensors = ones(kind, a, 2, 2), ones(kind, b, 2), ones(kind, c, 2)
        common = PAIRS[a, b]
        common = None if common is None else PAIRS[common, c]
        if common is None or common == DType.Bool:
            assert_unsupported("layer_norm", lambda: sw.layer_norm(tensors[0], 1, *tensors[1:]))
        else:
            assert sw.layer_norm(tensors[0], 1, *tensors[1:]).dtype() == RULES["layer_norm"][common], (a, b, c)


@pytest.mark.parametrize("kind", HELD)
def test_gather(kind):
    for dtype, index in itertools.product(HELD[kind], repeat=2):
        tensor, places = ones(kind, dtype, 2, 2), ones(kind, index, 2, 2)
        if index in INTEGERS:
            assert sw.gather(tensor, 0, places).dtype() == RULES["gather"][dtype]
            continue
        before = count_allocations()
        with pytest.raises((TypeError, NotImplementedError), match="index"):
            sw.gather(tensor, 0, places)
        assert count_allocations() == before


@pytest.mark.parametrize("kind", HELD)
def test_cast(kind):
    for source, target in itertools.product(HELD[kind], ALL):
        tensor = ones(kind, source, 2, 2)
        if target in HELD[kind]:
            assert sw.cast(tensor, target).dtype() == target
            continue
        before = count_allocations()
        with pytest.raises(NotImplementedError, match=f"dtype is {target.name}, which CPU does not hold"):
            sw.cast(tensor, target)
        assert count_allocations() == before


def inputs_of(name):
    """For an operation object on CPU."""
    a, index = ones("CPU", DType.Float32, 2, 2), ones("CPU", DType.Int64, 2, 2)
    image = ones("CPU", DType.Float32, 1, 1, 2, 2)
    rest = {
        "elu": (1.0,),
        "leaky_relu": (0.1,),
        "clamp": (0.0, 1.0),
        "cast": (DType.Float64,),
        "broadcast_to": (sw.Shape(2, 2),),
        "permute": ((1, 0),),
        "reshape": (sw.Shape(4),),
        "view": (sw.Shape(4),),
        "rearrange": ("a b -> b a",),
        "unsqueeze": (0,),
        "gather": (0, index),
        "scatter": (0, index, a),
        "scatter_add": (0, index, a),
        "sort": (0,),
        "topk": (1, 0),
        "as_strided": (sw.Shape(2), (1,), 0),
        "cumsum": ((0,),),
        "softmax": ((0,),),
        "layer_norm": ((0,),),
    }
    if name == "select":
        return sw.lt(a, a), a, a
    if name in ("conv_general", "max_pool", "avg_pool"):
        return (image, image) if name == "conv_general" else (image, (1, 1))
    return (a, a) if name in TWO and name not in rest else (a, *rest.get(name, ()))


@pytest.mark.parametrize("name", RULES)
def test_every_operation_on_cpu_says_which_kernel_ran(name):
    inputs = inputs_of(name)
    operation = inputs[0].carrier.dispatch_op(name)
    assert operation.kernel is None
    operation.forward(*inputs)
    assert operation.kernel and all(": " in reason for reason in operation.dup_kernel_rejections())


# Numbers are weak


def expect_number(name, dtype, number):
    """What the result holds, or which exception there is."""
    supported = RULES[name][dtype] is not None
    if isinstance(number, bool) or dtype == DType.Bool:
        if not supported and not isinstance(number, bool):
            return NotImplementedError
        return DType.Bool if supported and isinstance(number, bool) and dtype == DType.Bool else TypeError
    is_comparison, is_real = RULES[name][DType.Int32] == DType.Bool, name == "div"
    if dtype in INTEGERS and number != int(number) and not (is_comparison or is_real):
        return TypeError
    return RULES[name][dtype]


@pytest.mark.parametrize("kind", HELD)
@pytest.mark.parametrize("name", [name for name in BINARY if name != "elementwise_mul"])
def test_numbers(kind, name):
    for dtype, number in itertools.product(HELD[kind], (1, 2.0, 0.5, True)):
        if dtype == DType.Any and isinstance(number, bool):
            continue
        tensor = ones(kind, dtype, 2, 2)
        expected = expect_number(name, dtype, number)
        if isinstance(expected, type):
            before = count_allocations()
            with pytest.raises((TypeError, NotImplementedError)) as raised:
                getattr(sw, name)(tensor, number)
            assert issubclass(raised.type, expected), (dtype, number, raised.value)
            assert count_allocations() == before
        else:
            assert getattr(sw, name)(tensor, number).dtype() == expected, (dtype, number)


# Integers that have no place for the result


MAKERS = pytest.mark.parametrize("make", [on_generic, on_cpu, on_evictable])


def of_integers(chance, make, dtype, values):
    """The values side by side, or with gaps between them."""
    step = chance.choice([1, 3])
    stored = np.zeros(1 + (len(values) - 1) * step, INTEGERS[dtype])
    stored[::step] = values
    return make(stored, dtype, 0, sw.Layout(len(values), step))


def limits(dtype):
    return np.iinfo(INTEGERS[dtype]).min, np.iinfo(INTEGERS[dtype]).max


def pairs_that_overflow(name, dtype):
    least, most = limits(dtype)
    root = math.isqrt(most)
    return {
        "add": [(most, 1), (1, most), (least, -1), (least, least), (most, most)],
        "sub": [(least, 1), (most, -1), (0, least), (-2, most)],
        "mul": [(root + 1, root + 1), (least, -1), (-1, least), (most, 2), (least, 2), (-root - 2, root + 2)],
        "elementwise_mul": [(root + 1, root + 1), (least, -1), (-1, least), (most, 2)],
        "pow": [(2, dtype_bits(dtype) - 1), (-2, dtype_bits(dtype)), (least, 2), (most, 2), (3, 60)],
    }[name]


def pairs_that_fit(name, dtype):
    least, most = limits(dtype)
    root = math.isqrt(most)
    return {
        "add": [(most, 0), (most - 1, 1), (least, most), (least + 1, -1)],
        "sub": [(least, 0), (most, most), (-1, most), (least, least), (-1, least)],
        "mul": [(root, root), (least, 1), (most, -1), (most, 0), (least // 2, 2), (-root, root)],
        "elementwise_mul": [(root, root), (least, 1), (most, -1), (least // 2, 2)],
        "pow": [(2, dtype_bits(dtype) - 2), (-2, dtype_bits(dtype) - 1), (least, 1), (-1, most), (0, most), (most, 0)],
    }[name]


def dtype_bits(dtype):
    return np.iinfo(INTEGERS[dtype]).bits


OVERFLOWING = ("add", "sub", "mul", "elementwise_mul", "pow")
EXACT = {
    "add": int.__add__,
    "sub": int.__sub__,
    "mul": int.__mul__,
    "elementwise_mul": int.__mul__,
    "pow": lambda a, b: (1 if b % 2 == 0 else -1) if a == -1 else 0 if a == 0 and b else int.__pow__(a, b),
}


@MAKERS
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", OVERFLOWING)
def test_two_integers_that_overflow(make, dtype, name):
    """Each such pair somewhere between others that fit, so that vectors and what is left at the end are met."""
    chance = random.Random(str((make.__name__, dtype, name)))
    for pair in pairs_that_overflow(name, dtype):
        size = chance.choice([1, 5, 37, 130])
        place = chance.randrange(size)
        a, b = [1] * size, [1] * size
        a[place], b[place] = pair
        lhs, rhs = of_integers(chance, make, dtype, a), of_integers(chance, make, dtype, b)
        with pytest.raises(ValueError, match=f"^{name} overflows {dtype.name} at index {place}$"):
            getattr(sw, name)(lhs, rhs)
        if name != "elementwise_mul":
            with pytest.raises(ValueError, match=f"overflows {dtype.name} at index 0"):
                getattr(sw, name)(of_integers(chance, make, dtype, [pair[0]] * size), pair[1])
    for pair in pairs_that_fit(name, dtype):
        size = chance.choice([1, 5, 37, 130])
        lhs, rhs = (of_integers(chance, make, dtype, [value] * size) for value in pair)
        assert plain(getattr(sw, name)(lhs, rhs)).tolist() == [EXACT[name](*pair)] * size


@MAKERS
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_one_integer_that_overflows(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    least, most = limits(dtype)
    for name in ("neg", "abs"):
        for size in (1, 9, 100):
            place = chance.randrange(size)
            values = [most] * size
            values[place] = least
            with pytest.raises(ValueError, match=f"^{name} overflows {dtype.name} at index {place}$"):
                getattr(sw, name)(of_integers(chance, make, dtype, values))
            values[place] = least + 1
            expected = [-value if name == "neg" else abs(value) for value in values]
            assert plain(getattr(sw, name)(of_integers(chance, make, dtype, values))).tolist() == expected
    for name in ("sign", "floor", "ceil", "round", "relu", "clamp", "maximum", "minimum", "rem"):
        tensor = of_integers(chance, make, dtype, [least, most])
        arguments = {"clamp": (least, most), "maximum": (0,), "minimum": (0,), "rem": (-1,)}.get(name, ())
        expected = {"sign": [-1, 1], "relu": [0, most], "maximum": [0, most], "minimum": [least, 0], "rem": [0, 0]}
        assert plain(getattr(sw, name)(tensor, *arguments)).tolist() == expected.get(name, [least, most])


@MAKERS
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_sums_and_products_that_overflow(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    least, most = limits(dtype)
    for values in ([most, 1], [least, -1], [most] * 40, [1] * 70 + [most]):
        tensor = of_integers(chance, make, dtype, values)
        for call in (sw.reduce_sum, lambda t: sw.cumsum(t, 0)):
            with pytest.raises(ValueError, match=f"overflows {dtype.name}"):
                call(tensor)
        row, column = sw.reshape(tensor, (1, len(values))), of_integers(chance, make, dtype, [1] * len(values))
        with pytest.raises(ValueError, match=f"matmul overflows {dtype.name} at index 0"):
            sw.matmul(row, sw.reshape(column, (len(values), 1)))
    for values in ([most, 2], [least, -1], [2] * dtype_bits(dtype), [most] * 3):
        with pytest.raises(ValueError, match=f"reduce_prod overflows {dtype.name}"):
            sw.reduce_prod(of_integers(chance, make, dtype, values))
    target, index = of_integers(chance, make, dtype, [5, most]), of_integers(chance, make, DType.Int64, [1])
    with pytest.raises(ValueError, match=f"scatter_add overflows {dtype.name} at place 1 of line 0$"):
        sw.scatter_add(target, 0, index, of_integers(chance, make, dtype, [1]))
    # What goes beyond on the way, and comes back, has a result.
    assert plain(sw.reduce_sum(of_integers(chance, make, dtype, [most, 1, -1]))).tolist() == [most]
    assert plain(sw.reduce_prod(of_integers(chance, make, dtype, [most, 2, 0]))).tolist() == [0]


def test_evictable_refuses_what_its_primary_refuses():
    with pytest.raises(NotImplementedError, match="does not support Bool"):
        sw.add(sw.lt(evictable([1.0]), 2), sw.lt(evictable([1.0]), 2))
    assert set(KINDS) <= set(ALL)
