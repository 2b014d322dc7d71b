"""triton_attention.py QUERIES KEYS REQUESTS [paged|causal|tuned|fp32 ...]: flash attention by Triton with its LSE, 8 heads on 2 of K
and V, all requests of one length. K and V are rows behind one another or, `paged`, pages of 16 in shuffled order; the output is bf16
or `fp32`. Right against NumPy, or exit code 1."""
import sys

import ml_dtypes
import numpy
import triton
import triton.language as tl

import fmha950_triton
from fmha950_hip import Hip, Tensor

HEADS, KV_HEADS, HEAD_DIM, PAGE = 8, 2, 128, 16


@triton.jit
def attend(q, k, v, pages, out, lse, queries, keys, heads, kv_heads, table_columns, scale, GROUP: tl.constexpr, D: tl.constexpr,
           PAGE: tl.constexpr, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr):
    """A program has ROWS queries of one head of one request. `scale` has log2(e) in it. `pages` is None where PAGE is 0."""
    head, request = tl.program_id(1), tl.program_id(2)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, D)
    at_row = ((request * queries + row) * heads + head)[:, None] * D + column[None, :]
    query = tl.load(q + at_row, row[:, None] < queries, other=0)
    highest = tl.full((ROWS,), -1e30, tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    sum = tl.zeros((ROWS, D), tl.float32)
    end = keys
    if CAUSAL:
        end = min(keys, keys - queries + tl.program_id(0) * ROWS + ROWS)
    for first in range(0, end, KEYS):
        key = first + tl.arange(0, KEYS)
        if PAGE > 0:
            page = tl.load(pages + request * table_columns + key // PAGE, key < keys, other=0)
            slot = page * PAGE + key % PAGE
        else:
            slot = request * keys + key
        at_key = (slot * kv_heads + head // GROUP)[:, None] * D + column[None, :]
        key_rows = tl.load(k + at_key, key[:, None] < keys, other=0)
        scores = tl.dot(query, tl.trans(key_rows)) * scale
        seen = key[None, :] < keys
        if CAUSAL:
            seen = seen & (key[None, :] <= (keys - queries + row)[:, None])
        scores = tl.where(seen, scores, -1e30)
        higher = tl.maximum(highest, tl.max(scores, 1))
        p = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(highest - higher)
        total = total * shrink + tl.sum(p, 1)
        sum = tl.dot(p.to(tl.bfloat16), tl.load(v + at_key, key[:, None] < keys, other=0), sum * shrink[:, None])
        highest = higher
    tl.store(out + at_row, (sum / total[:, None]).to(out.dtype.element_ty), row[:, None] < queries)
    natural = (highest + tl.log2(total)) * 0.6931471805599453
    tl.store(lse + (request * queries + row) * heads + head, natural, row < queries)


def tuned():
    """By clocks that are said instead of measured: what is chosen is the same in every run."""
    said = iter((2.0, 1.0))

    def bench(run, quantiles):
        run()
        return [next(said)] * len(quantiles)

    tried = [triton.Config({"ROWS": 16, "KEYS": 32}, num_warps=1), triton.Config({"ROWS": 64, "KEYS": 32}, num_warps=4)]
    return triton.autotune(tried, key=[], do_bench=bench)(attend)


def right(q, k, v, requests, causal):
    """Output and LSE in double precision, of rows [requests * length, heads, D]."""
    q, k, v = (x.astype(numpy.float64).reshape(requests, -1, *x.shape[1:]).transpose(0, 2, 1, 3) for x in (q, k, v))
    k, v = (x.repeat(HEADS // KV_HEADS, axis=1) for x in (k, v))
    scores = q @ k.transpose(0, 1, 3, 2) * HEAD_DIM**-0.5
    if causal:
        queries, keys = scores.shape[2:]
        scores[..., numpy.arange(keys)[None, :] > numpy.arange(queries)[:, None] + keys - queries] = -numpy.inf
    highest = scores.max(-1, keepdims=True)
    p = numpy.exp(scores - highest)
    total = p.sum(-1, keepdims=True)
    return [rows.transpose(0, 2, 1, 3).reshape(len(q) * q.shape[2], HEADS, -1) for rows in (p @ v / total, highest + numpy.log(total))]


def main(queries, keys, requests, words):
    hip = Hip()
    fmha950_triton.activate()
    random = numpy.random.default_rng(1)
    q, k, v = (random.standard_normal((requests * rows, heads, HEAD_DIM), numpy.float32).astype(ml_dtypes.bfloat16)
               for rows, heads in ((queries, HEADS), (keys, KV_HEADS), (keys, KV_HEADS)))
    on_device = [Tensor(hip, q, "bf16"), Tensor(hip, k, "bf16"), Tensor(hip, v, "bf16"), None]
    columns = -(-keys // PAGE)
    if "paged" in words:
        table = random.permutation(requests * columns).astype(numpy.int32).reshape(requests, columns)
        for index, rows in ((1, k), (2, v)):
            pool = numpy.zeros((requests * columns * PAGE, KV_HEADS, HEAD_DIM), ml_dtypes.bfloat16)
            for request in range(requests):
                for key in range(keys):
                    pool[table[request, key // PAGE] * PAGE + key % PAGE] = rows[request * keys + key]
            on_device[index] = Tensor(hip, pool, "bf16")
        on_device[3] = Tensor(hip, table, "i32")
    out = Tensor(hip, numpy.zeros(q.shape, numpy.float32), "fp32") if "fp32" in words else Tensor(hip, numpy.zeros_like(q), "bf16")
    lse = Tensor(hip, numpy.zeros(q.shape[:2], numpy.float32), "fp32")
    sizes = dict(GROUP=HEADS // KV_HEADS, D=HEAD_DIM, PAGE=PAGE if "paged" in words else 0, CAUSAL="causal" in words)
    kernel = attend
    if "tuned" in words:
        kernel = tuned()
    else:
        sizes |= {"ROWS": 64, "KEYS": 32, "num_warps": 4}
    scale = HEAD_DIM**-0.5 * 1.4426950408889634
    kernel[lambda chosen: (triton.cdiv(queries, chosen["ROWS"]), HEADS, requests)](*on_device, out, lse, queries, keys, HEADS, KV_HEADS,
                                                                                  columns, scale, **sizes)
    right_out, right_lse = right(q, k, v, requests, "causal" in words)
    errors = [numpy.abs(out.read().astype(numpy.float64) - right_out).max(), numpy.abs(lse.read() - right_lse[..., 0]).max()]
    print("largest errors {:.2e} and, of the LSE, {:.2e}".format(*errors))
    return 0 if errors[0] < 2.0**-7 and errors[1] < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:4]), sys.argv[4:]))
