#!/usr/bin/python3
"""Writes data/cases/append-grid: append_prefill, small. Type x head_dim x page size x table x mask, twice each, with heads,
chunks and old lengths (ragged, chunks of no token, requests without old tokens), LSE, batch mode, calls, page order and
values dealt out from shuffled decks; then windows with sinks and sink logits and without, also behind prefixes of 32,768 tokens
and more; old lengths at every boundary of a page and of a tile of 64 keys, chunks in 2 to
40 calls, slices of traces, whose requests share pages of old tokens, and pools of 5 GB."""

import case_list
from deck import Deck

TYPES = ["", "/q=fp16"]
PAGES = [1, 16, 32, 64, 128, 1024]
HEADS = ["1:1", "2:1", "3:1", "4:2", "5:1", "6:2", "7:1", "8:1", "8:4", "12:4", "16:1", "3:3", "40:8"]
LENGTHS = [  # (chunks, old tokens)
    ("1", "0"), ("64", "0"), ("1", "64"), ("65,3", "63,0"), ("17,0,33", "111,5,96"), ("40", "88"), ("1,2,3", "63,63,124"),
    ("31,32", "160,161"), ("5,50", "26,207"), ("129", "127"), ("1,1,1,1,1", "0,300,2,63,32"), ("20", "75,13,12"),
    ("6,70", "91,26"), ("0,16", "33,17"), ("100", "1"), ("63,65", "0,128"), ("7,90,0,2", "129,0,0,65"), ("200", "70"),
]
WINDOWS = ["/window=0:0", "/window=1:0", "/window=31:0", "/window=63:0", "/window=64:0", "/window=100:0", "/window=127:0",
           "/window=100:20", "/window=0:65", "/window=0:0/sink=1", "/window=20:0/sink=4", "/window=63:0/sink=64", "/window=64:0/sink=70",
           "/window=127:0/sink=4", "/window=100:9/sink=70", "/window=63:0/sink=128", "/window=30:0/sink=1000"]
WINDOWED_LENGTHS = [  # (chunks, old tokens)
    ("1", "700"), ("20,33", "480,256"), ("70", "0"), ("300", "3"), ("40,1,5", "88,300,1000"), ("129", "127"), ("64", "320"), ("3", "9"),
    ("7,90,0,2", "129,0,0,650"),
]
PAGE_OLD = {1: [2, 3], 16: [15, 16, 17, 31], 32: [31, 32, 33, 95], 64: [63, 64, 65, 191], 128: [127, 128, 129, 383],
            1024: [1023, 1024, 1025]}
TILE_OLD = [0, 1, 2, 31, 33, 62, 63, 64, 65, 66, 127, 128, 129, 191, 192, 193, 255, 256, 320]
LSE = ["/lse=1", "/lse=1", ""]
ORDERS = ["", "", "/order=sequential", "/order=lru"]
VALUES = ["", "", "", "/values=outlier", "/values=uneven", "/values=normal+pow2"]
EXTRAS = ["", "", "", "", "", "/sinklogit=1", "/cap=30", "/scale=0.05"]
CALLS = ["", "", "", "", "/calls=2", "/calls=3", "/calls=5"]
TRACES = ["toolagent@0+4:64", "toolagent@20+6:128", "conversation@50+3:64", "conversation_mid@10+4:64", "azure_code@5+3:16",
          "azure_conv@7+4:16", "synthetic@0+2:128"]


def key_lengths(chunks, old):
    """sk of given chunks and old lengths; one value stands for all, as in a case string."""
    chunks, old = chunks.split(","), old.split(",")
    count = max(len(chunks), len(old))
    chunks, old = (values * count if len(values) == 1 else values for values in (chunks, old))
    return ",".join(str(int(chunk) + int(before)) for chunk, before in zip(chunks, old))


def case(heads, chunks, old, dim, kind="", table="", page=16, mode="", causal="", extra="", lse="", order="", values="", calls="", window=""):
    sink, cap, scale = (extra if extra.startswith(key) else "" for key in ("/sinklogit", "/cap", "/scale"))
    return (f"append_prefill/h={heads}/sq={chunks}/sk={key_lengths(chunks, old)}/d={dim}{kind}{table}"
            + (f"/page={page}" if page != 16 else "") + mode + causal + window + sink + cap + lse + scale + order + values + calls)


