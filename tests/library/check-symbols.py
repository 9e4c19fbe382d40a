# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares what the library exports with what its public headers declare; neither may have anything of its own.

Usage: check-symbols.py NM LIBRARY HEADER...
"""
import pathlib
import re
import subprocess
import sys

AVAILABLE = re.compile(
    r"^SW_AVAILABLE_IN_\w+\n"
    r"(?:G_DECLARE_(?:\w+_TYPE|INTERFACE)\s*\(\s*\w+,\s*(?P<type>\w+),"
    r"|(?P<prototype>[^;{]*?\b(?P<function>\w+)\s*\()"
    r"|[\w *]+?\b(?P<variable>\w+);)",
    re.M,
)
PROTOTYPE = re.compile(r"^(?!#|typedef|G_)[\w *]+?\b(sw_\w+)\s*\(", re.M)


def declared(header: str) -> set[str]:
    text = pathlib.Path(header).read_text()
    return {
        f"{match['type']}_get_type" if match["type"] else match["function"] or match["variable"]
        for match in AVAILABLE.finditer(text)
    }


def unavailable(header: str) -> set[str]:
    text = pathlib.Path(header).read_text()
    inline = set(re.findall(r"^static inline[^(]*?\b(sw_\w+)\s*\(", text, re.M))
    return set(PROTOTYPE.findall(text)) - declared(header) - inline


def main() -> int:
    nm, library, *headers = sys.argv[1:]
    lines = subprocess.check_output([nm, "-D", "--defined-only", library], text=True).splitlines()
    exported = {line.split()[-1].split("@")[0] for line in lines}
    public = set().union(*map(declared, headers))
    problems = [f"exported, but in no public header: {name}" for name in sorted(exported - public)]
    problems += [f"in a public header, but not exported: {name}" for name in sorted(public - exported)]
    for header in headers:
        problems += [f"{header}: {name} has no SW_AVAILABLE_IN" for name in sorted(unavailable(header))]
    problems += [f"exported without the prefix: {name}" for name in sorted(exported) if not name.startswith("sw_")]
    print("\n".join(problems) or f"{len(exported)} symbols")
    if len(public) < 10:
        problems.append("hardly any declaration found: is the pattern right?")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
