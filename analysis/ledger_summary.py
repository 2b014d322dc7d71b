"""What became of a kernel's ISA mutants, counted, as `fmha950 probe --ledger CODE_OBJECT` prints them."""

import re
from collections import Counter
from dataclasses import dataclass, field

VERDICTS = ("killed", "equivalent", "undecided", "survived")
ENTRY = re.compile(rf"({'|'.join(VERDICTS)})\s+(\S+)\s+\((.*)\)$")
CONTROL = re.compile(r"unmutated\s+(.*?): (.*)$")


@dataclass
class Summary:
    counts: dict = field(default_factory=dict)  # protection: Counter of verdicts
    open: list = field(default_factory=list)  # (verdict, mutant, source, reason) of what is undecided or survived
    control: str = ""  # what the unmutated kernel went through
    not_judged: str = ""  # why the ledger says nothing of this build

    @property
    def totals(self):
        return sum(self.counts.values(), Counter())


def read(path, subject):
    """Of one kernel, CODE_OBJECT/KERNEL; counts are empty where the ledger has nothing of it."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    summary = Summary()
    for place, line in enumerate(lines):
        if line.startswith("not judged"):
            summary.not_judged = line
        elif (match := CONTROL.match(line)) and match[1] == subject:
            summary.control = match[2]
        elif (match := ENTRY.match(line)) and match[3] == subject:
            verdict, mutant = match[1], match[2]
            summary.counts.setdefault(mutant.rsplit(":", 1)[-1], Counter())[verdict] += 1
            if verdict in ("undecided", "survived"):
                source, reason = (text.strip() for text in lines[place + 1:place + 3])
                summary.open.append((verdict, mutant, source, reason))
    return summary
