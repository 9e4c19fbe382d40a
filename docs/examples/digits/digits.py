#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Classifies handwritten digits by tensor operations and shows which operations took the time; see README.md."""
import argparse
import collections
import gzip
import hashlib
import pathlib
import sys
import tempfile

import numpy as np
from gi.repository import GObject

from strideweave import CPU, DType, Evictable, FileBacked, Layout, Profiler, Shape, Stride, Tensor
from strideweave.operation import add, argmax, broadcast_to, matmul, move, mul, relu

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 128
PIXELS = 64
HELD_OUT_EVERY = 5

Network = collections.namedtuple("Network", "hidden_weight hidden_bias output_weight output_bias")


def load_matrix(path):
    """Loads a file of comma-separated numbers; the tensor uses the array's memory."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        return Tensor.from_numpy(np.loadtxt(file, np.float32, delimiter=",", ndmin=2))


def load_network(folder):
    return Network(*(load_matrix(folder / f"{name.replace('_', '-')}.csv") for name in Network._fields))


def batches(digits):
    """Views of the images, BATCH at a time, without their labels."""
    rows, columns = digits.layout.shape.top_level
    for first in range(0, rows, BATCH):
        layout = Layout(Shape(min(BATCH, rows - first), PIXELS), Stride(columns, 1))
        yield Tensor(digits.carrier, first * columns, layout)


def affine(tensor, weight, bias):
    product = matmul(tensor, weight)
    return add(product, broadcast_to(bias, product.shape))


def classify(network, batch):
    """The digit that each image of the batch shows."""
    hidden = relu(affine(mul(batch, 1 / 16), network.hidden_weight, network.hidden_bias))
    return argmax(affine(hidden, network.output_weight, network.output_bias), 1)


def profile_all(network, digits):
    with Profiler(record_shapes=True) as profiler:
        classes = [classify(network, batch) for batch in batches(digits)]
    return profiler, np.concatenate([np.asarray(tensor) for tensor in classes])


def move_to_tiers(tensor):
    """Moves the tensor's carrier into memory that can be evicted to a file, and lets it go there and back."""
    primary = CPU(tensor.carrier.size(), dtype=DType.Float32)
    tiers = Evictable(primary, FileBacked(dtype=DType.Float32))
    moved = move(tensor, tiers)
    tiers.evict()
    tiers.promote()
    return moved


def profile_tiered(network, digits):
    """Moves everything, and classifies the first batch."""
    network = Network(*map(move_to_tiers, network))
    batch = next(batches(move_to_tiers(digits)))
    with Profiler(record_shapes=True) as profiler:
        classes = classify(network, batch)
    # What may leave the memory at any time cannot be a view of NumPy's.
    return profiler, np.array(list(classes))


def print_accuracy(what, right):
    print(f"accuracy on {what}: {100 * right.mean():.2f} % ({right.sum()} of {len(right)})")


def print_report(plain, tiers, predictions, labels):
    print(f"{len(predictions)} handwritten digits, classified by Strideweave operations in batches of {BATCH}")
    print_accuracy("all digits", predictions == labels)
    print_accuracy("the digits held out of the training", (predictions == labels)[::HELD_OUT_EVERY])
    print("\nWhere the time went:", plain.table(), sep="\n")
    print("\nThe same by the shapes of the inputs:", plain.table(group_by_input_shape=True), sep="\n")
    print("\nOne batch again, in memory that can be evicted to files: outer operations and their inner ones:")
    print(tiers.table())
    print()


def print_summary(runs):
    """What is the same in every run and in every language."""
    for name, (_, predictions) in runs.items():
        text = "".join(map(str, predictions))
        print(f"{name}predictions", hashlib.sha256(text.encode()).hexdigest())
    for name, (profiler, _) in runs.items():
        for row in profiler.key_averages():
            print(f"{name}calls", row.name, GObject.type_name(row.carrier_type), row.count)


def main():
    parser = argparse.ArgumentParser(description="classify handwritten digits")
    parser.add_argument("--summary", action="store_true", help="print only what is the same in every run")
    parser.add_argument("--events", type=pathlib.Path, metavar="FOLDER", help="where to save the events")
    parser.add_argument("--data", type=pathlib.Path, metavar="FILE", help="the digits",
                        default=HERE.parents[2] / "tests/data/digits.csv.gz")
    parser.add_argument("--weights", type=pathlib.Path, metavar="FOLDER", help="the trained network",
                        default=HERE / "weights")
    options = parser.parse_args()

    digits = load_matrix(options.data)
    labels = np.array(digits, np.int64)[:, PIXELS]
    network = load_network(options.weights)
    runs = {"": profile_all(network, digits), "tiered-": profile_tiered(network, digits)}
    plain, tiers = runs[""][0], runs["tiered-"][0]
    if options.summary:
        print_summary(runs)
    else:
        print_report(plain, tiers, runs[""][1], labels)
    folder = options.events or pathlib.Path(tempfile.mkdtemp(prefix="strideweave-digits-"))
    for profiler, name in (plain, "digits.json"), (tiers, "digits-tiered.json"):
        profiler.save_json(str(folder / name))
        if not options.summary:
            print("events saved in", folder / name)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"digits: {error}")
