"""The commands of a checkout or an installation of fmha950 as functions (docs/python.md).

    run(case, impl)              one case: its outputs and inputs as arrays
    accuracy, perf, compare      cases and implementations: a pandas frame, a row for each result
    results(files, where)        what --output wrote, or a database of `results --to`, as such a frame
    device.run(file, args, ...)  any kernel of any code object
    torch_device                 importing it makes torch's "cuda" the embedded device

All of them but the last start the program, none computes anything itself. What it refuses is raised as Error, in its own words. Speeds
are modelled unless a GPU is in use: their columns begin with `modelled_`.
"""

import importlib

# NumPy and pandas are imported with what needs them.
_HOMES = {"Error": "program", "Result": "cases", "accuracy": "frames", "compare": "frames", "device": "", "perf": "frames", "results": "frames",
          "run": "cases"}
__all__ = ["Error", "Result", "accuracy", "compare", "device", "perf", "results", "run"]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(f"{__name__}.{_HOMES[name] or name}")
    value = getattr(home, name) if _HOMES[name] else home
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
