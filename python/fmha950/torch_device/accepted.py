"""Which torch the layer is for. Asks torch for no more than its version and whether it sees a GPU."""

import os

from fmha950.program import Error
from fmha950.torch_versions import SPAN, is_known


def require_version(text):
    if not is_known(text):
        raise Error(f"torch {text}: fmha950's layer is for torch {SPAN}: pip install torch==2.8.0")


def require_no_gpu(is_available, version_hip):
    """A program must know where it computes. FMHA950_EMBEDDED=1 (device python --embedded) says that it is the embedded device."""
    if version_hip is not None:
        raise Error("torch is a ROCm build, which brings a HIP runtime of its own: install the build of PyPI (pip install torch)")
    if os.environ.get("FMHA950_EMBEDDED") != "1" and is_available():
        raise Error("torch sees a GPU: it would be hidden behind the embedded device: say --embedded (or FMHA950_EMBEDDED=1) if that is "
                    "what you want, or run the program without fmha950")
