#!/usr/bin/python3
"""Writes data/cases/fused-grid: what impl_fused takes, small. Quantisation and page size x causal x table, five times each,
with heads, lengths (around 32 and 128 rows, 64 keys, MX's blocks of 32 keys and page boundaries), LSE, batch mode, page
order, form of the pool and values dealt out from shuffled decks; then every number of key tiles and every boundary of query
tile and wave, and aiter's batches."""

import case_list
from deck import Deck

FORMS = [(quantisation, page)  # KV_BLOCKSCALE needs a page per tile of 64 keys
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
PAGE_LENGTHS = {1: ["2"], 16: ["15", "17", "47"], 32: ["31", "33", "95"], 64: ["63", "65", "192"],
                128: ["127", "129", "384"], 1024: ["1023", "1024", "1025"]}
LSE = ["/lse=1", "/lse=1", ""]
ORDERS = ["", "", "/order=sequential", "/order=lru"]
POOLS = ["", "", "", "", "/paged=0"]
VALUES = ["", "", "", "/values=outlier", "/values=uneven"]
KEY_TILES = [0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 160, 161, 191, 192, 193, 255, 256, 257, 319, 320, 321, 640]
QUERY_BOUNDARIES = [31, 32, 33, 127, 128, 129]  # rows of a wave and of a tile, for one head per KV head


def case(heads, lengths, form, table="", mode="", pool="", causal="", lse="/lse=1", order="", values=""):
    quantisation, page = form
    return (f"batch_prefill/h={heads}/sq={lengths[0]}/sk={lengths[1]}/d=128/q=fp8/kv=fp8{quantisation}{table}"
            + (f"/page={page}" if page != 16 else "") + pool + mode + causal + lse + (order if not pool else "") + values)


def crossed():
    decks = [Deck(cards, seed) for seed, cards in
             enumerate([HEADS, LENGTHS, LSE, ORDERS, POOLS, VALUES, range(3), range(4)])]
    for form in FORMS:
        for causal in ("", "/causal=1"):
            for table in ("", "/table=vllm"):
                for _ in range(5):
                    heads, lengths, lse, order, pool, values, at_boundary, batch = (deck.deal() for deck in decks)
                    if at_boundary == 0:  # a length at the page's boundary instead of the first one
                        boundary = decks[0].random.choice(PAGE_LENGTHS[form[1]])
                        lengths = (lengths[0], ",".join([boundary] + lengths[1].split(",")[1:]))
                    mode = "/mode=batch" if batch == 0 and "," not in lengths[0] else ""
                    yield case(heads, lengths, form, table, mode, pool, causal, lse, order, values)


def boundaries():
    forms = Deck([form for form in FORMS if form[0]], 0)
    for keys in KEY_TILES:
        for causal in ("", "/causal=1"):
            yield case("2:1", ("40", str(keys)), forms.deal(), causal=causal)
            yield case("1:1", ("40", str(keys)), ("/quant=mx", 64), causal=causal)
    for queries in QUERY_BOUNDARIES:
        for extra in (-20, 0, 60):  # Lq > Lk, = and <
            yield case("1:1", (str(queries), str(queries + extra)), forms.deal(), causal="/causal=1")


def aiter():
    for page in (1, 16, 1024):
        yield case("6:1", ("1023", "1024"), ("/quant=mx", page), causal="/causal=1")
        yield case("3:1", ("1024", "1023"), ("/quant=tensor", page))
    yield case("3:1", ("1023", "1024"), ("/quant=page", 1024), causal="/causal=1")
    yield case("40:40", ("128", "128"), ("/quant=mx", 64), causal="/causal=1")
    yield case("16:1", ("128,77,90", "128,301,90"), ("/quant=mx", 16), table="/table=vllm", causal="/causal=1")


def main():
    # The decks may deal a case twice.
    case_list.write("fused-grid", "Every form of batch_prefill that impl_fused takes, small", list(crossed()) + list(boundaries()) + list(aiter()))


main()
