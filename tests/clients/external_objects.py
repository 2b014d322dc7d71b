#!/usr/bin/env python3
"""external_objects.py HARNESS [FOLDERS]: runs the rows of FOLDER/rows.csv of kernels that are not in the repository, by
`device run`. Folders are separated by colons; without them they are those of the environment variable FMHA950_EXTERNAL.
Exits with 77 if none of them has a rows.csv with the column `expect`.

The file is that of `device --calibration --external`, with the columns `expect` and, if asked for, `tolerance` beside
(docs/without_gpu.md)."""
import csv
import os
import pathlib
import subprocess
import sys

COLUMNS = ["object", "kernel", "grid", "block", "lds", "arguments", "expect"]


def options_of(row):
    """Of `device run`; --arg=VALUE, as a number may be negative."""
    options = [f"--{name}={row[name]}" for name in ("kernel", "grid", "block", "lds", "tolerance") if row.get(name)]
    options += [f"--arg={argument}" for argument in row["arguments"].split()]
    return options + [f"--expect={expected}" for expected in row["expect"].split()]


def problem_of(harness, folder, row):
    """Why a row fails, or None."""
    if None in row or any(row.get(column) is None for column in COLUMNS):
        return "must have the columns " + ", ".join(COLUMNS)
    if not row["expect"].split():
        return "has no `expect`: nothing would be judged"
    run = subprocess.run([harness, "device", "run", row["object"], *options_of(row)], cwd=folder, capture_output=True, text=True)
    return None if run.returncode == 0 else f"exit code {run.returncode}\n{run.stdout}{run.stderr}"


def rows_in(folder):
    """None: the folder has no outputs to expect."""
    try:
        with open(pathlib.Path(folder) / "rows.csv", newline="") as file:
            table = csv.DictReader(file)
            return list(table) if "expect" in (table.fieldnames or []) else None
    except FileNotFoundError:
        return None


def main(harness, folders=os.environ.get("FMHA950_EXTERNAL", "")):
    rows = {folder: found for folder in folders.split(":") if folder and (found := rows_in(folder)) is not None}
    if not rows:
        print("skipped: FMHA950_EXTERNAL names no folder whose rows.csv has the column `expect`")
        return 77
    passed = failed = 0
    for folder, found in rows.items():
        for number, row in enumerate(found, 2):
            if problem := problem_of(harness, folder, row):
                print(f"{folder}/rows.csv:{number}: {row.get('object')} {row.get('kernel')}: {problem}")
            failed, passed = failed + bool(problem), passed + (not problem)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
