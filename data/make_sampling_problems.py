#!/usr/bin/python3
"""Writes data/sampling/problems: a hundred launches on which the cycle model's sampling error is judged (docs/timing.md), small
enough that every workgroup of each can be modelled. A line is an implementation and a case. Lengths, heads, masks and pages are
dealt out from shuffled decks: batches of equal requests (the same causal triangle again and again, which equally spaced samples
meet in step), ragged ones, chunks behind a long prefix, windows, append and sparse lists."""
import pathlib
import random

from deck import Deck

HEADS = ["8:1", "16:4", "6:6", "12:2", "32:8", "5:5", "24:3", "16:16"]  # from one KV head to one for each head
EQUAL = [(16, 256, 256), (8, 512, 512), (4, 1024, 1024), (12, 384, 384), (2, 1536, 1536), (6, 256, 1024), (16, 128, 640)]
PAGES = [1, 16, 64]
MASKS = ["/causal=1", "/causal=1", "/causal=1", ""]
WINDOWS = ["/causal=1/window=256:0", "/window=300:100", "/causal=1/window=64:0"]
VALUES = ["", "", "", "/values=outlier"]
QUANTISED = ["/q=fp8/kv=fp8/quant=tensor", "/q=fp8/kv=fp8/quant=tensor", "/q=fp8/kv=fp8"]
PLAIN = ["", "/q=fp8/kv=fp8/quant=tensor", "/q=fp16/kv=fp16/o=fp16"]
LISTS = ["", "", "/lists=empty", "lengths"]
ROWS = ["", "/kv=fp8", "/kv=fp8/format=packed"]


class Problems:
    def __init__(self, seed):
        self.random = random.Random(seed)
        decks = {"heads": HEADS, "equal": EQUAL, "page": PAGES, "mask": MASKS, "window": WINDOWS, "values": VALUES,
                 "quantised": QUANTISED, "plain": PLAIN, "lists": LISTS, "rows": ROWS, "shape": ["equal", "ragged", "ragged", "chunk"]}
        self.decks = {name: Deck(cards, f"{seed} {name}") for name, cards in decks.items()}
        self.lines = []

    def deal(self, name):
        return self.decks[name].deal()

    def lengths(self, heads, most):
        """Requests of equal, ragged or chunked lengths, of at most `most` (query, key) pairs."""
        shape = self.deal("shape")
        if shape == "equal":
            requests, queries, keys = self.deal("equal")
            pairs = heads * queries * keys
            return [(queries, keys)] * max(1, min(requests, most // pairs))
        requests = []
        pairs = 0
        while len(requests) < 40:
            queries = int(16 * 2 ** self.random.uniform(0, 6 if shape == "ragged" else 4))
            keys = queries + int(self.random.choice([0, 1]) * 2 ** self.random.uniform(6, 10.5)) * (shape == "chunk" or len(requests) % 3 == 0)
            pairs += heads * queries * keys
            if pairs > most and requests:
                break
            requests.append((queries, keys))
        return requests

    def batch(self, implementation, count, forms, window, most):
        for i in range(count):
            heads = self.deal("heads")
            requests = self.lengths(int(heads.split(":")[0]), most)
            mask = self.deal("window") if window and i % 4 == 3 else self.deal("mask")
            queries, keys = (",".join(str(request[k]) for request in requests) for k in (0, 1))
            if len(set(requests)) == 1:
                queries, keys = f"{requests[0][0]}/b={len(requests)}", str(requests[0][1])
            self.lines.append(f"{implementation} batch_prefill/h={heads}/sq={queries}/sk={keys}/d=128{self.deal(forms)}"
                              f"/page={self.deal('page')}{mask}{self.deal('values')}")

    def append(self, implementation, count, most):
        for _ in range(count):
            heads = self.random.choice(["8:1", "12:4", "4:4"])
            requests = self.lengths(int(heads.split(":")[0]), most)
            queries, keys = (",".join(str(request[k]) for request in requests) for k in (0, 1))
            self.lines.append(f"{implementation} append_prefill/h={heads}/sq={queries}/sk={keys}/d={self.random.choice([64, 128])}"
                              f"/page={self.deal('page')}/causal=1")

    def sparse(self, implementation, count):
        wanted = len(self.lines) + count
        while len(self.lines) < wanted:
            heads, tokens = self.random.choice([(16, 192), (32, 128), (64, 96), (128, 64)])
            lists = self.deal("lists")
            if lists == "lengths":
                prefix, extend = (",".join(str(int(2 ** self.random.uniform(0, 8))) for _ in range(tokens)) for _ in range(2))
                lists = f"/prefix={prefix}/extend={extend}"
            rows = self.deal("rows") if implementation == "prepass" else self.random.choice(ROWS[1:])
            line = f"{implementation} sparse_prefill/h={heads}/n={tokens}/pool=1024/chunk=256{rows}{lists}/scale=0.0442"
            if line not in self.lines:
                self.lines.append(line)


def problems(seed):
    made = Problems(seed)
    made.batch("pipelined", 24, "quantised", False, 16_000_000)
    made.batch("pipelined_x16", 8, "quantised", False, 12_000_000)
    made.batch("fused", 14, "quantised", False, 12_000_000)
    made.batch("prepass", 14, "plain", True, 10_000_000)
    made.batch("baseline", 18, "plain", True, 6_000_000)
    made.append("baseline", 5, 3_000_000)
    made.append("baseline_two_launch", 3, 3_000_000)
    made.sparse("fused", 6)
    made.sparse("fused_fp8_pv", 2)
    made.sparse("fused_software", 2)
    made.sparse("prepass", 4)
    return made.lines


def main():
    lines = problems("judged")
    header = ["# Implementation and case, a hundred of them; written by data/make_sampling_problems.py."]
    path = pathlib.Path(__file__).parent / "sampling" / "problems"
    path.write_text("\n".join(header + lines) + "\n")
    print(f"{len(lines)} problems")


if __name__ == "__main__":
    main()
