"""What the time of a tile pays for, where power holds the clock down: an energy stack beside the CPI stack."""

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

import modelled
from figures import frame
from palette import color

NAME = "energy"
TITLE = "What a tile's time pays for"
READING = ("Of one case of each operator: nanoseconds of a compute unit for a tile of 256 x 64 at the clock that the work allows. Where power is the "
           "limit, time is energy: work that is hidden behind other work still costs. 'Highest clock' is what no power would save, as the clock "
           "cannot be higher than 2,400 MHz.")


def draw(runs):
    runs = [run for run in runs if run.values.get("energy")]
    if not runs:
        return None
    cases = [case for case in (modelled.representative(runs, operator) for operator in modelled.operators(runs)) if case]
    widest = max(sum(run.values["energy"].values()) for case in cases for run in case)
    lines = sum(len(case) + 1.6 for case in cases)
    figure, axes = plt.subplots(figsize=(11, 1.9 + 0.3 * lines))

    def draw_run(y, run):
        end = frame.stack(axes, y, [(name, run.values["energy"].get(key, 0.0)) for key, (_, name) in modelled.ENERGIES.items()], widest)
        axes.text(end + 0.01 * widest, y, f"{end:,.0f} ns, {run.megahertz:,.0f} MHz", va="center", fontsize=8)

    frame.rows_of_cases(axes, cases, draw_run, lambda run: run.implementation)
    axes.set_xlim(0, 1.22 * widest)
    axes.set_xlabel("ns of a compute unit for a tile of 256 x 64 x 128, modelled", fontsize=9)
    frame.heading(figure, TITLE, "modelled by the embedded device's cycle model, not measured")
    shown = [key for key in modelled.ENERGIES if any(run.values["energy"].get(key, 0) > 0 for case in cases for run in case)]
    frame.legend(figure, [Patch(color=color(modelled.ENERGIES[key][1]), label=modelled.ENERGIES[key][0]) for key in shown], columns=6)
    frame.layout(figure, below=0.5)
    return figure
