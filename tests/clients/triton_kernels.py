"""Kernels of Triton's tutorials' kinds, written here: softmax, matmul in bf16 and FP8, dot_scaled, attention. Each is right
against NumPy and without a hazard."""
import ml_dtypes
import numpy
import triton
import triton.language as tl

import fmha950_triton
from fmha950_hip import Hip, Tensor
from judge import require


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * columns + at, at < columns, other=-float("inf"))
    e = tl.exp(row - tl.max(row, 0))
    tl.store(out + tl.program_id(0) * columns + at, e / tl.sum(e, 0), at < columns)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sum = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (first + k)[None, :])
        right = tl.load(b + (first + k)[:, None] * N + n[None, :])
        sum = tl.dot(left, right, sum)
    tl.store(c + m[:, None] * N + n[None, :], sum)


@triton.jit
def matmul_scaled(a, a_scale, b, b_scale, c, N, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """One block of 32 along K has one E8M0 scale; scales of b are by column."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, K)
    group = tl.arange(0, K // 32)
    left = tl.load(a + m[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + n[None, :])
    left_scale = tl.load(a_scale + m[:, None] * (K // 32) + group[None, :])
    right_scale = tl.load(b_scale + n[:, None] * (K // 32) + group[None, :])
    tl.store(c + m[:, None] * N + n[None, :], tl.dot_scaled(left, left_scale, "e4m3", right, right_scale, "e4m3"))


@triton.jit
def attention(q, k, v, out, keys, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + m[:, None] * D + d[None, :])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sum = tl.zeros((BM, D), tl.float32)
    for first in range(0, keys, BN):
        n = first + tl.arange(0, BN)
        logits = tl.dot(query, tl.load(k + n[None, :] * D + d[:, None])) * scale
        larger = tl.maximum(top, tl.max(logits, 1))
        p = tl.exp(logits - larger[:, None])
        shrink = tl.exp(top - larger)
        total = total * shrink + tl.sum(p, 1)
        sum = tl.dot(p.to(tl.bfloat16), tl.load(v + n[:, None] * D + d[None, :]), sum * shrink[:, None])
        top = larger
    tl.store(out + m[:, None] * D + d[None, :], sum / total[:, None])


hip = Hip()
fmha950_triton.activate()
random = numpy.random.default_rng(2)
KINDS = {"bf16": ml_dtypes.bfloat16, "fp8e4nv": ml_dtypes.float8_e4m3fn, "u8": numpy.uint8}


def normal(shape, kind):
    return random.standard_normal(shape).astype(KINDS[kind])


def on_device(array, kind):
    return Tensor(hip, array, kind)


def empty(*shape):
    return Tensor(hip, numpy.full(shape, numpy.nan, numpy.float32), "fp32")


def exact(array):
    return array.astype(numpy.float64)


x = random.standard_normal((8, 1000)).astype(numpy.float32)
out = empty(8, 1000)
softmax[(8,)](on_device(x, "fp32"), out, 1000, BLOCK=1024)
e = numpy.exp(exact(x) - exact(x).max(1, keepdims=True))
require(hip, "softmax", out.read(), e / e.sum(1, keepdims=True), 1e-6)

# Inputs are exact, sums are float32: what is left is their rounding.
for kind in ("bf16", "fp8e4nv"):
    a, b = normal((128, 256), kind), normal((256, 128), kind)
    out = empty(128, 128)
    matmul[(2, 2)](on_device(a, kind), on_device(b, kind), out, 128, 128, 256, BM=64, BN=64, BK=64)
    require(hip, f"matmul {kind}", out.read(), exact(a) @ exact(b), 1e-6)

a, b = normal((64, 256), "fp8e4nv"), normal((256, 64), "fp8e4nv")
a_scale, b_scale = random.integers(122, 133, (2, 64, 8), numpy.uint8)
out = empty(64, 64)
matmul_scaled[(1, 1)](on_device(a, "fp8e4nv"), on_device(a_scale, "u8"), on_device(b, "fp8e4nv"), on_device(b_scale, "u8"), out,
                      64, K=256, BM=64, BN=64)
right = (exact(a) * 2.0 ** (exact(a_scale) - 127).repeat(32, 1)) @ (exact(b) * 2.0 ** (exact(b_scale) - 127).repeat(32, 1).T)
require(hip, "dot_scaled", out.read(), right, 1e-6)

# P is rounded to bf16, to 2^-9 of itself.
q, k, v = normal((128, 64), "bf16"), normal((256, 64), "bf16"), normal((256, 64), "bf16")
out = empty(128, 64)
attention[(2,)](on_device(q, "bf16"), on_device(k, "bf16"), on_device(v, "bf16"), out, 256, 0.125, BM=64, BN=64, D=64)
logits = exact(q) @ exact(k).T * 0.125
p = numpy.exp(logits - logits.max(1, keepdims=True))
require(hip, "attention", out.read(), p @ exact(v) / p.sum(1, keepdims=True), 2.0**-9)
