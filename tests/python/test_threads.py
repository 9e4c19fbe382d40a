# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results do not depend on the number of threads, to the last bit, except where OpenBLAS divides a product."""
import numpy as np
import pytest

import strideweave as sw

BLAS_LIMIT = 1 << 18
SHAPE = 130, 701
UNARY = (
    *("neg", "abs", "sign", "floor", "ceil", "round", "relu", "recip", "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin"),
    *("cos", "tanh", "erf", "sigmoid", "gelu", "silu", "softplus", "logical_not", "elu", "leaky_relu"),
    *("reduce_sum", "reduce_max", "reduce_min", "argmax", "argmin"),
)
BINARY = "add", "sub", "mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le", "rem", "pow"
ALONG_A_MODE = "reduce_sum", "reduce_max", "reduce_min", "argmax", "argmin", "cumsum", "softmax", "layer_norm", "sort"


@pytest.fixture(autouse=True)
def threads():
    before = sw.CPU.get_n_threads()
    yield
    sw.CPU.set_n_threads(before)


def run(compute):
    """The dtype, shape and bits of the result with one, two and five threads."""
    outcomes = []
    for n_threads in 1, 2, 5:
        sw.CPU.set_n_threads(n_threads)
        result = np.asarray(compute())
        outcomes.append((result.dtype, result.shape, result.tobytes()))
    return outcomes


def assert_same(compute, name):
    first, *others = run(compute)
    assert all(other == first for other in others), name


def operands(dtype, layout):
    numbers = np.random.default_rng(3)
    a, b = (numbers.standard_normal(SHAPE) * 3 for _ in range(2))
    if dtype == np.int32:
        a, b = np.round(a), np.abs(np.round(b)) + 1
    else:
        a.flat[::97], a.flat[5::89], a.flat[7::83] = np.nan, np.inf, -0.0
    a, b = a.astype(dtype), b.astype(dtype)
    if layout == "strided":
        a, b = a[:, ::2], b[:, 1::2][:, : a[:, ::2].shape[1]]
        a = a[:, : b.shape[1]]
    elif layout == "across":
        a = np.asfortranarray(a)
    elif layout == "broadcast":
        b = np.broadcast_to(b[:, :1], a.shape)
    return sw.Tensor.from_numpy(a), sw.Tensor.from_numpy(b)


@pytest.mark.parametrize("layout", ["contiguous", "strided", "across", "broadcast"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_values(dtype, layout):
    a, b = operands(dtype, layout)
    for name in UNARY:
        assert_same(lambda: getattr(sw, name)(a), name)
    for name in BINARY:
        if name != "pow" or dtype != np.int32:
            assert_same(lambda: getattr(sw, name)(a, b), name)
    for name in ALONG_A_MODE:
        for mode in 0, 1:
            assert_same(lambda: getattr(sw, name)(a, mode), name)
    assert_same(lambda: sw.select(sw.lt(a, b), a, b), "select")
    assert_same(lambda: sw.clamp(a, -1, 2), "clamp")
    assert_same(lambda: sw.cast(sw.lt(a, b), sw.DType.Int64), "cast")


@pytest.mark.parametrize("turned", range(4))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch, m, k, n", [(1, 9, 30, 11), (2, 63, 65, 70), (2, 64, 64, 64), (9, 33, 40, 50), (1, 129, 257, 65)])
def test_products(dtype, turned, batch, m, k, n):
    """What OpenBLAS divides among threads is close only, and no more than that is OpenBLAS's to divide."""
    numbers = np.random.default_rng(4)
    a, b = numbers.standard_normal((batch, m, k)).astype(dtype), numbers.standard_normal((batch, k, n)).astype(dtype)
    a = np.ascontiguousarray(a.transpose(0, 2, 1)).transpose(0, 2, 1) if turned & 1 else a
    b = np.ascontiguousarray(b.transpose(0, 2, 1)).transpose(0, 2, 1) if turned & 2 else b
    lhs, rhs = sw.Tensor.from_numpy(a), sw.Tensor.from_numpy(b)
    operation = lhs.carrier.dispatch_op("matmul")
    operation.forward(lhs, rhs)
    outcomes = run(lambda: sw.matmul(lhs, rhs))
    results = [np.frombuffer(data, kind).reshape(shape) for kind, shape, data in outcomes]
    if operation.kernel.startswith("blas") and m * k * n > BLAS_LIMIT:
        for result in results:
            bound = np.abs(a) @ np.abs(b) * k * np.finfo(dtype).eps
            assert (np.abs(result - a.astype(np.float64) @ b) <= bound).all()
    else:
        assert all(outcome == outcomes[0] for outcome in outcomes), operation.kernel


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_windows(dtype):
    numbers = np.random.default_rng(5)
    images = sw.Tensor.from_numpy(numbers.standard_normal((2, 8, 61, 57)).astype(dtype))
    weight = sw.Tensor.from_numpy(numbers.standard_normal((16, 8, 3, 3)).astype(dtype))
    operation = images.carrier.dispatch_op("conv_general")
    operation.forward(images, weight)
    if "gemm" not in operation.kernel:
        assert_same(lambda: sw.conv_general(images, weight, 1, 1), operation.kernel)
    assert_same(lambda: sw.max_pool(images, 2), "max_pool")
    assert_same(lambda: sw.avg_pool(images, 3, 2, 1), "avg_pool")
