#!/usr/bin/env python3
"""Modelled launches of programs as a database, of files of FMHA950_TIMING_REPORT (docs/results.md, "Launches of a program").

    ./fmha950 results launches FILE... [--to DATABASE] [--where SQL] [--group-by COLUMNS] [--columns COLUMNS] [--csv]
"""

import argparse
import sys

from database import quoted
from launch_database import LaunchDatabase, add_file
from records import BadRecord
from text_table import show

SHOWN = ("kernel", "grid", "stream", "seconds", "seconds_low", "seconds_high", "clock_hertz", "matrix_flops", "bytes_hbm")


def arguments(words):
    parser = argparse.ArgumentParser(prog="./fmha950 results launches", description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="as FMHA950_TIMING_REPORT named it, or a database")
    parser.add_argument("--to", metavar="DATABASE", help="keep the launches here (SQLite), with those that it has of other files")
    parser.add_argument("--where", metavar="SQL", help="only launches for which this holds, as in \"kernel like 'attention%%' and seconds > 1e-5\"")
    parser.add_argument("--group-by", metavar="COLUMNS", help="a line for each of their values: launches, their seconds, and means of --columns")
    parser.add_argument("--columns", metavar="COLUMNS", help="what is shown, separated by commas; `all` lists their names")
    parser.add_argument("--csv", action="store_true", help="CSV")
    return parser.parse_args(words)


def selected(database, options):
    names = database.require(options.columns.split(",") if options.columns else list(SHOWN), "--columns")
    show(names, database.select(", ".join(map(quoted, names)), options.where, "order by file, launch"), options.csv)


def grouped(database, options):
    groups = database.require(options.group_by.split(","), "--group-by")
    means = database.require(options.columns.split(",") if options.columns else [], "--columns")
    for name in means:
        if database.select("count(*)", f"typeof({quoted(name)}) = 'text'")[0][0]:
            raise BadRecord(f"--columns = {name}: must be a column of numbers, whose mean --group-by gives")
    by = ", ".join(map(quoted, groups))
    what = ", ".join((by, "count(*)", "sum(seconds)", *(f"avg({quoted(name)})" for name in means)))
    names = [*groups, "launches", "seconds", *(f"mean {name}" for name in means)]
    show(names, database.select(what, options.where, f"group by {by} order by sum(seconds) desc, {by}"), options.csv)


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
        grouped(database, options)
    elif options.where or options.columns:
        selected(database, options)
    count, kernels, seconds = database.select("count(*), count(distinct kernel), coalesce(sum(seconds), 0)", options.where)[0]
    print(f"modelled: {count} launches of {kernels} kernels, {1e6 * seconds:.2f} us one after the other",
          file=sys.stderr if options.csv else sys.stdout)
    return 0


def main(harness, *words):
    try:
        return launches(harness, words)
    except BadRecord as error:
        print(f"fmha950: {error}", file=sys.stderr)
        return 3
    except SystemExit as ended:  # of argparse, whose 2 would be a hazard's
        return 3 if ended.code else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
