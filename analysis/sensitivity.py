#!/usr/bin/python3
"""What the judges notice, from the ledger of `probe --sabotage --full`, as two Markdown tables.

    sensitivity.py [data/sabotage/ledger.jsonl]

The first counts verdicts by kind of mistake. The second says how small a mistake may be and still be certain to be noticed
(docs/sabotage.md: expected z of 9), of batch_prefill on ordinary inputs. It is derived from the recorded z, not tried out:

- V of a tile: a share grows in proportion to the mistake, and z is what is left of it without the floor, in sigmas. A line through z of
  10 % and of 100 % at the same place gives the mistake at which z is 9. Below 10 % that is no interpolation, and the line can miss the
  origin by more than z of 9: there the mistake in proportion to z of 10 % counts where it is the larger of the two.
- K of a tile: what 100 % do to a softmax is on no line, so z of 10 % is scaled down. That leaves the floor out: true errors are larger.
- Wrong keys: one, where that was certain at 95 % of the places and more. Else z of a whole page or tile elsewhere is scaled down.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys
from collections import Counter, defaultdict

LEDGER = pathlib.Path(__file__).resolve().parent.parent / "data" / "sabotage" / "ledger.jsonl"
SCHEMA = 2
CERTAIN = 9
NEEDED = 0.95
VERDICTS = ("caught", "missed", "below sensitivity", "without effect")


class BadLedger(Exception):
    """The file is no ledger of this kind; names file, line and what is wrong."""


class Entry:
    def __init__(self, line):
        operator, *parts = line["case"].split("/")
        self.operator, self.keys = operator, dict(part.split("=", 1) for part in parts)
        self.case, self.implementation, self.kind, self.place = line["case"], line["implementation"], line["kind"], line["place"]
        self.verdict, self.seen_by, self.noticed, self.z = line["verdict"], line["seen_by"], line["noticed"], float(line["z"])
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict {self.verdict} is none")

    @property
    def where(self):
        return self.case, self.implementation, self.place

    @property
    def type_of_p(self):
        """The ledger does not say; implementations round P to one type whatever else the case says."""
        if self.operator == "append_prefill":
            return self.keys.get("q", "bf16")
        if self.operator == "merge":
            return "fp32"
        if self.operator == "sparse_prefill":
            return "fp8" if self.implementation == "fused_fp8_pv" else "bf16"
        return "bf16" if self.implementation == "prepass" else self.keys.get("q", "bf16")

    @property
    def setting(self):
        """Keys, queries and P: what the second table has a line for."""
        return int(self.keys["sk"]), int(self.keys["sq"]), self.type_of_p

    @property
    def ordinary(self):
        """Of batch_prefill on inputs that do not count, every key seen by most rows."""
        return self.operator == "batch_prefill" and "values" not in self.keys and "window" not in self.keys


def read(path):
    """Entries of a ledger; a torn last line, of a run under way, is left out."""
    lines = path.read_text(encoding="utf-8").splitlines()
    try:
        if json.loads(lines[0])["sabotage"] != SCHEMA:
            raise BadLedger(f"{path}: sabotage = {json.loads(lines[0])['sabotage']}: this program reads {SCHEMA}")
    except (IndexError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise BadLedger(f"{path}:1: is no header of a ledger") from error
    entries = []
    for number, text in enumerate(lines[1:], start=2):
        try:
            entries.append(Entry(json.loads(text)))
        except (KeyError, TypeError, ValueError) as error:  # JSONDecodeError is a ValueError
            if number == len(lines):
                break
            raise BadLedger(f"{path}:{number}: is no entry: {error}") from error
    if not entries:
        raise BadLedger(f"{path}: holds no entries")
    return entries


def table_of_kinds(entries):
    yield "| defect | caught | missed | below sensitivity | yet noticed | without effect | z >= 9 |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for kind in sorted({entry.kind for entry in entries}):
        of_kind = [entry for entry in entries if entry.kind == kind]
        counts = Counter(entry.verdict for entry in of_kind)
        noticed = sum(entry.verdict == "below sensitivity" and entry.noticed for entry in of_kind)
        certain = sum(entry.z >= CERTAIN and entry.verdict != "without effect" for entry in of_kind)
        yield f"| `{kind}` | {counts['caught']} | {counts['missed']} | {counts['below sensitivity']} | {noticed} | {counts['without effect']} | {certain} |"
    counts = Counter(entry.verdict for entry in entries)
    yield ""
    yield ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)


def usable(entry):
    return entry.verdict != "without effect" and math.isfinite(entry.z) and entry.z > 0


def errors_of_v(entries):
    """Smallest relative error of a tile's V, of each place that has both sizes."""
    of_size = {size: {e.where: e for e in entries if e.kind == f"v_tile_x{size}" and e.seen_by == "audit" and usable(e)} for size in ("1.1", "2")}
    for where, small in of_size["1.1"].items():
        large = of_size["2"].get(where)
        if large is None or large.z <= small.z:
            continue
        error = 0.1 + (CERTAIN - small.z) * 0.9 / (large.z - small.z)
        yield error if error >= 0.1 else max(error, 0.1 * CERTAIN / small.z)


