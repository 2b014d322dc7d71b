#include "emulator/loader/code_object.hpp"
#include "emulator/loader/elf_image.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>

#include <algorithm>
#include <cstring>

namespace fmha950::loader {
namespace {

namespace elf = llvm::ELF;

template <class T> T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// End of [offset, offset + size), saturated: a corrupt header must not wrap around to a small number.
uint64_t end_of(uint64_t offset, uint64_t size) {
  return offset + size < offset ? UINT64_MAX : offset + size;
}

} // namespace

uint64_t elf_bytes(const std::byte* file, uint64_t available) {
  const auto byte = [&](int i) { return std::to_integer<unsigned>(file[i]); };
  if (available >= 4 && std::memcmp(file, elf::ElfMagic, 4) != 0)
    throw LoadError(fmt::format("not a code object: starts with bytes {:02x} {:02x} {:02x} {:02x}, an ELF "
                                "file starts with 7f 45 4c 46",
                                byte(0), byte(1), byte(2), byte(3)));
  if (available < sizeof(elf::Elf64_Ehdr))
    throw LoadError(fmt::format("truncated code object: {} bytes, an ELF header alone has {}", available,
                                sizeof(elf::Elf64_Ehdr)));
  if (byte(elf::EI_CLASS) != elf::ELFCLASS64 || byte(elf::EI_DATA) != elf::ELFDATA2LSB)
    throw LoadError(fmt::format("ELF class {} with byte order {}, a code object has class 2 (64 bit) and "
                                "byte order 1 (little endian)",
                                byte(elf::EI_CLASS), byte(elf::EI_DATA)));
  const auto header = read<elf::Elf64_Ehdr>(file);
  const uint64_t segments_end = end_of(header.e_phoff, uint64_t{header.e_phnum} * sizeof(elf::Elf64_Phdr));
  const uint64_t sections_end = end_of(header.e_shoff, uint64_t{header.e_shnum} * sizeof(elf::Elf64_Shdr));
  uint64_t bytes = std::max({uint64_t{sizeof header}, segments_end, sections_end});
  if (bytes > available) return bytes;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = read<elf::Elf64_Phdr>(file + header.e_phoff + i * sizeof(elf::Elf64_Phdr));
    bytes = std::max(bytes, end_of(segment.p_offset, segment.p_filesz));
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = read<elf::Elf64_Shdr>(file + header.e_shoff + i * sizeof(elf::Elf64_Shdr));
    if (section.sh_type != elf::SHT_NOBITS)
      bytes = std::max(bytes, end_of(section.sh_offset, section.sh_size));
  }
  return bytes;
}

} // namespace fmha950::loader
