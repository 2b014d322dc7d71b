"""What the grids of impl_fused's kernels of batch_prefill deal out alike."""
from deck import Deck

PAGE_LENGTHS = {1: ["2"], 16: ["15", "17", "47"], 32: ["31", "33", "95"], 64: ["63", "65", "192"],
                128: ["127", "129", "384"], 1024: ["1023", "1024", "1025"]}
LSE = ["/lse=1", "/lse=1", ""]
ORDERS = ["", "", "/order=sequential", "/order=lru"]
POOLS = ["", "", "", "", "/paged=0"]
VALUES = ["", "", "", "/values=outlier", "/values=uneven"]
QUERY_BOUNDARIES = [31, 32, 33, 127, 128, 129]  # rows of a wave and of a tile, for one head per KV head


def case(heads, lengths, form, table="", mode="", pool="", causal="", lse="/lse=1", order="", values=""):
    """`form`: type and quantisation of K and V as the case string has them, page size."""
    stored, page = form
    return (f"batch_prefill/h={heads}/sq={lengths[0]}/sk={lengths[1]}/d=128/q=fp8/{stored}{table}"
            + (f"/page={page}" if page != 16 else "") + pool + mode + causal + lse + (order if not pool else "") + values)


def crossed(forms, times, heads, lengths):
    """Form x causal x table, so many times each."""
    decks = [Deck(cards, seed) for seed, cards in
             enumerate([heads, lengths, LSE, ORDERS, POOLS, VALUES, range(3), range(4)])]
    for form in forms:
        for causal in ("", "/causal=1"):
            for table in ("", "/table=vllm"):
                for _ in range(times):
                    of_heads, of_lengths, lse, order, pool, values, at_boundary, batch = (deck.deal() for deck in decks)
                    if at_boundary == 0:  # a length at the page's boundary instead of the first one
                        boundary = decks[0].random.choice(PAGE_LENGTHS[form[1]])
                        of_lengths = (of_lengths[0], ",".join([boundary] + of_lengths[1].split(",")[1:]))
                    mode = "/mode=batch" if batch == 0 and "," not in of_lengths[0] else ""
                    yield case(of_heads, of_lengths, form, table, mode, pool, causal, lse, order, values)
