#!/usr/bin/python3
"""What the audit found, over the key axis: by how much each tile of 64 keys counts too much, within what rounding can do.

    audit_figure.py RESULTS.jsonl... --output FIGURE.png

Of each file and case the result that is nearest to its limits (docs/audit.md says how to read it).
"""

import argparse
import math
import sys
from itertools import cycle

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

import palette
import records as result_records
from figures import frame
from palette import color, plt

NAME = "audit"
TITLE = "Audit: by how much each tile of 64 keys counts too much"
READING = ("Each point is a tile of 64 keys: 0 % is as it should be, -100 % is left out, +10 % a V that is 10 % too large. The band is what rounding alone "
           "may do, 6 sigma by the noise model, without floor and scatter; tiles of which it may do more than 100 % say nothing and are left out. A line for "
           "each bucket of rows whose noise is alike, 2^n. Of requests and KV heads the one is shown in which the tile stands out most; each is judged by itself, with its pages and "
           "single keys, and a red mark shows where such a part failed. Where buckets hear very differently the axis is logarithmic outside its middle.")
MOST_PANELS = 6
SIGMAS = 6
TILE = 64
LONGEST_CASE = 160
BUCKETS = ("blue", "vermilion", "green", "pink", "amber", "indigo", "olive", "wine")


def curves(record):
    """(exponent, [(key, share, sigma)]) of each bucket, the one with the least noise first; of tiles that say something."""
    found = []
    for curve in record.audit.get("tiles", []):
        points = [(TILE * (tile + 0.5), float(share), float(sigma)) for tile, (share, sigma) in enumerate(zip(curve["share"], curve["sigma"]))
                  if share is not None and sigma is not None]
        points = [point for point in points if math.isfinite(point[1]) and SIGMAS * point[2] <= 1]
        if points:
            found.append((curve["noise_exponent"], points))
    return sorted(found, key=lambda entry: entry[0])


def nearness(record):
    """How near the record is to failing; failed ones are beyond all others."""
    return (record.outcome != "passed", record.of_limit() or 0)


def worth_drawing(records, most=MOST_PANELS):
    """Of each case the result nearest to its limits, and of these `most`, in the order of the cases."""
    audited = [record for record in records if curves(record)]
    worst = {}
    for record in audited:
        if record.case not in worst or nearness(record) > nearness(worst[record.case]):
            worst[record.case] = record
    chosen = sorted(worst.values(), key=nearness, reverse=True)[:most]
    return [record for record in worst.values() if any(record is one for one in chosen)]


def failed_parts(record):
    """Failed findings of the output that have a place on the key axis, strongest first."""
    return [finding for finding in record.audit.get("findings", [])
            if not finding["of_lse"] and float(finding["z"]) > SIGMAS and finding["last_key"] > finding["first_key"] >= 0]


