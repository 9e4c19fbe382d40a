# SPDX-License-Identifier: LGPL-2.1-or-later
"""New tensors out of numbers: on CPU, or on carriers of the kind of others."""
import math

import numpy as np
import pytest

import strideweave as sw
from strideweave import DType

DTYPES = {
    DType.Float32: np.float32,
    DType.Float64: np.float64,
    DType.Int32: np.int32,
    DType.Int64: np.int64,
    DType.Bool: np.bool_,
}


def likes():
    primary, secondary = sw.carriers.CPU(1, dtype=DType.Float64), sw.carriers.FileBacked(dtype=DType.Float64)
    return [
        sw.Generic([1.0]),
        sw.carriers.FileBacked(dtype=DType.Int32),
        sw.carriers.CPU(1, dtype=DType.Float64),
        sw.carriers.Evictable(primary, secondary),
    ]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_every_dtype(dtype):
    kind = DTYPES[dtype]
    for shape in (), (1,), (7,), (2, 3, 4):
        for result, expected in (
            (sw.zeros(shape, dtype), np.zeros(shape, kind)),
            (sw.ones(shape, dtype), np.ones(shape, kind)),
            (sw.full(shape, 3, dtype), np.full(shape, 3, kind)),
            (sw.full(shape, True, dtype), np.full(shape, True, kind)),
        ):
            array = np.asarray(result)
            np.testing.assert_array_equal(array, expected)
            assert array.dtype == expected.dtype and array.flags.c_contiguous


@pytest.mark.parametrize("kind", DTYPES.values(), ids=lambda kind: kind.__name__)
def test_arrays(kind):
    """Copied, whatever lies how in memory; from_numpy() shares."""
    array = np.arange(24).reshape(2, 3, 4).astype(kind)
    for given in array, array[:, ::-1].T, array[1, 2], array.astype(array.dtype.newbyteorder("S")), np.array(kind(1)):
        tensor = sw.tensor(given)
        expected = given.copy()
        given[...] = 0
        np.testing.assert_array_equal(np.asarray(tensor), expected)
        assert np.asarray(tensor).dtype == kind and tensor.carrier.is_mutable()
    array.flags.writeable = False
    assert sw.tensor(array).carrier.is_mutable()


def test_arrays_of_other_dtypes():
    pixels = np.arange(256, dtype=np.uint8)
    for dtype in DTYPES:
        np.testing.assert_array_equal(np.asarray(sw.tensor(pixels, dtype)), pixels.astype(DTYPES[dtype]))
    assert sw.tensor(np.array([1.0, 2.5]), DType.Float32).dtype() == DType.Float32
    assert list(sw.tensor([np.float32(1.5), np.int64(2)])) == [1.5, 2.0]
    assert sw.tensor([np.bool_(True)]).dtype() == DType.Bool
    for bad in np.uint8, np.float16, np.complex64, object, "U1":
        with pytest.raises(TypeError, match="array has the dtype"):
            sw.tensor(np.zeros(2, bad))
    with pytest.raises(TypeError, match="values are of float64, which Int32 does not hold; cast"):
        sw.tensor(np.array([1.0]), DType.Int32)
    with pytest.raises(TypeError, match="values are of complex128, which Float32 does not hold"):
        sw.tensor(np.array([1j]), DType.Float32)
    for array in np.array([2**31]), np.array([2**63], np.uint64):
        with pytest.raises(ValueError, match="a value is out of the range of Int32"):
            sw.tensor(array, DType.Int32)
    with pytest.raises(ValueError, match="dtype is Any, which CPU does not hold"):
        sw.tensor(pixels, DType.Any)
    empty = sw.tensor(np.zeros((2, 0), np.int32), DType.Float32)
    assert empty.shape == sw.Shape(2, 0) and empty.dtype() == DType.Float32


@pytest.mark.parametrize("place", range(4), ids=["Generic", "FileBacked", "CPU", "Evictable"])
def test_carriers_like_others(place):
    like = likes()[place]
    for result, number in (
        (sw.zeros((2, (3, 2)), like=like), 0),
        (sw.ones((2, (3, 2)), like=like), 1),
        (sw.full((2, (3, 2)), 5, like=like), 5),
    ):
        assert type(result.carrier) is type(like) and result.dtype() == like.dtype()
        assert result.shape == sw.Shape(2, (3, 2)) and result.layout.stride == sw.Stride(6, (2, 1))
        assert list(result) == [number] * 12 and result.carrier.is_mutable()
    assert list(sw.arange(2, 8, 3, like=like)) == [2, 5]
    assert sw.ones(3, DType.Float32, like=like).dtype() == DType.Float32


