# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random tensors of any layout, and how results are compared with NumPy's."""
import random

import numpy as np
import pytest

import strideweave as sw

KINDS = {
    sw.DType.Float32: np.float32,
    sw.DType.Float64: np.float64,
    sw.DType.Int32: np.int32,
    sw.DType.Int64: np.int64,
}
FLOATS = (sw.DType.Float32, sw.DType.Float64)
TOLERANCE = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-12}


def random_tree(chance, levels=2):
    if levels == 0 or chance.random() < 0.5:
        return chance.choice([1, 1, 2, 3, 4])
    return tuple(random_tree(chance, levels - 1) for _ in range(chance.randint(1, 3)))


def random_shape(chance, rank=None):
    return sw.Shape(tuple(random_tree(chance) for _ in range(chance.randint(0, 3) if rank is None else rank)))


def nest(shape, leaves):
    """The leaves, an iterator, in the form of the tree."""
    return tuple(next(leaves) if isinstance(item, int) else nest(item, leaves) for item in shape)


def random_layout(chance, shape):
    """Compact in some order of the leaves, with gaps, or with steps of 0."""
    steps = [0] * len(shape.leaves)
    step = chance.choice([1, 1, 1, 2])
    for place in chance.sample(range(len(steps)), len(steps)):
        if chance.random() < 0.1:
            continue
        steps[place] = step
        step *= shape.leaves[place] * chance.choice([1, 1, 1, 2])
    return sw.Layout(shape, sw.Stride(nest(shape.top_level, iter(steps))))


def random_values(chance, dtype, count):
    if dtype in FLOATS:
        values = [chance.choice([-2.5, -1.0, 0.0, -0.0, 0.5, 1.0, 3.25, chance.uniform(-4, 4)]) for _ in range(count)]
    else:
        values = [chance.randint(-9, 9) for _ in range(count)]
    return np.array(values, dtype=KINDS[dtype])


def random_tensor(chance, make, dtype, shape):
    layout = random_layout(chance, shape)
    offset = chance.choice([0, 0, 3])
    return make(random_values(chance, dtype, offset + layout.cosize), dtype, offset, layout)


def on_generic(values, dtype, offset, layout):
    return sw.Tensor(sw.Generic(values.tolist(), dtype=dtype), offset, layout)


def on_cpu(values, dtype, offset, layout):
    carrier = sw.Tensor.from_numpy(values).carrier
    return sw.Tensor(carrier, offset, layout)


def array_of(tensor):
    """The values, also of an Evictable, whose primary has them."""
    if isinstance(tensor.carrier, sw.Evictable):
        tensor = sw.Tensor(tensor.carrier.primary, tensor.offset, tensor.layout)
    return np.asarray(tensor)


def flat(tensor):
    """The values by ordinal."""
    return array_of(tensor).reshape(-1, order="F")


plain = flat


def plain_modes(tensor):
    """The same with one dimension for each top-level mode."""
    extents = [item if isinstance(item, int) else item.size for item in tensor.shape]
    return plain(tensor).reshape(extents, order="F")


def by_modes(tensor):
    """An array with one dimension for each top-level mode."""
    extents = [item if isinstance(item, int) else item.size for item in tensor.shape]
    return array_of(tensor).reshape(extents, order="F")


def check(result, expected, shape, kind=None):
    assert result.shape == shape
    actual = flat(result)
    expected = np.asarray(expected).reshape(-1, order="F")
    assert actual.dtype == (expected.dtype if kind is None else np.dtype(kind))
    np.testing.assert_allclose(actual, expected, rtol=TOLERANCE.get(actual.dtype, 0), atol=1e-30, equal_nan=True)


def on_evictable(values, dtype, offset, layout):
    tiers = sw.Tensor.from_numpy(values).carrier.new_like(values.tolist()), sw.Generic([], dtype=dtype)
    return sw.Tensor(sw.Evictable(*tiers), offset, layout)


MAKERS = pytest.mark.parametrize("make", [on_generic, on_cpu, on_evictable])
DTYPES = pytest.mark.parametrize("dtype", KINDS, ids=str)
