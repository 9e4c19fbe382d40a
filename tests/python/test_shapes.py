# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shape, Stride and Layout against a model written with plain tuples."""
import copy
import itertools
import operator
import pickle
import random

import pytest

import strideweave as sw

SHAPES = [(), (1,), (5,), (2, 3), (2, (3, 4)), ((2, 3), (4,)), ((2, (1, 3)), 2), ((((2,),),),), (1, (1, 1)), (3, 1, 2)]


def leaves(tree):
    return [tree] if isinstance(tree, int) else [leaf for item in tree for leaf in leaves(item)]


def product(tree):
    result = 1
    for leaf in leaves(tree):
        result *= leaf
    return result


def depth(tree):
    return 0 if isinstance(tree, int) or tree == () else 1 + max(map(depth, tree), default=0)


def decode(tree, ordinal):
    if isinstance(tree, int):
        return ordinal
    coordinate = []
    for item in tree:
        size = product(item)
        coordinate.append(decode(item, ordinal % size))
        ordinal //= size
    return tuple(coordinate)


def index(shape, stride, coordinate):
    if isinstance(shape, int):
        return coordinate * stride
    if isinstance(coordinate, int):
        coordinate = decode(shape, coordinate)
    return sum(index(*parts) for parts in zip(shape, stride, coordinate))


def random_tree(random, levels=3):
    if levels == 0 or random.random() < 0.4:
        return random.randint(1, 3)
    return tuple(random_tree(random, levels - 1) for _ in range(random.randint(1, 3)))


def random_shape(random):
    tree = random_tree(random)
    return tree if isinstance(tree, tuple) else (tree,)


def like(tree, leaf):
    return leaf() if isinstance(tree, int) else tuple(like(item, leaf) for item in tree)


@pytest.mark.parametrize("tree", SHAPES, ids=str)
def test_shape(tree):
    shape = sw.Shape(tree)
    assert shape == sw.Shape(list(tree)) == sw.Shape(shape)
    assert len(tree) == 1 or shape == sw.Shape(*tree)
    assert hash(shape) == hash(sw.Shape(tree))
    assert shape.top_level == tree
    assert shape.size == product(tree)
    assert shape.depth == depth(tree)
    assert shape.rank == len(shape) == len(tree)
    assert str(shape) == str(tree)
    assert eval(repr(shape), {"Shape": sw.Shape}) == shape
    assert [item if isinstance(item, int) else item.top_level for item in shape] == list(tree)
    for ordinal in range(shape.size):
        coordinate = shape.decode(ordinal)
        assert coordinate == decode(tree, ordinal)
        assert shape.encode(coordinate) == shape.encode(ordinal) == ordinal
    for copied in (copy.copy(shape), copy.deepcopy(shape), pickle.loads(pickle.dumps(shape))):
        assert copied == shape


@pytest.mark.parametrize("cls", [sw.Shape, sw.Stride, sw.Layout])
def test_comparisons(cls):
    one, same, other = cls((2, (3, 4))), cls((2, (3, 4))), cls((2, (3, 5)))
    assert one is not same
    assert one == same and not one != same and one == one and not one != one
    assert one != other and not one == other and one != "(2, (3, 4))" and not one == "(2, (3, 4))"
    for compare in operator.lt, operator.le, operator.gt, operator.ge:
        with pytest.raises(TypeError, match="not supported between"):
            compare(one, other)


def test_distinct_shapes():
    shapes = [sw.Shape(tree) for tree in SHAPES]
    for (i, first), (j, second) in itertools.product(enumerate(shapes), repeat=2):
        assert (first == second) == (i == j)
    assert len(set(shapes)) == len(shapes)
    assert sw.Shape(2) != (2,) and sw.Shape(2) != sw.Stride(2) and sw.Shape(2) != 2
    assert sw.Shape(5) == sw.Shape((5,)) != sw.Shape(((5,),))


