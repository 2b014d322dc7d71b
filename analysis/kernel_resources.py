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


class NoReader(Exception):
    """Nothing on PATH reads code objects."""


def reader():
    """llvm-readobj, under the name that Debian gives it or its own. Raises NoReader."""
    for name in ["llvm-readobj", *(f"llvm-readobj-{version}" for version in range(30, 19, -1))]:
        if path := shutil.which(name):
            return path
    raise NoReader("no llvm-readobj on PATH")


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


def of_code_objects(paths):
    """{path: {kernel: {key: number}}}. Raises NoReader."""
    if not paths:
        return {}
    notes = subprocess.run([reader(), "--notes", *map(str, paths)], check=True, capture_output=True, text=True).stdout
    parts = re.split(r"^File: (.*)$", notes, flags=re.MULTILINE)[1:]
    return {pathlib.Path(path): dict(kernels_of(text)) for path, text in zip(parts[::2], parts[1::2])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("code_objects", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        found = of_code_objects(arguments.code_objects)
    except NoReader as error:
        sys.exit(f"kernel_resources.py: {error}")
    print("| code object | kernel | " + " | ".join(COLUMNS.values()) + " |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for path, kernels in found.items():
        for name, values in kernels.items():
            print(f"| {path.stem} | {name} | " + " | ".join(values.get(key, "0") for key in COLUMNS) + " |")


if __name__ == "__main__":
    main()
