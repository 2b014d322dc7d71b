"""rocminfo.py TREE: the system's agents as ROCm's rocminfo prints them; the GPU is the embedded device. A line that the device has no
answer for is left out, rather than invented."""
import json
import os
import pathlib
import sys

from device_facts import processor


def cpu_name():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return "CPU"


def both(number):
    return f"{number}(0x{number:x})"


def agent(number, fields):
    yield from ("*" * 7, f"Agent {number}", "*" * 7)
    for name, value in fields:
        yield f"  {name + ':':<25}{value}"


def lines(facts):
    yield from ("=" * 21, "HSA System Attributes", "=" * 21)
    yield f"{'Machine Model:':<25}LARGE"
    yield f"{'System Endianness:':<25}LITTLE"
    yield from ("", "=" * 10, "HSA Agents", "=" * 10)
    yield from agent(1, [("Name", cpu_name()), ("Marketing Name", cpu_name()), ("Vendor Name", "CPU"), ("Node", 0), ("Device Type", "CPU"),
                         ("Compute Unit", os.cpu_count())])
    # The order is ROCm's: programs take the first line with a gfx for the name, and what follows `Agent 2` for the GPU's.
    yield from agent(2, [("Name", processor(facts)), ("Uuid", f"GPU-{facts['uuid']}"), ("Marketing Name", facts["name"]), ("Vendor Name", "AMD"),
                         ("Feature", "KERNEL_DISPATCH"), ("Profile", "BASE_PROFILE"), ("Node", 1), ("Device Type", "GPU")])
    yield "  Cache Info:"
    yield f"    {'L2:':<23}{both(facts['l2_bytes'] >> 10)} KB"
    for name, value in (("Max Clock Freq. (MHz)", facts["clock_khz"] // 1000), ("Compute Unit", facts["compute_units"]),
                        ("Wavefront Size", both(facts["wave_size"])), ("Workgroup Max Size", both(facts["workgroup_items"])),
                        ("Max Waves Per CU", both(facts["cu_items"] // facts["wave_size"])), ("Max Work-item Per CU", both(facts["cu_items"]))):
        yield f"  {name + ':':<25}{value}"
    yield "  Pool Info:"
    for pool, (segment, size) in enumerate((("GLOBAL; FLAGS: COARSE GRAINED", facts["memory_bytes"]), ("GROUP", facts["lds_bytes"])), 1):
        yield from (f"    Pool {pool}", f"      {'Segment:':<25}{segment}", f"      {'Size:':<25}{both(size >> 10)} KB")
    yield from ("  ISA Info:", "    ISA 1", f"      {'Name:':<25}amdgcn-amd-amdhsa--{facts['architecture']}", "*** Done ***")


def main(tree, *_):  # ROCm's has no options and does not mind any
    print("\n".join(lines(json.loads((pathlib.Path(tree) / "share/fmha950/device.json").read_text(encoding="utf-8")))))


if __name__ == "__main__":
    main(*sys.argv[1:])
