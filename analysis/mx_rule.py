#!/usr/bin/python3
"""The table of docs/activations.md on how MX scales are rounded: attention of the recorded heads in NumPy.

    mx_rule.py data/activations

The last 256 recorded queries of each layer over 4,096 keys, causal; Q and K in FP8, V and everything else in float64. Relative
L2 error of the output, in percent.
"""

import argparse
import pathlib

import numpy

QUERIES, KEYS, SCALE = 256, 4096, 1 / 8


def to_e4m3(x):
    """Rounded to nearest even, saturating at 448."""
    exponent = numpy.maximum(numpy.floor(numpy.log2(numpy.maximum(numpy.abs(x), 2.0**-9))), -6)
    step = 2.0 ** (exponent - 3)
    return numpy.sign(x) * numpy.minimum(numpy.abs(numpy.round(x / step) * step), 448)


def per_tensor(x):
    descale = numpy.abs(x).max() / 448
    return to_e4m3(x / descale) * descale


def microscaled(x, round_up):
    """A power of two for 32 columns: of OCP MX v1.0 section 6.3, or the smallest that clips nothing."""
    blocks = x.reshape(*x.shape[:-1], -1, 32)
    largest = numpy.abs(blocks).max(-1, keepdims=True)
    exponent = numpy.ceil(numpy.log2(largest / 448)) if round_up else numpy.floor(numpy.log2(largest)) - 8
    return (to_e4m3(blocks / 2.0**exponent) * 2.0**exponent).reshape(x.shape)


def attention(q, k, v):
    hidden = numpy.arange(KEYS)[None, :] > (KEYS - QUERIES + numpy.arange(QUERIES))[:, None]
    heads = []
    for head in range(q.shape[1]):
        scores = numpy.where(hidden, -numpy.inf, q[:, head] @ k[:, head // 3].T * SCALE)
        weights = numpy.exp(scores - scores.max(1, keepdims=True))
        heads.append(weights / weights.sum(1, keepdims=True) @ v[:, head // 3])
    return numpy.stack(heads, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="recorded tensors (data/activations/README.md)")
    folder = parser.parse_args().folder
    print("| layer | per tensor | MX, rounded down as by OCP | MX, rounded up |\n|---|---|---|---|")
    for layer in (0, 10, 18, 28):
        q, k, v = (numpy.load(folder / f"L{layer:02}_{name}.npy").astype(float) for name in ("Q_pos3072-4095", "K", "V"))
        q = q[-QUERIES:]
        exact = attention(q, k, v)
        cells = []
        for quantise in (per_tensor, lambda x: microscaled(x, False), lambda x: microscaled(x, True)):
            error = attention(quantise(q), quantise(k), v) - exact
            cells.append(f"{100 * numpy.linalg.norm(error) / numpy.linalg.norm(exact):.1f}")
        print(f"| {layer} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
