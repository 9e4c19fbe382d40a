# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether what the vapi has beside the GIR is documented as valadoc reads it: each argument, result and error.

Usage: check-comments.py FILE...
"""
import re
import sys

DECLARATION = re.compile(
    r"/\*\*(?P<comment>.*?)\*/\s*(?P<attributes>(?:\[[^\n]*\]\s*)*)(?P<code>(?:public|protected)[^;{]*)", re.S
)


def parameters_of(code):
    """The names in the parentheses; attributes of arguments have some of their own."""
    code = re.sub(r"\[[^\]]*\]", lambda match: "[]" if match[0] == "[]" else "", code)
    found = re.search(r"\((.*)\)", code, re.S)
    return [part.split("=")[0].split()[-1] for part in found[1].split(",") if part.strip()] if found else None


def check(comment, code):
    parameters = parameters_of(code)
    text = re.sub(r"^\s*\* ?", "", comment, flags=re.M).strip()
    if not text or text.startswith("@"):
        yield "says nothing"
    if parameters is None:
        return
    for name in parameters:
        if not re.search(rf"^@param {name} \S", text, re.M):
            yield f"@param {name} is missing"
    for name in re.findall(r"^@param (\w+)", text, re.M):
        if name not in parameters:
            yield f"@param {name} names no parameter"
    head = code.split("(")[0].split()
    # A constructor, also one with a name, has the modifiers and its name alone.
    is_constructor = len([word for word in head if word not in ("public", "protected", "virtual")]) == 1
    if not is_constructor and "void" not in head and "@return " not in text:
        yield "@return is missing"
    if " throws " in code and "@throws " not in text:
        yield "@throws is missing"


def check_file(text):
    """How many declarations there are, and what is wrong with them."""
    problems, count = [], 0
    documented = set()
    for match in DECLARATION.finditer(text):
        count += 1
        code = " ".join(match["code"].split())
        documented.add(match.start("code"))
        problems += [f"{code}: {problem}" for problem in check(match["comment"], code)]
    for match in re.finditer(r"^\t*((?:public|protected) [^\n]*)", text, re.M):
        # Classes that the GIR describes are only opened again.
        if match.start(1) not in documented and not re.search(r"\bclass (?!ProfileScope)", match[1]):
            problems.append(f"{match[1]}: is not documented")
    return count, problems


def main():
    checked = [check_file(open(path).read()) for path in sys.argv[1:]]
    count = sum(number for number, _ in checked)
    problems = [problem for _, found in checked for problem in found]
    if count < 100:
        problems.append(f"only {count} declarations were read")
    for problem in problems:
        print(problem)
    print(f"{count} declarations")
    return 1 if problems else 0


sys.exit(main())
