"""loaded.py NAME: loads a HIP library by this name as a program would, and prints as JSON which file that was, which libLLVM came with
it, and what its device says. A program of its own: what it loads may end it."""
import ctypes
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rocm"))

import device_facts

SPECIFIC = "hipGetDevicePropertiesR0600"  # what device_facts asks, and a HIP of before 6 does not have


class LinkMap(ctypes.Structure):
    """The beginning of the loader's link_map, which a handle of glibc's points to (link.h)."""
    _fields_ = (("address", ctypes.c_void_p), ("name", ctypes.c_char_p))


def file_of(library):
    return ctypes.cast(ctypes.c_void_p(library._handle), ctypes.POINTER(LinkMap)).contents.name.decode()


def mapped(word):
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return sorted({pathlib.Path(line.split()[-1]).name for line in maps if word in line})


def look(name):
    before = mapped("libLLVM")
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        return {"error": str(error)}
    seen = {"file": file_of(library), "llvm": [each for each in mapped("libLLVM") if each not in before], "ours": hasattr(library, "fmha950LastErrorDetail")}
    if not hasattr(library, SPECIFIC):
        return {**seen, "refused": f"it has no {SPECIFIC}: it is no HIP of 6 or later"}
    try:
        return {**seen, "facts": device_facts.query(name)}
    except device_facts.Refused as error:
        return {**seen, "refused": str(error)}


if __name__ == "__main__":
    print(json.dumps(look(sys.argv[1])))
