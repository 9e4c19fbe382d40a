#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows which loops the compiler made no vector code of: disassembles the functions that exist once for each level.

Usage: vector_instructions.py LIBRARY

Prints the functions of a level that never use its registers. Those of checked products, of integer powers, of remainders, and with
AVX2 of 64 bit integers and reals, belong there: there are no such instructions, or what is exact takes one value at a time.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <(\w+_(avx2|avx512))>:$")
REGISTERS = {"avx2": "%ymm", "avx512": "%zmm"}


def main():
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", sys.argv[1]], capture_output=True, text=True, check=True
    ).stdout
    uses = {}
    function = level = None
    for line in listing.splitlines():
        if line.endswith(">:"):
            match = FUNCTION.match(line)
            function, level = match.groups() if match else (None, None)
            if function:
                uses[function] = False
        elif function and REGISTERS[level] in line:
            uses[function] = True
    if not uses:
        raise SystemExit(f"{sys.argv[1]} has no functions of levels; is it stripped?")
    for name in sorted(name for name, is_used in uses.items() if not is_used):
        print(name)
    print(f"{sum(uses.values())} of {len(uses)} functions use the vectors of their level")


if __name__ == "__main__":
    main()
