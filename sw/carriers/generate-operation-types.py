#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the header that declares one operation class for each row of the operation table, for one carrier.

Usage: generate-operation-types.py TABLE CARRIER OUTPUT      (CARRIER: Generic or CPU)

The introspection scanner does not expand the table's macro, so it needs these declarations spelled out.
"""
import pathlib
import re
import sys

ROW = re.compile(r"^SW_OPERATION \((\w+), (\w+), (\w+), (\w+), ", re.M)

HEAD = """/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <sw/operations/sw-operation.h>

G_BEGIN_DECLS
"""

CLASS = """
#define SW_TYPE_{upper} ({lower}_get_type ())

/**
 * Sw{Carrier}{Stem}Operation:
 *
 * The operation `{name}` on [class@Strideweave.{Carrier}]; see [func@Strideweave.{name}].
 */
SW_AVAILABLE_IN_0_1
G_DECLARE_FINAL_TYPE (Sw{Carrier}{Stem}Operation, {lower}, SW, {upper}, SwOperation)
"""


def main() -> None:
    table, carrier, output = sys.argv[1:]
    text = HEAD
    for _, name, stem, symbol in ROW.findall(pathlib.Path(table).read_text()):
        lower = f"sw_{carrier.lower()}_{symbol}_operation"
        text += CLASS.format(
            Carrier=carrier, Stem=stem, name=name, lower=lower, upper=lower[3:].upper()
        )
    pathlib.Path(output).write_text(text + "\nG_END_DECLS\n")


if __name__ == "__main__":
    main()
