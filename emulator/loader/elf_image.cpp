#include "emulator/loader/elf_image.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/loader/metadata.hpp"
#include "numerics/target.hpp"

#include <fmt/format.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/Error.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace fmha950::loader {
namespace {

namespace elf = llvm::ELF;
using Elf = llvm::object::ELF64LE;
using File = llvm::object::ELFFile<Elf>;

template <class T> T unwrap(llvm::Expected<T> value, const char* what) {
  if (!value)
    throw LoadError(fmt::format("corrupt code object: {}: {}", what, llvm::toString(value.takeError())));
  return *value;
}

std::span<const std::byte> find_metadata(const File& file, const File::Elf_Phdr_Range& headers) {
  std::span<const std::byte> found;
  for (const auto& header : headers) {
    if (header.p_type != elf::PT_NOTE) continue;
    llvm::Error error = llvm::Error::success();
    for (const auto& note : file.notes(header, error)) {
      if (note.getName() != "AMDGPU" || note.getType() != elf::NT_AMDGPU_METADATA) continue;
      const auto description = note.getDesc(std::max<size_t>(header.p_align, 4));
      found = std::as_bytes(std::span(description.data(), description.size()));
    }
    if (error)
      throw LoadError(fmt::format("corrupt code object: notes: {}", llvm::toString(std::move(error))));
  }
  return found;
}

WrongTarget wrong_feature(std::string_view feature) {
  return WrongTarget(
      fmt::format("code object is for {0}:{1}, the device is {2}: compile it with --offload-arch={0}",
                  target.processor, feature, target.architecture));
}

// Processor and features: LLVM AMDGPUUsage, tables "AMDGPU ELF Header" and "e_flags for code
// object V4 and later".
void require_target(const File& file, const File::Elf_Phdr_Range& segments) {
  const auto& header = file.getHeader();
  const unsigned os_abi = header.e_ident[elf::EI_OSABI], version = header.e_ident[elf::EI_ABIVERSION];
  if (header.e_machine != elf::EM_AMDGPU)
    throw LoadError(fmt::format("ELF file is for machine {}, a code object is for {} (AMDGPU)",
                                unsigned{header.e_machine}, unsigned{elf::EM_AMDGPU}));
  if (os_abi != elf::ELFOSABI_AMDGPU_HSA)
    throw LoadError(fmt::format("ELF file has OS ABI {}, a code object has {} (AMDGPU_HSA)", os_abi,
                                unsigned{elf::ELFOSABI_AMDGPU_HSA}));
  if (version != elf::ELFABIVERSION_AMDGPU_HSA_V5 && version != elf::ELFABIVERSION_AMDGPU_HSA_V6)
    throw WrongTarget(
        fmt::format("code object version {}, the device takes versions 5 and 6: compile it with "
                    "-mcode-object-version=5",
                    version + 2));
  const unsigned machine = header.e_flags & elf::EF_AMDGPU_MACH;
  if (machine != elf::EF_AMDGPU_MACH_AMDGCN_GFX950) {
    const std::string name = processor_of(find_metadata(file, segments));
    throw WrongTarget(
        fmt::format("code object is for {0}, the device is {1}: compile it with --offload-arch={1}",
                    name.empty() ? fmt::format("processor {:#x}", machine) : name, target.processor));
  }
  if (header.e_type != elf::ET_DYN)
    throw LoadError(fmt::format("ELF type {} is not a linked code object (type 3, shared object)",
                                unsigned{header.e_type}));
  if ((header.e_flags & elf::EF_AMDGPU_FEATURE_XNACK_V4) == elf::EF_AMDGPU_FEATURE_XNACK_ON_V4)
    throw wrong_feature("xnack+");
  if ((header.e_flags & elf::EF_AMDGPU_FEATURE_SRAMECC_V4) == elf::EF_AMDGPU_FEATURE_SRAMECC_OFF_V4)
    throw wrong_feature("sramecc-");
}

Symbol convert(const Elf::Sym& symbol, llvm::StringRef names) {
  return {unwrap(symbol.getName(names), "symbol name").str(),
          symbol.st_value,
          symbol.st_size,
          symbol.isDefined(),
          symbol.getBinding() == elf::STB_WEAK,
          symbol.getType() == elf::STT_FUNC,
          symbol.getType() == elf::STT_OBJECT};
}

} // namespace

std::span<const std::byte> ElfImage::mapped(uint64_t address, uint64_t size, const char* what) const {
  for (const Segment& segment : segments) {
    if (address < segment.address || address - segment.address > segment.contents.size()) continue;
    const uint64_t offset = address - segment.address;
    if (size <= segment.contents.size() - offset) return segment.contents.subspan(offset, size);
  }
  throw LoadError(
      fmt::format("corrupt code object: {} at {:#x} with {} bytes is in no segment", what, address, size));
}

