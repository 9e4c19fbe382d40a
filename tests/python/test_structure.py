# SPDX-License-Identifier: LGPL-2.1-or-later
"""Views, and what looks up places or puts values in order, on every carrier against NumPy: random layouts, dtypes, errors."""
import itertools
import math
import random

import numpy as np
import pytest
from helpers import cpu, hierarchical, vector
from random_tensors import FLOATS, KINDS, on_cpu, on_evictable, on_generic, plain, plain_modes, random_layout
from random_tensors import random_shape, random_tensor

import strideweave as sw

DType = sw.DType
OPERATIONS = (
    "view",
    "rearrange",
    "squeeze",
    "unsqueeze",
    "as_strided",
    "gather",
    "scatter",
    "scatter_add",
    "sort",
    "topk",
)
MAKERS = pytest.mark.parametrize("make", [on_generic, on_cpu, on_evictable])
DTYPES = pytest.mark.parametrize("dtype", KINDS, ids=str)


def small_shape(chance, ranks=(1, 2, 3)):
    while True:
        shape = random_shape(chance, chance.choice(ranks))
        if shape.size <= 1000:
            return shape


def assert_same(result, expected, shape=None):
    expected = np.asarray(expected)
    if shape is not None:
        assert result.shape == shape
    np.testing.assert_array_equal(plain(result), expected.reshape(-1, order="F"))
    assert plain(result).dtype == expected.dtype


@MAKERS
@DTYPES
def test_squeeze_and_unsqueeze(make, dtype):
    chance = random.Random(str(dtype))
    for _ in range(25):
        tensor = random_tensor(chance, make, dtype, small_shape(chance, (0, 1, 2, 3)))
        items = tensor.shape.top_level
        for place in range(len(items) + 1):
            more = sw.unsqueeze(tensor, place)
            assert more.carrier is tensor.carrier
            assert_same(more, plain(tensor), sw.Shape((*items[:place], 1, *items[place:])))
            assert_same(sw.squeeze(more, place), plain(tensor), tensor.shape)
        kept = tuple(item for item in items if (item if isinstance(item, int) else sw.Shape(item).size) != 1)
        assert_same(sw.squeeze(tensor), plain(tensor), sw.Shape(kept))
        assert sw.squeeze(tensor, []).shape == tensor.shape


@MAKERS
@DTYPES
def test_view(make, dtype):
    chance = random.Random(str(dtype))
    done = 0
    for _ in range(40):
        tensor = random_tensor(chance, make, dtype, small_shape(chance))
        for target in ((tensor.size(),), (1, tensor.size()), tensor.shape.leaves):
            try:
                result = sw.view(tensor, target)
            except NotImplementedError:
                assert sw.reshape(tensor, target).carrier is not tensor.carrier
                continue
            done += 1
            assert result.carrier is tensor.carrier
            assert_same(result, plain(tensor), sw.Shape(target))
    assert done > 20


@MAKERS
@DTYPES
def test_rearrange(make, dtype):
    chance = random.Random(str(dtype))
    for _ in range(30):
        tensor = random_tensor(chance, make, dtype, small_shape(chance, (2, 3, 4)))
        names = "abcd"[: len(tensor.shape)]
        order = chance.sample(range(len(names)), len(names))
        split = chance.randint(0, len(names))
        inner, outer = order[:split], order[split:]
        right = f"({' '.join(names[mode] for mode in inner)}) {' '.join(names[mode] for mode in outer)}"
        result = sw.rearrange(tensor, f"{' '.join(names)} -> {right}")
        assert result.carrier is tensor.carrier
        items = tensor.shape.top_level
        assert result.shape.top_level == (tuple(items[mode] for mode in inner), *(items[mode] for mode in outer))
        assert_same(result, plain_modes(tensor).transpose(order))


def test_rearrange_looks_into_nested_modes():
    tensor = hierarchical(range(24))  # (2, (3, 4))
    result = sw.rearrange(tensor, "a (b c)->c (a b)")
    assert result.shape == sw.Shape(4, (2, 3))
    for a, b, c in itertools.product(range(2), range(3), range(4)):
        assert result[c, (a, b)] == tensor[a, (b, c)]
    assert sw.rearrange(tensor, " a  b_1 -> ( ( a ) b_1 ) ").shape == sw.Shape((((2,), (3, 4)),))


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("a b", "'->' is missing"),
        ("a -> a", "1 names for 2 modes"),
        ("a b c -> a b c", "more names than the 2 modes"),
        ("a a -> a", "names 'a' twice"),
        ("a b -> a", "leaves 'b' out"),
        ("a b -> a b a", "the right side names 'a' twice"),
        ("a b -> a c", "does not name 'c'"),
        ("a (b c -> a b c", "more names than the 2 modes"),
        ("(a b) c -> a b c", "is not nested"),
        ("a b -> (a b", r"'\)' is missing"),
        ("a b -> a ! b", "must be a name at '! b'"),
        ("", "'->' is missing"),
    ],
)
def test_impossible_patterns(pattern, message):
    with pytest.raises(ValueError, match=message):
        sw.rearrange(hierarchical(range(24)), pattern)


