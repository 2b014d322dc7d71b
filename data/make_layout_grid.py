#!/usr/bin/python3
"""Writes data/cases/layout-grid: HND pools, and K and V interleaved in one pool, in every layout. Each of these forms with each
page size three times and each type and quantisation once for each head_dim; table, order of pages, mask, LSE, heads and lengths
(around pages and tiles) are dealt out from shuffled decks."""
import case_list
from deck import Deck

POOLS = ["/layout=hnd", "/layout=hnd/interleaved=1", "/interleaved=1", "/layout=vectorized/interleaved=1"]
PAGES = [1, 16, 32, 48, 64, 128, 544, 1024]
BASELINE = ["", "/q=fp16/kv=fp16/o=fp16", "/q=fp8/kv=fp8", "/q=fp8/kv=fp8/quant=tensor", "/q=fp8/kv=fp8/quant=page",
            "/kv=fp8/quant=tensor", "/kv=fp8/quant=page", "/q=fp16/kv=fp8/o=fp16/quant=page"]
PREPASS_ONLY = ["/q=fp8/kv=fp8/quant=mx", "/kv=fp8/quant=mx"]
HEAD_DIMS = [64, 128, 128, 128, 256]
MASKS = ["", "/causal=1", "/causal=1", "/window=40:0", "/causal=1/window=127:0", "/window=5:200", "/causal=1/window=63:0/sink=70"]
HEADS = ["2:2", "4:2", "3:3", "8:4", "6:2", "5:1"]
TABLES = ["", "/table=vllm"]
PAGED = ["", "", "/paged=0", "/order=lru", "/order=sequential", "/spare=0"]
LSE = ["/lse=1", ""]
SCORES = ["", "", "/sinklogit=1", "/cap=30"]


def takes(pool, page):
    return page > 1 or "vectorized" not in pool


def words(pool, page):
    """In the order of the case string's keys."""
    layout, _, interleaved = pool.partition("/interleaved")
    return layout + f"/page={page}" * (page != 16), "/interleaved=1" * bool(interleaved)


def main():
    elements, head_dims, masks, heads, tables, paged, lses, scores, offsets, pages = (
        Deck(cards, seed) for seed, cards in
        enumerate([BASELINE, HEAD_DIMS, MASKS, HEADS, TABLES, PAGED, LSE, SCORES, [-1, 0, 1, -15, 16, 17, -64, 63], PAGES[1:]]))

    def case(element, pool, page, head_dim, rest, queries, keys, values=""):
        layout, interleaved = words(pool, page)
        form = paged.deal()
        before, behind = (form, "") if form == "/paged=0" else ("", form)
        return (f"batch_prefill/h={heads.deal()}/sq={queries}/sk={keys}/d={head_dim}{element}{tables.deal()}{layout}{before}"
                f"{interleaved}{rest}{behind}{values}")

    def dealt(element, pool, page, head_dim):
        whole = max(1, 300 // page)
        keys = [max(1, whole * page + offsets.deal()), max(1, 2 * page + offsets.deal())]
        return case(element, pool, page, head_dim, masks.deal() + scores.deal() + lses.deal(), f"{min(keys[0], 33)},5",
                    f"{keys[0]},{keys[1]}")

    lines = [dealt(elements.deal(), pool, page, head_dims.deal()) for page in PAGES for pool in POOLS for _ in range(3)
             if takes(pool, page)]
    lines += [dealt(element, pool, pages.deal(), head_dim)
              for element in BASELINE for pool in POOLS[:3] for head_dim in (64, 128, 256)]
    lines += [case(element, pool, page, 128, "/causal=1" + lses.deal(), "33,5", f"{2 * page - 1},{page + 1}")
              for element in PREPASS_ONLY for page in (16, 48, 64) for pool in POOLS]
    lines += [case(element, pool, page, 128, "/causal=1/lse=1", "40,25", f"{page + 300},100", "/values=uneven")
              for element in (BASELINE[4], BASELINE[6], BASELINE[7]) for pool in POOLS for page in (16, 64)]
    for pool in POOLS:
        lines.append(case("", pool, 16, 128, "/lse=1", "0,9,1", "40,0,333"))
        lines.append(case("/q=fp8/kv=fp8/quant=tensor", pool, 64, 128, "/causal=1/lse=1/deterministic=1", "20,3", "300,200"))
    case_list.write("layout-grid", "HND pools, and K and V interleaved in one pool", lines)


main()
