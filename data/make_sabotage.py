#!/usr/bin/env python3
"""Writes cases/sabotage: what `probe --sabotage --full` makes wrong. Each size with one query, 64 and as many as
keys, causal and not, in every form that some implementation takes, with an LSE and without; where noise hides a
single key, inputs that count."""
import pathlib

SIZES = (1024, 16384, 131072)
WINDOWED = (
    "d=128/q=fp8/kv=fp8/quant=tensor",
    "d=128/q=fp8/kv=fp8/quant=page/page=64",
    "d=128/layout=vectorized",
    "d=64/q=fp16/kv=fp16/o=fp16/table=vllm",
    "d=256",
)


def queries(keys):
    return (1, 64, keys)


def batch(form, keys, rest=""):
    cases = []
    for sq in queries(keys):
        for causal in ("", "/causal=1"):
            cases.append(f"batch_prefill/h=8:2/sq={sq}/sk={keys}/d=128/{form}{causal}{rest}")
    return cases


def all_cases():
    cases = []
    for keys in SIZES:
        cases += ["", f"# {keys} keys: FP8 per tensor, per page and in blocks; bf16; windows with sink tokens"]
        page = 1024 if keys == SIZES[2] else 64
        cases += batch("q=fp8/kv=fp8/quant=tensor", keys, "/lse=1")
        cases += batch(f"q=fp8/kv=fp8/quant=page/page={page}", keys)
        cases += batch("q=fp8/kv=fp8/quant=mx/page=64", keys, "/lse=1")
        cases += batch("table=vllm", keys)
        cases.append(f"batch_prefill/h=8:2/sq=1/sk={keys}/d=128/q=fp8/kv=fp8/quant=page/page={page}/lse=1")
        for form in WINDOWED:
            for sq in queries(keys)[1:]:
                cases.append(f"batch_prefill/h=8:2/sq={sq}/sk={keys}/{form}/causal=1/window=255:0/sink=4/sinklogit=1/lse=1")
                cases.append(f"batch_prefill/h=8:2/sq={sq}/sk={keys}/{form}/window=300:100")
        cases += ["# counting"]
        for values in ("count", f"count:{keys // 2 + 5}", f"count:{keys - 1}"):
            cases.append(f"batch_prefill/h=8:2/sq=1/sk={keys}/d=128/q=fp8/kv=fp8/quant=tensor/lse=1/values={values}")
            cases.append(f"batch_prefill/h=8:2/sq=1/sk={keys}/d=128/q=fp8/kv=fp8/quant=page/page={page}/values={values}")
            cases.append(f"batch_prefill/h=8:2/sq=1/sk={keys}/d=128/lse=1/values={values}")
        cases += ["# append"]
        for sq in queries(keys):
            for causal in ("", "/causal=1/lse=1"):
                for form in ("d=128", "d=64/q=fp16"):
                    cases.append(f"append_prefill/h=8:2/sq={sq}/sk={keys}/{form}{causal}")
        cases.append(f"append_prefill/h=8:2/sq=1/sk={keys}/d=128/values=count:{keys // 2}")
        cases += ["# sparse"]
        pool, chunk = keys * 3 // 4, keys // 4
        for rows in ("kv=bf16", "kv=fp8", "kv=fp8/format=packed"):
            for tokens, rest in ((1, ""), (4, "/sinklogit=1/lse=1")):
                cases.append(
                    f"sparse_prefill/h=16/n={tokens}/pool={pool + 64}/chunk={chunk + 64}/{rows}/prefix={pool}/extend={chunk}/scale=0.0442{rest}"
                )
    return cases


if __name__ == "__main__":
    path = pathlib.Path(__file__).parent / "cases" / "sabotage"
    head = "# What `probe --sabotage --full` makes wrong, one thing at a time; written by data/make_sabotage.py.\n"
    path.write_text(head + "\n".join(all_cases()) + "\n")
