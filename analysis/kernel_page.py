"""The sections of a kernel's page: launches, timeline, stalls, resources, loops, mutants. What there is no data for, a section says."""

from html import escape

import kernel_resources
import ledger_summary
import loop_costs
import report_page
import report_performance
import report_timeline
import source_stalls
from report_page import cell

LAUNCHES = ("implementation", ">workgroups", ">workgroups / CU", ">clocks", ">of the run's clocks", "busiest unit", ">busy")
STALLS = ("implementation", *report_performance.STALL_TITLES)
LOOPS = ("unit", ">clocks of an iteration", "for what")
MUTANTS = ("removed", *(f">{verdict}" for verdict in ledger_summary.VERDICTS))
OPEN = ("verdict", "mutant", "instruction", "what is missing")


UNTRACED = {  # by kernel_steps.py's --traces
    "all": "its trace did not come to its end",
    "leading": "this report traces the fastest implementation alone, on one case",
    "none": "tensors of a folder cannot be traced",
}


def missing(text, command=""):
    return f'<p class="missing">{escape(text)}{f" <code>{escape(command)}</code>" if command else ""}</p>'


def filled(path):
    """Whether a command wrote something there."""
    return path is not None and path.exists() and path.stat().st_size > 0


def by_case(kernel, columns, cells):
    """Rows of the kernel's launches below the case of each; `cells` of a run and its launch stand behind the implementation."""
    rows, case = [], None
    for run, launch in kernel.launches:
        if run.record.case != case:
            case = run.record.case
            rows.append(report_page.heading(case, columns))
        rows.append(f"<tr><td>{report_page.key(run.implementation)}</td>{cells(run, launch)}</tr>")
    return rows


def launch_cells(run, launch):
    """Under LAUNCHES."""
    unit, busy = max(launch["busy"].items(), key=lambda entry: entry[1], default=("", None))
    whole = sum(other["clocks"] for other in run.values["launches"])
    return "".join((cell(launch["workgroups"], "{:,}"), cell(launch.get("resident"), "{}"), cell(launch["clocks"], "{:,.0f}"),
                    cell(launch["clocks"] / whole if whole else None, "{:.0%}"), f"<td>{escape(report_performance.unit_name(unit))}</td>", cell(busy, "{:.0%}")))


def launches(kernel):
    return ("<p>Each launch of the kernel in this report's results; clocks are modelled.</p>" +
            report_page.table(LAUNCHES, by_case(kernel, LAUNCHES, launch_cells), "launches-table"))


def command_of(kernel):
    run, _ = kernel.longest
    return f"./fmha950 trace {run.record.case} --impl {run.implementation} --timeline FILE.json --source"


def not_traced(what, kernel, which):
    text = f"No {what}: {UNTRACED[which]}."
    return missing(text) if which == "none" else missing(f"{text} One is made by", command_of(kernel))


def timeline(kernel, trace, which, folder):
    path = trace and trace.timeline_in(folder, kernel.name)
    if not filled(path):
        return not_traced("timeline", kernel, which)
    return (f"<p>Modelled: one workgroup of {escape(trace.run.implementation)} on <code>{escape(trace.run.record.case)}</code>. "
            f"ui.perfetto.dev opens all of it: <code>{escape(path.name)}</code>, in the folder of this page.</p>{report_timeline.figure(path)}")


def stalls(kernel, trace, which, folder):
    rows = by_case(kernel, STALLS, lambda _, launch: report_performance.stall_cells(launch))
    text = f"<p>{report_performance.STALL_READING}</p>{report_page.table(STALLS, rows, 'stalls-table')}<h3>By source line</h3>"
    path = trace and trace.source_in(folder)
    traced = [launch for launch in source_stalls.read(path) if launch.kernel == kernel.name] if filled(path) else []
    if not traced:
        return text + not_traced("table by source line", kernel, which)
    last = traced[-1]  # as the timeline, which the last launch has written
    return (f"{text}<p>Modelled, of the timeline's workgroup: where {last.clocks:,} clocks of waves were spent.</p>" +
            report_timeline.source_table(last, "source-table"))


