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
    database = Database()
    loaded = database.add_file(path)
    for conflict in loaded.conflicts:
        print(f"conflict: {conflict}: the first one counts")
    return {tuple(record.get(key) for key in SAME): record for record in database.records(where)}


def _share_of_limit(record):
    limits = ((record.get("accuracy") or {}).get("limits") or {}).values()
    shares = [float(each["value"]) / float(each["limit"]) for each in limits if each["value"] is not None and float(each["limit"]) > 0]
    return max(shares, default=None)


def _clocks(record):
    modelled = record.get("modelled") or {}
    return modelled.get("clocks"), modelled.get("sampling_error")


def moved_error(old, new):
    before, after = _share_of_limit(old), _share_of_limit(new)
    if before is None or after is None or abs(after - before) <= SHARE:
        return None
    return after > before, f"error: {100 * before:.0f} % of its limit before, {100 * after:.0f} % now"


def moved_clocks(old, new):
    (before, error_before), (after, error_after) = _clocks(old), _clocks(new)
    if not before or not after:
        return None
    known = error_before is not None and error_after is not None
    interval = max(2 * math.hypot(error_before, error_after), LEAST) if known else None
    change = math.log(after / before)
    if known and abs(change) <= interval or not known and abs(change) <= LEAST:
        return None
    within = f"+-{100 * interval:.1f} %" if known else "of unknown sampling error"
    return change > 0 and known, f"modelled clocks: {before:.0f} before, {after:.0f} now ({100 * (after / before - 1):+.1f} %, {within})"


def _good(record):
    return record["outcome"] == "passed"


def compare(old, new):
    """Lines in words, and how many things got worse."""
    lines, worse = [], 0
    for name, before in old.items():
        who = f"{before['requested']} on {before['probe'] or before['case']}"
        after = new.get(name)
        if after is None:
            lines.append(f"gone: {who}")
        elif before["outcome"] != after["outcome"]:
            is_worse = _good(before)
            worse += is_worse
            lines.append(f"{'WORSE' if is_worse else 'changed'}: {who}: {before['outcome']} before, {after['outcome']} now"
                         f"{': ' + after['reason'] if after['reason'] else ''}\n    {after['reproduce']}")
        elif _good(before):
            for is_worse, text in filter(None, (moved_error(before, after), moved_clocks(before, after))):
                worse += is_worse
                lines.append(f"{'WORSE' if is_worse else 'changed'}: {who}: {text}\n    {after['reproduce']}")
    lines += [f"new: {record['requested']} on {record['probe'] or record['case']}: {record['outcome']}"
              for name, record in new.items() if name not in old]
    return lines, worse


def main(words):
    parser = argparse.ArgumentParser(prog="./fmha950 results diff", description=__doc__.split("\n\n")[0])
    parser.add_argument("old", metavar="OLD", help="JSON lines of --output, or a database")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--where", metavar="SQL", help="only results for which this holds")
    options = parser.parse_args(words)
    old, new = _by_name(options.old, options.where), _by_name(options.new, options.where)
    lines, worse = compare(old, new)
    for line in lines:
        print(line)
    both = len(old.keys() & new.keys())
    print(f"{both} results in both, {worse} worse, {len(old) - both} gone, {len(new) - both} new")
    return 1 if worse else 0
