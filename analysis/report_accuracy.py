"""The report's sections on accuracy."""

from html import escape

import error_figure
import report_page
from report_page import cell

HOW_TO_READ = """
<p>Every result compares one implementation on one case with a float64 oracle. Two errors are kept apart:</p>
<ul>
<li><b>Quantisation error</b>: the oracle on the dequantised inputs against the oracle on the inputs before quantisation.
It is a property of the number formats and the data; no kernel can avoid it.</li>
<li><b>Kernel error</b>: the kernel's output against the oracle on the same dequantised inputs. It is judged.</li>
</ul>
<p>The limit is computed, not typed in: a plain low-precision implementation (operands rounded as they enter the matrix
instruction, fp32 sums, P rounded as the kernel rounds it) runs on the same inputs, and the kernel's RMSE may be at most
twice its RMSE, 1.25 times from 32 query rows up. <i>Of limit</i> is the kernel's RMSE divided by that limit. Further limits
(maximum, norm ratio, LSE, fp8 ceiling) count for the outcome too; a failed one is named in the reason. Errors are relative
L2 norms, ||difference|| / ||reference||. Query rows: how many rows the oracle judged, of how many.</p>
<p>On the embedded device the kernel's real gfx950 code runs in an emulator: its results are what is judged, its wall time
says nothing about hardware.</p>
"""
COLUMNS = ("case", "implementation", "outcome", ">kernel error", ">of limit", ">max abs", ">quantisation error", ">query rows", "reason")
READING = ("The error that quantisation alone causes, the kernel's own, and how far it may go. Left is more accurate; the axis is logarithmic.")


def row(record):
    known = record.outcome in ("passed", "unsupported", "not_run")
    kernel, limit = record.kernel.get("rmse"), record.limits.get("rmse")
    judged, total = record.rows
    return "".join((
        f'<tr><td class="case">{escape(record.case)}</td><td>{report_page.key(record.implementation)}</td>',
        f'<td class="{record.outcome if known else "bad"}">{escape(record.outcome)}</td>',
        cell(record.kernel.get("relative_l2")),
        cell(kernel / limit if kernel is not None and limit else None, "{:.0%}"),
        cell(record.kernel.get("max_abs")),
        cell(record.quantisation.get("relative_l2")),
        f'<td class="n">{"" if judged is None else f"{judged} / {total}"}</td>',
        f"<td>{escape(record.reason)}</td></tr>",
    ))


def sections(records):
    """Figure, table and how to read them. Those that an implementation does not take are folded away."""
    ran = [record for record in records if record.outcome != "unsupported"]
    refused = [record for record in records if record.outcome == "unsupported"]
    body = report_page.figure(error_figure.draw(records), "error", "Error of the attention output by case and implementation", READING)
    body += "<h3>How to read it</h3>" + HOW_TO_READ
    results = report_page.table(COLUMNS, [row(record) for record in ran], "accuracy-table") if ran else ""
    if refused:
        results += (f"<details><summary>{len(refused)} unsupported, each with its reason</summary>"
                    f"{report_page.table(COLUMNS, [row(record) for record in refused])}</details>")
    return [report_page.section("accuracy", "Accuracy", body), report_page.section("results", "Accuracy, all results", results)]
