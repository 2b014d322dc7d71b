"""The report's sections on where it comes from: the model and its error, the environment, the commands."""

import pathlib
import re
from html import escape

import report_page

TIMING = pathlib.Path(__file__).resolve().parent.parent / "docs" / "timing.md"
MODELLED = """
<p>The kernels' code objects are executed instruction by instruction. The model then times what sampled workgroups executed: issue of
each SIMD's waves, matrix unit, VALU with its slower operations, LDS with its banks, the path to L1, L2, Infinity Cache and HBM with latencies,
bandwidths and queues, barriers and waits, and the schedule of all workgroups on 256 compute units. Constants are public or marked as guesses in the source
(<code>emulator/rates/rates.hpp</code>, <code>latencies.hpp</code>).</p>
"""


def not_modelled():
    """The paragraph of docs/timing.md that says so."""
    title = "What is not modelled"
    text = re.search(rf"^## {title}\n(.*?)(?=^## )", TIMING.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1].strip()
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
    return f"<h3>{title}</h3><p>{text}</p>"


def calibration(path):
    if not path:
        return ("<p>This report was made without the comparison with published figures: "
                "<code>./fmha950 device --calibration</code> prints it, <code>./fmha950 report</code> includes it.</p>")
    with open(path, encoding="utf-8") as file:
        text = file.read().strip()
    return ("<p>What the model says of kernels that published measurements exist of, beside those. Here alone published and modelled figures stand side by side: to compare "
            "them is what the table is for. <i>fit</i>: its constant was chosen by this row; <i>check</i>: not; <i>small</i>: reported, not judged.</p>"
            f"<pre id=\"calibration\">{escape(text)}</pre>")


def environments(records):
    seen = []
    for record in records:
        if record.environment not in seen:
            seen.append(record.environment)
    lines = [f"<tr><td>{escape(str(key))}</td><td>{escape(str(value))}</td></tr>" for one in seen for key, value in one.items()]
    return f"<table>{''.join(lines)}</table>" if lines else ""


def commands(path, records):
    text = ""
    if path:
        with open(path, encoding="utf-8") as file:
            text = f"<p>This page was made by</p><pre>{escape(file.read().strip())}</pre>"
    each = "".join(f"<code>{escape(record.reproduce)}</code><br>" for record in records if record.reproduce)
    return text + (f"<details><summary>One command per result</summary>{each}</details>" if each else "")


def sections(records, has_model, calibration_path, commands_path):
    return [
        report_page.section("model", "The model and its error", MODELLED + not_modelled() + calibration(calibration_path) if has_model else ""),
        report_page.section("environment", "Environment", environments(records)),
        report_page.section("reproduce", "Reproduce", commands(commands_path, records)),
    ]
