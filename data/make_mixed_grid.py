#!/usr/bin/python3
"""Writes data/cases/mixed-grid: bf16 and fp16 queries over an FP8 cache. Query type and quantisation x head_dim x layout and
page size, with table, form of the pool, mask, sink tokens, soft cap, sink logit, LSE, heads and lengths dealt out from
shuffled decks; then descales far apart, the shapes of data/model_shapes.csv, and special cases."""
import csv
import pathlib

import case_list
from deck import Deck
from small_forms import HEAD_DIMS, LENGTHS, LSE, POOL_FORMS, POOLS, SINK_LOGITS, SOFT_CAPS, TABLES, where

QUERIES = ["", "/q=fp16"]  # keys at their default are not printed: the list is canonical
OUTPUTS = {"": "", "/q=fp16": "/o=fp16"}
QUANTISATIONS = ["", "/quant=tensor", "/quant=page"]
MASKS = ["", "/causal=1", "/causal=1", "/window=40:0", "/window=100:30", "/causal=1/window=127:0", "/window=0:0",
         "/window=5:200", "/causal=1/window=30:0/sink=10", "/causal=1/window=63:0/sink=128", "/window=50:9/sink=3"]
HEADS = ["1:1", "2:2", "4:2", "3:1", "5:1", "6:1", "7:1", "8:1", "12:2", "10:2", "16:1", "40:8"]


def once(lengths):
    """As case strings are printed: lengths that all agree once, as there are as many as of the other kind."""
    return lengths.split(",")[0] if len(set(lengths.split(","))) == 1 else lengths


def case(heads, lengths, head_dim, queries, quantisation, table, pool, rest):
    return (f"batch_prefill/h={heads}/sq={once(lengths[0])}/sk={lengths[1]}/d={head_dim}{queries}/kv=fp8{OUTPUTS[queries]}"
            + quantisation + table + where(*pool) + rest)


def crossed():
    masks, heads, sinks, caps, tables, lses, lengths, forms = (
        Deck(cards, seed) for seed, cards in
        enumerate([MASKS, HEADS, SINK_LOGITS, SOFT_CAPS, TABLES, LSE, LENGTHS, POOL_FORMS]))
    for queries in QUERIES:
        for quantisation in QUANTISATIONS:
            for head_dim in HEAD_DIMS:
                for pool in POOLS:
                    yield case(heads.deal(), lengths.deal(), head_dim, queries, quantisation, tables.deal(), pool,
                               forms.deal() + masks.deal() + sinks.deal() + caps.deal() + lses.deal())


def uneven():
    """Tiles whose keys have descales far apart."""
    for queries in QUERIES:
        for head_dim in HEAD_DIMS:
            for pool in [("linear", 1), ("linear", 16), ("vectorized", 16), ("vectorized", 64)]:
                yield case("6:1", ("40,25", "300,100"), head_dim, queries, "/quant=page", "", pool,
                           "/causal=1/lse=1/values=uneven")


def models():
    """Each shape of a published model that differs, in a prefill and in a chunk behind a prefix."""
    seen = set()
    with open(pathlib.Path(__file__).parent / "model_shapes.csv", encoding="utf-8") as file:
        for shape in csv.DictReader(file):
            head_dim = int(shape["head_dim"])
            window = f"/window={int(shape['window']) - 1}:0" if shape["window"] else ""
            key = (shape["q_heads"], shape["kv_heads"], head_dim, window, shape["sink"])
            if head_dim not in HEAD_DIMS or shape["v_head_dim"] != shape["head_dim"] or key in seen:
                continue
            seen.add(key)
            yield f"# {shape['model']}"
            sink = "/sinklogit=1" if shape["sink"] == "yes" else ""
            heads = f"{shape['q_heads']}:{shape['kv_heads']}"
            yield case(heads, ("33", "33"), head_dim, "", "/quant=tensor", "", ("linear", 16),
                       f"/causal=1{window}{sink}/lse=1")
            yield case(heads, ("9,1", "300,141"), head_dim, "/q=fp16", "/quant=page", "/table=vllm", ("linear", 64),
                       f"/causal=1{window}{sink}/lse=1")


SPECIAL = [
    "batch_prefill/h=64:8/sq=130,1/sk=400,1000/d=64/kv=fp8/quant=tensor/causal=1/window=127:0/sinklogit=1/lse=1",
    "batch_prefill/h=64:8/sq=20/sk=500/d=64/kv=fp8/quant=page/page=1024/causal=1/window=127:0/sinklogit=1/lse=1",
    "batch_prefill/h=8:1/sq=50/sk=33,97/d=128/kv=fp8/quant=page/page=32/mode=batch/causal=1/lse=1",
    "batch_prefill/h=6:1/sq=40/sk=900/d=128/kv=fp8/quant=page/causal=1/lse=1/values=outlier",
    "batch_prefill/h=6:1/sq=40/sk=900/d=128/q=fp16/kv=fp8/o=fp16/quant=page/causal=1/lse=1/values=outlier",
    "batch_prefill/h=6:1/sq=40/sk=900/d=128/kv=fp8/quant=tensor/causal=1/lse=1/values=outlier",
    "batch_prefill/h=6:1/sq=40/sk=300/d=128/q=fp16/kv=fp8/o=fp16/quant=page/page=1/causal=1/lse=1/values=outlier",
    "batch_prefill/h=6:1/sq=0/sk=9,0/d=64/kv=fp8/quant=tensor/sinklogit=1/lse=1",
    "batch_prefill/h=6:1/sq=90/sk=20/d=256/kv=fp8/quant=page/causal=1/sinklogit=1/lse=1",
    "batch_prefill/h=8:1/sq=64/sk=640/d=128/kv=fp8/quant=tensor/causal=1/window=300:0/lse=1/order=lru",
    "batch_prefill/h=4:1/sq=70/sk=200/d=128/q=fp16/kv=fp8/o=fp16/quant=page/causal=1/sinklogit=1/cap=30/lse=1/scale=0.5",
]


def main():
    case_list.write("mixed-grid", "bf16 and fp16 queries over an FP8 cache, small",
                    list(crossed()) + list(uneven()) + list(models()) + SPECIAL)


main()
