# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tensors without values: every operation over empty modes against NumPy, on every carrier, and what else tensors can do."""
import itertools
import pathlib
import random
import re

import numpy as np
import pytest
from random_tensors import FLOATS, KINDS, MAKERS, check, nest, on_cpu, on_evictable, on_generic, random_layout, random_values

import strideweave as sw
from strideweave.carriers import operation_policy

DType = sw.DType
TABLE = pathlib.Path(__file__).parents[2] / "sw" / "operations" / "sw-operation-table.h"
ROWS = re.findall(r"^SW_OPERATION \((\w+), (\w+), \w+, \w+, (\w+), (\w+),", TABLE.read_text(), re.MULTILINE)
FAMILY = {name: family for _, name, family, _ in ROWS}
RULE = {name: rule for _, name, _, rule in ROWS}
SHAPES = [(0,), (0, 3), (3, 0), (0, 0), (2, 0, 4), ((0, 2), 3), (3, (2, 0), 1)]
WITH_OUT = ("UNARY", "PARAMETRIC", "CAST", "BINARY", "SELECT")

EACH_SHAPE = pytest.mark.parametrize("shape", SHAPES, ids=str)
EACH_KIND = pytest.mark.parametrize("dtype", KINDS, ids=str)


def extents_of(shape):
    """One for each top-level mode, as NumPy has them."""
    return tuple(item if isinstance(item, int) else int(np.prod(item)) for item in shape)


def empty(chance, make, dtype, shape):
    """Of any layout; on a carrier without values, or one that has some which the tensor does not see."""
    offset = chance.choice([0, 0, 3])
    return make(random_values(chance, dtype, offset), dtype, offset, random_layout(chance, sw.Shape(shape)))


def full(make, array, shape=None):
    """The values of an array, first mode fastest."""
    shape = sw.Shape(shape if shape is not None else array.shape)
    dtype = next(dtype for dtype, kind in KINDS.items() if kind == array.dtype)
    return make(array.reshape(-1, order="F"), dtype, 0, sw.Layout(shape))


def result_kind(name, dtype):
    if RULE[name] == "TRUTH":
        return np.dtype(bool)
    return np.dtype(np.float64 if RULE[name] == "REAL" and dtype not in FLOATS else KINDS[dtype])


def call_every_way(name, *inputs):
    """By the function and by dispatch, which must agree; with a profiler, which sees both."""
    with sw.profile(record_shapes=True) as profiler:
        results = [getattr(sw, name)(*inputs), sw.operation.call_operation(name, *inputs)]
    events = [event for event in profiler.events() if event.name == name and event.parent_id is None]
    assert len(events) == 2 and all(event.succeeded for event in events)
    assert [event.input_shapes[0] for event in events] == [inputs[0].shape.top_level] * 2
    assert results[0].shape == results[1].shape and results[0].dtype() == results[1].dtype()
    assert type(results[0].carrier) is type(inputs[0].carrier)
    return results[0]


def fail_every_way(error, match, name, *inputs):
    for function in getattr(sw, name), lambda *given: sw.operation.call_operation(name, *given):
        with pytest.raises(error, match=match):
            function(*inputs)


def inputs_of(name, chance, make, dtype, shape):
    a, b = (empty(chance, make, dtype, shape) for _ in range(2))
    if FAMILY[name] == "BINARY":
        return a, b
    if FAMILY[name] == "SELECT":
        return sw.lt(a, b), a, b
    if FAMILY[name] == "CAST":
        return a, DType.Float32
    return {"clamp": (a, -1, 2), "elu": (a, 0.5), "leaky_relu": (a, 0.5)}.get(name, (a,))


