"""What the waves of each implementation spend their clocks on: a CPI stack."""

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

import modelled
from figures import frame
from palette import color

NAME = "stalls"
TITLE = "What waves spend their clocks on"
READING = ("Of the longest launch of one case of each operator: shares of the lives of all waves, which add up to 100 %. 'Issuing' is work; "
           "'... busy' is a wave that is ready, but another one has the unit; the rest are waits. The number on the right is what a tile of "
           "256 x 64 costs a compute unit.")


def draw(runs):
    cases = [case for case in (modelled.representative(runs, operator) for operator in modelled.operators(runs)) if case]
    lines = sum(len(case) + 1.6 for case in cases)
    figure, axes = plt.subplots(figsize=(11, 1.9 + 0.3 * lines))

    def draw_run(y, run):
        frame.stack(axes, y, [(name, 100 * share) for (_, name, _), share in zip(modelled.SPENT, run.spent())], 100)
        axes.text(101, y, f"{run.values['clocks_per_tile']:,.0f} clk/tile, {frame.digits(run.tflops)} TFLOP/s", va="center", fontsize=8)

    frame.rows_of_cases(axes, cases, draw_run, lambda run: f"{run.implementation}\n{run.longest['kernel']}")
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the waves' lives in the longest launch, modelled", fontsize=9)
    frame.heading(figure, TITLE, "modelled by the embedded device's cycle model, not measured")
    shown = [max(shares) > 0 for shares in zip(*(run.spent() for case in cases for run in case))]
    frame.legend(figure, [Patch(color=color(name), label=title) for (title, name, _), any_share in zip(modelled.SPENT, shown) if any_share], columns=5)
    frame.layout(figure, below=0.5)
    figure.subplots_adjust(right=0.83)
    return figure
