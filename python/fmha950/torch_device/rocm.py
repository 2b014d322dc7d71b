"""What Triton, FlyDSL and their like look for besides torch: a ROCM_PATH, ROCm's tools, a linker."""

import os
import pathlib

from fmha950.program import start
from fmha950.torch_device.hip import hip


def install():
    """Whatever is set stays. What cannot be made is left out: most programs do without, and those that do not say what they miss."""
    os.environ.setdefault("TRITON_LIBHIP_PATH", str(hip.path))
    if "ROCM_PATH" not in os.environ:
        code, path, _ = start(["device", "rocm-path", "--quiet"])
        if code != 0:
            return
        os.environ["ROCM_PATH"] = path.strip()
        os.environ["PATH"] = f"{path.strip()}/bin{os.pathsep}{os.environ.get('PATH', '')}"
    linker = pathlib.Path(os.environ["ROCM_PATH"]) / "llvm/bin/ld.lld"
    if linker.is_file():
        os.environ.setdefault("TRITON_HIP_LLD_PATH", str(linker))
