#!/usr/bin/env python3
"""Every command and option that a page shows behind `fmha950`, or in code that begins with a command, exists.

What the harness has stands in docs/reference.md, which a test compares with it. Other commands are the launcher's: their options are
those that the launcher names, or the script that it starts. Behind a program that a command starts, options are the program's own.
Subcommands are looked at where the harness has them. Words in prose are not."""
import re
import sys

import files
import problems

STARTS_PROGRAMS = ("hipcc", "python", "device python", "device run", "device watch", "sweep scheduler", "sweep worker")
SCRIPTS = {"results": "analysis/selection.py", "results diff": "analysis/results_diff.py", "results history": "analysis/results_history.py",
           "sweep": "clients/sweep/request.py", "new-variant": "templates/new_variant.py", "report": "analysis/report.py",
           "external capture": "clients/external/capture.py", "external check": "clients/external/check.py",
           "device rocm-path": "clients/rocm/tree.py", "device python": "clients/device_python/run.sh", "device doctor": "clients/doctor/doctor.py"}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
CODE = re.compile(r"`([^`\n]+)`|^ {4,}(\S.*)$", re.M)
CALL = re.compile(r"(?:^|[\s/])fmha950 (?:--no-install )?([^#|;&)]*)")
OPTION = re.compile(r"--[a-z][a-z-]*")
OF_COMMAND = re.compile(r"(?:^\| |[:,] )`(--[a-z-]+)`", re.M)  # in a row of its own, or in the list of shared ones
GLOBAL = {"--help", "--version", "--no-install"}


class Known:
    def __init__(self, reference, launcher, scripts):
        """The text of docs/reference.md, of the launcher, and for each command of SCRIPTS that of its script."""
        head, _, _ = reference.partition("## Options of several commands")
        self.options = {name: set(OF_COMMAND.findall(text)) for name, text in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", head, re.M | re.S)}
        own = set(OPTION.findall(launcher))
        for line in re.findall(r"^([a-z][a-z| -]*)\)$", launcher, re.M):
            for name in line.split(" | "):
                self.options[name] = self.options.get(name, set()) | own
        for name, text in scripts.items():
            self.options[name] = set(re.findall(r'"(--[a-z-]+)"', text)) | (self.options["perf"] | own if name == "report" else set())

    def command_of(self, words):
        """The longest command at the beginning of the words; None if there is none."""
        return next((name for name in (" ".join(words[:2]), words[0]) if name in self.options), None)

    def wrong_option(self, name, words):
        if any(words[:len(start.split())] == start.split() for start in STARTS_PROGRAMS):
            return None
        for word in words:
            if word == "--":
                return None
            option = OPTION.match(word.lstrip("["))
            if option and option[0] not in self.options[name] | GLOBAL:
                return option[0]
        return None


def code_of(text):
    """Lines of code in a page, and code between its words. A line that ends with \\ goes on in the next one."""
    text = text.replace("\\\n", " ")
    for language, block in FENCE.findall(text):
        yield from block.splitlines() if language != "python" else ()  # `import` is no command
    for groups in CODE.findall(FENCE.sub("", text)):
        yield next(filter(None, groups))


def wrong_calls(known, text):
    for code in code_of(text):
        calls = [call.split() for call in CALL.findall(code)]
        begins = code.split()
        if not calls and len(begins) > 1 and known.command_of(begins) and any(word.startswith("--") for word in begins):
            calls = [begins]
        for words in calls:
            if not words or not re.fullmatch(r"[a-z][a-z-]*", words[0]):
                continue
            name = known.command_of(words)
            if name is None:
                yield f"`{code.strip()}`: there is no command {words[0]}"
            elif option := known.wrong_option(name, words):
                yield f"`{code.strip()}`: {name} has no {option}"


def wrong(root):
    def text_of(name):
        return (root / name).read_text(encoding="utf-8")

    known = Known(text_of("docs/reference.md"), text_of("fmha950"), {name: text_of(path) for name, path in SCRIPTS.items()})
    for name in files.tracked(root):
        if name.endswith(".md") and name != "docs/DESIGN.md":
            for problem in wrong_calls(known, text_of(name)):
                yield f"{name}: {problem}"


if __name__ == "__main__":
    sys.exit(problems.report(wrong, "command lines that the program does not take"))
