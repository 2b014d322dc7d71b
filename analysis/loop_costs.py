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


def rows(lines, divide):
    """One cell list per loop that uses the matrix unit."""
    code_object = kernel = ""
    clocks = {}
    for line in lines:
        if match := re.match(r"code object (\S+)", line):
            code_object = match[1]
        elif match := re.match(r"kernel (\S+),", line):
            kernel = match[1]
        elif match := re.match(r"\s+(matrix|VALU|LDS)\s+(\d+) clocks", line):
            clocks[match[1]] = int(match[2]) // divide
            if slow := re.search(r"(\d+) clocks if reads come at 128", line):
                clocks["LDS at 128"] = int(slow[1]) // divide
        elif match := re.match(r"\s+binding without the conditional: ([A-Za-z ]+), (\d+) clocks modelled; of it busy (.*)", line):
            binding, slowest, busy = match[1], int(match[2]) // divide, dict(re.findall(r"([A-Za-z ]+?) (\d+) %", match[3]))
            valu = str(slowest) if binding == "VALU" else f"about {round(slowest * int(busy['VALU']) / 100, -1):.0f}"
            if clocks.get("matrix"):
                yield [code_object, kernel, clocks["matrix"], valu, clocks["VALU"], f"{clocks['LDS']} ({clocks['LDS at 128']})", binding]
            clocks = {}


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
