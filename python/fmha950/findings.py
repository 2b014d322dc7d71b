"""Findings of the hazard checks as the device writes them, schema 2 (docs/hazards.md, "Reading a finding")."""

from collections.abc import Iterable

CLASSES = ("register_in_flight", "lds_order", "memory_order", "visibility", "uninitialised", "out_of_bounds", "misaligned", "wait_states",
           "barrier_divergence", "runaway", "errata", "fault")
SEVERITIES = ("error", "warning", "note")


def merged(findings: Iterable[dict]) -> list[dict]:
    """One for each cause: what later launches and other processes add to it, under the gravest."""
    by_cause = {}
    for finding in findings:
        shown = by_cause.setdefault(finding["cause"], finding)
        if shown is finding:
            continue
        if _rank(finding) < _rank(shown):
            shown, finding = finding, shown
        by_cause[shown["cause"]] = {**shown, "count": shown["count"] + finding["count"], "pairs": shown["pairs"] + finding["pairs"]}
    return sorted(by_cause.values(), key=_rank)


def text_of(finding: dict) -> str:
    """Lines as `fmha950 device watch` prints them."""
    lines = [f"{finding['severity']} {finding['hazard']}: {finding['what']}"]
    lines += [f"  kernel  {finding['kernel']}"] if finding["kernel"] else []
    lines += [_side(side, finding[side]) for side in ("earlier", "later") if finding[side]]
    lines += [f"  {key:7} {finding[key]}" for key in ("missing", "usually") if finding.get(key)]
    return "\n".join([*lines, f"  seen    {finding['count']} times at {len(finding['pairs'])} places\n"])


def closing_line(findings: list[dict]) -> str:
    return ", ".join(f"{sum(each['severity'] == severity for each in findings)} {severity}s" for severity in SEVERITIES)


def _rank(finding):
    return SEVERITIES.index(finding["severity"])


def _side(role, party):
    text = f"  {role:7} {party['source'] or 'unknown source'}: {party['symbol']}+{party['offset']:#x} {party['instruction']}"
    return text if party["wave"] < 0 else f"{text}  (workgroup {party['workgroup']}, wave {party['wave']})"
