"""The commands of a checkout or an installation of fmha950 as functions (docs/python.md).

    run(case, impl)              one case: its outputs and inputs as arrays
    accuracy, perf, compare      cases and implementations: a pandas frame, a row for each result
    results(files, where)        what --output wrote, or a database of `results --to`, as such a frame
    device.run(file, args, ...)  any kernel of any code object

All of them start the program, none computes anything itself. What it refuses is raised as Error, in its own words. Speeds are
modelled unless a GPU is in use: their columns begin with `modelled_`.
"""

from fmha950 import device
from fmha950.cases import Result, run
from fmha950.frames import accuracy, compare, perf, results
from fmha950.program import Error

__all__ = ["Error", "Result", "accuracy", "compare", "device", "perf", "results", "run"]
