#!/usr/bin/env python3
"""Every file that CONTRIBUTING.md's table "Where to change what" names exists. Prints those that do not.

A file without a folder lies in the folder that its row named last, or is a top-level one. NAME stands for any name. What
has a blank or a * is no name of a file."""
import re
import sys

import files
import problems

SECTION = re.compile(r"^## Where to change what\n(.*?)(?=^## |\Z)", re.M | re.S)
QUOTED = re.compile(r"`([^`]+)`")
FILE = re.compile(r"[\w./-]+\.(?:cpp|hpp|hip|py|md|txt|cmake|sh|cl|csv|json)")


class Tree:
    def __init__(self, names):
        self.files = set(names)
        self.folders = {file.rsplit("/", n)[0] for file in names for n in range(1, file.count("/") + 1)}

    def has_file(self, name):
        return files.has(name, self.files)

    def has_folder(self, name):
        return files.has(name, self.folders)


def wrong_row(tree, what, cell):
    folder = ""
    for name in QUOTED.findall(cell):
        if re.search(r"[\s*]", name):
            continue
        if tree.has_folder(name.rstrip("/")):
            folder = name.rstrip("/") + "/"
        elif FILE.fullmatch(name) and "/" in name:
            folder = name[:name.rindex("/") + 1]
            if not tree.has_file(name):
                yield f"{what}: {name} does not exist"
        elif FILE.fullmatch(name) and not tree.has_file(folder + name) and not tree.has_file(name):
            yield f"{what}: {folder} was named last and has no {name}"


def wrong_rows(tree, text):
    section = SECTION.search(text)
    if section is None:
        yield 'there is no section "Where to change what"'
        return
    for line in section[1].splitlines():
        if line.startswith("| "):
            what, cell = line.strip("| ").split(" | ", 1)
            yield from wrong_row(tree, what, cell)


def wrong(root):
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for problem in wrong_rows(Tree(files.tracked(root)), text):
        yield f"CONTRIBUTING.md: {problem}"


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "files of the table that do not exist"))
