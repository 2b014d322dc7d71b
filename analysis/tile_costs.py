#!/usr/bin/python3
"""Instructions that a workgroup executes per tile of keys, by unit, from two traces of one problem with more and fewer keys.

    ./fmha950 trace CASE_WITH_MORE_KEYS --impl NAME --output more.jsonl
    ./fmha950 trace CASE_WITH_FEWER_KEYS --impl NAME --output fewer.jsonl
    tile_costs.py more.jsonl fewer.jsonl --tiles N

N is by how many tiles the two differ. What a workgroup does once, before and behind its loop, cancels out. Counts are of all
waves of the workgroup, executed on the embedded device.
"""

import argparse
import json
import sys
from collections import defaultdict

UNITS = ("matrix", "valu", "transcendental", "lds", "lds_dma", "vmem", "scalar", "barrier")


def totals(path):
    """Instructions by (kernel, unit)."""
    sums, seen = defaultdict(int), set()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            place = tuple(entry[key] for key in ("kernel", "launch", "workgroup", "wave", "interval", "unit"))
            if place in seen:  # the file was appended to, or implementations have kernels of one name
                sys.exit(f"tile_costs.py: {path}: holds more than one run of {entry['kernel']}: trace one implementation into a new file")
            seen.add(place)
            sums[entry["kernel"], entry["unit"]] += entry["instructions"]
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("more", help="trace, JSON lines (docs/device.md)")
    parser.add_argument("fewer", help="trace of the same problem with fewer keys")
    parser.add_argument("--tiles", type=int, required=True, help="by how many tiles of keys the two differ")
    arguments = parser.parse_args()
    try:
        more, fewer = totals(arguments.more), totals(arguments.fewer)
    except (OSError, json.JSONDecodeError, KeyError) as error:
        sys.exit(f"tile_costs.py: {error!r}")
    kernels = list(dict.fromkeys(kernel for kernel, _ in more))
    print(f"| kernel | {' | '.join(UNITS)} |")
    print(f"|---|{'--:|' * len(UNITS)}")
    for kernel in kernels:
        counts = ((more[kernel, unit] - fewer[kernel, unit]) / arguments.tiles for unit in UNITS)
        print(f"| {kernel} | {' | '.join(f'{count:.0f}' for count in counts)} |")


if __name__ == "__main__":
    main()
