"""What pages cost: the same attention from contiguous keys and from pages of several sizes."""

import matplotlib.pyplot as plt

import modelled
import palette
from figures import frame
from palette import color

NAME = "paging"
TITLE = "Sensitivity to page size and contiguity"
READING = ("One case under different page tables; all else equal. 'Contiguous' is paged=0, where an implementation may do without the tables. "
           "Behind each value: modelled time against contiguous, or against the largest pages where that was not run. "
           "The model has no TLBs and no memory channels: what paging costs there does not show.")


def kind(run):
    """Sorts contiguous first, then by page size."""
    return 0 if run.keys.get("paged") == "0" else int(run.keys.get("page", 16))


def family(runs):
    """{implementation: {kind: run}} of the case that was run under most kinds of pages."""
    families = {}
    for run in runs:
        if run.keys[""] == "batch_prefill":
            families.setdefault(run.without("page", "paged"), {}).setdefault(run.implementation, {})[kind(run)] = run
    return max(families.values(), key=lambda members: (len({k for kinds in members.values() for k in kinds}), len(members)), default={})


def draw(runs):
    members = family(runs)
    kinds = sorted({k for per_kind in members.values() for k in per_kind})
    if len(kinds) < 2:
        return None
    names = palette.known_first(members)
    figure, axes = plt.subplots(len(names), 1, figsize=(11, 1.3 + len(names) * (0.3 + 0.23 * len(kinds))), sharex=True, squeeze=False)
    longest = max(run.tflops for per_kind in members.values() for run in per_kind.values())
    for panel, name in zip(axes[:, 0], names):
        per_kind = members[name]
        base = per_kind.get(0) or per_kind[max(per_kind)]
        for y, page in enumerate(kinds):
            if page not in per_kind:
                panel.text(0.004 * longest, y, "unsupported", va="center", fontsize=8, color=color("quiet"))
                continue
            run = per_kind[page]
            panel.barh(y, run.tflops, height=0.78, color=palette.implementation_color(name), zorder=2)
            cost = "" if run is base else f"   {round(100 * (base.tflops / run.tflops - 1), 1) + 0.0:+.1f} % time"
            panel.text(run.tflops + 0.006 * longest, y, f"{run.tflops:,.1f}{cost}", va="center", fontsize=8)
        panel.set_yticks(range(len(kinds)), ["contiguous" if k == 0 else f"page {k:,}" for k in kinds], fontsize=8)
        panel.set_ylim(len(kinds) - 0.45, -0.55)
        panel.set_title(name, fontsize=9, loc="left", fontweight="bold", pad=2)
        panel.tick_params(axis="y", length=0)
        panel.set_xlim(0, 1.16 * longest)
        panel.grid(axis="x", linewidth=0.6)
    axes[-1, 0].set_xlabel("modelled TFLOP/s", fontsize=9)
    first = next(iter(members[names[0]].values()))
    frame.heading(figure, TITLE, modelled.title(first, leave_out=("page", "paged")) + "; modelled, not measured")
    frame.layout(figure, below=0.05)
    return figure
