# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensors and NumPy arrays over the same memory, and who keeps it."""
import gc
import random
import weakref

import numpy as np
import pytest
from gi.repository import GLib
from helpers import Listed, cpu, evictable, vector

import strideweave as sw

DTYPES = {
    sw.DType.Float32: np.float32,
    sw.DType.Float64: np.float64,
    sw.DType.Int32: np.int32,
    sw.DType.Int64: np.int64,
    sw.DType.Bool: np.bool_,
}


def values(array):
    """What a Tensor over it must read, by index."""
    return {index: array[index].item() for index in np.ndindex(array.shape)}


def check_same(tensor, array):
    assert tensor.shape.leaves == array.shape
    for index, value in values(array).items():
        assert tensor[index] == value
    view = np.asarray(tensor)
    assert view.dtype == array.dtype and view.shape == array.shape
    assert (view == array).all()


@pytest.mark.parametrize("dtype, kind", DTYPES.items(), ids=str)
def test_both_ways(dtype, kind):
    array = np.arange(12).reshape(3, 4).astype(kind)
    tensor = sw.Tensor.from_numpy(array)
    assert type(tensor.carrier) is sw.CPU and tensor.dtype() is dtype
    check_same(tensor, array)
    view = np.asarray(tensor)
    assert np.shares_memory(view, array)
    view[1, 2] = 0
    assert array[1, 2] == 0 and tensor[1, 2] == 0
    tensor[2, 3] = array.dtype.type(1)
    assert array[2, 3] == 1
    if dtype is not sw.DType.Bool:
        imported = np.from_dlpack(tensor)
        assert np.shares_memory(imported, array) and (imported == array).all()
    assert tensor.__dlpack_device__() == (1, 0)


def strided(chance):
    array = np.arange(120, dtype=chance.choice(list(DTYPES.values())[:4])).reshape(2, 3, 4, 5)
    for _ in range(chance.randint(0, 3)):
        how = chance.randrange(5)
        if how == 0:
            array = array.transpose(chance.sample(range(array.ndim), array.ndim))
        elif how == 1 and array.ndim:
            array = array[..., :: chance.randint(1, 3)]
        elif how == 2 and array.ndim:
            array = array[array.shape[0] // 2]
        elif how == 3:
            array = np.broadcast_to(array, (2, *array.shape))
        elif array.ndim:
            array = array[::-1]
    return array


def test_strided_arrays():
    chance = random.Random(3)
    for _ in range(200):
        array = strided(chance)
        fits = all(stride >= 0 or extent == 1 for extent, stride in zip(array.shape, array.strides))
        tensor = sw.Tensor.from_numpy(array)
        check_same(tensor, array)
        assert np.shares_memory(np.asarray(tensor), array) == fits
        if fits:
            assert tensor.carrier.is_mutable() == array.flags.writeable


def test_copies_where_no_layout_fits():
    array = np.arange(6, dtype=np.float32)
    swapped = array.astype(">f4")
    packed = np.zeros(4, dtype=[("tag", "u1"), ("value", "<f4")])["value"]
    unaligned = np.frombuffer(b"\0" * 13, dtype=np.uint8)[1:].view(np.float32)
    for odd in (array[::-1], swapped, packed, unaligned):
        tensor = sw.Tensor.from_numpy(odd)
        assert not np.shares_memory(np.asarray(tensor), odd)
        assert (np.asarray(tensor) == odd).all()
        assert tensor.carrier.is_mutable()


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1), (1, 5), (5, 1)], ids=str)
def test_scalars_and_ones(shape):
    array = np.full(shape, 7.0)
    tensor = sw.Tensor.from_numpy(array)
    check_same(tensor, array)
    assert np.asarray(tensor).shape == shape


@pytest.mark.parametrize("wrong", [[1.0], 5, None, "array", memoryview(b"1234")], ids=repr)
def test_no_array(wrong):
    with pytest.raises(TypeError, match="array"):
        sw.Tensor.from_numpy(wrong)


@pytest.mark.parametrize("dtype", ["u1", "u8", "i2", "f2", "c8", "O", "S3", "M8[s]", [("a", "f4")]], ids=str)
def test_unsupported_dtypes(dtype):
    with pytest.raises(TypeError, match="dtype"):
        sw.Tensor.from_numpy(np.zeros(3, dtype=dtype))


