#!/usr/bin/env python3
"""README.md and docs/mutants.md say what data/mutants/ledger.csv says, and README.md is short. Prints what differs.

The table of docs/mutants.md has the csv's rows and their sum. The README has the sum and the newest date."""
import csv
import datetime
import re
import sys

import problems

VERDICTS = ("killed", "equivalent", "undecided", "survived")
README_LINES = 90
TOTAL = re.compile(r"^(\d+) killed, (\d+) equivalent, (\d+) undecided, (\d+) survived$", re.M)
ROW = re.compile(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\w+) \| ([\d-]+) \|$", re.M)
IN_README = re.compile(
    r"The \[ledger\]\(docs/mutants\.md\) of (\d+ \w+ \d+) holds ([\d,]+): ([\d,]+) were noticed, ([\d,]+) survived\."
    r".*?For ([\d,]+) of them the code .*?; ([\d,]+) are undecided\.")


def wrong_page(rows, sums, page):
    written = TOTAL.search(page)
    if written is None or list(map(int, written.groups())) != sums:
        said = written[0] if written else "no sum"
        yield f"docs/mutants.md: {said}, where the csv has {sums} ({', '.join(VERDICTS)})"
    listed = ROW.findall(page)
    for row in sorted(set(listed) ^ set(rows)):
        yield f"docs/mutants.md: row {' '.join(row)} stands {'only here' if row in listed else 'only in the csv'}"


def wrong_readme(rows, sums, readme):
    killed, equivalent, undecided, survived = sums
    newest = datetime.date.fromisoformat(max(row[-1] for row in rows))
    expected = [f"{newest.day} {newest:%B %Y}"]
    expected += [f"{number:,}" for number in (sum(sums), killed, survived, equivalent, undecided)]
    written = IN_README.search(" ".join(readme.split()))
    if written is None:
        yield "README.md: the sentences about the ledger of mutants are not there, or not as this test knows them"
    elif list(written.groups()) != expected:
        yield f"README.md: the ledger's figures are {', '.join(written.groups())}, the csv's {', '.join(expected)}"
    lines = len(readme.splitlines())
    if lines > README_LINES:
        yield f"README.md: {lines} lines, at most {README_LINES} are allowed"


def wrong(root):
    with open(root / "data/mutants/ledger.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    rows = [tuple(row[name] for name in ("page", *VERDICTS, "code", "judged")) for row in table]
    sums = [sum(int(row[name]) for row in table) for name in VERDICTS]
    yield from wrong_page(rows, sums, (root / "docs/mutants.md").read_text(encoding="utf-8"))
    yield from wrong_readme(rows, sums, (root / "README.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "figures that contradict the data, or pages that are too long"))
