# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds up the results in meson's test logs, case by case, and prints "N passed, N failed, N skipped".

Usage: count-results.py [--broken-builds N] NAME=MESON_LOGS_FOLDER...

A program that reports in TAP counts as many tests as it reports. A program that crashed, timed out or ended with an
error counts at least one failure, whatever it had reported. Exits with 1 on a failure, or when nothing ran.
"""
import argparse
import collections
import json
import pathlib
import re
import sys

POINT = re.compile(r"^(ok|not ok) \d+\b[^#\n]*(?:#\s*(?i:(skip|todo))\b)?", re.M)
# meson's words for the result of a whole program.
GOOD = {"OK", "EXPECTEDFAIL"}


def count_cases(test: dict) -> collections.Counter:
    count = collections.Counter()
    for result, directive in POINT.findall(test.get("stdout") or ""):
        directive = directive.lower()
        if directive == "skip":
            count["skipped"] += 1
        elif result == "ok" or directive == "todo":
            count["passed"] += 1
        else:
            count["failed"] += 1
    return count


def count_test(test: dict) -> collections.Counter:
    result = test["result"]
    count = count_cases(test)
    if result == "SKIP":
        return count if count["skipped"] else collections.Counter(skipped=1)
    if result in GOOD:
        return count if count else collections.Counter(passed=1)
    count["failed"] = max(count["failed"], 1)
    return count


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--broken-builds", type=int, default=0)
    parser.add_argument("folders", nargs="*")
    arguments = parser.parse_args()
    total = collections.Counter(failed=arguments.broken_builds)
    for entry in arguments.folders:
        name, _, path = entry.partition("=")
        lines = [line for log in pathlib.Path(path).glob("testlog*.json") for line in log.read_text().splitlines()]
        if not lines:
            print(f"{name}: no test ran")
            total["failed"] += 1
        for test in map(json.loads, lines):
            count = count_test(test)
            total += count
            if count["failed"]:
                print(f"{name}: {test['name']}: {test['result']}")
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 0 if total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