@MAKERS
@DTYPES
def test_as_strided(make, dtype):
    chance = random.Random(str(dtype))
    for _ in range(20):
        tensor = random_tensor(chance, make, dtype, small_shape(chance))
        size = tensor.carrier.size()
        layout = random_layout(chance, small_shape(chance, (0, 1, 2)))
        whole = sw.Tensor(tensor.carrier, 0, sw.Layout(size, 1))
        for offset in (0, 1, size):
            if offset + layout.cosize > size:
                with pytest.raises(ValueError):
                    sw.as_strided(tensor, layout, offset)
                continue
            indices = [offset + layout.index(ordinal) for ordinal in range(layout.size)]
            assert_same(sw.as_strided(tensor, layout, offset), plain(whole)[indices], layout.shape)
    assert sw.as_strided(tensor, tensor.layout).offset == tensor.offset


def random_index(chance, make, tensor, mode, count):
    items = tensor.shape.top_level
    shape = sw.Shape((*items[:mode], count, *items[mode + 1 :]))
    layout = random_layout(chance, shape)
    size = items[mode] if isinstance(items[mode], int) else sw.Shape(items[mode]).size
    dtype = chance.choice([DType.Int32, DType.Int64])
    places = np.array([chance.randrange(size) for _ in range(layout.cosize)], KINDS[dtype])
    return make(places, dtype, 0, layout)


@MAKERS
@DTYPES
def test_gather_and_scatter(make, dtype):
    chance = random.Random(str(dtype))
    for _ in range(25):
        tensor = random_tensor(chance, make, dtype, small_shape(chance))
        mode = chance.randrange(len(tensor.shape))
        index = random_index(chance, make, tensor, mode, chance.choice([1, 2, 5, (2, 2)]))
        places = plain_modes(index).astype(np.int64)
        taken = np.take_along_axis(plain_modes(tensor), places, mode)
        assert_same(sw.gather(tensor, mode, index), taken, index.shape)

        source = random_tensor(chance, make, dtype, index.shape)
        put, added = plain_modes(tensor).copy(order="F"), plain_modes(tensor).astype(np.longdouble)
        for coordinate in sorted(np.ndindex(places.shape), key=lambda c: c[::-1]):
            target = (*coordinate[:mode], places[coordinate], *coordinate[mode + 1 :])
            put[target] = plain_modes(source)[coordinate]
            added[target] += plain_modes(source)[coordinate]
        assert_same(sw.scatter(tensor, mode, index, source), put, tensor.shape)
        result = sw.scatter_add(tensor, mode, index, source)
        assert result.shape == tensor.shape and plain(result).dtype == KINDS[dtype]
        np.testing.assert_allclose(plain(result), added.reshape(-1, order="F").astype(KINDS[dtype]), rtol=1e-5, atol=1e-5)


@MAKERS
def test_truth_values_have_places_too(make):
    tensor = make(np.array([True, False, True]), DType.Bool, 0, sw.Layout(3, 1))
    index = make(np.array([1, 1, 0], np.int64), DType.Int64, 0, sw.Layout(3, 1))
    assert plain(sw.gather(tensor, 0, index)).tolist() == [False, False, True]
    assert plain(sw.scatter(tensor, 0, index, tensor)).tolist() == [True, False, True]
    with pytest.raises(NotImplementedError, match="scatter_add does not support Bool"):
        sw.scatter_add(tensor, 0, index, tensor)


