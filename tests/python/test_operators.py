# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python's operators, slices and text of tensors, as NumPy's users know them; and what makes new tensors."""
import math

import numpy as np
import pytest
from helpers import cpu, evictable, hierarchical, vector

import strideweave as sw

DType = sw.DType
A = np.array([[1.5, -2.0, 0.0], [4.0, 0.25, -7.5]], np.float32)
B = np.array([[2.0, 3.0, -1.0], [0.5, -4.0, 2.5]], np.float32)
OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def tensor(array):
    return sw.Tensor.from_numpy(np.asarray(array))


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators(symbol):
    operate = OPERATORS[symbol]
    a, b = tensor(A), tensor(B)
    for result, expected in (
        (operate(a, b), operate(A, B)),
        (operate(a, 2), operate(A, np.float32(2))),
        (operate(a, -0.5), operate(A, np.float32(-0.5))),
        (operate(2, b), operate(np.float32(2), B)),
        (operate(0.25, b), operate(np.float32(0.25), B)),
        (operate(a, np.float32(3)), operate(A, np.float32(3))),
        (operate(np.float64(3), b), operate(np.float32(3), B)),
    ):
        assert isinstance(result, sw.Tensor)
        array = np.asarray(result)
        assert array.dtype == expected.dtype
        np.testing.assert_allclose(array, expected, rtol=1e-6)


def test_powers_and_signs():
    a = tensor(A)
    np.testing.assert_allclose(np.asarray(a**2), A**2)
    np.testing.assert_allclose(np.asarray(2**a), 2**A, rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(-a), -A)
    np.testing.assert_array_equal(np.asarray(abs(a)), abs(A))
    assert +a is a
    np.testing.assert_array_equal(np.asarray(~(a < 0)), ~(A < 0))
    with pytest.raises(TypeError, match="Bool"):
        ~a


def test_integers():
    values = np.array([7, -7, 2], np.int32)
    t = tensor(values)
    for result, expected in (
        (t + 1, values + 1),
        (10 - t, 10 - values),
        (t * t, values * values),
        (t % 3, values % 3),
        (t**2, values**2),
        (t / 2, values / 2),
        (1 / t, 1 / values),
        (2.5 / t, 2.5 / values),
        (t > 2.5, values > 2.5),
    ):
        np.testing.assert_array_equal(np.asarray(result), expected)
        assert np.asarray(result).dtype == (np.int32 if expected.dtype.kind == "i" else expected.dtype)
    for operate in (lambda: t + 0.5, lambda: 0.5 - t, lambda: 0.5 % t, lambda: 0.5**t):
        with pytest.raises(TypeError, match="whole numbers only"):
            operate()
    for operate in (lambda: t * 2**31, lambda: 2**31 - t):
        with pytest.raises(ValueError, match="out of the range of Int32"):
            operate()
    assert (2.0 - t).dtype() == DType.Int32 and list(2.0 - t) == [-5, 9, 0]


def test_comparisons_with_numbers_that_integers_are_not():
    t = tensor(np.array([2**31 - 1, -3, 2], np.int32))
    for number in 2**31, -(2**40), 2.5, 1e300, math.nan, 2:
        for symbol in "<", "<=", ">", ">=", "==", "!=":
            operate, values = OPERATORS[symbol], np.asarray(t).astype(np.float64)
            assert list(operate(t, number)) == operate(values, number).tolist(), (symbol, number)
            assert list(operate(number, t)) == operate(number, values).tolist(), (symbol, number)
    wide = tensor(np.array([2**53 + 1, 2**53, 2**63 - 1]))
    assert list(wide > 2**53) == [True, False, True] and list(wide >= 2**63 - 1) == [False, False, True]


def test_matrix_product():
    np.testing.assert_allclose(np.asarray(tensor(A) @ tensor(B.T)), A @ B.T)
    for wrong in 2.0, "x", None:
        with pytest.raises(TypeError):
            tensor(A) @ wrong


def test_broadcasting():
    a, row, column, one = tensor(A), A[:1], A[:, :1], np.array([3.0], np.float32)
    for other in row, column, one, A[0], np.ones((4, 1, 3), np.float32):
        np.testing.assert_array_equal(np.asarray(a + tensor(other)), A + other)
        np.testing.assert_array_equal(np.asarray(tensor(other) > a), other > A)
    with pytest.raises(ValueError, match="broadcast"):
        a + tensor(A.T)
    with pytest.raises(ValueError):
        a + tensor(np.ones(2, np.float32))


