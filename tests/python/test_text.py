# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensors as text: what NumPy prints of the same values."""
import math
import struct

import numpy as np
import pytest

import strideweave as sw
from strideweave import DType

KINDS = [np.float32, np.float64, np.int32, np.int64, np.bool_]
SHAPES = [(), (1,), (5,), (33,), (2, 3), (7, 4), (1, 1), (40, 3), (3, 40), (2, 3, 4), (2, 1, 3, 2), (9, 7, 2), (1000,), (1001,),
          (10, 101), (101, 10), (6, 7, 30), (7, 6, 30), (2, 2, 2, 200)]


def numbers(chance, kind, size):
    if kind is np.bool_:
        return chance.random(size) < 0.5
    if kind in (np.int32, np.int64):
        limits = np.iinfo(kind)
        bound = int(chance.choice([1, 10, 1000, limits.max]))
        return chance.integers(-bound if chance.random() < 0.7 else 0, bound, size, endpoint=True, dtype=kind)
    way = chance.integers(8)
    if way == 0:
        values = np.round(chance.normal(size=size) * 8) / 4
    elif way == 1:
        values = chance.normal(size=size) * 10.0 ** chance.integers(-12, 12)
    elif way == 2:
        values = chance.normal(size=size) * 10.0 ** chance.integers(-30, 30, size)
    elif way == 3:
        values = chance.integers(-500, 500, size).astype(float)
    elif way == 4:
        values = 2.0 ** chance.integers(-126, 127, size)
    elif way == 5:
        values = chance.random(size) * 999 + 1
    elif way == 6:
        values = 2.0 ** chance.integers(-12, 26, size)
    else:
        bits = chance.integers(0, 2**64, size, dtype=np.uint64)
        values = bits.view(np.float64) if kind is np.float64 else bits.astype(np.uint32).view(np.float32)
    values = np.array(values, dtype=kind).reshape(size)
    if chance.random() < 0.3:
        places = chance.random(size) < 0.3
        values[places] = chance.choice(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], kind), size)[places]
    return values


def expected_repr(array, carrier="CPU"):
    values = np.array2string(array, separator=", ", prefix="Tensor(", suffix=",")
    facts = f"shape={sw.Shape(array.shape).to_string()}, dtype={np.dtype(array.dtype).name.capitalize()}, carrier={carrier})"
    last = f"Tensor({values}".rsplit("\n", 1)[-1]
    return f"Tensor({values},{' ' if len(last) + len(facts) + 2 <= 75 else chr(10) + '       '}{facts}"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.filterwarnings("ignore")
def test_as_numpy_prints(kind):
    chance = np.random.default_rng(11)
    for _ in range(12):
        for shape in SHAPES:
            array = np.array(numbers(chance, kind, shape))
            tensor = sw.Tensor.from_numpy(array)
            assert str(tensor) == str(array)
            assert repr(tensor) == expected_repr(array)


@pytest.mark.parametrize("kind", [np.float32, np.float64], ids=lambda kind: kind.__name__)
def test_whole_numbers_with_more_digits_than_tell_them_from_others(kind):
    chance = np.random.default_rng(13)
    whole = chance.integers(-99999992, 99999992, 200).astype(kind)
    for array in whole, whole[:1], whole[:30].reshape(5, 6), np.append(whole, kind(1960805.125)), np.append(whole, kind(np.nan)):
        assert str(sw.Tensor.from_numpy(array)) == str(array)


@pytest.mark.parametrize("kind", [np.float32, np.float64], ids=lambda kind: kind.__name__)
def test_numbers_alone(kind):
    chance = np.random.default_rng(12)
    bits = chance.integers(0, 2**64, 3000, dtype=np.uint64)
    values = bits.view(np.float64) if kind is np.float64 else bits.astype(np.uint32).view(np.float32)
    edges = [0.0, -0.0, 1.0, 1e16, 9.999999e15, 1e-4, 9.9e-5, 5e-324, 1e-45, 0.1, 1 / 3, 123456789.0, math.nan, math.inf, -math.inf]
    powers = [2.0**power for power in range(-149, 128)]
    with np.errstate(all="ignore"):
        some = np.concatenate([values, np.array(edges + powers, dtype=np.float64).astype(kind)])
    for value in some:
        assert str(sw.Tensor.from_numpy(np.array(value))) == str(value), struct.pack("d", value).hex()


