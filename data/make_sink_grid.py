#!/usr/bin/python3
"""Writes data/cases/sink-grid: sink tokens beside sliding windows, in the shapes of the source's 171 cases and beyond.
Length x mask x element type twice each, then chunked prefill, large batches and the edges of tiles; sinks, head_dim, LSE,
heads, pools, soft cap and sink logit are dealt out from shuffled decks."""

import case_list
from deck import Deck

TYPES = [  # keys at their default are not printed: the list is canonical
    "",
    "/q=fp16/kv=fp16/o=fp16",
    "/q=fp8/kv=fp8/quant=tensor",
    "/q=fp8/kv=fp8/quant=page",
]
MASKS = ["", "/causal=1"] + [f"/causal=1/window={window - 1}:0" for window in (32, 256, 512, 1024)]
SINKS = [0, 1, 2, 4, 8, 8, 16, 31, 63, 64, 65, 100, 128]
HEAD_DIMS = [64, 128, 128, 128, 256]
HEADS = ["1:1", "2:2", "4:1", "4:2", "6:1", "8:1"]
LSE = ["", "/lse=1"]
TABLES = ["", "/table=vllm"]
POOLS = [("", 16), ("", 16), ("", 32), ("", 32), ("/layout=vectorized", 16), ("/layout=vectorized", 32), ("", 1),
         ("", 64), ("", 128), ("", 1024), ("/layout=vectorized", 64), ("/layout=vectorized", 128),
         ("/layout=vectorized", 1024)]
SCORES = ["", "", "", "/sinklogit=1", "/cap=30", "/sinklogit=1/cap=30"]
LENGTHS = [512, 1024, 2048, 4096]
CHUNKS = [(64, 512), (128, 1024), (200, 2048), (256, 4096), (1, 700), (77, 1333)]  # queries, keys
# (window, sinks, query lengths, key lengths) around tiles of 64 keys and of 128 rows
EDGES = [
    ("20:0", 4, "70,1,33", "700,257,288"),        # a window shorter than a tile
    ("0:0", 1, "65,64", "65,400"),                # that of one key
    ("100:9", 70, "70,70,20,130", "63,70,700,471"),  # sinks that end within a tile, queries among them
    ("63:0", 128, "20,64,150", "500,384,900"),    # with a tile
    ("64:0", 130, "20", "212,276,340,404"),  # that meet the window, and just not
    ("30:0", 10, "20,9,20,1", "64,90,128,45"),    # with a gap inside one tile
    ("10:0", 1000, "70,70,40", "63,70,197"),      # more than there are keys
    ("50:200", 40, "130,5", "900,64"),            # beside a window to both sides
    ("100:0", 8, "0,20,7", "90,0,300"),           # requests without queries or keys
    ("255:0", 300, "129,128", "1025,1023"),       # of several tiles
]


def case(heads, queries, keys, head_dim, element, table, pool, mask, sinks, rest):
    layout, page = pool
    return (f"batch_prefill/h={heads}/sq={queries}/sk={keys}/d={head_dim}{element}{table}{layout}"
            + (f"/page={page}" if page != 16 else "") + mask + (f"/sink={sinks}" if sinks else "") + rest)


def main():
    sinks, head_dims, heads, lse, tables, pools, scores = (
        Deck(cards, seed) for seed, cards in enumerate([SINKS, HEAD_DIMS, HEADS, LSE, TABLES, POOLS, SCORES]))

    def dealt(queries, keys, element, mask, number=None):
        return case(heads.deal(), queries, keys, head_dims.deal(), element, tables.deal(), pools.deal(), mask,
                    sinks.deal() if number is None else number, scores.deal() + lse.deal())

    lines = [dealt(length, length, element, mask)
             for length in LENGTHS for mask in MASKS for element in TYPES for _ in range(2)]
    lines += [dealt(queries, keys, element, mask)
              for queries, keys in CHUNKS for mask in MASKS[1:] for element in TYPES]
    lines += [dealt(",".join(["64"] * 8 + ["1"] * 24), ",".join(str(300 + 97 * i) for i in range(32)), element, mask)
              for element in TYPES for mask in MASKS[2:]]
    for window, number, queries, keys in EDGES:
        causal = "/causal=1" if window.endswith(":0") else ""
        for element in TYPES:
            lines += [dealt(queries, keys, element, f"{causal}/window={window}", number) for _ in range(2)]
    case_list.write("sink-grid", "Sink tokens beside sliding windows, and without either", lines)


main()
