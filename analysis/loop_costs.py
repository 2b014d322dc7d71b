#!/usr/bin/python3
"""Modelled clocks of loops, as a Markdown table, from what `fmha950 device --loops` prints.

    for v in f8f6f4 f8f6f4_blockscale fp8 fp8_blockscale; do
      echo "code object pipelined_$v"; ./fmha950 device --loops build/code_objects/pipelined_$v.co --waves-per-simd 2
    done | loop_costs.py --divide 2

--divide 2: an iteration is two tiles.
"""

import argparse
import re
import sys
from dataclasses import dataclass, field

BINDING = re.compile(r"([A-Za-z ]+), (\d+) clocks modelled; of it busy (.*)")


@dataclass
class Loop:
    """What an iteration costs: clocks of each unit and what they are for, other counts, and what binds."""
    heading: str  # its number, depth and source lines
    clocks: dict = field(default_factory=dict)  # unit: (clocks, what)
    counts: dict = field(default_factory=dict)  # waits, barriers, ...: text
    bindings: dict = field(default_factory=dict)  # "binding", "binding without the conditional": text


@dataclass
class Kernel:
    code_object: str  # of a line that says so, else ""
    name: str
    heading: str
    loops: list = field(default_factory=list)


def kernels(lines):
    code_object, found = "", []
    for line in lines:
        if match := re.match(r"code object (\S+)", line):
            code_object = match[1]
        elif match := re.match(r"kernel (\S+), (.*)", line):
            found.append(Kernel(code_object, match[1], match[2].strip()))
        elif match := re.match(r"  (loop .*)", line):
            found[-1].loops.append(Loop(match[1].strip()))
        elif not found or not found[-1].loops:
            continue
        elif match := re.match(r"    (binding[a-z ]*): (.*)", line):
            found[-1].loops[-1].bindings[match[1]] = match[2]
        elif match := re.match(r"    (\S.*?)\s{2,}(\d+) clocks  (.*)", line):
            found[-1].loops[-1].clocks[match[1]] = int(match[2]), match[3].strip()
        elif match := re.match(r"    (\S.*?)\s{2,}(\S.*)", line):
            found[-1].loops[-1].counts[match[1]] = match[2].strip()
    return found


def rows(lines, divide):
    """One cell list per loop that uses the matrix unit and has a path without the conditional."""
    for kernel in kernels(lines):
        for loop in kernel.loops:
            match = BINDING.match(loop.bindings.get("binding without the conditional", ""))
            clocks = {unit: count // divide for unit, (count, _) in loop.clocks.items()}
            if not match or not clocks.get("matrix"):
                continue
            binding, slowest, busy = match[1], int(match[2]) // divide, dict(re.findall(r"([A-Za-z ]+?) (\d+) %", match[3]))
            valu = str(slowest) if binding == "VALU" else f"about {round(slowest * int(busy.get('VALU', 0)) / 100, -1):.0f}"
            slow = re.search(r"(\d+) clocks if reads come at 128", loop.clocks["LDS"][1])
            lds = f"{clocks['LDS']}{f' ({int(slow[1]) // divide})' if slow else ''}"
            yield [kernel.code_object, kernel.name, clocks["matrix"], valu, clocks["VALU"], lds, binding]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--divide", type=int, default=1)
    arguments = parser.parse_args()
    print("| code object | kernel | matrix | VALU | VALU, masked and rescaled | LDS | binding |")
    print("|---|---|---|---|---|---|---|")
    for cells in rows(sys.stdin, arguments.divide):
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
