# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library's own carriers, and tensors on them, as Python sees them."""
import copy
import math
import os
import pickle

import pytest
from helpers import Listed, vector

import strideweave as sw

NUMBERS = [sw.DType.Float32, sw.DType.Float64, sw.DType.Int32, sw.DType.Int64]


def test_generic():
    carrier = sw.Generic([1.0, 2, 3.5])
    assert (carrier.size(), carrier.dtype(), carrier.is_mutable()) == (3, sw.DType.Floating, True)
    assert list(carrier) == [1.0, 2.0, 3.5]
    assert not carrier.is_owned() and not carrier.is_released()
    assert list(sw.Generic(value * 2.0 for value in range(3))) == [0.0, 2.0, 4.0]
    assert list(sw.Generic([])) == [] and sw.Generic(()).size() == 0
    assert sw.Generic([1, 2], dtype=sw.DType.Int64)[1] == 2
    assert type(sw.Generic([1, 2], dtype=sw.DType.Int64)[1]) is int
    assert sw.Generic([True, False], dtype=sw.DType.Bool)[0] is True
    assert math.isnan(sw.Generic([math.nan])[0]) and sw.Generic([math.inf])[0] == math.inf


def test_generic_of_anything():
    values = ["a", None, 1, 2.5, True, 2**70, [1], sw.Shape(2), object(), {"a": 1}]
    carrier = sw.Generic(values, dtype=sw.DType.Any)
    assert list(carrier) == values
    assert carrier[8] is values[8] and carrier[6] is values[6] and carrier[4] is True
    tensor = vector([1.0])
    assert list(sw.Generic([tensor], dtype=sw.DType.Any)[0]) == [1.0]
    copy = carrier.new_like(["b"])
    assert copy[0] == "b" and copy.dtype() is sw.DType.Any


@pytest.mark.parametrize("values", [5, None, object()], ids=repr)
def test_generic_of_no_values(values):
    with pytest.raises(TypeError):
        sw.Generic(values)


@pytest.mark.parametrize(
    "values, dtype, error",
    [
        (["a"], sw.DType.Floating, TypeError),
        ([None], sw.DType.Float64, TypeError),
        ([1.5], sw.DType.Int32, (TypeError, ValueError)),
        ([2**40], sw.DType.Int32, ValueError),
        ([2**70], sw.DType.Int64, (TypeError, ValueError)),
        ([1j], sw.DType.Floating, TypeError),
    ],
    ids=repr,
)
def test_values_that_do_not_fit(values, dtype, error):
    with pytest.raises(error):
        sw.Generic(values, dtype=dtype)
    carrier = sw.Generic([0], dtype=dtype)
    with pytest.raises(error):
        carrier[0] = values[0]
    assert carrier[0] == 0


def test_cpu():
    for dtype in NUMBERS:
        carrier = sw.CPU(3, dtype=dtype)
        assert (carrier.size(), carrier.dtype(), list(carrier)) == (3, dtype, [0, 0, 0])
        carrier[1] = 7
        assert list(carrier) == [0, 7, 0]
    assert sw.CPU(2).dtype() is sw.DType.Float32
    assert sw.CPU(0).size() == 0
    assert sw.CPU(2, empty=True).size() == 2
    assert sw.CPU(1, mutable=False).is_mutable() is False
    with pytest.raises(TypeError):
        sw.CPU(2, None, False)
    for size, error in ((-1, ValueError), (1.0, TypeError), ("1", TypeError), (True, TypeError), (2**70, ValueError)):
        with pytest.raises(error):
            sw.CPU(size)
    for dtype in (sw.DType.Any, sw.DType.Floating):
        assert not sw.CPU(1).supports_storage_dtype(dtype)
        with pytest.raises((TypeError, ValueError)):
            sw.CPU(1, dtype=dtype)


@pytest.mark.parametrize("make", [sw.CPU, lambda size, **options: sw.Generic([0.0] * size, **options)])
def test_options(make):
    for option in ("mutable", "empty"):
        for wrong in (1, None, "no"):
            with pytest.raises(TypeError):
                make(1, **{option: wrong})
    with pytest.raises(TypeError):
        make(1, speed=3)


