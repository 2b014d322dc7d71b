#!/usr/bin/env python3
"""What an instruction is stands in its row: nobody else tells it from its name or its number. Prints who does.

Rows and decoder (emulator/isa) may. Elsewhere in the emulator and in the harness a name is for texts. Three rules:
- no string test (starts_with, find, ==, [i] and so on) on a mnemonic or on disassembled text, nor on a variable that
  was set from one;
- in the emulator no literal that is a mnemonic or the beginning of one, but for the places of WHOLE_NAMES;
- no comparison of a word of the encoding (Instruction::words), or of a field of it that is wide enough for an opcode.
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

# Fields that are no opcodes have at most 4 bits, or are numbers of registers, which nobody compares.
FIELD = re.compile(r"(?:\.|->)words\[\d\](?:\s*>>[^&;]*)?(?:\s*&\s*(?P<mask>0[xX][0-9a-fA-F]+|\d+))?")
OPCODE_BITS = 5
COMPARED = re.compile(r"\s*\)*\s*[=!]=")
SET_FROM_FIELD = re.compile(r"\b(?:auto|int|unsigned|uint\d+_t)\s+(?:const\s+)?(\w+)\s*=\s*$")


def is_opcode(field):
    return field["mask"] is None or int(field["mask"], 0).bit_length() >= OPCODE_BITS


def number_tests(text):
    """Lines, from 0, on which a number of an opcode is compared."""
    for field in FIELD.finditer(text):
        if not is_opcode(field):
            continue
        line = text.count("\n", 0, field.start())
        begin = max(text.rfind(end, 0, field.start()) for end in ";{}") + 1
        before = text[begin : field.start()]
        if COMPARED.match(text, field.end()) or re.search(r"[=!]=\s*\(*[\w.>-]*$|\bswitch\s*\([^)]*$", before):
            yield line
        name = SET_FROM_FIELD.search(re.sub(r"\w+$", "", before))
        if name and re.search(rf"\b{name[1]}\s*[=!]=|[=!]=\s*{name[1]}\b|switch\s*\({name[1]}\)", text[field.end() :]):
            yield line


def string_tests(name):
    value = rf"\b(?:\w+(?:\.|->|::))*(?:{name})"
    return re.compile(rf'{value}\s*(?:(?:\.|->)\s*{METHODS}\s*\(|\[|[=!]=\s*")'
                      rf"|{FUNCTIONS}\(\s*{value}\s*[,)]"
                      rf'|"\s*[=!]=\s*{value}')


def wrong_lines(file, text):
    lines = [COMMENT.sub("", line) for line in text.splitlines()]
    names = "|".join([NAME, *sorted(set(SET_FROM_NAME.findall("\n".join(lines))))])
    tests, numbers = string_tests(names), set(number_tests("\n".join(lines))) if file.startswith("emulator/") else set()
    for number, line in enumerate(lines, 1):
        if tests.search(line):
            yield f"{file}:{number}: a string test on the name or text of an instruction: {line.strip()}"
        elif number - 1 in numbers:
            yield f"{file}:{number}: compares the number of an opcode: {line.strip()}"
        elif file.startswith("emulator/") and LITERAL.search(line) and not (
                file in WHOLE_NAMES and WHOLE_NAMES[file].search(line)):
            yield f"{file}:{number}: names an instruction: {line.strip()}"


def wrong(root):
    for file in files.tracked(root):
        if file.endswith(SOURCES) and file.startswith(READERS) and not file.startswith(OWNERS):
            yield from wrong_lines(file, (root / file).read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "places that tell from its name or number what an instruction is"))