def test_hierarchical_operands():
    t = hierarchical([float(i) for i in range(24)])
    assert list(t + t) == [2 * value for value in t]
    assert (t * 2).shape == t.shape and (1 - t)[1, (2, 3)] == 1 - t[1, (2, 3)]
    assert list(t - sw.Tensor(t.carrier, 0, sw.Layout(sw.Shape(1, (1, 1)), sw.Stride(0, (0, 0))))) == list(t)


@pytest.mark.parametrize("make", [vector, cpu, evictable])
def test_other_carriers(make):
    t = make([1.0, -2.0, 3.0])
    result = (2 * t - 1) / 2
    assert list(result) == [0.5, -2.5, 2.5] and type(result.carrier) is type(t.carrier)
    assert list(t > 0) == [True, False, True]


def test_operands_that_are_none():
    t = cpu([1.0])
    for wrong in "x", None, [1.0], {}, object():
        for operate in OPERATORS.values():
            if operate in (OPERATORS["=="], OPERATORS["!="]):
                continue
            with pytest.raises(TypeError):
                operate(t, wrong)
            if not (wrong == "x" and operate is OPERATORS["%"]):  # which formats text
                with pytest.raises(TypeError):
                    operate(wrong, t)
        assert (t == wrong) is False and (t != wrong) is True
    with pytest.raises(TypeError):
        t + np.ones(1)


def test_equality_and_hash():
    a, b = cpu([1.0, 2.0]), cpu([1.0, 3.0])
    assert list(a == b) == [True, False] and list(a != b) == [False, True]
    assert {a: "a", b: "b"}[a] == "a" and hash(a) == hash(a) and a in [a, b]
    assert len({a, b, a}) == 2


def test_truth():
    with pytest.raises(ValueError, match="neither true nor false"):
        bool(cpu([1.0, 2.0]))
    assert cpu([1.0]) and not cpu([0.0]) and cpu([True], DType.Bool)
    assert float(cpu([2.5])) == 2.5 and int(cpu([2.5])) == 2
    for convert in float, int:
        with pytest.raises(TypeError, match="one value"):
            convert(cpu([1.0, 2.0]))