@pytest.mark.parametrize("cls", [sw.Shape, sw.Stride])
@pytest.mark.parametrize(
    "items", [("2",), (1.5,), (None,), (True,), ([2, "3"],), (2, (3, 4.0)), ({2: 3},), (2, {3}), (object(),)], ids=repr
)
def test_items_of_a_wrong_type(cls, items):
    with pytest.raises(TypeError):
        cls(*items)


@pytest.mark.parametrize("items", [(-1,), (2, (3, -1)), (2**63,), (0, 2**62, 2**62), (2**62, 4), (-(2**70),), (3, (2**40, 2**40))])
def test_impossible_shapes(items):
    with pytest.raises(ValueError):
        sw.Shape(*items)


@pytest.mark.parametrize("items", [(-1,), (2, (3, -4)), (2**63,)])
def test_impossible_strides(items):
    with pytest.raises(ValueError):
        sw.Stride(*items)


def test_deep_nesting():
    tree = (2,)
    for _ in range(255):
        tree = (tree,)
    assert sw.Shape(tree).depth == 256
    assert hash(sw.Shape(tree)) == hash(sw.Shape(tree)) and repr(sw.Shape(tree)).count("(") >= 256
    with pytest.raises(ValueError, match="deep"):
        sw.Shape((tree,))
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="deep"):
        sw.Shape(endless)
    for _ in range(100_000):
        tree = (tree,)
    with pytest.raises(ValueError, match="deep"):
        sw.Shape(tree)


@pytest.mark.parametrize("value", [sw.Shape(2, 3), sw.Stride(1, 2), sw.Layout(sw.Shape(2), sw.Stride(1))], ids=repr)
def test_immutable(value):
    for name in ("size", "depth", "top_level", "shape", "stride", "anything"):
        with pytest.raises(AttributeError):
            setattr(value, name, 1)
        with pytest.raises(AttributeError):
            delattr(value, name)
    with pytest.raises(TypeError):
        value[0] = 1


@pytest.mark.parametrize("key", [2, -3, 2**70])
def test_modes_out_of_range(key):
    for value in (sw.Shape(2, 3), sw.Stride(2, 3), sw.Layout((2, 3), (1, 2))):
        with pytest.raises((IndexError, ValueError)):
            value[key]


def test_modes():
    shape = sw.Shape(2, (3, 4))
    assert shape[0] == 2 and shape[1] == sw.Shape(3, 4) and shape[-1] == sw.Shape(3, 4)
    layout = sw.Layout(shape, sw.Stride(1, (2, 6)))
    assert layout[1] == sw.Layout(sw.Shape(3, 4), sw.Stride(2, 6))
    assert layout[0] == sw.Layout(sw.Shape(2), sw.Stride(1))
    for key in ("0", 1.0, None, (0,)):
        with pytest.raises(TypeError):
            shape[key]


def test_layouts_against_the_model():
    chance = random.Random(1)
    for _ in range(300):
        tree = random_shape(chance)
        if product(tree) > 500:
            continue
        steps = like(tree, lambda: chance.choice([0, 1, 2, 3, 7, 12]))
        layout = sw.Layout(sw.Shape(tree), sw.Stride(steps))
        expected = [index(tree, steps, decode(tree, ordinal)) for ordinal in range(product(tree))]
        assert [layout(ordinal) for ordinal in range(layout.size)] == expected
        assert [layout.index(layout.shape.decode(ordinal)) for ordinal in range(layout.size)] == expected
        assert layout.cosize == max(expected) + 1
        assert layout.is_injective == (len(set(expected)) == len(expected))
        assert layout.shape.top_level == tree and layout.stride.top_level == steps
        assert layout == sw.Layout(tree, steps) and hash(layout) == hash(sw.Layout(tree, steps))
        assert pickle.loads(pickle.dumps(layout)) == layout


def test_integer_keys_expand():
    layout = sw.Layout(sw.Shape(2, (3, 4)), sw.Stride(100, (10, 1)))
    assert layout(1, 5) == layout((1, (2, 1))) == layout(1, (2, 1)) == 121
    assert layout(11) == layout(1, 5)


