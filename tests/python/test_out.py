# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results that go to tensors which are there already, and memory that is used again."""
import random

import numpy as np
import pytest
from helpers import cpu, evictable
from numpy.lib.stride_tricks import as_strided

import strideweave as sw
from strideweave import operation
from strideweave.carriers import CPU, Carrier, operation_policy
from strideweave.operation import Operation, add, cast, clamp, matmul, relu, select

DType = sw.DType
A = np.array([[1.5, -2.0, 0.0], [4.0, 0.25, -7.5]], np.float32)
B = np.array([[2.0, 3.0, -1.0], [0.5, -4.0, 2.5]], np.float32)


def tensor(array):
    return sw.Tensor.from_numpy(np.array(array))


@pytest.mark.parametrize("compute", (
    lambda a, b, **out: add(a, b, **out),
    lambda a, b, **out: add(a, 2, **out),
    lambda a, b, **out: add(a, 2.5, **out),
    lambda a, b, **out: relu(a, **out),
    lambda a, b, **out: operation.elu(a, 2, **out),
    lambda a, b, **out: operation.leaky_relu(a, **out),
    lambda a, b, **out: clamp(a, -1, None, **out),
    lambda a, b, **out: cast(a, DType.FLOAT32, **out),
    lambda a, b, **out: select(operation.lt(a, b), a, 7, **out),
))
def test_out(compute):
    a, b = tensor(A), tensor(B)
    expected = np.asarray(compute(a, b))
    out = tensor(np.full_like(A, 9))
    assert compute(a, b, out=out) is out
    np.testing.assert_array_equal(np.asarray(out), expected)
    transposed = np.full((3, 2), 9, np.float32)
    compute(a, b, out=sw.Tensor.from_numpy(transposed.T))
    np.testing.assert_array_equal(transposed.T, expected)
    assert compute(a, b, out=a) is a
    np.testing.assert_array_equal(np.asarray(a), expected)


def test_matmul():
    a, b, out = tensor(A), tensor(B.T.copy()), tensor(np.zeros((2, 2), np.float32))
    assert matmul(a, b, out=out) is out
    np.testing.assert_allclose(np.asarray(out), A @ B.T)
    wide = operation_policy.operation_execution_options("matmul", accumulator_dtype=DType.FLOAT64)
    matmul(b, a, wide, out=(square := tensor(np.zeros((3, 3), np.float32))))
    np.testing.assert_allclose(np.asarray(square), B.T @ A, rtol=1e-6)


def as_array(values, place):
    offset, extents, steps = place
    return as_strided(values[offset:], extents, [step * values.itemsize for step in steps])


def as_tensor(carrier, place):
    offset, extents, steps = place
    return sw.Tensor(carrier, offset, sw.Layout(sw.Shape(extents), sw.Stride(steps)))


def random_place(chance, rows, columns):
    steps = chance.choice([(columns, 1), (1, rows), (2 * columns, 2), (columns + 3, 1)])
    return chance.randint(0, 60), (rows, columns), steps


OVERLAPPING = {
    "add": np.add,
    "sub": np.subtract,
    "maximum": np.maximum,
    "neg": lambda a, b: -a,
    "select": lambda a, b: np.where(a < b, a, b),
}


@pytest.mark.parametrize("name", OVERLAPPING)
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.int64])
def test_a_result_that_lies_across_its_inputs(kind, name):
    """All three anywhere in the same storage, each in an order of its own; and nothing else there changes."""
    chance = random.Random(str((kind, name)))
    for _ in range(25):
        values = np.array([chance.randint(1, 50) for _ in range(3000)], kind)
        rows, columns = chance.choice([(1, 7), (5, 9), (17, 33), (3, 400)])
        places = [random_place(chance, rows, columns) for _ in range(3)]
        expected = values.copy()
        a, b, target = (as_array(expected, place) for place in places)
        target[...] = OVERLAPPING[name](a, b).copy()
        carrier = sw.Tensor.from_numpy(values).carrier
        lhs, rhs, out = (as_tensor(carrier, place) for place in places)
        inputs = {"neg": (lhs,), "select": (operation.lt(lhs, rhs), lhs, rhs)}.get(name, (lhs, rhs))
        assert getattr(operation, name)(*inputs, out=out) is out
        np.testing.assert_array_equal(values, expected, str(places))


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.int64])
def test_a_product_that_lies_across_its_factors(kind):
    chance = random.Random(str(kind))
    for _ in range(60):
        m, k, n = (chance.choice([1, 3, 8, 17]) for _ in range(3))
        values = np.array([chance.randint(1, 4) for _ in range(700)], kind)
        places = [
            (chance.randint(0, 40), extents, chance.choice([(extents[1], 1), (1, extents[0])]))
            for extents in ((m, k), (k, n), (m, n))
        ]
        expected = values.copy()
        a, b, target = (as_array(expected, place) for place in places)
        target[...] = (a @ b).copy()
        carrier = sw.Tensor.from_numpy(values).carrier
        lhs, rhs, out = (as_tensor(carrier, place) for place in places)
        matmul(lhs, rhs, out=out)
        np.testing.assert_array_equal(values, expected, str(places))


def test_integers_that_overflow_leave_it_as_it_was():
    values = np.array([1, 2, 2**31 - 1], np.int32)
    t = sw.Tensor.from_numpy(values)
    with pytest.raises(ValueError, match="add overflows Int32 at index 2"):
        add(t, 1, out=t)
    assert values.tolist() == [1, 2, 2**31 - 1]


