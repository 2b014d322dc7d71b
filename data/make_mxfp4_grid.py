#!/usr/bin/python3
"""Writes data/cases/mxfp4-grid: K and V in MXFP4. Page size x causal x table, six times each, with heads, lengths (around 32 and
128 rows, 64 keys, blocks of 32 keys and page boundaries), LSE, batch mode, page order, form of the pool and values dealt out from
shuffled decks; then every number of key tiles and blocks, every boundary of query tile and wave, and inputs that count."""
import case_list
from deck import Deck

PAGES = (32, 64, 128, 1024)
HEADS = ["1:1", "2:1", "3:1", "5:1", "6:1", "8:1", "4:2", "10:2", "12:4", "16:1", "40:8"]
LENGTHS = [  # (query lengths, key lengths)
    ("1", "1"), ("64", "64"), ("63,65", "63,65"), ("17,0,33", "128,5,129"), ("100", "37"), ("1,2,3", "64,65,127"),
    ("31,32", "191,193"), ("40,9", "0,70"), ("43,5", "256,255"), ("16,1", "129,320"), ("33,7", "17,16"), ("5,50", "31,257"),
    ("129", "127"), ("1", "1,700,3,0,64"), ("20", "95,33,32"), ("6,70", "97,96"),
]
PAGE_LENGTHS = {32: ["31", "33", "95"], 64: ["63", "65", "192"], 128: ["127", "129", "384"], 1024: ["1023", "1024", "1025"]}
LSE = ["/lse=1", "/lse=1", ""]
ORDERS = ["", "", "/order=sequential", "/order=lru"]
POOLS = ["", "", "", "", "/paged=0"]
VALUES = ["", "", "", "/values=outlier", "/values=uneven"]
KEYS = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 192, 193, 256, 257, 320, 640]
QUERY_BOUNDARIES = [31, 32, 33, 127, 128, 129]  # rows of a wave and of a tile, for one head per KV head


def case(heads, lengths, page, table="", mode="", pool="", causal="", lse="/lse=1", order="", values=""):
    return (f"batch_prefill/h={heads}/sq={lengths[0]}/sk={lengths[1]}/d=128/q=fp8/kv=mxfp4{table}/page={page}"
            + pool + mode + causal + lse + (order if not pool else "") + values)


def crossed():
    decks = [Deck(cards, seed) for seed, cards in
             enumerate([HEADS, LENGTHS, LSE, ORDERS, POOLS, VALUES, range(3), range(4)])]
    for page in PAGES:
        for causal in ("", "/causal=1"):
            for table in ("", "/table=vllm"):
                for _ in range(6):
                    heads, lengths, lse, order, pool, values, at_boundary, batch = (deck.deal() for deck in decks)
                    if at_boundary == 0:  # a length at the page's boundary instead of the first one
                        boundary = decks[0].random.choice(PAGE_LENGTHS[page])
                        lengths = (lengths[0], ",".join([boundary] + lengths[1].split(",")[1:]))
                    mode = "/mode=batch" if batch == 0 and "," not in lengths[0] else ""
                    yield case(heads, lengths, page, table, mode, pool, causal, lse, order, values)


def boundaries():
    pages = Deck(PAGES, 0)
    for keys in KEYS:
        for causal in ("", "/causal=1"):
            yield case("2:1", ("40", str(keys)), pages.deal(), causal=causal)
    for queries in QUERY_BOUNDARIES:
        for extra in (-20, 0, 60):  # Lq > Lk, = and <
            yield case("1:1", (str(queries), str(queries + extra)), pages.deal(), causal="/causal=1")


def others():
    for values in ("count", "count:37", "negative_zero"):
        for page in (32, 64):
            yield case("2:1", ("3", "300"), page, values=f"/values={values}")
    for page in (32, 1024):
        yield case("6:1", ("1023", "1024"), page, causal="/causal=1")
        yield case("3:1", ("300,77,90", "400,301,90"), page, table="/table=vllm", causal="/causal=1")
    yield case("4:2", ("33,7", "200,130"), 64, causal="/causal=1", lse="/lse=1/deterministic=1")
    yield case("4:2", ("33,7", "200,130"), 64, causal="/causal=1", lse="/lse=1/scale=0.2")


def main():
    case_list.write("mxfp4-grid", "K and V in MXFP4, small", list(crossed()) + list(boundaries()) + list(others()))


main()
