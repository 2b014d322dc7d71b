#!/usr/bin/env python3
"""Every command and option that a page shows behind `fmha950`, or in code that begins with a command, exists.

What the program has stands in docs/reference.md, which a test compares with it; of the launcher and of what it starts, options
are those that its text or a Python script names. Behind a program that a command starts, options are the program's own."""
import re
import sys

import files
import problems

STARTS_PROGRAMS = ("hipcc", "python", "device run", "device watch", "sweep scheduler", "sweep worker")
CODE = re.compile(r"`([^`\n]+)`|^ {4,}(\S.*)$|^\$ (.*)$", re.M)
CALL = re.compile(r"(?:^|[\s/])fmha950 (?:--no-install )?([^#|;&)]*)")
OPTION = re.compile(r"--[a-z][a-z-]*")
OF_COMMAND = re.compile(r"(?:^\| |[:,] )`(--[a-z-]+)`", re.M)  # in a row of its own, or in the list of shared ones
GLOBAL = {"--help", "--version", "--no-install"}


class Known:
    def __init__(self, reference, launcher, scripts):
        """The text of docs/reference.md, of the launcher, and of Python scripts."""
        head, _, shared = reference.partition("## Options of several commands")
        self.options = {name: set(OF_COMMAND.findall(text)) for name, text in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", head, re.M | re.S)}
        self.launcher = {name for line in re.findall(r"^([a-z][a-z| -]*)\)$", launcher, re.M) for name in line.split(" | ")}
        self.of_launcher = set(OPTION.findall(launcher)) | set(re.findall(r'"(--[a-z-]+)"', scripts))

    def command_of(self, words):
        """The longest command at the beginning of the words; None if there is none."""
        for count in (2, 1):
            name = " ".join(words[:count])
            if name in self.options or name in self.launcher:
                return name
        return None

    def wrong_option(self, name, words):
        if any(words[:len(start.split())] == start.split() for start in STARTS_PROGRAMS):
            return None
        allowed = self.options.get(name, set()) | GLOBAL | (self.of_launcher if name in self.launcher else set())
        if name == "report":
            allowed |= self.options["perf"]
        for word in words:
            if word == "--":
                return None
            option = OPTION.match(word.lstrip("["))
            if option and option[0] not in allowed:
                return option[0]
        return None


def wrong_calls(known, text):
    for code in (next(filter(None, groups)) for groups in CODE.findall(text)):
        calls = [call.split() for call in CALL.findall(code)]
        begins = code.split()
        if not calls and len(begins) > 1 and known.command_of(begins) and any(word.startswith("--") for word in begins):
            calls = [begins]
        for words in calls:
            if not words or not re.fullmatch(r"[a-z][a-z-]*", words[0]):
                continue
            name = known.command_of(words)
            if name is None:
                yield f"`{code}`: there is no command {words[0]}"
            elif option := known.wrong_option(name, words):
                yield f"`{code}`: {name} has no {option}"


def wrong(root):
    tracked = files.tracked(root)
    scripts = "".join((root / name).read_text(encoding="utf-8") for name in tracked
                      if name.endswith((".py", ".sh")) and name.startswith(("analysis/", "templates/", "clients/")))
    known = Known((root / "docs/reference.md").read_text(encoding="utf-8"), (root / "fmha950").read_text(encoding="utf-8"), scripts)
    for name in tracked:
        if name.endswith(".md") and name != "docs/DESIGN.md":
            for problem in wrong_calls(known, (root / name).read_text(encoding="utf-8")):
                yield f"{name}: {problem}"


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "command lines that the program does not take"))