def test_strided():
    array = np.arange(2000.0).reshape(40, 50)
    for view in array[::3, ::2], array.T, array[:2], array[:, :1], np.broadcast_to(array[0], (40, 50)):
        assert str(sw.Tensor.from_numpy(view)) == str(view)
    tensor = sw.Tensor.from_numpy(array)
    assert str(tensor[3:5, ::7]) == str(array[3:5, ::7])


def test_nested_modes():
    tensor = sw.arange(24, dtype=DType.Float32)
    nested = sw.Tensor(tensor.carrier, 0, sw.Layout(sw.Shape(2, (3, 4)), sw.Stride(12, (4, 1))))
    assert str(nested) == str(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    assert repr(nested).endswith("shape=(2, (3, 4)), dtype=Float32, carrier=CPU)")


class Counting(sw.Carrier):
    """Of ten thousand numbers, each its own index, which counts what is read."""

    reads = 0

    def size(self):
        return 10000

    def dtype(self):
        return DType.Int64

    def get_value(self, index):
        self.reads += 1
        if index == 9998:
            raise KeyError("no such value")
        return index

    def set_value(self, index, value):
        raise NotImplementedError

    def _is_mutable(self):
        return False


def test_only_what_is_shown_is_read():
    carrier = Counting()
    tensor = sw.Tensor(carrier, 0, sw.Layout((100, 99)))
    assert str(tensor) == str(np.arange(9900).reshape(99, 100).T)
    assert carrier.reads == 36


def test_text_never_fails():
    failing = sw.Tensor(Counting(), 0, sw.Layout((10000,)))
    text = "Tensor(shape=(10000,), dtype=Int64, carrier=Counting; no values: "
    assert str(failing).startswith(text) and repr(failing).startswith(text) and "no such value" in repr(failing)

    released = sw.ones((2, 2))
    released.carrier.release()
    assert "dtype=Float32, carrier=CPU; no values: " in str(released) and "released" in str(released)

    primary, secondary = sw.carriers.CPU(2, dtype=DType.Float64), sw.carriers.FileBacked(dtype=DType.Float64)
    evictable = sw.carriers.Evictable(primary, secondary)
    tensor = sw.Tensor(evictable, 0, sw.Layout((2,)))
    assert str(tensor) == "[0. 0.]"
    evictable.evict()
    assert "shape=(2,), dtype=Float64, carrier=Evictable; no values: " in str(tensor) and "promote" in str(tensor)
    evictable.promote()
    assert repr(tensor) == "Tensor([0., 0.], shape=(2,), dtype=Float64, carrier=Evictable)"


def test_too_many_modes():
    many = sw.Tensor(sw.carriers.CPU(1), 0, sw.Layout((2,) * 40, sw.Stride((0,) * 40)))
    assert "too many to show" in str(many)


def test_objects():
    tensor = sw.Tensor(sw.Generic(["a", 1, None], dtype=DType.Any), 0, sw.Layout((3,)))
    assert str(tensor) == "['a' 1 None]"
    assert "dtype=Any" in repr(tensor)


def test_any_locale():
    import locale

    for name in "de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8":
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
        except locale.Error:
            continue
        try:
            assert str(sw.full((2,), 2.5)) == "[2.5 2.5]"
            assert str(sw.full((), 0.1)) == "0.1"
        finally:
            locale.setlocale(locale.LC_NUMERIC, "C")
        return
    pytest.skip("no locale with another point is installed")
