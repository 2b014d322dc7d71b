#!/usr/bin/python3
"""Writes data/cases/sparse-matrix: sparse_prefill on the matrix that aiter's pull request 3583 tests. Rows in bf16, fp8
split and fp8 packed x lists sparse, dense and empty x 16, 32, 64 and 128 heads, each with four of the shapes; sink logits,
LSE, softmax scale and values are dealt out from shuffled decks, the same to every form of rows: the three are one problem,
stored differently. Then lists of lengths around tiles of keys."""
import pathlib

from deck import Deck

ROWS = ["", "/kv=fp8", "/kv=fp8/format=packed"]
LISTS = ["", "/lists=dense", "/lists=empty"]
HEADS = [16, 32, 64, 128]
SHAPES = [(64, 256, 256), (64, 2048, 512), (96, 1024, 256), (128, 512, 1024), (128, 300, 777), (192, 256, 2048),
          (256, 1024, 1024), (256, 2048, 2048)]  # tokens, rows of the pool and of the chunk
SHAPES_EACH = 4
SCALES = [0.0442] * 6 + [0.0312, 0.125]  # 1/sqrt(512), 1/32, and one that makes the softmax steep
SINKS = ["/sinklogit=1", "/sinklogit=1", ""]
LSE = ["/lse=1", ""]
VALUES = ["", "", "", "/values=outlier", "/values=activations:L18"]
LENGTHS = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 255, 257]  # around tiles of keys


def boundaries():
    """Each length as prefix and as extend list, beside other lengths of the other list."""
    for heads in HEADS:
        prefix = LENGTHS + LENGTHS
        extend = [0] * len(LENGTHS) + LENGTHS[::-1]
        prefix, extend = (",".join(map(str, lengths)) for lengths in (prefix + [0] * 3, extend + [33, 64, 129]))
        for rows in ROWS:
            yield (f"sparse_prefill/h={heads}/n={2 * len(LENGTHS) + 3}/pool=300/chunk=260{rows}/prefix={prefix}"
                   f"/extend={extend}/scale=0.0442/sinklogit=1/lse=1")


def main():
    decks = [Deck(cards, seed) for seed, cards in enumerate([SHAPES, SCALES, SINKS, LSE, VALUES])]
    lines = []
    for lists in LISTS:
        for heads in HEADS:
            for _ in range(SHAPES_EACH):
                (tokens, pool, chunk), scale, sink, lse, values = (deck.deal() for deck in decks)
                lines += [f"sparse_prefill/h={heads}/n={tokens}/pool={pool}/chunk={chunk}{rows}{lists}/scale={scale}"
                          f"{sink}{lse}{values}" for rows in ROWS]
    lines += boundaries()
    header = ["# Rows x lists x heads of sparse_prefill, four shapes each, and lengths around tiles of keys; written by",
              "# data/make_sparse_matrix.py."]
    path = pathlib.Path(__file__).parent / "cases" / "sparse-matrix"
    path.write_text("\n".join(header + lines) + "\n")
    print(f"{len(lines)} cases")


main()
