#!/usr/bin/env python3
"""Writes the golden tables of tests/numerics from ml_dtypes and numpy, which know nothing of the code under test.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install ml_dtypes numpy && /tmp/venv/bin/python generate.py

All files are little-endian. Where ml_dtypes and the silicon differ by documentation (NaN payloads, NaN into a format
without NaN) the inputs are left out here and tested against the facts instead.
  decode_<format>.u32     f32 bits of every code in order
  decode_f16.u32          runs (first code, f32 bits, step of the bits) over all non-negative, non-NaN f16 codes
  runs_<source>_<format>[_saturated].u16   all non-NaN f16 or bf16 patterns in order, run-length coded: (first, code)
  encode_<format>[_saturated].u32          (f32 bits, code): every rounding boundary +-1 ulp, both signs, and random
  scaled_<format>.u32     (f32 bits, E8M0 scale, code of x / 2^(scale-127) rounded once)
  stochastic_<format>.u32 (f32 bits, seed, code)
"""
import bisect
import pathlib
from fractions import Fraction

import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).parent
RANDOM = np.random.default_rng(950)
# name: (dtype, width, mantissa bits, saturated variant exists)
SMALL = {
    "fp8": (ml_dtypes.float8_e4m3fn, 8, 3, True),
    "bf8": (ml_dtypes.float8_e5m2, 8, 2, True),
    "fp6": (ml_dtypes.float6_e2m3fn, 6, 3, False),
    "bf6": (ml_dtypes.float6_e3m2fn, 6, 2, False),
    "fp4": (ml_dtypes.float4_e2m1fn, 4, 1, False),
}


def save(name, values):
    kind = {"u32": "<u4", "u16": "<u2"}[name.rsplit(".")[-1]]
    np.asarray(values, np.uint32).astype(kind).tofile(HERE / name)


def bits(x):
    return np.asarray(x, np.float32).view(np.uint32)


def decoded(dtype, count):
    return np.arange(count, dtype=np.uint8).view(dtype).astype(np.float32)


def encoded(x, dtype, saturate):
    x = np.asarray(x, np.float32)
    if saturate:
        limit = np.float32(ml_dtypes.finfo(dtype).max)
        x = np.clip(x, -limit, limit)
    kind = np.uint8 if np.dtype(dtype).itemsize == 1 else np.uint16
    with np.errstate(over="ignore", invalid="ignore"):
        return x.astype(dtype).view(kind).astype(np.uint32)


def finite_magnitudes(dtype, width):
    values = decoded(dtype, 1 << (width - 1))
    return values[np.isfinite(values)]


def around_boundaries(values):
    """Values, midpoints and the overflow boundary, each with both f32 neighbours, in both signs."""
    values = np.append(values.astype(np.float64), 2 * np.float64(values[-1]) - np.float64(values[-2]))
    points = np.concatenate([values, (values[1:] + values[:-1]) / 2]).astype(np.float32)
    points = np.concatenate([points, np.nextafter(points, np.float32(-1)), np.nextafter(points, np.float32(np.inf))])
    return np.concatenate([points, -points])


def random_around(values, count):
    """Random significands with exponents from below the smallest to above the largest value."""
    low, high = np.log2(values[values > 0].min()) - 3, np.log2(values.max()) + 2
    return (np.exp2(RANDOM.uniform(low, high, count)) * RANDOM.choice([-1, 1], count)).astype(np.float32)


def runs(patterns, codes):
    starts = np.concatenate([[0], np.nonzero(np.diff(codes.astype(np.int64)))[0] + 1])
    return np.stack([patterns[starts], codes[starts]], 1).ravel()


