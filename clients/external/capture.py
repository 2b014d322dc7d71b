"""capture.py DEVICE --name NAME --vary 'PROGRAM {sq} {sk}' --with sq=256,512,384 --with sk=... [--is sq=NAME] [--map NAME=ALLOCATION] --to FOLDER

Runs a program at least three times on the embedded device and writes FOLDER/NAME.json: a manifest of what it launched
(docs/your_kernel.md, "From a running program"). Numbers that changed come with the expressions that fit all runs."""
import argparse
import json
import pathlib
import re
import shutil
import sys
import tempfile

import fits
import launches
import refused

# What --with usually calls things, and their names in manifests.
USUAL = {"sq": "max_query_length", "sk": "max_key_length", "b": "batch", "batch": "batch", "hq": "query_heads", "hkv": "kv_heads",
         "d": "head_dim", "page": "page_size"}


def pairs(option, texts):
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier() or not value:
            raise refused.Refused(f"--{option} = {text}: must be NAME=VALUE")
        yield name, value


def varied(texts):
    """A dict for each run."""
    values = {}
    for name, numbers in pairs("with", texts):
        try:
            values[name] = [int(number) for number in numbers.split(",")]
        except ValueError:
            raise refused.Refused(f"--with = {name}={numbers}: must be whole numbers, separated by commas") from None
    counts = {len(numbers) for numbers in values.values()}
    if len(counts) != 1 or min(counts) < 3:
        raise refused.Refused(f"--with = {texts}: must give each name as many values, and at least three: two points lie on any line")
    return [dict(zip(values, row)) for row in zip(*values.values())]


class Writer:
    """Makes expressions of numbers, and keeps what is not sure."""

    def __init__(self, runs, names):
        self.runs, self.names, self.notes = runs, names, []

    def expression(self, what, values):
        named = [{self.names[key]: value for key, value in run.items()} for run in self.runs]
        found = fits.fits(named, values)
        if not found:
            self.notes.append(f"no fit: {what} was {values}")
            return "?"
        if len(found) > 1:
            self.notes.append(f"ambiguous: {what} may be {' or '.join(found)}")
        return found[0]

    def size(self, what, values):
        text = self.expression(what, values)
        return int(text) if text.lstrip("-").isdigit() else text


def pointer(launches_of_run, offset, mapped, writer, what):
    entries = [launch.pointers[offset] for launch in launches_of_run]
    numbers = {entry["allocation"] for entry in entries}
    if len(numbers) != 1:
        writer.notes.append(f"no fit: {what} points to allocations {sorted(numbers)}")
        return "ptr:?"
    number = numbers.pop()
    size = writer.expression(f"the size of allocation {number}", [entry["size"] for entry in entries])
    within = writer.expression(f"{what}'s offset in allocation {number}", [entry["offset"] for entry in entries])
    if number not in mapped:
        writer.notes.append(f"not mapped: {what} is allocation {number} of {size} bytes: --map NAME={number}")
        return "ptr:?"
    return f"ptr:{mapped[number]}" + (f" + {within}" if within != "0" else "")


def argument(of_runs, offset, width, values, mapped, writer, is_buffer):
    what = f"the argument at {offset}"
    if is_buffer and not any(values) and None not in values:
        return "ptr:null"
    if any(value is None for value in values):
        if any(value is not None for value in values):
            writer.notes.append(f"no fit: {what} is an address in some runs only")
            return "ptr:?"
        return pointer(of_runs, offset, mapped, writer, what)
    real = launches.as_float(values[0]) if width == 4 and len(set(values)) == 1 else None
    if real is not None:
        return f"f32:{real:.9g}"
    kind = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}.get(width, "i32")
    return f"{kind}:{writer.expression(what, values)}"


