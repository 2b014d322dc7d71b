#!/usr/bin/env python3
"""Every term of README.md is in docs/glossary.md. Prints those that are not.

The terms are listed here by hand; each must still be in the README. What can be seen without a list is looked for besides:
acronyms, and the keys of case strings."""
import re
import sys

import problems

TERMS = """
append_prefill, audit, barrier, baseline, baseline_two_launch, batch_prefill, bf16, calibration, case folder, case string,
causal, code object, cycle model, descale, embedded device, emul ms, flash attention, fp16, FP8, fused, fuzzing, GEMM,
gfx950, harness, hazard, HIP, implementation, ISA, judge, K, kernel, kernel error, key, law of the clock, ledger, limit,
matrix rate, max abs, MFMA, MI350X, MI355X, modelled, mutant, MX, opcode, operand, operator, oracle, order, P, page, passed,
ping-pong, pipelined, prefill, prepass, probe, Q, quant L2, quantisation, RMSE, ROCm, s_nop, sabotage, schedule, scratch, silicon,
skipped, sparse_prefill, sum, tile, total L2, trace, Triton, ulp, undecided, V, V3, variant, verdict, wait, wave, workload
"""
# Terms that the glossary explains under another word.
UNDER = {"law of the clock": "clock, law of the", "passed": "outcome", "sabotage": "saboteur", "wait": "waitcnt"}
OF_EVERYONE = {"AMD", "CI", "CPU", "GPU", "HTML", "JSON", "API"}
ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]+\b(?!\.md)")
CASE = re.compile(r"\b(?:batch|append|sparse)_prefill/\S+")
KEYS_OF_PLACE = {"h", "q", "kv", "sq", "sk", "d", "quant", "page"}  # docs/harness.md has a table of all


def words_of(glossary):
    """Terms as they stand first in the table's rows, and the parts of "a, b"."""
    for row in re.findall(r"^\| (.+?) \|", glossary, re.M):
        row = row.replace("`", "")
        yield row.lower()
        yield from row.lower().split(", ")


def terms(text):
    return [term.strip() for term in text.replace("\n", " ").split(",") if term.strip()]


def wrong_terms(listed, readme, glossary):
    known = set(words_of(glossary))
    plain = re.sub(r"\]\([^)]*\)", "]", readme)  # links without their targets
    for term in listed:
        if not re.search(rf"(?<![A-Za-z]){re.escape(term)}", plain, re.I) and term not in UNDER:
            yield f"{term}: README.md does not have it"
        if UNDER.get(term, term).lower() not in known:
            yield f"{term}: docs/glossary.md does not have it"
    prose = re.sub(r"`[^`]*`|^    .*", "", plain, flags=re.M)  # code has placeholders, such as NAME
    for acronym in sorted(set(ACRONYM.findall(prose)) - OF_EVERYONE):
        if acronym.lower() not in known:
            yield f"{acronym}: docs/glossary.md does not have this acronym of README.md"
    keys = {part.split("=")[0] for case in CASE.findall(readme) for part in re.split(r"[/'\"]", case) if "=" in part}
    for key in sorted(keys - KEYS_OF_PLACE):
        if key not in known and not any(f"`{key}=" in line for line in glossary.splitlines()):
            yield f"{key}=: docs/glossary.md does not have this key of a case string"


def wrong(root):
    readme, glossary = (root / "README.md").read_text(encoding="utf-8"), (root / "docs/glossary.md").read_text(encoding="utf-8")
    yield from wrong_terms(terms(TERMS), readme, glossary)


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "terms that README.md has and docs/glossary.md has not, or the reverse of the list"))
