"""What a check of the doctor says."""
from dataclasses import asdict, dataclass

OK, NOTE, PROBLEM = "ok", "note", "problem"


@dataclass(frozen=True)
class Finding:
    check: str  # library, build, arch, preload, gpu, rocm-path, linker, bitcode, torch, variables
    state: str  # ok; note: works, and is worth knowing; problem: something will not work
    found: str
    do: str = ""  # what to do, "" if nothing

    def as_json(self):
        return asdict(self)


def ok(check, found):
    return Finding(check, OK, found)


def note(check, found, do=""):
    return Finding(check, NOTE, found, do)


def problem(check, found, do):
    return Finding(check, PROBLEM, found, do)