def launch_entry(of_runs, mapped, writer):
    first, arguments = of_runs[0], []
    words = [list(launch.words()) for launch in of_runs]
    for argument_form in first.arguments:
        begin, end = argument_form["at"], argument_form["at"] + argument_form["bytes"]
        is_buffer = argument_form["kind"] == "global_buffer"
        fields = [argument(of_runs, at, width, [row[index][2] for row in words], mapped, writer, is_buffer)
                  for index, (at, width, _) in enumerate(words[0]) if begin <= at < end]
        arguments.append(fields[0] if argument_form["bytes"] <= 8 else {"struct": fields})
    if len(first.arguments) == 1 and first.arguments[0]["kind"] == "unknown":
        arguments = arguments[0]["struct"] if isinstance(arguments[0], dict) else arguments
    axes = [writer.size(f"grid {axis}", [launch.grid[index] for launch in of_runs]) for index, axis in enumerate("xyz")]
    block = [writer.size(f"block {axis}", [launch.block[index] for launch in of_runs]) for index, axis in enumerate("xyz")]
    return {"object": first.object.name, "symbol": first.kernel, "grid": axes, "block": block,
            "lds": writer.size("dynamic LDS", [launch.lds for launch in of_runs]), "arguments": arguments, "rows": "all"}


def capture(options, device):
    runs = varied(options.with_values)
    names = {name: USUAL.get(name, name) for name in runs[0]} | dict(pairs("is", options.is_names))
    mapped = {}
    for name, number in pairs("map", options.map):
        if not number.isdigit():
            raise refused.Refused(f"--map = {name}={number}: must be NAME=NUMBER, the allocation's")
        mapped[int(number)] = name
    if not re.fullmatch(r"[A-Za-z_]\w{0,63}", options.name):
        raise refused.Refused(f"--name = {options.name}: must be a name of letters, digits and _, at most 64")
    to = pathlib.Path(options.to)
    file = to / f"{options.name}.json"
    if file.exists() and not options.overwrite:
        raise refused.Refused(f"--to = {file}: must be a new file, or --overwrite: someone may have edited it")
    with tempfile.TemporaryDirectory(prefix="fmha950-capture-") as scratch:
        write(options, runs, names, mapped, launches.run_all(options.vary, runs, device, pathlib.Path(scratch)), file)


def write(options, runs, names, mapped, of_runs, file):
    to = file.parent
    to.mkdir(parents=True, exist_ok=True)
    seen = {pointer["allocation"] for launch in of_runs[0] for pointer in launch.pointers.values()}
    if unknown := [f"{name}={number}" for number, name in mapped.items() if number not in seen]:
        raise refused.Refused(f"--map = {unknown[0]}: must be an allocation that a launch was given: {sorted(seen)}")
    entries = []
    for index in range(len(of_runs[0])):
        writer = Writer(runs, names)
        of_launch = [each[index] for each in of_runs]
        entry = launch_entry(of_launch, mapped, writer)
        entries.append({"$comment": writer.notes, **entry} if writer.notes else entry)
        shutil.copy(of_launch[0].object, to / of_launch[0].object.name)
        for note in writer.notes:
            print(f"launch {index}, {entry['symbol']}: {note}")
    manifest = {"schema": 1, "name": options.name, "description": f"captured from {options.vary}", "operator": "batch_prefill",
                "needs": ["head_dim == 128", "quant == 'none'"], "launches": entries,
                "judged": {"p": "bf16", "sum": "unrounded", "tile_rows": 128, "tile_keys": 64}}
    file.write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"{file}: {len(entries)} launches. Look at needs, rows and judged, which no run can tell")


def main(arguments):
    device, arguments = arguments[0], arguments[1:]
    parser = argparse.ArgumentParser(prog="fmha950 external capture", description=__doc__.split("\n\n")[1])
    parser.add_argument("--name", required=True, help="of the implementation, external:NAME")
    parser.add_argument("--vary", required=True, metavar="PROGRAM", help="command line with {name} for what is varied")
    parser.add_argument("--with", dest="with_values", action="append", required=True, metavar="NAME=V,V,V", help="values of each run")
    parser.add_argument("--is", dest="is_names", action="append", default=[], metavar="NAME=NAME", help="what a varied name is in manifests")
    parser.add_argument("--map", action="append", default=[], metavar="NAME=ALLOCATION", help="which tensor an allocation is")
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