@pytest.mark.parametrize(
    "carrier", [sw.Generic([1.0, 2.0]), sw.CPU(2), Listed([1.0, 2.0])], ids=lambda carrier: type(carrier).__name__
)
def test_every_carrier(carrier):
    version = carrier.version
    carrier[0] = 5.0
    assert carrier.version > version and carrier[0] == 5.0
    for index in (2, -1, 2**40):
        with pytest.raises(IndexError):
            carrier[index]
        with pytest.raises(IndexError):
            carrier[index] = 1.0
    for index in ("0", 0.0, None, True, slice(None)):
        with pytest.raises(TypeError):
            carrier[index]
    like = carrier.new_like([3.0], mutable=False)
    assert type(like) is type(carrier) and list(like) == [3.0] and not like.is_mutable()
    assert carrier.allocate_like(4).size() == 4
    assert carrier.supports_storage_dtype(carrier.dtype())
    with pytest.raises(TypeError):
        carrier.supports_storage_dtype("Float32")
    carrier.release()
    assert carrier.is_released()
    with pytest.raises(RuntimeError, match="released"):
        carrier[0]
    carrier.release()


def test_immutable():
    for carrier in (sw.Generic([1.0], mutable=False), sw.CPU(1, mutable=False)):
        before = carrier[0]
        with pytest.raises(RuntimeError, match="mutable"):
            carrier[0] = 9.0
        with pytest.raises(RuntimeError, match="mutable"):
            sw.Tensor(carrier, 0, sw.Layout(1, 1))[0] = 9.0
        assert carrier[0] == before


def test_new_like_and_allocate_like():
    carrier = sw.CPU(2, dtype=sw.DType.Int32)
    assert carrier.new_like([1, 2, 3]).dtype() is sw.DType.Int32
    assert carrier.new_like([1], dtype=sw.DType.Float64).dtype() is sw.DType.Float64
    assert list(carrier.allocate_like(3)) == [0, 0, 0]
    for call in (
        lambda: carrier.new_like([1], True),
        lambda: carrier.new_like(5),
        lambda: carrier.new_like([1], mutable=1),
        lambda: carrier.new_like([1], dtype="Int32"),
        lambda: carrier.allocate_like("3"),
        lambda: carrier.allocate_like(3, empty=0),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError):
        carrier.allocate_like(-1)


def test_file_backed():
    carrier = sw.FileBacked(dtype=sw.DType.Float64)
    assert carrier.size() == 0 and carrier.dtype() is sw.DType.Float64
    moved = sw.move(vector([1.0, 2.0], dtype=sw.DType.Float64), carrier)
    assert list(moved) == [1.0, 2.0] and moved.carrier is carrier
    assert os.path.exists(carrier.path)
    with pytest.raises((NotImplementedError, TypeError)):
        sw.relu(moved)
    path = carrier.path
    carrier.release()
    assert not os.path.exists(path)
    for wrong in (5, [], b"name"):
        with pytest.raises(TypeError, match="filename"):
            sw.FileBacked(wrong)
    for wrong in ("", "a/b", "..", "x\0y"):
        with pytest.raises(ValueError):
            sw.FileBacked(wrong)


def test_evictable():
    primary, secondary = sw.CPU(3), sw.FileBacked()
    carrier = sw.Evictable(primary, secondary)
    assert carrier.primary is primary and carrier.secondary is secondary
    assert primary.is_owned() and secondary.is_owned() and not carrier.is_owned()
    tensor = sw.Tensor(carrier, 0, sw.Layout(3, 1))
    tensor[0] = -1.0
    with pytest.raises(RuntimeError):
        primary[0] = 5.0
    with pytest.raises(RuntimeError):
        primary.release()
    result = sw.relu(tensor)
    assert type(result.carrier) is sw.Evictable and list(result) == [0.0, 0.0, 0.0]
    assert not carrier.is_evicted()
    carrier.evict()
    assert carrier.is_evicted()
    carrier.evict()
    for call in (lambda: tensor[0], lambda: sw.relu(tensor)):
        with pytest.raises(RuntimeError, match="promote|evicted"):
            call()
    carrier.promote()
    assert tensor[0] == -1.0
    for wrong in ((primary, sw.FileBacked()), (sw.CPU(1), secondary), (carrier, carrier)):
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            sw.Evictable(*wrong)
    for wrong in ((5, sw.CPU(1)), (sw.CPU(1), None)):
        with pytest.raises(TypeError, match="Carrier"):
            sw.Evictable(*wrong)


def test_evictable_without_values_below():
    tensor = sw.Tensor(sw.Evictable(sw.Generic([1.0, -2.0]), sw.Generic([])), 0, sw.Layout(2, 1))
    assert list(sw.relu(tensor)) == [1.0, 0.0]


def test_scatter():
    carrier = sw.Generic([0.0] * 6)
    onto = sw.Tensor(carrier, 0, sw.Layout(6, 1))
    carrier.scatter(vector([1.0, 2.0]), onto, sw.Layout(2, 3), 1)
    assert list(carrier) == [0.0, 1.0, 0.0, 0.0, 2.0, 0.0]
    for wrong in ((5, onto, sw.Layout(2, 3)), (onto, 5, sw.Layout(2, 3)), (onto, onto, sw.Shape(2))):
        with pytest.raises(TypeError):
            carrier.scatter(*wrong)


