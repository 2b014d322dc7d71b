"""The files of a variant from the product's baseline as it is now: those of one operator, under another name."""

import pathlib
import re

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent
SOURCES, TESTS = CHECKOUT / "impl_baseline", CHECKOUT / "tests/impl_baseline"


class Operator:
    def __init__(self, implementations, of_others):
        self.implementations = implementations
        self.of_others = of_others  # lines of baseline.cpp that only other operators need


OPERATORS = {
    "batch_prefill": Operator(("baseline",), "append"),
    "append_prefill": Operator(("baseline", "baseline_two_launch"),
                               r"batch_|tree_features|baseline_plan|BaselinePlan|problem\.op"),
}


def part_of(text, path, operator):
    """What the operator needs of a file that others have a part in."""
    if path == "CMakeLists.txt":  # a paragraph begins with the operator that it is about
        others = tuple(f"# {other}\n" for other in OPERATORS if other != operator)
        return "\n\n".join(part for part in text.split("\n\n") if not part.startswith(others))
    if path == "implementations/baseline.cpp":
        # `auto` goes on to choose baseline, of which this is no description and no estimate.
        text = re.sub(r"  std::optional<double> estimated_seconds\(.*?\n  \}\n", "", text, flags=re.DOTALL)
        drop = re.compile(OPERATORS[operator].of_others + r"|Rank rank\(|baseline_costs")
        text = "".join(line for line in text.splitlines(keepends=True) if not drop.search(line))
        text = re.sub(r"^// .*", f'// "baseline": {operator}. A copy, to be changed.', text)
        return re.sub(r'(description\(\) const override \{\s*return )"[^;]*;', rf'\1"{operator}, a copy of the full-featured fallback";', text)
    return text


# Files that CMakeLists.txt names, or another file includes.
NAMED = re.compile(r'#include "impl_baseline/([\w/.]+)"|(?<![\w/])([\w/]+\.(?:hip|txt))(?=[\s)])')


def sources_of(operator):
    """What the operator's part of CMakeLists.txt compiles, its implementations, and what they include."""
    found, waiting = {}, ["CMakeLists.txt", *(f"implementations/{name}.cpp" for name in OPERATORS[operator].implementations)]
    while waiting:
        path = waiting.pop()
        if path in found or not (SOURCES / path).exists():
            continue
        found[path] = part_of((SOURCES / path).read_text(encoding="utf-8"), path, operator)
        waiting += (included or compiled for included, compiled in NAMED.findall(found[path]))
        waiting.append(re.sub(r"\.hpp$", ".cpp", path))
    return found


def tests_of(operator):
    for path in TESTS.iterdir():
        if path.name == "CMakeLists.txt" or path.name.startswith("append_") == (operator == "append_prefill"):
            if path.name != "implementation_test.cpp":  # which is about both operators, and ledgers
                yield path.name, path.read_text(encoding="utf-8")


def renamed(text, name, class_name):
    # Code objects of append_prefill, or the beginning of their names.
    text = re.sub(r'\bappend_(?=(?:bf|fp)16|\{|\$\{|")', "baseline_append_", text)
    return text.replace("baseline", name).replace("Baseline", class_name).replace("BASELINE", name.upper())


def files_of(name, class_name, operator):
    """Path below the root and text of each file."""
    folders = {f"impl_{name}": sources_of(operator).items(), f"tests/impl_{name}": tests_of(operator)}
    for folder, files in folders.items():
        for path, text in files:
            yield f"{folder}/{path.replace('baseline', name)}", renamed(text, name, class_name)
