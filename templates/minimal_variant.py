"""The files of a variant from templates/variant: kernels as simple as they can be, one wave a row."""

import pathlib
import re

TEMPLATES = pathlib.Path(__file__).resolve().parent / "variant"


class Operator:
    def __init__(self, folders, case, probes):
        self.folders = folders  # of templates; a file of a later one stands in for that of an earlier one
        self.case = case  # that the first test runs
        self.probes = probes  # in whose names this regular expression is found: they kill every mutant


OPERATORS = {
    "batch_prefill": Operator(("impl", "paged", "batch_prefill"), "batch_prefill/h=4:2/sq=3,20/sk=130,200/d=128/causal=1/lse=1",
                              "/sglang/linear/page=16/quant=none$"),
    "append_prefill": Operator(("impl", "paged", "append_prefill"), "append_prefill/h=4:2/sq=3,20/sk=130,70/causal=1/lse=1",
                               "^append_.*/page=16/bf16/d=128$"),
    "sparse_prefill": Operator(("impl", "sparse_prefill"), "sparse_prefill/h=16/n=4/pool=300/chunk=90/lists=empty/scale=0.0442/lse=1",
                               "^sparse_.*/bf16/h=16$"),
}


def templates_of(operator):
    for folder in OPERATORS[operator].folders:
        for template in (TEMPLATES / folder).glob("*.in"):
            yield f"impl_NAME/{template.stem}", template
    for template in (TEMPLATES / "tests").glob("*.in"):
        yield f"tests/impl_NAME/{template.stem}", template


def files_of(name, class_name, operator):
    """Path below the root and text of each file."""
    texts = {path: template.read_text(encoding="utf-8") for path, template in templates_of(operator)}
    mutants = re.findall(r"(?m)^\w+ +@NAME@", texts["impl_NAME/mutants.txt"])
    words = {"REGISTRATION": (TEMPLATES / "registration.part").read_text(encoding="utf-8").rstrip(), "OPERATOR": operator,
             "CASE": OPERATORS[operator].case, "PROBES": OPERATORS[operator].probes, "MUTANTS": str(len(mutants)),
             "CLASS": class_name, "NAME": name}
    for path, text in texts.items():
        # Columns of mutants.txt stay columns.
        text = re.sub(r"(?m)^(\w+ +)@NAME@(\w*) ", lambda found: found[1] + (name + found[2]).ljust(30) + " ", text)
        for word, meaning in words.items():
            text = text.replace(f"@{word}@", meaning)
        yield path.replace("NAME", name), text
