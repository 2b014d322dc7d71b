"""capture.py DEVICE --name NAME --vary 'PROGRAM {sq} {sk}' --with sq=256,512,384 --with sk=... [--is sq=NAME] [--map NAME=ALLOCATION] --to FOLDER

Runs a program at least three times on the embedded device and writes FOLDER/NAME.json: a manifest of what it launched
(docs/your_kernel.md, "From a running program"). Numbers that changed come with the expressions that fit all runs."""
import argparse
import json
import math
import pathlib
import re
import shutil
import sys
import tempfile

import fits
import launches
import refused
import tensors

# What --with usually calls things, and their names in manifests.
USUAL = {"sq": "max_query_length", "sk": "max_key_length", "b": "batch", "batch": "batch", "hq": "query_heads", "hkv": "kv_heads",
         "d": "head_dim", "page": "page_size"}


# Numbers that manifests have, and words that no name may be.
NUMBERS = {*USUAL.values(), "group", "sink_tokens", "tree_nodes", "total_queries", "kv_bytes", "window_left", "window_right", "scale", "soft_cap", "log2e",
           "k_page_stride", "v_page_stride", "q_descale_value", "k_descale_value", "v_descale_value", "pool_pages", "pool_bytes",
           "block_table_columns"}
WORDS = {"query", "kv", "out", "quant", "table", "layout", "mode", "paged", "strided", "interleaved", "causal", "has_sink_logit", "wants_lse", "requests",
         "and", "or", "not", "in", "if", "else", "for", "min", "max", "sum", "ceil_div", "round_up", "log2", "true", "false", "null"}
A_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def pairs(option, texts):
    seen = set()
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not A_NAME.fullmatch(name) or not value:
            raise refused.Refused(f"--{option} = {text}: must be NAME=VALUE")
        if name in seen:
            raise refused.Refused(f"--{option} = {text}: must say once what {name} is")
        seen.add(name)
        yield name, value


def manifest_names(options, given):
    """What each varied name is in manifests."""
    said = dict(pairs("is", options.is_names))
    for name, meaning in said.items():
        if name not in given:
            raise refused.Refused(f"--is = {name}={meaning}: must be of a name that --with gives: {', '.join(given)}")
        if meaning not in NUMBERS:
            raise refused.Refused(f"--is = {name}={meaning}: must be a number of manifests: {', '.join(sorted(NUMBERS))}")
    names = {name: USUAL.get(name, name) for name in given} | said
    if len(set(names.values())) != len(names):
        raise refused.Refused(f"--is = {' '.join(options.is_names)}: must give each varied name another meaning: {names}")
    return names


def mapped_allocations(texts):
    mapped = {}
    for name, number in pairs("map", texts):
        if not re.fullmatch("[0-9]{1,9}", number):
            raise refused.Refused(f"--map = {name}={number}: must be NAME=NUMBER, the allocation's")
        if name in NUMBERS | WORDS:
            raise refused.Refused(f"--map = {name}={number}: must be a tensor ({', '.join(tensors.POINTERS)}) or a name of your own: "
                                  f"{name} is no pointer")
        if int(number) in mapped:
            raise refused.Refused(f"--map = {name}={number}: must be another allocation: {mapped[int(number)]} is this one")
        mapped[int(number)] = name
    return mapped


def printable(text):
    return "".join(" " if ord(letter) < 32 or ord(letter) == 127 else letter for letter in text)


def varied(texts):
    """A dict for each run, and the names that have one value in all runs."""
    values = {}
    for name, numbers in pairs("with", texts):
        try:
            values[name] = [int(number) for number in numbers.split(",")]
        except ValueError:
            raise refused.Refused(f"--with = {name}={numbers}: must be whole numbers, separated by commas") from None
    counts = {len(numbers) for numbers in values.values() if len(numbers) > 1}
    if len(counts) != 1 or min(counts) < 3:
        raise refused.Refused(f"--with = {texts}: must give each name one value, or as many as the others, and at least three: "
                              "two points lie on any line")
    runs = max(counts)
    fixed = [name for name, numbers in values.items() if len(numbers) == 1]
    return [{name: numbers[index % len(numbers)] for name, numbers in values.items()} for index in range(runs)], fixed


