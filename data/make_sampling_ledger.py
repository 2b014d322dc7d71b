#!/usr/bin/env python3
"""What the hundred problems of data/sampling/problems give: clocks of the GPU with all workgroups followed and with some, the
error that is stated and the one that is made. Writes data/sampling/ledger.csv; tests/harness/sampling_test.cpp holds it
against the program.

    data/make_sampling_ledger.py [PROGRAM]    # ./fmha950

Columns: GPU clocks with all workgroups followed and as perf follows some by itself, its stated error, how far it is off (both
relative), the most workgroups followed of a launch, the largest grid.
"""

import csv
import json
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
folder = root / "data/sampling"
columns = "implementation case clocks_all clocks sampling_error off sampled workgroups".split()


def read_problems():
    """Cases by implementation."""
    cases = {}
    for line in (folder / "problems").read_text().splitlines():
        if not line.startswith("#"):
            implementation, case = line.split(" ", 1)
            cases.setdefault(implementation, []).append(case)
    return cases


def modelled(program, implementation, cases, *options):
    command = [program, "perf", "--json", "--no-interval", "--oracle-rows", "1", "--impl", implementation, *options, *cases]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def row_of(implementation, some, whole):
    said, truth = some["modelled"]["clocks"], whole["modelled"]["clocks"]
    launches = some["modelled"]["launches"]
    return {
        "implementation": implementation,
        "case": some["case"],
        "clocks_all": round(truth),
        "clocks": round(said),
        "sampling_error": round(some["modelled"]["sampling_error"], 5),
        "off": round(abs(truth / said - 1), 5),
        "sampled": max(launch["sampled"] for launch in launches),
        "workgroups": max(launch["workgroups"] for launch in launches),
    }


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(root / "fmha950")
    rows = []
    for implementation, cases in read_problems().items():
        some = modelled(program, implementation, cases)
        whole = modelled(program, implementation, cases, "--samples", "1000000")
        rows += [row_of(implementation, *pair) for pair in zip(some, whole, strict=True)]
    with open(folder / "ledger.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


main()
