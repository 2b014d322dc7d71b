"""A workgroup's timeline as `fmha950 trace --timeline` writes it, and two iterations of its loop."""

import json
from dataclasses import dataclass

import records as result_records


WAIT = "wait"


@dataclass(frozen=True)
class Slice:
    """When it begins in its row, for how many clocks; an instruction's unit, or WAIT and what for (a key of `spent`)."""
    start: float
    clocks: float
    unit: str
    instruction: str
    reason: str = ""


@dataclass
class Timeline:
    kernel: str
    rows: dict  # name: slices in order of time

    @property
    def waves(self):
        return {name: slices for name, slices in self.rows.items() if "wave" in name}

    @property
    def units(self):
        return {name: slices for name, slices in self.rows.items() if "wave" not in name}

    @property
    def end(self):
        return max(piece.start + piece.clocks for slices in self.rows.values() for piece in slices)


def read(path):
    """Raises records.BadRecord, which names the file and what is wrong."""
    try:
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        names, rows = {}, {}
        for event in trace["traceEvents"]:
            row = event["pid"], event["tid"]
            if event["ph"] == "M" and event["name"] == "thread_name":
                names[row] = event["args"]["name"]
            elif event["ph"] == "X":
                instruction = event.get("args", {}).get("instruction", event["name"])
                reason = event["name"] if event["cat"] == WAIT else ""
                rows.setdefault(row, []).append(Slice(event["ts"], event["dur"], event["cat"], instruction, reason))
        named = {names.get(row, str(row)): sorted(slices, key=lambda piece: piece.start) for row, slices in sorted(rows.items())}
        kernel = trace.get("otherData", {}).get("kernel", "")
    except json.JSONDecodeError as error:
        raise result_records.BadRecord(f"{path}: is not JSON: {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise result_records.BadRecord(f"{path}: is no timeline (fmha950 trace --timeline): {error!r}") from error
    if not named:
        raise result_records.BadRecord(f"{path}: has no slices")
    return Timeline(kernel, named)


def period(items, middle):
    """The smallest number of items, at least 4, after which items repeat around the middle; None where they do not."""
    for count in range(4, len(items) // 2):
        start = middle - count
        if start >= 0 and middle + count <= len(items) and items[start:middle] == items[middle:middle + count]:
            return count
    return None


def two_iterations(timeline):
    """First and last clock of two iterations of the loop that the first wave is in half-way, told by its matrix and LDS
    instructions: those of a loop repeat with the same registers. None where nothing repeats."""
    for slices in timeline.waves.values():
        steady = [piece for piece in slices if piece.unit in ("matrix", "lds")]
        names = [piece.instruction for piece in steady]
        for middle in range(len(steady) // 2, 3, -max(1, len(steady) // 20)):
            count = period(names, middle)
            if count and any(piece.unit == "matrix" for piece in steady[middle - count:middle]):
                last = steady[middle + count].start if middle + count < len(steady) else steady[-1].start + steady[-1].clocks
                return steady[middle - count].start, last
    return None


def busy(slices, first, last):
    """Share of the window in which slices lie."""
    return sum(max(0.0, min(last, piece.start + piece.clocks) - max(first, piece.start)) for piece in slices) / (last - first)


def merged(slices, first, last, gap, key=lambda piece: piece.unit):
    """{key: [(start, clocks), ...]} of what lies in the window; slices of one key nearer than gap become one."""
    spans = {}
    for piece in slices:
        start, end = max(first, piece.start), min(last, piece.start + piece.clocks)
        if end <= start:
            continue
        of_key = spans.setdefault(key(piece), [])
        if of_key and start - of_key[-1][1] <= gap:
            of_key[-1][1] = max(of_key[-1][1], end)
        else:
            of_key.append([start, end])
    return {name: [(start - first, end - start) for start, end in pieces] for name, pieces in spans.items()}
