#!/usr/bin/env python3
"""Results of many files as one database: merged, selected, grouped, compared (docs/results.md, "As a database").

    ./fmha950 results FILE... [--to DATABASE] [--where SQL] [--group-by COLUMNS] [--columns COLUMNS] [--csv]
    ./fmha950 results diff OLD NEW [--where SQL]
    ./fmha950 results history FILE... [--where SQL] [--figure FILE.png]
    ./fmha950 results launches FILE...                       (results_launches.py)
"""

import sys

import results_diff
import results_history
from database import Database
from selection import exit_code_of, parser_of, show_groups, show_rows

PASSED, SKIPPED = "outcome = 'passed'", "outcome = 'unsupported'"
COUNTS = tuple(f"count(case when {of} then 1 end)" for of in (PASSED, f"not {PASSED} and not {SKIPPED}", SKIPPED))  # passed, failed, skipped
SHOWN = ("implementation", "outcome", "accuracy_kernel_error_rmse", "modelled_tflops", "case_string")


def arguments(words):
    return parser_of(
        "results", __doc__, "JSON lines of --output, or a database", "keep the merged results here (SQLite), with those that it has",
        "only results for which this holds, as in \"key_kv = 'fp8' and outcome != 'passed'\"",
        "a line for each of their values: counts, and means of --columns",
        epilog="./fmha950 results diff OLD NEW: what passed and fails now, errors and clocks that moved; "
               "./fmha950 results history FILE...: a line for each commit; "
               "./fmha950 results launches FILE...: launches of a program, of files of FMHA950_TIMING_REPORT").parse_args(words)


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


def results(words):
    options = arguments(words)
    database = Database(options.to or ":memory:")
    conflicts = load(database, options.files)
    if options.columns == "all":
        print("\n".join(sorted(database.columns())))
        return 1 if conflicts else 0
    if options.group_by:
        show_groups(database, options, {"results": "count(*)", **dict(zip(("passed", "failed", "skipped"), COUNTS))})
    elif options.where or options.columns:
        show_rows(database, options, [name for name in SHOWN if name in database.columns()], "case_string, implementation")
    passed, failed, skipped = database.select(", ".join(COUNTS), options.where)[0]
    print(f"{passed} passed, {failed} failed, {skipped} skipped", file=sys.stderr if options.csv else sys.stdout)
    return 1 if conflicts else 0


def main(words):
    if words[:1] == ["diff"]:
        return results_diff.main(words[1:])
    if words[:1] == ["history"]:
        return results_history.main(words[1:])
    return results(words)


if __name__ == "__main__":
    sys.exit(exit_code_of(lambda: main(sys.argv[1:])))
