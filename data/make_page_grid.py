#!/usr/bin/python3
"""Writes data/cases/page-grid: every page size that is a multiple of 16 and was not in use before, up to 1,024 tokens, under
every type and quantisation. Page size x layout once each, with type, quantisation, head_dim, table, form of the pool, mask,
LSE, heads and lengths (around blocks, pages and tiles) dealt out from shuffled decks; then 544 with everything."""
import case_list
from deck import Deck

USUAL = (16, 32, 64, 128, 1024)
PAGES = [page for page in range(16, 1025, 16) if page not in USUAL]
BASELINE = ["", "/q=fp16/kv=fp16/o=fp16", "/q=fp8/kv=fp8", "/q=fp8/kv=fp8/quant=tensor", "/q=fp8/kv=fp8/quant=page",
            "/kv=fp8/quant=tensor", "/kv=fp8/quant=page", "/q=fp16/kv=fp8/o=fp16/quant=page"]
PREPASS_ONLY = ["/q=fp8/kv=fp8/quant=mx", "/kv=fp8/quant=mx"]
HEAD_DIMS = [64, 128, 128, 128, 256]
MASKS = ["", "/causal=1", "/causal=1", "/window=40:0", "/causal=1/window=127:0", "/window=5:200", "/causal=1/window=63:0/sink=70"]
HEADS = ["1:1", "2:2", "4:2", "3:1", "8:1", "6:2"]
TABLES = ["", "/table=vllm"]
POOL_FORMS = ["", "", "/strided=1", "/paged=0"]
LSE = ["/lse=1", ""]
SCORES = ["", "", "/sinklogit=1", "/cap=30"]


def case(heads, queries, keys, head_dim, element, table, layout, page, rest):
    return (f"batch_prefill/h={heads}/sq={queries}/sk={keys}/d={head_dim}{element}{table}"
            + (f"/layout={layout}" if layout != "linear" else "") + f"/page={page}{rest}")


def main():
    elements, head_dims, masks, heads, tables, forms, lses, scores, offsets = (
        Deck(cards, seed) for seed, cards in
        enumerate([BASELINE, HEAD_DIMS, MASKS, HEADS, TABLES, POOL_FORMS, LSE, SCORES, [-1, 0, 1, -15, 16, 17, -64, 63]]))

    def dealt(element, page, layout, head_dim):
        whole = max(1, 300 // page)
        keys = (whole * page + offsets.deal(), 2 * page + offsets.deal())
        return case(heads.deal(), f"{min(keys[0], 33)},5", f"{keys[0]},{keys[1]}", head_dim, element, tables.deal(), layout, page,
                    forms.deal() + masks.deal() + scores.deal() + lses.deal())

    lines = [dealt(elements.deal(), page, layout, head_dims.deal()) for page in PAGES for layout in ("linear", "vectorized")]
    lines += [dealt(element, 544, layout, head_dim)
              for element in BASELINE for layout in ("linear", "vectorized") for head_dim in (64, 128, 256)]
    for element in PREPASS_ONLY:
        for page in (48, 96, 544, 1008):
            for layout in ("linear", "vectorized"):
                lines.append(case(heads.deal(), "33,5", f"{2 * page - 1},{page + 1}", 128, element, tables.deal(), layout, page,
                                  "/causal=1" + lses.deal()))
    for page in (48, 80, 208, 544):
        for layout in ("linear", "vectorized"):
            for element in (BASELINE[4], BASELINE[6], BASELINE[7]):
                lines.append(case("6:1", "40,25", f"{page + 300},100", 128, element, "", layout, page,
                                  "/causal=1/lse=1/values=uneven"))
    case_list.write("page-grid", "Pages of every multiple of 16 up to 1,024 tokens that is not among the usual ones", lines)


main()
