# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every elementwise operation on every carrier against NumPy: random layouts, dtypes, special numbers, accuracy, errors."""
import importlib
import math
import random

import numpy as np
import pytest
from helpers import cpu, vector
from random_tensors import FLOATS, KINDS, on_cpu, on_evictable, on_generic, plain, random_layout
from random_tensors import random_shape as shape_of_any_size

import strideweave as sw

DType = sw.DType
INTEGERS = (DType.Int32, DType.Int64)
SPECIALS = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-40, -1e-40, 1e38, -1e38, 88.5, -88.5, -104.0, 710.0, -750.0]


def of_scalars(function):
    return lambda values: np.array([function(float(value)) for value in values], np.longdouble)


def sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def gelu(values):
    """x * erfc(z) / 2, where z = -x / sqrt(2) is more than a double can say."""
    exact = -values / np.sqrt(np.longdouble(2))
    z = exact.astype(np.float64)
    beyond = 2 / np.sqrt(np.longdouble(np.pi)) * np.exp(-exact * exact) * np.nan_to_num(exact - z)
    return np.where(values == -math.inf, -0.0, 0.5 * values * (of_scalars(math.erfc)(z) - beyond))


def silu(x):
    return np.where(x == -math.inf, -0.0, x * sigmoid(x))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


# name: what it is in exact arithmetic, and by how many units in the last place the result may be off
REAL = {
    "recip": (lambda x: 1 / x, 0.5),
    "sqrt": (np.sqrt, 0.5),
    "rsqrt": (lambda x: 1 / np.sqrt(x), 1.5),
    "exp": (np.exp, 2),
    "exp2": (np.exp2, 2),
    "log": (np.log, 2),
    "log2": (np.log2, 2),
    "sin": (np.sin, 2),
    "cos": (np.cos, 2),
    "tanh": (np.tanh, 2),
    "erf": (of_scalars(math.erf), 2),
    "sigmoid": (sigmoid, 3),
    "silu": (silu, 4),
    "gelu": (gelu, 4),
    "softplus": (softplus, 3),
}
# name: NumPy's function, which the result is the same as
SAME = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "floor": lambda x: x if x.dtype.kind == "i" else np.floor(x),
    "ceil": lambda x: x if x.dtype.kind == "i" else np.ceil(x),
    "round": np.rint,
    "relu": lambda x: np.maximum(x, 0),
    "logical_not": np.logical_not,
}
BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "elementwise_mul": np.multiply,
    "div": np.true_divide,
    "pow": np.power,
    "rem": np.remainder,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
}
OPERATIONS = (*REAL, *SAME, *BINARY, "elu", "leaky_relu", "clamp", "cast", "select")
# Each of these modules says in OPERATIONS what it tests.
MODULES = ("test_operations", "test_elementwise", "test_reductions", "test_structure", "test_windows")

MAKERS = pytest.mark.parametrize("make", [on_generic, on_cpu, on_evictable])
DTYPES = pytest.mark.parametrize("dtype", KINDS, ids=str)


def test_every_operation_is_tested():
    tested = {name for module in MODULES for name in importlib.import_module(module).OPERATIONS}
    assert set(sw.operation.Strideweave.list_operations()) == tested


def random_shape(chance):
    """Small enough for the slow references."""
    while True:
        shape = shape_of_any_size(chance)
        if shape.size <= 1000:
            return shape


def numbers(chance, dtype, count):
    if dtype not in FLOATS:
        return np.array([chance.randint(-9, 9) for _ in range(count)], KINDS[dtype])
    scale = chance.choice([0.1, 1, 4, 30, 1000, 1e6])
    values = [chance.choice(SPECIALS) if chance.random() < 0.15 else chance.gauss(0, scale) for _ in range(count)]
    with np.errstate(all="ignore"):
        return np.array(values).astype(KINDS[dtype])


