#!/usr/bin/python3
"""Registers, LDS and spills of kernels, from the metadata of their code objects, as a Markdown table.

    kernel_resources.py build/code_objects/pipelined_*.co
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

COLUMNS = {"vgpr_count": "VGPR", "agpr_count": "AGPR", "sgpr_count": "SGPR", "group_segment_fixed_size": "LDS, bytes",
           "private_segment_fixed_size": "scratch, bytes", "vgpr_spill_count": "VGPR spills", "sgpr_spill_count": "SGPR spills"}


def reader():
    """llvm-readobj, under the name that Debian gives it or its own."""
    for name in ["llvm-readobj", *(f"llvm-readobj-{version}" for version in range(30, 19, -1))]:
        if path := shutil.which(name):
            return path
    sys.exit("kernel_resources.py: no llvm-readobj on PATH")


def kernels_of(notes):
    """(name, {key: number}) of every kernel; its own keys stand four columns in, its arguments' further."""
    kernel = {}
    for dash, key, value in re.findall(r"\n(  - |    )\.([a-z_]+): +(\S+)", notes):
        if dash == "  - " and kernel:
            yield kernel.pop("name"), kernel
            kernel = {}
        kernel[key] = value
    if kernel:
        yield kernel.pop("name"), kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("code_objects", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    print("| code object | kernel | " + " | ".join(COLUMNS.values()) + " |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for path in arguments.code_objects:
        notes = subprocess.run([reader(), "--notes", str(path)], check=True, capture_output=True, text=True).stdout
        for name, values in kernels_of(notes):
            print(f"| {path.stem} | {name} | " + " | ".join(values.get(key, "0") for key in COLUMNS) + " |")


if __name__ == "__main__":
    main()
