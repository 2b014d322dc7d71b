"""The report's sections on accuracy."""

from html import escape

import audit_figure
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
<p>Limits are computed, not typed in. From the reference's own weights P and the type that P is rounded to it is known how much
noise a right kernel has in every row. Three judges look at a result:</p>
<ul>
<li><b>Sound</b>: every element that should be there was written and is a finite number.</li>
<li><b>Rows</b>: RMSE of rows whose noise is alike (<i>rmse</i>, at most 1.25 times the noise and what chance adds), each row by itself (<i>row</i>,
<i>length</i>), each element, the norm ratio, the published FP8 ceiling, the LSE.</li>
<li><b>Audit</b>: rounding errors are noise, mistakes are not. The error is compared with what each part of the keys contributes: every tile, page, key,
score scale. A part fails that counts more or less than it should by more than noise can explain. It sees one wrong page among hundreds, of which a
total RMSE shows nothing; docs/audit.md explains it.</li>
</ul>
<p><i>Of limit</i> is the largest share of any limit, with the name of that limit beside it; of the audit it is the share of the part that stands out
most over what is allowed to it. A plain low-precision implementation (operands rounded as they enter the matrix instruction, fp32 sums, P rounded as the
kernel rounds it) goes through the same judges and has to pass them, or the result is <i>not_run</i>. <i>P</i>: what the kernel rounds its weights to, and
whether the denominator sums rounded ones. Errors are relative L2 norms, ||difference|| / ||reference||. Query rows: how many rows the oracle judged,
of how many.</p>
<p>On the embedded device the kernel's real gfx950 code runs in an emulator: its results are what is judged, its wall time
says nothing about hardware.</p>
"""
COLUMNS = ("case", "implementation", "P", "outcome", ">kernel error", ">of limit", "nearest limit", ">max abs", ">quantisation error", ">query rows", "reason")
READING = ("The error that quantisation alone causes, the kernel's own, and how far it may go by the limit on the RMSE, which is one of several. Left is more "
           "accurate; the axis is logarithmic.")


def row(record):
    known = record.outcome in ("passed", "unsupported", "not_run")
    judged, total = record.rows
    return "".join((
        f'<tr><td class="case">{escape(record.case)}</td><td>{report_page.key(record.implementation)}</td><td>{escape(record.rounding)}</td>',
        f'<td class="{record.outcome if known else "bad"}">{escape(record.outcome)}</td>',
        cell(record.kernel.get("relative_l2")),
        cell(record.of_limit(), "{:.0%}"),
        f"<td>{escape(record.nearest_limit()[0] or '')}</td>",
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
    audited = audit_figure.draw(audit_figure.worth_drawing(records))
    if audited is not None:
        body += report_page.figure(audited, audit_figure.NAME, audit_figure.TITLE, audit_figure.READING)
    results = report_page.table(COLUMNS, [row(record) for record in ran], "accuracy-table") if ran else ""
    if refused:
        results += (f"<details><summary>{len(refused)} unsupported, each with its reason</summary>"
                    f"{report_page.table(COLUMNS, [row(record) for record in refused])}</details>")
    return [report_page.section("accuracy", "Accuracy", body), report_page.section("results", "Accuracy, all results", results)]
