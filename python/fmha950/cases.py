"""One case on one implementation, with its tensors."""

import json
import pathlib
import tempfile
from dataclasses import dataclass

import numpy

from fmha950.arrays import load
from fmha950.program import Error, call, option_words


@dataclass
class Result:
    """What an implementation made of a case. Shapes, layouts and units of tensors: docs/case_folder.md."""

    record: dict  # docs/results.md, "JSON lines"
    output: numpy.ndarray  # [total_q, Hq, D]
    lse: numpy.ndarray | None  # [total_q, Hq], natural logarithm; of cases with lse=1
    k_cache: numpy.ndarray | None  # of append_prefill: the pools after the call, stored values without their scale
    v_cache: numpy.ndarray | None
    inputs: dict  # name: array


def run(case, impl="auto", **options):
    """Runs a case string. Options are those of `fmha950 run`, with _ for -: run(case, "fused", memory=4).

    Raises Error for a case that is malformed, not supported or fails.
    """
    if "," in impl or impl == "all":
        raise Error(f"impl = {impl}: must be one implementation, or auto; accuracy() and compare() take several")
    with tempfile.TemporaryDirectory(prefix="fmha950_") as folder:
        saved = pathlib.Path(folder) / "case"
        # An unsupported case ends with 0, and there is no folder.
        record = json.loads(call(["run", case, "--impl", impl, "--json", "--save", saved, *option_words(options)]).partition("\n")[0])
        if record["outcome"] != "passed":
            raise Error(f"{impl} on {case}: {record['outcome']}: {record['reason']}", 0)
        manifest = json.loads((saved / "manifest.json").read_text(encoding="utf-8"))

        def array(entry):
            return None if entry is None else load(saved / entry["file"], entry["type"])

        made = manifest["results"][0]
        inputs = {name: array(entry) for name, entry in manifest["tensors"].items()}
        return Result(record, *(array(made.get(name)) for name in ("output", "lse", "k_cache", "v_cache")), inputs)
