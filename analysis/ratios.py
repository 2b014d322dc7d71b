"""Ratios of modelled speeds, and their ends, as harness/perf/modelled_time.hpp has them.

Both sides, and all cases of a mean, are under the same law of the clock and the same assumption: one's end is never held against another's.
"""

import math
from dataclasses import dataclass

# How far another laboratory, or another part, may be from a published figure of the same object: two laboratories published 1,291 and 1,417 to 1,438 TFLOP/s
# (docs/hardware/clock_and_calibration.md [M]). harness/perf/reference_speeds.hpp has the same.
LABORATORY_SPREAD = 0.10


@dataclass
class Range:
    """A ratio; without the sampling error its ends are narrower than they should be, and decide nothing."""
    best: float
    low: float
    high: float
    sampling_known: bool = True

    @property
    def verdict(self):
        if not self.sampling_known:
            return "undecided"
        return "ahead" if self.low > 1 else "behind" if self.high < 1 else "undecided"

    @property
    def ends(self):
        return f"{self.low:.2f} to {self.high:.2f}{'' if self.sampling_known else ' ?'}"


def mean(pairs):
    """The geometric mean over pairs of a run and what it is compared with: another run, or TFLOP/s that somebody measured.

    The least and the largest mean of one world are the ends; worlds that not all runs know are none. Two standard errors of sampling widen them, all to one side, and once
    the laboratory's spread.
    """
    pairs = list(pairs)
    logarithms, wider, spread, known = [], 0.0, 0.0, True
    for run, other in pairs:
        measured = isinstance(other, (int, float))
        theirs = {name: other for name in run.worlds} if measured else other.worlds
        logarithms.append({name: math.log(run.worlds[name] / theirs[name]) for name in run.worlds if name in theirs})
        errors = [run.sampling_error] + ([] if measured else [other.sampling_error])
        known = known and None not in errors
        wider += math.log(1 + 2 * math.hypot(*(error or 0.0 for error in errors)))
        spread = LABORATORY_SPREAD if measured else spread
    shared = set.intersection(*(set(worlds) for worlds in logarithms))
    means = {name: math.exp(sum(worlds[name] for worlds in logarithms) / len(pairs)) for name in shared}
    wider = math.exp(wider / len(pairs)) if known else 1.0
    return Range(means[""], min(means.values()) / wider / (1 + spread), max(means.values()) * wider / (1 - spread), known)


def of(run, other):
    return mean([(run, other)])
