#!/usr/bin/env python3
"""./fmha950 new-variant NAME: a folder that compiles and passes accuracy, with its kernel, plan, mutants and tests."""

import argparse
import pathlib
import re
import sys

TEMPLATES = pathlib.Path(__file__).resolve().parent / "variant"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def filled(text, name):
    # Columns of mutants.txt stay columns.
    text = re.sub(r"(?m)^(\w+ +)@NAME@ ", lambda found: found[1] + name.ljust(30) + " ", text)
    return text.replace("@NAME@", name).replace("@CLASS@", "".join(part.capitalize() for part in name.split("_")))


def files_of(name):
    """Path below the root and text of each file."""
    for template in sorted(TEMPLATES.glob("*/*.in")):
        folder = f"impl_{name}" if template.parent.name == "impl" else f"tests/impl_{name}"
        yield f"{folder}/{template.stem.replace('NAME', name)}", filled(template.read_text(encoding="utf-8"), name)


def main():
    parser = argparse.ArgumentParser(prog="./fmha950 new-variant", description=__doc__.split(": ", 1)[1])
    parser.add_argument("name", metavar="NAME", help="of the implementation: small letters, digits, single underscores between")
    parser.add_argument("--root", type=pathlib.Path, default=TEMPLATES.parent.parent, metavar="FOLDER", help="the checkout (default: this one)")
    options = parser.parse_args()
    if not NAME.fullmatch(options.name):
        sys.exit(f"fmha950: NAME {options.name}: must be small letters, digits and single underscores between, as my_kernel")
    files = dict(files_of(options.name))
    for folder in (f"impl_{options.name}", f"tests/impl_{options.name}"):
        if (options.root / folder).exists():
            sys.exit(f"fmha950: NAME {options.name}: {options.root / folder} exists, nothing was written")
    for path, text in files.items():
        (options.root / path).parent.mkdir(parents=True, exist_ok=True)
        (options.root / path).write_text(text, encoding="utf-8")
        print(path)
    print(f"next: ./fmha950 accuracy --list gaps --impl {options.name}   (docs/harness.md, \"Adding a variant\")")


if __name__ == "__main__":
    main()
