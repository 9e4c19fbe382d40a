# SPDX-License-Identifier: LGPL-2.1-or-later
"""The introspected namespace, wherever the library is installed."""
import gi


def _require():
    try:
        gi.require_version("Strideweave", "1")
        return
    except ValueError:
        try:
            from ._installed import LIBRARY_DIR, TYPELIB_DIR
        except ImportError:
            pass
        else:
            gi.require_version("GIRepository", "2.0")
            from gi.repository import GIRepository

            GIRepository.Repository.prepend_search_path(TYPELIB_DIR)
            GIRepository.Repository.prepend_library_path(LIBRARY_DIR)
    gi.require_version("Strideweave", "1")


_require()

from gi.repository import Strideweave  # noqa: E402

if not hasattr(Strideweave, "profile"):
    raise ImportError(
        "gi.repository.Strideweave is there, but not its override: the folder gi/overrides of Strideweave must be"
        " beside the package strideweave on sys.path, and there must be no __init__.py in either of its folders"
    )