@pytest.mark.parametrize(
    "key", [24, -1, 2**70, (2, 0), (0, 12), (0, (3, 0)), (0, (0, 4)), (0,), (0, 0, 0), ((0, 0), 0)]
)
def test_keys_out_of_the_domain(key):
    layout = sw.Layout(sw.Shape(2, (3, 4)), sw.Stride(1, (2, 6)))
    with pytest.raises(ValueError):
        layout(key)
    with pytest.raises(ValueError):
        layout.shape.encode(key)


@pytest.mark.parametrize("key", ["0", 1.0, None, (0, "1"), slice(None), True])
def test_keys_of_a_wrong_type(key):
    layout = sw.Layout(sw.Shape(2, (3, 4)), sw.Stride(1, (2, 6)))
    with pytest.raises(TypeError):
        layout(key)


@pytest.mark.parametrize(
    "shape, stride", [((2, 3), (1,)), ((2, (3, 4)), (1, 2)), ((2,), ((1,),)), ((), (1,)), ((2, (3, 4)), (1, (2, 3, 4)))]
)
def test_incongruent(shape, stride):
    with pytest.raises(ValueError):
        sw.Layout(sw.Shape(shape), sw.Stride(stride))


@pytest.mark.parametrize(
    "shape, stride", [("2", 1), (2, object()), (object(), 1), (2.0, 1), (sw.Stride(1), 1), (2, sw.Shape(1)), (True, 1)]
)
def test_no_layout_of_these(shape, stride):
    with pytest.raises(TypeError):
        sw.Layout(shape, stride)


def test_overflowing_layouts():
    with pytest.raises(ValueError):
        sw.Layout(sw.Shape(2**40), sw.Stride(2**40))
    with pytest.raises(ValueError):
        sw.Shape(2**40).decode(2**40)


def test_permute():
    layout = sw.Layout(sw.Shape(2, (3, 4), 5), sw.Stride(1, (2, 6), 24))
    expected = sw.Layout(sw.Shape(5, 2, (3, 4)), sw.Stride(24, 1, (2, 6)))
    assert layout.permute(2, 0, 1) == layout.permute((2, 0, 1)) == sw.Layout.permute(layout, [2, 0, 1]) == expected
    for order in ((0, 1), (0, 1, 1), (0, 1, 3), (0, 1, -1), (0, 1, 2, 3), ()):
        with pytest.raises(ValueError):
            layout.permute(order)
    for order in ("012", (0, 1, "2"), (0, 1, 2.0), None, (True, 0, 2)):
        with pytest.raises(TypeError):
            layout.permute(order)


def test_broadcast_to():
    layout = sw.Layout(sw.Shape(2, 1), sw.Stride(1, 7))
    grown = layout.broadcast_to(sw.Shape(2, 3))
    assert grown.shape == sw.Shape(2, 3)
    assert [grown(i, j) for j in range(3) for i in range(2)] == [0, 1] * 3
    assert sw.Layout.broadcast_to(layout, (2, 3)) == grown
    for shape in ((3, 3), (2,), ()):
        with pytest.raises(ValueError):
            layout.broadcast_to(sw.Shape(shape))
    with pytest.raises(TypeError):
        layout.broadcast_to("2")


def test_concat_and_append():
    first, second = sw.Layout((2, 3), (1, 2)), sw.Layout((4,), (6,))
    assert sw.Layout.concat(first, second) == sw.Layout((2, 3, 4), (1, 2, 6))
    assert first.append(second).shape.size == 24
    for other in (None, sw.Shape(2), (2, 1)):
        for join in (first.concat, first.append, first.compose):
            with pytest.raises(TypeError, match="Layout"):
                join(other)


def test_compose_against_the_model():
    chance = random.Random(2)
    for _ in range(200):
        outer = sw.Layout.new_compact(sw.Shape(random_shape(chance)))
        outer = outer.permute(chance.sample(range(len(outer)), len(outer)))
        inner = sw.Layout(sw.Shape(random_shape(chance)))
        try:
            composed = outer.compose(inner)
        except ValueError:
            continue
        assert composed.size == inner.size
        assert [composed(i) for i in range(inner.size)] == [outer(inner(i)) for i in range(inner.size)]