@MAKERS
@EACH_KIND
@EACH_SHAPE
def test_element_by_element(make, dtype, shape):
    chance = random.Random(f"{make.__name__} {dtype} {shape}")
    names = [name for name, family in FAMILY.items() if family in WITH_OUT]
    assert len(names) > 40
    for name in names:
        inputs = inputs_of(name, chance, make, dtype, shape)
        kind = np.dtype(np.float32) if name == "cast" else result_kind(name, dtype)
        check(call_every_way(name, *inputs), np.empty(extents_of(shape), kind), sw.Shape(shape))

        held = next(held for held, other in {**KINDS, DType.Bool: np.bool_}.items() if other == kind)
        out = sw.zeros(sw.Shape(shape), held, like=inputs[0].carrier)
        options = operation_policy.operation_execution_options(name, out=out)
        before = out.carrier.version
        same = sw.operation.call_operation(name, *inputs, options=options)
        assert same.carrier == out.carrier and same.shape == out.shape and out.carrier.version > before
        wrong = sw.zeros(sw.Shape((7,)), held, like=inputs[0].carrier)
        options = operation_policy.operation_execution_options(name, out=wrong)
        with pytest.raises(ValueError, match="out has the shape"):
            sw.operation.call_operation(name, *inputs, options=options)


@MAKERS
@EACH_SHAPE
def test_numbers_and_operators(make, shape):
    chance = random.Random(str(shape))
    a = empty(chance, make, DType.Float32, shape)
    array = np.empty(extents_of(shape), np.float32)
    for result in a + 1, 1 - a, 2 / a, a**2, -a, abs(a), a * a:
        check(result, array, sw.Shape(shape))
    for result in a < 1, a == a, 0 >= a:
        check(result, array.astype(bool), sw.Shape(shape))
    with pytest.raises(TypeError):
        sw.add(a, "x")
    with pytest.raises(ValueError, match="has the shape"):
        sw.add(a, full(make, np.ones(5, np.float32)))


def subsets(rank):
    return itertools.chain.from_iterable(itertools.combinations(range(rank), count) for count in range(1, rank + 1))


@MAKERS
@EACH_KIND
@EACH_SHAPE
def test_reductions(make, dtype, shape):
    chance = random.Random(f"{dtype} {shape}")
    array = np.empty(extents_of(shape), KINDS[dtype])
    functions = {"reduce_sum": np.sum, "reduce_prod": np.prod, "reduce_max": np.max, "reduce_min": np.min}
    assert sorted(functions) == sorted(name for name in FAMILY if FAMILY[name] == "REDUCE")
    for name, modes in itertools.product(functions, [None, *subsets(len(shape))]):
        a = empty(chance, make, dtype, shape)
        kept = () if modes is None else tuple(item for mode, item in enumerate(shape) if mode not in modes)
        inputs = (a,) if modes is None else (a, modes)
        try:
            expected = functions[name](array, axis=modes)
        except ValueError:
            fail_every_way(ValueError, f"input has the shape .*, in which {name} finds no values along modes", name, *inputs)
            continue
        check(call_every_way(name, *inputs), np.asarray(expected, array.dtype), sw.Shape(kept))
        if modes is not None:
            expected = np.asarray(functions[name](array, axis=modes, keepdims=True), array.dtype)
            kept = getattr(sw, name)(a, modes, keepdims=True)
            assert kept.size() == expected.size and list(kept) == list(expected.reshape(-1, order="F"))


@MAKERS
@EACH_SHAPE
def test_places(make, shape):
    chance = random.Random(str(shape))
    array = np.empty(extents_of(shape), np.float32)
    for name, mode in itertools.product(("argmax", "argmin"), range(len(shape))):
        a = empty(chance, make, DType.Float32, shape)
        try:
            expected = getattr(np, name)(array, axis=mode)
        except ValueError:
            fail_every_way(ValueError, f"in which {name} finds no values along mode", name, a, mode)
        else:
            check(call_every_way(name, a, mode), expected, sw.Shape(shape[:mode] + shape[mode + 1 :]))
        fail_every_way(ValueError, "finds no values", name, a)


