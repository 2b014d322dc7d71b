"""Findings of processes that this one starts: each writes a file of its own, named by FMHA950_REPORT (docs/hazards.md)."""

import json
import os
import shutil
import tempfile
import weakref
from pathlib import Path

PREFIX, NAME = "fmha950_reports_", "%p.jsonl"


def is_made_here(report: str) -> bool:
    """Whether a value of FMHA950_REPORT is that of a ReportFolder, of this process or one that started it."""
    path = Path(report)
    return path.name == NAME and path.parent.name.startswith(PREFIX)


class ReportFolder:
    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.close = weakref.finalize(self, _remove, self.path, os.getpid())
        self._read = {}  # bytes of each file

    @property
    def report(self) -> str:
        """The value of FMHA950_REPORT."""
        return str(self.path / NAME)

    def of_others(self) -> set[Path]:
        """Files of processes that made a HIP call, but for this one."""
        return set(self.path.glob("*.jsonl")) - {self.path / NAME.replace("%p", str(os.getpid()))}

    def of_others_since(self, before: set[Path]) -> bool:
        """Whether there are others than `before`, or one of those may still run."""
        return any(path not in before or Path("/proc", path.stem).exists() for path in self.of_others())

    def take(self) -> list[dict]:
        """What other processes have written since the last call."""
        findings = []
        for path in sorted(self.of_others()):
            text = path.read_bytes()
            known = self._read.get(path, 0)
            begin = known if known <= len(text) else 0  # a process of the same number has begun the file anew
            end = text.rfind(b"\n") + 1  # behind it is a line that is being written
            findings += map(json.loads, text[begin:end].splitlines())
            self._read[path] = max(begin, end)
        return findings


def _remove(path, owner):
    if os.getpid() == owner:  # a forked process leaves it
        shutil.rmtree(path, ignore_errors=True)
