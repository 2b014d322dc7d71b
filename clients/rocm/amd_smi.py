"""amd_smi.py TREE version | list | static [--json | --csv] [-g GPU...] [section]...: what amd-smi says of a GPU that stands still.

What changes while a GPU runs (metric, monitor, process ...) the embedded device does not have: these commands are refused.
"""
import argparse
import csv
import json
import pathlib
import sys

from device_facts import processor

REFUSED = 3
UNKNOWN = "N/A"  # amd-smi's word where a driver has no answer
AMD = {"vendor_id": "0x1002", "vendor_name": "Advanced Micro Devices Inc. [AMD/ATI]"}  # of the PCI register


def listed(facts):
    return {"gpu": 0, "bdf": facts["bus_id"], "uuid": f"GPU-{facts['uuid']}", "kfd_id": UNKNOWN, "node_id": 1, "partition_id": 0}


def sections(facts):
    return {
        "asic": {"market_name": facts["name"], **AMD, "device_id": UNKNOWN, "rev_id": UNKNOWN, "asic_serial": UNKNOWN, "oam_id": UNKNOWN,
                 "num_compute_units": facts["compute_units"], "target_graphics_version": processor(facts)},
        "bus": {"bdf": facts["bus_id"]},
        "driver": {"name": "fmha950", "version": facts["version"]},
        "vram": {"type": UNKNOWN, "vendor": UNKNOWN, "size": {"value": facts["memory_bytes"] >> 20, "unit": "MB"},
                 "bit_width": facts["memory_bus_bits"]},
    }


def text(fields, depth=1):
    for name, value in fields.items():
        if isinstance(value, dict) and set(value) != {"value", "unit"}:
            yield f"{'    ' * depth}{name.upper()}:"
            yield from text(value, depth + 1)
        else:
            yield f"{'    ' * depth}{name.upper()}: {' '.join(map(str, value.values())) if isinstance(value, dict) else value}"


def flat(fields):
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from flat({f"{name}_{inner}" if inner == "unit" else name if inner == "value" else inner: each for inner, each in value.items()})
        else:
            yield name, value


def show(asked, gpu, wrap):
    if asked.json:
        print(json.dumps({"gpu_data": [gpu]} if wrap else [gpu], indent=4))
    elif asked.csv:
        row = dict(flat(gpu))
        writer = csv.DictWriter(sys.stdout, row, lineterminator="\n")
        writer.writeheader()
        writer.writerow(row)
    else:
        print(f"GPU: {gpu['gpu']}", *text({name: value for name, value in gpu.items() if name != "gpu"}), sep="\n")


def main(tree, *words):
    facts = json.loads((pathlib.Path(tree) / "share/fmha950/device.json").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(prog="amd-smi", description="The embedded device of fmha950, as amd-smi shows a GPU; it has no sensors")
    commands = parser.add_subparsers(dest="command", metavar="version | list | static", required=True)
    for name in ("version", "list", "static"):
        command = commands.add_parser(name)
        form = command.add_mutually_exclusive_group()
        for option in ("--json", "--csv"):
            form.add_argument(option, action="store_true")
        if name != "version":
            command.add_argument("-g", "--gpu", nargs="+", default=["0"])
    for name in sections(facts):
        commands.choices["static"].add_argument(f"-{name[0]}", f"--{name}", action="store_true")
    asked = parser.parse_args(words)
    if asked.command == "version":
        versions = {"tool": "fmha950", "rocm_version": facts["version"]}
        print(json.dumps([versions]) if asked.json else " | ".join(f"{name}: {value}" for name, value in versions.items()))
        return 0
    if wrong := [each for each in asked.gpu if each not in ("0", "all", facts["bus_id"], f"GPU-{facts['uuid']}")]:
        print(f"amd-smi: --gpu {wrong[0]}: there is one GPU, 0", file=sys.stderr)
        return REFUSED
    if asked.command == "list":
        show(asked, listed(facts), wrap=False)
        return 0
    chosen = {name: section for name, section in sections(facts).items() if getattr(asked, name)} or sections(facts)
    show(asked, {"gpu": 0, **chosen}, wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
