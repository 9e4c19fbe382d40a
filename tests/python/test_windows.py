# SPDX-License-Identifier: LGPL-2.1-or-later
"""Convolutions, pools and products of many matrices on every carrier against NumPy: random layouts, dtypes, errors."""
import math
import random

import numpy as np
import pytest
from helpers import cpu, vector
from random_tensors import FLOATS, KINDS, on_cpu, on_evictable, on_generic, plain, plain_modes, random_tensor
from random_tensors import random_tree

import strideweave as sw

DType = sw.DType
OPERATIONS = ("conv_general", "max_pool", "avg_pool")
MAKERS = pytest.mark.parametrize("make", [on_generic, on_cpu, on_evictable])
DTYPES = pytest.mark.parametrize("dtype", KINDS, ids=str)


def real(dtype):
    return KINDS[dtype] if dtype in FLOATS else np.float64


def windows_of(values, window, strides, padding, dilation, fill):
    """An array (n, c, positions..., places of a window...)."""
    values = np.pad(values.astype(np.float64), [(0, 0), (0, 0), *padding], constant_values=fill)
    axes = tuple(range(2, values.ndim))
    reach = [(extent - 1) * step + 1 for extent, step in zip(window, dilation)]
    views = np.lib.stride_tricks.sliding_window_view(values, reach, axes)
    places = tuple(slice(None, None, step) for step in strides)
    inside = tuple(slice(None, None, step) for step in dilation)
    return views[(slice(None), slice(None), *places, *inside)]


def convolve(values, weights, strides, padding, dilation, groups):
    windows = windows_of(values, weights.shape[2:], strides, padding, dilation, 0)
    n_modes = weights.ndim - 2
    inputs = np.array_split(windows, groups, axis=1)
    outputs = np.array_split(weights.astype(np.float64), groups, axis=0)
    sums = [
        np.tensordot(part, weight, axes=([1, *range(2 + n_modes, 2 + 2 * n_modes)], [1, *range(2, 2 + n_modes)]))
        for part, weight in zip(inputs, outputs)
    ]
    return np.moveaxis(np.concatenate(sums, axis=-1), -1, 1)


def assert_close(result, expected, kind):
    assert result.shape == sw.Shape(expected.shape) and plain(result).dtype == np.dtype(kind)
    tolerance = 1e-5 if np.dtype(kind) == np.float32 else 1e-12
    np.testing.assert_allclose(plain_modes(result), expected.astype(kind), rtol=tolerance, atol=tolerance)


def random_list(chance, n_modes, least, most):
    return [chance.randint(least, most) for _ in range(n_modes)]


def flat_tensor(chance, make, dtype, *extents):
    return random_tensor(chance, make, dtype, sw.Shape(extents))


@MAKERS
@DTYPES
def test_convolution(make, dtype):
    chance = random.Random(str(dtype))
    for _ in range(20):
        n_modes = chance.choice([1, 1, 2, 2, 2, 3])
        groups = chance.choice([1, 1, 2, 3])
        strides, dilation = random_list(chance, n_modes, 1, 3), random_list(chance, n_modes, 1, 2)
        padding = [(chance.randint(0, 3), chance.randint(0, 3)) for _ in range(n_modes)]
        window = random_list(chance, n_modes, 1, 3)
        extents = [(size - 1) * step + 1 + chance.randint(0, 4) for size, step in zip(window, dilation)]
        channels = chance.randint(1, 2)
        values = flat_tensor(chance, make, dtype, chance.randint(1, 2), groups * channels, *extents)
        weights = flat_tensor(chance, make, dtype, groups * chance.randint(1, 3), channels, *window)
        expected = convolve(plain_modes(values), plain_modes(weights), strides, padding, dilation, groups)
        flat_padding = [number for pair in padding for number in pair]
        assert_close(sw.conv_general(values, weights, strides, flat_padding, dilation, groups), expected, real(dtype))


@MAKERS
def test_defaults_of_convolution(make):
    chance = random.Random(5)
    values = flat_tensor(chance, make, DType.Float32, 2, 3, 7, 6)
    weights = flat_tensor(chance, make, DType.Float32, 4, 3, 3, 2)
    a, b = plain_modes(values), plain_modes(weights)
    zero, one = [(0, 0)] * 2, [1, 1]
    assert_close(sw.conv_general(values, weights), convolve(a, b, one, zero, one, 1), np.float32)
    assert_close(sw.conv_general(values, weights, 2), convolve(a, b, [2, 2], zero, one, 1), np.float32)
    expected = convolve(a, b, one, [(1, 1), (2, 2)], one, 1)
    assert_close(sw.conv_general(values, weights, padding=[1, 2]), expected, np.float32)
    assert_close(sw.conv_general(values, weights, dilation=2), convolve(a, b, one, zero, [2, 2], 1), np.float32)


