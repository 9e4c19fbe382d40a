# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is computed along modes, on every carrier against NumPy: random layouts, dtypes, special numbers, errors."""
import math
import random

import numpy as np
import pytest
from helpers import cpu, vector
from random_tensors import FLOATS, KINDS, on_cpu, on_evictable, on_generic, plain, plain_modes, random_shape, random_tensor

import strideweave as sw

DType = sw.DType
OPERATIONS = ("reduce_min", "reduce_prod", "argmin", "cumsum", "softmax", "layer_norm")
MAKERS = pytest.mark.parametrize("make", [on_generic, on_cpu, on_evictable])
DTYPES = pytest.mark.parametrize("dtype", KINDS, ids=str)
TOLERANCE = {np.dtype(np.float32): 2e-6, np.dtype(np.float64): 1e-14}


def small_shape(chance, ranks=(0, 1, 2, 3)):
    while True:
        shape = random_shape(chance, chance.choice(ranks))
        if shape.size <= 1500:
            return shape


def with_specials(tensor, chance):
    """Some values that are special, written through the tensor."""
    if tensor.dtype() in FLOATS and not isinstance(tensor.carrier, sw.Evictable):
        for _ in range(chance.choice([0, 0, 1, 2])):
            tensor[chance.randrange(tensor.size())] = chance.choice([math.nan, math.inf, -math.inf, -0.0, 1e-40])
    return tensor


def choose(chance, tensor, count=None):
    modes = range(len(tensor.shape))
    return chance.sample(modes, chance.randint(1, len(modes)) if count is None else count)


def without(tensor, modes):
    items = tensor.shape.top_level
    return sw.Shape(tuple(item for mode, item in enumerate(items) if mode not in modes))


