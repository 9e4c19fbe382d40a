# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks one of the programs that process a photograph against NumPy: check-photo.py PHOTOGRAPH [COMMAND [ARGUMENT]...]"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from pictures import read_png, write_png

PHOTOGRAPH, *COMMAND = sys.argv[1:]
SKIPPED = 77

CALLS = """
avg_pool 1, broadcast_to 21, cast 6, clamp 7, conv_general 12, div 3, max_pool 1, mul 2, permute 6, reduce_sum 1, round 6, sqrt 1,
sub 1, unsqueeze 1
"""


# NumPy's result, (channels, height, width). All sums but those of squares are exact, so that their order does not matter.


def convolve(image, bell, axis, step, padding):
    widths = [(0, 0)] * 3
    widths[axis] = (padding, padding)
    image = np.moveaxis(np.pad(image, widths), axis, 0)
    places = image.shape[0] - len(bell) + 1
    parts = [np.float32(weight) * image[first : first + places : step] for first, weight in enumerate(bell)]
    return np.moveaxis(np.sum(parts, 0, dtype=np.float32), 0, axis)


def binomial(n):
    """The chances of 0 to n heads of n coins."""
    return np.convolve(binomial(n - 1), [0.5, 0.5]) if n else np.ones(1)


def average(image, bell, step):
    padding = (len(bell) - 1) // 2
    sums, weights = (
        convolve(convolve(values, bell, 1, step, padding), bell, 2, step, padding)
        for values in (image, np.ones_like(image))
    )
    return sums / weights


def find_edges(image):
    red, green, blue = image
    smooth = ((77 * red + 150 * green + 29 * blue) / 256)[None]
    for axis in 1, 2:
        smooth = convolve(smooth, binomial(2), axis, 1, 0)
    rightwards = convolve(convolve(smooth, [-1, 0, 1], 2, 1, 0), [1, 2, 1], 1, 1, 0)
    downwards = convolve(convolve(smooth, [-1, 0, 1], 1, 1, 0), [1, 2, 1], 2, 1, 0)
    return np.clip(np.sqrt(rightwards * rightwards + downwards * downwards), 0, 255)


