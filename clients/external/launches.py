"""What a program launched on the embedded device, as its option `launches` writes it down (emulator/hip/launch_log.hpp)."""
import json
import os
import shlex
import struct
import subprocess

import refused


class Launch:
    def __init__(self, entry, folder):
        self.kernel, self.object, self.replay = entry["kernel"], folder / entry["object"], entry["replay"]
        self.grid, self.block, self.lds = entry["grid"], entry["block"], entry["lds"]
        self.arguments = entry["arguments"]
        self.pointers = {each["at"]: each for each in entry["pointers"]}

    def allocations(self):
        return {each["allocation"]: each for each in self.pointers.values()}

    def words(self):
        """(offset, bytes, number or None for an address) of the arguments, each as wide as it is passed."""
        for argument in self.arguments:
            data, at = bytes.fromhex(argument["hex"]), argument["at"]
            if argument["bytes"] <= 8:
                yield at, argument["bytes"], None if at in self.pointers else int.from_bytes(data, "little", signed=True)
                continue
            place = 0
            while place < len(data):  # a struct by value: pointers where there are some, else words
                if at + place in self.pointers:
                    yield at + place, 8, None
                    place += 8
                else:
                    step = min(4, len(data) - place)
                    yield at + place, step, int.from_bytes(data[place:place + step], "little", signed=True)
                    place += step


class Run:
    """The launches of one run, the last of them if only those are wanted, and how often a stream called the host."""

    def __init__(self, file, last):
        entries = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        order = {process: index for index, process in enumerate(dict.fromkeys(entry.get("process") for entry in entries))}
        called = sorted((entry for entry in entries if "kernel" in entry), key=lambda entry: (order[entry["process"]], entry["number"]))
        launched = [Launch(entry, file.parent) for entry in called]
        self.faulted = [entry["faulted"] for entry in entries if "faulted" in entry]
        self.launches = launched[-last:] if last else launched
        self.left_out = len(launched) - len(self.launches)
        self.callbacks = sum("callback" in entry for entry in entries)

    def not_followed(self):
        """What of this run no manifest will do, a text for each."""
        if self.callbacks:
            yield f"not followed: a stream called {self.callbacks} functions of the host"
        known = {}  # allocations as the last launch left them
        for index, launch in enumerate(self.launches):
            for number, entry in sorted(launch.allocations().items()):
                if entry["addresses"]:
                    yield (f"not followed: launch {index}, {launch.kernel}: allocation {number} held {entry['addresses']} words that are "
                           "addresses: where they lead is not known")
                if number in known and known[number][1] != entry["before"]:
                    yield (f"not followed: something else wrote allocation {number} between launches {known[number][0]} and {index}: "
                           "a memset (\"zero\" of a workspace), a copy, the host")
                known[number] = (index, entry["after"])
        if replayed := [index for index, launch in enumerate(self.launches) if launch.replay]:
            yield f"launches {replayed} are those of a graph that was replayed; --last N keeps the last N of all"


def as_float(number):
    """The fp32 that a word of 32 bits may be, if it looks like one: neither tiny nor huge."""
    value = struct.unpack("<f", struct.pack("<i", number))[0]
    # A power of two in integers is as often one: windows without an end.
    looks = value == value and 1e-6 < abs(value) < 1e6 and abs(number) > 1 << 20 and abs(number) & (abs(number) - 1) != 0
    return value if looks else None


def run(command, device, folder, last):
    """Runs the program on the drop-in runtime; gives its launches in order. Raises Refused."""
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{device}:{os.environ.get('LD_LIBRARY_PATH', '')}", FMHA950_LAUNCHES=str(folder))
    try:
        ended = subprocess.run(shlex.split(command), env=environment, capture_output=True, text=True, errors="replace", check=False)
    except (OSError, ValueError, IndexError) as error:  # no such program; an open quote, a zero byte; no word
        raise refused.Refused(f"--vary = {command}: must be a program with its arguments: {error}") from None
    said = " | ".join(ended.stderr.strip().splitlines()[-3:])
    found = Run(folder / "launches.jsonl", last)
    if found.faulted:
        raise refused.Refused(f"--vary = {command}: must run without a fault, and kernel {found.faulted[0]} has one; it said: {said}")
    if ended.returncode != 0:
        raise refused.Refused(f"--vary = {command}: must end with exit code 0, not {ended.returncode}; it said: {said}")
    if not found.launches:
        raise refused.Refused(f"--vary = {command}: must launch a kernel through the embedded device's libamdhip64, and launched none")
    return found


def require_the_same(values, kernels):
    """Of each run its (kernel, object): all must be those of the first."""
    for index, of_run in enumerate(kernels[1:], 1):
        if of_run == kernels[0]:
            continue
        mistake = f"--with = {values[index]}: must launch the same kernels as {values[0]}: "
        if sorted(of_run) == sorted(kernels[0]):
            raise refused.Refused(f"{mistake}they come in another order: several threads launch them. Let one thread do it")
        symbols = [[kernel for kernel, _ in each] for each in (kernels[0], of_run)]
        if symbols[0] != symbols[1]:
            raise refused.Refused(f"{mistake}{symbols[0]}, not {symbols[1]}. --last N leaves out what an autotuner tries before")
        raise refused.Refused(f"{mistake}they have the names {symbols[0]}, but were built anew. Triton does so where a number is 1, or a "
                              "multiple of 16, in some runs only, and where an autotuner chose otherwise: vary other sizes, or capture "
                              "each kernel by itself")


def run_all(template, values_of_runs, device, scratch, last=0):
    """Each run; the same kernels in the same order. Their objects stay in `scratch`."""
    all_runs = []
    for index, values in enumerate(values_of_runs):
        try:
            command = template.format(**values)
        except (KeyError, IndexError, ValueError, AttributeError, TypeError) as error:
            raise refused.Refused(f"--vary = {template}: must name in braces what --with gives ({', '.join(values)}): {error}") from None
        all_runs.append(run(command, device, scratch / str(index), last))
    require_the_same(values_of_runs, [[(launch.kernel, launch.object.name) for launch in each.launches] for each in all_runs])
    return all_runs
