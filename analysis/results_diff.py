"""What changed between two sets of results: `./fmha950 results diff OLD NEW`.

Results belong together if command, case, probe and implementation asked for, and the command line and variables that they
answer, are equal; version, host and device may differ. An error has moved if its share of a limit changed by more than
SHARE. Clocks have moved if they changed by more than twice both sampling errors together; the law of the clock and what sources
leave open are the same on both sides.
"""

import argparse
import math

from database import Database

SAME = ("command", "case", "probe", "requested", "asked")
SHARE = 0.05
LEAST = 0.001  # of clocks: launches whose workgroups were all followed have no sampling error


def _by_name(path, where):
    """Records by what makes them the same; conflicts in words. Of several of one name the worst counts."""
    database = Database()
    conflicts = database.add_file(path).conflicts
    records = {}
    for record in database.records(where):
        name = tuple(record.get(key) for key in SAME)
        if name not in records or _good(records[name]):
            records[name] = record
    return records, conflicts


def _good(record):
    return record["outcome"] == "passed"


def _fails(record):
    return record["outcome"] not in ("passed", "unsupported")


def shares_of_limits(record):
    limits = (record.get("accuracy") or {}).get("limits") or {}
    return {name: float(each["value"]) / float(each["limit"]) for name, each in limits.items()
            if each["value"] is not None and float(each["limit"]) > 0}


def clocks_of(record):
    modelled = record.get("modelled") or {}
    return modelled.get("clocks"), modelled.get("sampling_error")


def moved_error(old, new):
    """The limit of which more is taken, else the one of which less is."""
    before, after = shares_of_limits(old), shares_of_limits(new)
    changes = {name: after[name] - before[name] for name in before.keys() & after.keys() if abs(after[name] - before[name]) > SHARE}
    if not changes:
        return None
    name = max(changes, key=changes.get)
    return changes[name] > 0, f"error: {100 * before[name]:.0f} % of the limit `{name}` before, {100 * after[name]:.0f} % now"


def moved_clocks(old, new):
    (before, error_before), (after, error_after) = clocks_of(old), clocks_of(new)
    if not before or not after:
        return None
    known = error_before is not None and error_after is not None
    interval = max(2 * math.hypot(error_before, error_after), LEAST) if known else None
    change = math.log(after / before)
    if known and abs(change) <= interval or not known and abs(change) <= LEAST:
        return None
    within = f"+-{100 * interval:.1f} %" if known else "of unknown sampling error"
    return change > 0 and known, f"modelled clocks: {before:.0f} before, {after:.0f} now ({100 * (after / before - 1):+.1f} %, {within})"


def compare(old, new):
    """Lines in words, and how many things got worse."""
    lines, worse = [], 0

    def add(is_worse, text, what="changed"):
        nonlocal worse
        worse += is_worse
        lines.append(f"{'WORSE' if is_worse else what}: {text}")

    for name, before in old.items():
        who = f"{before['requested']} on {before['probe'] or before['case']}"
        after = new.get(name)
        if after is None:
            add(_good(before), f"{who}: {before['outcome']} before, gone now", "gone")
        elif before["outcome"] != after["outcome"]:
            reason = f": {after['reason']}" if after["reason"] else ""
            add(_good(before) or (_fails(after) and not _fails(before)),
                f"{who}: {before['outcome']} before, {after['outcome']} now{reason}\n    {after['reproduce']}")
        elif _good(before):
            for is_worse, text in filter(None, (moved_error(before, after), moved_clocks(before, after))):
                add(is_worse, f"{who}: {text}\n    {after['reproduce']}")
    for name, record in new.items():
        if name not in old:
            add(_fails(record), f"{record['requested']} on {record['probe'] or record['case']}: {record['outcome']}", "new")
    if not old.keys() & new.keys():
        add(True, "the two have no result in common")
    return lines, worse


def main(words):
    parser = argparse.ArgumentParser(prog="./fmha950 results diff", description=__doc__.split("\n\n")[0])
    parser.add_argument("old", metavar="OLD", help="JSON lines of --output, or a database")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--where", metavar="SQL", help="only results for which this holds")
    options = parser.parse_args(words)
    (old, _), (new, conflicts) = _by_name(options.old, options.where), _by_name(options.new, options.where)
    lines, worse = compare(old, new)
    worse += len(conflicts)
    for line in [f"WORSE: {conflict}: two results of the same" for conflict in conflicts] + lines:
        print(line)
    both = len(old.keys() & new.keys())
    print(f"{both} results in both, {worse} worse, {len(old) - both} gone, {len(new) - both} new")
    return 1 if worse else 0
