#!/usr/bin/python3
"""Registers, LDS and spills of kernels, from the metadata of their code objects, as a Markdown table.

    kernel_resources.py build/code_objects/pipelined_*.co
"""

import argparse
import pathlib
import sys

import code_object_notes

COLUMNS = {"vgpr_count": "VGPR", "agpr_count": "AGPR", "sgpr_count": "SGPR", "group_segment_fixed_size": "LDS, bytes",
           "private_segment_fixed_size": "scratch, bytes", "vgpr_spill_count": "VGPR spills", "sgpr_spill_count": "SGPR spills"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("code_objects", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        found = {path: code_object_notes.kernels(path) for path in arguments.code_objects}
    except (OSError, code_object_notes.BadCodeObject) as error:
        sys.exit(f"kernel_resources.py: {error}")
    print("| code object | kernel | " + " | ".join(COLUMNS.values()) + " |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for path, kernels in found.items():
        for name, values in kernels.items():
            print(f"| {path.stem} | {name} | " + " | ".join(str(values.get(key, 0)) for key in COLUMNS) + " |")


if __name__ == "__main__":
    main()
