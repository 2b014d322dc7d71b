#!/usr/bin/env python3
"""Comments are whole: no paragraph ends in a line of one word, and none that stands behind code goes on below it. Prints
those that do: a tool, or an edit without a reflow, has torn them."""
import re
import sys

import files
import problems

SLASHES, HASH = re.compile(r"(\s*)///? ?(.*)"), re.compile(r"(\s*)# ?(.*)")
MARKS = {".cpp": SLASHES, ".hpp": SLASHES, ".hip": SLASHES, ".in": SLASHES, ".py": HASH, ".cmake": HASH, "CMakeLists.txt": HASH}
BEHIND_CODE = re.compile(r'(\s*)[^\s/"].*[;,({})]\s*// .*')
ENDS = re.compile(r"[.:;]$")


def lone_words(lines, mark):
    """Numbers of lines, from 1, that are the only word left of a sentence."""
    texts = [found[2] if (found := mark.fullmatch(line)) else "" for line in lines]
    for number, (before, text, after) in enumerate(zip([""] + texts, texts, texts[1:] + [""]), 1):
        if before.strip() and not ENDS.search(before) and len(text.split()) == 1 and text[0].isalpha() and not after.strip():
            yield number


def run_on(lines):
    """Numbers of lines whose comment goes on in the next one, which is indented like it and not like the code."""
    for number, (line, below) in enumerate(zip(lines, lines[1:]), 1):
        code, comment = BEHIND_CODE.fullmatch(line), SLASHES.fullmatch(below)
        opens_block = re.search(r"[{(]\s*// ", line)
        if code and comment and len(comment[1]) > len(code[1]) + (2 if opens_block else 0):
            yield number


def wrong_lines(file, text, mark):
    lines = text.splitlines()
    for number in lone_words(lines, mark):
        yield f"{file}:{number}: a lone word ends the comment: {lines[number - 1].strip()}"
    for number in run_on(lines) if mark is SLASHES else ():
        yield f"{file}:{number}: the comment behind the code goes on below it: {lines[number - 1].strip()}"


def wrong(root):
    for file in files.tracked(root):
        for end, mark in MARKS.items():
            if file.endswith(end) and not (end == ".in" and file.endswith("CMakeLists.txt.in")):
                yield from wrong_lines(file, (root / file).read_text(encoding="utf-8"), mark)


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "comments that are torn"))
