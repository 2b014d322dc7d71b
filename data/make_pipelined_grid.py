#!/usr/bin/python3
"""Writes data/cases/pipelined-grid and direct-p-grid: what impl_pipelined takes, small. Heads x form of the cache x causal, each once, with
lengths, tables, soft cap, LSE, batch mode and page order dealt out; then every number of KV tiles and every boundary of
query tile, KV tile and page; then aiter's batches."""
import zlib

import case_list

HEADS = ["1:1", "2:1", "3:1", "5:1", "6:1", "7:1", "8:1", "10:2", "12:4", "16:1", "40:1", "40:40"]
FORMS = [(quantisation, page, paged)  # KV_BLOCKSCALE needs a page per tile of 64 keys
         for quantisation, pages, paged in [
             ("none", (1, 16, 32, 64, 128, 1024), True), ("tensor", (1, 16, 32, 64, 128, 1024), True),
             ("page", (64, 128, 1024), True),
             ("none", (1, 64), False), ("tensor", (1, 16, 64, 1024), False), ("page", (64, 1024), False)]
         for page in pages]
LENGTHS = [  # (query lengths, key lengths); one query length for all requests allows mode=batch
    ("1", "1"), ("64", "64"), ("63,65", "63,65"), ("17,0,33", "128,5,129"), ("100", "37"), ("1,2,3", "64,65,127"),
    ("32", "191,193"), ("40,9", "0,70"), ("43,5", "256,255"), ("16", "129,0,320"), ("128,3", "128,15"), ("33,7", "17,16"),
    ("5,50", "31,257"), ("0,12", "9,400"), ("90", "70,64"), ("2", "511,512,513"),
]
QUERY_BOUNDARIES = [31, 32, 33, 255, 256, 257]  # rows of a wave and of a tile, for one head per KV head
KEY_TILES = [0, 1, 2, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 319, 320, 321, 640]
PAGE_BOUNDARIES = {1: [2, 3], 16: [15, 17, 47], 32: [31, 33, 96], 64: [62, 66, 190], 128: [126, 130, 385],
                   1024: [1023, 1024, 1025]}
AITER_LENGTHS = [("128", "128"), ("1023", "1024"), ("1024", "1023")]
RAGGED = [("77", "300"), ("5,128,31", "128,200,31"), ("1,64,128,33,7,90,15", "128,64,301,33,1,90,17")]  # 1, 3, 7 requests


class Grid:
    def __init__(self):
        self.cases = []

    def deal(self, what, choices):
        """One of the choices, as if at random but the same every time: no two keys go hand in hand."""
        return choices[zlib.crc32(f"{what} {len(self.cases)}".encode()) % len(choices)]

    def add(self, heads, query, key, form, causal, **fixed):
        quantisation, page, paged = form
        chosen = {
            "vllm": self.deal("table", [False, True]), "lse": self.deal("lse", [True, True, False]),
            "batch": "," not in query and self.deal("mode", [False, False, True]),
            "cap": self.deal("cap", [False, False, True]), "order": self.deal("order", ["", "", "", "sequential", "lru"]),
        } | fixed
        self.cases.append(
            f"batch_prefill/h={heads}" + f"/sq={query}/sk={key}/d=128/q=fp8/kv=fp8"
            + (f"/quant={quantisation}" if quantisation != "none" else "")
            + ("/table=vllm" if chosen["vllm"] else "") + (f"/page={page}" if page != 16 else "")
            + ("" if paged else "/paged=0") + ("/mode=batch" if chosen["batch"] else "")
            + ("/causal=1" if causal else "")
            # Scores of N(0, 1) hardly notice a cap of 30: those of N(0, 5.7) do.
            + ("/cap=30" if chosen["cap"] else "") + ("/lse=1" if chosen["lse"] else "")
            + ("/scale=0.5" if chosen["cap"] else "")
            + (f"/order={chosen['order']}" if chosen["order"] and paged else "")
            + (f"/values={chosen['values']}" if "values" in chosen else ""))


def main():
    grid = Grid()
    for heads in HEADS:
        for form in FORMS:
            for causal in (False, True):
                query, key = grid.deal("lengths", LENGTHS[:-1] if heads == "40:40" else LENGTHS)
                if grid.deal("boundary", [False, False, True]):  # the first key length at a boundary of the page
                    boundary = grid.deal("which", PAGE_BOUNDARIES[form[1]])
                    key = ",".join([str(boundary)] + key.split(",")[1:])
                grid.add(heads, query, key, form, causal)
    for keys in KEY_TILES:
        for causal in (False, True):
            form = grid.deal("form", FORMS)
            grid.add("2:1", str(grid.deal("queries", [1, 40, 129])), str(keys), form, causal, lse=True)
            grid.add("1:1", "40", str(keys), ("page", 64, True), causal, lse=True, cap=False)
    for queries in QUERY_BOUNDARIES:
        for extra in (-20, 0, 60):  # Lq > Lk, = and <
            grid.add("1:1", str(queries), str(queries + extra), grid.deal("form", FORMS), True, lse=True)
    for heads in ["3:1", "6:1", "8:1", "16:1", "40:40"]:
        for query, key in RAGGED:
            grid.add(heads, query, key, grid.deal("form", FORMS), True)
    for form in [("none", 32, True), ("tensor", 1, True), ("page", 64, True)]:
        grid.add("40:40", *RAGGED[-1], form, True)
    for query, key in AITER_LENGTHS:
        for form in [("tensor", 1, True), ("tensor", 16, True), ("page", 1024, True), ("tensor", 1024, False)]:
            grid.add("6:1" if query == "128" else "3:1", query, key, form, grid.deal("causal", [True, False]))
    for form in [("tensor", 1, True), ("page", 1024, True)]:
        grid.add("3:1", "2048", "2048", form, True)
        grid.add("5:1", "260", "900", form, True, values="outlier", lse=True)
    case_list.write("pipelined-grid", "Every form of batch_prefill that impl_pipelined takes, small", grid.cases)
    case_list.write("direct-p-grid", "The same without LSE and soft cap, which pipelined_direct_p refuses",
          [case.replace("/lse=1", "").replace("/cap=30", "") for case in grid.cases])


main()