def test_carriers_of_ones_own():
    class Shelf(sw.Carrier):
        def __init__(self, values=()):
            super().__init__()
            self.values = list(values)

        def size(self):
            return len(self.values)

        def dtype(self):
            return DType.Float64

        def get_value(self, index):
            return self.values[index]

        def set_value(self, index, value):
            self.values[index] = value

        def _is_mutable(self):
            return True

        def new_like(self, values, *, mutable, dtype):
            return Shelf(values)

        def allocate_like(self, size, *, mutable, dtype, empty):
            return Shelf([0.0] * size)

    for result, expected in (
        (sw.zeros(3, like=Shelf()), [0, 0, 0]),
        (sw.full((2,), 2.5, like=Shelf()), [2.5, 2.5]),
        (sw.arange(3, like=Shelf()), [0, 1, 2]),
    ):
        assert type(result.carrier) is Shelf and list(result) == expected
    with pytest.raises(ValueError, match="dtype is Int32, which .*Shelf does not hold"):
        sw.ones(3, DType.Int32, like=Shelf())


def test_arange_as_in_numpy():
    chance = np.random.default_rng(5)
    for _ in range(300):
        start, stop = chance.integers(-50, 50, 2).tolist()
        step = int(chance.choice([-7, -3, -1, 1, 2, 5]))
        for scale in 1, 0.125:
            expected = np.arange(start * scale, stop * scale, step * scale)
            result = np.asarray(sw.arange(start * scale, stop * scale, step * scale))
            np.testing.assert_array_equal(result, expected)
            assert result.dtype == expected.dtype
    # NumPy's steps are the difference of its first two numbers; here each number is rounded once.
    result = np.asarray(sw.arange(0.1, 100, 0.1))
    expected = np.arange(0.1, 100, 0.1)
    assert len(result) == len(expected)
    np.testing.assert_allclose(result, expected, rtol=1e-13)
    assert result.tolist() == [0.1 + i * 0.1 for i in range(len(result))]


def test_numbers_of_numpy():
    assert sw.full((2,), np.float32(2.5)).dtype() == DType.Float64
    assert sw.full((2,), np.int64(2)).dtype() == DType.Int64
    assert sw.full((2,), np.bool_(True)).dtype() == DType.Bool
    assert list(sw.arange(np.int32(3))) == [0, 1, 2]


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda: sw.zeros((-1,)), ValueError, "-1"),
        (lambda: sw.zeros("x"), TypeError, "str"),
        (lambda: sw.zeros(2, "float32"), TypeError, "dtype must be a DType, not str"),
        (lambda: sw.zeros(2, DType.Any), ValueError, "Any"),
        (lambda: sw.zeros((2**31, 2**31)), ValueError, "4611686018427387904"),
        (lambda: sw.ones((2**40,) * 2), ValueError, "2"),
        (lambda: sw.zeros(2, like=3), TypeError, "like must be a Carrier, not int"),
        (lambda: sw.full(2, 2**31, DType.Int32), ValueError, "2147483648 is outside the range of an Int32"),
        (lambda: sw.full(2, 2**70), ValueError, "value"),
        (lambda: sw.full(2, 1.5, DType.Int32), TypeError, "value 1.5 is not an Int32"),
        (lambda: sw.full(2, "x"), TypeError, "value must be a number, not str"),
        (lambda: sw.arange(0, 3, 0), ValueError, "step is 0"),
        (lambda: sw.arange(0, 3, 0.0), ValueError, "step is 0"),
        (lambda: sw.arange(0, math.inf), ValueError, "stop is inf"),
        (lambda: sw.arange(math.nan), ValueError, "stop is"),
        (lambda: sw.arange(0, 2**63 - 1), ValueError, "no memory for so many"),
        (lambda: sw.arange(-(2**63), 2**63 - 1), ValueError, "more values than fit"),
        (lambda: sw.arange(2**70), ValueError, "stop"),
        (lambda: sw.arange(0, 3, 1.5, DType.Int32), TypeError, "dtype is Int32"),
        (lambda: sw.arange(3, dtype=DType.Bool), TypeError, "dtype is Bool"),
        (lambda: sw.arange("x"), TypeError, "stop must be a number"),
    ],
)
def test_refused(function, error, message):
    with pytest.raises(error, match=message):
        function()
