#include "emulator/loader/source_lines.hpp"

#include <llvm/Object/ELF.h>

namespace fmha950::loader {
namespace {

template <class T> T value_or_empty(llvm::Expected<T> value) {
  if (value) return *value;
  llvm::consumeError(value.takeError());
  return {};
}

} // namespace

LineTable source_lines(std::span<const std::byte> elf) {
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  auto opened = File::create(llvm::StringRef(reinterpret_cast<const char*>(elf.data()), elf.size()));
  if (!opened) {
    llvm::consumeError(opened.takeError());
    return {};
  }
  const File& file = *opened;
  LineSections sections;
  for (const auto& section : value_or_empty(file.sections())) {
    const llvm::StringRef name = value_or_empty(file.getSectionName(section));
    const auto contents = [&] {
      const auto bytes = value_or_empty(file.getSectionContents(section));
      return std::as_bytes(std::span(bytes.data(), bytes.size()));
    };
    if (name == ".debug_line") sections.line = contents();
    if (name == ".debug_line_str") sections.line_strings = contents();
    if (name == ".debug_str") sections.strings = contents();
  }
  return LineTable(sections);
}

} // namespace fmha950::loader
