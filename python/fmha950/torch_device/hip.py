"""The drop-in runtime through ctypes. Every other process-wide thing that is asked of it goes through `hip`."""

import ctypes
import os
import pathlib

from fmha950.program import Error, launcher

YOUNGEST = "fmha950HostWrotePieces"  # of the device's functions the youngest that is needed


def library_path() -> pathlib.Path:
    """Where `fmha950 device path` says that the library is; FMHA950_DEVICE_DIR names another folder."""
    if folder := os.environ.get("FMHA950_DEVICE_DIR"):
        return pathlib.Path(folder) / "libamdhip64.so"
    home = launcher().parent
    is_checkout = (home / "CMakeLists.txt").is_file()
    return (home / "build/lib/device" if is_checkout else home.parent / "lib/fmha950/lib/device") / "libamdhip64.so"


class Hip:
    """Calls raise RuntimeError in the device's own words. A process that was forked from one that used the device is refused."""

    def __init__(self, path: pathlib.Path):
        if not path.is_file():
            raise Error(f"{path}: is not there: build it (fmha950 build), or set FMHA950_DEVICE_DIR to the folder of libamdhip64.so")
        self.path = path
        self.library = ctypes.CDLL(os.fspath(path))  # in no global scope
        if not hasattr(self.library, YOUNGEST):
            raise Error(f"{path}: has no {YOUNGEST}: must be the library of this version of fmha950 (fmha950 device path)")
        for name in ("fmha950LastErrorDetail", "fmha950LastFault", "fmha950Timings", "hipGetErrorName"):
            getattr(self.library, name).restype = ctypes.c_char_p
        for name in ("fmha950HostRead", "fmha950HostWrote"):
            getattr(self.library, name).argtypes = (ctypes.c_void_p, ctypes.c_size_t)
        for name in ("fmha950HostReadPieces", "fmha950HostWrotePieces"):
            getattr(self.library, name).argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
        self.forked = False
        os.register_at_fork(after_in_child=self._after_fork)

    def _after_fork(self):
        self.forked = True

    def call(self, name, *arguments):
        if self.forked:
            raise RuntimeError("Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
                               "'spawn' start method (fmha950: the embedded device's memory and streams are the parent's)")
        error = getattr(self.library, name)(*arguments)
        if error:
            why = (self.library.fmha950LastFault() or self.library.fmha950LastErrorDetail()).decode()
            raise RuntimeError(f"HIP error: {self.library.hipGetErrorName(error).decode()} of {name}: {why}")

    def value(self, name, kind, *arguments):
        """What a function writes to its first argument, of the ctypes type `kind`."""
        result = kind()
        self.call(name, ctypes.byref(result), *arguments)
        return result.value

    def read(self, pieces):
        """The host reads (address, size) of equal sizes in place: waits for the streams, reports bytes that nobody wrote."""
        pieces = list(pieces)
        if len(pieces) == 1:
            self.call("fmha950HostRead", *pieces[0])
        elif pieces:
            addresses = (ctypes.c_void_p * len(pieces))(*(address for address, _ in pieces))
            self.call("fmha950HostReadPieces", addresses, len(pieces), pieces[0][1])

    def wrote(self, pieces):
        for address, size in pieces:
            self.call("fmha950HostWrote", address, size)

    def read_pieces(self, addresses, size):
        """Likewise of `size` bytes at each of `addresses`, a tensor of int64 on the CPU."""
        self.call("fmha950HostReadPieces", ctypes.c_void_p(addresses.data_ptr()), ctypes.c_size_t(addresses.numel()), ctypes.c_size_t(size))

    def wrote_pieces(self, addresses, size):
        self.call("fmha950HostWrotePieces", ctypes.c_void_p(addresses.data_ptr()), ctypes.c_size_t(addresses.numel()), ctypes.c_size_t(size))

    def take_hazards(self, form="text"):
        """What the hazard checks (FMHA950_CHECK) found since the last call; "" for nothing. Forms: docs/device.md, fmha950Hazards."""
        hazards = self.library.fmha950Hazards
        hazards.restype = ctypes.c_char_p
        found = hazards(form.encode()).decode()
        self.call("fmha950ClearHazards")
        return found

    def synchronize(self):
        self.call("hipDeviceSynchronize")


hip = Hip(library_path())
