"""A workgroup's timeline as `fmha950 trace --timeline` writes it, and two iterations of its loop."""

import json
from dataclasses import dataclass

import records as result_records


@dataclass(frozen=True)
class Slice:
    """An instruction in a row: when it begins, for how many clocks, and which unit it uses."""
    start: float
    clocks: float
    unit: str
    instruction: str


@dataclass
class Timeline:
    kernel: str
    rows: dict  # name: slices in order of time

    @property
    def waves(self):
        return {name: slices for name, slices in self.rows.items() if "wave" in name}

    @property
    def units(self):
        return {name: slices for name, slices in self.rows.items() if name.startswith("SIMD")}

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
            if event["ph"] == "M":
                names[row] = event["args"]["name"]
            elif event["ph"] == "X":
                instruction = event.get("args", {}).get("instruction", event["name"])
                rows.setdefault(row, []).append(Slice(event["ts"], event["dur"], event["cat"], instruction))
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
    """Share of the window in which slices lie, by unit."""
    shares = {}
    for piece in slices:
        inside = min(last, piece.start + piece.clocks) - max(first, piece.start)
        if inside > 0:
            shares[piece.unit] = shares.get(piece.unit, 0.0) + inside / (last - first)
    return shares


def merged(slices, first, last, gap):
    """(unit, [(start, clocks), ...]) of what lies in the window; slices of one unit nearer than gap become one."""
    spans = {}
    for piece in slices:
        start, end = max(first, piece.start), min(last, piece.start + piece.clocks)
        if end <= start:
            continue
        of_unit = spans.setdefault(piece.unit, [])
        if of_unit and start - of_unit[-1][1] <= gap:
            of_unit[-1][1] = max(of_unit[-1][1], end)
        else:
            of_unit.append([start, end])
    return {unit: [(start - first, end - start) for start, end in pieces] for unit, pieces in spans.items()}
