"""What all figures share: heading, rows by case, ends, stacks, legend of implementations, places of labels."""

from matplotlib.lines import Line2D

import modelled
import palette
from palette import color


def heading(figure, text, detail=""):
    """Title and a line of detail at the upper left, in inches from the edge, so that no size of figure clips them."""
    height = figure.get_figheight()
    figure.text(0.01, 1 - 0.2 / height, text, fontsize=12, fontweight="bold", ha="left", va="center")
    figure.text(0.01, 1 - 0.45 / height, detail, fontsize=8.5, color=color("quiet"), ha="left", va="center")


def layout(figure, below=0.45, above=0.6):
    """Leaves inches for the heading above and the legend below."""
    height = figure.get_figheight()
    figure.tight_layout(rect=(0, below / height, 1, 1 - above / height))


def rows_of_cases(axes, cases, draw_run, label, gap=1.6, edge=0.8, fontsize=7.5):
    """A heading for each case and below it a row for each of its runs, which draw_run(y, run) fills; rows go downwards."""
    y, ticks, labels = 0.0, [], []
    for case in cases:
        axes.text(0.0, y, modelled.title(case[0]), transform=axes.get_yaxis_transform(), fontsize=8.5, fontweight="bold", va="center")
        order = palette.known_first([run.implementation for run in case])
        for run in sorted(case, key=lambda run: order.index(run.implementation)):
            y += 1
            draw_run(y, run)
            ticks.append(y)
            labels.append(label(run))
        y += gap
    axes.set_yticks(ticks, labels, fontsize=fontsize)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(y - edge, -edge)


def ends(axes, x, y, name, sampling_known):
    """What a point of this implementation leaves open: a thin line through it, which no legend shows; with a ? at its upper end where the sampling error is unknown."""
    upright, hue = x[0] == x[1], palette.implementation_color(name)
    axes.plot(x, y, color=hue, linewidth=1.1, marker="_" if upright else "|", markersize=6, zorder=2, label=f"_ends of {name}")
    if not sampling_known:
        axes.annotate("?", (x[1], y[1]), xytext=(0, 9) if upright else (6, 0), textcoords="offset points", color=hue, fontsize=8, ha="center", va="center")


def stack(axes, y, parts, widest):
    """A bar of (colour's name, length) one behind the other, with the lengths that have room; returns its end."""
    left = 0.0
    for name, length in parts:
        if length <= 0:
            continue
        axes.barh(y, length, left=left, height=0.72, color=color(name), edgecolor=color("paper"), linewidth=0.8, zorder=2)
        if length >= 0.035 * widest:
            axes.text(left + length / 2, y, f"{length:,.0f}", ha="center", va="center", fontsize=7.5,
                      color=color("on_deep" if name in palette.DEEP else "on_bright"), zorder=3)
        left += length
    return left


def legend(figure, handles, columns=8):
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.005, 0.0), fontsize=8, frameon=False, ncols=columns,
                  columnspacing=1.4, handletextpad=0.5)


def markers(names):
    return [Line2D([], [], color=palette.implementation_color(name), marker=palette.style(name)[1], linestyle="", markersize=7,
                   label=name) for name in palette.known_first(names)]


def digits(value):
    """With at least three digits."""
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.3g}"


def apart(wanted, distance):
    """Places for labels near the wanted ones, no two nearer than distance; in the order given."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    clusters = []  # [sum of wanted places less their offset, count]: each is laid out around its mean
    for i in order:
        clusters.append([[i], wanted[i]])
        while len(clusters) > 1:
            (left, left_middle), (right, right_middle) = clusters[-2:]
            if left_middle + distance * (len(left) + len(right)) / 2 <= right_middle:
                break
            members = left + right
            middle = sum(wanted[j] for j in members) / len(members)
            clusters[-2:] = [[members, middle]]
    places = [0.0] * len(wanted)
    for members, middle in clusters:
        for place, i in enumerate(members):
            places[i] = middle + distance * (place - (len(members) - 1) / 2)
    return places
