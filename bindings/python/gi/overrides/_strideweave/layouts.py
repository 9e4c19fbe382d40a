# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shape, Stride and Layout: immutable, compared by value, written as nested tuples."""
from functools import cached_property

from .errors import call, raw, type_name
from .registry import register
from .trees import indices_of, integer, tokens_of, tree_from_arguments, tree_of


class _Immutable:
    def __init__(self, *args, **kwargs):
        pass  # made whole by __new__

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name}")

    def __delattr__(self, name):
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name}")

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class _Tree(_Immutable):
    """What Shape and Stride share."""

    @cached_property
    def top_level(self):
        """The modes as a nested tuple."""
        return tree_of(self.dup_tokens())

    @cached_property
    def leaves(self):
        """The leaves in order, as a flat tuple."""
        return tuple(self.dup_leaves())

    @property
    def rank(self):
        return self.get_rank()

    @property
    def depth(self):
        return self.get_depth()

    def __len__(self):
        return len(self.top_level)

    def __bool__(self):
        return True

    def __iter__(self):
        return (self[mode] for mode in range(len(self)))

    def __getitem__(self, mode):
        mode = _mode(mode, self)
        item = self.top_level[mode]
        return item if isinstance(item, int) else call(self.dup_mode, mode)

    def __reduce__(self):
        return type(self), (self.top_level,)

    def __repr__(self):
        items = self.top_level
        # One tuple alone would be taken for the tree itself.
        inner = repr(items) if len(items) == 1 and isinstance(items[0], tuple) else ", ".join(map(repr, items))
        return f"{type(self).__name__}({inner})"

    def __str__(self):
        return str(self.top_level)


def _mode(mode, tree):
    mode = integer(mode, "mode")
    rank = len(tree)
    if not -rank <= mode < rank:
        raise IndexError(f"mode is {mode}, but there are {rank} modes")
    return mode % rank


@register
class Shape(_Tree, raw.Shape):
    """How far each mode goes: a hierarchical tree of integers >= 0. Where one is 0, there are no elements."""

    def __new__(cls, *items):
        if len(items) == 1 and isinstance(items[0], raw.Shape):
            return items[0]
        return call(raw.Shape.new_from_tokens, tokens_of(tree_from_arguments(items), "a Shape's extent", 0))

    @property
    def size(self):
        """The product of all extents."""
        return self.get_size()

    def decode(self, ordinal):
        """The coordinate of the @ordinal-th element, first mode fastest, as a nested tuple."""
        return tree_of(call(raw.Shape.decode, self, integer(ordinal, "ordinal")))

    def encode(self, coordinate):
        """The ordinal of a coordinate; an integer stands for all of a mode's leaves."""
        return call(raw.Shape.encode, self, key_tokens(coordinate))

    def __eq__(self, other):
        return raw.Shape.equal(self, other) if isinstance(other, raw.Shape) else NotImplemented

    # Those of a boxed type compare addresses.
    __ne__ = object.__ne__
    __lt__, __le__, __gt__, __ge__ = object.__lt__, object.__le__, object.__gt__, object.__ge__

    def __hash__(self):
        return hash(("Shape", self.top_level))


@register
class Stride(_Tree, raw.Stride):
    """How far one step of each mode moves: a hierarchical tree of integers >= 0."""

    def __new__(cls, *items):
        if len(items) == 1 and isinstance(items[0], raw.Stride):
            return items[0]
        return call(raw.Stride.new_from_tokens, tokens_of(tree_from_arguments(items), "a Stride's step", 0))

    def __eq__(self, other):
        return raw.Stride.equal(self, other) if isinstance(other, raw.Stride) else NotImplemented

    # Those of a boxed type compare addresses.
    __ne__ = object.__ne__
    __lt__, __le__, __gt__, __ge__ = object.__lt__, object.__le__, object.__gt__, object.__ge__

    def __hash__(self):
        return hash(("Stride", self.top_level))


