"""A page for each kernel that modelled runs launched, beside what it is made from, and the report's table that leads to them."""

import os
import pathlib
from html import escape

import kernel_page
import launched_kernels
import report_page
from report_page import cell

COLUMNS = ("kernel", "implementations", ">clocks, longest launch", ">VGPR", ">LDS, bytes", ">waves / SIMD", "timeline")


class KernelPages:
    def __init__(self, runs, folder, code_objects, case, which, external=()):
        """`folder`: what the commands of kernel_steps.py wrote, and where the pages go. `code_objects`: a build's folder of them, or None. `which`, `external`: its --traces, --external."""
        self.folder, self.which = pathlib.Path(folder), which
        self.kernels = launched_kernels.found(runs, launched_kernels.code_objects_of(code_objects),
                                              launched_kernels.external_objects_of(external))
        self.traces = [trace for trace in launched_kernels.traces(runs, self.kernels, case, which) if trace.source_in(self.folder).exists()]

    def trace_of(self, kernel):
        """None where no traced run launched it."""
        return next((trace for trace in self.traces if trace.launches(kernel)), None)

    def leading(self):
        """Files of the fastest traced run's timelines, and of its stalls by source line."""
        trace = max((trace for trace in self.traces if trace.number is None), key=lambda trace: trace.run.tflops, default=None)
        if trace is None:
            return [], []
        names = dict.fromkeys(launch["kernel"] for launch in trace.run.values["launches"])
        timelines = [trace.timeline_in(self.folder, name) for name in names]
        return [path for path in timelines if kernel_page.filled(path)], [trace.source_in(self.folder)]

    def section(self, report):
        """The table in the report, whose path is given: links are relative, so that report and folder can be moved together."""
        beside = os.path.relpath(self.folder, pathlib.Path(report).parent)
        rows = []
        for kernel in self.kernels:
            trace = self.trace_of(kernel)
            link = escape(f"{beside}/{kernel.file_name}.html", quote=True)
            implementations = ", ".join(map(report_page.key, kernel.implementations))
            rows.append(f'<tr><td class="place"><a href="{link}">{escape(kernel.title)}</a></td><td>{implementations}</td>' + "".join((
                cell(kernel.longest[1]["clocks"], "{:,.0f}"), cell(kernel.resources.get("vgpr_count"), "{}"),
                cell(kernel.resources.get("group_segment_fixed_size"), "{}"), cell(kernel.waves_per_simd, "{}"),
                f"<td>{'yes' if trace and kernel_page.filled(trace.timeline_in(self.folder, kernel.name)) else 'no'}</td></tr>")))
        text = ("<p>A page for each kernel: launches, timeline, stalls by source line, resources, loop costs, mutants. Clocks and occupancy are modelled.</p>" +
                report_page.table(COLUMNS, rows, "kernels-table"))
        return report_page.section("kernels", "Kernels", text)

    def write(self, report):
        back = escape(os.path.relpath(report, self.folder), quote=True)
        for kernel in self.kernels:
            introduction = (f'<p><a href="{back}#kernels">The report</a> that this page belongs to. Launched by '
                            f"{', '.join(map(report_page.key, kernel.implementations))}.</p>"
                            '<p class="note"><b>Modelled, not measured</b>: all clocks and shares of clocks on this page come from the embedded device\'s cycle '
                            f'model. How far it is off stands in the report under <a href="{back}#model">The model and its error</a>.</p>')
            page = report_page.page(f"Kernel {kernel.title}", introduction, kernel_page.sections(kernel, self.trace_of(kernel), self.which, self.folder))
            (self.folder / f"{kernel.file_name}.html").write_text(page, encoding="utf-8")
