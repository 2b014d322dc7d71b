"""Results over time: `./fmha950 results history FILE... [--where SQL] [--figure FILE.png]`.

A line for each commit, the oldest first: how many results passed, failed and were skipped; how near the nearest of them is to
one of its limits; and modelled clocks against the nearest commit before that has results in common, as the geometric mean over
these (they belong together as for `diff`). What changed from one commit to the next in detail is `diff`'s to say.
"""

import argparse
import datetime
import math
from dataclasses import dataclass, field

from database import Database
from records import BadRecord
from results_diff import SAME, clocks_of, shares_of_limits
from text_table import show

UNKNOWN = "unknown"


@dataclass
class Commit:
    name: str
    committed: int  # UNIX seconds, 0: unknown
    outcomes: list = field(default_factory=list)
    nearest: float = 0  # share of a limit
    clocks: dict = field(default_factory=dict)  # by what makes results belong together
    against: float | None = None  # geometric mean of clocks / those of the nearest one before
    common: int = 0  # results that it is of
    level: float | None = None  # clocks against the first commit of its line, through those between
    line: int = 0  # commits without results in common are of different lines

    def count(self, *kinds):
        return sum(outcome in kinds for outcome in self.outcomes)

    @property
    def passed(self):
        return self.count("passed")

    @property
    def skipped(self):
        return self.count("unsupported")

    @property
    def failed(self):
        return len(self.outcomes) - self.passed - self.skipped

    @property
    def date(self):
        return f"{datetime.datetime.fromtimestamp(self.committed, datetime.timezone.utc):%Y-%m-%d %H:%M}" if self.committed else "-"


def commits_of(records):
    """The oldest first; those of no known time before all others, changes of one commit in the order of their results."""
    commits = {}
    for record in records:
        environment = record.get("environment")
        known = environment if isinstance(environment, dict) else {}
        name, committed = str(known.get("commit", UNKNOWN)), known.get("committed", 0)
        commit = commits.setdefault(name, Commit(name, committed if isinstance(committed, int) and 0 <= committed < 2**33 else 0))
        commit.outcomes.append(record["outcome"])
        commit.nearest = max([commit.nearest, *shares_of_limits(record).values()])
        clocks = clocks_of(record)[0]
        if clocks:
            commit.clocks[tuple(record.get(key) for key in SAME)] = clocks
    ordered = sorted(commits.values(), key=lambda commit: commit.committed)
    _compare_clocks(ordered)
    return ordered


def _compare_clocks(commits):
    """Each with the nearest one before it that has results in common with it."""
    lines = 0
    for i, commit in enumerate(commits):
        for before in reversed(commits[:i]):
            common = before.clocks.keys() & commit.clocks.keys()
            if common:
                commit.common = len(common)
                commit.against = math.exp(sum(math.log(commit.clocks[key] / before.clocks[key]) for key in common) / len(common))
                commit.level, commit.line = before.level * commit.against, before.line
                break
        else:
            lines += 1
            commit.level, commit.line = (1.0 if commit.clocks else None), lines


def draw(commits, path):
    import palette  # only a figure needs matplotlib
    from palette import color, plt

    palette.use("light")
    figure, (counts, clocks) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
    places = range(len(commits))
    counts.bar(places, [commit.passed for commit in commits], color=color("blue"), label="passed")
    counts.bar(places, [commit.failed for commit in commits], bottom=[commit.passed for commit in commits], color=color("bad"), label="failed")
    counts.set_ylabel("results")
    counts.legend(frameon=False, ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
    for line in {commit.line for commit in commits}:
        known = [(place, commit.level) for place, commit in enumerate(commits) if commit.line == line and commit.level is not None]
        clocks.plot([place for place, _ in known], [level for _, level in known], color=color("blue"), marker="o")
    clocks.axhline(1, color=color("quiet"), linewidth=0.8)
    clocks.set_ylabel("modelled clocks\n(first commit of a line = 1)")
    clocks.set_xticks(list(places), [f"{commit.name}\n{commit.date}" for commit in commits], rotation=30, ha="right", fontsize=8)
    try:
        figure.savefig(path, dpi=140)
    except (OSError, ValueError) as error:
        raise BadRecord(f"--figure {path}: cannot be written: {error}") from error
    plt.close(figure)


def line_of(commit):
    moved = f"{100 * (commit.against - 1):+.2f} % of {commit.common}" if commit.common else "-"
    return [commit.name, commit.date, str(commit.passed), str(commit.failed), str(commit.skipped), f"{100 * commit.nearest:.0f} %", moved]


def main(words):
    parser = argparse.ArgumentParser(prog="./fmha950 results history", description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="JSON lines of --output, or a database")
    parser.add_argument("--where", metavar="SQL", help="only results for which this holds")
    parser.add_argument("--figure", metavar="FILE", help="draw outcomes and modelled clocks over commits (.png, .svg, .pdf)")
    options = parser.parse_args(words)
    database = Database()
    conflicts = [conflict for path in options.files for conflict in database.add_file(path).conflicts]
    for conflict in conflicts:
        print(f"conflict: {conflict}: two results of the same; the first one counts")
    commits = commits_of(database.records(options.where))
    show(["commit", "committed (UTC)", "passed", "failed", "skipped", "of a limit", "modelled clocks"], map(line_of, commits))
    if options.figure:
        draw(commits, options.figure)
        print(f"figure: {options.figure}")
    last = commits[-1] if commits else Commit(UNKNOWN, 0)
    print(f"{len(commits)} commits; {last.name}: {last.passed} passed, {last.failed} failed, {last.skipped} skipped")
    return 1 if conflicts or last.failed else 0
