#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blurs a photograph, finds its edges and makes it smaller by tensor operations, and shows which of them took the time;
see README.md."""
import argparse
import hashlib
import pathlib
import sys
import tempfile

import gi
import numpy as np

try:
    gi.require_version("GdkPixbuf", "2.0")
except ValueError as missing:
    sys.exit(f"photo: {missing}; Debian has it in the package gir1.2-gdkpixbuf-2.0")
from gi.repository import GdkPixbuf, GLib, GObject  # noqa: E402

from strideweave import DType, Layout, Profiler, Shape, Stride, Tensor, ones, tensor  # noqa: E402
from strideweave.operation import (  # noqa: E402
    avg_pool, broadcast_to, cast, clamp, conv_general, max_pool, permute, reduce_sum, round, sqrt, unsqueeze,
)

HERE = pathlib.Path(__file__).resolve().parent

# Windows along one mode. All numbers are multiples of powers of two, so that sums of pixels are exact in any order.
WIDE_BELL = [n / 256 for n in (1, 8, 28, 56, 70, 56, 28, 8, 1)]
SMALL_BELL = [n / 4 for n in (1, 2, 1)]
HALVING_BELL = [n / 8 for n in (1, 3, 3, 1)]

# How bright red, green and blue are, and how brightness grows to the right and downwards.
BRIGHTNESS = [[[[77 / 256]], [[150 / 256]], [[29 / 256]]]]
GROWTH = [[[[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]], [[[-1, -2, -1], [0, 0, 0], [1, 2, 1]]]]


# Files


def load_photograph(path):
    """The file as a Tensor (1, 3, height, width): a view of the decoder's pixels as they lie, without what pads its rows."""
    pixbuf = GdkPixbuf.Pixbuf.new_from_file(str(path))
    pixels = np.frombuffer(pixbuf.read_pixel_bytes().get_data(), np.uint8).astype(np.float32)
    steps = Stride(0, 1, pixbuf.get_rowstride(), pixbuf.get_n_channels())
    layout = Layout(Shape(1, 3, pixbuf.get_height(), pixbuf.get_width()), steps)
    return Tensor(Tensor.from_numpy(pixels).carrier, 0, layout)


def save_picture(picture, path):
    """Writes a Tensor (1, height, width, 3) of bytes."""
    _, height, width, channels = picture.layout.shape.top_level
    data = GLib.Bytes.new(np.asarray(picture).astype(np.uint8).tobytes())
    pixbuf = GdkPixbuf.Pixbuf.new_from_bytes(data, GdkPixbuf.Colorspace.RGB, False, 8, width, height, width * channels)
    pixbuf.savev(str(path), "png", [], [])


# The pipeline


def convolve_both_ways(image, bell, step=1, padding=0):
    """Convolves each channel by itself with the bell: downwards, then to the right."""
    channels = image.layout.shape.top_level[1]
    bell = tensor(bell, dtype=DType.Float32)
    downwards = broadcast_to(bell[None, None, :, None], (channels, 1, bell.size(), 1))
    rightwards = broadcast_to(bell[None, None, None, :], (channels, 1, 1, bell.size()))
    image = conv_general(image, downwards, strides=(step, 1), padding=(padding, 0), groups=channels)
    return conv_general(image, rightwards, strides=(1, step), padding=(0, padding), groups=channels)


def average(image, bell, step=1):
    """The same as a mean, also where the bell reaches beyond the image: what is outside has no weight."""
    padding = (len(bell) - 1) // 2
    rows, columns = image.layout.shape.top_level[2:]
    weights = convolve_both_ways(broadcast_to(ones((1, 1, 1, 1)), (1, 1, rows, columns)), bell, step, padding)
    return convolve_both_ways(image, bell, step, padding) / weights


def find_edges(photograph):
    """How much brightness changes from pixel to pixel, (1, 1, height - 4, width - 4)."""
    brightness = conv_general(photograph, tensor(BRIGHTNESS, dtype=DType.Float32))
    smooth = convolve_both_ways(brightness, SMALL_BELL)
    growth = conv_general(smooth, tensor(GROWTH, dtype=DType.Float32))
    return clamp(unsqueeze(sqrt(reduce_sum(growth * growth, 1)), 1), 0, 255)


def draw(colours, edges):
    """Colours, darkened where the edges are."""
    inside = colours[:, :, 2:-2, 2:-2]
    return inside - inside * (edges / 255)


def process(photograph):
    """All stages by name."""
    blurred = average(photograph, WIDE_BELL)
    edges = find_edges(photograph)
    return {
        "blurred": blurred,
        "edges": edges,
        "drawing": draw(blurred, edges),
        "half-convolved": average(photograph, HALVING_BELL, 2),
        "half-pooled": avg_pool(photograph, 2),
        "half-edges": max_pool(edges, 2),
    }


def to_picture(stage):
    """The stage as bytes in the order of a file, grey as three equal colours."""
    whole = cast(round(clamp(stage, 0, 255)), DType.Int32)
    rows, columns = stage.layout.shape.top_level[2:]
    return permute(broadcast_to(whole, (1, 3, rows, columns)), 0, 2, 3, 1)


# What is printed


def print_report(photograph, stages, profiler):
    rows, columns = photograph.layout.shape.top_level[2:]
    print(f"a photograph of {columns} by {rows} pixels, and what Strideweave operations made of it:")
    for name, stage in stages.items():
        rows, columns = stage.layout.shape.top_level[2:]
        print(f"  {name}: {columns} by {rows}")
    print("\nWhere the time went:", profiler.table(), sep="\n")
    print("\nThe same by the shapes of the inputs:", profiler.table(group_by_input_shape=True), sep="\n")
    print()


def print_summary(stages, profiler):
    """What is the same in every run and in every language: the exact values of each stage, and how often what ran."""
    for name, stage in stages.items():
        values = np.asarray(stage).tobytes(order="F")
        print("stage", name, *stage.layout.shape.top_level, hashlib.sha256(values).hexdigest())
    for row in profiler.key_averages():
        print("calls", row.name, GObject.type_name(row.carrier_type), row.count)


def main():
    parser = argparse.ArgumentParser(description="blur a photograph, find its edges, make it smaller")
    parser.add_argument("--summary", action="store_true", help="print only what is the same in every run")
    parser.add_argument("--input", type=pathlib.Path, metavar="FILE", help="the photograph",
                        default=HERE / "chelsea.png")
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER", help="where to save the pictures")
    options = parser.parse_args()

    photograph = load_photograph(options.input)
    with Profiler(record_shapes=True) as profiler:
        stages = process(photograph)
        pictures = {name: to_picture(stage) for name, stage in stages.items()}
    (print_summary if options.summary else lambda *rest: print_report(photograph, *rest))(stages, profiler)
    folder = options.output or pathlib.Path(tempfile.mkdtemp(prefix="strideweave-photo-"))
    for name, picture in pictures.items():
        save_picture(picture, folder / f"{name}.png")
        if not options.summary:
            print("picture saved in", folder / f"{name}.png")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, GLib.Error) as error:
        sys.exit(f"photo: {error.message if isinstance(error, GLib.Error) else error}")
