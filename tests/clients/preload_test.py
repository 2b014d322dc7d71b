"""Triton, which has an LLVM of its own, with the device in the global scope: preloaded, or opened with RTLD_GLOBAL before or after
it. Each way compiles and runs a kernel, and nobody binds to anything of the device's but HIP's names and its own. (With torch and FlyDSL:
torch_device/preload_test.py.)"""
import os

from device_bindings import OPEN, PRELOADED, require_own_names

CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton_vector_add.py")
RUN = f"import runpy, sys; sys.path.insert(0, {os.path.dirname(CLIENT)!r}); runpy.run_path({CLIENT!r})"

require_own_names({
    "preloaded": (RUN, PRELOADED),
    "opened before": (f"{OPEN}; {RUN}", {}),
    "opened after": (f"import triton; {OPEN}; {RUN}", {}),
})
