"""doctor.py CLANG DEVICE CHECKOUT [--json]: what is wrong with a set-up, as a program sees it that is started from here (docs/without_gpu.md).

CHECKOUT is its folder, "" for an installation. Exit code 0, 1 if there is a problem, 3 if an option is wrong.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "rocm"))

import compilers
import device_facts
import libraries
import packages
import tree
import variables
from finding import NOTE, OK, PROBLEM

INVALID = 3  # docs/results.md
DO = "    do: "


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(INVALID)


def agents_on_path():
    """What rocm_agent_enumerator on the PATH prints; None if there is none."""
    found = shutil.which("rocm_agent_enumerator")
    return subprocess.run([found], capture_output=True, text=True, check=False).stdout if found else None


def examine(clang, device, checkout):
    environment = dict(os.environ)
    os.environ.pop("LD_PRELOAD", None)  # judged by what it is, not in each program that is asked here
    found, agents = libraries.Libraries(device, environment), agents_on_path()
    yield from libraries.check_library(found)
    yield from libraries.check_build(found, checkout)
    yield from libraries.check_arch(found, agents)
    yield from libraries.check_preload(found)
    yield from libraries.check_gpu()
    if "facts" in found.itself:  # without a device there is nothing to compile for
        yield from compilers.check_rocm_path(clang, device, environment, agents)
        yield from compilers.check_linker(clang, device_facts.processor(found.itself["facts"]), environment)
    yield from compilers.check_bitcode(environment)
    yield from packages.check_torch(packages.torch_of(environment))
    yield from variables.check_variables(found.own, environment)


def main(clang, device, checkout, *words):
    parser = Parser(prog="fmha950 device doctor", description="What is wrong with a set-up, as a program sees it that is started from here")
    parser.add_argument("--json", action="store_true", help="one JSON object: checks and the number of problems")
    asked = parser.parse_args(words)
    found = list(examine(clang, device, pathlib.Path(checkout) if checkout else None))
    problems = sum(finding.state == PROBLEM for finding in found)
    if asked.json:
        print(json.dumps({"problems": problems, "checks": [finding.as_json() for finding in found]}, indent=1))
    else:
        for finding in found:
            print(f"{finding.state:<8} {finding.check:<10} {finding.found}")
            if finding.do:
                print(f"{DO}{finding.do}")
        print(f"{problems} problems, {sum(finding.state == NOTE for finding in found)} notes, {sum(finding.state == OK for finding in found)} ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
