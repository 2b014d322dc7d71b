"""Which tensor of a case an allocation may be, by its size in all runs, by whether the launch wrote it, and of tables by what they
held. Sizes are those of runs whose requests all have one length."""
import dataclasses
import struct

POINTERS = ("q", "k_pool", "v_pool", "q_descale", "k_descale", "v_descale", "sink_logit", "q_indptr", "tree_mask", "kv_indptr", "kv_page_indices",
            "kv_last_page_lens", "block_table", "seqlen_k", "page_ids", "output", "lse")  # names that manifests have


@dataclasses.dataclass
class Tensor:
    names: tuple  # of which any may be it
    size: str  # an expression of bytes
    needs: tuple  # names that the size is made of
    written: bool = False
    holds: object = None  # of what a run varied and the words that the table held: whether it may be this one
    words: str = ""  # of what is no tensor of the case


def pages(run):
    return -(-run["max_key_length"] // run["page_size"])


def runs_of(count, step):
    return lambda run, words: words == [index * step(run) for index in range(count(run))][:len(words)]


def all_are(value):
    return lambda run, words: set(words) == {value(run)}


def page_ids(run, words):
    return len(set(words)) == len(words) and all(0 <= word < run["batch"] * pages(run) for word in words)


ROWS, KEYS, PAGES = ("batch", "max_query_length"), ("batch", "max_key_length"), ("batch", "max_key_length", "page_size")
Q, K = ("query_heads", "head_dim"), ("kv_heads", "head_dim")
KV_BYTES = (1, 2)
TENSORS = [
    *(Tensor(("q",), f"batch * max_query_length * query_heads * head_dim * {bytes}", ROWS + Q) for bytes in KV_BYTES),
    Tensor(("output",), "batch * max_query_length * query_heads * head_dim * 2", ROWS + Q, written=True),
    Tensor(("lse",), "batch * max_query_length * query_heads * 4", ROWS + Q[:1], written=True),
    *(Tensor(("k_pool", "v_pool"), f"batch * ceil_div(max_key_length, page_size) * page_size * kv_heads * head_dim * {bytes}", PAGES + K)
      for bytes in KV_BYTES),
    *(Tensor((), f"batch * max_key_length * kv_heads * head_dim * {bytes}", KEYS + K,
             words="K or V, keys behind one another: a name of your own for it, which prepare gathers") for bytes in KV_BYTES),
    Tensor(("q_indptr",), "(batch + 1) * 4", ROWS,
           holds=runs_of(lambda run: run["batch"] + 1, lambda run: run["max_query_length"])),
    Tensor(("kv_indptr",), "(batch + 1) * 4", PAGES, holds=runs_of(lambda run: run["batch"] + 1, pages)),
    Tensor(("kv_last_page_lens",), "batch * 4", PAGES,
           holds=all_are(lambda run: (run["max_key_length"] - 1) % run["page_size"] + 1)),
    Tensor(("seqlen_k",), "batch * 4", KEYS, holds=all_are(lambda run: run["max_key_length"])),
    Tensor(("page_ids",), "batch * ceil_div(max_key_length, page_size) * 4", PAGES, holds=page_ids),
]


def bytes_of(tensor, run):
    return eval(tensor.size, {"ceil_div": lambda a, b: -(-a // b)}, run)  # ours, not a user's


def words_of(entry):
    data = bytes.fromhex(entry["head"])
    return list(struct.unpack(f"<{len(data) // 4}i", data[:len(data) // 4 * 4]))


def is_written(entries):
    """Whether a launch changed it. Who writes what was there before is not told from who only reads."""
    return any(entry["before"] != entry["after"] for entry in entries)


def may_be(runs, entries):
    """The tensors that an allocation may be. `runs`: what each run's names were; `entries`: the allocation in each."""
    written = is_written(entries)
    return [tensor for tensor in TENSORS
            if tensor.written == written and all(name in runs[0] for name in tensor.needs) and
            all(bytes_of(tensor, run) == entry["size"] for run, entry in zip(runs, entries)) and
            (not tensor.holds or all(tensor.holds(run, words_of(entry)) for run, entry in zip(runs, entries)))]


def proposal(runs, entries, number, mapped):
    """A text for a pointer that is not mapped; "" if nothing fits."""
    runs = [{"batch": 1} | run for run in runs]
    found = may_be(runs, entries)
    names = [name for tensor in found for name in tensor.names if name not in mapped]
    said = [tensor.words for tensor in found if tensor.words]
    if len(names) == 1 and not said:
        return f"--map {names[0]}={number}, whose size it has in all runs: {found[0].size}"
    texts = ([f"{' or '.join(names)} (kernels mostly have K before V)" if "v_pool" in names else " or ".join(names)] if names else []) + said
    return f"it may be {', or '.join(texts)}" if texts else ""