def test_tensor():
    carrier = sw.Generic([float(i) for i in range(30)])
    layout = sw.Layout(sw.Shape(2, (3, 4)), sw.Stride(1, (2, 6)))
    tensor = sw.Tensor(carrier, 6, layout)
    assert tensor.carrier is carrier and tensor.offset == 6 and tensor.layout == layout
    assert tensor.shape == layout.shape and tensor.size() == 24 and tensor.dtype() is sw.DType.Floating
    assert tensor[1, (2, 3)] == tensor[1, 11] == tensor[23] == 29.0
    tensor[0, (0, 0)] = -1.0
    assert carrier[6] == -1.0 and tensor[0] == -1.0
    assert "Generic" in repr(tensor) and "(2, (3, 4))" in repr(tensor)
    scalar = sw.Tensor(carrier, 2, sw.Layout(sw.Shape(), sw.Stride()))
    assert scalar[()] == 2.0 and list(scalar) == [2.0]
    for name in ("carrier", "offset", "layout", "size", "anything"):
        with pytest.raises(AttributeError):
            setattr(tensor, name, 1)


@pytest.mark.parametrize(
    "offset, layout, error",
    [
        (7, sw.Layout(24, 1), ValueError),
        (-1, sw.Layout(1, 1), ValueError),
        (0, sw.Layout(2, 30), ValueError),
        (2**62, sw.Layout(1, 1), ValueError),
        (2**70, sw.Layout(1, 1), ValueError),
        ("0", sw.Layout(1, 1), TypeError),
        (0.0, sw.Layout(1, 1), TypeError),
        (True, sw.Layout(1, 1), TypeError),
        (0, (2, 3), TypeError),
        (0, None, TypeError),
    ],
    ids=repr,
)
def test_impossible_tensors(offset, layout, error):
    with pytest.raises(error):
        sw.Tensor(sw.Generic([0.0] * 30), offset, layout)


def test_tensor_on_no_carrier():
    for wrong in ([1.0], None, sw.Generic):
        with pytest.raises(TypeError, match="carrier"):
            sw.Tensor(wrong, 0, sw.Layout(1, 1))


@pytest.mark.parametrize(
    "key, error",
    [
        ((2, 0), ValueError),
        ((0,), ValueError),
        (24, ValueError),
        (-1, ValueError),
        ("0", TypeError),
        (0.5, TypeError),
        (slice("0"), TypeError),
        (b"0", TypeError),
    ],
    ids=repr,
)
def test_impossible_keys(key, error):
    tensor = sw.Tensor(sw.Generic([0.0] * 24), 0, sw.Layout(sw.Shape(2, (3, 4)), sw.Stride(1, (2, 6))))
    with pytest.raises(error):
        tensor[key]
    with pytest.raises(error):
        tensor[key] = 1.0


def test_copies():
    tensor = vector([1.0, 2.0])
    assert copy.copy(tensor) is tensor
    deep = copy.deepcopy(tensor)
    deep[0] = 9.0
    assert list(deep) == [9.0, 2.0] and list(tensor) == [1.0, 2.0]
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(tensor)


def test_forgotten_super():
    class Forgetful(sw.Carrier):
        def __init__(self):
            pass

    for call in (lambda: Forgetful()[0], lambda: sw.Tensor(Forgetful(), 0, sw.Layout(1, 1)), Forgetful().release):
        with pytest.raises((TypeError, RuntimeError)):
            call()


def test_releasing_while_tensors_remain():
    tensor = vector([1.0, 2.0])
    tensor.carrier.release()
    for call in (lambda: tensor[0], lambda: sw.relu(tensor), lambda: sw.add(vector([1.0, 2.0]), tensor)):
        with pytest.raises(RuntimeError, match="released"):
            call()
    assert tensor.shape == sw.Shape(2) and "Tensor" in repr(tensor)
    str(tensor)


def test_number_of_threads():
    before = sw.CPU.get_n_threads()
    assert before >= 1
    try:
        sw.CPU.set_n_threads(3)
        assert sw.CPU.get_n_threads() == 3
        for wrong in (0, -1, 257, 2**40):
            with pytest.raises(ValueError, match=f"n_threads is {wrong}, which is not from 1 to 256"):
                sw.CPU.set_n_threads(wrong)
        with pytest.raises(TypeError, match="n_threads"):
            sw.CPU.set_n_threads("2")
        assert sw.CPU.get_n_threads() == 3
    finally:
        sw.CPU.set_n_threads(before)