@MAKERS
@EACH_SHAPE
def test_along_a_mode(make, shape):
    chance = random.Random(str(shape))
    for dtype, mode in itertools.product(KINDS, range(len(shape))):
        a = empty(chance, make, dtype, shape)
        array = np.empty(extents_of(shape), KINDS[dtype])
        for name, inputs in (
            ("cumsum", (a, mode)),
            ("sort", (a, mode)),
            ("softmax", (a, (mode,))),
            ("layer_norm", (a, (mode,))),
        ):
            check(call_every_way(name, *inputs), array, sw.Shape(shape), result_kind(name, dtype))
        line = shape[:mode] + (0,) + shape[mode + 1 :]
        check(call_every_way("topk", a, 0, mode), np.empty(extents_of(line), array.dtype), sw.Shape(line))
        fail_every_way(ValueError, "k is 99, but must be between 0 and", "topk", a, 99, mode)
        fail_every_way(ValueError, "k is -1, but must be between 0 and", "topk", a, -1, mode)
    a = full(make, np.arange(6, dtype=np.float32).reshape(2, 3))
    check(call_every_way("topk", a, 0, 1), np.empty((2, 0), np.float32), sw.Shape(2, 0))


@MAKERS
def test_norms_with_weights(make):
    a, weight = (empty(random.Random(3), make, DType.Float32, shape) for shape in ((2, 0), (0,)))
    check(sw.layer_norm(a, (1,), weight, weight), np.empty((2, 0), np.float32), sw.Shape(2, 0))
    a, weight = empty(random.Random(3), make, DType.Float32, (0, 2)), full(make, np.ones(2, np.float32))
    check(sw.layer_norm(a, (1,), weight, weight), np.empty((0, 2), np.float32), sw.Shape(0, 2))
    with pytest.raises(ValueError, match="weight has the shape"):
        sw.layer_norm(a, (0,), weight)


@MAKERS
@EACH_KIND
def test_products(make, dtype):
    chance = random.Random(str(dtype))
    for lhs, rhs in (
        ((3, 0), (0, 2)),
        ((0, 3), (3, 2)),
        ((3, 2), (2, 0)),
        ((0, 0), (0, 0)),
        ((1, 0), (0, 1)),
        ((2, 3, 0), (2, 0, 4)),
        ((0, 3, 2), (0, 2, 4)),
        ((2, 0, 2, 3), (2, 0, 3, 1)),
        ((2, (2, 0)), ((2, 0), 3)),
        (((2, 3), 0), (0, (2, 2))),
        (((0, 2), 3, 2), ((0, 2), 2, 2)),
    ):
        tensors, arrays = [], []
        for shape in lhs, rhs:
            extents = extents_of(shape)
            array = np.array(random_values(chance, dtype, int(np.prod(extents)))).reshape(extents, order="F")
            tensors.append(full(make, array, shape) if array.size else empty(chance, make, dtype, shape))
            arrays.append(array)
        shape = sw.Shape(lhs[:-1] + rhs[-1:])
        expected = np.matmul(*arrays)
        check(call_every_way("matmul", *tensors), expected, shape)
        check(tensors[0] @ tensors[1], expected, shape)

        out = sw.ones(shape, dtype, like=tensors[0].carrier)
        sw.matmul(*tensors, out=out)
        check(out, expected, shape)
        apart = sw.permute(sw.full(sw.Shape(shape.top_level[::-1]), 7, dtype, like=tensors[0].carrier), *range(len(shape))[::-1])
        sw.matmul(*tensors, out=apart)
        check(apart, expected, shape)
    with pytest.raises(ValueError, match="mode 0 of rhs is 3, but mode 1 of lhs is 0"):
        sw.matmul(empty(chance, make, dtype, (2, 0)), empty(chance, make, dtype, (3, 0)))


def put(target, mode, index, source, adds):
    """What scatter does, along one mode."""
    result = target.copy()
    for place in np.ndindex(*index.shape):
        to = place[:mode] + (index[place],) + place[mode + 1 :]
        result[to] = result[to] + source[place] if adds else source[place]
    return result


