#!/usr/bin/python3
"""Writes data/cases/tree-grid: draft trees of speculative decoding on the last queries and keys. Verification of 8 to 64 nodes over
short and long prefixes, prefills with a tree at their end, fewer queries or keys than nodes, ragged batches with empty requests, trees
across pages and tiles; types, quantisation, layout, page size, table, heads, windows, sinks and scores are dealt out from shuffled decks."""
import case_list
from deck import Deck

FORMS = [("", (64, 128)), ("/kv=fp8/quant=tensor", (64, 128)), ("/kv=fp8/quant=page", (64, 128)), ("/kv=fp8", (128,)),
         ("/q=fp8/kv=fp8/quant=tensor", (128,)), ("/q=fp8/kv=fp8/quant=page", (128,)), ("/q=fp8/kv=fp8", (128,))]
LAYOUTS = ["", "", "/layout=vectorized", "/layout=hnd"]
PAGES = [16, 16, 32, 48, 64, 128, 544, 1024, 1]
HEADS = ["8:1", "4:2", "3:3", "8:2", "64:8", "5:1", "2:1", "16:2"]
MASKS = ["", "", "/window=127:0", "/window=30:0", "/window=63:0/sink=4", "/window=20:0/sink=70", "/window=200:0/sink=130"]
SCORES = ["", "", "/sinklogit=1", "/cap=30"]
LSE = ["/lse=1", ""]
TABLES = ["", "/table=vllm"]
NODES = [8, 16, 24, 31, 32, 33, 48, 63, 64]
# Before the tree: on and off pages and tiles.
PREFIXES = [0, 1, 15, 16, 33, 63, 64, 65, 100, 127, 200, 320, 1000, 2048, 4033]


def main():
    forms, layouts, pages, heads, masks, scores, lses, tables, nodes, prefixes = (
        Deck(cards, seed) for seed, cards in
        enumerate([FORMS, LAYOUTS, PAGES, HEADS, MASKS, SCORES, LSE, TABLES, NODES, PREFIXES]))
    head_dims = {form: Deck(list(dims), 20) for form, dims in FORMS}
    seeds = iter(range(2, 1000))

    def case(tree, queries, keys, form=None, mask=None, rest=""):
        form = forms.deal()[0] if form is None else form
        layout, page = layouts.deal(), pages.deal()
        layout = "" if page == 1 and "vectorized" in layout else layout
        mask = masks.deal() if mask is None else mask
        join = lambda numbers: ",".join(str(n) for n in (numbers if len(set(numbers)) > 1 else numbers[:1]))
        return (f"batch_prefill/h={heads.deal()}/sq={join(queries)}/sk={join(keys)}/d={head_dims[form].deal()}{form}{tables.deal()}{layout}"
                + f"/page={page}" * (page != 16) + f"/causal=1{mask}/tree={tree}{scores.deal()}{lses.deal()}{rest}/seed={next(seeds)}")

    lines = []
    for prefix in PREFIXES:  # verification
        for _ in range(2):
            n = nodes.deal()
            lines.append(case(n, [n], [prefix + n]))
    for form, dims in FORMS:  # each form under each kind of length
        for _ in dims:
            n = nodes.deal()
            lines.append(case(n, [n + 70], [n + 70 + prefixes.deal()], form))  # a prefill whose end is a tree
            lines.append(case(64, [5], [prefixes.deal() + 40], form))          # fewer queries than nodes
            lines.append(case(n, [n, 0, 1, n + 150, n], [n + 33, 90, 64, n + 150, n + 63], form))
    for before in (-64, -33, -32, -17, -16, -1, 0, 1):  # where a tree begins in its tile
        lines.append(case(32, [32, 40], [128 + before + 32, 192 - before], mask=""))
    lines.append(case(64, [64, 70, 20], [10, 30, 64], mask=""))  # fewer keys than queries
    lines.append(case(64, [0, 64], [0, 64]))
    lines.append(case(16, [16] * 12, [100 + 37 * i for i in range(12)], rest="/deterministic=1"))
    lines.append(case(1, [1, 3], [700, 65], mask=""))
    case_list.write("tree-grid", "draft trees on the last queries and keys", lines)


main()
