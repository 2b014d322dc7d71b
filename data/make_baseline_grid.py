#!/usr/bin/python3
"""Writes data/cases/baseline-grid: element type and quantisation x head_dim x layout and page size, four times each,
with table, form of the pool, mask, soft cap, sink logit, LSE, heads and lengths (around 32 rows, 64 keys, 128 rows and page boundaries)
dealt out from shuffled decks; then aiter's batch-prefill vocabulary, thinly, and special cases."""

import case_list
from deck import Deck
from small_forms import HEAD_DIMS, LENGTHS, LSE, POOL_FORMS, POOLS, SINK_LOGITS, SOFT_CAPS, TABLES, where

TYPES = [  # keys at their default are not printed: the list is canonical
    "",
    "/q=fp16/kv=fp16/o=fp16",
    "/q=fp8/kv=fp8",
    "/q=fp8/kv=fp8/quant=tensor",
    "/q=fp8/kv=fp8/quant=page",
]
MASKS = ["", "/causal=1", "/causal=1", "/window=40:0", "/window=100:30", "/causal=1/window=70:0", "/window=0:0",
         "/window=5:200"]
HEADS = ["1:1", "2:2", "4:2", "3:1", "5:1", "6:1", "7:1", "8:1", "12:2", "10:2", "16:1", "40:1", "40:8"]
PAGE_LENGTHS = {1: ["2"], 16: ["15", "17", "47"], 32: ["31", "33", "95"], 64: ["63", "65", "192"],
                128: ["127", "129", "384"], 1024: ["1023", "1024", "1025"]}


def case(heads, lengths, head_dim, element, table, layout, page, rest):
    return (f"batch_prefill/h={heads}/sq={lengths[0]}/sk={lengths[1]}/d={head_dim}{element}{table}"
            + where(layout, page) + rest)


def crossed():
    decks = [Deck(cards, seed) for seed, cards in
             enumerate([MASKS, HEADS, SINK_LOGITS, SOFT_CAPS, TABLES, LSE, LENGTHS, range(3), POOL_FORMS])]
    for element in TYPES:
        for head_dim in HEAD_DIMS:
            for layout, page in POOLS:
                for _ in range(4):
                    mask, heads, sink, cap, table, lse, lengths, at_boundary, form = (deck.deal() for deck in decks)
                    if at_boundary == 0:  # a length at the page's boundary instead of the first one
                        boundary = decks[-1].random.choice(PAGE_LENGTHS[page])
                        lengths = (lengths[0], ",".join([boundary] + lengths[1].split(",")[1:]))
                    yield case(heads, lengths, head_dim, element, table, layout, page, form + mask + sink + cap + lse)


def aiter():
    yield case("3:1", ("128", "128"), 128, TYPES[0], "", "linear", 16, "/causal=1/cap=30/lse=1")
    yield case("6:1", ("1023", "1024"), 128, TYPES[4], "", "linear", 1024, "/causal=1/lse=1")
    yield case("3:1", ("1023", "1024"), 128, TYPES[3], "/table=vllm", "vectorized", 16, "/cap=30/lse=1")
    yield case("3:1", ("1024", "1023"), 128, TYPES[3], "", "linear", 1, "/lse=1")
    yield case("3:1", ("1024", "1023"), 128, TYPES[0], "/table=vllm", "vectorized", 1024, "/causal=1/lse=1")
    yield case("1:1", ("2048", "2048"), 128, TYPES[3], "/table=vllm", "vectorized", 16, "/causal=1/lse=1")
    yield case("3:1", ("2048", "2048"), 128, TYPES[0], "", "linear", 16, "/causal=1/cap=30/lse=1")
    yield case("3:1", ("2048", "2048"), 128, TYPES[3], "", "linear", 1, "/lse=1")
    yield case("3:1", ("2048", "2048"), 128, TYPES[4], "", "linear", 1024, "/causal=1/lse=1")
    yield case("40:40", ("128", "128"), 128, TYPES[4], "", "vectorized", 1024, "/causal=1/lse=1")
    yield case("16:1", ("128,77,90", "128,301,90"), 128, TYPES[4], "/table=vllm", "linear", 16, "/causal=1/lse=1")
    for number, element in enumerate(TYPES):
        for layout in ("linear", "vectorized"):  # the same data in both
            for heads in ("8:1", "40:40"):
                yield case(heads, ("20,128,1,64,3,90,17", "20,128,300,1000,3,91,64"), 128, element,
                           TABLES[number % 2], layout, 16, "/causal=1/lse=1")


def uneven():
    """Tiles whose keys have descales far apart."""
    for head_dim in HEAD_DIMS:
        for layout, page in [("linear", 1), ("linear", 16), ("vectorized", 16), ("vectorized", 32)]:
            yield case("6:1", ("40,25", "300,100"), head_dim, TYPES[4], "", layout, page,
                       "/causal=1/lse=1/values=uneven")


SPECIAL = [
    "batch_prefill/h=5:1/sq=52,51/sk=130,77/d=128/causal=1/lse=1",
    "batch_prefill/h=8:8/sq=300/sk=300/d=128/causal=1/lse=1",
    "batch_prefill/h=8:1/b=2/sq=50/sk=33,97/d=128/q=fp8/kv=fp8/quant=page/page=32/mode=batch/causal=1/lse=1",
    "batch_prefill/h=6:1/sq=40/sk=900/d=128/q=fp8/kv=fp8/quant=page/causal=1/lse=1/values=outlier",
    "batch_prefill/h=6:1/sq=40/sk=900/d=128/q=fp8/kv=fp8/quant=tensor/causal=1/lse=1/values=outlier",
    "batch_prefill/h=6:1/sq=40/sk=900/d=128/causal=1/sinklogit=1/cap=30/lse=1/values=outlier",
    "batch_prefill/h=6:1/sq=40/sk=300/d=128/q=fp8/kv=fp8/quant=page/page=1/causal=1/lse=1/values=outlier",
    "batch_prefill/h=6:1/sq=0,0/sk=9,0/d=128/sinklogit=1/lse=1",
    "batch_prefill/h=6:1/sq=90/sk=20/d=128/causal=1/sinklogit=1/lse=1",
    "batch_prefill/h=4:1/sq=70/sk=200/d=128/q=fp8/kv=fp8/quant=page/causal=1/sinklogit=1/cap=30/lse=1/scale=0.5",
    "batch_prefill/h=8:1/sq=64/sk=640/d=128/q=fp8/kv=fp8/quant=tensor/window=300:0/causal=1/lse=1/order=lru",
]


def main():
    # The decks may deal a case twice.
    case_list.write("baseline-grid", "Every form of batch_prefill that impl_baseline takes, small", list(crossed()) + list(aiter()) + list(uneven()) + SPECIAL)


main()
