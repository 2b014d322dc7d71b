"""rocm_agent_enumerator.py TREE [-name] [-t TYPE]: the GPUs' architectures, one a line, as ROCm's tool prints them. Older ones print
gfx000 for the CPU, too, which programs skip; this one does not."""
import argparse
import json
import pathlib
import sys

from device_facts import processor


def main(tree, *words):
    parser = argparse.ArgumentParser(prog="rocm_agent_enumerator", description="Architectures of the GPUs")
    parser.add_argument("-name", action="store_true", help="with their features: gfx950:sramecc+:xnack-")
    parser.add_argument("-t", metavar="TYPE", default="GPU", choices=("GPU", "CPU", "ALL"), help="GPU, CPU or ALL; a CPU has no architecture to print")
    asked = parser.parse_args(words)
    facts = json.loads((pathlib.Path(tree) / "share/fmha950/device.json").read_text(encoding="utf-8"))
    for _ in range(facts["devices"] if asked.t != "CPU" else 0):
        print(facts["architecture"] if asked.name else processor(facts))


if __name__ == "__main__":
    main(*sys.argv[1:])
