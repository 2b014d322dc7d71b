#!/usr/bin/env python3
"""Case lists are what their scripts write: data/make_*.py, run in a copy of data. Prints each list that says something else."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import problems


def wrong(root):
    data = root / "data"
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        (copy / "cases").mkdir()
        for file in [*data.glob("*.py"), *data.glob("*.csv")]:
            shutil.copy(file, copy)
        for script in sorted(copy.glob("make_*.py")):
            if '"cases"' not in script.read_text() and "case_list" not in script.read_text():
                continue
            run = subprocess.run([sys.executable, "-B", script.name], cwd=copy, capture_output=True, text=True)
            if run.returncode:
                yield f"data/{script.name}: {run.stderr.strip().splitlines()[-1]}"
        for written in sorted((copy / "cases").iterdir()):
            kept = data / "cases" / written.name
            if not kept.exists() or kept.read_bytes() != written.read_bytes():
                yield f"data/cases/{written.name} is not what its script writes"


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "case lists that their scripts do not write"))
