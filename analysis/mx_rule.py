#!/usr/bin/python3
"""The tables of docs/activations.md on how MX scales are rounded: attention of the recorded heads in NumPy.

    mx_rule.py data/activations

The last 256 recorded queries of each layer over 4,096 keys, causal. First table: Q and K in FP8, V and everything else in float64.
Second: Q in MX FP8, K, V or both in MXFP4, the others exact. Relative L2 error of the output, in percent.
"""

import argparse
import pathlib

import numpy

QUERIES, KEYS, SCALE = 256, 4096, 1 / 8


E4M3 = (448, 3, -6)  # largest value, bits of the mantissa, exponent of the smallest normal number
E2M1 = (6, 1, 0)


def rounded(x, element):
    """To nearest even, saturating."""
    largest, mantissa, smallest = element
    exponent = numpy.floor(numpy.log2(numpy.maximum(numpy.abs(x), 2.0 ** (smallest - mantissa))))
    step = 2.0 ** (numpy.maximum(exponent, smallest) - mantissa)
    return numpy.sign(x) * numpy.minimum(numpy.abs(numpy.round(x / step) * step), largest)


def per_tensor(x):
    descale = numpy.abs(x).max() / 448
    return rounded(x / descale, E4M3) * descale


def microscaled(x, round_up, element=E4M3):
    """A power of two for 32 columns: of OCP MX v1.0 section 6.3, or the smallest that clips nothing."""
    blocks = x.reshape(*x.shape[:-1], -1, 32)
    largest = numpy.abs(blocks).max(-1, keepdims=True)
    of_element = numpy.floor(numpy.log2(element[0]))
    exponent = numpy.ceil(numpy.log2(largest / element[0])) if round_up else numpy.floor(numpy.log2(largest)) - of_element
    return (rounded(blocks / 2.0**exponent, element) * 2.0**exponent).reshape(x.shape)


def microscaled_values(v, round_up):
    """MXFP4 with a power of two for 32 keys of a column."""
    return microscaled(v.transpose(1, 2, 0), round_up, E2M1).transpose(2, 0, 1)


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
    second = ["| layer | K, as by OCP | K, rounded up | V, as by OCP | V, rounded up | both, as by OCP | both, rounded up |", "|---|---|---|---|---|---|---|"]
    print("| layer | per tensor | MX, rounded down as by OCP | MX, rounded up |\n|---|---|---|---|")
    for layer in (0, 10, 18, 28):
        q, k, v = (numpy.load(folder / f"L{layer:02}_{name}.npy").astype(float) for name in ("Q_pos3072-4095", "K", "V"))
        q = q[-QUERIES:]
        exact = attention(q, k, v)

        def error(*quantised):
            return f"{100 * numpy.linalg.norm(attention(*quantised) - exact) / numpy.linalg.norm(exact):.1f}"

        cells = [error(quantise(q), quantise(k), v)
                 for quantise in (per_tensor, lambda x: microscaled(x, False), lambda x: microscaled(x, True))]
        print(f"| {layer} | {' | '.join(cells)} |")
        narrow_k = [microscaled(k, round_up, E2M1) for round_up in (False, True)]
        narrow_v = [microscaled_values(v, round_up) for round_up in (False, True)]
        cells = [error(microscaled(q, round_up), *pair) for pairs in (zip(narrow_k, (v, v)), zip((k, k), narrow_v), zip(narrow_k, narrow_v))
                 for round_up, pair in zip((False, True), pairs)]
        second.append(f"| {layer} | {' | '.join(cells)} |")
    print("\n" + "\n".join(second))


if __name__ == "__main__":
    main()
