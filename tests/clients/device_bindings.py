"""What others bind to in the device's library, by the dynamic loader's own account (LD_DEBUG=bindings)."""

import os
import re
import subprocess
import sys
import tempfile

# `fmha950 python` sets the first, `device python` the other before torch is imported.
DEVICE = os.environ.get("TRITON_LIBHIP_PATH") or os.path.join(os.environ["FMHA950_DEVICE_DIR"], "libamdhip64.so")
OPEN = f"import ctypes; ctypes.CDLL({DEVICE!r}, mode=ctypes.RTLD_GLOBAL)"
PRELOADED = {"LD_PRELOAD": DEVICE}
OURS = re.compile(r"(hip|__hip|fmha950|_Z24hipExtModuleLaunchKernel)")
BINDING = re.compile(r"binding file (\S+) \[\d+\] to (\S*libamdhip64\S*) \[\d+\]: \S+ symbol `([^']+)'")


def bindings(code, environment):
    """Names that a Python program binds to; ends this one if that fails."""
    with tempfile.TemporaryDirectory() as folder:
        debug = {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": os.path.join(folder, "loader")}
        ran = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env={**os.environ, **environment, **debug}, capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
        found = set()
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as lines:
                for match in filter(None, map(BINDING.search, lines)):
                    if "libamdhip64" not in match[1]:
                        found.add(match[3])
        return found


def require_own_names(ways):
    """Of each way, its name: (code, environment), that nobody binds to anything of the device's but HIP's names and its own. Ends with what is wrong."""
    called = "import ctypes; ctypes.CDLL(None).hipGetDeviceCount(ctypes.byref(ctypes.c_int()))"
    if bindings(called, PRELOADED) != {"hipGetDeviceCount"}:
        sys.exit("a call of hipGetDeviceCount is not seen as a binding to the device")
    for way, (code, environment) in ways.items():
        names = bindings(code, environment)
        foreign = {name for name in names if not OURS.match(name)}
        print(f"{way}: {len(names)} names of the device are bound to, {len(foreign)} of them not its own", flush=True)
        if foreign:
            sys.exit(f"{way}: must not be bound to: {', '.join(sorted(foreign)[:10])}")
