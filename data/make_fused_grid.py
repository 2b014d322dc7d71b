#!/usr/bin/python3
"""Writes data/cases/fused-grid: what impl_fused takes, small. Quantisation and page size x causal x table, five times each,
with heads, lengths (around 32 and 128 rows, 64 keys, MX's blocks of 32 keys and page boundaries), LSE, batch mode, page
order, form of the pool and values dealt out from shuffled decks; then every number of key tiles and every boundary of query
tile and wave, and aiter's batches."""

import case_list
from deck import Deck
from fused_decks import QUERY_BOUNDARIES, case, crossed

FORMS = [("kv=fp8" + quantisation, page)  # KV_BLOCKSCALE needs a page per tile of 64 keys
         for quantisation, pages in [("", (1, 16, 64, 1024)), ("/quant=tensor", (1, 16, 32, 64, 128, 1024)),
                                     ("/quant=mx", (1, 16, 32, 64, 128, 1024)), ("/quant=page", (64, 128, 1024))]
         for page in pages]
HEADS = ["1:1", "2:1", "3:1", "5:1", "6:1", "7:1", "8:1", "4:2", "10:2", "12:4", "16:1", "40:1", "40:8"]
LENGTHS = [  # (query lengths, key lengths)
    ("1", "1"), ("64", "64"), ("63,65", "63,65"), ("17,0,33", "128,5,129"), ("100", "37"), ("1,2,3", "64,65,127"),
    ("31,32", "191,193"), ("40,9", "0,70"), ("43,5", "256,255"), ("16,1", "129,320"), ("128,3", "128,15"),
    ("33,7", "17,16"), ("5,50", "31,257"), ("129", "127"), ("1,1,1,1,1,1,1", "1,700,3,0,64,33,12"), ("20", "95,33,32"),
    ("6,70", "97,96"),
]
KEY_TILES = [0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 160, 161, 191, 192, 193, 255, 256, 257, 319, 320, 321, 640]


def boundaries():
    forms = Deck([form for form in FORMS if form[0] != "kv=fp8"], 0)
    for keys in KEY_TILES:
        for causal in ("", "/causal=1"):
            yield case("2:1", ("40", str(keys)), forms.deal(), causal=causal)
            yield case("1:1", ("40", str(keys)), ("kv=fp8/quant=mx", 64), causal=causal)
    for queries in QUERY_BOUNDARIES:
        for extra in (-20, 0, 60):  # Lq > Lk, = and <
            yield case("1:1", (str(queries), str(queries + extra)), forms.deal(), causal="/causal=1")


def aiter():
    for page in (1, 16, 1024):
        yield case("6:1", ("1023", "1024"), ("kv=fp8/quant=mx", page), causal="/causal=1")
        yield case("3:1", ("1024", "1023"), ("kv=fp8/quant=tensor", page))
    yield case("3:1", ("1023", "1024"), ("kv=fp8/quant=page", 1024), causal="/causal=1")
    yield case("40:40", ("128", "128"), ("kv=fp8/quant=mx", 64), causal="/causal=1")
    yield case("16:1", ("128,77,90", "128,301,90"), ("kv=fp8/quant=mx", 16), table="/table=vllm", causal="/causal=1")


def main():
    # The decks may deal a case twice.
    case_list.write("fused-grid", "Every form of batch_prefill that impl_fused takes, small", list(crossed(FORMS, 5, HEADS, LENGTHS)) + list(boundaries()) + list(aiter()))


main()
