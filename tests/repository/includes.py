#!/usr/bin/env python3
"""Includes run down the order of folders in folder_order.txt, and slow headers have one file. Prints those that do not."""
import fnmatch
import pathlib
import re
import sys

import files
import problems

ORDER = "tests/repository/folder_order.txt"
SOURCES = (".cpp", ".hpp", ".hip")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ANGLED_INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)
# Headers that take a file seconds to compile, and the files that include them, which give the others what they need of it.
SLOW = {"CLI/CLI.hpp": ("harness/commands/command_line.cpp", "harness/commands/reference.cpp"),
        "regex": ("harness/cases/name_filter.cpp",)}


class FolderOrder:
    def __init__(self, text):
        lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        self.levels = {folder: number for number, line in enumerate(lines) for folder in line}

    def level(self, folder):
        """Number of its line, or None: of the line that has its name, else of a pattern."""
        depth = folder.count("/")
        patterns = (pattern for pattern in self.levels if "*" in pattern and pattern.count("/") == depth)
        return self.levels.get(folder, next((self.levels[p] for p in patterns if fnmatch.fnmatch(folder, p)), None))

    def folder(self, file):
        """The folder of the list that holds the file, or None."""
        parents = map(str, pathlib.PurePosixPath(file).parents)
        return next((path for path in parents if self.level(path) is not None), None)

    def member(self, folder):
        """The outermost folder around it, or itself, that only a pattern names, or None."""
        around = [str(path) for path in reversed(pathlib.PurePosixPath(folder, "_").parents)]
        return next((path for path in around if path not in self.levels and self.level(path) is not None), None)

    def allows(self, upper, lower):
        one, other = self.member(upper), self.member(lower)
        if one and other and one != other and self.level(one) == self.level(other):
            return False
        return upper == lower or self.level(lower) < self.level(upper)


def wrong_includes(order, file, text, known):
    upper = order.folder(file)
    if upper is None:
        yield f"{file}: no line of {ORDER} names its folder"
        return
    angled = [target for target in ANGLED_INCLUDE.findall(text) if target in known]
    for target in INCLUDE.findall(text) + angled:
        if target not in known:
            yield f'{file}: "{target}" is no path from the top folder'
            continue
        lower = order.folder(target)
        if lower is None or not order.allows(upper, lower):
            yield f"{file}: {upper} must not include {target}"


def slow_includes(file, text):
    for header in ANGLED_INCLUDE.findall(text):
        if file not in SLOW.get(header, (file,)):
            yield f"{file}: only {' and '.join(SLOW[header])} may include <{header}>, which is slow to compile"


def wrong(root):
    sources = [name for name in files.tracked(root) if name.endswith(SOURCES) and not name.startswith("tests/")]
    order = FolderOrder((root / ORDER).read_text(encoding="utf-8"))
    used = {order.folder(file) for file in sources}
    for folder in order.levels:
        if not any(fnmatch.fnmatch(name or "", folder) for name in used):
            yield f"{ORDER}: {folder} has no source"
    for file in sources:
        text = (root / file).read_text(encoding="utf-8")
        yield from wrong_includes(order, file, text, set(sources))
        yield from slow_includes(file, text)


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "includes against the rules"))
