"""Tensors in files as NumPy arrays. NumPy has no bf16, fp8, bf8, e8m0 and mxfp4: their codes become float32, which holds them all exactly."""

import functools

import numpy


def bf16_to_float(codes: numpy.ndarray) -> numpy.ndarray:
    """uint16 bits of any shape -> float32."""
    return (codes.astype(numpy.uint32) << 16).view(numpy.float32)


@functools.cache
def _table_fp8():
    """OCP 8-bit floating point (OFP8) 1.0, table 1, E4M3: bias 7, no infinity, S.1111.111 is NaN."""
    codes = numpy.arange(256)
    exponent, mantissa = codes >> 3 & 15, codes & 7
    value = numpy.where(exponent == 0, mantissa / 8 * 2.0**-6, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
    value[(codes & 0x7F) == 0x7F] = numpy.nan
    return numpy.where(codes & 0x80, -value, value).astype(numpy.float32)


@functools.cache
def _table_e8m0():
    """OCP Microscaling Formats (MX) 1.0, section 5.4.1: 2^(code - 127), 0xFF is NaN."""
    value = numpy.ldexp(1.0, numpy.arange(256) - 127)
    value[255] = numpy.nan
    return value.astype(numpy.float32)


# OCP Microscaling Formats (MX) 1.0, table 5, E2M1: bias 1, neither infinity nor NaN.
_FP4 = numpy.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], numpy.float32)


def mxfp4_to_float(pairs: numpy.ndarray) -> numpy.ndarray:
    """uint8, each two codes of e2m1, the first in the lower half -> float32 with twice as many columns; scales are not applied."""
    return numpy.stack([_FP4[pairs & 15], _FP4[pairs >> 4]], axis=-1).reshape(*pairs.shape[:-1], 2 * pairs.shape[-1])


def fp8_to_float(codes: numpy.ndarray) -> numpy.ndarray:
    """uint8 codes of e4m3fn -> float32."""
    return _table_fp8()[codes]


def e8m0_to_float(codes: numpy.ndarray) -> numpy.ndarray:
    """uint8 codes of e8m0 -> float32."""
    return _table_e8m0()[codes]


def bf8_to_float(codes: numpy.ndarray) -> numpy.ndarray:
    """uint8 codes of e5m2, the upper half of a float16 -> float32."""
    return (codes.astype(numpy.uint16) << 8).view(numpy.float16).astype(numpy.float32)


CONVERSIONS = {"bf16": (numpy.uint16, bf16_to_float), "fp8": (numpy.uint8, fp8_to_float), "bf8": (numpy.uint8, bf8_to_float),
               "e8m0": (numpy.uint8, e8m0_to_float), "mxfp4": (numpy.uint8, mxfp4_to_float)}


def load(path, kind: str) -> numpy.ndarray:
    """The array of a .npy file whose elements are of `kind`, a key of CONVERSIONS; of any other kind the array as it is."""
    array = numpy.load(path)
    if kind not in CONVERSIONS:
        return array
    codes, convert = CONVERSIONS[kind]
    return convert(array.view(codes))
