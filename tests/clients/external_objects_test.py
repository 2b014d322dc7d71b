#!/usr/bin/env python3
"""external_objects_test.py HARNESS MODULE.co: a right row passes; a wrong one, one that judges nothing, one that is no row
and an empty list do not."""
import contextlib
import io
import pathlib
import shutil
import sys
import tempfile

import numpy

import external_objects

HARNESS, MODULE = sys.argv[1:]
RUN = "--grid 4 --block 256 --arg inout:x.npy --arg 2.0 --arg 1000 --tolerance 0"


def result_of(folder, *rows):
    (folder / "rows.csv").write_text("name,object,options\n" + "".join(row + "\n" for row in rows))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = external_objects.main(HARNESS, folder)
    return code, said.getvalue()


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    shutil.copy(MODULE, folder / "scale.co")
    x = numpy.arange(1000, dtype=numpy.float32)
    numpy.save(folder / "x.npy", x)
    numpy.save(folder / "right.npy", 2 * x)
    numpy.save(folder / "wrong.npy", 3 * x)
    right, wrong = f"right,scale.co,{RUN} --expect right.npy", f"wrong,scale.co,{RUN} --expect=wrong.npy"
    for rows, code, words in (((right,), 0, "1 passed, 0 failed"), ((right, wrong), 1, "wrong: exit code 1"),
                              ((f"blind,scale.co,{RUN}",), 1, "blind: has no --expect"), (("short,scale.co",), 1, "must have the columns"),
                              ((f"lost,missing.co,{RUN} --expect right.npy",), 1, "lost: exit code 3"), ((), 1, "0 passed")):
        got, said = result_of(folder, *rows)
        assert got == code and words in said, (rows, got, said)
