# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the vapi for what vapigen gets wrong when nobody tells it: ownership, and which errors are thrown.

Usage: check-vapi.py VAPI
"""
import re
import sys

# Code that others write has a part in these, so they throw any error. The rest throws Strideweave.Error.
ANY_ERROR = [
    r"Carrier\.(allocate_like|dispatch_op|dtype|get_value|is_mutable|new_like|scatter|set_value|size)",
    r"Collector\.\w+",
    r"Evictable\.(Evictable|evict|promote)",
    r"MoveFunc",
    r"Operation\.\w+",
    r"ProfilerCycleFunc",
    r"ProfilerSchedule\.(exit|step)",
    r"ProfilerScheduleScope\.(leave|step)",
    r"TraceContext\.flush",
    r"Tensor\.(Tensor|dup_bytes|dup_row_major_bytes|dup_values_text|get_value|set_value|slice)",
    r"(?!register_\w+$|profile_\w+$|trace_span$)[a-z]\w*",
]

# What has no place in the vapi, and what to do about it.
WRONG = {
    r"<weak ": "an array that frees its elements holds them: give it type_arguments in the metadata",
    r"\bweak\b": "something that goes while it is in use",
    r"g_boxed_copy": "a boxed type without references: give it ref_function and unref_function in the metadata",
    r"replacement = ": "a function that is a member of a type as well: skip it in the metadata",
    r"GLib\.DestroyNotify": "a function without its data: declare it in the custom file",
}


def symbols(lines: list[str]):
    """Yields (number, name, line, attributes) for each symbol."""
    scope, attributes = "", ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("["):
            attributes += text
            continue
        if match := re.match(r"public (?:\w+ )*(?:class|struct|enum|errordomain) (\w+)", text):
            scope = match[1]
            yield number, scope, text, attributes
        elif text == "}":
            scope = ""
        elif match := re.match(r"(?:public|protected) .*?([\w.@]+) \(", text):
            name = match[1].removeprefix("@")
            constructor = re.fullmatch(rf"{scope}(?:\.(\w+))?", name) if scope else None
            if constructor:
                name = constructor[1] or scope
            yield number, f"{scope}.{name}" if scope else name, text, attributes
        attributes = ""


def check_throws(name: str, text: str):
    thrown = re.search(r" throws (\S+);", text)
    if not thrown:
        return
    expected = "GLib.Error" if any(re.fullmatch(pattern, name) for pattern in ANY_ERROR) else "Strideweave.Error"
    if thrown[1] != expected:
        yield (f"{name} throws {thrown[1]}, not {expected}: say throws=\"Strideweave.Error\" in the metadata, or list it "
               "in check-vapi.py as one that reaches code of others")


def check_ownership(name: str, text: str, attributes: str):
    if "[Compact]" in attributes and not re.search(r"\b(unref|free)_function", attributes):
        yield f"{name} has neither unref_function nor free_function"


def main() -> int:
    lines = open(sys.argv[1]).read().splitlines()
    problems = [(number, advice) for number, line in enumerate(lines, 1)
                for pattern, advice in WRONG.items() if re.search(pattern, line)]
    n_throws = 0
    for number, name, text, attributes in symbols(lines):
        n_throws += " throws " in text
        problems += [(number, problem) for problem in check_throws(name, text)]
        problems += [(number, problem) for problem in check_ownership(name, text, attributes)]
    for number, problem in sorted(problems):
        print(f"{sys.argv[1]}:{number}: {problem}")
    if n_throws != sum(" throws " in line for line in lines) or n_throws < 50:
        print("something that throws was not looked at: are the patterns right?")
        return 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
