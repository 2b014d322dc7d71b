#!/usr/bin/python3
"""Writes data/cases/deterministic-grid: batches whose requests must have the bits that they have alone (deterministic=1). Every
form of keys, with batches of decoding requests, of chunks, of both, of prefills, and of requests without queries or keys; masks,
tables, heads, LSE and soft cap are dealt out from shuffled decks."""

import case_list
from deck import Deck

FORMS = [  # type, quantisation, layout and page; keys at their default are not printed: the list is canonical
    ("/q=fp8/kv=fp8/quant=tensor", "", 16),
    ("/q=fp8/kv=fp8/quant=tensor", "", 64),
    ("/q=fp8/kv=fp8/quant=page", "", 64),
    ("/q=fp8/kv=fp8/quant=page", "", 1024),
    ("/q=fp8/kv=fp8/quant=mx", "", 32),
    ("/kv=fp8/quant=tensor", "", 16),
    ("/q=fp8/kv=fp8/quant=page", "/layout=vectorized", 16),
    ("", "", 1),
    ("", "/layout=vectorized", 128),
    ("/q=fp16/kv=fp16/o=fp16", "", 32),
]
# Requests of 2,048 keys and more are split by impl_pipelined, shorter ones are whole beside them.
BATCHES = [  # query lengths, key lengths
    ("1", "2100,64,700,4300,1,129"),                  # decoding
    ("33,70,5,128", "2176,70,900,128"),               # chunks
    ("1,1,64,1,1", "3000,17,2500,64,1030"),           # both
    ("300,129,64,7", "300,129,64,7"),                 # prefills
    ("5,0,3,0,9", "2048,40,0,0,200"),                 # without queries, without keys
    ("1", ",".join(str(60 + 97 * i) for i in range(24))),
]
HEADS = ["1:1", "4:2", "6:1", "8:1", "4:4"]
MASKS = ["", "/causal=1", "/causal=1"]
OTHERS = ["", "", "/lse=1", "/cap=30", "/cap=30/lse=1"]
TABLES = ["", "/table=vllm"]
WINDOWS = ["/causal=1/window=100:0/sink=70/sinklogit=1", "/window=300:20", "/causal=1/window=31:0/sink=4000"]
APPENDS = [("128", "bf16", 16), ("64", "fp16", 64), ("128", "fp16", 1)]


# Forms of the kernels that serve these only, each with decoding and a prefill among its batches.
SERVED = [  # head dim and types; layout, page and pools
    ("128/kv=fp8/quant=tensor", "/layout=hnd/page=48"),
    ("64/q=fp8/kv=fp8/quant=page", "/layout=hnd/page=544"),
    ("128/q=fp8/kv=fp8/quant=tensor", "/page=64/interleaved=1"),
    ("128/q=fp16/kv=fp8/o=fp16/quant=page", "/page=544/strided=1"),
    ("192:128", "/page=64"),
    ("192:128/q=fp8/kv=fp8/quant=tensor", ""),
    ("128/q=fp8/kv=mxfp4", "/page=64"),
]
TREES = [("64", ""), ("128/q=fp8/kv=fp8/quant=tensor", "/page=64"), ("128/kv=fp8/quant=page", "/page=64")]
ROPES = [("/causal=1", "/rope=half:64"), ("/causal=1/window=100:0/sink=4", "/rope=interleaved:128")]


def page_of(page):
    return f"/page={page}" if page != 16 else ""


def main():
    heads, masks, others, tables = (Deck(cards, seed) for seed, cards in enumerate([HEADS, MASKS, OTHERS, TABLES]))
    lines = []
    for form, layout, page in FORMS:
        for queries, keys in BATCHES:
            no_cap = "mx" in form or form.startswith("/kv=fp8")  # no kernel has a soft cap with MX, or with bf16 queries over FP8
            other = others.deal()
            if no_cap:
                other = other.replace("/cap=30", "")
            lines.append(f"batch_prefill/h={heads.deal()}/sq={queries}/sk={keys}/d=128{form}{tables.deal()}{layout}{page_of(page)}"
                         f"{masks.deal()}{other}/deterministic=1")
    for form, layout, page in FORMS[:4]:
        queries, keys = BATCHES[2]
        lines.append(f"batch_prefill/h={heads.deal()}/sq={queries}/sk={keys}/d=128{form}{layout}{page_of(page)}/paged=0{masks.deal()}/deterministic=1")
    for window in WINDOWS:
        for head_dim, form in ((64, ""), (128, "/q=fp8/kv=fp8/quant=tensor"), (256, "/q=fp16/kv=fp16/o=fp16")):
            queries, keys = BATCHES[2]
            lines.append(f"batch_prefill/h={heads.deal()}/sq={queries}/sk={keys}/d={head_dim}{form}{tables.deal()}{window}/deterministic=1")
    for head_dim, element, page in APPENDS:
        for queries, keys in (BATCHES[1], BATCHES[2], BATCHES[3]):
            lines.append(f"append_prefill/h={heads.deal()}/sq={queries}/sk={keys}/d={head_dim}"
                         + (f"/q={element}" if element != "bf16" else "") + f"{tables.deal()}{page_of(page)}/causal=1/lse=1/deterministic=1")
    for form, layout in SERVED:
        for queries, keys in (BATCHES[0], BATCHES[2], BATCHES[3]):
            lines.append(f"batch_prefill/h={heads.deal()}/sq={queries}/sk={keys}/d={form}{layout}{masks.deal()}/deterministic=1")
    for form, layout in TREES:
        for queries, keys in (("5,1,9,3", "2100,64,700,129"), ("8", "1000,30,2300")):
            lines.append(f"batch_prefill/h={heads.deal()}/sq={queries}/sk={keys}/d={form}{layout}/causal=1/tree=8/deterministic=1")
    for mask, rope in ROPES:
        queries, keys = BATCHES[1]
        lines.append(f"append_prefill/h={heads.deal()}/sq={queries}/sk={keys}/d=128{mask}/deterministic=1{rope}")
    case_list.write("deterministic-grid", "Batches whose requests have the bits that they have alone", lines)


main()