def crossed():
    decks = [Deck(cards, seed) for seed, cards in
             enumerate([HEADS, LENGTHS, LSE, ORDERS, VALUES, EXTRAS, CALLS, range(2), range(4)])]
    for kind in TYPES:
        for dim in (64, 128):
            for page in PAGES:
                for table in ("", "/table=vllm"):
                    for causal in ("/causal=1", ""):
                        for _ in range(2):
                            heads, (chunks, old), lse, order, values, extra, calls, at_page, batch = (deck.deal() for deck in decks)
                            if at_page == 0:  # an old length at the page's boundary instead of the first one
                                boundary = str(decks[0].random.choice(PAGE_OLD[page]))
                                old = ",".join([boundary] + old.split(",")[1:])
                            mode = "/mode=batch" if batch == 0 and "," not in chunks else ""
                            yield case(heads, chunks, old, dim, kind, table, page, mode, causal, extra, lse, order, values, calls)


def boundaries():
    forms = Deck([(kind, dim, table) for kind in TYPES for dim in (64, 128) for table in ("", "/table=vllm")], 0)
    for page in PAGES:
        for old in sorted({0, 1, *PAGE_OLD[page]}):
            kind, dim, table = forms.deal()
            yield case("4:2", "33", str(old), dim, kind, table, page, causal="/causal=1", lse="/lse=1")
    for old in TILE_OLD:
        kind, dim, table = forms.deal()
        yield case("2:1", "40", str(old), dim, kind, table, Deck(PAGES, old).deal(), causal="/causal=1", lse="/lse=1")


def in_calls():
    forms = Deck([(kind, dim, table, page) for kind in TYPES for dim in (64, 128) for table in ("", "/table=vllm")
                  for page in PAGES], 1)
    for calls in (2, 3, 4, 6, 9, 13, 20, 40):
        for chunks, old in (("150", "0"), ("90,7,30", "50,0,65")):
            kind, dim, table, page = forms.deal()
            yield case("4:2", chunks, old, dim, kind, table, page, causal="/causal=1", lse="/lse=1", calls=f"/calls={calls}")


def traces():
    forms = Deck([(kind, dim, table, page) for kind in TYPES for dim in (64, 128) for table in ("", "/table=vllm")
                  for page in PAGES], 2)
    for number, (trace, several) in enumerate(zip(TRACES, (2, 5, 9, 14, 20, 29, 40))):
        for calls in ("", f"/calls={several}"):
            kind, dim, table, page = forms.deal()
            yield (f"append_prefill/h=8:2/trace={trace}/d={dim}{kind}{table}" + (f"/page={page}" if page != 16 else "")
                   + "/causal=1/lse=1" + ("/order=lru" if number % 3 == 0 else "") + calls)


def windowed():
    """Window, window and sinks, window and sinks and sink logit; old tokens in front of the window, in it, and none."""
    forms = Deck([(kind, dim, table, page) for kind in TYPES for dim in (64, 128) for table in ("", "/table=vllm")
                  for page in PAGES], 3)
    decks = [Deck(cards, 10 + seed) for seed, cards in enumerate([HEADS, WINDOWED_LENGTHS, LSE, ORDERS, VALUES, CALLS])]
    for window in WINDOWS:
        for extra in ("", "", "/sinklogit=1"):
            kind, dim, table, page = forms.deal()
            heads, (chunks, old), lse, order, values, calls = (deck.deal() for deck in decks)
            causal = "/causal=1" if ":0" in window else ""
            yield case(heads, chunks, old, dim, kind, table, page, "", causal, extra, lse, order, values, calls, window)


def long_prefixes():
    """Few heads and short chunks: what is computed stays small."""
    forms = Deck([(kind, dim, table, page) for kind in TYPES for dim in (64, 128) for table in ("", "/table=vllm")
                  for page in PAGES[1:]], 4)
    for old in ("32768", "32831", "40000", "65536"):
        for rest in ("", "/window=127:0", "/window=127:0/sink=4", "/window=4095:0/sink=70/sinklogit=1"):
            for chunk in ("1", "33"):
                kind, dim, table, page = forms.deal()
                window, sink_logit, _ = rest.partition("/sinklogit=1")
                yield case("2:1", chunk, old, dim, kind, table, page, causal="/causal=1", extra=sink_logit, lse="/lse=1", window=window)


def beyond_4_gib():
    # With this seed the requests' pages, of 1 MiB each, are 2007 and 4312, and 3501 and 4681: below byte 2^31 and above 2^32.
    yield "append_prefill/h=8:8/sq=40,3/sk=1060,1500/d=128/page=1024/causal=1/lse=1/spare=5000/seed=11"


def main():
    # The decks may deal a case twice.
    case_list.write("append-grid", "append_prefill, small, in one call and several", [*crossed(), *boundaries(), *in_calls(), *traces(), *beyond_4_gib(), *windowed(), *long_prefixes()])


main()
