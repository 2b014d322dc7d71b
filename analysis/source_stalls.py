"""Where the waves of a kernel spent their clocks, by source line, as `fmha950 trace --source` prints it."""

import re
from dataclasses import dataclass, field

HEADING = re.compile(r"modelled: where the waves of (\S+) spent (\d+) clocks")
COLUMN = "source line or instruction"
NUMBERS = re.compile(r"\s*([\d.]+) %\s+(\d+)(?:\s+(\d+))?\s*(.*?)\s*$")


@dataclass(frozen=True)
class Line:
    """A source line; its share is of all clocks of the kernel's waves, percent."""
    share: float
    clocks: int
    issues: int | None
    waits: str
    place: str
    text: str


@dataclass
class Launch:
    kernel: str
    clocks: int
    heading: str  # the lines above the first one
    lines: list = field(default_factory=list)
    instructions: str = ""  # all of it, with the instructions of each line


def read(path):
    """A Launch for each one in the file; none of an empty file."""
    launches, column = [], 0
    with open(path, encoding="utf-8") as file:
        for text in file:
            if match := HEADING.match(text):
                launches.append(Launch(match[1], int(match[2]), text))
            elif launches and COLUMN in text:
                column = text.index(COLUMN)
                launches[-1].heading += text
            elif launches and text.strip():
                launches[-1].instructions += text
                # instructions stand further in than the line that they belong to
                if len(text) > column and text[column] != " " and (numbers := NUMBERS.match(text[:column])):
                    share, clocks, issues, waits = numbers.groups()
                    launches[-1].lines.append(Line(float(share), int(clocks), int(issues) if issues else None, waits, text[column:].strip(), text))
    return launches
