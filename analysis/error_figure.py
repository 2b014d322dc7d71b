#!/usr/bin/python3
"""Error of every case and implementation, split into quantisation and kernel error.

    error_figure.py RESULTS.jsonl --output FIGURE.png
"""

import argparse
import math
import sys
import textwrap
from itertools import groupby

from matplotlib.lines import Line2D

import palette
import records as result_records
from palette import color, plt

NAME = "error"
QUANTISATION, KERNEL, FAILED, LIMIT, QUIET = "amber", "blue", "bad", "ink", "quiet"  # colours of the palette
MOST_ROWS = 60
ROW_INCHES = 0.26
LINE = 150  # letters of the line below the title


def nearest_to_limit(records, count):
    """The records that fail or come nearest to their limit, in the order of the file."""

    def distance(record):
        return float("-inf") if record.outcome not in ("passed", "unsupported") else -(record.of_limit() or 0)

    chosen = {id(record) for record in sorted(records, key=distance)[:count]}
    return [record for record in records if id(record) in chosen]


def heading(workload, shared):
    """A workload's case string in words, without what all cases share."""
    words = {"h": "heads {}", "trace": "trace {}", "values": "values {}", "page": "page {}", "table": "{}",
             "layout": "{}", "order": "order {}", "causal": "causal", "lse": "LSE", "n": "tokens {}", "pool": "pool {}", "chunk": "chunk {}", "scale": "scale {}",
             "tree": "tree of {}", "sinklogit": "sink logit", "sq": "sq {}", "sk": "sk {}", "b": "batch {}"}
    parts = []
    for part in workload.split("/"):
        if part in shared or "=" not in part:
            continue
        key, value = part.split("=", 1)
        value = value if len(value) <= 40 else value[:37] + "..."
        parts.append(words[key].format(value) if key in words else part)
    return ", ".join(parts) or "all cases"


def draw_row(axes, y, record, left):
    """One implementation on one case: its two errors, its limit, or why there are none."""
    error, quantisation = record.kernel.get("relative_l2"), record.quantisation.get("relative_l2")
    passed = record.outcome == "passed"
    if error is None:
        reason = record.reason if len(record.reason) <= 90 else record.reason[:87] + "..."
        axes.text(left, y, f"  {record.outcome}: {reason}", va="center", fontsize=7.5,
                  color=color(QUIET if record.outcome == "unsupported" else FAILED))
        return
    limit = record.relative_limit()
    shown = max(error, left)
    if limit:
        axes.plot([min(shown, limit), max(shown, limit)], [y, y], color=color(LIMIT), linewidth=0.7, alpha=0.35, zorder=1)
        axes.plot(limit, y, marker="|", color=color(LIMIT), markersize=11, markeredgewidth=1.6, zorder=2)
    if quantisation:
        axes.plot(max(quantisation, left), y, marker="D", color=color(QUANTISATION), markersize=6, linestyle="", zorder=3)
    axes.plot(shown, y, marker="o" if passed else "X", color=color(KERNEL if passed else FAILED),
              markersize=6.5 if passed else 9, linestyle="", zorder=4)
    if not passed:
        axes.annotate(record.outcome, (shown, y), xytext=(8, 0), textcoords="offset points", va="center", fontsize=7.5,
                      color=color(FAILED))


def left_edge(records):
    """A round number (1 or 3 times a power of ten) below everything that is drawn."""
    values = [v for r in records for v in (r.kernel.get("relative_l2"), r.quantisation.get("relative_l2"), r.relative_limit())
              if v and 0 < v < float("inf")]
    if not values:
        return 1e-4
    power = 10.0 ** math.floor(math.log10(max(min(values) / 1.5, 1e-8)))
    return 3 * power if 3 * power <= min(values) / 1.5 else power


