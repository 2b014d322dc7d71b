#!/usr/bin/env python3
"""Times torch's scaled_dot_product_attention on the CPU for `fmha950 bench --torch`.

Prints, for bf16 and fp32 with one and with two threads, a line `torch TYPE THREADS WALL CPU`: seconds of one call, medians of
some calls. torch is no part of the project; it comes from PyPI into an environment of its own:

    python3 -m venv DIR && DIR/bin/pip install torch
"""
import argparse
import statistics
import sys
import time

try:
    import torch
except ImportError as error:
    sys.exit(f"has no torch ({error}): python3 -m venv DIR && DIR/bin/pip install torch, then bench --torch DIR/bin/python")


def heads(text):
    query, kv = (int(part) for part in text.split(":"))
    if kv < 1 or query % kv:
        raise argparse.ArgumentTypeError(f"{text}: must be QUERY:KV, the first a multiple of the second")
    return query, kv


def seconds(call, calls):
    call()  # torch allocates and chooses on the first one
    wall, cpu = [], []
    for _ in range(calls):
        begin = time.perf_counter(), time.process_time()
        call()
        wall.append(time.perf_counter() - begin[0])
        cpu.append(time.process_time() - begin[1])
    return statistics.median(wall), statistics.median(cpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heads", type=heads, required=True, metavar="QUERY:KV")
    parser.add_argument("--queries", type=int, required=True)
    parser.add_argument("--keys", type=int, required=True)
    parser.add_argument("--head-dim", type=int, required=True)
    parser.add_argument("--calls", type=int, default=5)
    arguments = parser.parse_args()
    query_heads, kv_heads = arguments.heads
    torch.manual_seed(1)
    for name, dtype in (("bf16", torch.bfloat16), ("fp32", torch.float32)):
        def tensor(of_heads, tokens, dtype=dtype):
            return torch.randn(1, of_heads, tokens, arguments.head_dim, dtype=torch.float32).to(dtype)

        q = tensor(query_heads, arguments.queries)
        k, v = (tensor(kv_heads, arguments.keys).repeat_interleave(query_heads // kv_heads, dim=1) for _ in range(2))
        for threads in (1, 2):
            torch.set_num_threads(threads)
            wall, cpu = seconds(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v), arguments.calls)
            print("torch", name, threads, wall, cpu)


if __name__ == "__main__":
    with torch.inference_mode():
        main()
