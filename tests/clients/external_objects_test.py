#!/usr/bin/env python3
"""external_objects_test.py HARNESS MODULE.co: a right row passes; a wrong one, one that judges nothing, one that is no row
and an empty list do not. A list that expects nothing is none, and one that does is one of the calibration's."""
import contextlib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

import external_objects

HARNESS, MODULE = sys.argv[1:]
COLUMNS = "object,kernel,grid,block,lds,arguments,flops,tflops,group,length,use"
MEASURED = "2000,0.0001,scale,0,check"
RUN = f"scale.co,,4,256,0,inout:x.npy 2.0 1000,{MEASURED}"


def result_of(folder, *rows, columns=COLUMNS + ",expect,tolerance"):
    (folder / "rows.csv").write_text(columns + "\n" + "".join(row + "\n" for row in rows))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = external_objects.main(HARNESS, f"{folder.parent}:{folder}")
    return code, said.getvalue()


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name) / "kernels"
    folder.mkdir()
    shutil.copy(MODULE, folder / "scale.co")
    x = numpy.arange(1000, dtype=numpy.float32)
    numpy.save(folder / "x.npy", x)
    numpy.save(folder / "right.npy", 2 * x)
    numpy.save(folder / "near.npy", 2.01 * x)
    right, wrong = f"{RUN},right.npy,0", f"{RUN},near.npy,"
    for rows, code, words in (((right,), 0, "1 passed, 0 failed"), ((f"{RUN},near.npy,0.01",), 0, "1 passed, 0 failed"),
                              ((right, wrong), 1, "rows.csv:3: scale.co : exit code 1"),
                              ((f"{RUN},,",), 1, "has no `expect`"), (("scale.co,,4",), 1, "must have the columns"),
                              ((f"missing.co,,4,256,0,inout:x.npy,{MEASURED},right.npy,",), 1, "exit code 3"), ((), 1, "0 passed")):
        got, said = result_of(folder, *rows)
        assert got == code and words in said, (rows, got, said)
    got, said = result_of(folder, RUN, columns=COLUMNS)
    assert got == 77 and "skipped" in said, (got, said)
    result_of(folder, right)
    run = subprocess.run([HARNESS, "device", "--calibration", "--external", folder], capture_output=True, text=True)
    assert run.returncode == 0 and "scale" in run.stdout, (run.returncode, run.stdout, run.stderr)
