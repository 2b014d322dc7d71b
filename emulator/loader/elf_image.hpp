#pragma once
// The parts of an AMDHSA ELF file that loading needs, checked against the file's size: segments, symbols,
// relocations, the metadata note (LLVM AMDGPUUsage, "ELF Code Object").

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fmha950::loader {

struct Segment { // PT_LOAD
  uint64_t address = 0, memory_bytes = 0;
  std::span<const std::byte> contents; // the rest of memory_bytes is zero
  bool executable = false;
};

struct Symbol {
  std::string name;
  uint64_t address = 0, bytes = 0;
  bool defined = false, weak = false, function = false, object = false;
};

struct Relocation {
  uint64_t address = 0;
  uint32_t type = 0;
  uint32_t symbol = 0; // index into ElfImage::dynamic_symbols
  int64_t addend = 0;
};

struct ElfImage {
  // Keeps a copy of the bytes. Throws LoadError when they are no code object for this device.
  explicit ElfImage(std::span<const std::byte> file);

  std::vector<std::byte> bytes;
  std::vector<Segment> segments;
  uint64_t memory_bytes = 0; // end of the last segment; addresses start at 0
  std::vector<Symbol> dynamic_symbols;
  std::vector<Symbol> functions; // all that are named, local ones included
  std::vector<Relocation> relocations;
  std::span<const std::byte> metadata; // MessagePack of the NT_AMDGPU_METADATA note

 private:
  uint64_t count_dynamic_symbols(uint64_t hash, uint64_t gnu_hash) const;
  std::span<const std::byte> mapped(uint64_t address, uint64_t size, const char* what) const;
};

// Bytes that the headers of an ELF file describe. Reads no further than `available`, which may be unknown
// (SIZE_MAX): hipModuleLoadData gets a bare pointer. Throws LoadError when it is no ELF file at all.
uint64_t elf_bytes(const std::byte* file, uint64_t available);

} // namespace fmha950::loader