class Writer:
    """Makes expressions of numbers, and keeps what is not sure. `runs`: by names of manifests; `fixed`: names of one value."""

    def __init__(self, runs, fixed, mapped):
        self.runs, self.mapped, self.notes = runs, mapped, []
        self.varied = [{name: value for name, value in run.items() if name not in fixed} for run in runs]

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def expression(self, what, values):
        found = fits.fits(self.varied, values)
        if not found:
            self.note(f"no fit: {what} was {values}")
            return "?"
        if len(found) > 1:
            self.note(f"ambiguous: {what} may be {' or '.join(found)}")
        return found[0]

    def size(self, what, values):
        text = self.expression(what, values)
        return int(text) if text.lstrip("-").isdigit() else text

    def real(self, what, value):
        """An fp32 that was the same in all runs. The usual scale of a softmax follows the case's."""
        if all("head_dim" in run for run in self.runs):
            for text, factor in (("scale", 1), ("scale * log2e", math.log2(math.e))):
                if all(abs(value - factor * run["head_dim"] ** -0.5) <= 1e-6 * value for run in self.runs):
                    return f"f32:{text}"
        self.note(f"a constant: {what} was {value:.9g} in all runs. If it is the scale, write scale, or scale * log2e")
        return f"f32:{value:.9g}"

    def pointer(self, of_runs, offset, what):
        entries = [launch.pointers[offset] for launch in of_runs]
        numbers = {entry["allocation"] for entry in entries}
        if len(numbers) != 1:
            self.note(f"no fit: {what} points to allocations {sorted(numbers)}")
            return "ptr:?"
        number = numbers.pop()
        within = self.expression(f"{what}'s offset in allocation {number}", [entry["offset"] for entry in entries])
        if number in self.mapped:
            return f"ptr:{self.mapped[number]}" + (f" + {within}" if within != "0" else "")
        sizes = fits.fits(self.varied, [entry["size"] for entry in entries])
        size = f"{sizes[0]} bytes" if sizes else f"{', '.join(str(entry['size']) for entry in entries)} bytes"
        told = tensors.proposal(self.runs, entries, number, self.mapped.values()) or f"--map NAME={number}"
        self.note(f"not mapped: {what} is allocation {number} of {size}, {'written' if tensors.is_written(entries) else 'unchanged'}: {told}")
        return "ptr:?"


def argument(of_runs, offset, width, values, writer, is_buffer):
    what = f"the argument at {offset}"
    if is_buffer and not any(values) and None not in values:
        return "ptr:null"  # of Triton too: scratch that a kernel does not use
    if any(value is None for value in values):
        if any(value is not None for value in values):
            writer.note(f"no fit: {what} is an address in some runs only")
            return "ptr:?"
        return writer.pointer(of_runs, offset, what)
    real = launches.as_float(values[0]) if width == 4 and len(set(values)) == 1 else None
    if real is not None:
        return writer.real(what, real)
    kind = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}.get(width, "i32")
    return f"{kind}:{writer.expression(what, values)}"


def launch_entry(of_runs, writer, object_name):
    first, arguments = of_runs[0], []
    words = [list(launch.words()) for launch in of_runs]
    for argument_form in first.arguments:
        begin, end = argument_form["at"], argument_form["at"] + argument_form["bytes"]
        is_buffer = argument_form["kind"] == "global_buffer"
        fields = [argument(of_runs, at, width, [row[index][2] for row in words], writer, is_buffer)
                  for index, (at, width, _) in enumerate(words[0]) if begin <= at < end]
        arguments.append(fields[0] if argument_form["bytes"] <= 8 else {"struct": fields})
    if len(first.arguments) == 1 and first.arguments[0]["kind"] == "unknown":
        arguments = arguments[0]["struct"] if isinstance(arguments[0], dict) else arguments
    axes = [writer.size(f"grid {axis}", [launch.grid[index] for launch in of_runs]) for index, axis in enumerate("xyz")]
    block = [writer.size(f"block {axis}", [launch.block[index] for launch in of_runs]) for index, axis in enumerate("xyz")]
    return {"object": object_name, "symbol": first.kernel, "grid": axes, "block": block,
            "lds": writer.size("dynamic LDS", [launch.lds for launch in of_runs]), "arguments": arguments, "rows": "all"}


def object_names(name, of_run):
    """By what was loaded, names that say what is in it: a digest says nothing to people."""
    names = {}
    for launch in of_run:
        if launch.object in names:
            continue
        base = f"{name}_{re.sub(r'[^A-Za-z0-9_]', '_', launch.kernel)[:40]}"
        count = sum(known == f"{base}.co" or known.startswith(f"{base}.") for known in names.values())
        names[launch.object] = f"{base}.{count + 1}.co" if count else f"{base}.co"
    return names


def workspaces(of_runs, writer):
    """Of names that are no tensors: those that a launch writes are memory of the kernel's own. What it only reads someone must make."""
    spaces = {}
    for number, name in writer.mapped.items():
        entries = [[launch.allocations()[number] for launch in run.launches if number in launch.allocations()] for run in of_runs]
        if name in tensors.POINTERS or not any(map(tensors.is_written, entries)):
            continue
        spaces[name] = {"bytes": writer.size(f"the size of {name}", [each[0]["size"] for each in entries])}
        if all(each[0]["zero"] for each in entries):
            spaces[name]["zero"] = True
    return spaces


def needs(runs, fixed):
    """What the runs had, as far as they say: to be loosened by who knows the kernel."""
    terms = [f"{name} == {runs[0][name]}" for name in ("query_heads", "kv_heads", "head_dim", "page_size", "batch") if name in fixed]
    if not any("batch" in run for run in runs):
        terms.append("batch == 1")
    elif "batch" not in fixed:
        terms.append("total_queries == batch * max_query_length and sum(r.key_length for r in requests) == batch * max_key_length")
    return terms + ["quant == 'none'"]