@MAKERS
@pytest.mark.parametrize("index_kind", [np.int32, np.int64])
def test_indices(make, index_kind):
    chance = random.Random(5)
    index_dtype = next(dtype for dtype in KINDS if KINDS[dtype] == index_kind)
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    for shape, mode, index_shape in (
        ((2, 3), 0, (0, 3)),
        ((2, 3), 1, (2, 0)),
        ((0, 3), 0, (0, 3)),
        ((0, 3), 1, (0, 5)),
        ((2, 0), 0, (4, 0)),
        ((0,), 0, (0,)),
        (((2, 0), 3), 1, ((2, 0), 4)),
        ((3, (2, 0)), 1, (3, (0, 2))),
    ):
        array = values if shape == (2, 3) else np.empty(extents_of(shape), np.float32)
        tensor = full(make, array) if array.size else empty(chance, make, DType.Float32, shape)
        index = empty(chance, make, index_dtype, index_shape)
        check(call_every_way("gather", tensor, mode, index), np.empty(extents_of(index_shape), np.float32), sw.Shape(index_shape))
        source = empty(chance, make, DType.Float32, index_shape)
        for name in "scatter", "scatter_add":
            check(call_every_way(name, tensor, mode, index, source), array, sw.Shape(shape))

    # Where there are indices there must be places.
    none, index = empty(chance, make, DType.Float32, (0, 3)), full(make, np.zeros((2, 3), index_kind))
    source = full(make, np.ones((2, 3), np.float32))
    fail_every_way(IndexError, "index has the value 0, but the mode has 0 places", "gather", none, 0, index)
    for name in "scatter", "scatter_add":
        fail_every_way(IndexError, "index has the value 0, but the mode has 0 places", name, none, 0, index, source)


@MAKERS
def test_windows(make):
    chance = random.Random(9)
    weight = full(make, np.ones((4, 2, 3, 3), np.float32))
    images = empty(chance, make, DType.Float32, (0, 2, 5, 6))
    check(call_every_way("conv_general", images, weight), np.empty((0, 4, 3, 4), np.float32), sw.Shape(0, 4, 3, 4))
    check(call_every_way("max_pool", images, (2, 3)), np.empty((0, 2, 2, 2), np.float32), sw.Shape(0, 2, 2, 2))
    check(call_every_way("avg_pool", images, (2, 3)), np.empty((0, 2, 2, 2), np.float32), sw.Shape(0, 2, 2, 2))
    channels = empty(chance, make, DType.Float32, (2, 0, 5, 6))
    check(call_every_way("max_pool", channels, (2, 3)), np.empty((2, 0, 2, 2), np.float32), sw.Shape(2, 0, 2, 2))
    none = empty(chance, make, DType.Float32, (4, 0, 3, 3))
    check(call_every_way("conv_general", channels, none), np.zeros((2, 4, 3, 4), np.float32), sw.Shape(2, 4, 3, 4))
    some = full(make, np.ones((2, 2, 5, 6), np.float32))
    none = empty(chance, make, DType.Float32, (0, 2, 3, 3))
    check(call_every_way("conv_general", some, none), np.empty((2, 0, 3, 4), np.float32), sw.Shape(2, 0, 3, 4))

    flat = empty(chance, make, DType.Float32, (1, 2, 0, 6))
    fail_every_way(ValueError, "mode 2 of input is empty", "conv_general", flat, weight)
    fail_every_way(ValueError, "mode 2 of input is empty", "max_pool", flat, (1, 1))
    fail_every_way(ValueError, "mode 3 of weight is empty", "conv_general", some, empty(chance, make, DType.Float32, (4, 2, 3, 0)))
    fail_every_way(ValueError, r"window\[0\] is 0", "avg_pool", some, (0, 1))


