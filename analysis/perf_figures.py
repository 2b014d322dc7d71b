#!/usr/bin/python3
"""Figures of modelled performance, from what `fmha950 perf --output RESULTS.jsonl` writes.

    perf_figures.py RESULTS.jsonl --figure roofline --output FIGURE.png [--theme dark]
    perf_figures.py RESULTS.jsonl --figure all --output FOLDER
"""

import argparse
import pathlib
import sys

import modelled
import palette
import records as result_records
from figures import FIGURES


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", help="result files, JSON lines (docs/results.md)")
    parser.add_argument("--figure", required=True, choices=[figure.name for figure in FIGURES] + ["all"])
    parser.add_argument("--output", required=True, help="file; the suffix chooses the format (png, svg, pdf). With `all`, folder of PNG files")
    parser.add_argument("--theme", choices=("light", "dark"), default="light", help="an SVG follows its reader's in any case")
    arguments = parser.parse_args()
    try:
        runs = modelled.runs([record for path in arguments.results for record in result_records.read(path)])
    except (OSError, result_records.BadRecord) as error:
        sys.exit(f"perf_figures.py: {error}")
    output = pathlib.Path(arguments.output)
    palette.use("light" if output.suffix == ".svg" else arguments.theme)
    for figure in FIGURES:
        if arguments.figure not in (figure.name, "all"):
            continue
        drawn = figure.draw(runs)
        if drawn is not None:
            palette.save(drawn, output / f"{figure.name}.png" if arguments.figure == "all" else output, figure.name)
        elif arguments.figure != "all":
            sys.exit(f"perf_figures.py: {', '.join(arguments.results)}: no cases for the figure '{figure.name}' ({figure.reading.split('.')[0]})")


if __name__ == "__main__":
    main()