def pool(image, function):
    height, width = (extent // 2 for extent in image.shape[1:])
    return function(image[:, : 2 * height, : 2 * width].reshape(-1, height, 2, width, 2), axis=(2, 4))


def process(pixels):
    image = np.ascontiguousarray(pixels.astype(np.float32).transpose(2, 0, 1))
    blurred, edges = average(image, binomial(8), 1), find_edges(image)
    inside = blurred[:, 2:-2, 2:-2]
    return {
        "blurred": blurred,
        "edges": edges,
        "drawing": inside - inside * (edges / np.float32(255)),
        "half-convolved": average(image, binomial(3), 2),
        "half-pooled": pool(image, np.mean),
        "half-edges": pool(edges, np.max),
    }


def describe(name, stage):
    assert stage.dtype == np.float32
    return " ".join(map(str, ["stage", name, 1, *stage.shape, hashlib.sha256(stage.tobytes(order="F")).hexdigest()]))


def as_picture(stage):
    """Pixels of bytes, grey as three equal colours."""
    pixels = np.rint(np.clip(stage, 0, 255)).astype(np.uint8).transpose(1, 2, 0)
    return np.broadcast_to(pixels, (*pixels.shape[:2], 3))


def run(*options):
    return subprocess.run([*COMMAND, *map(str, options)], capture_output=True, text=True, check=False)


class Photo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_well(self, *options):
        done = run("--output", self.folder, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def check(self, pixels, *options):
        """Compares each value of each stage, and each pixel that was written, with NumPy's."""
        lines = self.run_well("--summary", *options).splitlines()
        expected = process(pixels)
        self.assertEqual([line for line in lines if line.startswith("stage")], [describe(*item) for item in expected.items()])
        self.assertEqual(sorted(path.stem for path in self.folder.glob("*.png") if path.stem != "input"), sorted(expected))
        for name, stage in expected.items():
            np.testing.assert_array_equal(read_png(self.folder / f"{name}.png"), as_picture(stage), name)
        return lines

    def check_pixels(self, pixels):
        write_png(self.folder / "input.png", pixels)
        self.check(pixels[:, :, :3], "--input", self.folder / "input.png")

    def check_failure(self, done, *patterns):
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "^photo: .")
        for pattern in patterns:
            self.assertIn(pattern, done.stderr)

    def test_photograph(self):
        lines = self.check(read_png(PHOTOGRAPH))
        calls = [line.split() for line in lines if line.startswith("calls")]
        self.assertEqual([(name, int(count)) for _, name, carrier, count in calls if carrier == "SwCPU"],
                         [(name, int(count)) for name, count in re.findall(r"(\w+) (\d+)", CALLS)])
        self.assertEqual(len(lines), 6 + len(calls))

    def test_report(self):
        text = self.run_well()
        self.assertIn("a photograph of 381 by 290 pixels", text)
        self.assertEqual(re.findall(r"^  (\S+): (\d+) by (\d+)$", text, re.M), [
            ("blurred", "381", "290"), ("edges", "377", "286"), ("drawing", "377", "286"),
            ("half-convolved", "190", "145"), ("half-pooled", "190", "145"), ("half-edges", "188", "143"),
        ])
        self.assertEqual(text.count("Self total (ns)"), 2)
        self.assertIn("(1, 3, 290, 381), (3, 1, 9, 1)", text)
        saved = re.findall(r"^picture saved in (.*)$", text, re.M)
        self.assertEqual(len(saved), 6)
        for path in saved:
            self.assertTrue(os.path.samefile(os.path.dirname(path), self.folder))
            self.assertTrue(os.path.exists(path))

    def test_edges_are_where_brightness_changes(self):
        # Left black, right white: the edge is 255 * (1 + 2 + 1) high, spread over four columns, and nowhere else.
        pixels = np.zeros((20, 30, 3), np.uint8)
        pixels[:, 15:] = 255
        self.check_pixels(pixels)
        edges = read_png(self.folder / "edges.png")
        self.assertEqual(np.unique(np.nonzero(edges)[1]).tolist(), [11, 12, 13, 14])
        blurred = read_png(self.folder / "blurred.png")
        # The frame of the picture is as bright as the rest: nothing outside counts.
        self.assertEqual((blurred[:, 0].max(), blurred[:, -1].min()), (0, 255))

    def test_rows_with_padding(self):
        self.check_pixels(np.random.default_rng(1).integers(0, 256, (9, 7, 3), np.uint8))

    def test_transparency_is_left_out(self):
        self.check_pixels(np.random.default_rng(2).integers(0, 256, (8, 11, 4), np.uint8))

    def test_smallest(self):
        self.check_pixels(np.random.default_rng(3).integers(0, 256, (6, 6, 3), np.uint8))

    def test_too_small(self):
        write_png(self.folder / "input.png", np.zeros((4, 9, 3), np.uint8))
        self.check_failure(run("--input", self.folder / "input.png", "--output", self.folder))

    def test_missing_file(self):
        self.check_failure(run("--input", self.folder / "missing.png"), "missing.png")

    def test_no_picture(self):
        (self.folder / "text.png").write_text("no picture\n")
        self.check_failure(run("--input", self.folder / "text.png"))

    def test_cut_file(self):
        data = pathlib.Path(PHOTOGRAPH).read_bytes()
        (self.folder / "cut.png").write_bytes(data[: len(data) // 2])
        self.check_failure(run("--input", self.folder / "cut.png"))

    def test_missing_folder(self):
        done = run("--summary", "--output", self.folder / "missing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing", done.stderr)


if __name__ == "__main__":
    reason = "the program was not built: gdk-pixbuf-2.0 was not found" if not COMMAND else ""
    if COMMAND and "GdkPixbuf" in (complaint := run("--help").stderr):
        reason = complaint.strip()
    if reason:
        print("SKIP:", reason)
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
