#!/usr/bin/python3
"""Writes data/cases/mla-grid: 192 columns in Q and K with 128 in V. Each type and quantisation in each layout with four page
sizes, with table, form of the pool, mask, sink tokens, sink logit, soft cap, LSE, heads and lengths (around pages and tiles)
dealt out from shuffled decks; then descales far apart, the models of data/model_shapes.csv, and special cases."""
import csv
import pathlib

import case_list
from deck import Deck

BASELINE = ["", "/q=fp16/kv=fp16/o=fp16", "/q=fp8/kv=fp8", "/q=fp8/kv=fp8/quant=tensor", "/q=fp8/kv=fp8/quant=page",
            "/kv=fp8/quant=tensor", "/kv=fp8/quant=page", "/q=fp16/kv=fp8/o=fp16/quant=tensor", "/q=fp16/kv=fp8/o=fp16/quant=page"]
PREPASS_ONLY = ["/q=fp8"]
LAYOUTS = ["", "/layout=hnd", "/layout=vectorized"]
PAGES = [1, 16, 32, 48, 64, 128, 544, 1024]
MASKS = ["", "/causal=1", "/causal=1", "/window=40:0", "/causal=1/window=127:0", "/window=5:200", "/causal=1/window=63:0/sink=70",
         "/window=100:30/sink=3"]
HEADS = ["1:1", "2:2", "4:4", "4:2", "3:1", "8:1", "6:2", "16:16"]
TABLES = ["", "/table=vllm"]
PAGED = ["", "", "/paged=0", "/strided=1", "/order=lru", "/order=sequential", "/spare=0"]
LSE = ["/lse=1", "/lse=1", ""]
SCORES = ["", "", "/sinklogit=1", "/cap=30", "/sinklogit=1/cap=5.5"]
LENGTHS = ["1", "31,5", "33,5", "0,17", "64,65", "129,3", "100,1"]


def form_of_pool(layout, page, form):
    """In the order of the case string's keys, those of the pool and those behind the mask."""
    before = form if form in ("/paged=0", "/strided=1") else ""
    return layout + f"/page={page}" * (page != 16) + before, form if not before else ""


def main():
    masks, heads, tables, paged, lses, scores, queries, offsets, pages = (
        Deck(cards, seed) for seed, cards in
        enumerate([MASKS, HEADS, TABLES, PAGED, LSE, SCORES, LENGTHS, [-1, 0, 1, -15, 16, 17, -64, 63], PAGES]))

    def case(element, layout, page, form, rest, lengths, heads_of_case):
        pool, behind = form_of_pool(layout, page, form)
        return f"batch_prefill/h={heads_of_case}/sq={lengths[0]}/sk={lengths[1]}/d=192:128{element}{tables.deal()}{pool}{rest}{behind}"

    def keys(page, count):
        whole = max(1, 300 // page)
        lengths = [max(1, whole * page + offsets.deal()), max(1, 2 * page + offsets.deal())][:count]
        return ",".join(map(str, lengths))

    def dealt(element, layout, page):
        of_queries = queries.deal()
        rest = masks.deal() + scores.deal() + lses.deal()
        return case(element, layout, page, paged.deal(), rest, (of_queries, keys(page, 1 + ("," in of_queries))), heads.deal())

    lines = []
    for element in BASELINE:
        for layout in LAYOUTS:
            for _ in range(4):
                page = pages.deal()
                lines.append(dealt(element, layout, 16 if page == 1 and "vectorized" in layout else page))
    # What prepass takes, too
    lines += [case(element, layout, page, form, mask + "/lse=1", ("40,3,70", f"{page + 70},2,400"), "4:2")
              for element in ["", "/q=fp8/kv=fp8/quant=tensor", "/q=fp8/kv=fp8/quant=page", "/kv=fp8/quant=page", *PREPASS_ONLY]
              for layout, page, form, mask in [("", 1, "", "/causal=1"), ("/layout=hnd", 16, "/strided=1", "/window=100:20"),
                                               ("/layout=vectorized", 64, "", ""), ("", 544, "", "/causal=1")]]
    lines += [case(element, layout, page, "", "/causal=1/lse=1/values=uneven", ("40,25", f"{page + 300},100"), "6:1")
              for element in (BASELINE[4], BASELINE[6], BASELINE[8]) for layout in LAYOUTS for page in (16, 64)]
    lines += models()
    lines += [
        "batch_prefill/h=128:128/sq=20/sk=70/d=192:128/q=fp8/kv=fp8/quant=page/page=64/causal=1/lse=1",
        "batch_prefill/h=128:128/sq=3,1/sk=130,66/d=192:128/kv=fp8/quant=tensor/layout=hnd/causal=1",
        "batch_prefill/h=2:2/sq=0,9,1/sk=40,0,333/d=192:128/lse=1",
        "batch_prefill/h=2:2/sq=0/sk=9,0/d=192:128/q=fp8/kv=fp8/quant=tensor/sinklogit=1/lse=1",
        "batch_prefill/h=3:3/sq=90/sk=20/d=192:128/q=fp8/kv=fp8/quant=page/causal=1/sinklogit=1/lse=1",
        "batch_prefill/h=2:2/sq=20,3/sk=300,200/d=192:128/q=fp8/kv=fp8/quant=tensor/page=64/causal=1/lse=1/deterministic=1",
        "batch_prefill/h=4:4/sq=70/sk=200/d=192:128/causal=1/lse=1/scale=0.2",
        "batch_prefill/h=4:4/sq=64/sk=640/d=192:128/causal=1/lse=1/values=outlier",
        "batch_prefill/h=4:4/sq=64/sk=640/d=192:128/q=fp8/kv=fp8/quant=page/page=64/causal=1/lse=1/values=outlier",
        "batch_prefill/h=3:3/sq=64/sk=640/d=192:128/kv=fp8/quant=tensor/causal=1/lse=1/values=activations:L10",
    ]
    case_list.write("mla-grid", "192 columns in Q and K with 128 in V (MLA's prefill)", lines)


def models():
    """Each shape of a published model with these columns, in a prefill and in a chunk behind a prefix."""
    with open(pathlib.Path(__file__).parent / "model_shapes.csv", encoding="utf-8") as file:
        for shape in csv.DictReader(file):
            if (shape["head_dim"], shape["v_head_dim"]) != ("192", "128"):
                continue
            window = f"/window={int(shape['window']) - 1}:0" if shape["window"] else ""
            rest = f"/causal=1{window}{'/sinklogit=1' if shape['sink'] == 'yes' else ''}/lse=1"
            heads = f"h={shape['q_heads']}:{shape['kv_heads']}"
            yield f"# {shape['model']}"
            yield f"batch_prefill/{heads}/sq=33/sk=33/d=192:128{rest}"
            yield f"batch_prefill/{heads}/sq=9,1/sk=300,141/d=192:128/kv=fp8/quant=tensor/page=64{rest}"
            yield f"batch_prefill/{heads}/sq=17/sk=150/d=192:128/q=fp8/kv=fp8/quant=page/table=vllm/page=64{rest}"


main()
