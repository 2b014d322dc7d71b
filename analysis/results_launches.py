#!/usr/bin/env python3
"""Modelled launches of programs as a database, of files of FMHA950_TIMING_REPORT (docs/results.md, "Launches of a program").

    ./fmha950 results launches FILE... [--to DATABASE] [--where SQL] [--group-by COLUMNS] [--columns COLUMNS] [--csv]
"""

import sys

from database import quoted
from launch_database import LaunchDatabase, add_file
from records import BadRecord
from selection import exit_code_of, parser_of, show_groups, show_rows

SHOWN = ("kernel", "grid", "stream", "seconds", "seconds_low", "seconds_high", "clock_hertz", "matrix_flops", "bytes_hbm")


def arguments(words):
    return parser_of(
        "results launches", __doc__, "as FMHA950_TIMING_REPORT named it, or a database",
        "keep the launches here (SQLite), with those that it has of other files",
        "only launches for which this holds, as in \"kernel like 'attention%%' and seconds > 1e-5\"",
        "a line for each of their values: launches, their seconds, and means of --columns").parse_args(words)


def require_numbers(database, columns):
    for name in database.require(columns.split(",") if columns else [], "--columns"):
        if database.select("count(*)", f"typeof({quoted(name)}) = 'text'")[0][0]:
            raise BadRecord(f"--columns = {name}: must be a column of numbers, whose mean --group-by gives")


def launches(harness, words):
    options = arguments(words)
    database = LaunchDatabase(options.to or ":memory:")
    for path in options.files:
        there, replaced = add_file(database, harness, path)
        print(f"{path}: {there} launches{f', in place of {replaced}' if replaced else ''}", file=sys.stderr)
    if options.columns == "all":
        print("\n".join(sorted(database.columns())))
        return 0
    if options.group_by:
        require_numbers(database, options.columns)
        show_groups(database, options, {"launches": "count(*)", "seconds": "sum(seconds)"}, "sum(seconds) desc, ")
    elif options.where or options.columns:
        show_rows(database, options, list(SHOWN), "file, launch")
    count, kernels, seconds = database.select("count(*), count(distinct kernel), coalesce(sum(seconds), 0)", options.where)[0]
    print(f"modelled: {count} launches of {kernels} kernels, {1e6 * seconds:.2f} us one after the other",
          file=sys.stderr if options.csv else sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(exit_code_of(lambda: launches(sys.argv[1], sys.argv[2:])))
