"""What a code object says of its kernels: the MessagePack of its metadata note (LLVM AMDGPUUsage, "Code Object V3 and later Metadata").

Read here, as an installation need not have LLVM's programs.
"""

import struct

ELF, PT_NOTE, NT_AMDGPU_METADATA = b"\x7fELF\x02\x01", 4, 32  # 64 bits, little-endian
SIZES = {0: "B", 1: "H", 2: "I", 3: "Q"}


class BadCodeObject(Exception):
    """The message says what is wrong."""


class _Unpacker:
    """MessagePack, of which metadata has maps, arrays, texts, numbers that are whole, true, false and nil."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        part = self.data[self.place:self.place + count]
        if len(part) < count:
            raise BadCodeObject("its metadata end too early")
        self.place += count
        return part

    def number(self, form):
        return struct.unpack(f">{form}", self.take(struct.calcsize(form)))[0]

    def text(self, length):
        return self.take(length).decode("utf-8", "replace")

    def array(self, length):
        return [self.value() for _ in range(length)]

    def map(self, length):
        return {self.value(): self.value() for _ in range(length)}

    def value(self):
        tag = self.take(1)[0]
        if tag < 0x80 or tag >= 0xe0:
            return tag if tag < 0x80 else tag - 0x100
        if tag < 0xc0:
            return self.map(tag & 15) if tag < 0x90 else self.array(tag & 15) if tag < 0xa0 else self.text(tag & 31)
        if tag in (0xc0, 0xc2, 0xc3):
            return {0xc0: None, 0xc2: False, 0xc3: True}[tag]
        if 0xcc <= tag <= 0xd3:
            form = SIZES[(tag - 0xcc) % 4]
            return self.number(form if tag < 0xd0 else form.lower())
        for first, count, kind in ((0xd9, 3, self.text), (0xdc, 2, self.array), (0xde, 2, self.map)):
            if first <= tag < first + count:
                return kind(self.number(SIZES[tag - first + (count == 2)]))
        raise BadCodeObject(f"its metadata have a form that is not known, 0x{tag:02x}")


def _notes(data):
    """(owner, kind, contents) of each note of an ELF file."""
    offset, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for place in range(offset, offset + size * count, size):
        kind, _, start, _, _, length = struct.unpack_from("<IIQQQQ", data, place)
        end = start + length
        while kind == PT_NOTE and start + 12 <= end:
            name, contents, of = struct.unpack_from("<III", data, start)
            start += 12
            after = start + (name + 3) // 4 * 4
            yield data[start:start + name].rstrip(b"\0"), of, data[after:after + contents]
            start = after + (contents + 3) // 4 * 4


def kernels(path):
    """{kernel: {key without its dot: value}}. Raises BadCodeObject, which names the file."""
    data = path.read_bytes()
    try:
        if not data.startswith(ELF):
            raise BadCodeObject("it is no ELF file of 64 bits")
        for owner, kind, contents in _notes(data):
            if (owner, kind) == (b"AMDGPU", NT_AMDGPU_METADATA):
                listed = _Unpacker(contents).value()["amdhsa.kernels"]
                return {kernel[".name"]: {key.removeprefix("."): value for key, value in kernel.items()} for kernel in listed}
        raise BadCodeObject("it has no metadata")
    except (BadCodeObject, struct.error, KeyError, TypeError, AttributeError) as error:
        raise BadCodeObject(f"{path}: no metadata of kernels can be read: {error}") from error