@MAKERS
@DTYPES
def test_sort_and_topk(make, dtype):
    chance = random.Random(str(dtype))
    for extent in (1, 2, 3, 47, 48, 49, 50, 300, (7, 11)):
        shape = sw.Shape(*chance.sample([extent, 3], 2))
        tensor = random_tensor(chance, make, dtype, shape)
        if dtype in FLOATS and make is not on_evictable:
            for special in (math.nan, math.inf, -math.inf, 0.0):
                tensor[chance.randrange(tensor.size())] = special
        mode = shape.top_level.index(extent)
        expected = np.sort(plain_modes(tensor), axis=mode)
        assert_same(sw.sort(tensor, mode), expected, shape)
        reverse = np.flip(expected, mode)
        assert_same(sw.sort(tensor, mode, True), reverse, shape)
        for k in {1, (expected.shape[mode] + 1) // 2, expected.shape[mode]}:
            items = list(shape.top_level)
            items[mode] = k
            assert_same(sw.topk(tensor, k, mode), reverse.take(range(k), mode), sw.Shape(tuple(items)))


@MAKERS
def test_order_of_special_numbers(make):
    values = np.array([math.nan, 0.0, -0.0, math.inf, -math.inf, -1e-40, 1e-40, -math.nan, 2.5], np.float32)
    tensor = make(values, DType.Float32, 0, sw.Layout(len(values), 1))
    result = plain(sw.sort(tensor, 0))
    assert result[:7].tolist() == np.array([-math.inf, -1e-40, -0.0, 0.0, 1e-40, 2.5, math.inf], np.float32).tolist()
    assert np.signbit(result[2]) and not np.signbit(result[3]) and np.isnan(result[7:]).all()


@MAKERS
def test_sort_of_extreme_integers(make):
    for kind, dtype in ((np.int32, DType.Int32), (np.int64, DType.Int64)):
        limits = np.iinfo(kind)
        values = np.array([limits.max, limits.min, 0, -1, 1] * 20, kind)
        tensor = make(values, dtype, 0, sw.Layout(len(values), 1))
        assert plain(sw.sort(tensor, 0)).tolist() == sorted(values.tolist())


@pytest.mark.parametrize("make", [vector, cpu])
def test_wrong_inputs(make):
    tensor = sw.reshape(make([1.0, 2.0, 3.0, 4.0]), (2, 2))
    index = sw.cast(sw.lt(tensor, 2), DType.Int64)
    for error, call in (
        (ValueError, lambda: sw.view(tensor, (3,))),
        (ValueError, lambda: sw.squeeze(tensor, 0)),
        (ValueError, lambda: sw.squeeze(tensor, 7)),
        (ValueError, lambda: sw.unsqueeze(tensor, 3)),
        (ValueError, lambda: sw.unsqueeze(tensor, -1)),
        (ValueError, lambda: sw.as_strided(tensor, sw.Layout(5, 1))),
        (ValueError, lambda: sw.as_strided(tensor, sw.Layout(1, 1), -1)),
        (ValueError, lambda: sw.gather(tensor, 2, index)),
        (ValueError, lambda: sw.gather(tensor, 0, sw.reshape(index, (4,)))),
        (IndexError, lambda: sw.gather(tensor, 0, sw.mul(index, 2))),
        (IndexError, lambda: sw.gather(tensor, 0, sw.neg(index))),
        (IndexError, lambda: sw.scatter(tensor, 0, sw.mul(index, 2), tensor)),
        (ValueError, lambda: sw.scatter(tensor, 0, index, sw.reshape(tensor, (4,)))),
        (NotImplementedError, lambda: sw.gather(tensor, 0, tensor)),
        (ValueError, lambda: sw.sort(tensor, 2)),
        (ValueError, lambda: sw.topk(tensor, -1, 0)),
        (ValueError, lambda: sw.topk(tensor, 3, 0)),
        (NotImplementedError, lambda: sw.sort(sw.lt(tensor, 2), 0)),
        (TypeError, lambda: sw.rearrange(tensor, 5)),
        (TypeError, lambda: sw.unsqueeze(tensor, "0")),
        (TypeError, lambda: sw.as_strided(tensor, (2, 2))),
        (TypeError, lambda: sw.gather(tensor, 0, [0])),
        (TypeError, lambda: sw.sort(tensor, 0, 1)),
        (TypeError, lambda: sw.topk(tensor, 1.0, 0)),
        (TypeError, lambda: sw.operation.call_operation("sort", tensor, None)),
        (TypeError, lambda: sw.operation.call_operation("gather", tensor, None, index)),
        (TypeError, lambda: sw.operation.call_operation("rearrange", tensor, 5)),
        (TypeError, lambda: sw.operation.call_operation("as_strided", tensor, sw.Shape(2), 1)),
        (ValueError, lambda: sw.operation.call_operation("as_strided", tensor, sw.Shape(2), (1, 1))),
    ):
        with pytest.raises(error):
            call()


@MAKERS
def test_scatter_add_overflows(make):
    tensor = make(np.array([2**31 - 1, 0], np.int32), DType.Int32, 0, sw.Layout(2, 1))
    index = make(np.array([1, 0], np.int64), DType.Int64, 0, sw.Layout(2, 1))
    with pytest.raises(ValueError, match="scatter_add overflows Int32"):
        sw.scatter_add(tensor, 0, index, tensor)
        sw.scatter_add(tensor, 0, index, sw.add(sw.sub(tensor, tensor), 1))


def test_values_of_any_kind_move_as_they_are():
    things = ["x", None, 2.5, 7]
    tensor = vector(things, dtype=DType.Any)
    index = vector([3, 0, 0], dtype=DType.Int64)
    assert list(sw.gather(tensor, 0, index)) == [7, "x", "x"]
    assert list(sw.scatter(tensor, 0, index, vector([1, 2, 3], dtype=DType.Any))) == [3, None, 2.5, 1]
    numbers = vector([1, 2.5, 3, 4], dtype=DType.Any)
    assert list(sw.scatter_add(numbers, 0, index, vector([1, 2, 0.5], dtype=DType.Any))) == [3.5, 2.5, 3, 5]
    assert list(sw.sort(numbers, 0, True)) == [4, 3, 2.5, 1]
    with pytest.raises(TypeError, match="must hold numbers"):
        sw.scatter_add(tensor, 0, index, vector([1, 2, 3], dtype=DType.Any))
