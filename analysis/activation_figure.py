#!/usr/bin/python3
"""What each FP8 storage does to attention of recorded activations, by layer.

    activation_figure.py RESULTS.jsonl --output FIGURE.png

RESULTS are those of the case list `activations`. A panel per operator, a group of bars per layer, a bar per storage.
"""

import argparse
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen before)
from matplotlib.lines import Line2D  # noqa: E402

import records as result_records  # noqa: E402

# Colour-blind-safe (Okabe and Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9")
TOTAL, QUIET = "#1a202c", "#718096"


def layer_of(record):
    """The layer of values=activations:LAYER."""
    values = record.keys.get("values", "")
    if not values.startswith("activations:"):
        sys.exit(f"activation_figure.py: {record.case}: has no values=activations:LAYER")
    return values.split(":")[1].split("+")[0]


def in_order(names):
    return list(dict.fromkeys(names))


def draw_panel(axes, operator, records):
    layers, storages = in_order(map(layer_of, records)), in_order(record.storage for record in records)
    width = 0.8 / len(storages)
    for record in records:
        group, place = layers.index(layer_of(record)), storages.index(record.storage)
        x = group + (place - (len(storages) - 1) / 2) * width
        quantisation, total = 100 * record.quantisation["relative_l2"], 100 * record.total["relative_l2"]
        axes.bar(x, quantisation, 0.92 * width, color=COLOURS[place], zorder=2)
        axes.plot([x - 0.46 * width, x + 0.46 * width], [total, total], color=TOTAL, linewidth=1.6, zorder=3)
        axes.annotate(f"{quantisation:.1f}", (x, max(quantisation, total)), xytext=(0, 3), textcoords="offset points",
                      ha="center", fontsize=8)
    axes.set_xticks(range(len(layers)), [f"layer {int(layer[1:])}" for layer in layers])
    axes.set_ylabel("relative L2 error of the output, %", fontsize=9)
    shared = [part for part in result_records.common_keys(records) if "=" in part]
    axes.set_title(f"{operator}: {', '.join(shared)}", fontsize=9, loc="left", color=QUIET)
    axes.grid(axis="y", color="#e2e8f0", zorder=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[place]) for place in range(len(storages))]
    axes.legend(handles + [Line2D([], [], color=TOTAL, linewidth=1.6)],
                [f"{name}: quantisation alone" for name in storages] + ["with the kernel's own error"], fontsize=8, frameon=False,
                ncols=2)
    axes.set_ylim(top=1.35 * axes.get_ylim()[1])


def draw(records):
    operators = in_order(record.keys[""] for record in records)
    figure, panels = plt.subplots(len(operators), 1, figsize=(9, 3.6 * len(operators) + 0.5), squeeze=False)
    for axes, operator in zip(panels[:, 0], operators):
        draw_panel(axes, operator, [record for record in records if record.keys[""] == operator])
    name = records[0].implementation
    device = records[0].environment.get("device", "unknown device")
    figure.suptitle(f"FP8 storage of recorded activations, {name} on {device}", fontsize=11, fontweight="bold", x=0.01, ha="left")
    figure.tight_layout()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="result file, JSON lines (docs/results.md)")
    parser.add_argument("--impl", default="fused", help="implementation whose results are drawn (default: fused)")
    parser.add_argument("--output", required=True, help="figure to write; the suffix chooses the format (png, svg, pdf)")
    arguments = parser.parse_args()
    try:
        records = result_records.read(arguments.results)
    except (OSError, result_records.BadRecord) as error:
        sys.exit(f"activation_figure.py: {error}")
    records = [record for record in records if record.implementation == arguments.impl and record.outcome == "passed"]
    if not records:
        sys.exit(f"activation_figure.py: {arguments.results}: holds no passed results of {arguments.impl}")
    draw(records).savefig(arguments.output, dpi=150)


if __name__ == "__main__":
    main()
