"""The embedded device of this process, through the library that the process itself has loaded (emulator/hip/extensions.hpp)."""

import ctypes
import json
import os
from pathlib import Path

SONAME = "libamdhip64.so"


class Refused(Exception):
    """What the device says of a call that failed."""


class LoadedDevice:
    @classmethod
    def find(cls):
        """The device, or None: the process has not loaded the library, or has that of a GPU. Loads nothing."""
        try:
            library = ctypes.CDLL(SONAME, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        except OSError:
            return None
        return cls(library) if hasattr(library, "fmha950Hazards") else None

    def __init__(self, library):
        self._library = library
        for name in ("fmha950Hazards", "fmha950LastFault", "fmha950LastErrorDetail"):
            getattr(library, name).restype = ctypes.c_char_p

    def set_option(self, name: str, value: str):
        if self._library.fmha950SetOption(name.encode(), os.fsencode(value)):
            raise Refused(self._library.fmha950LastErrorDetail().decode())

    def wait(self):
        """For all streams. Unlike hipDeviceSynchronize the question, any will do, leaves no error of a fault with the thread."""
        self._library.fmha950Hazards(b"clamped")

    def findings(self) -> list[dict]:
        """What the checks have found since `clear`, less what is accepted."""
        return [json.loads(line) for line in self._library.fmha950Hazards(b"json").decode().splitlines()]

    def findings_but(self, accepted: Path, otherwise: str) -> list[dict]:
        """Likewise, less what the file `accepted` accepts. `otherwise`: the file that holds before and after, or ""."""
        try:
            self.set_option("suppress", str(accepted))
            return self.findings()
        finally:
            self.set_option("suppress", otherwise)

    def clear(self):
        self._library.fmha950ClearHazards()

    def take_fault(self) -> str:
        """Text of the fault that has stopped the device, which then goes on; "" if it is healthy."""
        text = self._library.fmha950LastFault().decode()
        if text:
            self._library.fmha950ClearFault()
            self._library.hipGetLastError()  # this thread's next question is about calls to come
        return text
