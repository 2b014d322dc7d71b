#!/usr/bin/env python3
"""The ledger of sabotage covers its list: no mistake was missed, every kind has 30 that should be seen (z of 9 or more), and no form
of a case is without any; and docs/sabotage.md has the tables that analysis/sensitivity.py makes of it. Prints what is not so."""
import collections
import json
import re
import subprocess
import sys

import problems

LEAST = 30
SEEN = 9
# What decides which kernel and which mistakes there are; lengths and heads do not.
FORM = re.compile(r"/(layout|interleaved|tree|rope|window|sink|calls|d=192|kv=\w+|quant=\w+|q=\w+)[^/]*")


def form_of(case):
    return (case.split("/", 1)[0], *sorted({word for word in FORM.findall(case) if word != "quant=none"}))


def wrong(root):
    kinds, forms = collections.Counter(), set()
    for number, line in enumerate((root / "data/sabotage/ledger.jsonl").read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line)
        if "kind" not in row:
            continue
        forms.add(form_of(row["case"]))
        kinds[row["kind"]] += row["z"] == "inf" or row["z"] >= SEEN
        if row["verdict"] == "missed":
            yield f"data/sabotage/ledger.jsonl:{number}: {row['kind']} of {row['case']} was missed"
    for kind, count in sorted(kinds.items()):
        if count < LEAST:
            yield f"data/sabotage/ledger.jsonl: {count} of {kind} that should be seen, at least {LEAST} are wanted"
    for case in (root / "data/cases/sabotage").read_text(encoding="utf-8").splitlines():
        # Of sparse rows in bf16 the judges are shown by the FP8 ones.
        if case and not case.startswith("#") and form_of(case) not in forms and "kv=bf16" not in case:
            yield f"data/cases/sabotage: no mistake of the ledger is made in the form of {case}"
    page = (root / "docs/sabotage.md").read_text(encoding="utf-8").splitlines()
    made = subprocess.run([sys.executable, "-B", root / "analysis/sensitivity.py"], capture_output=True, text=True, check=True).stdout
    for line in made.splitlines():
        if line not in page:
            yield f"docs/sabotage.md: lacks what analysis/sensitivity.py prints: {line}"


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "gaps of the ledger of sabotage"))