@MAKERS
@DTYPES
def test_least(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(20):
        tensor = with_specials(random_tensor(chance, make, dtype, small_shape(chance)), chance)
        values = plain_modes(tensor)
        assert_equal(sw.reduce_min(tensor), values.min(), sw.Shape())
        assert_equal(sw.argmin(tensor), np.int64(plain(tensor).argmin()), sw.Shape())
        if len(tensor.shape) == 0:
            continue
        modes = choose(chance, tensor)
        assert_equal(sw.reduce_min(tensor, modes), values.min(axis=tuple(modes)), without(tensor, modes))
        (mode,) = choose(chance, tensor, 1)
        assert_equal(sw.argmin(tensor, mode), values.argmin(axis=mode), without(tensor, [mode]))


def assert_equal(result, expected, shape):
    expected = np.asarray(expected)
    assert result.shape == shape and plain(result).dtype == expected.dtype
    np.testing.assert_array_equal(plain(result), expected.reshape(-1, order="F"))


def assert_close(result, expected, shape, kind, tolerance=None):
    assert result.shape == shape and plain(result).dtype == np.dtype(kind)
    expected = np.asarray(expected).reshape(-1, order="F").astype(kind)
    tolerance = tolerance or TOLERANCE[np.dtype(kind)]
    np.testing.assert_allclose(plain(result), expected, rtol=tolerance, atol=tolerance)


def real_kind(dtype):
    return KINDS[dtype] if dtype in FLOATS else np.float64


@MAKERS
@DTYPES
def test_products(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(20):
        tensor = random_tensor(chance, make, dtype, small_shape(chance))
        values = plain_modes(tensor)
        modes = choose(chance, tensor) if len(tensor.shape) else []
        for result, axes in ((sw.reduce_prod, None), (lambda t: sw.reduce_prod(t, modes), tuple(modes))):
            exact = np.asarray(values.astype(object)).prod(axis=axes)
            kept = without(tensor, range(9) if axes is None else axes)
            if dtype in FLOATS:
                with np.errstate(all="ignore"):
                    assert_close(result(tensor), exact, kept, KINDS[dtype])
            elif all(abs(int(number)) < np.iinfo(KINDS[dtype]).max for number in np.ravel(exact)):
                assert_equal(result(tensor), np.asarray(exact).astype(KINDS[dtype]), kept)
            else:
                with pytest.raises(ValueError, match=f"reduce_prod overflows {dtype.name} at index"):
                    result(tensor)


@MAKERS
def test_products_at_the_limits(make):
    for values, expected in (
        ([2**62, -2], -(2**63)),
        ([-(2**62), -2, -1], -(2**63)),
        ([2**40, 2**40, 0], 0),
        ([2**62, 2], None),
        ([-(2**63), -1], None),
    ):
        tensor = make(np.array(values, np.int64), DType.Int64, 0, sw.Layout(len(values), 1))
        if expected is None:
            with pytest.raises(ValueError, match="reduce_prod overflows Int64 at index 0"):
                sw.reduce_prod(tensor)
        else:
            assert plain(sw.reduce_prod(tensor)).tolist() == [expected]


@MAKERS
@DTYPES
def test_cumsum(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(20):
        tensor = with_specials(random_tensor(chance, make, dtype, small_shape(chance, (1, 2, 3))), chance)
        (mode,) = choose(chance, tensor, 1)
        with np.errstate(all="ignore"):
            expected = plain_modes(tensor).cumsum(axis=mode, dtype=KINDS[dtype] if dtype not in FLOATS else np.float64)
        if dtype in FLOATS:
            assert_close(sw.cumsum(tensor, mode), expected, tensor.shape, KINDS[dtype], 1e-6)
        else:
            assert_equal(sw.cumsum(tensor, mode), expected, tensor.shape)


@MAKERS
def test_where_cumsum_overflows(make):
    values = np.zeros((3, 4), np.int32)
    values[1, 1:3] = 2**30
    values[2, 2] = 2**31 - 1
    values[2, 3] = 1
    layout = sw.Tensor.from_numpy(values).layout
    tensor = make(values.ravel(), DType.Int32, 0, layout)
    with pytest.raises(ValueError, match="^cumsum overflows Int32 at place 2 of line 1$"):
        sw.cumsum(tensor, 1)
    with pytest.raises(ValueError, match="^cumsum overflows Int32 at place 2 of line 2$"):
        sw.cumsum(tensor, 0)


def softmax(values, axes):
    values = values.astype(np.longdouble)
    powers = np.exp(values - values.max(axis=axes, keepdims=True))
    return powers / powers.sum(axis=axes, keepdims=True)


@MAKERS
@DTYPES
def test_softmax(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(20):
        tensor = with_specials(random_tensor(chance, make, dtype, small_shape(chance)), chance)
        modes = choose(chance, tensor) if len(tensor.shape) else []
        values = plain_modes(tensor)
        with np.errstate(all="ignore"):
            assert_close(sw.softmax(tensor, modes), softmax(values, tuple(modes)), tensor.shape, real_kind(dtype))
            assert_close(sw.softmax(tensor), softmax(values, None), tensor.shape, real_kind(dtype))


@MAKERS
def test_softmax_of_large_numbers(make):
    tensor = make(np.array([1000.0, 1001, -math.inf, 990], np.float32), DType.Float32, 0, sw.Layout(4, 1))
    assert_close(sw.softmax(tensor, 0), softmax(plain(tensor), (0,)), sw.Shape(4), np.float32)
    for values in ([math.inf, 1.0], [-math.inf, -math.inf], [math.nan, 0.0]):
        tensor = make(np.array(values, np.float64), DType.Float64, 0, sw.Layout(2, 1))
        assert np.isnan(plain(sw.softmax(tensor, 0))).all()


def layer_norm(values, axes, weight=1, bias=0, epsilon=1e-5):
    values = values.astype(np.longdouble)
    deviations = values - values.mean(axis=axes, keepdims=True)
    variance = (deviations**2).mean(axis=axes, keepdims=True)
    return deviations / np.sqrt(variance + epsilon) * weight + bias


@MAKERS
@DTYPES
def test_layer_norm(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(20):
        tensor = random_tensor(chance, make, dtype, small_shape(chance, (1, 2, 3)))
        modes = sorted(choose(chance, tensor))
        values, axes = plain_modes(tensor), tuple(modes)
        line = sw.Shape(tuple(tensor.shape.top_level[mode] for mode in modes))
        weight, bias = (random_tensor(chance, make, dtype, line) for _ in range(2))
        extents = [size if axis in axes else 1 for axis, size in enumerate(values.shape)]
        weights, biases = (plain(part).reshape(extents, order="F") for part in (weight, bias))
        kind = real_kind(dtype)
        for result, expected in (
            (sw.layer_norm(tensor, modes), layer_norm(values, axes)),
            (sw.layer_norm(tensor, modes, weight), layer_norm(values, axes, weights)),
            (sw.layer_norm(tensor, modes, None, bias), layer_norm(values, axes, 1, biases)),
            (sw.layer_norm(tensor, modes, weight, bias, 0.5), layer_norm(values, axes, weights, biases, 0.5)),
        ):
            assert_close(result, expected, tensor.shape, kind, 1e-5 if kind is np.float32 else 1e-12)


@MAKERS
def test_long_lines(make):
    """Longer than the vector code's blocks, and beside each other in memory."""
    values = np.random.default_rng(3).standard_normal((70, 2500)).astype(np.float32)
    tensor = make(values.ravel(), DType.Float32, 0, sw.Tensor.from_numpy(values).layout)
    for mode in (0, 1):
        assert_close(sw.softmax(tensor, mode), softmax(values, (mode,)), tensor.shape, np.float32)
        assert_close(sw.layer_norm(tensor, mode), layer_norm(values, (mode,)), tensor.shape, np.float32, 1e-5)
        assert_close(sw.cumsum(tensor, mode), values.astype(np.float64).cumsum(mode), tensor.shape, np.float32, 1e-5)
        assert_equal(sw.argmin(tensor, mode), values.argmin(mode), without(tensor, [mode]))


SHAPES = [(300, 1024), (5, 4095), (5, 4097), (3, 8200), (4100, 17), (70, 1), (1, 70), (1000, 3), (20, 16, 33), (2, 31, 300)]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_across_memory(shape, kind):
    """Along each mode of arrays as they are and transposed: the widths around what is computed in step, and special numbers."""
    values = np.random.default_rng(4).standard_normal(shape).astype(kind)
    special = values.copy()
    for place, number in enumerate((np.nan, np.inf, -np.inf, -0.0, 1e-40, np.nan, np.inf)):
        special.flat[place * values.size // 7] = number
    for array in (values, values.T, special, special.T):
        tensor = sw.Tensor.from_numpy(array)
        for mode in range(array.ndim):
            with np.errstate(invalid="ignore"):
                compare_along(tensor, array, mode, kind, array.base is special or array is special)


def compare_along(tensor, array, mode, kind, is_special):
    left = without(tensor, [mode])
    assert_close(sw.softmax(tensor, mode), softmax(array.astype(np.float64), (mode,)), tensor.shape, kind)
    assert_close(sw.cumsum(tensor, mode), array.astype(np.float64).cumsum(mode), tensor.shape, kind, 1e-5)
    assert_close(sw.reduce_sum(tensor, mode), array.astype(np.float64).sum(mode), left, kind, 1e-5)
    near_one = (1 + array / 1000).astype(kind)
    assert_close(sw.reduce_prod(sw.Tensor.from_numpy(near_one), mode), near_one.astype(np.float64).prod(mode), left, kind, 1e-5)
    assert_equal(sw.reduce_max(tensor, mode), array.max(mode), left)
    assert_equal(sw.argmax(tensor, mode), array.argmax(mode), left)
    assert_equal(sw.sort(tensor, mode), np.sort(array, mode), tensor.shape)
    if not is_special:
        expected = layer_norm(array.astype(np.float64), (mode,))
        assert_close(sw.layer_norm(tensor, mode), expected, tensor.shape, kind, 1e-5)
    else:
        expected = np.isfinite(array.astype(np.float64).sum(mode, keepdims=True))
        assert np.array_equal(np.isfinite(plain_modes(sw.layer_norm(tensor, mode))), np.broadcast_to(expected, array.shape))


@pytest.mark.parametrize("make", [vector, cpu])
def test_wrong_inputs(make):
    tensor = sw.reshape(make([1.0, 2.0, 3.0, 4.0]), (2, 2))
    for call in (
        lambda: sw.cumsum(tensor, 2),
        lambda: sw.cumsum(tensor, -1),
        lambda: sw.softmax(tensor, [0, 0]),
        lambda: sw.softmax(tensor, 5),
        lambda: sw.reduce_min(tensor, 2),
        lambda: sw.reduce_prod(tensor, [0, 0]),
        lambda: sw.argmin(tensor, 7),
        lambda: sw.layer_norm(tensor, 0, tensor),
        lambda: sw.layer_norm(tensor, 0, None, make([1.0])),
        lambda: sw.layer_norm(tensor, 0, epsilon=-1.0),
        lambda: sw.layer_norm(tensor, 0, epsilon=math.nan),
        lambda: sw.operation.call_operation("cumsum", tensor, (0, 1)),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (
        lambda: sw.cumsum(tensor, "0"),
        lambda: sw.cumsum(tensor, None),
        lambda: sw.cumsum(tensor),
        lambda: sw.softmax(tensor, 0.5),
        lambda: sw.softmax("tensor"),
        lambda: sw.layer_norm(tensor, 0, 1.0),
        lambda: sw.layer_norm(tensor, 0, epsilon="x"),
        lambda: sw.operation.call_operation("layer_norm", tensor, (0,), "weight"),
        lambda: sw.operation.call_operation("layer_norm", tensor, (0,), None, None, "epsilon"),
    ):
        with pytest.raises(TypeError):
            call()
    truths = sw.lt(tensor, 2)
    for name in OPERATIONS:
        with pytest.raises(NotImplementedError, match=f"{name} does not support Bool"):
            sw.operation.call_operation(name, truths, 0)


def kept(shape, modes):
    """The shape, with ones for all extents of some modes."""

    def ones(item):
        return tuple(map(ones, item)) if isinstance(item, tuple) else 1

    return sw.Shape(tuple(ones(item) if mode in modes else item for mode, item in enumerate(shape.top_level)))


@MAKERS
@DTYPES
def test_keepdims(make, dtype):
    chance = random.Random(str((make.__name__, dtype, "kept")))
    for _ in range(12):
        tensor = random_tensor(chance, make, dtype, small_shape(chance, (1, 2, 3)))
        modes = choose(chance, tensor)
        (mode,) = choose(chance, tensor, 1)
        every = range(len(tensor.shape))
        for function in sw.reduce_sum, sw.reduce_max, sw.reduce_min:
            for given in modes, None:
                result = function(tensor, given, keepdims=True)
                assert result.shape == kept(tensor.shape, every if given is None else given)
                assert list(result) == list(function(tensor, given))
                # What it is for: it goes back to where it came from.
                assert sw.broadcast_to(result, tensor.shape).shape == tensor.shape
        for function in sw.argmax, sw.argmin:
            result = function(tensor, mode, keepdims=True)
            assert result.shape == kept(tensor.shape, [mode]) and list(result) == list(function(tensor, mode))
            result = function(tensor, keepdims=True)
            assert result.shape == kept(tensor.shape, every) and list(result) == list(function(tensor))


def test_keepdims_as_in_numpy():
    array = np.random.default_rng(3).random((3, 4, 5)).astype(np.float32)
    tensor = sw.Tensor.from_numpy(array)
    for axis in 0, 1, 2, (0, 2):
        expected = array.sum(axis=axis, keepdims=True, dtype=np.float64).astype(np.float32)
        result = np.asarray(sw.reduce_sum(tensor, axis, keepdims=True))
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-6)
    centred = tensor - sw.reduce_sum(tensor, 1, keepdims=True) / 4
    np.testing.assert_allclose(np.asarray(centred), array - array.mean(axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_array_equal(np.asarray(sw.reduce_prod(tensor, 2, keepdims=True)).shape, (3, 4, 1))
    np.testing.assert_array_equal(np.asarray(sw.argmax(tensor, 0, keepdims=True)), array.argmax(axis=0)[None])


def test_keepdims_is_seen():
    tensor = sw.ones((3, 4))
    with sw.profile(record_shapes=True) as profiler:
        sw.reduce_sum(tensor, 1, keepdims=True)
        sw.argmax(tensor, keepdims=True)
    events = profiler.events()
    assert [event.name for event in events] == ["reduce_sum", "argmax"]
    assert all(event.succeeded and event.input_shapes[0] == (3, 4) for event in events)


def test_keepdims_refused():
    tensor = sw.ones((3, 4))
    with pytest.raises(TypeError, match="keepdims must be a bool, not int"):
        sw.reduce_max(tensor, 0, keepdims=1)
    with pytest.raises(TypeError, match="whether modes stay must be a bool, not int64"):
        sw.call_operation("reduce_max", tensor, 0, 1)
    with pytest.raises(TypeError, match="1 to 3 inputs, not 4"):
        sw.call_operation("reduce_max", tensor, 0, True, True)
    with pytest.raises(ValueError, match="2"):
        sw.reduce_max(tensor, 2, keepdims=True)
