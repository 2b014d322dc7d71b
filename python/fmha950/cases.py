"""One case on one implementation, with its tensors."""

import json
import pathlib
import tempfile
from dataclasses import dataclass

import numpy

from fmha950.arrays import load
from fmha950.program import OWN, Error, case_words, option_words, start

SEVERAL = frozenset(("list", "axis", "filter", "shard", "load"))  # choose cases; here it is one


@dataclass
class Result:
    """What an implementation made of a case. Shapes, layouts and units of tensors: docs/case_folder.md."""

    record: dict  # docs/results.md, "JSON lines"
    output: numpy.ndarray  # [total_q, Hq, D]; of sparse_prefill [n, H, 512]
    lse: numpy.ndarray | None  # [total_q, Hq], natural logarithm; of cases with lse=1
    k_cache: numpy.ndarray | None  # of append_prefill: the pools after the call, stored values without their scale
    v_cache: numpy.ndarray | None
    inputs: dict[str, numpy.ndarray]  # by the names of the table in docs/case_folder.md


def run(case: str, impl: str = "auto", **options) -> Result:
    """Runs a case string on one implementation. Options are those of `fmha950 run`, with _ for -: run(case, "fused", memory=4).

    Arrays have the shapes of docs/case_folder.md; bf16, fp8, e8m0 and mxfp4 are float32, others as the file has them. Raises Error for a
    case that is malformed, not supported or fails.
    """
    if not isinstance(impl, str) or "," in impl or impl == "all":
        raise Error(f"impl = {impl}: must be one implementation, or auto; accuracy() and compare() take several")
    with tempfile.TemporaryDirectory(prefix="fmha950_") as folder:
        saved = pathlib.Path(folder) / "case"
        words = ["run", *case_words([case]), "--impl", impl, "--json", "--save", saved, *option_words(options, OWN | SEVERAL)]
        code, lines, said = start(words)
        try:
            record = json.loads(lines.partition("\n")[0])
        except json.JSONDecodeError:
            raise Error(said, code) from None  # an option is wrong: there is no record
        # An unsupported case ends with 0, and there is no folder.
        if code != 0 or record["outcome"] != "passed":
            raise Error(f"{impl} on {case}: {record['outcome']}: {record['reason']}", code)
        manifest = json.loads((saved / "manifest.json").read_text(encoding="utf-8"))

        def array(entry):
            return None if entry is None else load(saved / entry["file"], entry["type"])

        made = manifest["results"][0]
        inputs = {name: array(entry) for name, entry in manifest["tensors"].items()}
        return Result(record, *(array(made.get(name)) for name in ("output", "lse", "k_cache", "v_cache")), inputs)