def sixteen_bit_sources():
    patterns = np.arange(65536, dtype=np.uint16)
    for name, dtype in (("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
        x = patterns.view(dtype).astype(np.float32)
        yield name, patterns[~np.isnan(x)], x[~np.isnan(x)]


def rounded_once(x, values):
    """Code of the table value nearest to the exact Fraction x >= 0, ties to the even code; len(values) = overflow."""
    table = [Fraction(float(v)) for v in values]
    table.append(2 * table[-1] - table[-2])
    high = bisect.bisect_left(table, x)
    if high == len(table):
        return len(values)
    if high == 0 or table[high] == x:
        return high
    below, above = x - table[high - 1], table[high] - x
    return high - 1 if below < above or (below == above and (high - 1) % 2 == 0) else high


def rounded_stochastically(x, values, seed, mantissa_bits):
    """Facts 4.1, 4.2: 23-M bits below the last result bit survive, the top 23-M seed bits are added, then truncation."""
    table = [Fraction(float(v)) for v in values]
    step = table[-1] - table[-2]
    table.append(table[-1] + step)
    if x >= table[-1]:
        return len(values)
    low = bisect.bisect_right(table, x) - 1
    working = 23 - mantissa_bits
    fraction = (x - table[low]) / (table[low + 1] - table[low]) * 2**working // 1
    return low + (1 if fraction + (seed >> (32 - working)) >= 2**working else 0)


def small_format(name, dtype, width, mantissa_bits, has_saturation):
    save(f"decode_{name}.u32", bits(decoded(dtype, 1 << width)))
    values = finite_magnitudes(dtype, width)
    points = np.concatenate([around_boundaries(values), random_around(values, 500), [np.inf, -np.inf, 0.0, -0.0]])
    for suffix, saturate in [("", False)] + [("_saturated", True)] * has_saturation:
        save(f"encode_{name}{suffix}.u32", np.stack([bits(points), encoded(points, dtype, saturate)], 1).ravel())
        for source, patterns, x in sixteen_bit_sources():
            save(f"runs_{source}_{name}{suffix}.u16", runs(patterns, encoded(x, dtype, saturate)))

    sign = 1 << (width - 1)
    overflow = {"fp8": 0x7F, "bf8": 0x7C}.get(name, len(values) - 1)

    def code(k, x):
        return (overflow if k == len(values) else k) | (sign if np.signbit(x) else 0)

    scaled = []
    anything = RANDOM.integers(0, 2**32, 4000, dtype=np.uint32).view(np.float32)
    f32_subnormals = RANDOM.integers(0, 2**23, 100, dtype=np.uint32).view(np.float32)
    for x in np.concatenate([anything[np.isfinite(anything)], f32_subnormals, RANDOM.choice(points[:-4], 300)]):
        # A scale that brings x into the format's range, so that the rounding is exercised.
        wanted = int(np.clip(np.frexp(x)[1] + 127 - np.frexp(RANDOM.choice(values))[1], 0, 254))
        exact = abs(Fraction(float(x))) / Fraction(2) ** (wanted - 127)
        scaled += [bits(x), wanted, code(rounded_once(exact, values), x)]
    save(f"scaled_{name}.u32", scaled[: 3 * 600] + scaled[-3 * 400 :])

    stochastic = []
    for x in random_around(values, 1000):
        seed = int(RANDOM.integers(0, 2**32))
        stochastic += [bits(x), seed, code(rounded_stochastically(abs(Fraction(float(x))), values, seed, mantissa_bits), x)]
    save(f"stochastic_{name}.u32", stochastic)


def wide_format(name, dtype, kind):
    """f16 and bf16: a sample of the boundaries; the test itself walks all of them against the compiler's conversion."""
    values = np.arange(0x8000, dtype=np.uint16).view(dtype).astype(np.float32)
    values = values[np.isfinite(values)]
    low = RANDOM.integers(0, len(values) - 1, 700)
    middle = ((values[low].astype(np.float64) + values[low + 1]) / 2).astype(np.float32)
    points = np.concatenate([middle, np.nextafter(middle, np.float32(-1)), np.nextafter(middle, np.float32(np.inf))])
    points = np.concatenate([points, -middle[:200], random_around(values, 800) if name == "f16" else points[:0]])
    anything = RANDOM.integers(0, 2**32, 800, dtype=np.uint32).view(np.float32)
    points = np.concatenate([points, anything[~np.isnan(anything)], [np.inf, -np.inf, 0.0, -0.0, 65519.996, 65520, 3.4e38]])
    save(f"encode_{name}.u32", np.stack([bits(points), encoded(points, kind, False)], 1).ravel())


for name, entry in SMALL.items():
    small_format(name, *entry)
wide_format("f16", np.float16, np.float16)
wide_format("bf16", ml_dtypes.bfloat16, ml_dtypes.bfloat16)
save("decode_e8m0.u32", bits(np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu).astype(np.float32)))
f16 = bits(np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float32)).astype(np.int64)
firsts = [0]
for c in range(2, len(f16)):
    if f16[c] - f16[c - 1] != f16[firsts[-1] + 1] - f16[firsts[-1]] and c > firsts[-1] + 1:
        firsts.append(c)
save("decode_f16.u32", [v for c in firsts for v in (c, f16[c], f16[min(c + 1, 0x7C00)] - f16[c])])
