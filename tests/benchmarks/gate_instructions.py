#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shows what a boundary costs when nobody records: disassembles where the library looks at the gate.

Usage: gate_instructions.py LIBRARY

For each function that reads the gate, prints the load and the branch that follows it. Nothing else of a boundary is on
the path of a closed gate: what the branch leads to is the whole rest of it.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")


def get_gate_address(library):
    symbols = subprocess.run(["readelf", "-sW", library], capture_output=True, text=True, check=True).stdout
    for line in symbols.splitlines():
        if line.split()[-1:] == ["sw_gate"]:
            return int(line.split()[1], 16)
    raise SystemExit(f"{library} has no symbol sw_gate; is it stripped?")


def main():
    library = sys.argv[1]
    gate = f"{get_gate_address(library):x}"
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", library], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    function = None
    n_places = 0
    for i, line in enumerate(listing):
        match = FUNCTION.match(line)
        if match:
            function = match.group(1)
        elif re.search(rf"# {gate} <", line) and not line.split("\t")[1].startswith("lock"):
            n_places += 1
            print(f"{function}:")
            for shown in listing[i : i + 8]:
                instruction = shown.split("\t", 1)[1]
                print("   " + instruction)
                if instruction.startswith("j"):
                    break
    print(f"{n_places} places look at the gate")


if __name__ == "__main__":
    main()
