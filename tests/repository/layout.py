#!/usr/bin/env python3
"""Sources are laid out as clang-format lays them out, by the newest one that is installed. Prints each place that is not."""
import re
import shutil
import subprocess
import sys

import files
import problems

SOURCES = (".cpp", ".hpp", ".hip")
MESSAGE = re.compile(r"(.*:\d+:\d+): (?:error|warning): code should be clang-formatted.*")


def newest_clang_format():
    named = [f"clang-format-{version}" for version in range(29, 19, -1)] + ["clang-format"]
    return next((found for name in named if (found := shutil.which(name))), None)


def wrong(root):
    tool = newest_clang_format()
    if not tool:
        yield "clang-format is not installed (apt-get install clang-format-22)"
        return
    sources = [name for name in files.tracked(root) if name.endswith(SOURCES)]
    run = subprocess.run(["xargs", "-0", tool, "--dry-run"], input="\0".join(sources), cwd=root, capture_output=True, text=True)
    places = [found[1] for line in run.stderr.splitlines() if (found := MESSAGE.fullmatch(line))]
    yield from places
    if run.returncode and not places:
        yield f"{tool} failed: {run.stderr.strip()}"


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "places that clang-format lays out in another way"))