def legend_handles(records):
    handles = [
        Line2D([], [], marker="D", color=color(QUANTISATION), linestyle="", markersize=6,
               label="quantisation: oracle on dequantised inputs against oracle on original inputs"),
        Line2D([], [], marker="o", color=color(KERNEL), linestyle="", markersize=6.5,
               label="kernel: output against oracle on dequantised inputs"),
        Line2D([], [], marker="|", color=color(LIMIT), linestyle="", markersize=11, markeredgewidth=1.6,
               label="limit of the kernel error by RMSE (from the noise that rounding P and the output leaves)"),
    ]
    if any(record.outcome not in ("passed", "unsupported") for record in records):
        handles.append(Line2D([], [], marker="X", color=color(FAILED), linestyle="", markersize=9, label="kernel: failed"))
    return handles


def draw(records):
    """The figure. Rows are grouped by what is computed; a row is one storage on one implementation."""
    # Those of another operator say nothing about the case.
    records = [record for record in records if not (record.outcome == "unsupported" and record.reason.startswith("operator "))] or records
    everything = len(records)
    if everything > MOST_ROWS:
        records = nearest_to_limit(records, MOST_ROWS)
    shared = result_records.common_keys(records)
    several = len({record.implementation for record in records}) > 1
    ordered = sorted(records, key=lambda record: record.workload)  # stable: file order within a workload
    groups = [(name, list(members)) for name, members in groupby(ordered, key=lambda record: record.workload)]
    order = {record.workload: place for place, record in reversed(list(enumerate(records)))}
    groups.sort(key=lambda group: order[group[0]])

    lines = sum(len(members) + 1.3 for _, members in groups)
    figure, axes = plt.subplots(figsize=(11, 1.9 + ROW_INCHES * lines))
    left = left_edge(records)
    ticks, labels, y = [], [], 0.0
    for name, members in groups:
        axes.text(0.0, y, heading(name, shared), transform=axes.get_yaxis_transform(), fontsize=8.5, fontweight="bold",
                  va="center", ha="left", bbox={"facecolor": color("paper"), "edgecolor": "none", "pad": 1.0}, zorder=5)
        for record in members:
            y += 1
            ticks.append(y)
            labels.append(f"{record.storage}   {record.implementation}" if several else record.storage)
            draw_row(axes, y, record, left)
        y += 1.3
    axes.set_yticks(ticks, labels, fontsize=8.5)
    axes.set_ylim(y - 0.5, -0.8)
    axes.set_xscale("log")
    axes.set_xlim(left=left, right=max(axes.get_xlim()[1], left * 30))
    axes.grid(axis="x", which="major", color=color("grid"), linewidth=0.8)
    axes.grid(axis="x", which="minor", color=color("panel"), linewidth=0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("relative L2 error of the attention output   ||difference|| / ||reference||", fontsize=9)

    device = records[0].environment.get("device", "unknown device")
    chosen = f"the {MOST_ROWS} of {everything} results nearest to their limit" if everything > len(records) else f"{everything} results"
    common = [part for part in shared if "=" in part]
    names = sorted({record.implementation for record in records})
    height = figure.get_figheight()
    figure.text(0.01, 1 - 0.2 / height, "Error of the attention output by case and implementation: quantisation and kernel",
                fontsize=12, fontweight="bold", ha="left", va="center")
    detail = f"{chosen} of {', '.join(names)} on {device}"
    if common:
        detail += f"; all with {', '.join(common)}"
    of_detail = textwrap.wrap(detail, LINE)
    figure.text(0.01, 1 - 0.38 / height, "\n".join(of_detail), fontsize=8.5, color=color(QUIET), ha="left", va="top")
    figure.legend(handles=legend_handles(records), loc="lower left", bbox_to_anchor=(0.005, 0.0), fontsize=8, frameon=False, ncols=2)
    figure.tight_layout(rect=(0, 0.5 / height, 1, 1 - (0.38 + 0.15 * len(of_detail)) / height))
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="result file, JSON lines (docs/results.md)")
    parser.add_argument("--output", required=True, help="figure to write; the suffix chooses the format (png, svg, pdf)")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="an SVG follows its reader's in any case")
    arguments = parser.parse_args()
    try:
        records = result_records.read(arguments.results)
    except (OSError, result_records.BadRecord) as error:
        sys.exit(f"error_figure.py: {error}")
    palette.use("light" if arguments.output.endswith(".svg") else arguments.theme)
    palette.save(draw(records), arguments.output, NAME)


if __name__ == "__main__":
    main()
