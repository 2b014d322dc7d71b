#include "emulator/loader/relocate.hpp"

#include "emulator/loader/code_object.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>

#include <cstring>

namespace fmha950::loader {
namespace {

namespace elf = llvm::ELF;

uint64_t symbol_address(const ElfImage& image, const Relocation& relocation, uint64_t base) {
  if (relocation.symbol >= image.dynamic_symbols.size())
    throw LoadError(fmt::format("corrupt code object: relocation at {:#x} names symbol {} of {}",
                                relocation.address, relocation.symbol, image.dynamic_symbols.size()));
  const Symbol& symbol = image.dynamic_symbols[relocation.symbol];
  if (symbol.defined) return base + symbol.address;
  if (symbol.weak || relocation.symbol == 0) return 0;
  throw LoadError(
      fmt::format("unresolved symbol {} in code object: link it with what defines it", symbol.name));
}

} // namespace

// Calculations: LLVM AMDGPUUsage, table "AMDGPU ELF Relocation Records"
// (S symbol, A addend, P place, B base).
void relocate(const ElfImage& image, uint64_t base) {
  for (const Relocation& relocation : image.relocations) {
    const uint64_t place = base + relocation.address;
    const auto addend = static_cast<uint64_t>(relocation.addend);
    const auto absolute = [&] { return symbol_address(image, relocation, base) + addend; };
    const auto store = [&](uint64_t value, size_t bytes) {
      if (relocation.address > image.memory_bytes || image.memory_bytes - relocation.address < bytes)
        throw LoadError(fmt::format("corrupt code object: relocation at {:#x} lies outside its {} bytes of "
                                    "memory",
                                    relocation.address, image.memory_bytes));
      std::memcpy(reinterpret_cast<void*>(place), &value, bytes);
    };
    switch (relocation.type) {
    case elf::R_AMDGPU_NONE: break;
    case elf::R_AMDGPU_RELATIVE64: store(base + addend, 8); break;
    case elf::R_AMDGPU_ABS64: store(absolute(), 8); break;
    case elf::R_AMDGPU_ABS32:
    case elf::R_AMDGPU_ABS32_LO: store(absolute(), 4); break;
    case elf::R_AMDGPU_ABS32_HI: store(absolute() >> 32, 4); break;
    case elf::R_AMDGPU_REL64: store(absolute() - place, 8); break;
    case elf::R_AMDGPU_REL32:
    case elf::R_AMDGPU_REL32_LO: store(absolute() - place, 4); break;
    case elf::R_AMDGPU_REL32_HI: store((absolute() - place) >> 32, 4); break;
    default:
      throw LoadError(fmt::format("code object has relocation type {} at {:#x}, which the loader does not "
                                  "know",
                                  relocation.type, relocation.address));
    }
  }
}

} // namespace fmha950::loader