def capture(options, device):
    values, fixed = varied(options.with_values)
    names = manifest_names(options, list(values[0]))
    for name, meaning in names.items():
        if meaning in USUAL.values() and min(run[name] for run in values) < 1:
            raise refused.Refused(f"--with = {name}={','.join(str(run[name]) for run in values)}: must be 1 or more: it is {meaning}")
    mapped = mapped_allocations(options.map)
    if options.last is not None and options.last < 1:
        raise refused.Refused(f"--last = {options.last}: must be 1 or more")
    if not A_NAME.fullmatch(options.name):
        raise refused.Refused(f"--name = {options.name}: must be a name of letters, digits and _, at most 64")
    to = pathlib.Path(options.to)
    if to.exists() and not to.is_dir():
        raise refused.Refused(f"--to = {to}: must be a folder, and is a file")
    file = to / f"{options.name}.json"
    if file.exists() and not options.overwrite:
        raise refused.Refused(f"--to = {file}: must be a new file, or --overwrite: someone may have edited it")
    with tempfile.TemporaryDirectory(prefix="fmha950-capture-") as scratch:
        of_runs = launches.run_all(options.vary, values, device, pathlib.Path(scratch), options.last or 0)
        runs = [{names.get(name, name): value for name, value in run.items()} for run in values]
        try:
            write(options, runs, [names[name] for name in fixed], mapped, of_runs, file)
        except OSError as error:
            raise refused.Refused(f"--to = {to}: must be a folder that can be written to: {error}") from None


def write(options, runs, fixed, mapped, of_runs, file):
    first, to = of_runs[0].launches, file.parent
    to.mkdir(parents=True, exist_ok=True)
    seen = {number for launch in first for number in launch.allocations()}
    if unknown := [f"{name}={number}" for number, name in mapped.items() if number not in seen]:
        raise refused.Refused(f"--map = {unknown[0]}: must be an allocation that a launch was given: {sorted(seen)}")
    entries, notes, objects = [], list(dict.fromkeys(note for run in of_runs for note in run.not_followed())), object_names(options.name, first)
    for index in range(len(first)):
        writer = Writer(runs, fixed, mapped)
        entry = launch_entry([run.launches[index] for run in of_runs], writer, objects[first[index].object])
        entries.append({"$comment": writer.notes, **entry} if writer.notes else entry)
        notes += [f"launch {index}, {entry['symbol']}: {note}" for note in writer.notes]
    for object_file, name in objects.items():
        shutil.copy(object_file, to / name)
    writer = Writer(runs, fixed, mapped)
    manifest = {"schema": 1, "name": options.name, "description": printable(f"captured from {options.vary}"), "operator": "batch_prefill",
                "needs": needs(runs, fixed), "launches": entries,
                "judged": {"p": "bf16", "sum": "unrounded", "tile_rows": 128, "tile_keys": 64}}
    if spaces := workspaces(of_runs, writer):
        manifest["workspace"] = spaces
    file.write_text(json.dumps(manifest, indent=2) + "\n")
    unknown = [name for name in runs[0] if name not in NUMBERS]
    if unknown:
        notes.append(f"not expressed: {', '.join(unknown)}: no name of manifests. --is {unknown[0]}=NAME says one, or `define` it")
    for note in notes + writer.notes:
        print(note)
    if left_out := {run.left_out for run in of_runs} - {0}:
        print(f"left out: {' or '.join(map(str, sorted(left_out)))} launches before the last {options.last}")
    print(f"{file}: {len(entries)} launches. Look at needs, rows and judged, which no run can tell")


def main(arguments):
    device, arguments = arguments[0], arguments[1:]
    parser = argparse.ArgumentParser(prog="fmha950 external capture", description=__doc__.split("\n\n")[1])
    parser.add_argument("--name", required=True, help="of the implementation, external:NAME")
    parser.add_argument("--vary", required=True, metavar="PROGRAM", help="command line with {name} for what is varied")
    parser.add_argument("--with", dest="with_values", action="append", required=True, metavar="NAME=V,V,V",
                        help="values of each run, or one that all have")
    parser.add_argument("--is", dest="is_names", action="append", default=[], metavar="NAME=NAME", help="what a varied name is in manifests")
    parser.add_argument("--map", action="append", default=[], metavar="NAME=ALLOCATION", help="which tensor an allocation is")
    parser.add_argument("--last", type=int, default=None, metavar="N", help="only the last N launches of each run")
    parser.add_argument("--overwrite", action="store_true", help="replace a manifest that is there")
    parser.add_argument("--to", required=True, metavar="FOLDER", help="where manifest and objects go")
    try:
        capture(parser.parse_args(arguments), device)
    except refused.Refused as error:
        print(f"fmha950: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
