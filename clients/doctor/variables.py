"""FMHA950_* of the environment: names that nothing reads, values that the device refuses, options that make it slow."""
import difflib
import pathlib
import re
import subprocess

import tree
from finding import note, ok, problem

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
NAME = re.compile(r"(?<!-D)FMHA950_[A-Z0-9_]*[A-Z0-9]")  # behind -D it is CMake's
FACTS = tree.HERE / "device_facts.py"
# What each costs: documented there.
SLOW = {"FMHA950_CHECK": ("hazard checks look at every access", ("none",)), "FMHA950_TIMING": ("launches are modelled clock by clock", ("off",)),
        "FMHA950_TRACE": ("what a workgroup executes is written down", ()), "FMHA950_LAUNCHES": ("memory is written down at every launch", ()),
        "FMHA950_BREAK": ("every wave is looked at", ()), "FMHA950_SIMD": ("narrower vectors than the host may have", ()),
        "FMHA950_SCHEDULE": ("waves change places after each few instructions", ("timed", "eager", "lazy", "eager,round-robin", "lazy,round-robin"))}
ONE_THREAD = ("FMHA950_THREADS", "1")
PREFIX = "FMHA950_"


def known():
    """All names that these pages speak of: a variable that no page explains is none."""
    return {name for page in DOCS.glob("*.md") for name in NAME.findall(page.read_text(encoding="utf-8"))}


def check_names(variables):
    names = known()
    for name in sorted(variables):
        if name.startswith(PREFIX) and name not in names:
            near = difflib.get_close_matches(name, names, 1)
            yield problem("variables", f"{name}: nothing reads a variable of this name", f"{name}={variables[name]} should perhaps be {near[0]}"
                          if near else f"unset {name}")


def malformed(library, variables):
    """{name: what the device says of its value}. It takes no call while one is wrong, and names one: without that it may name another."""
    left, wrong = dict(variables), {}
    while library.is_file():
        asked = subprocess.run([tree.PYTHON, "-B", FACTS, library], env=left, capture_output=True, text=True, check=False)
        said = asked.stderr.strip().splitlines()[-1:] if asked.returncode else []
        name = next((name for name in left if name.startswith(PREFIX) and said and said[0].startswith(f"{name} = ")), None)
        if name is None:
            break
        wrong[name] = said[0]
        del left[name]
    return wrong


def check_values(wrong):
    for name, said in wrong.items():
        yield problem("variables", said, f"unset {name}, or correct it (docs/device.md, Options)")


def check_slow(variables):
    for name, (why, quick) in SLOW.items():
        if name in variables and variables[name] not in quick and not variables[name].startswith("timed:"):
            yield note("variables", f"{name} = {variables[name]}: slow, {why}", f"unset {name} where that is not wanted")
    name, value = ONE_THREAD
    if variables.get(name) == value:
        yield note("variables", f"{name} = {value}: slow, one of the host's threads executes all workgroups", f"unset {name}")


def check_variables(library, variables):
    """`library`: the device's, which judges values."""
    given = {name: value for name, value in variables.items() if name != "LD_PRELOAD"}  # another check's
    wrong = malformed(library, given)
    found = [*check_names(given), *check_values(wrong), *check_slow({name: value for name, value in given.items() if name not in wrong})]
    names = sorted(name for name in given if name.startswith(PREFIX))
    yield from found or [ok("variables", f"set: {', '.join(names)}" if names else f"none of {PREFIX}* is set")]
