"""How many times as fast as one implementation the others are, over the length of the context."""

import math

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, NullLocator

import modelled
import palette
import ratios
from figures import frame
from palette import color

NAME = "speedup"
TITLE = "Speed-up over length"
READING = ("Modelled time of one implementation divided by that of the others on the same case, both axes logarithmic: above 1 is faster "
           "than it. Cases of one panel differ in nothing but their length; implementations stand side by side at each. The thin line through a point is "
           "what the law of the clock and sampling leave open of the ratio, both sides under the same law and assumption, with a ? where too few workgroups were followed to know it.")
MOST_PANELS = 3


def series(runs):
    """Families of cases that differ only in length: {family: {implementation: {length: run}}}, the largest ones."""
    families = {}
    for run in runs:
        families.setdefault(run.without("sq", "sk"), {}).setdefault(run.implementation, {})[run.length] = run
    several = {name: members for name, members in families.items() if len({n for lengths in members.values() for n in lengths}) >= 2}
    return dict(sorted(several.items(), key=lambda family: -sum(map(len, family[1].values())))[:MOST_PANELS])


def reference(members):
    """Whom the others are compared with: baseline, else the first that has all lengths."""
    return "baseline" if "baseline" in members else max(palette.known_first(members), key=lambda name: len(members[name]))


def draw_family(axes, members, short):
    base = reference(members)
    lengths = sorted({n for family in members.values() for n in family})
    ends, everything = [], []
    names = palette.known_first(members)
    for place, name in enumerate(names):
        aside = 1.018 ** (place - (len(names) - 1) / 2)  # that no ends hide behind another's
        shared = sorted(set(members[name]) & set(members[base]))
        if not shared:
            continue
        speeds = [ratios.of(members[name][n], members[base][n]) for n in shared]
        everything += [end for speed in speeds for end in ((1,) if name == base else (speed.low, speed.high))]
        hue = palette.implementation_color(name)
        axes.plot([n * aside for n in shared], [speed.best for speed in speeds], color=hue, marker=palette.style(name)[1], markersize=6, linewidth=1.8, zorder=3)
        for n, speed in zip(shared, speeds):
            if name != base:  # which is not compared with itself
                frame.ends(axes, [n * aside] * 2, [speed.low, speed.high], name, speed.sampling_known)
        ends.append((name, shared[-1], speeds[-1]))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    low, high = min(everything) / 1.25, max(everything) * 1.25
    axes.set_ylim(low, high)
    steps = [step for step in (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 20, 50) if low <= step <= high]
    axes.yaxis.set_major_locator(FixedLocator(steps))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_yticklabels([f"{step:g}×" for step in steps])
    axes.xaxis.set_major_locator(FixedLocator(lengths))
    axes.set_xticklabels([f"{n:,}" for n in lengths])
    axes.grid(linewidth=0.6)
    inches = axes.get_position().height * axes.figure.get_figheight() * 0.95
    scale = inches / math.log(high / low)
    places = frame.apart([scale * math.log(speed.best / low) for _, _, speed in ends], 0.16)
    for (name, x, speed), place in zip(ends, places):
        axes.annotate(f"{name} {speed.best:.2f}×", (x, speed.best), xytext=(lengths[-1] * 1.13, low * math.exp(place / scale)), va="center",
                      fontsize=8.5, annotation_clip=False)
    axes.set_xlim(lengths[0] / 1.1, lengths[-1] * 1.1)
    axes.set_xlabel("tokens of context", fontsize=9)
    axes.set_ylabel(f"modelled speed against {base}", fontsize=9)
    axes.set_title(short, fontsize=9, loc="left", color=color("quiet"))


def draw(runs):
    families = series(runs)
    if not families:
        return None
    figure, axes = plt.subplots(len(families), 1, figsize=(11, 0.9 + 3.9 * len(families)), squeeze=False)
    longest = max(len(name) for members in families.values() for name in members)
    right = min(0.84, 0.95 - 0.0066 * longest)  # room for names at the lines' ends
    figure.subplots_adjust(left=0.08, right=right, top=1 - 0.95 / figure.get_figheight(), bottom=0.55 / figure.get_figheight(), hspace=0.35)
    for panel, members in zip(axes[:, 0], families.values()):
        first = next(iter(next(iter(members.values())).values()))
        draw_family(panel, members, modelled.title(first, leave_out=("sq", "sk")).replace(f"{int(first.keys['sq']):,} × {int(first.keys['sk']):,}, ", ""))
    frame.heading(figure, TITLE, "modelled by the embedded device's cycle model, not measured")
    return figure
