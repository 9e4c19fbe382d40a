#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains the classifier of the digits example and writes its weights. Needs NumPy only; takes some seconds.

Rows whose index is divisible by 5 are held out: the training does not see them, and its settings were chosen by
cross-validation within the other rows.
"""
import argparse
import gzip
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
HELD_OUT_EVERY = 5
SEED = 20240229
HIDDEN = 48
EPOCHS = 1000
BATCH = 64
LEARNING_RATE = 2e-3
WEIGHT_DECAY = 1e-1


def load(path):
    """Pixels scaled to 0..1 and labels."""
    with gzip.open(path, "rt") as file:
        rows = np.loadtxt(file, delimiter=",", dtype=np.int64)
    return rows[:, :64].astype(np.float32) / 16, rows[:, 64]


def shifted(pixels, rng):
    """Moves each image by at most one pixel each way; two of three images stay in place on each axis."""
    images = np.pad(pixels.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    down, right = rng.choice([0, 1, 1, 1, 1, 2], (2, len(pixels)))
    rows = down[:, None, None] + np.arange(8)[:, None]
    columns = right[:, None, None] + np.arange(8)
    return images[np.arange(len(pixels))[:, None, None], rows, columns].reshape(-1, 64)


def initial(rng):
    """Weights and biases, by layer."""
    return {
        "hidden-weight": rng.normal(0, np.sqrt(2 / 64), (64, HIDDEN)).astype(np.float32),
        "hidden-bias": np.zeros((1, HIDDEN), np.float32),
        "output-weight": rng.normal(0, np.sqrt(1 / HIDDEN), (HIDDEN, 10)).astype(np.float32),
        "output-bias": np.zeros((1, 10), np.float32),
    }


def forward(weights, pixels):
    hidden = np.maximum(pixels @ weights["hidden-weight"] + weights["hidden-bias"], 0)
    return hidden, hidden @ weights["output-weight"] + weights["output-bias"]


def gradients(weights, pixels, labels):
    """Of the mean cross-entropy."""
    hidden, logits = forward(weights, pixels)
    error = np.exp(logits - logits.max(1, keepdims=True))
    error /= error.sum(1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = error @ weights["output-weight"].T * (hidden > 0)
    return {
        "hidden-weight": pixels.T @ back,
        "hidden-bias": back.sum(0, keepdims=True),
        "output-weight": hidden.T @ error,
        "output-bias": error.sum(0, keepdims=True),
    }


def train(pixels, labels):
    """Adam with decoupled weight decay; the step shrinks to zero along half a cosine."""
    rng = np.random.default_rng(SEED)
    weights = initial(rng)
    first = {name: np.zeros_like(array) for name, array in weights.items()}
    second = {name: np.zeros_like(array) for name, array in weights.items()}
    steps = EPOCHS * -(-len(labels) // BATCH)
    step = 0
    for _ in range(EPOCHS):
        images = shifted(pixels, rng)
        for batch in np.array_split(rng.permutation(len(labels)), -(-len(labels) // BATCH)):
            step += 1
            rate = LEARNING_RATE * (1 + np.cos(np.pi * step / steps)) / 2
            for name, gradient in gradients(weights, images[batch], labels[batch]).items():
                first[name] += 0.1 * (gradient - first[name])
                second[name] += 0.001 * (gradient**2 - second[name])
                update = first[name] / (1 - 0.9**step)
                update /= np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8
                if name.endswith("weight"):
                    update += WEIGHT_DECAY * weights[name]
                weights[name] -= np.float32(rate) * update
    return weights


def save(weights, folder):
    """One file for each array. Nine significant digits give each float32 back exactly."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in weights.items():
        np.savetxt(folder / f"{name}.csv", array, fmt="%.9g", delimiter=",")


def accuracy(weights, pixels, labels):
    return (forward(weights, pixels)[1].argmax(1) == labels).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=HERE.parents[2] / "tests/data/digits.csv.gz")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "weights")
    arguments = parser.parse_args()

    pixels, labels = load(arguments.data)
    held_out = np.arange(len(labels)) % HELD_OUT_EVERY == 0
    weights = train(pixels[~held_out], labels[~held_out])
    save(weights, arguments.output)
    print(f"trained on the {(~held_out).sum()} rows whose index is not divisible by {HELD_OUT_EVERY}")
    print(f"accuracy on them: {accuracy(weights, pixels[~held_out], labels[~held_out]):.2%}")
    print(f"accuracy on the {held_out.sum()} rows held out: {accuracy(weights, pixels[held_out], labels[held_out]):.2%}")


if __name__ == "__main__":
    main()
