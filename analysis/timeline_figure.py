#!/usr/bin/python3
"""Waves and units of a workgroup, clock by clock over two iterations of its loop, modelled.

    fmha950 trace CASE --impl pipelined --timeline TRACE.json
    timeline_figure.py TRACE.KERNEL.json --output FIGURE.png [--theme dark] [--from CLOCK --to CLOCK]
"""

import argparse
import sys

import palette
import records as result_records
import timeline as timelines
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from palette import color, plt

NAME = "timeline"
TITLE = "Two iterations, clock by clock"
READING = ("Above, what each SIMD's matrix unit and VALU do; below, the unit that each wave issues to, for the 4 clocks that this takes: how long the "
           "LDS or memory then works on it does not show. A wave's gaps are waits: for its turn, for data or at a barrier. On the right the share of the clocks in which the row is busy.")
TITLES = {"matrix": "matrix (MFMA)", "valu": "VALU", "transcendental": "exp2, rcp", "lds": "LDS", "lds_dma": "LDS DMA",
          "vmem": "vector memory", "scalar": "scalar", "branch": "branch"}


def short(name):
    """"wave 3" of "workgroup 0 wave 3"."""
    return name[name.index("wave"):] if "wave" in name else name


def blocks(spans, y):
    """All spans as one path: an SVG of thousands of elements is slow to show."""
    corners = [point for start, clocks in spans for point in
               ((start, y - 0.4), (start, y + 0.4), (start + clocks, y + 0.4), (start + clocks, y - 0.4), (start, y - 0.4))]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(spans)
    return Path(corners, codes)


def draw(timeline, first, last):
    units, waves = timeline.units, timeline.waves
    gap = (last - first) / 3000  # clocks, of what a picture cannot show
    figure, axes = plt.subplots(figsize=(13, 1.75 + 0.25 * (len(units) + len(waves) + 1)))
    y, ticks, labels, seen = 0.0, [], [], set()
    for block in (units, waves):
        for name, slices in block.items():
            axes.barh(y, last - first, height=0.8, color=color("panel"), zorder=1)
            for unit, spans in timelines.merged(slices, first, last, gap).items():
                seen.add(unit)
                axes.add_patch(PathPatch(blocks(spans, y), facecolor=color(palette.UNITS.get(unit, "silver")), linewidth=0, zorder=2))
            axes.text(1.004 * (last - first), y, f"{sum(timelines.busy(slices, first, last).values()):.0%}", va="center", fontsize=8)
            ticks.append(y)
            labels.append(short(name))
            y += 1
        y += 0.6
    axes.set_yticks(ticks, labels, fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(y - 1, -0.6)
    axes.set_xlim(0, last - first)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"clocks from clock {first:,.0f} of the workgroup on", fontsize=9)
    height = figure.get_figheight()
    figure.text(0.01, 1 - 0.2 / height, TITLE, fontsize=12, fontweight="bold", va="center")
    figure.text(0.01, 1 - 0.45 / height, f"kernel {timeline.kernel}, one workgroup, {last - first:,.0f} clocks; modelled by the embedded device's "
                "cycle model, not measured", fontsize=8.5, color=color("quiet"), va="center")
    figure.legend(handles=[Patch(color=color(hue), label=TITLES[unit]) for unit, hue in palette.UNITS.items() if unit in seen],
                  loc="lower left", bbox_to_anchor=(0.005, 0.0), fontsize=8, frameon=False, ncols=8)
    figure.tight_layout(rect=(0, 0.3 / height, 1, 1 - 0.6 / height))
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", help="what `fmha950 trace --timeline` wrote")
    parser.add_argument("--from", dest="first", type=float, help="clock; by default two iterations half-way are found")
    parser.add_argument("--to", dest="last", type=float)
    parser.add_argument("--output", required=True, help="figure to write; the suffix chooses the format (png, svg, pdf)")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="an SVG follows its reader's in any case")
    arguments = parser.parse_args()
    if (arguments.first is None) != (arguments.last is None):
        parser.error("--from and --to go together")
    try:
        timeline = timelines.read(arguments.trace)
    except (OSError, result_records.BadRecord) as error:
        sys.exit(f"timeline_figure.py: {error}")
    window = (arguments.first, arguments.last) if arguments.first is not None else timelines.two_iterations(timeline)
    if window is None:
        sys.exit(f"timeline_figure.py: {arguments.trace}: no loop with matrix instructions repeats in it: say --from and --to")
    if not window[0] < window[1]:
        sys.exit(f"timeline_figure.py: --from {window[0]:g} --to {window[1]:g}: must be a window of time")
    palette.use("light" if arguments.output.endswith(".svg") else arguments.theme)
    palette.save(draw(timeline, *window), arguments.output, NAME)


if __name__ == "__main__":
    main()
