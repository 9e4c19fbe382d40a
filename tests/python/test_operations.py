# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every operation on Generic and CPU against NumPy, over random layouts; and the errors of wrong inputs."""
import math
import random

import numpy as np
import pytest
from helpers import cpu, vector
from random_tensors import DTYPES, FLOATS, KINDS, MAKERS, array_of, by_modes, check, flat, nest, random_shape
from random_tensors import random_tensor, random_tree

import strideweave as sw
from strideweave.carriers.operation_policy import operation_execution_options

OPERATIONS = (
    "add",
    "sub",
    "mul",
    "elementwise_mul",
    "div",
    "maximum",
    "relu",
    "neg",
    "exp",
    "matmul",
    "reduce_sum",
    "reduce_max",
    "argmax",
    "broadcast_to",
    "permute",
    "reshape",
)


@MAKERS
@DTYPES
def test_unary(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(60):
        tensor = random_tensor(chance, make, dtype, random_shape(chance))
        values = flat(tensor)
        check(sw.relu(tensor), np.maximum(values, 0), tensor.shape)
        check(sw.neg(tensor), -values, tensor.shape)
        check(sw.exp(tensor), np.exp(values.astype(values.dtype if dtype in FLOATS else np.float64)), tensor.shape)


BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "elementwise_mul": np.multiply, "maximum": np.maximum}


