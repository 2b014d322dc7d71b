#!/usr/bin/env python3
"""What an instruction is stands in its row: nobody else tells it from its name. Prints who does.

Rows and decoder (emulator/isa) may. Elsewhere in the emulator and in the harness a name is for texts. Two rules:
- no string test (starts_with, find, ==, [i] and so on) on a mnemonic or on disassembled text, nor on a variable that
  was set from one;
- in the emulator no literal that is a mnemonic or the beginning of one, but for the places of WHOLE_NAMES.
"""
import re
import sys

import files
import problems

OWNERS = ("emulator/isa/",)
READERS = ("emulator/", "harness/")
SOURCES = (".cpp", ".hpp")
# A text.
WHOLE_NAMES = {
    "emulator/timing/loop_report.cpp": re.compile(r'^  line\("s_nop", '),
}

COMMENT = re.compile(r"//.*$")
LITERAL = re.compile(r'"(?:v|s|ds|buffer|global|flat|scratch|tbuffer)_[a-z0-9_]*"')
NAME = r"\w*(?:mnemonic|disassembl)\w*(?:\((?:[^()]|\([^()]*\))*\))?"
SET_FROM_NAME = re.compile(
    rf"\b(?:auto|string_view|string|char\s*\*)\s*(?:const\s*)?&?\s*(\w+)\s*(?:=|\{{|\()\s*[^;(]*{NAME}")
METHODS = r"(?:starts_with|ends_with|contains|r?find(?:_\w+)?|substr|compare|front|back|at)"
FUNCTIONS = rf"\b(?:{METHODS}|\w*starts_with\w*|regex_match|regex_search|strn?cmp|strstr)"


def string_tests(name):
    value = rf"\b(?:\w+(?:\.|->|::))*(?:{name})"
    return re.compile(rf'{value}\s*(?:(?:\.|->)\s*{METHODS}\s*\(|\[|[=!]=\s*")'
                      rf"|{FUNCTIONS}\(\s*{value}\s*[,)]"
                      rf'|"\s*[=!]=\s*{value}')


def wrong_lines(file, text):
    lines = [COMMENT.sub("", line) for line in text.splitlines()]
    names = "|".join([NAME, *sorted(set(SET_FROM_NAME.findall("\n".join(lines))))])
    tests = string_tests(names)
    for number, line in enumerate(lines, 1):
        if tests.search(line):
            yield f"{file}:{number}: a string test on the name or text of an instruction: {line.strip()}"
        elif file.startswith("emulator/") and LITERAL.search(line) and not (
                file in WHOLE_NAMES and WHOLE_NAMES[file].search(line)):
            yield f"{file}:{number}: names an instruction: {line.strip()}"


def wrong(root):
    for file in files.tracked(root):
        if file.endswith(SOURCES) and file.startswith(READERS) and not file.startswith(OWNERS):
            yield from wrong_lines(file, (root / file).read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "places that tell from its name what an instruction is"))