@MAKERS
def test_views(make):
    chance = random.Random(11)
    a = empty(chance, make, DType.Float32, (2, 0, 4))
    for name, inputs, shape in (
        ("broadcast_to", (empty(chance, make, DType.Float32, (2, 0, 1)), sw.Shape(2, 0, 4)), (2, 0, 4)),
        ("broadcast_to", (full(make, np.ones((2, 1), np.float32)), sw.Shape(2, 0)), (2, 0)),
        ("permute", (a, (1, 2, 0)), (0, 4, 2)),
        ("reshape", (a, sw.Shape(0, (3, 5))), (0, (3, 5))),
        ("view", (a, sw.Shape(7, 0)), (7, 0)),
        ("rearrange", (a, "a b c -> (c a) b"), ((4, 2), 0)),
        ("squeeze", (empty(chance, make, DType.Float32, (1, 0, 1)),), (0,)),
        ("unsqueeze", (a, 1), (2, 1, 0, 4)),
    ):
        result = call_every_way(name, *inputs)
        assert result.shape == sw.Shape(shape) and result.carrier == inputs[0].carrier
        check(result, np.empty(extents_of(shape), np.float32), sw.Shape(shape))
    assert sorted(n for n in FAMILY if FAMILY[n] == "VIEW") == sorted(
        ["as_strided", "broadcast_to", "permute", "rearrange", "reshape", "squeeze", "unsqueeze", "view"]
    )

    some = full(make, np.arange(6, dtype=np.float32))
    strided = sw.as_strided(some, sw.Layout((0, 3), (100, 7)), 6)
    assert strided.shape == sw.Shape(0, 3) and list(strided) == []
    with pytest.raises(ValueError, match="offset 7"):
        sw.as_strided(some, sw.Layout((0, 3)), 7)
    for call in (
        lambda: sw.broadcast_to(empty(chance, make, DType.Float32, (0, 3)), (1, 3)),
        lambda: sw.reshape(a, (1,)),
        lambda: sw.reshape(some, (0,)),
        lambda: sw.squeeze(a, 1),
    ):
        with pytest.raises(ValueError):
            call()


def test_every_operation_is_tested():
    text = pathlib.Path(__file__).read_text()
    for name, family in FAMILY.items():
        assert family in WITH_OUT or f'"{name}"' in text, name


@MAKERS
def test_slices(make):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    tensor = full(make, array)
    nothing = tensor[:, 4:]
    for key in (np.s_[3:], np.s_[2:1], np.s_[:0], np.s_[1:1, 2:], np.s_[3:, 3], np.s_[:, 7:], np.s_[None, 2:2], np.s_[..., 5:9:2]):
        check(tensor[key], array[key], sw.Shape(array[key].shape))
        tensor[key] = 5.0
        tensor[key] = tensor[key]
    for key in np.s_[1:], np.s_[2, :], np.s_[..., None], np.s_[:, 0:]:
        check(nothing[key], array[:, 4:][key], sw.Shape(array[:, 4:][key].shape))
    for key in np.s_[3, :], np.s_[:, 0], np.s_[:, -1]:
        with pytest.raises(IndexError):
            nothing[key]
    check(tensor, array, sw.Shape(3, 4))
    for key in 0, (0, 0):
        with pytest.raises(ValueError, match="outside"):
            nothing[key]
        with pytest.raises(ValueError, match="outside"):
            nothing[key] = 1.0


@MAKERS
@EACH_SHAPE
def test_what_tensors_tell(make, shape):
    tensor = empty(random.Random(1), make, DType.Int32, shape)
    assert tensor.size() == 0 and list(tensor) == [] and str(tensor) == "[]"
    assert repr(tensor).startswith(f"Tensor([], shape={shape if len(shape) > 1 else '(0,)'}, dtype=Int32, carrier=")
    for convert in bool, float, int:
        with pytest.raises((ValueError, TypeError), match="0"):
            convert(tensor)
    if make is not on_evictable:
        assert np.asarray(tensor).shape == tensor.shape.leaves and np.asarray(tensor).dtype == np.int32