def band_of(points):
    """The middle one of a bucket's bands."""
    bands = sorted(SIGMAS * sigma for _, _, sigma in points)
    return bands[len(bands) // 2]


def scale_axis(axes, records):
    """All that is drawn of these results on the same case fits; the sharpest bucket's band is not flattened."""
    of_records = [points for record in records for _, points in curves(record)]
    top = max(max(abs(share), SIGMAS * sigma) for points in of_records for _, share, sigma in points)
    sharpest = min(band_of(points) for points in of_records)
    room = 1.7 if any(failed_parts(record) for record in records) else 1.3  # for the text above
    if top > 12 * sharpest > 0:
        axes.set_yscale("symlog", linthresh=200 * sharpest)
        powers = [10.0**n for n in range(-6, 5) if 2 * sharpest <= 10.0**n / 100 <= room * top]
        axes.yaxis.set_major_locator(FixedLocator([-power for power in powers] + [0] + powers))
        axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(-100 * room * top, 100 * room * top)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def draw_curves(axes, record):
    for (_, points), name in zip(curves(record), cycle(BUCKETS)):
        keys, shares = [key for key, _, _ in points], [100 * share for _, share, _ in points]
        band = [100 * SIGMAS * sigma for _, _, sigma in points]
        if len(points) == 1:
            axes.errorbar(keys, shares, yerr=band, color=color(name), marker="o", markersize=3, alpha=0.8, zorder=3)
            continue
        axes.fill_between(keys, [-b for b in band], band, color=color(name), alpha=0.16, linewidth=0, zorder=1)
        axes.plot(keys, shares, color=color(name), linewidth=0.8, marker=".", markersize=4 if len(points) < 600 else 2, zorder=3)
    axes.axhline(0, color=color("quiet"), linewidth=0.8, zorder=2)


def mark_failures(axes, record):
    failed = failed_parts(record)
    for finding in failed:
        axes.plot((finding["first_key"] + finding["last_key"]) / 2, 0.02, transform=axes.get_xaxis_transform(), marker="^", color=color("bad"),
                  markersize=6, linestyle="", zorder=4)
    if failed:
        text = f"{failed[0]['text']} (z = {float(failed[0]['z']):.1f})"
        axes.text(0.01, 0.95, text, transform=axes.transAxes, fontsize=8, color=color("bad"), va="top", ha="left", zorder=5)


def title_of(record):
    rmse = record.limits.get("rmse")
    case = record.case if len(record.case) <= LONGEST_CASE else record.case[:LONGEST_CASE - 3] + "..."
    verdict = f"{record.outcome}; RMSE {rmse.share:.0%} of its limit" if rmse else record.outcome
    return f"{record.implementation}, P {record.rounding}: {verdict}\n{case}"


def draw_panel(axes, record):
    draw_curves(axes, record)
    mark_failures(axes, record)
    of_buckets = [Line2D([], [], color=color(name), linewidth=1.5, label=f"2^{exponent}")
                  for (exponent, _), name in zip(curves(record), cycle(BUCKETS))]
    if len(of_buckets) > 1:
        axes.legend(handles=of_buckets, title="noise of the rows", title_fontsize=7, fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    last = max(key for _, points in curves(record) for key, _, _ in points) + TILE / 2
    axes.set_xlim(0, last)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.grid(axis="y", linewidth=0.6)
    axes.set_title(title_of(record), fontsize=8, loc="left", color=color("quiet"))
    axes.set_ylabel("too much by, %", fontsize=9)


def draw(records):
    """The figure of these results, or None where nothing was audited."""
    records = [record for record in records if curves(record)]
    if not records:
        return None
    figure, panels = plt.subplots(len(records), 1, figsize=(11, 1 + 2.4 * len(records)), squeeze=False)
    for panel, record in zip(panels.flat, records):
        draw_panel(panel, record)
        scale_axis(panel, [other for other in records if other.case == record.case])
    panels[-1][0].set_xlabel("key", fontsize=9)
    frame.heading(figure, TITLE, "of the judged rows of each case; errors are those of the kernels' real bits against the float64 oracle")
    handles = [Line2D([], [], color=color("blue"), marker=".", linewidth=0.8, label="share of a tile"),
               Patch(color=color("blue"), alpha=0.16, label=f"what rounding may do: ±{SIGMAS} sigma")]
    if any(failed_parts(record) for record in records):
        handles.append(Line2D([], [], marker="^", color=color("bad"), linestyle="", label="a part of these keys failed"))
    frame.legend(figure, handles)
    frame.layout(figure, below=0.35, above=0.6)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", help="result files, JSON lines (docs/results.md)")
    parser.add_argument("--output", required=True, help="figure to write; the suffix chooses the format (png, svg, pdf)")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="an SVG follows its reader's in any case")
    arguments = parser.parse_args()
    try:
        records = [record for path in arguments.results for record in worth_drawing(result_records.read(path))]
    except (OSError, result_records.BadRecord) as error:
        sys.exit(f"audit_figure.py: {error}")
    palette.use("light" if arguments.output.endswith(".svg") else arguments.theme)
    drawn = draw(records)
    if drawn is None:
        sys.exit(f"audit_figure.py: {', '.join(arguments.results)}: no result has an audit: ./fmha950 accuracy makes them")
    palette.save(drawn, arguments.output, NAME)


if __name__ == "__main__":
    main()