KEYS = [
    np.s_[1:],
    np.s_[:, 1],
    np.s_[0, :],
    np.s_[-1, ::2],
    np.s_[..., 0],
    np.s_[...],
    np.s_[None],
    np.s_[:, None, 1:3],
    np.s_[1:2, -2:],
    np.s_[0, 1, ...],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_slices(key):
    array = A.copy()
    t = tensor(array)
    view = t[key]
    assert isinstance(view, sw.Tensor) and view.carrier is t.carrier
    assert view.shape.top_level == array[key].shape
    np.testing.assert_array_equal(np.asarray(view), array[key])
    t[key] = 9
    expected = A.copy()
    expected[key] = 9
    np.testing.assert_array_equal(array, expected)
    t[key] = view + 1
    np.testing.assert_array_equal(array, np.where(expected == 9, 10, expected))


def test_assigning_broadcasts():
    array = np.zeros((2, 3), np.float32)
    t = tensor(array)
    t[:, 1:] = tensor(np.array([5.0, 6.0], np.float32))
    assert array.tolist() == [[0, 5, 6], [0, 5, 6]]
    with pytest.raises(ValueError, match="shape"):
        t[:, 1:] = tensor(np.ones(3, np.float32))
    with pytest.raises(TypeError):
        t[:, 1:] = "x"


def test_slices_of_nested_modes():
    t = hierarchical(range(24))  # (2, (3, 4))
    assert t[1, :].shape == sw.Shape(((3, 4),))
    assert list(t[1, :]) == [t[1, (b, c)] for c in range(4) for b in range(3)]
    assert t[:, 7].shape == sw.Shape(2) and t[:, 7][1] == t[1, (1, 2)]
    with pytest.raises(TypeError, match="nested"):
        t[:, 1:2]
    mixed = sw.Tensor(t.carrier, 2, sw.Layout(sw.Shape((2, 3), 2, 3), sw.Stride((1, 2), 3, 4)))
    part = mixed[3, None, ::1, 1:]
    assert part.shape == sw.Shape(1, 2, 2)
    assert [part[0, b, c] for b in range(2) for c in range(2)] == [mixed[3, b, c + 1] for b in range(2) for c in range(2)]
    assert mixed[:, -1, -2].shape == sw.Shape(((2, 3),)) and list(mixed[:, -1, -2]) == [mixed[a, 1, 1] for a in range(6)]


def test_impossible_keys():
    t = tensor(A.copy())
    for key, error in (
        (np.s_[5, :], IndexError),
        (np.s_[:, :, :], IndexError),
        (np.s_[..., ...], IndexError),
        (np.s_[::-1], ValueError),
        (np.s_[:, "x"], TypeError),
        (np.s_[:, 0.5], TypeError),
    ):
        with pytest.raises(error):
            t[key]
        with pytest.raises(error):
            t[key] = 1.0


def test_plain_keys_are_coordinates_and_ordinals():
    t = tensor(A)
    assert t[1, 2] == -7.5 and t[1] == 4.0


def test_text():
    assert str(tensor(A)) == str(A)
    assert str(cpu([True, False], DType.Bool)) == "[ True False]"
    assert str(tensor(np.arange(5000.0))) == str(np.arange(5000.0))
    assert "Tensor(" in repr(tensor(A))
    released = cpu([1.0])
    released.carrier.release()
    assert "Tensor" in str(released)
    evicted = evictable([1.0])
    evicted.carrier.evict()
    assert "Tensor" in str(evicted)


def test_text_without_numpy(monkeypatch):
    import builtins

    original = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "numpy":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    t = tensor(A)
    single = sw.reduce_sum(t)
    expected, total = str(A), str(np.sum(A, dtype=A.dtype))
    monkeypatch.setattr(builtins, "__import__", refuse)
    assert str(t) == expected
    assert str(single) == total
    assert math.isfinite(float(single))


def test_zeros_ones_full():
    for result, expected in (
        (sw.zeros((2, 3)), np.zeros((2, 3), np.float32)),
        (sw.ones(4, DType.Int32), np.ones(4, np.int32)),
        (sw.full((2, 2), 2.5), np.full((2, 2), 2.5)),
        (sw.full((2,), 7), np.full(2, 7)),
        (sw.full((), True), np.full((), True)),
        (sw.full((3,), 2, DType.Float32), np.full(3, 2, np.float32)),
    ):
        array = np.asarray(result)
        np.testing.assert_array_equal(array, expected)
        assert array.dtype == expected.dtype and array.flags.c_contiguous and result.carrier.is_mutable()
    assert sw.zeros((2, (3, 4))).shape == sw.Shape(2, (3, 4))
    assert sw.zeros((2, (3, 4))).layout.stride == sw.Stride(12, (4, 1))


def test_arange():
    for arguments in (5,), (2, 9), (9, 2, -3), (0.5, 3), (0, 1, 0.25), (3.0,), (0,), (3, 1), (1.0, 0.5):
        expected = np.arange(*arguments)
        array = np.asarray(sw.arange(*arguments))
        np.testing.assert_array_equal(array, expected)
        assert array.dtype == expected.dtype
    assert sw.arange(3, dtype=DType.Float32).dtype() == DType.Float32
    for wrong, error in (((0, 3, 0), ValueError), (("x",), TypeError)):
        with pytest.raises(error):
            sw.arange(*wrong)


def test_tensor_of_lists():
    for values in [[1, 2], [3, 4]], [[1.5, 2], [3, 4]], [True, False], 5, 2.5, [[[7]]], [], [[], []]:
        expected = np.array(values)
        array = np.asarray(sw.tensor(values))
        np.testing.assert_array_equal(array, expected)
        assert array.dtype == expected.dtype
    assert sw.tensor([1, 2], DType.Float32).dtype() == DType.Float32
    for wrong, error in (
        ([[], [1]], ValueError),
        ([[1], []], ValueError),
        ([[1], [2, 3]], ValueError),
        ([[1], 2], ValueError),
        ([1, [2]], ValueError),
        (["x"], TypeError),
        ([True, 2], TypeError),
        (None, TypeError),
        ([2**70], ValueError),
    ):
        with pytest.raises(error):
            sw.tensor(wrong)
    with pytest.raises(ValueError):
        sw.tensor([2**31], DType.Int32)
    with pytest.raises(TypeError):
        sw.tensor([1.5], DType.Int32)
    with pytest.raises(ValueError, match="Any"):
        sw.tensor([1], DType.Any)


def test_from_bytes():
    expected = np.arange(6, dtype=np.int32).reshape(2, 3)
    for kind in bytes, bytearray, memoryview:
        result = sw.from_bytes(kind(expected.tobytes()), (2, 3), DType.Int32)
        np.testing.assert_array_equal(np.asarray(result), expected)
        assert not result.carrier.is_mutable()
    for data, shape, error in ((b"1234", (2,), ValueError), (b"123", (1,), ValueError), ("1234", (1,), TypeError)):
        with pytest.raises(error):
            sw.from_bytes(data, shape)
