"""Kernels of the kinds that Triton's tutorials have, written here."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)


@triton.jit
def softmax(x, out, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr):
    """Each program goes through rows, as many apart as there are programs."""
    at = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        values = tl.load(x + row * x_stride + at, at < columns, other=-float("inf")).to(tl.float32)
        e = tl.exp(values - tl.max(values, 0))
        tl.store(out + row * out_stride + at, e / tl.sum(e, 0), at < columns)


@triton.autotune([triton.Config({"BM": 64, "BN": 64, "BK": 64, "GROUP": 2}, num_warps=4),
                  triton.Config({"BM": 32, "BN": 32, "BK": 32, "GROUP": 1}, num_warps=4)], key=["M", "N", "K"])
@triton.jit
def matmul(a, b, c, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """Tiles of C in groups of rows, so that neighbours share what they read."""
    program, columns = tl.program_id(0), tl.cdiv(N, BN)
    first = program // (GROUP * columns) * GROUP
    height = min(tl.cdiv(M, BM) - first, GROUP)
    within = program % (GROUP * columns)
    m = (first + within % height) * BM + tl.arange(0, BM)
    n = within // height * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + m[:, None] * am + (start + k)[None, :] * ak, (m[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        right = tl.load(b + (start + k)[:, None] * bk + n[None, :] * bn, ((start + k)[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * cm + n[None, :] * cn, total.to(c.dtype.element_ty), (m[:, None] < M) & (n[None, :] < N))


@triton.jit
def layer_norm(x, weight, bias, out, mean, rstd, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, at < columns, other=0.0).to(tl.float32)
    middle = tl.sum(values, 0) / columns
    apart = tl.where(at < columns, values - middle, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, 0) / columns + eps)
    tl.store(mean + row, middle)
    tl.store(rstd + row, scale)
    tl.store(out + row * columns + at, apart * scale * tl.load(weight + at, at < columns) + tl.load(bias + at, at < columns), at < columns)


@triton.jit
def layer_norm_backward(gradient, x, weight, mean, rstd, x_gradient, weight_gradient, bias_gradient, columns, BLOCK: tl.constexpr):
    """Gradients of weight and bias are sums over the programs, by atomics."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    g = tl.load(gradient + row * columns + at, inside, other=0.0)
    normal = (tl.load(x + row * columns + at, inside, other=0.0) - tl.load(mean + row)) * tl.load(rstd + row)
    normal = tl.where(inside, normal, 0.0)
    weighted = g * tl.load(weight + at, inside, other=0.0)
    along = tl.sum(weighted * normal, 0) / columns
    across = tl.sum(weighted, 0) / columns
    tl.store(x_gradient + row * columns + at, (weighted - normal * along - across) * tl.load(rstd + row), inside)
    tl.atomic_add(weight_gradient + at, g * normal, inside)
    tl.atomic_add(bias_gradient + at, g, inside)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(kept, tl.load(x + at, at < n) / (1 - p), 0.0), at < n)


@triton.jit
def attention(q, k, v, out, queries, keys, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """Causal; a program for each block of queries and each head."""
    head, m, d = tl.program_id(1), tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    query = tl.load(q + (head * queries + m[:, None]) * D + d[None, :])
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, D), tl.float32)
    for first in range(0, (tl.program_id(0) + 1) * BM, BN):
        n = first + tl.arange(0, BN)
        logits = tl.dot(query, tl.load(k + (head * keys + n[None, :]) * D + d[:, None])) * scale
        logits = tl.where(m[:, None] >= n[None, :], logits, -float("inf"))
        larger = tl.maximum(top, tl.max(logits, 1))
        p = tl.exp(logits - larger[:, None])
        shrink = tl.exp(top - larger)
        total = total * shrink + tl.sum(p, 1)
        result = tl.dot(p.to(v.dtype.element_ty), tl.load(v + (head * keys + n[:, None]) * D + d[None, :]), result * shrink[:, None])
        top = larger
    tl.store(out + (head * queries + m[:, None]) * D + d[None, :], (result / total[:, None]).to(out.dtype.element_ty))


@triton.jit
def race(out):
    """Each program stores another value to the same place."""
    tl.store(out, tl.program_id(0).to(tl.float32))