def errors_of_k(entries, lse):
    return [0.1 * CERTAIN / e.z for e in entries if e.kind in ("k_tile_x0.9", "k_tile_x1.1") and (e.keys.get("lse") == "1") == lse and usable(e)]


def keys_of(entry):
    """How many keys the mistake has."""
    return {"row": 1, "page": int(entry.keys.get("page", 16)), "tile": 64}[entry.kind.split("_")[1]]


def wrong_keys(entries, which):
    """Number of wrong keys, or the numbers by place where one is not certain."""
    single = [e for e in entries if e.kind == f"{which}_row_elsewhere" and e.verdict != "without effect"]
    if single and sum(e.z >= CERTAIN for e in single) >= NEEDED * len(single):
        return [1]
    several = [e for e in entries if e.kind in (f"{which}_page_elsewhere", f"{which}_tile_elsewhere") and usable(e)]
    return [max(1, math.ceil(keys_of(e) * CERTAIN / e.z)) for e in several]


def spread(values, form):
    values = sorted(values)
    if not values:
        return ""
    if values[0] == values[-1]:
        return form(values[0])
    return f"{form(statistics.median(values))} ({form(values[0])} to {form(values[-1])})"


def percent(value):
    return f"{100 * value:.0f} %" if value >= 1 else f"{100 * value:.2g} %"


def table_of_sensitivity(entries):
    groups = defaultdict(list)
    for entry in entries:
        if entry.ordinary:
            groups[entry.setting].append(entry)
    yield "| keys | queries | P | V of a tile | K of a tile, LSE returned | K, no LSE | wrong keys of V | of K | mistakes |"
    yield "|--:|--:|---|---|---|---|---|---|--:|"
    for (keys, queries, form), members in sorted(groups.items()):
        count = lambda which: spread(wrong_keys(members, which), lambda value: f"{value:.0f}")
        cells = (spread(errors_of_v(members), percent), spread(errors_of_k(members, True), percent), spread(errors_of_k(members, False), percent),
                 count("v"), count("k"))
        yield f"| {keys:,} | {queries:,} | {form} | {' | '.join(cells)} | {len(members)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ledger", nargs="?", type=pathlib.Path, default=LEDGER)
    try:
        entries = read(parser.parse_args().ledger)
    except (OSError, BadLedger) as error:
        sys.exit(f"sensitivity.py: {error}")
    print("\n".join(table_of_kinds(entries)))
    print("\nSmallest mistake with z >= 9: median (range over places)\n")
    print("\n".join(table_of_sensitivity(entries)))


if __name__ == "__main__":
    main()
