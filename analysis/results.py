#!/usr/bin/env python3
"""Results of many files as one database: merged, selected, grouped, compared (docs/results.md, "As a database").

    ./fmha950 results FILE... [--to DATABASE] [--where SQL] [--group-by COLUMNS] [--columns COLUMNS] [--csv]
    ./fmha950 results diff OLD NEW [--where SQL]
    ./fmha950 results history FILE... [--where SQL] [--figure FILE.png]
    ./fmha950 results launches FILE...                       (results_launches.py)
"""

import argparse
import sys

import results_diff
import results_history
from database import Database, quoted
from records import BadRecord
from text_table import show

PASSED, SKIPPED = "outcome = 'passed'", "outcome = 'unsupported'"
COUNTS = tuple(f"count(case when {of} then 1 end)" for of in (PASSED, f"not {PASSED} and not {SKIPPED}", SKIPPED))  # passed, failed, skipped
SHOWN = ("implementation", "outcome", "accuracy_kernel_error_rmse", "modelled_tflops", "case_string")


def arguments(words):
    parser = argparse.ArgumentParser(prog="./fmha950 results", description=__doc__.split("\n\n")[0],
                                     epilog="./fmha950 results diff OLD NEW: what passed and fails now, errors and clocks that moved; "
                                            "./fmha950 results history FILE...: a line for each commit; "
                                            "./fmha950 results launches FILE...: launches of a program, of files of FMHA950_TIMING_REPORT")
    parser.add_argument("files", nargs="+", metavar="FILE", help="JSON lines of --output, or a database")
    parser.add_argument("--to", metavar="DATABASE", help="keep the merged results here (SQLite), with those that it has")
    parser.add_argument("--where", metavar="SQL", help="only results for which this holds, as in \"key_kv = 'fp8' and outcome != 'passed'\"")
    parser.add_argument("--group-by", metavar="COLUMNS", help="a line for each of their values: counts, and means of --columns")
    parser.add_argument("--columns", metavar="COLUMNS", help="what is shown, separated by commas; `all` lists their names")
    parser.add_argument("--csv", action="store_true", help="CSV")
    return parser.parse_args(words)


def load(database, files):
    """Says what each file brought; gives the conflicts."""
    conflicts = []
    for path in files:
        loaded = database.add_file(path)
        conflicts += loaded.conflicts
        print(f"{path}: {loaded.new} new, {loaded.duplicates} duplicates, {len(loaded.conflicts)} conflicts", file=sys.stderr)
    for conflict in conflicts:
        print(f"conflict: {conflict}: same command and environment, another result; the first one stays", file=sys.stderr)
    return conflicts


def selected(database, options):
    wanted = options.columns.split(",") if options.columns else [name for name in SHOWN if name in database.columns()]
    names = database.require(wanted, "--columns")
    rows = database.select(", ".join(map(quoted, names)), options.where, "order by case_string, implementation")
    show(names, rows, options.csv)


def grouped(database, options):
    groups = database.require(options.group_by.split(","), "--group-by")
    means = database.require(options.columns.split(",") if options.columns else [], "--columns")
    by = ", ".join(map(quoted, groups))
    what = [by, "count(*)", *COUNTS, *(f"avg({quoted(name)})" for name in means)]
    names = [*groups, "results", "passed", "failed", "skipped", *(f"mean {name}" for name in means)]
    show(names, database.select(", ".join(what), options.where, f"group by {by} order by {by}"), options.csv)


def results(words):
    options = arguments(words)
    database = Database(options.to or ":memory:")
    conflicts = load(database, options.files)
    if options.columns == "all":
        print("\n".join(sorted(database.columns())))
        return 1 if conflicts else 0
    if options.group_by:
        grouped(database, options)
    elif options.where or options.columns:
        selected(database, options)
    passed, failed, skipped = database.select(", ".join(COUNTS), options.where)[0]
    print(f"{passed} passed, {failed} failed, {skipped} skipped", file=sys.stderr if options.csv else sys.stdout)
    return 1 if conflicts else 0


def main(words):
    try:
        if words[:1] == ["diff"]:
            return results_diff.main(words[1:])
        if words[:1] == ["history"]:
            return results_history.main(words[1:])
        return results(words)
    except BadRecord as error:
        print(f"fmha950: {error}", file=sys.stderr)
        return 3
    except SystemExit as ended:  # of argparse, whose 2 would be a hazard's
        return 3 if ended.code else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
