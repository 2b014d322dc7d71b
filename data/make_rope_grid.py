#!/usr/bin/python3
"""Writes data/cases/rope-grid: append_prefill with its rotary embedding. Pairs x rotated columns x type x head_dim, three times each,
with heads, chunks and old lengths (ragged, chunks of no token, requests without old tokens), pages, tables, masks, calls, page
order and values dealt out from shuffled decks; then slices of traces, and prefixes of 32,768 tokens and more."""

import case_list
from deck import Deck

TYPES = ["", "/q=fp16"]
PAIRS = ["half", "interleaved"]
ROTATED = {64: [16, 32, 48, 64], 128: [16, 32, 64, 96, 112, 128]}
HEADS = ["1:1", "2:1", "3:1", "4:2", "5:1", "6:2", "8:1", "8:4", "16:1", "3:3"]
LENGTHS = [  # (sq, sk)
    ("1", "1"), ("64", "64"), ("1", "65"), ("65,3", "128,3"), ("17,0,33", "128,5,129"), ("40", "128"), ("1,2,3", "64,65,127"),
    ("129", "256"), ("200", "270"), ("7,90,0,2", "136,90,0,67"), ("33", "700"), ("150", "150"),
]
TABLES = ["", "/table=vllm"]
PAGES = ["", "/page=1", "/page=32", "/page=64", "/page=128", "/page=1024"]
MASKS = ["/causal=1", "/causal=1", "", "/causal=1/window=63:0", "/causal=1/window=100:0/sink=4", "/window=40:9/sink=70/sinklogit=1", "/causal=1/cap=30"]
LSE = ["/lse=1", "/lse=1", ""]
ORDERS = ["", "", "/order=sequential", "/order=lru"]
VALUES = ["", "", "", "/values=outlier", "/values=uneven", "/values=normal+pow2"]
CALLS = ["", "", "", "/calls=2", "/calls=5"]


def crossed():
    decks = [Deck(cards, seed) for seed, cards in enumerate([HEADS, LENGTHS, TABLES, PAGES, MASKS, LSE, ORDERS, VALUES, CALLS])]
    for pairs in PAIRS:
        for dim, columns in ROTATED.items():
            for rotated in columns:
                for kind in TYPES:
                    for _ in range(3):
                        heads, (sq, sk), table, page, mask, lse, order, values, calls = (deck.deal() for deck in decks)
                        mask, cap, _ = mask.partition("/cap=30")
                        yield (f"append_prefill/h={heads}/sq={sq}/sk={sk}/d={dim}{kind}{table}{page}{mask}{cap}{lse}{order}{values}"
                               f"/rope={pairs}:{rotated}{calls}")


def traces():
    for trace, rest in (("toolagent@0+4:64", "d=64/rope=half:64"), ("conversation@50+3:64", "d=128/q=fp16/rope=interleaved:64"),
                        ("azure_code@5+3:16", "d=128/page=64/causal=1/lse=1/rope=half:128/calls=5")):
        yield f"append_prefill/h=8:2/trace={trace}/{rest}"


def long_prefixes():
    for old, rest in ((32768, "d=128/page=64/causal=1/lse=1/rope=half:128"), (32831, "d=64/q=fp16/table=vllm/causal=1/lse=1/rope=interleaved:32"),
                      (40000, "d=128/q=fp16/page=1024/causal=1/window=4095:0/sink=4/lse=1/rope=half:64"),
                      (65536, "d=64/page=32/causal=1/window=127:0/sinklogit=1/lse=1/rope=half:64")):
        yield f"append_prefill/h=2:1/sq=33/sk={old + 33}/{rest}"


def main():
    case_list.write("rope-grid", "append_prefill whose Q and K lack their rotary embedding", [*crossed(), *traces(), *long_prefixes()])


main()
