"""Which torch the layer is for. Asks torch for no more than its version and whether it sees a GPU."""

import os

from fmha950.program import Error

# Minor versions, from and to. The tests have passed with 1.13.1 of Debian and with 2.6.0, 2.8.0 and 2.9.1 of PyPI.
KNOWN = (((1, 13), (1, 13)), ((2, 6), (2, 9)))


def require_version(text):
    """The layer uses functions that torch does not promise to keep."""
    version = tuple(int(part) for part in text.split("+")[0].split(".")[:2])
    if not any(first <= version <= last for first, last in KNOWN):
        raise Error(f"torch {text}: fmha950's layer is for torch 1.13 and 2.6 to 2.9: pip install torch==2.8.0")


def require_no_gpu(is_available, version_hip):
    """A program must know where it computes. FMHA950_EMBEDDED=1 (device python --embedded) says that it is the embedded device."""
    if version_hip is not None:
        raise Error("torch is a ROCm build, which brings a HIP runtime of its own: install the build of PyPI (pip install torch)")
    if os.environ.get("FMHA950_EMBEDDED") != "1" and is_available():
        raise Error("torch sees a GPU: it would be hidden behind the embedded device: say --embedded (or FMHA950_EMBEDDED=1) if that is "
                    "what you want, or run the program without fmha950")
