"""torch, Triton and FlyDSL, two of which have an LLVM of their own, with the device in the global scope: preloaded, or opened with RTLD_GLOBAL before
or after them. In either order each compiles and runs a kernel, and nobody binds to anything of the device's but HIP's names and its own."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from device_bindings import OPEN, PRELOADED, require_own_names  # noqa: E402

ORDERS = (("torch", "triton", "flydsl.compiler"), ("flydsl.compiler", "triton", "torch"), ("triton", "torch", "flydsl.compiler"))
RUN = f"""
import sys
sys.path.insert(0, {HERE!r})
import torch
import flydsl_test, kernels, launching
x, y, z = torch.ones(48, 128, device="cuda"), *(torch.empty(48, 128, device="cuda") for _ in range(2))
launching.launch("scale", x.numel(), x, y, 2.0, x.numel())
flydsl_test.copy(y, z, stream=torch.cuda.Stream())
kernels.add[(6,)](x, z, y, x.numel(), BLOCK=1024)
assert (y == 3).all().item()
"""


def code(order, opened=None):
    """`opened`: before or after the imports."""
    imports = [f"import {name}" for name in order]
    return "\n".join([*(OPEN for _ in range(opened == "before")), *imports, *(OPEN for _ in range(opened == "after")), RUN])


ways = {}
for order in ORDERS:
    name = ", ".join(order)
    ways[f"{name}: preloaded"] = (code(order), PRELOADED)
    ways[f"{name}: opened before"] = (code(order, "before"), {})
    ways[f"{name}: opened after"] = (code(order, "after"), {})
require_own_names(ways)
