#!/usr/bin/env python3
"""./fmha950 new-variant NAME: a folder that compiles and passes accuracy, with its kernels, plan, mutants and tests."""

import argparse
import pathlib
import re
import subprocess
import sys

import baseline_variant
import minimal_variant

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {"minimal": minimal_variant, "baseline": baseline_variant}
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# Words of C++ that look like names, and of --impl.
WORDS = set("""
    alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const consteval constexpr constinit
    continue decltype default delete do double else enum explicit export extern false final float for friend goto if import
    inline int long module mutable namespace new noexcept not nullptr operator or override private protected public register
    requires return short signed sizeof static struct switch template this throw true try typedef typeid typename union unsigned
    using virtual void volatile while xor std main all
""".split())


REGISTERED = r'name\(\) const override \{ return "(\w+)"'
CODE_OBJECT = r"_code_object\(NAME (\w+)"


def found_in(pattern, files):
    return {word for path in files for found in re.findall(pattern, path.read_text(encoding="utf-8"), re.M)
            for word in found.split("::")}


def registered(root):
    """Names of implementations and code objects, which must differ from each other's of their kind."""
    return found_in(REGISTERED, root.glob("impl_*/**/*.cpp")), found_in(CODE_OBJECT, root.glob("impl_*/CMakeLists.txt"))


def is_taken(name):
    """By the language, a folder, a namespace (the variant is one of its own), an implementation or a code object."""
    folders = {path.name for path in CHECKOUT.iterdir() if path.is_dir()}
    headers = (path for folder in folders if not folder.startswith((".", "build")) for path in (CHECKOUT / folder).glob("**/*.hpp"))
    return (name in WORDS | folders | found_in(r"^namespace ([\w:]+)", headers)
            or any(name in names for names in registered(CHECKOUT)))


def refuse(field, value, why):
    sys.exit(f"fmha950: {field} {value}: {why}")


def check(options):
    name, operator, origin = options.name, options.operator, options.origin
    if not NAME.fullmatch(name):
        refuse("NAME", name, "must be small letters, digits and single underscores between, as my_kernel")
    if origin not in KINDS:
        refuse("--from", origin, f"must be {' or '.join(KINDS)}")
    if operator not in minimal_variant.OPERATORS:
        refuse("--operator", operator, f"must be one of {', '.join(minimal_variant.OPERATORS)}")
    if operator not in KINDS[origin].OPERATORS:
        refuse("--operator", operator, f"{origin} has no kernels of it: must be {' or '.join(KINDS[origin].OPERATORS)}, or --from minimal")
    # Such names are those of the test of this script, which writes elsewhere.
    if is_taken(name) or (name.split("_")[0] == "sample" and options.root == CHECKOUT):
        refuse("NAME", name, "is taken, by the language, a folder, a namespace, an implementation or a code object")
    for folder in (f"impl_{name}", f"tests/impl_{name}"):
        if (options.root / folder).exists():
            refuse("NAME", name, f"{options.root / folder} exists, nothing was written")


def formatted(text, path):
    """As CI wants it: lines are longer or shorter under another name."""
    programs = sorted(pathlib.Path("/usr/bin").glob("clang-format-2[0-9]"))
    if not programs or pathlib.Path(path).suffix not in (".cpp", ".hpp", ".hip"):
        return text
    command = [programs[-1], f"--style=file:{CHECKOUT / '.clang-format'}", f"--assume-filename={path}"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(prog="./fmha950 new-variant", description=__doc__.split(": ", 1)[1])
    parser.add_argument("name", metavar="NAME", help="of the implementation: small letters, digits, single underscores between")
    parser.add_argument("--operator", default="batch_prefill", metavar="OPERATOR",
                        help=f"what it computes: {', '.join(minimal_variant.OPERATORS)} (default: batch_prefill)")
    parser.add_argument("--from", dest="origin", default="minimal", metavar="KIND",
                        help="minimal: one wave a row; baseline: a copy of baseline's kernels of the operator (default: minimal)")
    parser.add_argument("--root", type=pathlib.Path, default=CHECKOUT, metavar="FOLDER", help="the checkout (default: this one)")
    options = parser.parse_args()
    check(options)
    class_name = "".join(part.capitalize() for part in options.name.split("_"))
    files = {path: formatted(text, path) for path, text in KINDS[options.origin].files_of(options.name, class_name, options.operator)}
    # What the files name beside NAME, as NAME_two_launch.
    for pattern, names in zip((REGISTERED, CODE_OBJECT), registered(options.root)):
        for text in files.values():
            for taken in names & set(re.findall(pattern, text)):
                refuse("NAME", options.name, f"would need the name {taken}, which is taken; nothing was written")
    for path, text in sorted(files.items()):
        (options.root / path).parent.mkdir(parents=True, exist_ok=True)
        (options.root / path).write_text(text, encoding="utf-8")
        print(path)
    case = minimal_variant.OPERATORS[options.operator].case
    print(f"next: ./fmha950 accuracy {case} --impl {options.name}   (docs/add_a_variant.md)")


if __name__ == "__main__":
    main()