def test_refusals():
    a = tensor(A)
    with pytest.raises(TypeError, match="out must be a Tensor, not list"):
        add(a, a, out=[1])
    with pytest.raises(ValueError, match=r"out has the shape \(3, 2\), but the result has the shape \(2, 3\)"):
        add(a, a, out=tensor(A.T.copy()))
    with pytest.raises(TypeError, match="out holds Float64, but the result holds Float32"):
        relu(a, out=tensor(A.astype(np.float64)))
    fixed = A.copy()
    fixed.flags.writeable = False
    with pytest.raises(RuntimeError, match="out: carrier is an immutable CPU"):
        relu(a, out=sw.Tensor.from_numpy(fixed))
    with pytest.raises(NotImplementedError, match="on Generic, but the first input of relu is on CPU"):
        relu(a, out=sw.Tensor(sw.carriers.Generic([0.0] * 6), 0, sw.Layout(sw.Shape((2, 3)), sw.Stride((1, 2)))))
    with pytest.raises(NotImplementedError, match="sort makes its result by itself"):
        operation_policy.operation_execution_options("sort", out=a)


def test_evictable():
    a, out = evictable(cpu([1.0, -2.0])), evictable(cpu([5.0, 5.0]))
    version = out.carrier.get_version() if hasattr(out.carrier, "get_version") else None
    with sw.profile(record_shapes=True) as profiler:
        assert relu(a, out=out) is out
    assert [out[0], out[1]] == [1.0, 0.0] or list(out) == [1.0, 0.0]
    assert [(event.name, event.input_shapes) for event in profiler.events()] == [("relu", ((2,),)), ("relu", ((2,),))]
    assert version is None or out.carrier.get_version() == version + 1
    with pytest.raises(NotImplementedError, match="out lies on a CPU, not on an Evictable"):
        relu(a, out=cpu([0.0, 0.0]))
    out.carrier.evict()
    with pytest.raises(RuntimeError, match="out: "):
        relu(a, out=out)


def test_own_operations():
    class Twice(Operation):
        def _forward(self, tensor):
            return add(tensor, tensor)

    out = cpu([0.0, 0.0])
    options = operation_policy.operation_execution_options("relu", out=out)
    result = Twice().forward(cpu([1.0, 2.0]), options=options)
    np.testing.assert_array_equal(np.asarray(out), [2, 4])
    assert result.carrier is out.carrier
    with pytest.raises(ValueError, match="out has the shape"):
        Twice().forward(cpu([1.0]), options=options)


def test_cache():
    limit = CPU.get_cache_limit()
    try:
        CPU.set_cache_limit(1 << 20)
        before = CPU.get_cache_statistics()
        for _ in range(10):
            CPU(1000)
        after = CPU.get_cache_statistics()
        assert after.n_hits >= before.n_hits + 9
        assert after.n_misses <= before.n_misses + 1
        assert CPU.trim_cache() >= 4000
        CPU.set_cache_limit(0)
        CPU(1000)
        assert CPU.get_cache_statistics().n_bytes == 0
        with pytest.raises(ValueError, match="n_bytes is -1, and must not be negative"):
            CPU.set_cache_limit(-1)
        with pytest.raises(TypeError, match="n_bytes"):
            CPU.set_cache_limit("1")
    finally:
        CPU.set_cache_limit(limit)
    assert CPU.get_cache_limit() == limit


@pytest.mark.parametrize("call", [
    lambda a, b, out: sw.neg(a, out=out),
    lambda a, b, out: sw.add(a, b, out=out),
    lambda a, b, out: sw.mul(a, 2.0, out=out),
    lambda a, b, out: sw.mul(a, 2, out=out),
    lambda a, b, out: sw.elementwise_mul(a, b, out=out),
    lambda a, b, out: sw.matmul(a, b, out=out),
])
@pytest.mark.parametrize("n", [3, 80])
def test_the_object_itself_is_returned(call, n):
    a, b = tensor(np.ones((n, n))), tensor(np.full((n, n), 2.0))
    out = tensor(np.zeros((n, n)))
    expected = np.asarray(call(a, b, None))

    assert call(a, b, out) is out
    assert np.array_equal(np.asarray(out), expected)
    # The same where the result is one of the inputs.
    assert call(a, b, a) is a
    assert np.array_equal(np.asarray(a), expected)


def test_wrong_keywords():
    a, out = tensor(np.ones((3, 3))), tensor(np.zeros((3, 3)))

    for call in (
        lambda: sw.neg(a, ouT=out), lambda: sw.neg(a, out=out, more=1), lambda: sw.add(a, a, outer=out),
        lambda: sw.add(a, a, out=3), lambda: sw.neg(a, out="out"), lambda: sw.matmul(a, a, out=[]),
        lambda: sw.argmax(a, out=out), lambda: sw.reduce_max(a, out=out), lambda: sw.reduce_prod(a, out=out),
        lambda: sw.neg(out=out), lambda: sw.add(a, out=out), lambda: sw.neg(a, out),
    ):
        with pytest.raises(TypeError):
            call()
    assert np.array_equal(np.asarray(out), np.zeros((3, 3)))


def test_a_profiler_sees_the_same_with_and_without():
    a, out = tensor(np.ones((3, 3))), tensor(np.zeros((3, 3)))

    with sw.profile(record_shapes=True) as profiler:
        sw.add(a, a, out=out)
        sw.neg(a, out=out)
        sw.matmul(a, a, out=out)
    assert [event.name for event in profiler.events()] == ["add", "neg", "matmul"]
    assert all(event.succeeded for event in profiler.events())
