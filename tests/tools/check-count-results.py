# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tools/count-results.py makes of meson's logs: check-count-results.py COUNT_RESULTS"""
import json
import pathlib
import subprocess
import sys
import tempfile

CASES = [
    # what the programs ended with and wrote, what the last line says, the exit status
    ([("OK", "")], "1 passed, 0 failed, 0 skipped", 0),
    ([("OK", "Ok:    1\nFail:   0\n")], "1 passed, 0 failed, 0 skipped", 0),
    ([("OK", "1..3\nok 1 a\nok 2 b # SKIP why\nok 3 c # TODO\n")], "2 passed, 0 failed, 1 skipped", 0),
    ([("EXPECTEDFAIL", "")], "1 passed, 0 failed, 0 skipped", 0),
    ([("FAIL", "not ok 1 a\nok 2 b\n")], "1 passed, 1 failed, 0 skipped", 1),
    ([("ERROR", "ok 1 a\nBail out!\n")], "1 passed, 1 failed, 0 skipped", 1),
    ([("TIMEOUT", ""), ("OK", "")], "1 passed, 1 failed, 0 skipped", 1),
    ([("INTERRUPT", "ok 1 a\n")], "1 passed, 1 failed, 0 skipped", 1),
    ([("SKIP", "")], "0 passed, 0 failed, 1 skipped", 1),
    ([], "0 passed, 1 failed, 0 skipped", 1),
]


def main():
    for tests, expected, status in CASES:
        with tempfile.TemporaryDirectory() as folder:
            lines = [json.dumps({"name": "x", "result": result, "stdout": text}) + "\n" for result, text in tests]
            pathlib.Path(folder, "testlog.json").write_text("".join(lines))
            done = subprocess.run([sys.executable, sys.argv[1], f"plain={folder}"], capture_output=True, text=True)
        assert done.stdout.splitlines()[-1] == expected, (tests, done.stdout)
        assert done.returncode == status, (tests, done.returncode)


if __name__ == "__main__":
    main()
