# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python objects as Strideweave.Value and back: what carriers store and operations are given."""
from gi.repository import GObject

from .errors import call, raw, sayable, type_name
from .trees import INT64_MAX, decimal

Value = raw.Value
ValueList = raw.ValueList
Kind = raw.ValueKind

_INT64_MIN = -INT64_MAX - 1


def _object_value(item):
    if isinstance(item, GObject.Object) or (type(item) is str and sayable(item) == item):
        return Value.new_object(item)
    name = f"int {decimal(item)}" if type(item) is int else type(item).__name__
    # Boxed as the very object, whatever GObject type its value might also have.
    return Value.new_foreign_object(GObject.Value(GObject.TYPE_PYOBJECT, item), name)


def _fits(number):
    return _INT64_MIN <= number <= INT64_MAX


def _int_value(item):
    return Value.new_int64(item) if _fits(item) else _object_value(item)


_MAKERS = {
    type(None): lambda item: Value.new_none(),
    bool: Value.new_bool,
    int: _int_value,
    float: Value.new_double,
}


def _is_numpy_scalar(item):
    return type(item).__module__ == "numpy" and hasattr(item, "item") and getattr(item, "shape", None) == ()


def plain_number(item):
    """NumPy's scalars as the numbers of Python that they are."""
    return item.item() if _is_numpy_scalar(item) else item


def to_value(item):
    """A Value that holds @item: as a number, a Tensor or a Shape where it is one, else as the object that it is."""
    maker = _MAKERS.get(type(item))
    if maker is not None:
        return maker(item)
    if isinstance(item, Value):
        return item
    if isinstance(item, raw.Tensor):
        return Value.new_tensor(item)
    if isinstance(item, raw.Shape):
        return Value.new_shape(item)
    if isinstance(item, raw.DType):
        return Value.new_int64(int(item))
    if _is_numpy_scalar(item):
        plain = item.item()
        return to_value(plain) if type(plain) in _MAKERS else _object_value(item)
    return _object_value(item)


def to_operand(item):
    """The same for an operation's input, where a list of integers means modes."""
    if isinstance(item, (tuple, list)) and all(type(part) is int and _fits(part) for part in item):
        return Value.new_indices(list(item))
    return to_value(item)


_READERS = {
    int(Kind.NONE): lambda value: None,
    int(Kind.BOOL): Value.get_bool,
    int(Kind.INT64): Value.get_int64,
    int(Kind.DOUBLE): Value.get_double,
    int(Kind.TENSOR): Value.get_tensor,
    int(Kind.SHAPE): Value.get_shape,
    int(Kind.INDICES): lambda value: tuple(value.dup_indices()),
    int(Kind.OBJECT): Value.get_object,
}


def from_value(value):
    return _READERS[int(value.get_kind())](value)


def _listed(items):
    try:
        iterator = iter(items)
    except TypeError:
        raise TypeError(f"values must be an iterable, not {type_name(items)}") from None
    return list(iterator)


def to_list(items):
    """A ValueList of any iterable; numbers go over in bulk."""
    if isinstance(items, ValueList):
        return items
    if not isinstance(items, (list, tuple)):
        items = items.tolist() if hasattr(items, "tolist") else _listed(items)
        if not isinstance(items, list):
            items = [items]
    kinds = set(map(type, items))
    if kinds == {float}:
        return ValueList.new_doubles(items)
    if kinds == {int} and _INT64_MIN <= min(items) and max(items) <= INT64_MAX:
        return ValueList.new_int64s(items)
    return ValueList.new([to_value(item) for item in items])


def to_inputs(items):
    return ValueList.new([to_operand(item) for item in items])


def from_list(values):
    return [from_value(call(values.dup_value, place)) for place in range(values.get_length())]