def test_creation():
    for shape in SHAPES:
        for result in sw.zeros(shape), sw.ones(shape), sw.full(shape, 3.5), sw.from_bytes(b"", shape):
            assert result.size() == 0 and result.shape == sw.Shape(shape) and result.carrier.size() == 0
    for like in sw.Generic([]), sw.CPU(0), sw.FileBacked(dtype=DType.Float32), sw.Evictable(sw.CPU(0), sw.CPU(0)):
        for result in sw.zeros((0, 2), like=like), sw.ones(0, like=like), sw.full((2, 0), 4, like=like), sw.arange(0, like=like):
            assert type(result.carrier) is type(like) and list(result) == [] and str(result) == "[]"
    for values, shape in ([], (0,)), ([[]], (1, 0)), ([[], []], (2, 0)), (np.zeros((0, 4)), (0, 4)):
        result = sw.tensor(values)
        assert result.shape == sw.Shape(shape) and result.dtype() == DType.Float64
        assert np.asarray(result).shape == np.asarray(values).shape
    assert sw.tensor([], DType.Bool).dtype() == DType.Bool
    with pytest.raises(ValueError, match="nested evenly"):
        sw.tensor([[], [1]])
    for given in (0,), (3, 1), (0, 5, -1), (2.0, 1.0), (0.0,):
        result, expected = sw.arange(*given), np.arange(*given)
        assert result.shape == sw.Shape(0) and np.asarray(result).dtype == expected.dtype
    with pytest.raises(ValueError, match="out of|outside"):
        sw.full((0,), 2**40, DType.Int32)
    with pytest.raises(TypeError):
        sw.full((0,), 0.5, DType.Int32)
    with pytest.raises(ValueError, match="0 values"):
        sw.from_bytes(b"", (1,))


def test_evicted():
    for secondary in sw.Generic([], dtype=DType.Float32), sw.FileBacked(dtype=DType.Float32), sw.CPU(0):
        carrier = sw.Evictable(sw.CPU(0), secondary)
        tensor = sw.Tensor(carrier, 0, sw.Layout((0, 3)))
        for _ in range(3):
            carrier.evict()
            assert carrier.is_evicted and carrier.size() == 0
            with pytest.raises(RuntimeError):
                sw.relu(tensor)
            with pytest.raises(RuntimeError):
                sw.operation.call_operation("relu", tensor)
            assert "evicted" in repr(tensor)
            carrier.promote()
            assert sw.relu(tensor).shape == sw.Shape(0, 3) and str(tensor) == "[]"


def test_moves():
    makers = (
        lambda: sw.Generic([], dtype=DType.Float32),
        lambda: sw.CPU(0),
        lambda: sw.FileBacked(dtype=DType.Float32),
        lambda: sw.Evictable(sw.CPU(0), sw.FileBacked(dtype=DType.Float32)),
    )
    for source, destination in itertools.product(makers, makers):
        tensor = sw.Tensor(source(), 0, sw.Layout((2, 0)))
        moved = sw.move(tensor, destination())
        assert moved.shape == sw.Shape(2, 0) and list(moved) == [] and moved.carrier.size() == 0
        with pytest.raises(RuntimeError):
            sw.Tensor(tensor.carrier, 0, tensor.layout)


def test_kernels_are_told():
    for make, dtype in itertools.product((on_generic, on_cpu), (DType.Float32, DType.Int32)):
        operation = sw.CPU(0).dispatch_op("exp") if make is on_cpu else sw.Generic([]).dispatch_op("exp")
        operation.forward(empty(random.Random(2), make, dtype, (0, 3)))
        assert operation.props.kernel == "no values"
    operation = sw.CPU(0).dispatch_op("reduce_sum")
    operation.forward(sw.zeros((0, 3)))
    assert operation.props.kernel == "same value everywhere"


def test_layouts():
    """All that layouts tell, over random shapes with empty modes."""
    chance = random.Random(13)
    for _ in range(300):
        leaves = [chance.choice([0, 0, 1, 2, 3]) for _ in range(chance.randint(1, 4))]
        shape = sw.Shape(nest(chance.choice([tuple(leaves), (tuple(leaves),)]), iter(leaves)))
        layout = random_layout(chance, shape)
        count = int(np.prod(leaves))
        assert shape.size == layout.size == count and (layout.cosize == 0) == (count == 0)
        if count:
            continue
        assert layout.is_compact and layout.is_injective and sw.Layout(shape).cosize == 0
        assert layout.reshape((0, 5)).shape == sw.Shape(0, 5)
        assert sw.Layout(6).compose(layout).shape == shape
        assert layout.concat(sw.Layout(2)).size == 0 and layout.append(layout).size == 0
        for call in lambda: layout(0), lambda: shape.decode(0), lambda: layout.reshape(1), lambda: layout.compose(sw.Layout(1)):
            with pytest.raises(ValueError):
                call()
        assert sw.Shape.new_from_string(str(shape)) == shape
