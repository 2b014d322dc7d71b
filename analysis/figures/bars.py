"""Bars of every case and implementation with their values."""

import matplotlib.pyplot as plt

import modelled
import palette
from figures import frame
from palette import color

NAME = "bars"
TITLE = "Speed by case and implementation"
READING = ("Modelled TFLOP/s at the clock that the work allows; longer is faster. The thin line at a bar's end is what the law of the clock and sampling leave open, "
           "± ? where too few were followed to know it. "
           "Behind the value: the busiest unit of the longest launch and how much of the clocks it is busy.")
MOST_CASES = 16


def choose(cases):
    """Those with most implementations, in the order of the file."""
    kept = sorted(cases, key=lambda case: -len(cases[case]))[:MOST_CASES]
    return {case: cases[case] for case in cases if case in kept}


def draw(runs):
    every = modelled.by_case(runs)
    cases = choose(every)
    lines = sum(len(members) + 1.7 for members in cases.values())
    figure, axes = plt.subplots(figsize=(11, 1.6 + 0.21 * lines))
    longest = max(run.tflops for members in cases.values() for run in members)

    def draw_run(y, run):
        low, high = run.ends
        axes.barh(y, run.tflops, height=0.78, color=palette.implementation_color(run.implementation), zorder=2)
        axes.plot([low, high], [y, y], color=color("ink"), linewidth=1, zorder=3)
        unit, share = run.busiest
        axes.text(high + 0.006 * longest, y, f"{frame.digits(run.tflops)}{' ± ?' if run.sampling_error is None else ''}   {unit} {share:.0%}", va="center", fontsize=7.5, zorder=4)

    frame.rows_of_cases(axes, cases.values(), draw_run, lambda run: run.implementation, gap=1.7, edge=0.9, fontsize=8)
    axes.set_xlim(0, 1.16 * max(run.ends[1] for members in cases.values() for run in members))
    axes.grid(axis="x", linewidth=0.7)
    axes.set_xlabel("modelled TFLOP/s", fontsize=9)
    left_out = f", {len(cases)} of {len(every)} cases" if len(cases) < len(every) else ""
    frame.heading(figure, TITLE, f"modelled by the embedded device's cycle model, not measured{left_out}")
    frame.layout(figure, below=0.05)
    return figure