def test_empty_arrays():
    for shape in ((0,), (3, 0, 2)):
        for kind in DTYPES.values():
            array = np.zeros(shape, kind)
            tensor = sw.Tensor.from_numpy(array)
            assert tensor.shape.leaves == shape and tensor.size() == 0 and tensor.carrier.size() == 0
            for seen in np.asarray(tensor), np.asarray(sw.Tensor.from_numpy(array[..., ::-1])):
                assert seen.shape == shape and seen.dtype == array.dtype
            if kind is not np.bool_:
                seen = np.from_dlpack(tensor)
                assert seen.shape == shape and seen.dtype == array.dtype
            assert np.asarray(tensor).flags.writeable
    frozen = np.zeros((0, 3))
    frozen.flags.writeable = False
    tensor = sw.Tensor.from_numpy(frozen)
    assert not tensor.carrier.is_mutable() and not np.asarray(tensor).flags.writeable
    with pytest.raises(BufferError):
        tensor.__dlpack__()


def test_read_only_arrays():
    array = np.arange(3.0)
    array.flags.writeable = False
    tensor = sw.Tensor.from_numpy(array)
    assert not tensor.carrier.is_mutable()
    with pytest.raises(RuntimeError):
        tensor[0] = 5.0
    view = np.asarray(tensor)
    assert not view.flags.writeable and np.shares_memory(view, array)
    with pytest.raises(ValueError):
        view[0] = 5.0
    with pytest.raises(BufferError):
        tensor.__dlpack__()


def test_immutable_carriers_have_read_only_views():
    for carrier in (sw.Generic([1.0, 2.0], mutable=False), sw.CPU(2, mutable=False)):
        view = np.asarray(sw.Tensor(carrier, 0, sw.Layout(2, 1)))
        assert not view.flags.writeable
        with pytest.raises(ValueError):
            view.flags.writeable = True
    assert np.asarray(vector([1.0])).flags.writeable


def test_owned_tiers_have_read_only_views():
    primary = sw.Generic([1.0, 2.0])
    tensor = sw.Tensor(primary, 0, sw.Layout(2, 1))
    composite = sw.Evictable(primary, sw.Generic([]))
    assert not np.asarray(tensor).flags.writeable
    assert composite.primary is primary


def test_hierarchical_layouts_are_flattened():
    carrier = sw.Generic([float(i) for i in range(30)])
    tensor = sw.Tensor(carrier, 3, sw.Layout(sw.Shape(2, (3, 4)), sw.Stride(1, (2, 6))))
    view = np.asarray(tensor)
    assert view.shape == (2, 3, 4) and view.strides == (8, 16, 48)
    for index in np.ndindex(2, 3, 4):
        assert view[index] == tensor[index[0], (index[1], index[2])] == 3 + np.dot(index, (1, 2, 6))
    assert (np.from_dlpack(tensor) == view).all()
    view[1, 2, 3] = -1.0
    assert carrier[3 + 1 + 4 + 18] == -1.0
    interface = tensor.__array_interface__
    assert interface["version"] == 3 and interface["typestr"] == "<f8" and interface["shape"] == (2, 3, 4)


def test_broadcast_layouts():
    tensor = sw.Tensor(sw.Generic([1.0, 2.0]), 0, sw.Layout(sw.Shape(2, 3), sw.Stride(1, 0)))
    assert np.asarray(tensor).tolist() == [[1.0] * 3, [2.0] * 3]


def test_views_outlive_everything():
    array = np.arange(1000.0)
    alive = weakref.ref(array)
    tensor = sw.Tensor.from_numpy(array)
    carrier = tensor.carrier
    view = np.asarray(tensor)
    capsule_view = np.from_dlpack(tensor)
    del array
    carrier.release()
    assert carrier.is_released()
    del tensor, carrier
    gc.collect()
    trash = [np.full(1000, 3.0) for _ in range(50)]
    assert view.tolist() == capsule_view.tolist() == list(map(float, range(1000)))
    view[0] = 5.0
    assert capsule_view[0] == 5.0
    del view
    gc.collect()
    assert alive() is not None and capsule_view[999] == 999.0
    del capsule_view, trash
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("make", [vector, lambda items: cpu(items, sw.DType.Float64)])
def test_views_of_own_storage_outlive_release(make):
    tensor = make([float(i) for i in range(500)])
    carrier = tensor.carrier
    views = [np.asarray(tensor)[100:], np.from_dlpack(tensor)]
    carrier.release()
    with pytest.raises(RuntimeError, match="released"):
        np.asarray(tensor).tolist()
    with pytest.raises(RuntimeError, match="released"):
        tensor.__dlpack__()
    del tensor, carrier
    gc.collect()
    trash = [make([7.0] * 500) for _ in range(50)]
    assert views[0].tolist() == [float(i) for i in range(100, 500)]
    assert views[1].tolist() == [float(i) for i in range(500)]
    del trash, views
    gc.collect()


