# SPDX-License-Identifier: LGPL-2.1-or-later
"""Puts the classes of the override in the place of the introspected ones."""
import importlib
import sys

from gi import _gi


def register(cls):
    """From now on C's values of this type, and introspected subclasses, are of this class.

    It has to happen before anything else touches the type: what PyGObject once looked up it keeps.
    """
    cls.__info__.get_g_type().pytype = cls
    setattr(sys.modules["gi.repository.Strideweave"], cls.__name__, cls)
    cls.__module__ = "strideweave"
    return cls


def _find_in_libraries(gtype):
    """The class that the introspected namespace of another library, built on this one, has for a GType."""
    repository = _gi.Repository.get_default()
    for namespace in repository.get_loaded_namespaces():
        if not any(needed.startswith("Strideweave-") for needed in repository.get_dependencies(namespace)):
            continue
        for info in repository.get_infos(namespace):
            if isinstance(info, _gi.ObjectInfo) and info.get_g_type() == gtype:
                return getattr(importlib.import_module(f"gi.repository.{namespace}"), info.get_name())
    return None


def class_of(gtype, namespace):
    """The exact Python class of a GType; the GType itself where Python can have no class for it."""
    cls = gtype.pytype
    if cls is None and gtype.name.startswith("Sw"):
        # Nobody asked for this class yet.
        cls = getattr(namespace, gtype.name[2:], None)
    if cls is None:
        cls = _find_in_libraries(gtype)
    return gtype if cls is None else cls
