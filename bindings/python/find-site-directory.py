# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints where this Python looks for packages inside a prefix, and whether it does: "searched" or "not searched".

Usage: find-site-directory.py PREFIX

Debian's Python looks into /usr/local/lib/python3.11/dist-packages, which neither its own default scheme nor the one
for its system packages names; so it is asked where it looks.
"""
import pathlib
import site
import sys
import sysconfig


def main() -> None:
    prefix = pathlib.Path(sys.argv[1])
    # Not every searched directory exists already, and sys.path lists only those that do.
    searched = [pathlib.Path(entry) for entry in [*site.getsitepackages(), *sys.path]]
    for directory in searched:
        inside = directory.is_relative_to(prefix) and directory.relative_to(prefix)
        # Below /usr there is also /usr/local, which belongs to someone else.
        if inside and inside.parts[0].startswith("lib") and inside.name.endswith("-packages"):
            print(f"{directory}\nsearched")
            return
    base = {"base": str(prefix), "platbase": str(prefix)}
    print(f"{sysconfig.get_path('purelib', 'posix_prefix', base)}\nnot searched")


if __name__ == "__main__":
    main()
