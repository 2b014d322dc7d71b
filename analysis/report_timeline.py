"""What a trace says of a workgroup, as the report and the pages of kernels show it: clock by clock, and by source line."""

import functools
import pathlib
import re
from html import escape

import report_page
import source_stalls
import timeline as timelines
import timeline_figure
from report_page import cell

WINDOW = 4000  # clocks, about two iterations of an attention loop
SOURCE_LINES = 12  # of each launch, where they are shown beside others
COLUMNS = (">share, %", ">clocks", ">issues", "waits, of these clocks", "source line")


@functools.cache
def figure(path):
    """Two iterations of the loop; where nothing repeats the middle of the workgroup. Drawn once, though the report and a kernel's page both show it."""
    trace = timelines.read(path)
    if window := timelines.two_iterations(trace):
        drawn = timeline_figure.draw(trace, *window)
    else:
        first = max(0, (trace.end - WINDOW) // 2)
        drawn = timeline_figure.draw(trace, first, min(trace.end, first + WINDOW), "The middle of the workgroup, clock by clock: no loop repeats in it")
    name = "timeline-" + re.sub(r"\W", "-", pathlib.Path(path).stem.removeprefix("timeline."))
    return report_page.figure(drawn, name, f"Timeline of {trace.kernel}, modelled", timeline_figure.READING)


def most(launch):
    """The lines on which its waves spent most, as `trace` prints them."""
    return launch.heading + "".join(line.text for line in launch.lines[:SOURCE_LINES])


def section(paths, sources):
    body = "".join(figure(path) for path in paths)
    for path in sources:
        text = "\n".join(most(launch) for launch in source_stalls.read(path))
        body += f"<h3>By source line</h3><pre>{escape(text.rstrip())}</pre>" if text else ""
    return body


def source_table(launch, name):
    """Every source line of a launch, and the instructions of each, folded away."""
    rows = ["".join(("<tr>", cell(line.share, "{:.1f}"), cell(line.clocks, "{:,}"), cell(line.issues, "{:,}"), f"<td>{escape(line.waits)}</td>",
                     f'<td class="place">{escape(line.place)}</td></tr>')) for line in launch.lines]
    return (report_page.table(COLUMNS, rows[:SOURCE_LINES], name) +
            f"<details><summary>All {len(rows)} lines, with their instructions</summary>"
            f"<pre>{escape((launch.heading + launch.instructions).rstrip())}</pre></details>")
