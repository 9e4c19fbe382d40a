# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hierarchical integers between Python and C: nested tuples here, tokens in preorder there.

A leaf is its value, a tuple of n items is -2 - n followed by its items, None is -1.
"""
import operator

INT64_MAX = 2**63 - 1
MAX_DEPTH = 256


def decimal(number):
    """A number as an error names it; Python refuses to write very long ones."""
    return str(number) if number.bit_length() <= 256 else f"of {number.bit_length()} bits"


def integer(value, argument):
    """An int of 64 bits; bools, floats and the rest are refused."""
    if type(value) is int:
        number = value
    else:
        if isinstance(value, bool):
            raise TypeError(f"{argument} must be an int, not bool")
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"{argument} must be an int, not {type(value).__name__}") from None
    if not -INT64_MAX - 1 <= number <= INT64_MAX:
        raise ValueError(f"{argument} is {decimal(number)}, which does not fit into 64 bits")
    return number


def _leaf(value, argument, minimum):
    number = integer(value, argument)
    if number < minimum:
        raise ValueError(f"{argument} is {number}, but must be at least {minimum}")
    return number


def tokens_of(items, argument, minimum=0):
    """The tokens of a tuple (or list) of integers and further tuples; @argument is what to call one in an error."""
    tokens = [-2 - len(items)]
    open_tuples = [iter(items)]
    while open_tuples:
        for item in open_tuples[-1]:
            if isinstance(item, (tuple, list)):
                if len(open_tuples) == MAX_DEPTH:
                    raise ValueError(f"{argument}: nested deeper than {MAX_DEPTH} levels")
                tokens.append(-2 - len(item))
                open_tuples.append(iter(item))
                break
            tokens.append(_leaf(item, argument, minimum))
        else:
            open_tuples.pop()
    return tokens


def tree_of(tokens):
    """The nested tuple (or int, or None) that tokens stand for."""
    tree, _ = _read(tokens, 0)
    return tree


def _read(tokens, place):
    token = tokens[place]
    place += 1
    if token >= 0:
        return token, place
    if token == -1:
        return None, place
    items = []
    for _ in range(-2 - token):
        item, place = _read(tokens, place)
        items.append(item)
    return tuple(items), place


def tree_from_arguments(items):
    """`f(2, 3)`, `f((2, 3))` and `f([2, 3])` mean the same tree; so do `f(5)` and `f((5,))`."""
    if len(items) == 1 and isinstance(items[0], (tuple, list)):
        return items[0]
    return items


def indices_of(order, argument):
    """A list of ints out of `f(1, 0)` or `f((1, 0))`."""
    if len(order) == 1:
        try:
            order = tuple(order[0])
        except TypeError:
            pass
    return [integer(item, f"{argument}[{place}]") for place, item in enumerate(order)]
