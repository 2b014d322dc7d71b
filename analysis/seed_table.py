#!/usr/bin/python3
"""The seed's twenty rows: what the cycle model says of our kernels beside what the seed measured of its own, as a Markdown table.

    ./fmha950 perf --list seed-table --impl pipelined,pipelined_x16,baseline --output seed.jsonl
    seed_table.py seed.jsonl

A ratio compares a modelled with a measured figure; its ends have what the modelled one leaves open and how much laboratories differ (ratios.py). It is a lead where its
pessimistic end is ahead. ?: too few workgroups were followed to know the sampling error; these ends lack it, and nothing is ahead by them.
"""

import argparse
import csv
import pathlib
import sys

import modelled
import ratios
import records as result_records

MEASURED = pathlib.Path(__file__).resolve().parent.parent / "data" / "measured" / "seed_table.csv"
RIVALS = {"pipelined": "seed V3", "baseline": "seed V2"}


def measured():
    """TFLOP/s by case and kernel."""
    with open(MEASURED, encoding="utf-8", newline="") as file:
        return {(row["case"], row["kernel"]): float(row["tflops"]) for row in csv.DictReader(file)}


def short(case):
    """Without what all rows have in common."""
    return " ".join(part for part in case.split("/")[1:] if part not in ("d=128", "q=fp8", "kv=fp8"))


def cells(run, rival):
    low, high = run.ends
    shown = [f"{run.values['clocks_per_tile']:.0f}", f"{run.megahertz:.0f}",
             f"{run.tflops:.0f} ({low:.0f} to {high:.0f}{' ?' if run.sampling_error is None else ''})"]
    if rival:
        ratio = ratios.of(run, rival)
        shown += [f"{rival:.1f}", f"{ratio.best:.2f} ({ratio.ends})"]
    return shown


def summary(name, rival, pairs):
    """Of pairs of a run and what its rival was measured at: each row by itself, and all under the same law and assumption."""
    mean, each = ratios.mean(pairs), [ratios.of(*pair) for pair in pairs]
    ahead = sum(ratio.verdict == "ahead" for ratio in each)
    return (f"{name} to {rival}: {min(ratio.best for ratio in each):.2f} to {max(ratio.best for ratio in each):.2f}, geometric mean {mean.best:.2f} ({mean.ends}: "
            f"{mean.verdict}); at its pessimistic end ahead in {ahead} of {len(each)} rows, least {min(ratio.low for ratio in each):.2f}.")


def table(runs, rivals):
    names = list(dict.fromkeys(run.implementation for run in runs))
    heads = []
    for name in names:
        heads += [f"{name}: clocks", "MHz", "TFLOP/s"] + ([RIVALS[name], "ratio"] if name in RIVALS else [])
    yield f"| case | {' | '.join(heads)} |"
    yield f"|---|{'--:|' * len(heads)}"
    for case, of_case in modelled.by_case(runs).items():
        row = []
        for name in names:
            run = next((each for each in of_case if each.implementation == name), None)
            if run is None:
                raise ValueError(f"{case}: has no result of {name}")
            if name in RIVALS and (case, RIVALS[name]) not in rivals:
                raise ValueError(f"{case}: the seed has not measured it")
            row += cells(run, rivals[case, RIVALS[name]] if name in RIVALS else None)
        yield f"| {short(case)} | {' | '.join(row)} |"
    yield ""
    for name, rival in RIVALS.items():
        pairs = [(run, rivals[run.record.case, rival]) for run in runs if run.implementation == name]
        if pairs:
            yield summary(name, rival, pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="records of perf, JSON lines (docs/results.md)")
    arguments = parser.parse_args()
    try:
        runs = modelled.runs(result_records.read(arguments.results))
        print("\n".join(table(runs, measured())))
    except (OSError, ValueError, KeyError, result_records.BadRecord) as error:
        sys.exit(f"seed_table.py: {error}")


if __name__ == "__main__":
    main()
