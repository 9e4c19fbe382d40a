# SPDX-License-Identifier: LGPL-2.1-or-later
"""Puts the classes of the override in the place of the introspected ones."""
import sys


def register(cls):
    """From now on C's values of this type, and introspected subclasses, are of this class.

    It has to happen before anything else touches the type: what PyGObject once looked up it keeps.
    """
    cls.__info__.get_g_type().pytype = cls
    setattr(sys.modules["gi.repository.Strideweave"], cls.__name__, cls)
    cls.__module__ = "strideweave"
    return cls


def class_of(gtype, namespace):
    """The exact Python class of a GType."""
    cls = gtype.pytype
    if cls is None and gtype.name.startswith("Sw"):
        # Nobody asked for this class yet.
        cls = getattr(namespace, gtype.name[2:], None)
    return gtype if cls is None else cls
