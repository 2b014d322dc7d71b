"""Error against speed: which implementations are neither slower nor less accurate than another."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

import modelled
import palette
from figures import frame
from palette import color

NAME = "pareto"
TITLE = "Error against speed"
READING = ("One case of each operator. Right is faster (modelled), down is more accurate (measured against the float64 oracle: errors are the "
           "kernel's real bits). The thin line through a point is what the law of the clock and sampling leave open, "
           "with a ? where too few workgroups were followed to know it. The stepped line joins those that no other one beats in both. The dotted line is what "
           "quantisation alone costs.")


def points_of(case):
    return [(run.tflops, run.record.kernel.get("relative_l2"), run) for run in case if run.record.kernel.get("relative_l2")]


def front(points):
    """Those that no other one beats in speed and error, fastest first."""
    best, kept = float("inf"), []
    for speed, error, _ in sorted(points, key=lambda point: (-point[0], point[1])):
        if error < best:
            best = error
            kept.append((speed, error))
    return kept


def draw_case(axes, points):
    low, high = min(error for _, error, _ in points), max(error for _, error, _ in points)
    quantisation = next((run.record.quantisation.get("relative_l2") for _, _, run in points if run.record.quantisation), None)
    bottom, top = low / 2, 2 * max(high, quantisation or 0)
    fastest = max(run.ends[1] for _, _, run in points)
    edge = front(points)
    stairs = [(edge[0][0], top)] + [corner for (speed, error), (slower, _) in zip(edge, edge[1:] + [(0, 0)])
                                    for corner in ((speed, error), (slower, error))]
    axes.plot(*zip(*stairs), color=color("quiet"), linewidth=1, zorder=1)
    if quantisation:
        axes.axhline(quantisation, color=color("quiet"), linestyle=":", linewidth=1.3)
        axes.text(0.01, quantisation * 1.04, "quantisation alone", transform=axes.get_yaxis_transform(), fontsize=7.5, color=color("quiet"), va="bottom")
    for speed, error, run in points:
        hue = palette.implementation_color(run.implementation)
        frame.ends(axes, run.ends, [error, error], run.implementation, run.sampling_error is not None)
        point, = axes.plot(speed, error, marker=palette.style(run.implementation)[1], color=hue,
                           markeredgecolor=color("paper"), markersize=10, linestyle="", zorder=3)
        palette.hover(point, f"{run.implementation}: {speed:,.1f} TFLOP/s, error {error:.2e}\n{run.record.case}")
    axes.set_yscale("log")
    axes.set_ylim(bottom, top)
    axes.set_xlim(0, 1.12 * fastest)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.2g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(linewidth=0.6)
    axes.set_xlabel("modelled TFLOP/s", fontsize=9)


def draw(runs):
    cases = [points for points in (points_of(modelled.representative(runs, operator)) for operator in modelled.operators(runs)) if points]
    if not cases:
        return None
    figure, axes = plt.subplots(1, len(cases), figsize=(11, 4.7), squeeze=False)
    for panel, points in zip(axes[0], cases):
        draw_case(panel, points)
        panel.set_title(modelled.title(points[0][2]), fontsize=8.5, loc="left", color=color("quiet"))
    axes[0][0].set_ylabel("kernel error, relative L2 against float64", fontsize=9)
    frame.heading(figure, TITLE, "speed modelled by the embedded device's cycle model; error of what the kernels computed")
    frame.legend(figure, frame.markers(run.implementation for points in cases for _, _, run in points))
    frame.layout(figure, below=0.3)
    return figure
