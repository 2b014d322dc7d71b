"""What a program launched on the embedded device, as its option `launches` writes it down (emulator/hip/launch_log.hpp)."""
import json
import os
import shlex
import struct
import subprocess

import refused


class Launch:
    def __init__(self, line, folder):
        entry = json.loads(line)
        self.kernel, self.object = entry["kernel"], folder / entry["object"]
        self.grid, self.block, self.lds = entry["grid"], entry["block"], entry["lds"]
        self.arguments = entry["arguments"]
        self.pointers = {each["at"]: each for each in entry["pointers"]}

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


def as_float(number):
    """The fp32 that a word of 32 bits may be, if it looks like one: neither tiny nor huge."""
    value = struct.unpack("<f", struct.pack("<i", number))[0]
    # A power of two in integers is as often one: windows without an end.
    looks = value == value and 1e-6 < abs(value) < 1e6 and abs(number) > 1 << 20 and abs(number) & (abs(number) - 1) != 0
    return value if looks else None


def run(command, device, folder):
    """Runs the program on the drop-in runtime; gives its launches in order. Raises Refused."""
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{device}:{os.environ.get('LD_LIBRARY_PATH', '')}", FMHA950_LAUNCHES=str(folder))
    ended = subprocess.run(shlex.split(command), env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        last = " | ".join(ended.stderr.strip().splitlines()[-3:])
        raise refused.Refused(f"--vary = {command}: must end with exit code 0, not {ended.returncode}; it said: {last}")
    file = folder / "launches.jsonl"
    launches = [Launch(line, folder) for line in file.read_text().splitlines()] if file.exists() else []
    if not launches:
        raise refused.Refused(f"--vary = {command}: must launch a kernel through the embedded device's libamdhip64, and launched none")
    return launches


def run_all(template, runs, device, scratch):
    """The launches of each run, the same kernels in the same order. Their objects stay in `scratch`."""
    all_launches = []
    for index, values in enumerate(runs):
        try:
            command = template.format(**values)
        except (KeyError, IndexError, ValueError) as error:
            raise refused.Refused(f"--vary = {template}: must name in braces what --with gives: {error}") from None
        all_launches.append(run(command, device, scratch / str(index)))
    names = [[(launch.kernel, launch.object.name) for launch in launches] for launches in all_launches]
    for index, of_run in enumerate(names[1:], 1):
        if of_run != names[0]:
            raise refused.Refused(f"--with = {runs[index]}: must launch the same kernels as {runs[0]}: {names[0]}, not {of_run}")
    return all_launches
