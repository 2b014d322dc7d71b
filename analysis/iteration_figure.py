#!/usr/bin/python3
"""What two groups of waves ask of each unit between barriers, from a trace of the embedded device.

    fmha950 trace CASE --impl pipelined --output TRACE.jsonl
    iteration_figure.py TRACE.jsonl --first 16 --count 8 --output FIGURE.png
"""

import argparse
import collections
import json
import sys

import palette
from palette import color, plt

# Unit, its name in the picture, and whether a compute unit has one that its SIMDs share.
UNITS = [("matrix", "matrix (of a SIMD)", False), ("valu", "VALU (of a SIMD)", False),
         ("transcendental", "exp2, log2, rcp (of a SIMD)", False), ("lds", "LDS reads (of the CU)", True),
         ("lds_dma", "LDS DMA, issue", False), ("vmem", "page lookup, issue", False),
         ("scalar", "scalar, issue", False)]
GROUPS = ("first group (waves 0-3)", "second group (waves 4-7)")
PHASES = {0: "K Q, second half of P", 1: "V to registers, K to LDS", 2: "V P, first half of P", 3: "K to registers, V to LDS"}


def read(path, kernel):
    """{(group, interval, unit): [clocks, instructions]} of one workgroup, per SIMD or per compute unit."""
    shared = {name for name, _, of_cu in UNITS if of_cu}
    totals = collections.defaultdict(lambda: [0.0, 0.0])
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if kernel and line["kernel"] != kernel:
                continue
            total = totals[line["wave"] // 4, line["interval"], line["unit"]]
            total[0] += line["clocks"] / (1 if line["unit"] in shared else 4)
            total[1] += line["instructions"] / 4
    return totals


def phase_of(totals, group, interval):
    """0 for S = K Q, told by its place before the products with V: phases alternate 0 1 2 3 from the first product on."""
    products = [i for (g, i, unit) in totals if g == group and unit == "matrix"]
    return (interval - min(products)) % 4 if products else None


def draw(totals, first, count, title):
    figure, axes = plt.subplots(len(GROUPS), 1, figsize=(15, 7.6), sharex=True)
    widest = max(clocks for (_, interval, _), (clocks, _) in totals.items() if first <= interval < first + count)
    for group, (ax, name) in enumerate(zip(axes, GROUPS)):
        for column in range(count):
            interval = first + column
            phase = phase_of(totals, group, interval)
            computing = phase in (0, 2)
            ax.axvspan(column, column + 1, color=color("panel" if computing else "paper"), zorder=0)
            ax.text(column + 0.5, -0.9, f"phase {phase}\n{PHASES[phase]}", ha="center", va="center", fontsize=7.5,
                    fontweight="bold" if computing else "normal")
            for row, (unit, _, _) in enumerate(UNITS):
                clocks, instructions = totals.get((group, interval, unit), (0, 0))
                if instructions == 0:
                    continue
                width = 0.9 * clocks / widest
                ax.barh(row, width, left=column + 0.05, height=0.62, color=color(palette.UNITS[unit]), zorder=2)
                inside = width > 0.45
                ax.text(column + 0.05 + (width - 0.02 if inside else width + 0.02), row, f"{clocks:.0f} clk, {instructions:.0f}×",
                        ha="right" if inside else "left", va="center", fontsize=7, color=color(("on_deep" if palette.UNITS[unit] in palette.DEEP else "on_bright") if inside else "ink"), zorder=3)
        ax.set_yticks(range(len(UNITS)), [label for _, label, _ in UNITS], fontsize=8)
        ax.set_ylim(len(UNITS) - 0.4, -1.45)
        ax.set_ylabel(name, fontsize=9.5)
        ax.set_xlim(0, count)
        for column in range(count + 1):
            ax.axvline(column, color=color("ink"), linewidth=1.2)
    axes[-1].set_xticks([c + 0.5 for c in range(count)], [str(first + c) for c in range(count)])
    axes[-1].set_xlabel("interval between two barriers of the workgroup (bar length: modelled clocks of the unit; ×: instructions of a wave)",
                        fontsize=9)
    figure.suptitle(title, fontsize=11)
    figure.tight_layout()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("--kernel", help="of several in the trace")
    parser.add_argument("--first", type=int, default=16, help="first interval that is drawn")
    parser.add_argument("--count", type=int, default=8, help="how many are drawn")
    parser.add_argument("--title", default="One iteration (two tiles): modelled clocks between barriers, from the embedded device's trace")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    totals = read(arguments.trace, arguments.kernel)
    if not any(arguments.first <= interval < arguments.first + arguments.count for _, interval, _ in totals):
        sys.exit(f"iteration_figure.py: {arguments.trace} has no interval {arguments.first} or after it")
    draw(totals, arguments.first, arguments.count, arguments.title).savefig(arguments.output, dpi=110)


if __name__ == "__main__":
    main()
