#!/usr/bin/python3
"""Writes data/cases/prepass-grid: heads x quantisation x causal x layout and page size, each once, with both tables and
lengths around tile (64 keys, 32 and 256 rows) and page boundaries dealt out in turn; then special cases."""

import case_list

HEADS = ["6:1", "8:1", "16:1", "40:40"]
QUANTISATIONS = [  # keys at their default are not printed: the list is canonical
    "",
    "/kv=fp8/quant=tensor",
    "/q=fp8/kv=fp8/quant=tensor",
    "/kv=fp8/quant=page",
    "/q=fp8/kv=fp8/quant=page",
    "/q=fp8/kv=fp8/quant=mx",
]
POOLS = [("linear", 1), ("linear", 16), ("linear", 64), ("linear", 1024),
         ("vectorized", 16), ("vectorized", 64), ("vectorized", 1024)]
LENGTHS = [  # (query lengths, key lengths)
    ("1", "1"), ("64", "64"), ("63,65", "63,65"), ("17,0,33", "128,5,129"), ("100", "37"), ("1,2,3", "64,65,127"),
    ("31,32", "191,193"), ("40,9", "0,70"), ("43,5", "256,255"), ("16,1", "129,320"), ("128,3", "128,15"),
    ("33,7", "17,16"), ("5,50", "31,257"),
]
PAGE_LENGTHS = {1: ["2"], 16: ["15", "17", "47"], 64: ["63", "65", "192"], 1024: ["1023", "1024", "1025"]}


def main():
    lines = []
    turn = 0
    for heads in HEADS:
        for quantisation in QUANTISATIONS:
            for layout, page in POOLS:
                for causal in (0, 1):
                    turn += 1
                    query, key = LENGTHS[turn % len(LENGTHS)]
                    if turn % 3 == 0:  # a length at the page's boundary instead of the first one
                        boundary = PAGE_LENGTHS[page][turn // 3 % len(PAGE_LENGTHS[page])]
                        key = ",".join([boundary] + key.split(",")[1:])
                    lines.append(f"batch_prefill/h={heads}/sq={query}/sk={key}/d=128{quantisation}"
                                 + ("/table=vllm" if turn % 2 else "")
                                 + (f"/layout={layout}" if layout != "linear" else "")
                                 + (f"/page={page}" if page != 16 else "")
                                 + ("/causal=1" if causal else "") + "/lse=1")
    special = [
        "batch_prefill/h=5:1/sq=52,51/sk=130,77/d=128/causal=1/lse=1",
        "batch_prefill/h=8:8/sq=300/sk=300/d=128/causal=1/lse=1",
        "batch_prefill/h=4:2/sq=256,257/sk=511,513/d=128/kv=fp8/quant=tensor/causal=1/lse=1",
        "batch_prefill/h=8:2/sq=33/sk=700/d=128/q=fp16/kv=fp16/o=fp16/causal=1/lse=1",
        "batch_prefill/h=8:2/sq=33/sk=100/d=128/q=fp16/kv=fp16/o=fp16/layout=vectorized/page=32/lse=1",
        "batch_prefill/h=6:1/sq=70/sk=300/d=128/window=40:0/causal=1/lse=1",
        "batch_prefill/h=6:1/sq=70/sk=300/d=128/kv=fp8/quant=page/window=100:30/lse=1",
        "batch_prefill/h=8:1/sq=64/sk=640/d=128/window=0:0/lse=1",
        "batch_prefill/h=8:1/sq=90/sk=40/d=128/window=5:200/lse=1",
        "batch_prefill/h=8:1/sq=50,50/sk=33,97/d=128/q=fp8/kv=fp8/quant=mx/page=32/mode=batch/causal=1/lse=1",
        "batch_prefill/h=8:1/sq=50/sk=260/d=128/kv=fp8/quant=mx/layout=vectorized/page=128/causal=1/lse=1",
        "batch_prefill/h=8:1/sq=50/sk=260/d=128/kv=fp8/quant=page/page=128/causal=1/lse=1",
        "batch_prefill/h=6:1/sq=20/sk=150/d=128/q=fp8/kv=fp8/causal=1/lse=1",
        "batch_prefill/h=6:1/sq=0,0/sk=9,0/d=128/lse=1",
        "batch_prefill/h=6:1/sq=40/sk=900/d=128/kv=fp8/quant=page/causal=1/lse=1/values=outlier",
        "batch_prefill/h=6:1/sq=40/sk=900/d=128/q=fp8/kv=fp8/quant=tensor/causal=1/lse=1/values=outlier",
    ]
    case_list.write("prepass-grid", "Every form of batch_prefill that impl_prepass takes, small", lines + special)


main()
