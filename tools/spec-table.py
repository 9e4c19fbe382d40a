#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes which tests show what the specification demands: docs/reference/spec-coverage.md.

Each SHALL of docs/specification/operation-profiling.md has a number: that of its requirement, and its own place in it.
A test names those that it shows in a comment or docstring above or inside of it, "Covers: 2.1, 2.3", and a scenario by
having its title as its name or in its docstring. `spec-table.py --check` fails when the table is out of date, a SHALL
has no test, or a test covers what does not exist.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPECIFICATION = ROOT / "docs/specification/operation-profiling.md"
TABLE = ROOT / "docs/reference/spec-coverage.md"
LANGUAGES = {"C": ("c", ".c"), "Python": ("python", ".py"), "GJS": ("gjs", ".js"), "Vala": ("vala", ".vala")}

# Where a test begins, and what it is called.
TESTS = {
    ".py": r"^\s*def (?P<name>test_\w+)",
    ".c": r"^(?P<name>test_\w+) \(|test_scenario \(\"(?P<scenario>[^\"]+)\"",
    ".js": r"^\s*(?:await )?test(?:Memory)?\((?:'(?P<name>(?:[^'\\]|\\.)*)'|\"(?P<double>[^\"]*)\"|`(?P<template>[^`]*)`)"
    r"|^\s*(?:await )?scenario\('(?P<scenario>(?:[^'\\]|\\.)*)'",
    ".vala": r"^\s*(?:async )?void (?P<name>test_\w+) \(|scenario \(\"(?P<scenario>[^\"]+)\"",
}
COVERS = re.compile(r"Covers: ([\d., ]+\d)")


class Shall:
    def __init__(self, number, text):
        self.number = number
        self.text = text
        self.tests = {language: [] for language in LANGUAGES}


class Requirement:
    def __init__(self, number, title, body, scenarios):
        self.title = title
        self.scenarios = {scenario: {language: [] for language in LANGUAGES} for scenario in scenarios}
        self.shalls = []
        for sentence in sentences(body):
            for place in re.finditer(r"\bSHALL\b", sentence):
                text = f"{sentence[: place.start()]}**SHALL**{sentence[place.end() :]}"
                self.shalls.append(Shall(f"{number}.{len(self.shalls) + 1}", text))


def sentences(text):
    """A list belongs to the sentence that leads to it."""
    for paragraph in re.split(r"\n\n(?!- )", text.strip()):
        flat = re.sub(r"\s+", " ", paragraph)
        yield from re.split(r"(?<=\.) (?=[A-Za-z])", flat)


def read_specification():
    parts = re.split(r"^### Requirement: (.+)$", SPECIFICATION.read_text(), flags=re.M)[1:]
    requirements = []
    for number, (title, text) in enumerate(zip(parts[::2], parts[1::2]), 1):
        body, *scenarios = re.split(r"^#### Scenario: ", text, flags=re.M)
        titles = [scenario.split("\n", 1)[0] for scenario in scenarios]
        requirements.append(Requirement(number, title, body, titles))
    return requirements


def name_of(match):
    return next((name for name in match.groupdict().values() if name), None)


def tests_in(path):
    """(start, name) of each test in a file."""
    text = path.read_text()
    found = [(match.start(), name_of(match)) for match in re.finditer(TESTS[path.suffix], text, re.M)]
    return text, [(start, name) for start, name in found if name]


def test_around(tests, text, place):
    """The test that a comment stands in, or directly above."""
    following = next((test for test in tests if test[0] > place), None)
    before = [test for test in tests if test[0] <= place]
    if following and not re.search(r"^\S|\S", strip_comments(text[place : following[0]])):
        return following[1]
    return before[-1][1] if before else following and following[1]


def strip_comments(text):
    """What is left between a comment and a test: nothing, if it is the test's own."""
    text = text.split("\n", 1)[1] if "\n" in text else ""
    text = re.sub(r"/\*.*?\*/|^\s*(//|#).*$|^\s*\*.*$|^@.*$|^static void$", "", text, flags=re.S | re.M)
    return text.strip()


def collect(requirements):
    shalls = {shall.number: shall for requirement in requirements for shall in requirement.shalls}
    problems = []
    for language, (folder, suffix) in LANGUAGES.items():
        for path in sorted((ROOT / "tests" / folder).glob(f"*{suffix}")):
            text, tests = tests_in(path)
            for match in COVERS.finditer(text):
                test = test_around(tests, text, match.start())
                for number in match[1].replace(" ", "").split(","):
                    if number not in shalls:
                        problems.append(f"{path.relative_to(ROOT)} covers {number}, which does not exist")
                    elif test is None:
                        problems.append(f"{path.relative_to(ROOT)} covers {number} outside of any test")
                    elif (path, test) not in shalls[number].tests[language]:
                        shalls[number].tests[language].append((path, test))
            for requirement in requirements:
                for title, places in requirement.scenarios.items():
                    if title in text:
                        places[language].append(path)
    problems += [f"nothing covers {number}: {shall.text}" for number, shall in shalls.items() if not any(shall.tests.values())]
    return problems


def cell(text):
    return text.replace("|", "\\|")


def render(requirements):
    lines = [
        "# What shows that the specification holds",
        "",
        "Made by `tools/spec-table.py` from [the specification](../specification/operation-profiling.md) and from what the",
        "tests say they cover; a test compares it with them. Do not edit it.",
        "",
    ]
    for number, requirement in enumerate(requirements, 1):
        lines += [f"## {number}. {requirement.title}", "", "| | demanded | shown by |", "| --- | --- | --- |"]
        for shall in requirement.shalls:
            tests = [
                f"{language}: {', '.join(f'{path.stem} `{test}`' for path, test in found)}"
                for language, found in shall.tests.items()
                if found
            ]
            lines.append(f"| {shall.number} | {cell(shall.text)} | {cell('<br>'.join(tests))} |")
        lines += ["", f"| scenario | {' | '.join(LANGUAGES)} |", f"| --- |{' --- |' * len(LANGUAGES)}"]
        for title, places in requirement.scenarios.items():
            cells = [", ".join(path.stem for path in places[language]) or "–" for language in LANGUAGES]
            lines.append(f"| {title} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--list", action="store_true", help="print the number and text of each SHALL")
    arguments = parser.parse_args()
    requirements = read_specification()
    if arguments.list:
        for shall in (shall for requirement in requirements for shall in requirement.shalls):
            print(shall.number, shall.text)
        return 0
    problems = collect(requirements)
    text = render(requirements)
    if not arguments.check:
        TABLE.write_text(text)
    elif not TABLE.exists() or TABLE.read_text() != text:
        problems.append(f"{TABLE.relative_to(ROOT)} is out of date: run tools/spec-table.py")
    for problem in problems:
        print(problem)
    if not problems:
        count = sum(len(requirement.shalls) for requirement in requirements)
        print(f"{count} demands have tests")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
