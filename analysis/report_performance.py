"""The report's sections on performance: all of it modelled, but for a table of its own of what others measured."""

import csv
from html import escape

import modelled
import palette
import report_page
import report_timeline
from figures import FIGURES
from report_page import cell

NOTE = """
<p class="note"><b>Modelled, not measured.</b> Speeds come from the embedded device's cycle model, which follows the instructions that
sampled workgroups of the real gfx950 code objects execute. No MI355X was at hand. How far the model is off on published micro-benchmarks and
GEMMs stands under <a href="#model">The model and its error</a>; the clock is fitted to published attention of another project and to GEMMs, never to kernels
of this one.</p>
"""
COLUMNS = ("implementation", "variant", ">clocks", ">clocks / tile", ">MHz", ">TFLOP/s", ">low", ">high", ">µs",
           ">of the matrix peak", ">workgroups / CU", ">sampling ±")
STALL_KEYS = ("issue", "matrix_busy", "valu_busy", "lds_busy", "vmem_busy", "scalar_busy", "dependence", "mfma_result", "nop", "vmcnt", "lgkmcnt",
              "barrier", "branch", "fetch")
STALL_TITLES = (">clocks", *(f">{key.replace('_', ' ')}" for key in STALL_KEYS))
STALL_READING = ("Modelled; % of the lives of all waves of a launch, a row adds up to 100. <i>issue</i> is work, <i>... busy</i> a ready wave whose unit another one has, "
                 "<i>dependence</i> and <i>mfma result</i> waits for an operand, <i>vmcnt</i> and <i>lgkmcnt</i> s_waitcnt for memory and for LDS or scalar loads.")
HOW_TO_READ = """
<ul>
<li><b>clocks</b>: of the whole GPU, all launches, without dispatch.</li>
<li><b>TFLOP/s</b>: floating point operations that the attention asks for (masked ones left out) over the time of all launches, 1.6 µs of dispatch
for each included, each launch at its own clock. <b>low, high</b>: what the law of the clock and sampling leave open; with a ? where too few
workgroups were followed to know the sampling error, which these ends lack.</li>
<li><b>MHz</b>: the clock that a limit of power leaves the GPU for this work, at most 2,400; a law fitted to published kernels.</li>
<li><b>clocks / tile</b>: clocks of a compute unit for each 8.39 MFLOP, a tile of 256 queries by 64 keys at head_dim 128, if all 256 compute
units shared the work evenly; without dispatch. A grid that leaves compute units idle shows here.</li>
<li><b>of the matrix peak</b>: the same operations against what the matrix units of 256 compute units could do in these clocks: 8,192 a clock and compute unit
where Q, K and V are FP8, else 4,096, whatever the kernel multiplies with. Masked products and idle compute units count against it.</li>
<li><b>... busy</b>: share of the clocks in which the unit is busy, in the longest launch, on compute units that have work. The largest is the kernel's own bound;
a matrix unit can be busy with what was not asked for.</li>
<li><b>MB of ...</b>: what the level served, all launches, scaled from the workgroups that were followed.</li>
<li><b>sampling ±</b>: a few workgroups of each launch are followed, each in full; this is the error of the whole from taking those. Where it is
large, differences below it say nothing. Empty where too few were followed to know it.</li>
</ul>
"""


def unit_name(unit):
    return modelled.UNIT_NAMES.get(unit, unit)


def performance_table(runs):
    rows, units, levels = [], modelled.names(runs, "busy"), modelled.names(runs, "bytes")
    columns = (*COLUMNS, *(f">{unit_name(unit)} busy" for unit in units),
               *(f">MB of {modelled.LEVEL_NAMES.get(level, level)}" for level in levels))
    for case, members in modelled.by_case(runs).items():
        rows.append(report_page.heading(case, columns))
        fastest = max(run.tflops for run in members)
        for run in members:
            busy = run.longest["busy"]
            rows.append("".join((
                f"<tr><td>{report_page.key(run.implementation)}</td><td>{escape(run.record.variant)}</td>",
                cell(run.values["clocks"], "{:,.0f}"), cell(run.values["clocks_per_tile"], "{:,.0f}"),
                cell(run.megahertz, "{:,.0f}"), cell(run.tflops, "{:,.1f}", "n best" if run.tflops == fastest else "n"),
                *(cell(end, "{:,.1f}" if run.sampling_error is not None else "{:,.1f} ?") for end in run.ends), cell(run.microseconds, "{:,.1f}"),
                cell(run.values["matrix_fraction"], "{:.0%}"), cell(run.longest.get("resident"), "{}"), cell(run.sampling_error, "{:.1%}"),
                *(cell(busy.get(unit), "{:.0%}") for unit in units), *(cell(run.bytes_of(level) / 1e6, "{:,.1f}") for level in levels), "</tr>")))
    return report_page.table(columns, rows, "performance-table")


def measured_table(runs, path):
    """What others measured on the cases at hand, by itself: (html, number of rows)."""
    if not path:
        return ""
    cases = set(run.record.case for run in runs)
    with open(path, encoding="utf-8", newline="") as file:
        found = [line for line in csv.DictReader(file) if line["case"] in cases]
    if not found:
        return ""
    rows = [f'<tr><td class="case">{escape(line["case"])}</td><td>{escape(line["kernel"])}</td>{cell(float(line["tflops"]), "{:,.1f}")}</tr>' for line in found]
    return ("<p>Measured on an MI355X by others, not by us and not modelled. Laboratories differ by 10 % on one object."
            "</p>" + report_page.table(("case", "kernel", ">measured TFLOP/s"), rows, "measured-table"))


def stall_cells(launch):
    """Under STALL_TITLES."""
    parts = launch["spent"]
    return "".join((cell(launch["clocks"], "{:,.0f}"), *(cell(100 * parts[key] if key in parts else None, "{:.1f}") for key in STALL_KEYS)))


def stall_rows(runs):
    order = palette.known_first([run.implementation for run in runs])
    for run in sorted(runs, key=lambda run: order.index(run.implementation)):
        for launch in run.values["launches"]:
            yield f"<tr><td>{report_page.key(run.implementation)}</td><td>{escape(launch['kernel'])}</td>{stall_cells(launch)}</tr>"


def stall_tables(runs):
    """Every launch of a case of each operator; the other cases folded away."""
    columns = ("implementation", "kernel", *STALL_TITLES)
    shown, folded = "", ""
    chosen = [case[0].record.case for case in (modelled.representative(runs, operator) for operator in modelled.operators(runs))]
    for case, members in modelled.by_case(runs).items():
        text = f'<p><code>{escape(case)}</code></p>{report_page.table(columns, stall_rows(members))}'
        if case in chosen:
            shown += text
        else:
            folded += text
    return (f"<p>{STALL_READING}</p>" + shown + (f"<details><summary>The other cases</summary>{folded}</details>" if folded else ""))


def sections(runs, timelines, sources, measured):
    pictures = "<p>One fixed colour and marker for each implementation in all figures.</p>"
    for figure in FIGURES:
        drawn = figure.draw(runs)
        if drawn is not None:
            pictures += report_page.figure(drawn, figure.name, figure.title, figure.reading)
    return [
        report_page.section("performance", "Performance, modelled", NOTE + pictures),
        report_page.section("numbers", "Performance, all numbers", "<h3>How to read it</h3>" + HOW_TO_READ + performance_table(runs)),
        report_page.section("measured", "Measured elsewhere", measured_table(runs, measured)),
        report_page.section("stalls", "Stalls", stall_tables(runs)),
        report_page.section("timeline", "Timeline", report_timeline.section(timelines, sources)),
    ]