def as_shape(shape, argument="shape"):
    if isinstance(shape, raw.Shape):
        return shape
    if isinstance(shape, (tuple, list)) or (hasattr(shape, "__index__") and not isinstance(shape, bool)):
        return Shape(shape)
    raise TypeError(f"{argument} must be a Shape, not {type_name(shape)}")


def as_stride(stride):
    if isinstance(stride, raw.Stride):
        return stride
    if isinstance(stride, (tuple, list)) or (hasattr(stride, "__index__") and not isinstance(stride, bool)):
        return Stride(stride)
    raise TypeError(f"stride must be a Stride, not {type_name(stride)}")


def key_tokens(key):
    """Tokens of a coordinate."""
    if isinstance(key, (tuple, list)):
        return tokens_of(key, "a coordinate")
    number = integer(key, "a coordinate")
    if number < 0:
        raise ValueError(f"a coordinate is {number}, but must be at least 0")
    return [number]


@register
class Layout(_Immutable, raw.Layout):
    """A Shape and a congruent Stride: where in storage each coordinate lies."""

    def __new__(cls, shape, stride=None):
        shape = as_shape(shape)
        if stride is None:
            return raw.Layout.new_compact(shape)
        return call(raw.Layout.new, shape, as_stride(stride))

    @cached_property
    def shape(self):
        return self.get_shape()

    @cached_property
    def stride(self):
        return self.get_stride()

    @property
    def size(self):
        """How many coordinates there are."""
        return self.get_size()

    @property
    def cosize(self):
        """One more than the greatest index; 0 where there is none."""
        return self.get_cosize()

    @property
    def is_injective(self):
        """Whether no two coordinates share an index."""
        return raw.Layout.is_injective(self)

    @property
    def is_compact(self):
        """Whether the indices are 0 ... size - 1, each once."""
        return raw.Layout.is_compact(self)

    def index(self, key):
        """Where a coordinate lies. An integer counts all coordinates, or those of its mode, first mode fastest."""
        if isinstance(key, (tuple, list)):
            return call(self.get_index, key_tokens(key))
        return call(self.get_index_at, integer(key, "the ordinal"))

    def __call__(self, *key):
        return self.index(key[0] if len(key) == 1 else key)

    def __getitem__(self, mode):
        return call(self.dup_mode, _mode(mode, self.shape))

    def __len__(self):
        return len(self.shape)

    def __bool__(self):
        return True

    def broadcast_to(self, shape):
        """The same storage seen with a greater shape: modes of extent 1 grow, with a step of 0."""
        return call(raw.Layout.broadcast_to, self, as_shape(shape))

    def permute(self, *order):
        """The modes in another order."""
        return call(raw.Layout.permute, self, indices_of(order, "order"))

    def concat(self, *others):
        """The modes of this layout followed by those of the others."""
        return self._join(raw.Layout.concat, others)

    def append(self, *others):
        """This layout with each of the others as one more mode."""
        return self._join(raw.Layout.append, others)

    def compose(self, inner):
        """What this layout says of the indices that @inner gives."""
        return self._join(raw.Layout.compose, (inner,))

    def _join(self, function, others):
        result = self
        for other in others:
            if not isinstance(other, raw.Layout):
                raise TypeError(f"other must be a Layout, not {type_name(other)}")
            result = call(function, result, other)
        return result

    def reshape(self, shape):
        """The same coordinates counted with another shape of the same size."""
        return call(raw.Layout.reshape, self, as_shape(shape))

    def __eq__(self, other):
        return raw.Layout.equal(self, other) if isinstance(other, raw.Layout) else NotImplemented

    # Those of a boxed type compare addresses.
    __ne__ = object.__ne__
    __lt__, __le__, __gt__, __ge__ = object.__lt__, object.__le__, object.__gt__, object.__ge__

    def __hash__(self):
        return hash((self.shape, self.stride))

    def __reduce__(self):
        return type(self), (self.shape, self.stride)

    def __repr__(self):
        return f"Layout({self.shape!r}, {self.stride!r})"

    __str__ = __repr__
