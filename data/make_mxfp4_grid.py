#!/usr/bin/python3
"""Writes data/cases/mxfp4-grid: K and V in MXFP4. Page size x causal x table, six times each, with heads, lengths (around 32 and
128 rows, 64 keys, blocks of 32 keys and page boundaries), LSE, batch mode, page order, form of the pool and values dealt out from
shuffled decks; then every number of key tiles and blocks, every boundary of query tile and wave, and inputs that count."""
import case_list
from deck import Deck
from fused_decks import QUERY_BOUNDARIES, case, crossed

FORMS = [("kv=mxfp4", page) for page in (32, 64, 128, 1024)]
HEADS = ["1:1", "2:1", "3:1", "5:1", "6:1", "8:1", "4:2", "10:2", "12:4", "16:1", "40:8"]
LENGTHS = [  # (query lengths, key lengths)
    ("1", "1"), ("64", "64"), ("63,65", "63,65"), ("17,0,33", "128,5,129"), ("100", "37"), ("1,2,3", "64,65,127"),
    ("31,32", "191,193"), ("40,9", "0,70"), ("43,5", "256,255"), ("16,1", "129,320"), ("33,7", "17,16"), ("5,50", "31,257"),
    ("129", "127"), ("1", "1,700,3,0,64"), ("20", "95,33,32"), ("6,70", "97,96"),
]
KEYS = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 192, 193, 256, 257, 320, 640]


def boundaries():
    forms = Deck(FORMS, 0)
    for keys in KEYS:
        for causal in ("", "/causal=1"):
            yield case("2:1", ("40", str(keys)), forms.deal(), causal=causal)
    for queries in QUERY_BOUNDARIES:
        for extra in (-20, 0, 60):  # Lq > Lk, = and <
            yield case("1:1", (str(queries), str(queries + extra)), forms.deal(), causal="/causal=1")


def others():
    for values in ("count", "count:37", "negative_zero"):
        for page in (32, 64):
            yield case("2:1", ("3", "300"), ("kv=mxfp4", page), values=f"/values={values}")
    for page in (32, 1024):
        yield case("6:1", ("1023", "1024"), ("kv=mxfp4", page), causal="/causal=1")
        yield case("3:1", ("300,77,90", "400,301,90"), ("kv=mxfp4", page), table="/table=vllm", causal="/causal=1")
    yield case("4:2", ("33,7", "200,130"), ("kv=mxfp4", 64), causal="/causal=1", lse="/lse=1/deterministic=1")
    yield case("4:2", ("33,7", "200,130"), ("kv=mxfp4", 64), causal="/causal=1", lse="/lse=1/scale=0.2")


def main():
    case_list.write("mxfp4-grid", "K and V in MXFP4, small", list(crossed(FORMS, 6, HEADS, LENGTHS)) + list(boundaries()) + list(others()))


main()
