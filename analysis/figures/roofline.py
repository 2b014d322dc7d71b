"""Speed against arithmetic intensity at each level of memory, under the roofs of matrix unit and bandwidth."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

import modelled
import palette
from figures import frame
from palette import color

NAME = "roofline"
TITLE = "Rooflines by level of memory"
READING = ("Each point is a case on an implementation: how much it computes for a byte that passes a level, and how fast. The sloped roof is "
           "what the level's bandwidth allows, the level ones are the matrix unit's peaks at 2,400 MHz, a clock that no such work keeps. Far below both, neither bounds it: see the stalls. "
           "Bytes of a level are those that it or one behind it served. In the page the mouse on a point says its case; so does, of few cases, the number beside it, by the list below.")
MOST_NUMBERS = 12  # cases; more would hide the points
LINE = 0.14  # inches, of a case below


def draw_roofs(axes, level, left, right):
    bandwidth, _ = modelled.BANDWIDTHS[level]
    peaks = sorted(modelled.MATRIX_PEAKS.items(), key=lambda peak: -peak[1])
    top = peaks[0][1]
    knee = top / bandwidth
    if left < knee:
        axes.plot([left, min(knee, right)], [left * bandwidth, min(knee, right) * bandwidth], color=color("ink"), linewidth=1.4, zorder=2)
    for name, peak in peaks:
        start = max(left, peak / bandwidth)
        if start < right:
            axes.plot([start, right], [peak, peak], color=color("ink"), linewidth=1.4, linestyle="-" if peak == top else "--", zorder=2)
            axes.text(right / 1.05, peak * (1.06 if peak == top else 0.93), f"{name}: {peak:,.0f}", ha="right",
                      va="bottom" if peak == top else "top", fontsize=7.5, color=color("quiet"),
                      bbox={"facecolor": color("paper"), "edgecolor": "none", "pad": 0.6}, zorder=1.5)


def draw_level(axes, level, runs, bottom, numbers):
    points = [(run.values["flops"] / run.bytes_through(level), run) for run in runs if run.bytes_through(level) > 0]
    bandwidth, source = modelled.BANDWIDTHS[level]
    axes.set_title(f"{modelled.LEVEL_NAMES[level]}, {bandwidth:.3g} TB/s", fontsize=9.5, loc="left", fontweight="bold")
    axes.text(1.0, 1.015, source, transform=axes.transAxes, ha="right", va="bottom", fontsize=7, color=color("quiet"))
    axes.set_xscale("log")
    axes.set_yscale("log")
    knee = max(modelled.MATRIX_PEAKS.values()) / bandwidth
    left = min([x for x, _ in points] + [knee]) / 3
    right = max([x for x, _ in points] + [knee]) * 4
    draw_roofs(axes, level, left, right)
    for x, run in points:
        point, = axes.plot(x, run.tflops, marker=palette.style(run.implementation)[1], color=palette.implementation_color(run.implementation),
                           markersize=6.5, markeredgecolor=color("paper"), markeredgewidth=0.5, linestyle="", zorder=3)
        palette.hover(point, f"{run.implementation}: {run.tflops:,.1f} TFLOP/s, {x:,.3g} FLOP per byte\n{run.record.case}")
        if numbers:
            axes.annotate(str(numbers[run.record.case]), (x, run.tflops), xytext=(5, 3), textcoords="offset points", fontsize=7, color=color("quiet"))
    axes.set_xlim(left, right)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_ylim(bottom, 2.2 * max(modelled.MATRIX_PEAKS.values()))
    axes.grid(linewidth=0.6)


def draw(runs):
    """A panel for each level that served something; None where none did."""
    levels = [level for level in modelled.LEVELS if any(run.bytes_of(level) > 0 for run in runs)]
    if not levels:
        return None
    rows = (len(levels) + 1) // 2
    cases = list(dict.fromkeys(run.record.case for run in runs))
    numbers = {case: number for number, case in enumerate(cases, 1)} if len(cases) <= MOST_NUMBERS else {}
    below = 0.32 + LINE * len(numbers)
    figure, axes = plt.subplots(rows, 2, figsize=(11, 0.28 + below + 3.5 * rows), sharey=True, squeeze=False)
    bottom = min(run.tflops for run in runs) / 2
    for panel, level in zip(axes.flat, levels):
        draw_level(panel, level, runs, bottom, numbers)
        panel.set_xlabel("FLOP for each byte through the level", fontsize=9)
    for panel in axes.flat[len(levels):]:
        panel.set_visible(False)
    for panel in axes[:, 0]:
        panel.set_ylabel("modelled TFLOP/s", fontsize=9)
    idle = [modelled.LEVEL_NAMES[level] for level in modelled.LEVELS if level not in levels]
    nothing = f"; {', '.join(idle)} served nothing: inputs lie before it, unless perf ran with --assume cold" if idle else ""
    frame.heading(figure, TITLE, f"{len(runs)} cases on implementations, modelled by the embedded device's cycle model, not measured{nothing}")
    frame.legend(figure, frame.markers(run.implementation for run in runs))
    for case, number in numbers.items():
        figure.text(0.01, (0.3 + LINE * (len(numbers) - number + 0.5)) / figure.get_figheight(), f"{number}: {case}", fontsize=7, color=color("quiet"), va="center")
    frame.layout(figure, below=below)
    return figure
