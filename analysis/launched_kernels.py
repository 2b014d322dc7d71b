"""The kernels that modelled runs launched, the code object of each, and the files of what is known of it.

A folder holds those files as analysis/kernel_steps.py names them. A kernel is known by its code object: implementations may share one, and kernels of
different code objects have one name.
"""

import json
import pathlib
import re
import sys
from dataclasses import dataclass, field

import code_object_notes

SIMDS = 4  # of a compute unit
LANES = 64
MOST_WAVES = 8  # of a SIMD


@dataclass
class Kernel:
    name: str
    code_object: pathlib.Path | None  # None where it is not known which one holds the kernel
    owner: str  # its code object's name, else the implementation's
    resources: dict = field(default_factory=dict)  # its code object's metadata
    launches: list = field(default_factory=list)  # (run, launch)

    @property
    def title(self):
        return f"{self.owner}/{self.name}"

    @property
    def file_name(self):
        return "kernel_" + re.sub(r"[^\w.-]", "_", f"{self.owner}.{self.name}")

    @property
    def implementations(self):
        return list(dict.fromkeys(run.implementation for run, _ in self.launches))

    @property
    def longest(self):
        """The run and launch that takes most clocks."""
        return max(self.launches, key=lambda entry: entry[1]["clocks"])

    @property
    def threads(self):
        """Of its largest workgroup; None where its metadata is not known."""
        return self.resources.get("max_flat_workgroup_size")

    @property
    def waves_per_simd(self):
        """Of resident workgroups of that size, in its longest launch; None where either is not known."""
        resident = self.longest[1].get("resident")
        return min(MOST_WAVES, max(1, resident * self.threads // (LANES * SIMDS))) if resident and self.threads else None

    def ledger_in(self, folder):
        return folder / f"ledger.{self.owner}.txt"

    def loops_in(self, folder):
        return folder / f"loops.{self.owner}.{self.name}.txt"


def code_objects_of(folder):
    """{path: {kernel: metadata}} of the code objects in a folder of a build or an installation; a bundle of several is none. stderr says which cannot be read."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.co")) if folder else ():
        try:
            if path.open("rb").read(4) == b"\x7fELF":
                found[path] = code_object_notes.kernels(path)
        except code_object_notes.BadCodeObject as error:
            print(f"no registers, loop costs and ledgers of these kernels: {error}", file=sys.stderr)
    return found


def external_objects_of(folders):
    """{implementation: {path: {kernel: metadata}}} of folders with manifests (docs/your_kernel.md). What is no manifest is none here: the harness says so."""
    found = {}
    for folder in folders:
        for manifest in sorted(pathlib.Path(folder).glob("*.json")):
            try:
                name = json.loads(manifest.read_text(encoding="utf-8"))["name"]
            except (OSError, ValueError, KeyError, TypeError):
                continue
            found[f"external:{name}"] = code_objects_of(folder)
    return found


def holder_of(run, name, code_objects, external):
    """The code object of a kernel that a run launched, and the name by which its page and files are known; None where it is not known."""
    words = run.record.variant.split("+")  # of a manifest: conversions of ours, and FILE/KERNEL
    for path in external.get(run.implementation, ()):
        if f"{path.name}/{name}" in words:
            return path, f"{run.implementation}:{path.stem}"
    if run.implementation.startswith("external:") and name not in words:
        return None, run.implementation
    path = holder(name, run.record.variant, code_objects)
    return path, path.stem if path else run.implementation


def holder(name, variant, code_objects):
    """Of the code objects that hold a kernel of this name, the one that the variant begins with, else the only one."""
    holders = [path for path, kernels in code_objects.items() if name in kernels]
    named = [path for path in holders if re.match(rf"{re.escape(path.stem)}(?:[_/]|$)", variant)]
    if named:
        return max(named, key=lambda path: len(path.stem))
    return holders[0] if len(holders) == 1 else None


def found(runs, code_objects, external=None):
    """In the order of their first launch. `external`: of external_objects_of()."""
    kernels, external = {}, external or {}
    for run in runs:
        for launch in run.values["launches"]:
            name = launch["kernel"]
            path, owner = holder_of(run, name, code_objects, external)
            resources = {**code_objects, **external.get(run.implementation, {})}[path][name] if path else {}
            kernel = kernels.setdefault((owner, name), Kernel(name, path, owner, resources))
            kernel.launches.append((run, launch))
    return list(kernels.values())


@dataclass(frozen=True)
class Trace:
    """A run that is traced, and the files that `trace` writes of it."""
    run: object
    number: int | None = None  # of its case among those of the results; None: the one trace of its implementation that the report itself shows

    @property
    def _stem(self):
        return self.run.implementation + (f".case{self.number}" if self.number else "")

    def launches(self, kernel):
        return any(run is self.run for run, _ in kernel.launches)

    def timeline_in(self, folder, kernel=None):
        """What `trace --timeline` is told, or of this kernel what it writes."""
        several = f".{kernel}" if kernel and len(self.run.values["launches"]) > 1 else ""
        return folder / f"timeline.{self._stem}{several}.json"

    def source_in(self, folder):
        return folder / f"source.{self._stem}.txt"


def traces(runs, kernels, case, which):
    """Of each implementation one: of this case, else of the first one that it ran. Then of each kernel that none of them launches: of its run with the
    fewest clocks. "leading": only of the fastest implementation. "none": not any.
    """
    if which == "none":
        return []
    chosen = {}
    for run in runs:
        if run.implementation not in chosen or (run.record.case == case and chosen[run.implementation].record.case != case):
            chosen[run.implementation] = run
    traced = [Trace(run) for run in chosen.values()]
    if which == "leading":
        same = [trace for trace in traced if trace.run.record.case == (case or runs[0].record.case)]
        return [max(same or traced, key=lambda trace: trace.run.tflops)]
    cases = list(dict.fromkeys(run.record.case for run in runs))
    for kernel in kernels:
        if not any(trace.launches(kernel) for trace in traced):
            run = min((run for run, _ in kernel.launches), key=lambda run: sum(launch["clocks"] for launch in run.values["launches"]))
            traced.append(Trace(run, cases.index(run.record.case) + 1))
    return traced
