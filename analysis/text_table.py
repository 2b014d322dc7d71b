"""Rows as text on stdout: columns side by side, or CSV."""

import csv
import sys


def text_of(value):
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def show(names, rows, as_csv=False):
    if as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows([names, *map(tuple, rows)])
        return
    cells = [list(names), *([text_of(value) for value in row] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
