"""`fmha950 device run`: any kernel of any code object on arrays (docs/device_run.md)."""

import json
import os
import pathlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

import numpy
import pandas

from fmha950.arrays import load
from fmha950.program import OWN, Error, option_words, start

KINDS = {"bfloat16": "bf16", "float8_e4m3fn": "fp8", "float8_e5m2": "bf8", "float8_e8m0fnu": "e8m0"}
# Findings, as the device writes them (docs/hazards.md, "Reading a finding").
FINDING = ("hazard", "severity", "kernel", "what", "earlier_source", "later_source", "missing", "usually", "count")
NOT_PASSED = (1, 2)  # exit codes of a kernel that ran: its outputs are there


@dataclass
class inout:
    """An array that the kernel reads and writes. Its output has the array's dtype."""

    array: numpy.ndarray


@dataclass
class out:
    """A new buffer, filled with poison. `type`: float32, bf16, fp8 ... as docs/device_run.md has them; `shape`: extents."""

    type: str
    shape: int | tuple[int, ...]
    word = "out"


@dataclass
class zero(out):
    """Likewise, filled with zeros."""

    word = "zero"


@dataclass
class Ran:
    """What a launch gave."""

    outputs: list[numpy.ndarray]  # of inout, out and zero in the arguments' order; bf16, FP8 and e8m0 of out and zero as float32
    findings: pandas.DataFrame  # a row for each of the hazard checks' findings; empty: nothing was found
    text: str  # what the command printed: schedules, modelled clocks, the verdict
    exit_code: int  # 0: passed; docs/results.md


class NotPassed(Error):
    """A kernel ran, and an output, a check or a schedule says no. `ran`: what it gave all the same."""

    def __init__(self, ran: Ran):
        super().__init__(ran.text.strip(), ran.exit_code)
        self.ran = ran


def _word(arg, path, saved):
    """The text of --arg, and how its output is read."""
    if isinstance(arg, inout):
        array = numpy.ascontiguousarray(arg.array)
        numpy.save(path, array)
        return f"inout:{path}={saved}", lambda: numpy.load(saved).view(array.dtype)
    if isinstance(arg, out):
        extents = ",".join(map(str, numpy.atleast_1d(arg.shape)))
        return f"{arg.word}:{arg.type}[{extents}]={saved}", lambda: load(saved, KINDS.get(arg.type, arg.type))
    if isinstance(arg, numpy.ndarray):
        numpy.save(path, numpy.ascontiguousarray(arg))
        return f"in:{path}", None
    return "null" if arg is None else str(arg), None


def run(file: str | os.PathLike, args: Sequence, kernel: str | None = None, grid: int | tuple[int, ...] = 1,
        block: int | tuple[int, ...] | None = None, check: bool = True, **options) -> Ran:
    """Launches a kernel of a code object.

    `args`, one for each argument of the kernel: an array (input), inout(array), out(type, shape), zero(type, shape), a number,
    None (address 0), or a text as --arg has it. `grid` (workgroups) and `block` (work-items): an int or up to three. Other options
    are those of the command: schedules=["eager", "lazy"], hazards="all", perf=True.

    Raises Error for what cannot run, and NotPassed for a finding of severity error, outputs that differ between schedules or from
    `expect`; with check=False these are given back with their exit code.
    """
    with tempfile.TemporaryDirectory(prefix="fmha950_") as folder:
        words, outputs = [], []
        for i, arg in enumerate(args):
            saved = pathlib.Path(folder) / f"{i}_out.npy"
            word, read = _word(arg, pathlib.Path(folder) / f"{i}.npy", saved)
            words.append(f"--arg={word}")
            if read is not None:
                outputs.append((saved, read))
        for name, extents in (("grid", grid), ("block", block)):
            if extents is not None:
                words.append(f"--{name}={','.join(map(str, numpy.atleast_1d(extents)))}")
        if kernel is not None:
            words.append(f"--kernel={kernel}")
        found = pathlib.Path(folder) / "found.jsonl"
        own = OWN | {"describe", "arg"}
        code, text, said = start(["device", "run", file, *words, *option_words(options, own)], {"FMHA950_REPORT": str(found)})
        if code not in (0, *NOT_PASSED) or not all(saved.is_file() for saved, _ in outputs):
            raise Error(said, code)
        ran = Ran([read() for _, read in outputs], _findings(found), text, code)
    if code != 0 and check:
        raise NotPassed(ran)
    return ran


def _findings(path):
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    # A report of one place alone has `later`: null.
    reports = [{key: value for key, value in json.loads(line).items() if value is not None} for line in lines]
    frame = pandas.json_normalize(reports, sep="_")
    return frame.reindex(columns=[*FINDING, *(name for name in frame if name not in FINDING)])
