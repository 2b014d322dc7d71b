"""What the embedded device finds in this process and in those that it starts."""

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from fmha950.findings import closing_line, merged, text_of
from fmha950.loaded_device import LoadedDevice, Refused
from fmha950.program import Error
from fmha950.report_folder import ReportFolder, is_made_here

# The user's file of findings, in place of FMHA950_REPORT: processes that are started know it by this.
KEPT_REPORT = "FMHA950_KEPT_REPORT"
VARIABLES = ("FMHA950_CHECK", "FMHA950_REPORT", KEPT_REPORT, "FMHA950_SUPPRESS", "FMHA950_SCHEDULE")


class Found:
    """Findings (docs/hazards.md) and `stops`: texts of faults, and of what the device refused."""

    def __init__(self, findings: Iterable[dict] = (), stops: Iterable[str] = ()):
        self.findings, self.stops = merged(findings), list(stops)

    def __add__(self, other):
        return Found([*self.findings, *other.findings], [*self.stops, *other.stops])

    def __bool__(self):
        return bool(self.findings or self.stops)

    def fails(self) -> bool:
        return bool(self.stops) or any(finding["severity"] == "error" for finding in self.findings)

    def text(self) -> str:
        return "\n".join([*(stop.rstrip() + "\n" for stop in self.stops), *map(text_of, self.findings), closing_line(self.findings)])


class Watch:
    """From its making to `close` the environment is such that the checks are on and processes report here."""

    def __init__(self):
        report, self._accepted_by_user = (os.environ.get(name, "") for name in ("FMHA950_REPORT", "FMHA950_SUPPRESS"))
        if report.endswith(".sarif"):
            raise Error(f"FMHA950_REPORT = {report}: must be a file of JSON lines here")
        try:
            self._user_lines = Path(self._accepted_by_user).read_text(encoding="utf-8") if self._accepted_by_user else ""
        except OSError as error:
            raise Error(f"FMHA950_SUPPRESS = {self._accepted_by_user}: cannot read it: {error.strerror}") from error
        self._before = {name: os.environ.get(name) for name in VARIABLES}
        self._allowed, self._others, self._device = {}, set(), None
        self._reports = ReportFolder()
        if report and not is_made_here(report):
            try:
                Path(report).write_bytes(b"")
            except OSError as error:
                raise Error(f"FMHA950_REPORT = {report}: cannot write it: {error.strerror}") from error
            os.environ[KEPT_REPORT] = str(Path(report).resolve())
        os.environ["FMHA950_REPORT"] = self._reports.report
        os.environ.setdefault("FMHA950_CHECK", "errors")
        if self._loaded():  # it may have read the environment already
            self._device.set_option("check", os.environ["FMHA950_CHECK"])
            self._device.set_option("report", self._reports.report)

    def close(self):
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._reports.close()

    def saw_device(self) -> bool:
        """Whether this process has loaded the library, or one that it started made a HIP call."""
        return self._loaded() is not None or bool(self._reports.of_others())

    def others_ran(self) -> bool:
        """Whether another process may have launched since the last call of `allow`."""
        return self._reports.of_others_since(self._others)

    def schedule(self, name: str | None):
        """For launches to come; None: what the user has chosen."""
        name = name or self._before["FMHA950_SCHEDULE"] or "timed"
        os.environ["FMHA950_SCHEDULE"] = name
        if self._loaded():
            self._device.set_option("schedule", name)

    def allow(self, lines: Iterable[str]):
        """Lines "CLASS PLACE" of a suppression file that hold besides the user's, until the next call."""
        self._others = self._reports.of_others()
        self._allowed = {line: self._file_accepting([line]) for line in lines}
        # Processes that are started accept what they read there, and do not say whether it was of use.
        accepted = str(self._file_accepting(self._allowed)) if self._allowed else self._accepted_by_user
        if accepted:
            os.environ["FMHA950_SUPPRESS"] = accepted
        else:
            os.environ.pop("FMHA950_SUPPRESS", None)

    def take(self) -> tuple[Found, set[str]]:
        """What was found since the last call, once the streams are idle; and lines of `allow` that accepted some of it here. A fault
        is cleared."""
        findings, stops, used = self._reports.take(), [], set()
        if device := self._loaded():
            device.wait()
            stops += filter(None, [device.take_fault()])
            try:
                # The device's first call may have read what is allowed to one test alone.
                device.set_option("suppress", self._accepted_by_user)
                here = device.findings()
                if self._allowed and here:
                    here, used = self._less_allowed(here)
                findings += here
            except Refused as error:
                stops.append(str(error))
            device.clear()
        found = Found(findings, stops)
        self._keep(found.findings)
        return found, used

    def _less_allowed(self, all_findings):
        def less(file):
            return self._device.findings_but(file, self._accepted_by_user)

        used = {line for line, file in self._allowed.items() if len(less(file)) < len(all_findings)}
        return less(self._file_accepting(used)) if used else all_findings, used

    def _file_accepting(self, lines):
        number, path = tempfile.mkstemp(".txt", dir=self._reports.path)
        with open(number, "w", encoding="utf-8") as file:
            file.write("\n".join([self._user_lines, *(f"{line} allowed to a test" for line in lines), ""]))
        return Path(path)

    def _keep(self, findings):
        kept = os.environ.get(KEPT_REPORT)
        if kept and findings:
            with open(kept, "a", encoding="utf-8") as file:
                file.write("".join(json.dumps(finding) + "\n" for finding in findings))

    def _loaded(self):
        if not self._device:
            self._device = LoadedDevice.find()
        return self._device
