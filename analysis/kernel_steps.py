#!/usr/bin/python3
"""The harness commands whose output the pages of kernels are made from, for records of `fmha950 perf`.

    kernel_steps.py PERF.jsonl --folder FOLDER [--code-objects FOLDER] [--case CASE] [--traces all|leading|none] [--assume WORDS] [--external FOLDER]...

Each line is a file in FOLDER that takes what the command prints, and the command's arguments, with tabs between: the launcher runs them. Nothing is
asked about a kernel whose code object is not known, nor for a ledger that is not there.
"""

import argparse
import pathlib
import sys

import launched_kernels
import modelled
import records as result_records

LEDGERS = pathlib.Path(__file__).resolve().parent.parent / "data" / "mutants" / "ledger"


def steps(runs, folder, code_objects, case, which, assumed, external):
    kernels = launched_kernels.found(runs, code_objects, launched_kernels.external_objects_of(external))
    for trace in launched_kernels.traces(runs, kernels, case, which):
        yield (trace.source_in(folder).name, "trace", trace.run.record.case, "--impl", trace.run.implementation,
               "--timeline", trace.timeline_in(folder), "--overwrite", "--source",
               *(["--assume", assumed] if assumed else []),
               *(word for name in external if trace.run.implementation.startswith("external:") for word in ("--external", name)))
    ledgers = set()
    for kernel in kernels:
        if kernel.code_object is None:
            continue
        yield (kernel.loops_in(folder).name, "device", "--loops", kernel.code_object, "--waves-per-simd", kernel.waves_per_simd or 1)
        if (LEDGERS / f"{kernel.owner}.csv").exists() and kernel.owner not in ledgers:
            ledgers.add(kernel.owner)
            yield kernel.ledger_in(folder).name, "probe", "--ledger", kernel.owner


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", help="result files, JSON lines (docs/results.md)")
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="where the files are to be")
    parser.add_argument("--code-objects", help="folder of a build's code objects; without it registers, loops and ledgers stay unknown")
    parser.add_argument("--case", help="case to trace; implementations that did not run it are traced on the first one that they ran")
    parser.add_argument("--traces", choices=("all", "leading", "none"), default="all",
                        help="trace each implementation and each kernel, the fastest implementation alone, or none: tensors of a folder cannot be traced")
    parser.add_argument("--assume", help="words of perf's --assume, for traces too")
    parser.add_argument("--external", action="append", default=[], help="folder of manifests, whose implementations perf ran; may be repeated")
    arguments = parser.parse_args()
    try:
        runs = modelled.runs([record for path in arguments.results for record in result_records.read(path)])
        code_objects = launched_kernels.code_objects_of(arguments.code_objects)
    except modelled.NothingModelled:
        return
    except (OSError, result_records.BadRecord) as error:
        sys.exit(f"kernel_steps.py: {error}")
    for step in steps(runs, arguments.folder, code_objects, arguments.case, arguments.traces, arguments.assume,
                      arguments.external):
        print(*step, sep="\t")


if __name__ == "__main__":
    main()
