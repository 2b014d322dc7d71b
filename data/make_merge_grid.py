#!/usr/bin/python3
"""Writes data/cases/merge-grid: types of parts and output x layouts x bases of LSEs, four shapes each; head_dim, numbers
of parts, how far apart LSEs are, how many parts are empty, LSE and values are dealt out from shuffled decks. Then every
number of parts up to 17 and the most, every head_dim that a kernel of this project has, rows around lanes and
workgroups, and the forms in which others merge."""

import case_list
from deck import Deck

TYPES = ["", "/o=fp32", "/o=fp16", "/in=bf16", "/in=fp16/o=fp16"]  # of parts: fp32, of the output: bf16
LAYOUTS = ["", "/layout=tokens", "/layout=heads"]
BASES = ["", "/base=2"]
SHAPES_EACH = 4
PARTS = [2, 2, 2, 3, 4, 5, 8, 8, 12, 16, 31, 64]
DIMENSIONS = [64, 64, 128, 128, 128, 192, 256, 512, 8, 24, 72, 328]
SHAPES = [(8, 64), (1, 200), (3, 37), (16, 33), (64, 17), (5, 129), (32, 40), (128, 4)]  # heads, tokens
SPREADS = ["", "", "", "/spread=0", "/spread=0.5", "/spread=20", "/spread=1000"]
EMPTY = ["", "", "/empty=10", "/empty=50", "/empty=90"]
LSE = ["/lse=1", "/lse=1", ""]
VALUES = ["", "", "/values=outlier", "/values=negative_zero"]


def crossed():
    decks = [Deck(cards, seed) for seed, cards in enumerate([PARTS, SHAPES, DIMENSIONS, LSE, SPREADS, EMPTY, VALUES])]
    for types in TYPES:
        for layout in LAYOUTS:
            for base in BASES:
                for _ in range(SHAPES_EACH):
                    parts, (heads, tokens), columns, lse, spread, empty, values = (deck.deal() for deck in decks)
                    if spread == "/spread=1000" and values == "/values=negative_zero":
                        values = ""  # all of a row may be a part of 1e-21 beside one of zeros, whose noise fp32 does not hold
                    yield f"merge/parts={parts}/h={heads}/n={tokens}/d={columns}{types}{layout}{base}{lse}{spread}{empty}{values}"


def boundaries():
    yield from (f"merge/parts={parts}/h=4/n=16/d=128/lse=1/empty=20" for parts in range(1, 18))
    yield from (f"merge/parts={parts}/h=2/n=16/d=64/in=bf16/lse=1" for parts in (255, 256, 1023, 1024))
    yield from (f"merge/parts=3/h=4/n=16/d={columns}{types}/lse=1" for columns in (64, 128, 192, 256, 512) for types in TYPES)
    yield from (f"merge/parts=6/h={heads}/n={tokens}/d={columns}/lse=1/empty=30"
                for columns in (64, 512) for heads, tokens in ((1, 1), (1, 3), (1, 31), (1, 33), (1, 64), (3, 11), (7, 9)))
    yield "merge/parts=3/h=8/n=0/d=128/lse=1"  # no token
    yield "merge/parts=3/h=8/n=32/d=128/lse=1/empty=100"  # nothing but empty parts


def as_others_merge():
    yield "merge/parts=2/h=64/n=512/d=128/in=bf16/layout=heads/lse=1/empty=10"  # vLLM: prefix and suffix
    yield "merge/parts=2/h=128/n=128/d=128/in=bf16/layout=heads/lse=1/empty=30"  # vLLM: chunks of MLA's context
    yield "merge/parts=100/h=32/n=64/d=128/in=fp16/o=fp16/layout=tokens/base=2/lse=1"  # FlashInfer: merge_states
    yield "merge/parts=8/h=32/n=256/d=128/lse=1"  # context parallel, eight ranks
    yield "merge/parts=16/h=8/n=256/d=128/base=2/lse=1"  # pipelined's key split
    yield "merge/parts=4/h=64/n=2048/d=128/lse=1/empty=25"  # a launch of many workgroups


def main():
    lines = [*crossed(), "# around lanes, waves and parts at once", *boundaries(), "# as others merge", *as_others_merge()]
    case_list.write("merge-grid", "Types x layouts x bases of merge, four shapes each, and edges of each", lines)


main()
