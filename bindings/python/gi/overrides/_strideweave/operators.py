# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Python's operators and slices make of tensors."""
import operator

from .errors import call, raw, type_name
from .layouts import Layout, Shape, Stride
from .trees import INT64_MAX
from .values import plain_number, to_value

# A mode that a slice leaves as it is.
_WHOLE = 0, INT64_MAX, 1


def _apply(name, lhs, rhs):
    from . import elementwise

    return getattr(elementwise, name)(*broadcast(lhs, rhs))


def _is_operand(other):
    return isinstance(other, raw.Tensor) or type(other) in (int, float, bool) or getattr(other, "shape", None) == ()


def _apply_to_number(name, lhs, rhs):
    """An operation whose first input is a number, taken as the Tensor holds it."""
    return call(raw.scalar_binary, name, to_value(lhs), rhs, None)


def _extents(tensor):
    return tensor.shape.top_level


def _common(lhs, rhs):
    """The shape that both can be broadcast to, by NumPy's rule for the extents of modes; None where there is none."""
    if isinstance(lhs, tuple) and isinstance(rhs, tuple):
        items = [_common(a, b) for a, b in zip(lhs, rhs)] if len(lhs) == len(rhs) else [None]
        return None if None in items else tuple(items)
    if isinstance(lhs, int) and isinstance(rhs, int):
        return lhs if rhs in (1, lhs) else rhs if lhs == 1 else None
    return None


def broadcast(lhs, rhs):
    """Two tensors brought to one shape, where extents of 1 and missing first modes allow it; else what they are."""
    if not (isinstance(lhs, raw.Tensor) and isinstance(rhs, raw.Tensor)) or lhs.shape == rhs.shape:
        return lhs, rhs
    rank = max(len(lhs.shape), len(rhs.shape))
    shapes = [(1,) * (rank - len(tensor.shape)) + _extents(tensor) for tensor in (lhs, rhs)]
    common = _common(*shapes)
    if common is None:
        return lhs, rhs
    return tuple(_expand(tensor, shape, common) for tensor, shape in zip((lhs, rhs), shapes))


def _expand(tensor, shape, common):
    from . import operations

    if len(shape) > len(tensor.shape):
        tensor = operations.reshape(tensor, shape)
    return tensor if shape == common else operations.broadcast_to(tensor, common)


def _binary(name):
    def operate(self, other):
        if not _is_operand(other):
            return NotImplemented
        return _apply(name, self, other if isinstance(other, raw.Tensor) else plain_number(other))

    return operate


def _reflected(name):
    def operate(self, other):
        if not _is_operand(other):
            return NotImplemented
        return _apply_to_number(name, plain_number(other), self)

    return operate


def _unary(name):
    def operate(self):
        from . import elementwise

        return getattr(elementwise, name)(self)

    return operate


class Operators:
    """The operators of Tensor. Comparisons give a tensor of Bool; a Tensor is hashed as the object that it is."""

    __add__ = _binary("add")
    __sub__ = _binary("sub")
    __mul__ = _binary("mul")
    __truediv__ = _binary("div")
    __mod__ = _binary("rem")
    __pow__ = _binary("pow")
    __eq__ = _binary("eq")
    __ne__ = _binary("ne")
    __lt__ = _binary("lt")
    __le__ = _binary("le")
    __radd__ = _binary("add")
    __rmul__ = _binary("mul")
    __rsub__ = _reflected("sub")
    __rtruediv__ = _reflected("div")
    __rmod__ = _reflected("rem")
    __rpow__ = _reflected("pow")
    __neg__ = _unary("neg")
    __abs__ = _unary("abs")
    __hash__ = object.__hash__

    def __pos__(self):
        return self

    def __gt__(self, other):
        return _swapped("lt", self, other)

    def __ge__(self, other):
        return _swapped("le", self, other)

    def __matmul__(self, other):
        from . import operations

        return operations.matmul(self, other) if isinstance(other, raw.Tensor) else NotImplemented

    def __invert__(self):
        from . import elementwise

        if self.dtype() != raw.DType.BOOL:
            raise TypeError(f"~ takes a Tensor of Bool, not of {self.dtype().name}")
        return elementwise.logical_not(self)

    # NumPy leaves an array and a Tensor to the Tensor.
    __array_ufunc__ = None

    def __bool__(self):
        if self.size() != 1:
            raise ValueError(f"a Tensor of {self.size()} values is neither true nor false; reduce it, or use `is`")
        return bool(self[0])

    def __float__(self):
        return float(_single(self, "float"))

    def __int__(self):
        return int(_single(self, "int"))