def resources(kernel, loops):
    if not kernel.resources:
        return missing(f"No resources: no code object is known to hold the kernel. A checkout's build has code objects, and a run's variant says which one it "
                       f"launched; here it is {kernel.launches[0][0].record.variant!r}.")
    rows = [(title, kernel.resources.get(key, 0)) for key, title in kernel_resources.COLUMNS.items()]
    rows.append(("threads of a workgroup, at most", kernel.threads))
    resident = kernel.longest[1].get("resident")
    if kernel.waves_per_simd:
        rows.append(("occupancy, modelled: workgroups on a compute unit", resident))
        rows.append(("occupancy, modelled: waves on a SIMD, with workgroups of that size", kernel.waves_per_simd))
    if loops:
        rows.append(("what registers allow", loops[0].heading.split(", no loops")[0]))
    return ("<p>From the code object's metadata; occupancy is that of the longest launch above.</p>" +
            report_page.table(("resource", ">value"), [f'<tr><td>{escape(name)}</td><td class="n">{escape(str(value))}</td></tr>' for name, value in rows],
                              "resources-table"))


def loop_table(loops):
    rows = []
    for loop in loops:
        rows.append(report_page.heading(loop.heading, LOOPS))
        rows += [f'<tr><td>{escape(unit)}</td>{cell(clocks, "{:,}")}<td class="long">{escape(what)}</td></tr>' for unit, (clocks, what) in loop.clocks.items()]
        rows += [f'<tr><td>{escape(name)}</td>{cell(None)}<td class="long">{escape(text)}</td></tr>'
                 for name, text in (*loop.counts.items(), *loop.bindings.items())]
    return report_page.table(LOOPS, rows, "loops-table")


def loop_section(kernel, loops):
    if loops is None:
        return missing("No loop costs: the code object of the kernel is not known, or was not asked about. They are printed by",
                       "./fmha950 device --loops FILE.co")
    waves = kernel.waves_per_simd or 1
    if not loops or not loops[0].loops:
        return "<p>The kernel has no loops.</p>"
    return (f"<p>Modelled, from the code alone: {waves} wave{'s' if waves > 1 else ''} on each SIMD in the same loop, all lanes active, both arms of branches "
            "counted (<i>conditional</i>: not on every path), no bank conflicts. Matrix and VALU clocks are a SIMD's, those of LDS and VMEM a compute unit's.</p>" +
            loop_table(loops[0].loops))


def mutants(kernel, ledger):
    if ledger is None or not (ledger.counts or ledger.not_judged):
        return missing(f"No ledger for this {'kernel' if kernel.code_object else 'code object'}: none of its mutants was judged, or the ledgers are not here "
                       "(docs/mutants.md).")
    if ledger.not_judged:
        return missing(f"Ledger of {kernel.owner}, {ledger.not_judged}.")
    rows = [f"<tr><td>{escape(protection)}</td>{''.join(cell(counts[verdict], '{}') for verdict in ledger_summary.VERDICTS)}</tr>"
            for protection, counts in ledger.counts.items()]
    totals = ", ".join(f"{ledger.totals[verdict]} {verdict}" for verdict in ledger_summary.VERDICTS)
    text = (f"<p>Copies of the kernel with one wait, barrier, <code>s_nop</code> or buffer bound removed (docs/mutants.md): {totals}. "
            f"<i>killed</i>: a check noticed; <i>equivalent</i>: it is proved that nothing can change; <i>undecided</i>: neither. "
            f"Unmutated: {escape(ledger.control or 'not in the ledger')}.</p>" + report_page.table(MUTANTS, rows, "mutants-table"))
    if ledger.open:
        rows = [f'<tr><td>{verdict}</td><td>{escape(mutant)}</td><td class="long">{escape(source)}</td><td class="long">{escape(reason)}</td></tr>'
                for verdict, mutant, source, reason in ledger.open]
        text += f"<h3>What is open</h3>{report_page.table(OPEN, rows, 'open-table')}"
    return text


def sections(kernel, trace, which, folder):
    """`trace` is None where the kernel was not traced; `which`: kernel_steps.py's --traces."""
    path = kernel.loops_in(folder)
    loops = None
    if filled(path):
        with open(path, encoding="utf-8") as file:
            loops = [one for one in loop_costs.kernels(file) if one.name == kernel.name]
    ledger = ledger_summary.read(kernel.ledger_in(folder), kernel.title) if filled(kernel.ledger_in(folder)) else None
    return [report_page.section("launches", "Launches, modelled", launches(kernel)),
            report_page.section("timeline", "Timeline, modelled", timeline(kernel, trace, which, folder)),
            report_page.section("stalls", "Stalls, modelled", stalls(kernel, trace, which, folder)),
            report_page.section("resources", "Resources", resources(kernel, loops)),
            report_page.section("loops", "Loop costs, modelled", loop_section(kernel, loops)),
            report_page.section("mutants", "Mutants", mutants(kernel, ledger))]
