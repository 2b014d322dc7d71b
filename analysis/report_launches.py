"""The report's section on launches of a program (FMHA950_TIMING_REPORT), of what `fmha950 device timings --json` printed."""

import json
from html import escape

import report_page
from launch_database import LaunchDatabase, parsed
from report_page import cell

LEVELS = ("l1", "l2", "mall", "hbm")
MOST_STALLS, LEAST_SHARE = 5, 0.02
COLUMNS = ("kernel, grid of block", ">launches", ">share, %", ">ns", ">at least", ">at most", ">clocks", ">MHz", ">matrix FLOPs", ">TFLOP/s",
           ">KB at L1", ">L2", ">Infinity Cache", ">HBM", ">VGPRs", ">LDS, bytes", "most of its waves' clocks, by source line")
# SQLite gives columns beside max() of the row that has it: the last launch.
ROWS = f"""kernel, grid, block, count(*) as launches, sum(seconds) as seconds, sum(seconds_low) as low, sum(seconds_high) as high,
 sum(clocks) as clocks, sum(clocks / clock_hertz) as at_clock, sum(matrix_flops) as flops, count(sampling_error) as known, max(launch), stalls, executed, vgprs,
 lds_bytes, {", ".join(f"sum(bytes_{level}) as {level}" for level in LEVELS)}"""
READING = """<p>Each launch that the program made, as if no other ran beside it: nanoseconds, clocks and bytes are of one launch, the mean over those of a row;
<code>./fmha950 trace --timings FILE --timeline OUT.json</code> makes a timeline of them, one by one. Between "at least" and "at most" is what
the model leaves open (docs/timing.md); a ? says that the sampling error is not among it. FLOPs are those of the matrix instructions that were executed.
Source lines are of the last launch's longest workgroup, with what its waves waited for.</p>"""


def _extents(text):
    return "x".join(map(str, json.loads(text)))


def _stalls(text):
    lines = [stall for stall in json.loads(text) if stall["source"] and stall["share"] >= LEAST_SHARE]
    return "<br>".join(escape(f"{100 * stall['share']:.0f} % {stall['source']}{f' ({waits})' if (waits := stall['waits']) else ''}")
                       for stall in lines[:MOST_STALLS]) or "no source lines: compile with -gline-tables-only"


def _row(row, total):
    count = row["launches"]
    unknown = "" if row["known"] == count else " ?"
    name = f"{row['kernel']}, {_extents(row['grid'])} of {_extents(row['block'])}{'' if row['executed'] == 'all' else ', sampled'}"
    each = [f'<td class="case">{escape(name)}</td>', cell(count, "{:,}"), cell(100 * row["seconds"] / total, "{:.1f}"),
            cell(1e9 * row["seconds"] / count, "{:,.0f}"), cell(1e9 * row["low"] / count, "{:,.0f}" + unknown),
            cell(1e9 * row["high"] / count, "{:,.0f}" + unknown), cell(row["clocks"] / count, "{:,.0f}"),
            cell(row["clocks"] / row["at_clock"] / 1e6, "{:,.0f}"), cell(row["flops"] / count, "{:,.0f}"),
            cell(row["flops"] / row["seconds"] / 1e12, "{:,.1f}"), *(cell((row[level] or 0) / count / 1e3, "{:,.1f}") for level in LEVELS),
            cell(row["vgprs"], "{}"), cell(row["lds_bytes"], "{:,}"), f'<td class="place">{_stalls(row["stalls"])}</td>']
    return f"<tr>{''.join(each)}</tr>"


def section(path):
    """Of a file; an empty one leaves the section out."""
    with open(path, encoding="utf-8") as file:
        records = parsed(file.read())
    if not records:
        return report_page.section("launches", "", "")
    database = LaunchDatabase()
    database.put(records)
    rows = database.select(ROWS, rest="group by kernel, grid, block order by sum(seconds) desc, kernel")
    total = sum(row["seconds"] for row in rows)
    summary = (f"<p class='note'>Modelled: {len(records):,} launches, {1e6 * total:,.2f} us one after the other, a dispatch for each among them; of "
               f"{escape(', '.join(sorted({record['file'] for record in records})))}.</p>")
    return report_page.section("launches", "Launches of a program, modelled",
                               summary + READING + report_page.table(COLUMNS, [_row(row, total) for row in rows], "launches-table"))
