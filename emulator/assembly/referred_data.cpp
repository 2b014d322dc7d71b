#include "emulator/assembly/referred_data.hpp"

#include "emulator/assembly/quoted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/Object/ELF.h>

#include <algorithm>
#include <bit>
#include <span>

namespace fmha950::assembly {
namespace {

namespace elf = llvm::ELF;

std::string label_of(uint64_t begin, uint64_t base) { return fmt::format(".Ldata_{:x}", begin - base); }

std::string bytes_of(std::span<const uint8_t> bytes) {
  constexpr size_t per_line = 16;
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += per_line)
    text +=
        fmt::format("\t.byte {}\n", fmt::join(bytes.subspan(at, std::min(per_line, bytes.size() - at)), ","));
  return text;
}

} // namespace

// Of a file without section headers none.
std::vector<ReferredData::Section> ReferredData::sections() const {
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  const auto bytes = object_.file();
  const File file = llvm::cantFail(
      File::create(llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  std::vector<Section> all;
  for (const auto& header : llvm::cantFail(file.sections())) {
    const bool is_data = header.sh_type == elf::SHT_PROGBITS || header.sh_type == elf::SHT_NOBITS;
    if (!is_data || !(header.sh_flags & elf::SHF_ALLOC) || header.sh_flags & elf::SHF_EXECINSTR) continue;
    const uint64_t begin = object_.base() + header.sh_addr;
    std::span<const uint8_t> contents;
    if (header.sh_type == elf::SHT_PROGBITS)
      contents = std::span(llvm::cantFail(file.getSectionContents(header)));
    all.push_back({begin, begin + header.sh_size, std::max<uint64_t>(header.sh_addralign, 1),
                   (header.sh_flags & elf::SHF_WRITE) != 0, contents});
  }
  return all;
}

std::optional<ReferredData::Place> ReferredData::refer(uint64_t address, std::string& why) {
  const std::vector<Section> all = sections();
  const auto section = std::ranges::find_if(
      all, [&](const Section& each) { return each.begin <= address && address < each.end; });
  if (section == all.end()) {
    why = "what it leads to is no data of the code object";
    return {};
  }
  const auto is_inside = [&](uint64_t place) { return section->begin <= place && place < section->end; };
  if (std::ranges::any_of(object_.relocated(), is_inside)) {
    why = "the data that it leads to hold addresses";
    return {};
  }
  referred_.emplace(section->begin, *section);
  return Place{label_of(section->begin, object_.base()), address - section->begin};
}

std::string ReferredData::text() const {
  std::string text;
  for (const auto& [begin, section] : referred_) {
    const std::string label = label_of(begin, object_.base());
    const bool zeros = section.contents.empty();
    text += fmt::format("\t.section {}{},\"a{}\",@{}\n\t.p2align {}\n{}:\n",
                        zeros              ? ".bss"
                        : section.writable ? ".data"
                                           : ".rodata",
                        label, section.writable ? "w" : "", zeros ? "nobits" : "progbits",
                        std::countr_zero(std::bit_ceil(section.alignment)), label);
    text += zeros ? fmt::format("\t.zero {}\n", section.end - begin) : bytes_of(section.contents);
    for (const loader::Global& variable : object_.globals())
      if (begin <= variable.address && variable.address < section.end)
        text += fmt::format("\t.globl {0}\n\t.protected {0}\n\t.type {0},@object\n\t.size {0}, {1}\n"
                            "\t.set {0}, {2}+{3}\n",
                            quoted(variable.name), variable.bytes, label, variable.address - begin);
  }
  return text;
}

} // namespace fmha950::assembly
