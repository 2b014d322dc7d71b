"""device_facts.py LIBRARY: what the device says of itself through HIP, as a line of JSON. Python's own library alone.

Nothing of it is written down here: names and numbers come from the library, so tools that repeat them agree with it.
"""
import ctypes
import json
import sys

# hipDeviceAttribute_t of hip_runtime_api.h, the same in HIP 5.2 to 7.
ATTRIBUTES = {"compute_units": 63, "wave_size": 87, "lds_bytes": 74, "clock_khz": 5, "workgroup_items": 56, "cu_items": 57, "l2_bytes": 19,
              "memory_bus_bits": 59}
PROPERTIES_BYTES, ARCHITECTURE_AT, NAME_BYTES = 1472, 1160, 256  # hipDeviceProp_tR0600 and its gcnArchName (emulator/hip/properties.hpp)


class Refused(RuntimeError):
    """A HIP call failed; the device's own words where it has any."""


def query(path):
    """The facts of device 0 of the HIP library at `path`. Raises OSError if it cannot be loaded, Refused if a call fails."""
    library = ctypes.CDLL(path)

    def call(name, *arguments):
        if error := getattr(library, name)(*arguments):
            detail = b""
            if hasattr(library, "fmha950LastErrorDetail"):
                library.fmha950LastErrorDetail.restype = ctypes.c_char_p
                detail = library.fmha950LastErrorDetail()
            raise Refused(detail.decode() or f"{name} returned {error}")

    def number(name, *arguments, kind=ctypes.c_int):
        value = kind()
        call(name, ctypes.byref(value), *arguments)
        return value.value

    def text(name, size=NAME_BYTES):
        buffer = ctypes.create_string_buffer(size + 1)
        call(name, buffer, *(() if name == "hipDeviceGetUuid" else (size,)), 0)
        return buffer.value.decode()

    version = number("hipRuntimeGetVersion")
    properties = ctypes.create_string_buffer(PROPERTIES_BYTES)
    call("hipGetDevicePropertiesR0600", properties, 0)
    architecture = properties.raw[ARCHITECTURE_AT:ARCHITECTURE_AT + NAME_BYTES].split(b"\0")[0].decode()
    return {
        "name": text("hipDeviceGetName"),
        "architecture": architecture,  # with features: gfx950:sramecc+:xnack-
        "uuid": text("hipDeviceGetUuid", 16),
        "bus_id": text("hipDeviceGetPCIBusId"),
        "memory_bytes": number("hipDeviceTotalMem", 0, kind=ctypes.c_size_t),
        "version": f"{version // 10_000_000}.{version // 100_000 % 100}.{version % 100_000}",  # hip_version.h: HIP_VERSION
        "devices": number("hipGetDeviceCount"),
        **{name: number("hipDeviceGetAttribute", attribute, 0) for name, attribute in ATTRIBUTES.items()},
    }


def processor(facts):
    """The architecture without its features."""
    return facts["architecture"].partition(":")[0]


if __name__ == "__main__":
    try:
        print(json.dumps(query(sys.argv[1])))
    except (OSError, Refused) as error:
        sys.exit(str(error))
