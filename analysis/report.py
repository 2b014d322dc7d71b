#!/usr/bin/python3
"""One self-contained HTML page of result files: performance, accuracy, the model's error, environment, how to read it.

    report.py RESULTS.jsonl... [--launches FILE] --output REPORT.html
              [--calibration FILE] [--timeline TRACE.json]... [--source FILE]... [--commands FILE] [--measured FILE.csv]
              [--kernels FOLDER [--code-objects FOLDER] [--case CASE] [--traces all|leading|none]]

Records of `fmha950 perf` give the sections on performance; those of `accuracy` and `run` only the others. `./fmha950 report`
makes all of it. --launches, also alone: what `fmha950 device timings --json` printed of a program's launches.
--kernels writes a page for each kernel into a folder that holds what the commands of kernel_steps.py print.
"""

import argparse
import pathlib
import sys
from collections import Counter
from html import escape

import modelled
import records as result_records
import report_accuracy
import report_kernels
import report_launches
import report_origin
import report_page
import report_performance

MEASURED = pathlib.Path(__file__).resolve().parent.parent / "data" / "measured" / "seed_table.csv"


def introduction(records, runs, sources):
    counts = Counter(record.outcome for record in records)
    summary = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.most_common(), key=lambda entry: entry[0] == "unsupported"))
    text = f"<p>{len(records)} results of {escape(', '.join(pathlib.Path(path).name for path in sources))}: {escape(summary)}.</p>"
    if not runs:
        return text + "<p>None has modelled performance: <code>./fmha950 perf</code> makes such records.</p>"
    fastest = max(runs, key=lambda run: run.tflops)
    return text + (f"<p>The fastest, modelled: {escape(fastest.implementation)} with {fastest.tflops:,.0f} TFLOP/s at {fastest.megahertz:,.0f} MHz on "
                   f"<code>{escape(fastest.record.case)}</code>.</p>")


def page_of_launches(arguments):
    """Of a program's launches alone."""
    sections = [report_launches.section(arguments.launches), *report_origin.sections([], True, arguments.calibration, arguments.commands)]
    return report_page.page("Launches of a program on gfx950, modelled", "", sections)


def html(records, arguments):
    if not arguments.results:
        return page_of_launches(arguments)
    try:
        runs = modelled.runs(records)
    except modelled.NothingModelled:
        runs = []
    sections = []
    if runs:
        timelines, sources, kernels = arguments.timeline, arguments.source, report_page.section("kernels", "Kernels", "")
        if arguments.kernels:
            pages = report_kernels.KernelPages(runs, arguments.kernels, arguments.code_objects, arguments.case, arguments.traces,
                                               arguments.external)
            leading = pages.leading()
            timelines, sources, kernels = timelines + leading[0], sources + leading[1], pages.section(arguments.output)
            pages.write(arguments.output)
        sections = [*report_performance.sections(runs, timelines, sources, arguments.measured), kernels]
    if arguments.launches:
        sections.append(report_launches.section(arguments.launches))
    sections += report_accuracy.sections(records)
    sections += report_origin.sections(records, bool(runs), arguments.calibration, arguments.commands)
    title = "Paged attention on gfx950: performance and accuracy" if runs else "Accuracy of paged attention on gfx950"
    return report_page.page(title, introduction(records, runs, arguments.results), sections)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="*", help="result files, JSON lines (docs/results.md)")
    parser.add_argument("--launches", help="what `fmha950 device timings --json` printed")
    parser.add_argument("--output", required=True, help="HTML file to write")
    parser.add_argument("--calibration", help="what `fmha950 device --calibration` printed")
    parser.add_argument("--timeline", action="append", default=[], help="what `fmha950 trace --timeline` wrote; may be repeated")
    parser.add_argument("--source", action="append", default=[], help="what `fmha950 trace --source` printed; may be repeated")
    parser.add_argument("--kernels", help="folder of what kernel_steps.py asked for; a page for each kernel goes there")
    parser.add_argument("--code-objects", help="with --kernels: folder of a build's code objects")
    parser.add_argument("--external", action="append", default=[], help="with --kernels: folder of manifests and their code objects; may be repeated")
    parser.add_argument("--case", help="with --kernels: the case that was traced, as kernel_steps.py has it")
    parser.add_argument("--traces", choices=("all", "leading", "none"), default="all", help="with --kernels: what was traced, as kernel_steps.py has it")
    parser.add_argument("--commands", help="file of the commands that made all this, one a line")
    parser.add_argument("--measured", default=str(MEASURED) if MEASURED.exists() else None, help="CSV of case, kernel, tflops that others measured")
    arguments = parser.parse_args()
    if not arguments.results and not arguments.launches:
        parser.error("result files, or --launches: there is nothing to make a page of")
    try:
        page = html([record for path in arguments.results for record in result_records.read(path)], arguments)
    except (OSError, result_records.BadRecord) as error:
        sys.exit(f"report.py: {error}")
    with open(arguments.output, "w", encoding="utf-8") as output:
        output.write(page)


if __name__ == "__main__":
    main()
