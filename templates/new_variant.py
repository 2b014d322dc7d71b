#!/usr/bin/env python3
"""./fmha950 new-variant NAME: a folder that compiles and passes accuracy, with its kernel, plan, mutants and tests."""

import argparse
import pathlib
import re
import sys

TEMPLATES = pathlib.Path(__file__).resolve().parent / "variant"
CHECKOUT = TEMPLATES.parent.parent
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# Words of C++ that look like names, of --impl, and of the test of this script.
TAKEN = set("""
    alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const consteval constexpr constinit
    continue decltype default delete do double else enum explicit export extern false final float for friend goto if import
    inline int long module mutable namespace new noexcept not nullptr operator or override private protected public register
    requires return short signed sizeof static struct switch template this throw true try typedef typeid typename union unsigned
    using virtual void volatile while xor std main all sample
""".split())


def is_taken(name):
    """By the language, a folder, or a namespace: the variant is a namespace of its own."""
    folders = {path.name for path in CHECKOUT.iterdir() if path.is_dir()}
    headers = [path for folder in folders if not folder.startswith((".", "build")) for path in (CHECKOUT / folder).glob("**/*.hpp")]
    spaces = {space for path in headers for found in re.findall(r"^namespace ([\w:]+)", path.read_text(encoding="utf-8"), re.M)
              for space in found.split("::")}
    return name in TAKEN | folders | spaces


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
    parser.add_argument("--root", type=pathlib.Path, default=CHECKOUT, metavar="FOLDER", help="the checkout (default: this one)")
    options = parser.parse_args()
    if not NAME.fullmatch(options.name):
        sys.exit(f"fmha950: NAME {options.name}: must be small letters, digits and single underscores between, as my_kernel")
    is_of_test = options.name == "sample" and options.root != CHECKOUT
    if is_taken(options.name) and not is_of_test:
        sys.exit(f"fmha950: NAME {options.name}: is taken, by the language, a folder or a namespace")
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
