#!/usr/bin/python3
"""Waves and units of a workgroup, clock by clock over two iterations of its loop, modelled.

    fmha950 trace CASE --impl pipelined --timeline TRACE.json
    timeline_figure.py TRACE.KERNEL.json --output FIGURE.png [--theme dark] [--from CLOCK --to CLOCK]
"""

import argparse
import sys

import modelled
import palette
import records as result_records
import timeline as timelines
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from palette import color, plt

NAME = "timeline"
TITLE = "Two iterations, clock by clock"
READING = ("Above, the units of a compute unit: what holds them, and for how long. The scalar unit and branches know no other clocks than their turn at "
           "issue. Below, each wave has two lines: what it issues, 4 clocks each, whatever the unit then takes; and under it what it waits for between. "
           "'... busy' is a wave that is ready, but another one has the unit. On the right the share of the clocks in which a unit is held, or a wave issues.")
TITLES = {"matrix": "matrix (MFMA)", "valu": "VALU", "transcendental": "exp2, rcp", "lds": "LDS", "lds_dma": "LDS DMA",
          "vmem": "vector memory", "scalar": "scalar", "branch": "branch"}
WAITS = tuple(group for group in modelled.SPENT if "issue" not in group[2])  # of the CPI stack, in its colours
WAVE_ROW, LINE = 1.5, 0.25  # lines of a wave, inches of a line
POINT_WIDTH = 0.56  # of a letter, of its size: what fits beside what


def title_of(row):
    """"wave 3, SIMD 3" of "workgroup 0 wave 3 SIMD 3"; "SIMD 0 VALU" of "SIMD 0 valu"."""
    if "wave" in row:
        return row[row.index("wave"):].replace(" SIMD", ", SIMD")
    place, unit = row.rsplit(" ", 1)
    return f"{place} {modelled.UNIT_NAMES.get(unit, unit)}"


def wait_of(piece):
    """Its place in WAITS; what that does not know is in the last one, as in the stack."""
    return next((i for i, (_, _, keys) in enumerate(WAITS) if piece.reason in keys), len(WAITS) - 1)


def blocks(spans, top, bottom):
    """All spans as one path: an SVG of thousands of elements is slow to show."""
    corners = [point for start, clocks in spans for point in
               ((start, top), (start, bottom), (start + clocks, bottom), (start + clocks, top), (start, top))]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(spans)
    return Path(corners, codes)


class Picture:
    def __init__(self, axes, first, last):
        self.axes, self.first, self.last = axes, first, last
        self.gap = (last - first) / 3000  # clocks, of what a picture cannot show
        self.y, self.ticks, self.labels, self.units, self.waits = 0.0, [], [], set(), set()

    def add_row(self, name, slices, height):
        """Its panel, its label, and on the right how much of it is used."""
        self.axes.barh(self.y + height / 2, self.last - self.first, height=height - 0.2, color=color("panel"), zorder=1)
        self.axes.text(1.004 * (self.last - self.first), self.y + height / 2, f"{timelines.busy(slices, self.first, self.last):.0%}", va="center", fontsize=8)
        self.ticks.append(self.y + height / 2)
        self.labels.append(title_of(name))

    def add_spans(self, spans, hue, top, bottom):
        # not add_patch, which looks at every corner for limits: draw() sets them
        self.axes.add_artist(PathPatch(blocks(spans, self.y + top, self.y + bottom), facecolor=color(hue), linewidth=0, zorder=2))

    def add_instructions(self, slices, bottom):
        for unit, spans in timelines.merged(slices, self.first, self.last, self.gap).items():
            self.units.add(unit)
            self.add_spans(spans, palette.UNITS.get(unit, "silver"), 0.1, bottom)

    def add_unit(self, name, slices):
        self.add_row(name, slices, 1.0)
        self.add_instructions(slices, 0.9)
        self.y += 1.0

    def add_wave(self, name, slices):
        issues = [piece for piece in slices if piece.unit != timelines.WAIT]
        waits = [piece for piece in slices if piece.unit == timelines.WAIT]
        self.add_row(name, issues, WAVE_ROW)
        self.add_instructions(issues, 0.8)
        for place, spans in timelines.merged(waits, self.first, self.last, self.gap, wait_of).items():
            self.waits.add(place)
            self.add_spans(spans, WAITS[place][1], 0.88, WAVE_ROW - 0.1)
        self.add_words(waits)
        self.y += WAVE_ROW

    def add_words(self, waits):
        """The reason, on every wait that is long enough for it."""
        clocks_per_letter = POINT_WIDTH * 6 / 72 * (self.last - self.first) / self.axes.get_window_extent().transformed(
            self.axes.figure.dpi_scale_trans.inverted()).width
        for (reason, place), spans in timelines.merged(waits, self.first, self.last, 0, lambda piece: (piece.reason, wait_of(piece))).items():
            hue = color("on_deep" if WAITS[place][1] in palette.DEEP else "on_bright")
            for start, clocks in spans:
                if clocks > clocks_per_letter * (len(reason) + 1):
                    self.axes.text(start + clocks / 2, self.y + (WAVE_ROW + 0.78) / 2, reason, ha="center", va="center", fontsize=6, zorder=3, color=hue)


def legend(figure, title, entries, place):
    """A line of its own, headed by what it is a legend of; `place` in inches."""
    height = figure.get_figheight()
    figure.text(0.01, place / height, title, fontsize=8, fontweight="bold", va="center")
    figure.legend(handles=[Patch(color=color(hue), label=text) for text, hue in entries], loc="center left", bbox_to_anchor=(0.115, place / height),
                  fontsize=8, frameon=False, ncols=max(1, len(entries)), columnspacing=1.2, handletextpad=0.5, handlelength=1.4, borderaxespad=0)


def draw(timeline, first, last, title=TITLE):
    units, waves = timeline.units, timeline.waves
    lines = len(units) + 0.6 + WAVE_ROW * len(waves)
    figure, axes = plt.subplots(figsize=(13, 1.75 + LINE * lines))
    height = figure.get_figheight()
    figure.subplots_adjust(left=0.115, right=0.955, bottom=1.05 / height, top=1 - 0.65 / height)
    picture = Picture(axes, first, last)
    for name, slices in units.items():
        picture.add_unit(name, slices)
    picture.y += 0.6
    for name, slices in waves.items():
        picture.add_wave(name, slices)
    axes.set_yticks(picture.ticks, picture.labels, fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(picture.y + 0.2, -0.2)
    axes.set_xlim(0, last - first)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"clocks from clock {first:,.0f} of the workgroup on", fontsize=9)
    figure.text(0.01, 1 - 0.2 / height, title, fontsize=12, fontweight="bold", va="center")
    figure.text(0.01, 1 - 0.45 / height, f"kernel {timeline.kernel}, one workgroup, {last - first:,.0f} clocks; modelled by the embedded device's "
                "cycle model, not measured", fontsize=8.5, color=color("quiet"), va="center")
    legend(figure, "units, issues", [(TITLES[unit], hue) for unit, hue in palette.UNITS.items() if unit in picture.units], 0.4)
    legend(figure, "waits, lower lines", [(text, hue) for place, (text, hue, _) in enumerate(WAITS) if place in picture.waits], 0.17)
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
    palette.save(draw(timeline, *window, TITLE if arguments.first is None else "Clock by clock"), arguments.output, NAME)


if __name__ == "__main__":
    main()