@MAKERS
@DTYPES
def test_binary(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(40):
        shape = random_shape(chance)
        lhs, rhs = (random_tensor(chance, make, dtype, shape) for _ in range(2))
        for name, function in BINARY.items():
            check(getattr(sw, name)(lhs, rhs), function(flat(lhs), flat(rhs)), shape)
        with np.errstate(all="ignore"):
            check(sw.div(lhs, rhs), np.true_divide(flat(lhs), flat(rhs)), shape, flat(sw.exp(lhs)).dtype)


@MAKERS
@DTYPES
def test_scalars(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(30):
        tensor = random_tensor(chance, make, dtype, random_shape(chance))
        values = flat(tensor)
        for number in (2, -3, 2.0) if dtype not in FLOATS else (2, -3, 0.5, math.pi, 0.0):
            as_kind = values.dtype.type(number)
            for name in ("add", "sub", "mul", "maximum"):
                check(getattr(sw, name)(tensor, number), BINARY[name](values, as_kind), tensor.shape)
            with np.errstate(all="ignore"):
                check(sw.div(tensor, number), np.true_divide(values, as_kind), tensor.shape)


@MAKERS
@DTYPES
def test_reductions(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(60):
        tensor = random_tensor(chance, make, dtype, random_shape(chance))
        values, modes = by_modes(tensor), list(range(len(tensor.shape)))
        check(sw.reduce_sum(tensor), values.sum(dtype=np.float64).astype(values.dtype), sw.Shape())
        check(sw.reduce_max(tensor), values.max(), sw.Shape())
        assert sw.argmax(tensor)[()] == flat(tensor).argmax()
        if not modes:
            continue
        chosen = chance.sample(modes, chance.randint(1, len(modes)))
        kept = sw.Shape(tuple(tensor.shape.top_level[mode] for mode in modes if mode not in chosen))
        check(sw.reduce_sum(tensor, chosen), values.sum(axis=tuple(chosen), dtype=values.dtype), kept)
        check(sw.reduce_max(tensor, chosen), values.max(axis=tuple(chosen)), kept)
        mode = chance.choice(modes)
        check(sw.reduce_max(tensor, mode), values.max(axis=mode), without(tensor, mode))
        check(sw.argmax(tensor, mode), values.argmax(axis=mode), without(tensor, mode), np.int64)



def without(tensor, mode):
    items = tensor.shape.top_level
    return sw.Shape(items[:mode] + items[mode + 1 :])


@MAKERS
@DTYPES
def test_matmul(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(60):
        m, k, n = (random_tree(chance) for _ in range(3))
        lhs = random_tensor(chance, make, dtype, sw.Shape((m, k)))
        rhs = random_tensor(chance, make, dtype, sw.Shape((k, n)))
        expected = by_modes(lhs) @ by_modes(rhs)
        np.testing.assert_allclose(by_modes(sw.matmul(lhs, rhs)), expected, rtol=1e-4, atol=1e-4)
        assert sw.matmul(lhs, rhs).shape == sw.Shape((m, n))


@MAKERS
def test_larger_matmul(make):
    chance = np.random.default_rng(5)
    a, b = chance.standard_normal((70, 130), np.float32), chance.standard_normal((130, 33), np.float32)
    for lhs in (a, np.asfortranarray(a)):
        layout = sw.Tensor.from_numpy(lhs).layout
        tensor = make(lhs.ravel(order="K"), sw.DType.Float32, 0, layout)
        product = sw.matmul(tensor, make(b.ravel(), sw.DType.Float32, 0, sw.Tensor.from_numpy(b).layout))
        np.testing.assert_allclose(array_of(product), a @ b, rtol=1e-4, atol=1e-4)


@MAKERS
@DTYPES
def test_views(make, dtype):
    chance = random.Random(str((make.__name__, dtype)))
    for _ in range(60):
        tensor = random_tensor(chance, make, dtype, random_shape(chance))
        values, items = by_modes(tensor), tensor.shape.top_level
        order = chance.sample(range(len(items)), len(items))
        permuted = sw.permute(tensor, order)
        assert permuted.shape.top_level == tuple(items[mode] for mode in order)
        assert permuted.carrier is tensor.carrier
        assert (by_modes(permuted) == values.transpose(order)).all()
        if order:
            assert sw.permute(tensor, *order).layout == permuted.layout

        leaves = [leaf if leaf > 1 else chance.randint(1, 3) for leaf in tensor.shape.leaves]
        grown = sw.Shape(nest(items, iter(leaves)))
        broadcast = sw.broadcast_to(tensor, grown)
        assert broadcast.shape == grown and broadcast.carrier is tensor.carrier
        assert (array_of(broadcast) == np.broadcast_to(array_of(tensor), grown.leaves)).all()

        for target in ((tensor.size(),), (1, tensor.size()), (*tensor.shape.leaves, 1)):
            reshaped = sw.reshape(tensor, target)
            assert reshaped.shape == sw.Shape(target)
            assert (flat(reshaped) == flat(tensor)).all()


@MAKERS
def test_special_numbers(make):
    numbers = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e38, -1e-45, 88.0, -200.0], np.float32)
    tensor = make(numbers, sw.DType.Float32, 0, sw.Layout(len(numbers), 1))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(flat(sw.relu(tensor)), np.maximum(numbers, 0))
        np.testing.assert_allclose(flat(sw.exp(tensor)), np.exp(numbers), rtol=1e-5)
        np.testing.assert_array_equal(flat(sw.div(tensor, 0.0)), numbers / np.float32(0))
        np.testing.assert_array_equal(flat(sw.mul(tensor, 1e38)), numbers * np.float32(1e38))
        np.testing.assert_array_equal(flat(sw.maximum(tensor, 0.5)), np.maximum(numbers, np.float32(0.5)))
    assert math.isnan(sw.reduce_max(tensor)[()]) and sw.argmax(tensor)[()] == 0


@MAKERS
@pytest.mark.parametrize("dtype", [sw.DType.Int32, sw.DType.Int64], ids=str)
def test_integer_overflow(make, dtype):
    greatest = np.iinfo(KINDS[dtype]).max
    tensor = make(np.array([1, greatest], KINDS[dtype]), dtype, 0, sw.Layout(2, 1))
    least = make(np.array([1, -greatest - 1], KINDS[dtype]), dtype, 0, sw.Layout(2, 1))
    for overflowing in (
        lambda: sw.add(tensor, tensor),
        lambda: sw.add(tensor, 1),
        lambda: sw.mul(tensor, 2),
        lambda: sw.sub(least, 1),
        lambda: sw.neg(least),
        lambda: sw.reduce_sum(make(np.array([greatest] * 3, KINDS[dtype]), dtype, 0, sw.Layout(3, 1))),
    ):
        with pytest.raises(ValueError):
            overflowing()


def test_accumulators():
    tensor = cpu([1.0, 2.0, 3.0])
    for dtype in FLOATS:
        options = operation_execution_options("reduce_sum", accumulator_dtype=dtype)
        assert sw.reduce_sum(tensor, options=options)[()] == 6.0
    matrix = sw.reshape(tensor, (1, 3))
    options = operation_execution_options("matmul", accumulator_dtype=sw.DType.Float64)
    assert sw.matmul(matrix, sw.permute(matrix, 1, 0), options=options)[0, 0] == 14.0
    assert operation_execution_options("relu").get_operation_name() == "relu"


def test_impossible_options():
    for name, dtype, error in (
        ("frobnicate", None, ValueError),
        ("relu", sw.DType.Float64, ValueError),
        ("reduce_sum", sw.DType.Bool, ValueError),
        ("reduce_sum", sw.DType.Any, ValueError),
        ("reduce_sum", "Float64", TypeError),
        ("reduce_sum", 2, TypeError),
        (5, None, TypeError),
        (None, None, TypeError),
    ):
        with pytest.raises(error):
            operation_execution_options(name, accumulator_dtype=dtype)
    with pytest.raises(TypeError):
        operation_execution_options("reduce_sum", sw.DType.Float64)
    matmul = operation_execution_options("matmul")
    with pytest.raises(ValueError, match="matmul"):
        sw.reduce_sum(cpu([1.0]), options=matmul)
    for wrong in (5, "fast", {}, sw.DType.Float64):
        for call in (
            lambda: sw.reduce_sum(cpu([1.0]), options=wrong),
            lambda: sw.matmul(cpu([1.0]), cpu([1.0]), options=wrong),
            lambda: sw.GenericReLUOperation().forward(vector([1.0]), options=wrong),
        ):
            with pytest.raises(TypeError, match="options"):
                call()


@pytest.mark.parametrize("make", [vector, cpu])
def test_operands_of_a_wrong_type(make):
    tensor = make([1.0, 2.0])
    for wrong in ("text", None, [1.0], (1, 2), object(), {}, b"1", sw.Shape(2), tensor.carrier):
        for name in ("add", "sub", "mul", "div", "maximum"):
            with pytest.raises(TypeError, match="rhs must be a Tensor or a number, not"):
                getattr(sw, name)(tensor, wrong)
            with pytest.raises(TypeError, match=f"first input of {name} must be a Tensor"):
                getattr(sw, name)(wrong, tensor)
        for name in ("elementwise_mul", "matmul"):
            with pytest.raises(TypeError, match="rhs must be a Tensor"):
                getattr(sw, name)(tensor, wrong)
        for name in ("relu", "neg", "exp", "reduce_sum", "reduce_max", "argmax"):
            with pytest.raises(TypeError, match="must be a Tensor"):
                getattr(sw, name)(wrong)
    with pytest.raises(TypeError, match="rhs must be a Tensor"):
        sw.elementwise_mul(tensor, 2.0)
    for call in (sw.relu, sw.add, sw.matmul):
        with pytest.raises(TypeError):
            call()
        with pytest.raises(TypeError):
            call(tensor, tensor, tensor, tensor)


@pytest.mark.parametrize("make", [vector, cpu])
def test_operands_that_do_not_fit(make):
    tensor = make([1.0, 2.0])
    for name in BINARY:
        with pytest.raises(ValueError):
            getattr(sw, name)(tensor, make([1.0, 2.0, 3.0]))
        with pytest.raises(ValueError):
            getattr(sw, name)(tensor, sw.reshape(tensor, (2, 1)))
    with pytest.raises((ValueError, TypeError)):
        sw.matmul(tensor, tensor)
    for modes in ([1], [-1], [0, 0], [2**40]):
        for reduce in (sw.reduce_sum, sw.reduce_max):
            with pytest.raises(ValueError):
                reduce(tensor, modes)
    for mode in (1, -1):
        with pytest.raises(ValueError):
            sw.argmax(tensor, mode)
    for modes in ("0", [0.0], [None], 0.5, True):
        for call in (sw.reduce_sum, sw.reduce_max, sw.argmax):
            with pytest.raises(TypeError):
                call(tensor, modes)
    for shape, error in (((3,), ValueError), ((0,), ValueError), ("2", TypeError), (None, TypeError), (2.0, TypeError)):
        for call in (sw.reshape, sw.broadcast_to):
            with pytest.raises(error):
                call(tensor, shape)
    for order in ((1,), (0, 0), ()):
        with pytest.raises(ValueError):
            sw.permute(tensor, order)
    for order in ("0", (0.0,), None):
        with pytest.raises(TypeError):
            sw.permute(tensor, order)


def test_mixed_operands():
    with pytest.raises((TypeError, NotImplementedError)):
        sw.add(cpu([1.0]), vector([1.0], dtype=sw.DType.Float32))
    with pytest.raises((TypeError, NotImplementedError)):
        sw.add(cpu([True], sw.DType.Bool), cpu([True], sw.DType.Bool))
    with pytest.raises(TypeError):
        sw.add(cpu([1], sw.DType.Int32), 0.5)
    with pytest.raises(ValueError):
        sw.add(cpu([1], sw.DType.Int32), 2**40)


def test_reduction_over_no_modes_is_a_copy():
    tensor = vector([1.0, 2.0])
    for reduce in (sw.reduce_sum, sw.reduce_max):
        result = reduce(tensor, [])
        assert list(result) == [1.0, 2.0] and result.carrier is not tensor.carrier


def test_operations_by_name():
    tensor = vector([1.0, -2.0])
    assert list(sw.operation.call_operation("relu", tensor)) == [1.0, 0.0]
    assert list(sw.operation.call_operation("add", tensor, 2.0)) == [3.0, 0.0]
    with pytest.raises(NotImplementedError):
        sw.operation.call_operation("frobnicate", tensor)
    for wrong in ((), (5,)):
        with pytest.raises(TypeError):
            sw.operation.call_operation("relu", *wrong)


def test_results_are_fresh():
    tensor = vector([1.0, 2.0])
    result = sw.relu(tensor)
    result[0] = 9.0
    assert list(tensor) == [1.0, 2.0] and result.carrier.is_mutable()


@pytest.mark.parametrize(("operand", "name"), [({}, "dict"), (2**70, f"int {2**70}"), (object(), "object"), (b"x", "bytes"), (None, "None")])
def test_a_wrong_operand_is_named_by_its_python_type(operand, name):
    with pytest.raises(TypeError, match=f"^rhs must be a Tensor or a number, not {name}$"):
        sw.add(cpu([1.0]), operand)


@pytest.mark.parametrize("compare", [sw.eq, sw.ne, sw.lt, sw.le], ids=lambda function: function.__name__)
def test_a_number_is_no_truth_value(compare):
    truth = sw.tensor([True, False])
    assert list(compare(truth, True)) == list(compare(truth, sw.tensor([True, True])))
    for number in 2.5, 1:
        with pytest.raises(TypeError, match=f"^rhs is the number {number}, but lhs holds Bool$"):
            compare(truth, number)


def test_names_of_operations():
    names = sw.list_operations()
    assert len(set(names)) == len(names) and {"add", "matmul", "topk"} <= set(names)
    for name in names:
        assert callable(getattr(sw.operation, name))
        assert sw.tensor([1.0]).carrier.dispatch_op(name).dispatch_name == name