def _single(tensor, kind):
    if tensor.size() != 1:
        raise TypeError(f"only a Tensor of one value becomes a {kind}, not one of {tensor.size()}")
    return tensor[0]


def _swapped(name, lhs, rhs):
    """rhs < lhs, of which rhs may be a number."""
    if not _is_operand(rhs):
        return NotImplemented
    if isinstance(rhs, raw.Tensor):
        return _apply(name, rhs, lhs)
    return _apply_to_number(name, plain_number(rhs), lhs)


# Slices


def is_slicing(key):
    items = key if isinstance(key, tuple) else (key,)
    return any(isinstance(item, slice) or item is Ellipsis or item is None for item in items)


def _expand_ellipsis(key, rank):
    items = list(key) if isinstance(key, tuple) else [key]
    n_named = sum(item is not None and item is not Ellipsis for item in items)
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("key has more than one ellipsis")
    if n_named > rank:
        raise IndexError(f"key names {n_named} modes, but the Tensor has {rank}")
    if Ellipsis not in [item for item in items if item is Ellipsis]:
        items.append(Ellipsis)
    place = next(place for place, item in enumerate(items) if item is Ellipsis)
    items[place : place + 1] = [slice(None)] * (rank - n_named)
    return items


def _bounds(mode, item, extent):
    """Start, stop and step of a slice as C takes them, which names bounds beyond the mode rather than to cut them off."""
    if isinstance(extent, tuple):
        if item != slice(None):
            raise TypeError(f"mode {mode} is nested, and can only be taken whole")
        return _WHOLE
    start, stop, step = item.indices(extent)
    if step < 0:
        raise ValueError(f"the slice of mode {mode} has the step {step}, but steps cannot be negative")
    return start, max(start, stop), step


def sliced(tensor, key):
    """The Tensor over the same carrier that a key with slices means, as NumPy has it: integers take a mode away, None adds
    one. A nested mode can be taken whole, or by an ordinal."""
    items = _expand_ellipsis(key, len(tensor.shape))
    layout, shape, offset = tensor.layout, tensor.shape.top_level, 0
    bounds = []
    for item in items:
        mode = len(bounds)
        if isinstance(item, slice):
            bounds.append(_bounds(mode, item, shape[mode]))
        elif item is not None:
            offset += _locate(layout, mode, item)
            bounds.append(_WHOLE)
    part = call(raw.Tensor.slice, tensor, *zip(*bounds)) if bounds else tensor
    if all(isinstance(item, slice) for item in items):
        return part

    modes = iter(zip(part.layout.shape.top_level, part.layout.stride.top_level))
    pairs = [(item, (1, 0) if item is None else next(modes)) for item in items]
    kept = [pair for item, pair in pairs if item is None or isinstance(item, slice)]
    result = Layout(Shape(tuple(extent for extent, _ in kept)), Stride(tuple(step for _, step in kept)))
    # Without values there is nothing to point at, and maybe no place for it.
    return call(raw.Tensor.new, tensor.carrier, part.offset + (offset if result.size else 0), result)


def _locate(layout, mode, item):
    try:
        ordinal = operator.index(item)
    except TypeError:
        raise TypeError(f"key[{mode}] must be an integer, a slice, None or an ellipsis, not {type_name(item)}") from None
    one = layout[mode]
    if not -one.size <= ordinal < one.size:
        raise IndexError(f"key[{mode}] is {ordinal}, but the mode has {one.size} coordinates")
    return one.index(ordinal % one.size)


def assign(tensor, key, value):
    """Writes a number, or the values of another Tensor that can be broadcast, to what a key with slices means."""
    target = sliced(tensor, key)
    if isinstance(value, raw.Tensor):
        _, source = broadcast(target, value)
        if not source.shape == target.shape:
            raise ValueError(f"the value has the shape {value.shape}, but what the key means has {target.shape}")
        call(raw.Carrier.scatter, tensor.carrier, source, target, target.layout, target.offset)
        return
    for ordinal in range(target.size()):
        call(raw.Tensor.set_value, target, [ordinal], to_value(value))