def tensor_of(chance, make, dtype, shape):
    layout = random_layout(chance, shape)
    offset = chance.choice([0, 0, 3])
    return make(numbers(chance, dtype, offset + layout.cosize), dtype, offset, layout)


def assert_same(actual, expected):
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)
    if actual.dtype.kind == "f":
        signed = ~np.isnan(actual)
        np.testing.assert_array_equal(np.signbit(actual)[signed], np.signbit(expected)[signed])


def assert_accurate(actual, exact, units, slack=0):
    """Within so many units of the last place of what the exact result rounds to."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(actual.dtype)
        special = ~np.isfinite(rounded) | ~np.isfinite(actual)
        errors = np.abs(actual.astype(np.longdouble) - exact) - slack
        errors /= np.spacing(np.abs(rounded)).astype(np.longdouble)
    np.testing.assert_array_equal(actual[special], rounded[special])
    assert (errors[~special] <= units + 0.5).all(), (errors[~special].max(), actual, exact)


def real_dtype(dtype):
    return np.dtype(KINDS[dtype] if dtype in FLOATS else np.float64)



@MAKERS
@DTYPES
@pytest.mark.parametrize("name", REAL)
def test_real_functions(make, dtype, name):
    chance = random.Random(str((name, dtype)))
    function, units = REAL[name]
    for _ in range(6):
        tensor = tensor_of(chance, make, dtype, random_shape(chance))
        result = getattr(sw, name)(tensor)
        assert result.shape == tensor.shape and type(result.carrier) is type(tensor.carrier)
        values = plain(tensor)
        with np.errstate(all="ignore"):
            exact = function(values.astype(np.longdouble))
        actual = plain(result)
        assert actual.dtype == real_dtype(dtype)
        # These multiply a factor that underflows.
        smallest = np.finfo(actual.dtype).smallest_subnormal
        slack = np.abs(np.nan_to_num(values, posinf=0, neginf=0)) * np.longdouble(smallest)
        assert_accurate(actual, exact, units, slack if name in ("silu", "gelu") else 0)


@MAKERS
@DTYPES
@pytest.mark.parametrize("name", SAME)
def test_exact_functions(make, dtype, name):
    chance = random.Random(str((name, dtype)))
    for _ in range(6):
        tensor = tensor_of(chance, make, dtype, random_shape(chance))
        with np.errstate(all="ignore"):
            expected = SAME[name](plain(tensor))
        if dtype not in FLOATS and name == "round":
            expected = plain(tensor)
        actual = plain(getattr(sw, name)(tensor))
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual, expected)
        if name in ("neg", "abs", "floor", "ceil", "round"):
            assert_same(actual[~np.isnan(actual)], expected[~np.isnan(expected)])


def expect_binary(name, a, b):
    with np.errstate(all="ignore"):
        if name == "pow" and "f" in (a.dtype.kind, b.dtype.kind):
            return np.power(a.astype(np.longdouble), b.astype(np.longdouble)), 1
        return BINARY[name](a, b), 0


def fit_binary(name, a, b, tensor):
    """Integers that have a result: no zero to divide by, no negative exponent."""
    if a.dtype.kind == "i" and b.dtype.kind == "i":
        if name == "rem":
            return np.where(b == 0, 3, b).astype(b.dtype)
        if name == "pow":
            return np.abs(b) % 5
    return b


@MAKERS
@pytest.mark.parametrize("name", BINARY)
def test_two_tensors_of_any_dtypes(make, name):
    chance = random.Random(name)
    for left in KINDS:
        for right in KINDS:
            shape = random_shape(chance)
            lhs = tensor_of(chance, make, left, shape)
            layout = random_layout(chance, shape)
            stored = fit_binary(name, plain(lhs), numbers(chance, right, layout.cosize), lhs).astype(KINDS[right])
            rhs = make(stored, right, 0, layout)
            expected, units = expect_binary(name, plain(lhs), plain(rhs))
            result = getattr(sw, name)(lhs, rhs)
            assert result.shape == shape
            if units:
                common = np.result_type(KINDS[left], KINDS[right])
                assert plain(result).dtype == common
                assert_accurate(plain(result), expected, units)
            else:
                assert plain(result).dtype == expected.dtype
                np.testing.assert_array_equal(plain(result), expected)


@MAKERS
@DTYPES
@pytest.mark.parametrize("name", [name for name in BINARY if name != "elementwise_mul"])
def test_tensor_and_number(make, dtype, name):
    chance = random.Random(str((name, dtype)))
    for number in (2, 3, 2.0, 2**31 - 9) if dtype not in FLOATS else (2, -3, 0.5, math.pi, math.nan, math.inf):
        if number == 2**31 - 9 and name not in ("eq", "ne", "lt", "le", "maximum", "minimum"):
            continue
        tensor = tensor_of(chance, make, dtype, random_shape(chance))
        kind = real_dtype(dtype) if name == "div" else np.dtype(KINDS[dtype])
        expected, units = expect_binary(name, plain(tensor).astype(kind), np.asarray(number, kind))
        actual = plain(getattr(sw, name)(tensor, number))
        if units:
            assert_accurate(actual, expected, units)
        else:
            assert actual.dtype == expected.dtype
            np.testing.assert_array_equal(actual, expected)


@MAKERS
def test_comparisons_with_numbers_that_integers_are_not(make):
    tensor = make(np.array([-3, 2, 3], np.int64), DType.Int64, 0, sw.Layout(3, 1))
    assert plain(sw.lt(tensor, 2.5)).tolist() == [True, True, False]
    assert plain(sw.eq(tensor, 2.5)).tolist() == [False, False, False]
    assert plain(sw.le(tensor, 1e300)).tolist() == [True, True, True]
    assert plain(sw.ne(tensor, math.nan)).tolist() == [True, True, True]
    large = make(np.array([2**63 - 1, 2**53 + 1], np.int64), DType.Int64, 0, sw.Layout(2, 1))
    assert plain(sw.eq(large, 2**63 - 1)).tolist() == [True, False]
    assert plain(sw.eq(large, 2**53)).tolist() == [False, False]
    small = make(np.array([1], np.int32), DType.Int32, 0, sw.Layout(1, 1))
    assert plain(sw.lt(small, 2**40)).tolist() == [True]


@MAKERS
def test_truth_values(make):
    def boolean(*values):
        return make(np.array(values), DType.Bool, 0, sw.Layout(len(values), 1))

    a, b = boolean(False, False, True, True), boolean(False, True, False, True)
    for name in ("eq", "ne", "lt", "le"):
        assert plain(getattr(sw, name)(a, b)).tolist() == BINARY[name](plain(a), plain(b)).tolist()
    assert plain(sw.eq(a, True)).tolist() == [False, False, True, True]
    assert plain(sw.logical_not(a)).tolist() == [True, True, False, False]
    assert plain(sw.select(a, b, a)).tolist() == [False, False, False, True]
    assert plain(sw.select(a, b, True)).tolist() == [True, True, False, True]
    with pytest.raises(TypeError):
        sw.eq(a, 1)
    with pytest.raises(TypeError):
        sw.select(a, b, 1)


@MAKERS
@DTYPES
def test_parameters(make, dtype):
    chance = random.Random(str(dtype))
    for _ in range(20):
        tensor = tensor_of(chance, make, dtype, random_shape(chance))
        values = plain(tensor)
        wide = values.astype(np.longdouble)
        low, high = sorted((chance.randint(-5, 5), chance.randint(-5, 5)))
        assert_same(np.abs(plain(sw.clamp(tensor, low, high))), np.abs(np.clip(values, low, high)))
        assert_same(np.abs(plain(sw.clamp(tensor, low))), np.abs(np.maximum(values, values.dtype.type(low))))
        assert_same(np.abs(plain(sw.clamp(tensor, None, high))), np.abs(np.minimum(values, values.dtype.type(high))))
        with np.errstate(all="ignore"):
            for alpha in (1.0, 0.5, 2, -1.0):
                expected = np.where(wide < 0, alpha * np.expm1(wide), wide)
                assert_accurate(plain(sw.elu(tensor, alpha)), expected, 3)
                np.testing.assert_array_equal(np.signbit(plain(sw.elu(tensor, alpha))), np.signbit(expected))
            slope = real_dtype(dtype).type(0.01)
            expected = np.where(values < 0, slope * values.astype(real_dtype(dtype)), values.astype(real_dtype(dtype)))
            np.testing.assert_array_equal(plain(sw.leaky_relu(tensor)), expected)


@MAKERS
def test_clamp_with_odd_limits(make):
    tensor = make(np.array([-1.0, 0.5, math.nan, 9.0], np.float32), DType.Float32, 0, sw.Layout(4, 1))
    np.testing.assert_array_equal(plain(sw.clamp(tensor, 3, 2)), np.array([2, 2, math.nan, 2], np.float32))
    assert np.isnan(plain(sw.clamp(tensor, math.nan, 2))).all()
    assert np.isnan(plain(sw.clamp(tensor, 0, math.nan))).all()
    np.testing.assert_array_equal(plain(sw.clamp(tensor)), plain(tensor))
    whole = make(np.array([-7, 7], np.int32), DType.Int32, 0, sw.Layout(2, 1))
    assert plain(sw.clamp(whole)).tolist() == [-7, 7]
    for limits, error in (((0.5, 2), TypeError), ((0, 2**40), ValueError), (("x", 1), TypeError), ((True, 1), TypeError)):
        with pytest.raises(error):
            sw.clamp(whole, *limits)


@MAKERS
@pytest.mark.parametrize("source", [*KINDS, DType.Bool], ids=str)
@pytest.mark.parametrize("target", [*KINDS, DType.Bool], ids=str)
def test_cast(make, source, target):
    chance = random.Random(str((source, target)))
    kinds = {**KINDS, DType.Bool: np.bool_}
    for _ in range(6):
        shape = random_shape(chance)
        layout = random_layout(chance, shape)
        if source is DType.Bool:
            stored = np.array([chance.random() < 0.5 for _ in range(layout.cosize)])
        else:
            stored = numbers(chance, source, layout.cosize)
            if target in INTEGERS:
                stored = np.nan_to_num(stored, posinf=5, neginf=-7.9).clip(-(2**31), 2**31 - 200).astype(KINDS[source])
        tensor = make(stored, source, 0, layout)
        result = sw.cast(tensor, target)
        assert result.dtype() == target and result.shape == shape
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(plain(result), plain(tensor).astype(kinds[target]))


@MAKERS
@pytest.mark.parametrize(
    ("value", "source", "target", "fits"),
    [
        (-(2.0**31) - 0.5, DType.Float64, DType.Int32, True),
        (2.0**31 - 0.5, DType.Float64, DType.Int32, True),
        (2.0**31, DType.Float64, DType.Int32, False),
        (-(2.0**31) - 1, DType.Float64, DType.Int32, False),
        (2.0**63, DType.Float64, DType.Int64, False),
        (-(2.0**63), DType.Float64, DType.Int64, True),
        (math.nan, DType.Float32, DType.Int32, False),
        (math.inf, DType.Float32, DType.Int64, False),
        (2**31, DType.Int64, DType.Int32, False),
        (-(2**31), DType.Int64, DType.Int32, True),
    ],
)
def test_casts_at_the_limits(make, value, source, target, fits):
    tensor = make(np.array([0, value], KINDS[source]), source, 0, sw.Layout(2, 1))
    if fits:
        assert plain(sw.cast(tensor, target)).tolist() == [0, int(value)]
    else:
        with pytest.raises(ValueError, match=f"cast overflows {target.name} at index 1"):
            sw.cast(tensor, target)


@MAKERS
@DTYPES
def test_select(make, dtype):
    chance = random.Random(str(dtype))
    for _ in range(15):
        shape = random_shape(chance)
        lhs, rhs = (tensor_of(chance, make, dtype, shape) for _ in range(2))
        layout = random_layout(chance, shape)
        truth = make(np.array([chance.random() < 0.5 for _ in range(layout.cosize)]), DType.Bool, 0, layout)
        np.testing.assert_array_equal(
            plain(sw.select(truth, lhs, rhs)), np.where(plain(truth), plain(lhs), plain(rhs))
        )
        np.testing.assert_array_equal(plain(sw.select(truth, lhs, 2)), np.where(plain(truth), plain(lhs), 2))
        np.testing.assert_array_equal(plain(sw.select(truth, 2, rhs)), np.where(plain(truth), 2, plain(rhs)))


@MAKERS
def test_integers_without_a_result(make):
    for kind, dtype in ((np.int32, DType.Int32), (np.int64, DType.Int64)):
        least = np.iinfo(kind).min
        tensor = make(np.array([3, least], kind), dtype, 0, sw.Layout(2, 1))
        zero = make(np.array([1, 0], kind), dtype, 0, sw.Layout(2, 1))
        for call, message in (
            (lambda: sw.abs(tensor), f"abs overflows {dtype.name} at index 1"),
            (lambda: sw.pow(tensor, 2), f"pow overflows {dtype.name} at index 1"),
            (lambda: sw.pow(tensor, -1), "pow has a negative exponent of an integer at index 0"),
            (lambda: sw.rem(tensor, zero), "rem divides an integer by zero at index 1"),
        ):
            with pytest.raises(ValueError, match=message):
                call()
        assert plain(sw.rem(tensor, -1)).tolist() == [0, 0]
        assert plain(sw.pow(tensor, 1)).tolist() == [3, least]
        assert plain(sw.pow(zero, 2**31 - 1)).tolist() == [1, 0]


def of_mixed_values():
    return vector([1, 2.5, -3], dtype=DType.Any)


def test_values_of_any_kind_on_generic():
    tensor = of_mixed_values()
    assert list(sw.abs(tensor)) == [1, 2.5, 3]
    assert list(sw.add(tensor, vector([1, 1, 1], dtype=DType.Any))) == [2, 3.5, -2]
    assert list(sw.add(tensor, vector([0.5, 1, 2]))) == [1.5, 3.5, -1]
    assert list(sw.lt(tensor, 2)) == [True, False, True]
    assert list(sw.cast(tensor, DType.Int32)) == [1, 2, -3]
    assert list(sw.cast(vector([True], dtype=DType.Bool), DType.Any)) == [True]
    assert list(sw.select(sw.lt(tensor, 2), tensor, 9)) == [1, 9, -3]
    with pytest.raises(TypeError, match="must hold numbers"):
        sw.abs(vector(["x"], dtype=DType.Any))


@pytest.mark.parametrize("name", [*REAL, *SAME])
def test_dtypes_that_are_not_supported(name):
    if name == "logical_not":
        return
    with pytest.raises(NotImplementedError, match=f"^{name} does not support Bool; on CPU it takes one of Float32, "):
        getattr(sw, name)(cpu([True], DType.Bool))


def test_wrong_dtypes_of_cast():
    for wrong, error in (("Float32", TypeError), (2, TypeError), (None, TypeError), (DType.INVALID, TypeError)):
        with pytest.raises(error):
            sw.cast(cpu([1.0]), wrong)
    with pytest.raises(NotImplementedError, match="dtype is Any, which CPU does not hold"):
        sw.cast(cpu([1.0]), DType.Any)
    assert list(sw.operation.call_operation("cast", cpu([1.5]), DType.Int32)) == [1]
    with pytest.raises(ValueError, match="dtype is 77, which is no dtype"):
        sw.operation.call_operation("cast", cpu([1.0]), 77)
