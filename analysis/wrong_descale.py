#!/usr/bin/python3
"""Copies a case folder (docs/case_folder.md) and makes the descale of one page wrong in the copy.

    wrong_descale.py RIGHT WRONG --key 6400 --factor 1.1 [--of k] [--request 0] [--kv-head 0]

The page is the one that holds the key. `accuracy --load RIGHT --kernel-inputs WRONG` then runs with the wrong descale and judges
by the right one (docs/audit.md).
"""

import argparse
import json
import pathlib
import shutil
import sys

import numpy


class Unsuitable(Exception):
    """The folder has no such page or descale; says which."""


def load(folder, name, manifest):
    return numpy.load(folder / manifest["tensors"][name]["file"])


def page_of(folder, manifest, request, key):
    """Id of the page that holds a key of a request."""
    parts = dict(part.split("=", 1) for part in manifest["case"].split("/") if "=" in part)
    lengths = [int(length) for length in parts["sk"].split(",")] * int(parts.get("b", 1))
    if not 0 <= request < len(lengths):
        raise Unsuitable(f"--request {request}: the case has {len(lengths)}")
    if not 0 <= key < lengths[request]:
        raise Unsuitable(f"--key {key}: request {request} has {lengths[request]} keys")
    place = key // int(parts.get("page", 16))
    if "block_table" in manifest["tensors"]:
        return load(folder, "block_table", manifest)[request, place]
    return load(folder, "kv_page_indices", manifest)[load(folder, "kv_indptr", manifest)[request] + place]


def make_wrong(arguments):
    manifest = json.loads((arguments.right / "manifest.json").read_text(encoding="utf-8"))
    name = f"{arguments.of}_descale"
    descales = load(arguments.right, name, manifest) if name in manifest["tensors"] else numpy.zeros(0)
    if descales.ndim != 2:
        raise Unsuitable(f"{arguments.right}: {name} is not one per page and KV head: the case needs quant=page")
    if not 0 <= arguments.kv_head < descales.shape[1]:
        raise Unsuitable(f"--kv-head {arguments.kv_head}: the case has {descales.shape[1]}")
    page = page_of(arguments.right, manifest, arguments.request, arguments.key)
    shutil.copytree(arguments.right, arguments.wrong)
    descales[page, arguments.kv_head] *= arguments.factor
    numpy.save(arguments.wrong / manifest["tensors"][name]["file"], descales)
    print(f"{name} of page {page}, KV head {arguments.kv_head}: times {arguments.factor}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("right", type=pathlib.Path, help="case folder, made by `fmha950 run CASE --save RIGHT`")
    parser.add_argument("wrong", type=pathlib.Path, help="folder to make")
    parser.add_argument("--key", type=int, required=True, help="a key of the page")
    parser.add_argument("--factor", type=float, required=True, help="what its descale is multiplied with")
    parser.add_argument("--of", choices=("k", "v"), default="v")
    parser.add_argument("--request", type=int, default=0)
    parser.add_argument("--kv-head", type=int, default=0)
    try:
        make_wrong(parser.parse_args())
    except (OSError, ValueError, KeyError, Unsuitable) as error:
        sys.exit(f"wrong_descale.py: {error}")


if __name__ == "__main__":
    main()
