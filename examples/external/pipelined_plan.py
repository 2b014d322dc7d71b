#!/usr/bin/env python3
"""Planner of pipelined_split.json: splits the keys of a tile of rows over several workgroups where the problem has fewer
tiles than the GPU has compute units, by the rule of attention/host/key_split.cpp.

usage: pipelined_plan.py FOLDER, which has case.json; the tables of the plan are written there (docs/your_kernel.md)"""
import heapq
import json
import pathlib
import sys

import numpy

ROWS, KEYS, BLOCK = 256, 64, 8  # rows and keys of a tile, rows of a block of partial results
COMPUTE_UNITS, FEWEST_TILES = 256, 4
WORKGROUP_COST, LAUNCH_COST, PARTIAL_COST = 2, 2, 1 / 128  # in tiles
MOST_WORKGROUPS = 4 * COMPUTE_UNITS


def whole_tiles(case):
    """A workgroup each: (request, KV head, first row, key tiles), the longest first."""
    names, work = case["names"], []
    for index, request in enumerate(case["requests"]):
        rows = request["query_length"] * names["group"]
        offset = request["key_length"] - request["query_length"]
        for head in range(names["kv_heads"]):
            for first in range(0, rows, ROWS):
                last_query = (min(first + ROWS, rows) - 1) // names["group"]
                end = request["key_length"]
                if names["causal"]:
                    end = min(end - 1, offset + last_query) + 1
                work.append((index, head, first, -(-max(end, 0) // KEYS)))
    return sorted(work, key=lambda tile: (-tile[3], *tile[:3]))


def parts_of(tiles, most):
    return max(1, -(-tiles // most))


def duration(work, most):
    """The time that workgroups take if each goes to the compute unit that is free first."""
    costs = []
    for *_, tiles in work:
        parts = parts_of(tiles, most)
        costs += parts * [WORKGROUP_COST + tiles / parts]
    free, end = [0.0] * COMPUTE_UNITS, 0.0
    for cost in sorted(costs, reverse=True):
        done = heapq.heappop(free) + cost
        heapq.heappush(free, done)
        end = max(end, done)
    return end + (LAUNCH_COST + PARTIAL_COST * len(costs) if len(costs) > len(work) else 0)


def tiles_of_a_part(work):
    longest = max([1] + [tile[3] for tile in work])
    if len(work) >= MOST_WORKGROUPS:
        return longest
    best, least, parts = longest, duration(work, longest), 2
    while longest // parts >= FEWEST_TILES:
        most = -(-longest // parts)
        if sum(parts_of(tile[3], most) for tile in work) > MOST_WORKGROUPS:
            break
        needed = duration(work, most)
        if needed < least:
            best, least = most, needed
        parts += 1
    return best


def plan(case):
    names, requests = case["names"], case["requests"]
    group, work = names["group"], whole_tiles(case)
    most = tiles_of_a_part(work)
    split = any(parts_of(tile[3], most) > 1 for tile in work)
    items, rows, joins, weights, block = [], [], [], [], 0
    for tile, (index, head, first, tiles) in enumerate(work):
        request, parts = requests[index], parts_of(tiles, most)
        end_row = min(first + ROWS, request["query_length"] * group)
        blocks = -(-(end_row - first) // BLOCK) if split else 0
        for row in range(0, blocks):
            joins.append((request["query_begin"], head, first + row * BLOCK, end_row, block + row, blocks, parts))
        table = "pages_begin" if not names["paged"] and names["quant"] != "page" else "table_begin"
        queries = (first // group, (end_row - 1) // group - first // group + 1)
        for part in range(parts):
            begin, end = tiles * part // parts, tiles * (part + 1) // parts
            rows.append((len(items), index, *queries))
            items.append((request["query_begin"], request["query_length"], request["key_length"], request[table], head,
                          first, begin, end, block))
            if split:
                keys = (begin * KEYS, min(end * KEYS, request["key_length"]))
                weights += [(block * BLOCK + row - first, index, row // group, head * group + row % group, tile, *keys)
                            for row in range(first, end_row)]
            block += blocks
    groups = max(1, -(-len(joins) // 4))  # workgroups of the combine step, of four blocks
    first_query = {request["query_begin"]: index for index, request in enumerate(requests) if request["query_length"]}
    joined = [(place % groups, first_query[begin], first // group,
               (min(first + BLOCK, end) - 1) // group - first // group + 1)
              for place, (begin, _, first, end, *_) in enumerate(joins)]
    return {"work": (items, 9), "rows_of_work": (rows, 4), "joins": (joins, 7), "rows_of_joins": (joined, 4),
            "weights": (weights, 7)}, {"blocks": block}


def main(folder):
    folder = pathlib.Path(folder)
    tables, scalars = plan(json.loads((folder / "case.json").read_text()))
    for name, (rows, columns) in tables.items():
        numpy.save(folder / f"{name}.npy", numpy.array(rows, dtype="i4").reshape(-1, columns))
    (folder / "plan.json").write_text(json.dumps(scalars))


if __name__ == "__main__":
    main(sys.argv[1])
