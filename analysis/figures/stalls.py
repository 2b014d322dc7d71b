"""What the waves of each implementation spend their clocks on: a CPI stack."""

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

import modelled
import palette
from figures import frame
from palette import color

NAME = "stalls"
TITLE = "What waves spend their clocks on"
READING = ("Of the longest launch of one case of each operator: shares of the lives of all waves, which add up to 100 %. 'Issuing' is work; "
           "'... busy' is a wave that is ready, but another one has the unit; the rest are waits. The number on the right is what a tile of "
           "256 x 64 costs a compute unit.")


def draw_run(axes, y, run):
    left = 0.0
    for (_, name, _), share in zip(modelled.SPENT, run.spent()):
        if share <= 0:
            continue
        axes.barh(y, 100 * share, left=100 * left, height=0.72, color=color(name), edgecolor=color("paper"), linewidth=0.8, zorder=2)
        if share >= 0.035:
            axes.text(100 * (left + share / 2), y, f"{100 * share:.0f}", ha="center", va="center", fontsize=7.5, color=color("on_deep" if name in palette.DEEP else "on_bright"), zorder=3)
        left += share
    axes.text(101, y, f"{run.values['clocks_per_tile']:,.0f} clk/tile, {frame.digits(run.tflops)} TFLOP/s", va="center", fontsize=8)


def draw(runs):
    cases = [case for case in (modelled.representative(runs, operator) for operator in modelled.operators(runs)) if case]
    lines = sum(len(case) + 1.6 for case in cases)
    figure, axes = plt.subplots(figsize=(11, 1.9 + 0.3 * lines))
    y, ticks, labels = 0.0, [], []
    for case in cases:
        axes.text(0.0, y, modelled.title(case[0]), transform=axes.get_yaxis_transform(), fontsize=8.5, fontweight="bold", va="center")
        order = palette.known_first([run.implementation for run in case])
        for run in sorted(case, key=lambda run: order.index(run.implementation)):
            y += 1
            draw_run(axes, y, run)
            ticks.append(y)
            labels.append(f"{run.implementation}\n{run.longest['kernel']}")
        y += 1.6
    axes.set_yticks(ticks, labels, fontsize=7.5)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(y - 0.8, -0.8)
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the waves' lives in the longest launch, modelled", fontsize=9)
    frame.heading(figure, TITLE, "modelled by the embedded device's cycle model, not measured")
    shown = [max(shares) > 0 for shares in zip(*(run.spent() for case in cases for run in case))]
    frame.legend(figure, [Patch(color=color(name), label=title) for (title, name, _), any_share in zip(modelled.SPENT, shown) if any_share], columns=5)
    frame.layout(figure, below=0.5)
    figure.subplots_adjust(right=0.83)
    return figure