@MAKERS
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("n_outputs", [1, 2, 3, 9])
@pytest.mark.parametrize("strides", [[1, 1], [2, 1], [1, 2]], ids=str)
def test_zeros_of_padding_are_multiplied_like_other_values(make, dtype, n_outputs, strides):
    values = make(np.arange(1, 169, dtype=KINDS[dtype]), dtype, 0, sw.Layout(sw.Shape(2, 2, 6, 7), sw.Stride(84, 42, 7, 1)))
    array = np.ones((n_outputs, 2, 3, 3), KINDS[dtype])
    array[0, 1, 0, 0], array[-1, 0, 0, 1] = math.inf, math.inf
    weights = make(array.reshape(-1), dtype, 0, sw.Layout(sw.Shape(array.shape), sw.Stride(18, 9, 3, 1)))
    padding = [(2, 1), (1, 3)]
    with np.errstate(invalid="ignore"):
        expected = convolve(plain_modes(values), array, strides, padding, [1, 1], 1)
    assert np.isnan(expected[0, 0, 0]).all() and not np.isnan(expected[0, 0]).all()
    assert_close(sw.conv_general(values, weights, strides, [number for pair in padding for number in pair]), expected, KINDS[dtype])


@MAKERS
def test_convolution_of_two_dtypes(make):
    chance = random.Random(6)
    values = flat_tensor(chance, make, DType.Float32, 1, 2, 5)
    weights = flat_tensor(chance, make, DType.Int32, 3, 2, 2)
    expected = convolve(plain_modes(values), plain_modes(weights), [1], [(0, 0)], [1], 1)
    assert_close(sw.conv_general(values, weights), expected, np.float64)


def test_larger_convolution():
    """In several pieces, and longer than the vector code's rows."""
    random_values = np.random.default_rng(4)
    a = random_values.standard_normal((2, 16, 90, 70)).astype(np.float32)
    b = random_values.standard_normal((8, 16, 5, 5)).astype(np.float32)
    for array in a, np.asfortranarray(a):
        result = sw.conv_general(sw.Tensor.from_numpy(array), sw.Tensor.from_numpy(b), 1, 2)
        expected = convolve(a, b, [1, 1], [(2, 2)] * 2, [1, 1], 1)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-4, atol=1e-4)


@MAKERS
@DTYPES
def test_pools(make, dtype):
    chance = random.Random(str(dtype))
    for _ in range(20):
        n_modes = chance.choice([1, 2, 2, 3])
        window, strides = random_list(chance, n_modes, 1, 3), random_list(chance, n_modes, 1, 3)
        padding = [(chance.randint(0, size - 1), chance.randint(0, size - 1)) for size in window]
        extents = [size + chance.randint(0, 5) for size in window]
        values = flat_tensor(chance, make, dtype, chance.randint(1, 2), chance.randint(1, 3), *extents)
        if dtype in FLOATS and make is not on_evictable:
            values[chance.randrange(values.size())] = chance.choice([math.nan, math.inf, -math.inf, -0.0])
        views = windows_of(plain_modes(values), window, strides, padding, [1] * n_modes, math.nan)
        if any(extent == 0 for extent in views.shape):
            continue
        inside = ~np.isnan(windows_of(np.ones(plain_modes(values).shape), window, strides, padding, [1] * n_modes, math.nan))
        axes = tuple(range(-n_modes, 0))
        largest = np.where(inside, views, -math.inf).max(axis=axes)
        with np.errstate(all="ignore"):
            mean = np.where(inside, views, 0).sum(axis=axes) / inside.sum(axis=axes)
        flat_padding = [number for pair in padding for number in pair]
        if not inside.any(axis=axes).all():
            with pytest.raises(ValueError, match="hold nothing else"):
                sw.max_pool(values, window, strides, flat_padding)
            continue
        assert_close(sw.max_pool(values, window, strides, flat_padding), largest, KINDS[dtype])
        assert_close(sw.avg_pool(values, window, strides, flat_padding), mean, real(dtype))


