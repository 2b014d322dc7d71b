"""Triton, which has an LLVM of its own, with the device in the global scope: preloaded, or opened with RTLD_GLOBAL before or after
it. Each way compiles and runs a kernel, and nobody binds to anything of the device's but HIP's names and its own."""
import os
import re
import subprocess
import sys
import tempfile

DEVICE = os.environ["TRITON_LIBHIP_PATH"]
CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton_vector_add.py")
OPEN = f"import ctypes; ctypes.CDLL({DEVICE!r}, mode=ctypes.RTLD_GLOBAL)"
RUN = f"import runpy, sys; sys.path.insert(0, {os.path.dirname(CLIENT)!r}); runpy.run_path({CLIENT!r})"
WAYS = {
    "preloaded": (RUN, {"LD_PRELOAD": DEVICE}),
    "opened before": (f"{OPEN}; {RUN}", {}),
    "opened after": (f"import triton; {OPEN}; {RUN}", {}),
}
OURS = re.compile(r"(hip|__hip|fmha950|_Z24hipExtModuleLaunchKernel)")
BINDING = re.compile(r"binding file (\S+) \[\d+\] to (\S*libamdhip64\S*) \[\d+\]: \S+ symbol `([^']+)'")


def bindings(code, environment):
    """What others bind to in the device, by the dynamic loader's own account."""
    with tempfile.TemporaryDirectory() as folder:
        debug = {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": os.path.join(folder, "loader")}
        ran = subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment, **debug}, capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
        found = set()
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as lines:
                for match in filter(None, map(BINDING.search, lines)):
                    if "libamdhip64" not in match[1]:
                        found.add(match[3])
        return found


def main():
    # What binds to the device by name is seen.
    called = "import ctypes; ctypes.CDLL(None).hipGetDeviceCount(ctypes.byref(ctypes.c_int()))"
    if bindings(called, {"LD_PRELOAD": DEVICE}) != {"hipGetDeviceCount"}:
        sys.exit("a call of hipGetDeviceCount is not seen as a binding to the device")
    for way, (code, environment) in WAYS.items():
        names = bindings(code, environment)
        foreign = {name for name in names if not OURS.match(name)}
        print(f"{way}: {len(names)} names of the device are bound to, {len(foreign)} of them not its own")
        if foreign:
            sys.exit(f"{way}: must not be bound to: {', '.join(sorted(foreign)[:10])}")


main()
