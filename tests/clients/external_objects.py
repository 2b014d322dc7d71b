#!/usr/bin/env python3
"""external_objects.py HARNESS [FOLDER]: runs every row of FOLDER/rows.csv, of kernels that are not in the repository, by
`device run`. Without FOLDER it is that of the environment variable FMHA950_OBJECTS; exits with 77 if there is none.

A row has a name, an object, and options of `device run` as a shell would read them, --expect among them; files are relative
to FOLDER (docs/without_gpu.md)."""
import csv
import os
import pathlib
import shlex
import subprocess
import sys


def problem_of(harness, folder, row):
    """Why a row fails, or None."""
    if set(row) != {"name", "object", "options"} or None in row.values():
        return "must have the columns name, object, options"
    options = shlex.split(row["options"])
    if not any(option == "--expect" or option.startswith("--expect=") for option in options):
        return "has no --expect: nothing would be judged"
    run = subprocess.run([harness, "device", "run", row["object"], *options], cwd=folder, capture_output=True, text=True)
    return None if run.returncode == 0 else f"exit code {run.returncode}\n{run.stdout}{run.stderr}"


def main(harness, folder=os.environ.get("FMHA950_OBJECTS")):
    if not folder:
        print("skipped: FMHA950_OBJECTS names no folder")
        return 77
    with open(pathlib.Path(folder) / "rows.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    problems = [(row.get("name"), problem_of(harness, folder, row)) for row in rows]
    failed = [(name, problem) for name, problem in problems if problem]
    for name, problem in failed:
        print(f"{name}: {problem}")
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed")
    return 0 if rows and not failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
