#!/usr/bin/env python3
"""Every page, section, anchor, source file and table that the repository's text cites exists. Prints those that do not.

A citation is a page's name with what may follow: a section, sections, their bare numbers, an anchor or a heading in
quotes. It is a Markdown link to a file of the repository, to an anchor of it, or to one of the same page. Or it is the
path of a source file, whole or its end, with a folder, in which NAME stands for any name. Or it is the name of a table, a
.csv; of code, only comments and literals are read for these."""
import functools
import pathlib
import re
import sys

import files
import problems

TEXT = (".cpp", ".hpp", ".hip", ".py", ".md", ".txt", ".cmake", ".json")
SKIPPED = ("tests/repository/",)  # has what must be found
INVENTED = ("tests/", "docs/fuzzing.md", "docs/hardware/")  # have names of source files that are examples or others'
# Pages of other projects, which docs/hardware names as its sources.
FOREIGN = {"docs/mem_latency.md", "docs/validation.md"}
LEADER = re.compile(r"\n[ \t]*(?://+|#|\*)?[ \t]*")
NUMBERS = r"\d+(?:\.\d+)*(?:(?:,| and| to|, and) \d+(?:\.\d+)*)*"
CITATION = re.compile(rf"(?<![\w./])([A-Za-z_0-9/]+\.md)"
                      rf"(?:(?:`|\)(?=,? section))?(?:,? sections?)? ({NUMBERS})|#([\w-]+)|`?,? \"([^\"]+)\")?")
SOURCE = re.compile(r"(?<![\w/.<])([a-z]\w*(?:/\w+)+\.(?:cpp|hpp|hip|py))\b")
TABLE = re.compile(r"(?<![\w/.*-])((?:\w+/)*[A-Za-z]\w*\.csv)\b")
USERS_TABLES = {"rows.csv", "runs.csv", "FILE.csv"}  # which whoever runs a command brings or gets
# Tables of others, which our data was made from.
FOREIGN_TABLES = {"AzureLLMInferenceTrace_code.csv", "AzureLLMInferenceTrace_conv.csv", "BurstGPT_1.csv", "act_stats.csv"}
CODE = (".cpp", ".hpp", ".hip", ".py")
TEXT_OF_CODE = re.compile(r"""//.*|\#.*|"[^"\n]*"|'[^'\n]*'""")
FENCED = re.compile(r"^[ \t]*```.*?^[ \t]*```[ \t]*$", re.M | re.S)  # a block of code
LINK = re.compile(r"\]\(([^)\s:#]*)(?:#([^)\s]+))?\)")


def anchor(heading):
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
    return kept.replace(" ", "-")


class Repository:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = [pathlib.PurePosixPath(name) for name in files.tracked(root)]
        self.known = set(self.files)
        # Whole paths and their ends of two names or more.
        self.ends = {"/".join(file.parts[n:]) for file in self.files for n in range(len(file.parts) - 1)}
        self.tables = {"/".join(file.parts[n:]) for file in self.files if file.suffix == ".csv" for n in range(len(file.parts))}
        self.folders = {folder for file in self.files for folder in file.parents}
        self.pages = {}
        for file in self.files:
            if file.suffix == ".md":
                self.pages.setdefault(file.name, []).append(file)

    def read(self, file):
        return (self.root / file).read_text(encoding="utf-8", errors="replace")

    @functools.cache
    def headings(self, page):
        text = FENCED.sub("", self.read(page))
        return [line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#")]

    def has_source(self, name):
        return files.has(name, self.ends)

    def has_table(self, name):
        return name.rsplit("/", 1)[-1] in USERS_TABLES | FOREIGN_TABLES or files.has(name, self.tables)

    def page(self, name):
        """The page of that path, or the first whose path ends with it."""
        path = pathlib.PurePosixPath(name)
        if path in self.known:
            return path
        found = [page for page in self.pages.get(path.name, []) if str(page).endswith(str(path))]
        return found[0] if found else None


def wrong_citations(repository, text):
    for match in CITATION.finditer(LEADER.sub(" ", text)):
        name, numbers, wanted, heading = match.groups()
        if name in FOREIGN:
            continue
        page = repository.page(name)
        if page is None:
            yield f"{name}: no such page"
            continue
        titles = repository.headings(page)
        for number in re.findall(r"\d+(?:\.\d+)*", numbers or ""):
            if not any(re.match(rf"{re.escape(number)}[.\s]", title) for title in titles):
                yield f"{name} section {number}: {page} has none"
        if wanted and wanted not in map(anchor, titles):
            yield f"{name}#{wanted}: {page} has no such anchor"
        if heading and not any(title.lower().startswith(heading.lower()) for title in titles):
            yield f'{name}, "{heading}": {page} has no such heading'


def wrong_sources(repository, text):
    for name in SOURCE.findall(text):
        if not repository.has_source(name):
            yield f"{name}: no such source file"


def wrong_tables(repository, file, text):
    if file.suffix in CODE:
        text = "\n".join(TEXT_OF_CODE.findall(text))
    for name in TABLE.findall(text):
        if not repository.has_table(name):
            yield f"{name}: no such table"


def wrong_links(repository, file, text):
    for target, wanted in LINK.findall(text):
        path = file.parent if target else file
        for part in target.split("/") if target else []:
            path = path.parent if part == ".." else path if part == "." else path / part
        if path not in repository.known and path not in repository.folders:
            yield f"link to {target}: no such file"
        elif wanted and wanted not in map(anchor, repository.headings(path)):
            yield f"link to {target}#{wanted}: no such anchor"


def wrong(repository):
    for file in repository.files:
        if file.suffix not in TEXT or str(file).startswith(SKIPPED):
            continue
        text = repository.read(file)
        for problem in wrong_citations(repository, text):
            yield f"{file}: {problem}"
        if not str(file).startswith(INVENTED):
            for problem in wrong_sources(repository, text):
                yield f"{file}: {problem}"
        if not str(file).startswith("tests/"):
            for problem in wrong_tables(repository, file, text):
                yield f"{file}: {problem}"
        if file.suffix == ".md":
            for problem in wrong_links(repository, file, text):
                yield f"{file}: {problem}"


if __name__ == "__main__":
    sys.exit(problems.report(lambda root: wrong(Repository(root)), "citations of what does not exist"))