def test_results_of_operations_as_arrays():
    view = np.asarray(sw.relu(sw.Tensor.from_numpy(np.array([-1.0, 2.0]))))
    gc.collect()
    assert view.tolist() == [0.0, 2.0]


def test_unconsumed_capsules_free_themselves():
    array = np.zeros(10)
    alive = weakref.ref(array)
    tensor = sw.Tensor.from_numpy(array)
    capsules = [tensor.__dlpack__() for _ in range(10)]
    del array, tensor
    gc.collect()
    assert alive() is not None
    del capsules
    gc.collect()
    assert alive() is None


def test_carriers_without_memory():
    for call in (lambda tensor: tensor.__dlpack__(), lambda tensor: tensor.__dlpack_device__(), np.asarray):
        with pytest.raises(BufferError):
            call(evictable([1.0]))
    with pytest.raises(BufferError):
        vector(["a", None], dtype=sw.DType.Any).__dlpack__()
    with pytest.raises(BufferError):
        vector([1.0], Listed).__dlpack__()


def test_values_are_copied_where_there_is_no_memory():
    marker = object()
    array = np.asarray(vector(["a", None, marker], dtype=sw.DType.Any))
    assert array.dtype == object and array.tolist() == ["a", None, marker]
    listed = Listed([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], dtype=sw.DType.Float64)
    array = np.asarray(sw.Tensor(listed, 0, sw.Layout(sw.Shape(2, 3), sw.Stride(1, 2))))
    assert array.tolist() == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
    array[0, 0] = 9.0
    assert listed.values[0] == 0.0


def test_array_with_a_dtype():
    tensor = vector([1.0, 2.0])
    assert np.asarray(tensor, dtype=np.float32).dtype == np.float32
    assert np.array(tensor).tolist() == [1.0, 2.0]
    assert not np.shares_memory(np.array(tensor), np.asarray(tensor))


def test_foreign_addresses():
    array = np.arange(4, dtype=np.int64)
    carrier = sw.CPU(4, array.ctypes.data, dtype=sw.DType.Int64)
    assert list(carrier) == [0, 1, 2, 3] and carrier.address == array.ctypes.data
    carrier[0] = 7
    assert array[0] == 7
    for pointer in (-8, 0, 2**64):
        with pytest.raises(ValueError):
            sw.CPU(4, pointer)
    for pointer in ("8", 1.0, True):
        with pytest.raises(TypeError):
            sw.CPU(4, pointer)


def test_numpy_numbers_as_values():
    tensor = cpu([0.0, 0.0], sw.DType.Float64)
    tensor[np.int64(0)] = np.float32(1.5)
    tensor[1] = np.int32(2)
    assert list(tensor) == [1.5, 2.0]
    assert list(sw.mul(tensor, np.float64(2.0))) == list(sw.mul(tensor, np.int32(2))) == [3.0, 4.0]
    assert list(sw.Generic(np.arange(3.0))) == [0.0, 1.0, 2.0]
    assert list(sw.Generic(np.arange(3), dtype=sw.DType.Int64)) == [0, 1, 2]


def test_bytes_come_as_bytes():
    """Also those of a layout that is not contiguous, and of recorded columns."""
    data = sw.Tensor.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3)[:, ::2]).dup_bytes()
    assert type(data) is GLib.Bytes and type(data.get_data()) is bytes
    # The first mode is the fastest.
    assert np.frombuffer(data.get_data(), np.float32).tolist() == [0.0, 3.0, 2.0, 5.0]
    with sw.profile() as profiler:
        sw.relu(vector([1.0]))
    columns = profiler.dup_event_columns()
    assert type(columns.get_data()) is bytes and len(columns.get_data()) % 8 == 0 and columns.get_size() > 0
