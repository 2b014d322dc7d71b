#!/usr/bin/python3
"""A self-contained HTML report of a result file: summary, figure, table, environment, how to read it.

    report.py RESULTS.jsonl --output REPORT.html
"""

import argparse
import base64
import io
import sys
from collections import Counter
from html import escape

import error_figure
import records as result_records

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a202c; max-width: 1200px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; font-size: 13px; } th, td { padding: .3rem .6rem; border-bottom: 1px solid #e2e8f0; }
th { text-align: left; background: #f7fafc; position: sticky; top: 0; } td.n { text-align: right; white-space: nowrap;
font-variant-numeric: tabular-nums; } td.case, code { font: 12px ui-monospace, monospace; overflow-wrap: anywhere; }
.passed { color: #2f855a; } .unsupported, .not_run { color: #718096; } .bad { color: #c53030; font-weight: 600; }
img { max-width: 100%; } details { margin: .5rem 0; }
"""

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


def figure_png(records):
    buffer = io.BytesIO()
    error_figure.draw(records).savefig(buffer, dpi=130, format="png")
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def cell(value, form="{:.2e}"):
    return f'<td class="n">{"" if value is None else escape(form.format(value))}</td>'


def row(record):
    known = record.outcome in ("passed", "unsupported", "not_run")
    kernel, limit = record.kernel.get("rmse"), record.limits.get("rmse")
    judged, total = record.rows
    return "".join((
        f'<tr><td class="case">{escape(record.case)}</td><td>{escape(record.implementation)}</td>',
        f'<td class="{record.outcome if known else "bad"}">{escape(record.outcome)}</td>',
        cell(record.kernel.get("relative_l2")),
        cell(kernel / limit if kernel is not None and limit else None, "{:.0%}"),
        cell(record.kernel.get("max_abs")),
        cell(record.quantisation.get("relative_l2")),
        f'<td class="n">{"" if judged is None else f"{judged} / {total}"}</td>',
        f"<td>{escape(record.reason)}</td></tr>",
    ))


def environments(records):
    seen = []
    for record in records:
        if record.environment not in seen:
            seen.append(record.environment)
    lines = [f"<tr><td>{escape(str(key))}</td><td>{escape(str(value))}</td></tr>" for one in seen for key, value in one.items()]
    return f"<table>{''.join(lines)}</table>"


def html(records, source):
    counts = Counter(record.outcome for record in records)
    summary = ", ".join(f"{count} {escape(outcome)}" for outcome, count in counts.most_common())
    head = "".join(f"<th>{title}</th>" for title in ("case", "implementation", "outcome", "kernel error", "of limit",
                                                     "max abs", "quantisation error", "query rows", "reason"))
    commands = "".join(f"<code>{escape(record.reproduce)}</code><br>" for record in records if record.reproduce)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>fmha950 results</title><style>{STYLE}</style></head><body>
<h1>Accuracy of paged attention on gfx950</h1>
<p>{len(records)} results of {escape(source)}: {summary}.</p>
<img alt="Error of the attention output by case and implementation" src="data:image/png;base64,{figure_png(records)}">
<h2>How to read it</h2>{HOW_TO_READ}
<h2>Results</h2>
<table><thead><tr>{head}</tr></thead><tbody>{''.join(row(record) for record in records)}</tbody></table>
<h2>Environment</h2>{environments(records)}
<h2>Reproduce</h2><details><summary>One command per result</summary>{commands}</details>
</body></html>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="result file, JSON lines (docs/results.md)")
    parser.add_argument("--output", required=True, help="HTML file to write")
    arguments = parser.parse_args()
    try:
        records = result_records.read(arguments.results)
    except (OSError, result_records.BadRecord) as error:
        sys.exit(f"report.py: {error}")
    with open(arguments.output, "w", encoding="utf-8") as output:
        output.write(html(records, arguments.results))


if __name__ == "__main__":
    main()