// By the hash tables, whose entries the symbols are (ELF specification, "Hash Table"; for DT_GNU_HASH the
// form that binutils and lld write). LLVM's getDynSymtabSize() does not check that they lie inside the file.
uint64_t ElfImage::count_dynamic_symbols(uint64_t hash, uint64_t gnu_hash) const {
  const auto word = [&](uint64_t address) {
    uint32_t value;
    std::memcpy(&value, mapped(address, sizeof value, "hash table").data(), sizeof value);
    return value;
  };
  if (hash) return word(hash + 4); // one chain entry per symbol
  if (!gnu_hash) return 0;
  const uint32_t buckets = word(gnu_hash), first_hashed = word(gnu_hash + 4),
                 filter_words = word(gnu_hash + 8);
  const uint64_t first_bucket = gnu_hash + 16 + 8 * uint64_t{filter_words};
  uint32_t last = 0; // symbol that begins the last chain
  for (uint32_t i = 0; i < buckets; ++i) last = std::max(last, word(first_bucket + 4 * uint64_t{i}));
  if (last < first_hashed) return first_hashed;
  const uint64_t chains = first_bucket + 4 * uint64_t{buckets};
  while (!(word(chains + 4 * uint64_t{last - first_hashed}) & 1)) ++last; // bit 0 ends a chain
  return uint64_t{last} + 1;
}

ElfImage::ElfImage(std::span<const std::byte> original) {
  const uint64_t needed = elf_bytes(original.data(), original.size());
  if (needed > original.size())
    throw LoadError(
        fmt::format("truncated code object: {} bytes, its headers describe {}", original.size(), needed));
  bytes.assign(original.begin(), original.end());
  const File file = unwrap(
      File::create(llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size())), "header");
  const auto headers = unwrap(file.program_headers(), "program headers");
  require_target(file, headers);

  for (const auto& header : headers) {
    if (header.p_type != elf::PT_LOAD) continue;
    const uint64_t end = header.p_vaddr + header.p_memsz;
    if (end < header.p_vaddr || header.p_filesz > header.p_memsz)
      throw LoadError(fmt::format("corrupt code object: segment at {:#x} has {} bytes in the file, {} in "
                                  "memory",
                                  uint64_t{header.p_vaddr}, uint64_t{header.p_filesz},
                                  uint64_t{header.p_memsz}));
    const auto contents = unwrap(file.getSegmentContents(header), "segment");
    segments.push_back({header.p_vaddr, header.p_memsz,
                        std::as_bytes(std::span(contents.data(), contents.size())),
                        (header.p_flags & elf::PF_X) != 0});
    memory_bytes = std::max(memory_bytes, end);
  }
  if (segments.empty()) throw LoadError("corrupt code object: it has no loadable segment");
  metadata = find_metadata(file, headers);

  std::map<uint64_t, uint64_t> dynamic;
  for (const auto& entry : unwrap(file.dynamicEntries(), "dynamic table"))
    dynamic[static_cast<uint64_t>(entry.d_tag)] = entry.d_un.d_val;
  if (dynamic[elf::DT_RELSZ] || dynamic[elf::DT_PLTRELSZ])
    throw LoadError("code object has a DT_REL or DT_JMPREL relocation table, expected only DT_RELA");
  if (dynamic.count(elf::DT_SYMTAB)) {
    const auto names = mapped(dynamic[elf::DT_STRTAB], dynamic[elf::DT_STRSZ], "dynamic string table");
    if (names.empty() || names.back() != std::byte{0})
      throw LoadError("corrupt code object: dynamic string table does not end with a zero byte");
    const llvm::StringRef text(reinterpret_cast<const char*>(names.data()), names.size());
    const uint64_t count = count_dynamic_symbols(dynamic[elf::DT_HASH], dynamic[elf::DT_GNU_HASH]);
    if (count > bytes.size() / sizeof(Elf::Sym))
      throw LoadError(fmt::format("corrupt code object: {} dynamic symbols", count));
    const auto table = mapped(dynamic[elf::DT_SYMTAB], count * sizeof(Elf::Sym), "dynamic symbol table");
    for (const auto& symbol : std::span(reinterpret_cast<const Elf::Sym*>(table.data()), count))
      dynamic_symbols.push_back(convert(symbol, text));
  }
  if (const uint64_t size = dynamic[elf::DT_RELASZ]) {
    const auto table = mapped(dynamic[elf::DT_RELA], size, "relocation table");
    for (const auto& rela :
         std::span(reinterpret_cast<const Elf::Rela*>(table.data()), size / sizeof(Elf::Rela)))
      relocations.push_back({rela.r_offset, rela.getType(false), rela.getSymbol(false), rela.r_addend});
  }

  // Section headers may be stripped; then the dynamic symbols are all there is.
  for (const Symbol& symbol : dynamic_symbols)
    if (symbol.defined && symbol.function) functions.push_back(symbol);
  for (const auto& section : unwrap(file.sections(), "section headers")) {
    if (section.sh_type != elf::SHT_SYMTAB) continue;
    const auto names = unwrap(file.getStringTableForSymtab(section), "string table");
    for (const auto& symbol : unwrap(file.symbols(&section), "symbol table"))
      if (symbol.isDefined() && symbol.getType() == elf::STT_FUNC)
        functions.push_back(convert(symbol, names));
  }
}

} // namespace fmha950::loader
