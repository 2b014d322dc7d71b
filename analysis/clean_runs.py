#!/usr/bin/env python3
"""Runs that are right by all that is known, under many seeds and kinds of values: how near to failing the audit
comes when nothing is wrong. Prints a Markdown table; the clean runs of docs/audit.md are these.

    analysis/clean_runs.py [--harness build/bin/fmha950-harness] [--seeds 1,2,3,4] [--values sharp:3,sharp:6,mean,peak,alike:64,onehot,flat]
"""

import argparse
import json
import subprocess
import sys

GRIDS = {
    "prepass-grid": "prepass",
    "baseline-grid": "baseline",
    "pipelined-grid": "pipelined",
    "fused-grid": "fused",
    "append-grid": "baseline,baseline_two_launch",
}
OWN_SEEDS = {
    "activations": "fused,prepass,pipelined,baseline",
    "merge-grid": "combine",
    "sink-grid": "baseline",
    "sparse-matrix": "prepass,fused,fused_software,fused_fp8_pv",
}
SHAPED = "gaps"  # every kind of problem in a few cases, on all implementations


class Tally:
    """Records of one line of the table."""

    def __init__(self):
        self.runs = self.failed = self.parts = 0
        self.z = self.share = 0.0

    def add(self, record):
        if record["outcome"] == "unsupported":
            return
        self.runs += 1
        if record["outcome"] != "passed":
            self.failed += 1
            print(record["requested"], record["case"], record["outcome"], record["reason"], file=sys.stderr)
        audit = (record.get("accuracy") or {}).get("audit")
        if not audit or not audit["parts"]:
            return
        self.parts += audit["parts"]
        self.z = max([self.z] + [float(finding["z"]) for finding in audit["findings"]])
        limit = record["accuracy"]["limits"]["audit"]
        if float(limit["value"]) > 0:
            self.share = max(self.share, float(limit["value"]) / float(limit["limit"]))


def accuracy(cases, implementations, axis=""):
    return ["accuracy", "--list", cases, "--impl", implementations] + (["--axis", axis] if axis else [])


def run(harness, arguments, tally):
    command = [harness, *arguments, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        for line in process.stdout:
            tally.add(json.loads(line))


def row(name, tally):
    return f"| {name} | {tally.runs:,} | {tally.parts:,} | {tally.failed} | {tally.z:.1f} | {tally.share:.0%} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harness", default="build/bin/fmha950-harness")
    parser.add_argument("--seeds", default="1,2,3,4")
    parser.add_argument("--values", default="sharp:3,sharp:6,mean,peak,alike:64,onehot,flat")
    options = parser.parse_args()
    print("| runs of | clean runs | parts audited | failed | largest z (fails above 6) | largest share of what is allowed |")
    print("|---|--:|--:|--:|--:|--:|")
    total = Tally()

    def line(name, arguments):
        tally = Tally()
        run(options.harness, arguments, tally)
        total.runs, total.parts, total.failed = total.runs + tally.runs, total.parts + tally.parts, total.failed + tally.failed
        total.z, total.share = max(total.z, tally.z), max(total.share, tally.share)
        print(row(name, tally), flush=True)

    for values in options.values.split(","):
        line(f"{SHAPED}, values={values}", accuracy(SHAPED, "all", f"values={values}"))
    for cases, implementations in OWN_SEEDS.items():
        line(cases, accuracy(cases, implementations))
    for cases, implementations in GRIDS.items():
        line(f"{cases}, seeds {options.seeds}", accuracy(cases, implementations, f"seed={options.seeds}"))
    line("probes, all implementations", ["probe", "--impl", "all", "--filter", "."])
    print(row("all", total))


if __name__ == "__main__":
    main()