@MAKERS
def test_defaults_of_pools(make):
    values = make(np.arange(24.0), DType.Float64, 0, sw.Tensor.from_numpy(np.zeros((1, 1, 4, 6))).layout)
    array = plain_modes(values).reshape(2, 2, 3, 2)
    np.testing.assert_array_equal(plain_modes(sw.max_pool(values, 2))[0, 0], array.max(axis=(1, 3)))
    np.testing.assert_array_equal(plain_modes(sw.avg_pool(values, [2, 2]))[0, 0], array.mean(axis=(1, 3)))
    assert sw.max_pool(values, 2, 1).shape == sw.Shape(1, 1, 3, 5)


@MAKERS
@DTYPES
def test_products_of_many_matrices(make, dtype):
    chance = random.Random(str(dtype))
    for _ in range(25):
        batch = [random_tree(chance) for _ in range(chance.randint(1, 2))]
        m, k, n = (random_tree(chance, 1) for _ in range(3))
        lhs = random_tensor(chance, make, dtype, sw.Shape((*batch, m, k)))
        rhs = random_tensor(chance, make, dtype, sw.Shape((*batch, k, n)))
        result = sw.matmul(lhs, rhs)
        assert result.shape == sw.Shape((*batch, m, n)) and plain(result).dtype == KINDS[dtype]
        np.testing.assert_allclose(plain_modes(result), plain_modes(lhs) @ plain_modes(rhs), rtol=1e-4, atol=1e-4)


@MAKERS
def test_matrices_that_do_not_fit(make):
    chance = random.Random(2)
    a, b = (flat_tensor(chance, make, DType.Float32, *extents) for extents in ((2, 3, 4), (3, 4, 2)))
    for other in b, flat_tensor(chance, make, DType.Float32, 4, 2), flat_tensor(chance, make, DType.Float32, 2, 3, 2):
        with pytest.raises(ValueError):
            sw.matmul(a, other)
    large = make(np.array([0, 0, 2**31 - 1, 2], np.int32), DType.Int32, 0, sw.Layout((2, 1, 2), (2, 0, 1)))
    with pytest.raises(ValueError, match="matrix 1: matmul overflows Int32 at index 0"):
        sw.matmul(large, sw.permute(large, 0, 2, 1))


@pytest.mark.parametrize("make", [vector, cpu])
def test_wrong_inputs(make):
    values = sw.reshape(make([float(i) for i in range(48)]), (1, 4, 3, 4))
    weights = sw.reshape(make([1.0] * 16), (2, 4, 1, 2))
    for call in (
        lambda: sw.conv_general(values, weights, 0),
        lambda: sw.conv_general(values, weights, [1]),
        lambda: sw.conv_general(values, weights, padding=-1),
        lambda: sw.conv_general(values, weights, padding=[1, 1, 1]),
        lambda: sw.conv_general(values, weights, dilation=[1, 9]),
        lambda: sw.conv_general(values, weights, dilation=2**40),
        lambda: sw.conv_general(values, weights, groups=0),
        lambda: sw.conv_general(values, weights, groups=2),
        lambda: sw.conv_general(values, weights, groups=3),
        lambda: sw.conv_general(values, sw.reshape(weights, (2, 4, 2))),
        lambda: sw.conv_general(sw.reshape(values, (4, 12)), sw.reshape(weights, (2, 8))),
        lambda: sw.conv_general(sw.reshape(values, (1, 4, (3, 4))), sw.reshape(weights, (2, 4, 2))),
        lambda: sw.max_pool(values, 0),
        lambda: sw.max_pool(values, [2]),
        lambda: sw.max_pool(values, 5),
        lambda: sw.max_pool(values, 2, 0),
        lambda: sw.max_pool(values, 2, 1, 2),
        lambda: sw.avg_pool(values, 2**31),
        lambda: sw.avg_pool(sw.reshape(values, (4, 12)), 2),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (
        lambda: sw.conv_general(values, 1.0),
        lambda: sw.conv_general(1.0, weights),
        lambda: sw.conv_general(values, weights, "1"),
        lambda: sw.conv_general(values, weights, groups=1.0),
        lambda: sw.max_pool(values, 1.5),
        lambda: sw.max_pool(values, None),
        lambda: sw.operation.call_operation("conv_general", values, weights, 1.0),
        lambda: sw.operation.call_operation("conv_general", values, weights, None, None, None, "1"),
        lambda: sw.operation.call_operation("max_pool", values, 2),
    ):
        with pytest.raises(TypeError):
            call()
    truths = sw.lt(values, 2)
    for name in ("max_pool", "avg_pool"):
        with pytest.raises(NotImplementedError, match=f"{name} does not support Bool"):
            sw.operation.call_operation(name, truths, (2, 2))
    with pytest.raises(NotImplementedError, match="conv_general does not support Bool"):
        sw.conv_general(truths, truths)
