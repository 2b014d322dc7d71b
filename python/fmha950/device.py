"""`fmha950 device run`: any kernel of any code object on arrays (docs/device_run.md)."""

import pathlib
import tempfile
from dataclasses import dataclass

import numpy

from fmha950.arrays import CONVERSIONS
from fmha950.program import Error, call, option_words

SHORT = {"bfloat16": "bf16", "float8_e4m3fn": "fp8", "float8_e8m0fnu": "e8m0", "e8m0": "e8m0", "bf16": "bf16", "fp8": "fp8"}


@dataclass
class inout:
    """An array that the kernel reads and writes."""

    array: numpy.ndarray


@dataclass
class out:
    """A new buffer, filled with poison. `type`: float32, bf16, fp8 ... as docs/device_run.md has them; `shape`: extents."""

    type: str
    shape: tuple
    word = "out"


@dataclass
class zero(out):
    """Likewise, filled with zeros."""

    word = "zero"


@dataclass
class Ran:
    outputs: list  # of inout, out and zero in the arguments' order; bf16, fp8 and e8m0 as float32, bf8 as uint8 codes
    text: str  # what the command printed: findings, schedules, modelled clocks


def _loaded(path, kind):
    array = numpy.load(path)
    if kind not in SHORT:
        return array.view(numpy.uint8) if array.dtype.kind == "V" else array  # bf8: its codes
    codes, convert = CONVERSIONS[SHORT[kind]]
    return convert(array.view(codes))


def run(file, args, kernel=None, grid=1, block=None, **options):
    """Launches a kernel of a code object.

    `args`, one for each argument of the kernel: an array (input), inout(array), out(type, shape), zero(type, shape), a number,
    None (address 0), or a text as --arg has it. `grid`, `block`: an int or up to three. Other options are those of the
    command: schedules=["eager", "lazy"], hazards="all", perf=True. Raises Error for findings of severity error, too.
    """
    with tempfile.TemporaryDirectory(prefix="fmha950_") as folder:
        words, outputs = [], []
        for i, arg in enumerate(args):
            path, saved = pathlib.Path(folder) / f"{i}.npy", pathlib.Path(folder) / f"{i}_out.npy"
            if isinstance(arg, inout):
                numpy.save(path, numpy.ascontiguousarray(arg.array))
                word = f"inout:{path}={saved}"
                outputs.append((saved, None))
            elif isinstance(arg, out):
                word = f"{arg.word}:{arg.type}[{','.join(map(str, numpy.atleast_1d(arg.shape)))}]={saved}"
                outputs.append((saved, arg.type))
            elif isinstance(arg, numpy.ndarray):
                numpy.save(path, numpy.ascontiguousarray(arg))
                word = f"in:{path}"
            else:
                word = "null" if arg is None else str(arg)
            words += ["--arg", word]
        for name, extents in (("--grid", grid), ("--block", block)):
            if extents is not None:
                words += [name, ",".join(map(str, numpy.atleast_1d(extents)))]
        named = [] if kernel is None else ["--kernel", kernel]
        text = call(["device", "run", file, *named, *words, *option_words(options)])
        missing = [str(path) for path, _ in outputs if not path.is_file()]
        if missing:
            raise Error(f"device run: left no output: {text}")
        return Ran([_loaded(path, kind) for path, kind in outputs], text)
