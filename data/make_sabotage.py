#!/usr/bin/env python3
"""Writes cases/sabotage: what `probe --sabotage --full` makes wrong. Each size with one query, 64 and as many as
keys, causal and not, in every form that some implementation takes, with an LSE and without; where noise hides a
single key, inputs that count. A defect takes as long as its keys: fewer heads and forms where these are many."""
import pathlib

SIZES = (1024, 16384, 131072)
HEADS = {1024: "8:2", 16384: "4:2", 131072: "2:2"}
TENSOR, MX, BF16 = "q=fp8/kv=fp8/quant=tensor", "q=fp8/kv=fp8/quant=mx/page=64", "table=vllm"
WINDOWED = (
    "d=128/q=fp8/kv=fp8/quant=tensor",
    "d=128/q=fp8/kv=fp8/quant=page/page=64",
    "d=128/layout=vectorized",
    "d=64/q=fp16/kv=fp16/o=fp16/table=vllm",
    "d=256",
)
MIXED = ("d=64/kv=fp8/quant=tensor", "d=128/q=fp16/kv=fp8/o=fp16/quant=page/page=64", "d=128/kv=fp8/quant=page/layout=vectorized")
BLOCK_PAGES = ("d=128/page=544", "d=128/q=fp8/kv=fp8/quant=page/page=48", "d=128/kv=fp8/quant=page/layout=vectorized/page=208")
LAYOUTS = ("d=128/layout=hnd", "d=128/q=fp8/kv=fp8/quant=page/layout=hnd/page=64/interleaved=1",
           "d=128/q=fp16/kv=fp16/o=fp16/table=vllm/interleaved=1", "d=128/kv=fp8/quant=tensor/table=vllm/layout=hnd/interleaved=1")
MLA = ("d=192:128", "d=192:128/q=fp8/kv=fp8/quant=page/layout=hnd/page=64", "d=192:128/kv=fp8/quant=tensor/layout=vectorized", "d=192:128/q=fp8/kv=fp8/quant=tensor/page=64")
MXFP4 = ("d=128/q=fp8/kv=mxfp4/page=32", "d=128/q=fp8/kv=mxfp4/table=vllm/page=64", "d=128/q=fp8/kv=mxfp4/page=128", "d=128/q=fp8/kv=mxfp4/page=1024")
TREES = ("d=128", "d=128/q=fp8/kv=fp8/quant=page/page=64", "d=64/kv=fp8/quant=tensor/table=vllm", "d=128/kv=fp8/quant=page/layout=vectorized")
WINDOWED_APPENDS = ("d=128/causal=1/window=127:0/lse=1", "d=64/q=fp16/causal=1/window=255:0/sink=4/sinklogit=1/lse=1")
ROTARY = ("d=128/causal=1/lse=1/rope=half:128", "d=128/q=fp16/causal=1/lse=1/rope=interleaved:64", "d=64/causal=1/window=255:0/sink=4/lse=1/rope=half:32",
          "d=128/page=64/causal=1/lse=1/rope=half:96", "d=64/q=fp16/causal=1/lse=1/rope=interleaved:48", "d=128/causal=1/rope=interleaved:128")
PAGED_MASKS = ((1, "/lse=1"), (64, "/causal=1/lse=1"), (64, "/causal=1/window=127:0"))
WINDOWS = ("causal=1/window=255:0/sink=4/sinklogit=1/lse=1", "window=300:100", "causal=1/window=127:0/lse=1", "window=500:20/sink=16/lse=1", "window=60:30/lse=1", "window=120:8/sink=4/lse=1")


def batch(form, keys, rest="", queries=None, masks=("", "/causal=1")):
    return [
        f"batch_prefill/h={HEADS[keys]}/sq={sq}/sk={keys}/d=128/{form}{causal}{rest}"
        for sq in queries or (1, 64, keys)
        for causal in masks
    ]


def paged(keys):
    page = 1024 if keys == SIZES[2] else 64
    form = f"q=fp8/kv=fp8/quant=page/page={page}"
    return batch(form, keys) + batch(form, keys, "/lse=1", (1, 64), ("", "/causal=1") if keys == SIZES[0] else ("/causal=1",))


def others(keys):
    if keys < SIZES[2]:
        return batch(MX, keys, "/lse=1") + batch(BF16, keys) + batch(MX, keys, "", (64,)) + batch(BF16, keys, "/lse=1", (64,))
    return batch(MX, keys, "/lse=1", (64,), ("/causal=1",)) + batch(BF16, keys, "", (64,)) + batch(BF16, keys, "/lse=1", (1,), ("",))


def windowed(keys):
    forms = {SIZES[0]: WINDOWED, SIZES[1]: WINDOWED, SIZES[2]: WINDOWED[:1]}[keys]
    windows = WINDOWS if keys == SIZES[0] else WINDOWS[:2]
    queries = (64, keys) if keys == SIZES[0] else (64,)
    cases = [f"batch_prefill/h={HEADS[keys]}/sq={sq}/sk={keys}/{form}/{window}" for form in forms for sq in queries for window in windows]
    if keys > SIZES[0]:
        # The right edge of a window lies on a key for rows that are followed by more queries than it is wide.
        cases += [f"batch_prefill/h={HEADS[keys]}/sq=64/sk={keys}/{form}/window=300:20/lse=1" for form in forms[:3]]
    return cases


def mixed(keys):
    """Queries in 16 bits over an FP8 cache."""
    masks = ("/lse=1", "/causal=1", "/causal=1/window=127:0/sinklogit=1/lse=1", "/window=300:100/sink=4")
    return [f"batch_prefill/h={HEADS[keys]}/sq={sq}/sk={keys}/{form}{mask}" for form in MIXED for sq in (1, 64) for mask in masks]


