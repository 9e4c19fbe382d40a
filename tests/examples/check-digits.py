# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks one of the programs that classify digits: check-digits.py EXPECTED COMMAND [ARGUMENT]..."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EXPECTED, *COMMAND = sys.argv[1:]


def run(*options):
    return subprocess.run([*COMMAND, *options], capture_output=True, text=True, check=False)


def count_calls(summary, run_name):
    return sum(int(line.split()[-1]) for line in summary.splitlines() if line.startswith(run_name + " "))


class Digits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_well(self, *options):
        done = run("--events", str(self.folder), *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_same_in_every_language(self):
        lines = pathlib.Path(EXPECTED).read_text().splitlines()
        self.assertEqual(self.run_well("--summary").splitlines(), [line for line in lines if not line.startswith("#")])

    def test_report(self):
        text = self.run_well()
        accuracies = re.findall(r"accuracy on .*: ([\d.]+) % \((\d+) of (\d+)\)", text)
        self.assertEqual([int(rows) for _, _, rows in accuracies], [1797, 360])
        for percent, right, rows in accuracies:
            self.assertAlmostEqual(float(percent), 100 * int(right) / int(rows), delta=0.006)
            self.assertGreaterEqual(float(percent), 96)
        self.assertEqual(text.count("Self total (ns)"), 3)
        self.assertIn("(5, 64)", text)
        for line in text.splitlines():
            if line.startswith("events saved in "):
                self.assertTrue(os.path.samefile(os.path.dirname(line[16:]), self.folder))

    def test_saved_events(self):
        summary = self.run_well("--summary")
        for name, run_name in ("digits.json", "calls"), ("digits-tiered.json", "tiered-calls"):
            events = json.loads((self.folder / name).read_text())
            self.assertEqual(len(events["events"]), count_calls(summary, run_name))

    def test_missing_file(self):
        done = run("--data", str(self.folder / "missing.csv"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing.csv", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_ragged_file(self):
        ragged = self.folder / "ragged.csv"
        ragged.write_text("1,2,3\n4,5\n")
        done = run("--data", str(ragged))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^digits: ")

    def test_missing_events_folder(self):
        done = run("--summary", "--events", str(self.folder / "missing"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