def paged_forms(keys, forms):
    return [f"batch_prefill/h={HEADS[keys]}/sq={sq}/sk={keys}/{form}{mask}" for form in forms for sq, mask in PAGED_MASKS]


def layouts(keys):
    """HND, and K and V in one pool."""
    if keys < SIZES[2]:
        return paged_forms(keys, LAYOUTS)
    return [f"batch_prefill/h={HEADS[keys]}/sq=64/sk={keys}/d=128/{TENSOR}/layout=hnd/page=1024/interleaved=1/causal=1/lse=1"]


def trees(keys):
    """Draft trees of speculative decoding."""
    masks = [("sq=64", "/causal=1/tree=64/lse=1"), ("sq=64", "/causal=1/window=127:0/sink=4/tree=24"), ("b=2/sq=24", "/causal=1/tree=24/lse=1")]
    for requests, queries, nodes in ((2, 64, 64), (2, 40, 33), (3, 24, 16), (3, 32, 32), (4, 16, 16), (4, 20, 12), (5, 9, 8)):
        masks.append((f"b={requests}/sq={queries}", f"/causal=1/tree={nodes}"))
    return [f"batch_prefill/h={HEADS[keys]}/{sq}/sk={keys}/{form}{mask}" for form in TREES for sq, mask in masks]


def mxfp4(keys):
    masks = ((1, "/lse=1"), (64, "/causal=1/lse=1"), (64, "/causal=1"), (64, ""))
    return [f"batch_prefill/h={HEADS[keys]}/sq={sq}/sk={keys}/{form}{mask}" for form in MXFP4 for sq, mask in masks]


def counting(keys):
    page = 1024 if keys == SIZES[2] else 64
    forms = (f"{TENSOR}/lse=1", f"q=fp8/kv=fp8/quant=page/page={page}", "lse=1")
    keys_that_count = ("count", f"count:{keys // 2 + 5}", f"count:{keys - 1}")
    if keys == SIZES[2]:
        forms = forms[:1]
    return [f"batch_prefill/h={HEADS[keys]}/sq=1/sk={keys}/d=128/{form}/values={values}" for values in keys_that_count for form in forms]


def appended(keys):
    forms = ("d=128", "d=64/q=fp16") if keys == SIZES[0] else ("d=128",)
    masks = ("", "/causal=1/lse=1") if keys < SIZES[2] else ("/causal=1/lse=1",)
    cases = [f"append_prefill/h={HEADS[keys]}/sq={sq}/sk={keys}/{form}{mask}" for sq in (1, 64, keys) for mask in masks for form in forms]
    if keys == SIZES[0]:
        cases += [f"append_prefill/h=8:2/sq={sq}/sk={keys}/d=128/page={page}/causal=1" for sq in (16, 100, 300) for page in (1, 16, 64)]
    if keys < SIZES[2]:
        cases += [f"append_prefill/h={HEADS[keys]}/sq={sq}/sk={keys}/{form}" for sq in (1, 64) for form in WINDOWED_APPENDS + ROTARY]
    if keys == SIZES[2]:
        cases.append(f"append_prefill/h={HEADS[keys]}/sq=64/sk={keys}/d=128")
    return cases + [f"append_prefill/h={HEADS[keys]}/sq=1/sk={keys}/d=128/values=count:{keys // 2}"]


def sparse(keys):
    pool, chunk = keys * 3 // 4, keys // 4
    rows = ("kv=bf16", "kv=fp8", "kv=fp8/format=packed")
    return [
        f"sparse_prefill/h=16/n={tokens}/pool={pool + 64}/chunk={chunk + 64}/{form}/prefix={pool}/extend={chunk}/scale=0.0442{rest}"
        for form in rows
        for tokens, rest in ((1, ""), (2, "/lse=1"), (4, "/sinklogit=1/lse=1"))
    ]


def merged():
    """Two sizes of an operator whose keys are few: some parts and many."""
    types = ("", "o=fp32", "in=bf16", "in=fp16/o=fp16")
    forms = ("lse=1", "layout=tokens/base=2/lse=1", "layout=heads/lse=1/empty=20", "base=2", "lse=1/spread=1")
    cases = [f"merge/parts={parts}/h=4/n=16/d=128/{kind}/{form}" for parts in (4, 20) for kind in types for form in forms]
    return [case.replace("//", "/") for case in cases]


def all_cases():
    cases = []
    for keys in SIZES:
        cases += ["", f"# {keys} keys: FP8 per tensor, per page and in blocks; bf16"]
        cases += batch(TENSOR, keys, "/lse=1") + paged(keys) + others(keys)
        cases += ["# windows, with sink tokens and without"] + windowed(keys)
        if keys < SIZES[2]:
            cases += ["# queries in 16 bits over FP8 keys"] + mixed(keys)
            cases += ["# pages that are no power of two"] + paged_forms(keys, BLOCK_PAGES)
        cases += ["# HND, and K and V in one pool"] + layouts(keys)
        if keys < SIZES[2]:
            cases += ["# 192 columns in Q and K, 128 in V"] + paged_forms(keys, MLA)
        if keys == SIZES[0]:
            cases += ["# draft trees"] + trees(keys)
        if keys < SIZES[2]:
            cases += ["# K and V in MXFP4"] + mxfp4(keys)
        cases += ["# counting"] + counting(keys)
        cases += ["# append"] + appended(keys)
        cases += ["# sparse"] + sparse(keys)
    return cases + ["", "# merge"] + merged()


if __name__ == "__main__":
    path = pathlib.Path(__file__).parent / "cases" / "sabotage"
    head = "# What `probe --sabotage --full` makes wrong, one thing at a time; written by data/make_sabotage.py.\n"
    path.write_text(head + "\n".join(all_cases()) + "\n")
