// Source lines against LLVM's reader, at every instruction of code objects that clang made.
#include "emulator/loader/source_lines.hpp"
#include "tests/loader/code_object_file.hpp"

#include "tests/support/catch.hpp"
#include <fmt/format.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>

using namespace fmha950;

namespace {

// `before` is what it gave for the instruction before: line 0 takes its place.
std::string by_llvm(llvm::DWARFContext& context, uint64_t address, const std::string& before) {
  const llvm::DILineInfoSpecifier raw(llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue);
  const auto info =
      context.getLineInfoForAddress({address, llvm::object::SectionedAddress::UndefSection}, raw);
  if (!info) return "";
  return info->Line ? fmt::format("{}:{}", info->FileName, info->Line) : before;
}

// Instructions whose lines are known.
int compare(const std::string& file, const std::vector<std::byte>& bytes) {
  const loader::LineTable table = loader::source_lines(bytes);
  const llvm::MemoryBufferRef buffer(
      llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()), file);
  const auto object = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile(buffer));
  const auto context = llvm::DWARFContext::create(*object);
  int known = 0;
  for (const auto& section : object->sections()) {
    if (!section.isText()) continue;
    std::string expected;
    for (uint64_t address = section.getAddress() - 8; address < section.getAddress() + section.getSize() + 8;
         address += 4) {
      expected = by_llvm(*context, address, expected);
      known += !expected.empty();
      if (table.at(address) == expected) continue;
      INFO(file << " at " << address);
      CHECK(table.at(address) == expected);
    }
  }
  return known;
}

} // namespace

TEST_CASE("source lines agree with LLVM's reader, DWARF 4 and 5") {
  CHECK(compare("v6", read_code_object("v6")) > 100);
  CHECK(compare("dwarf4", read_code_object("dwarf4")) > 100);
  CHECK(compare("stripped", read_code_object("stripped")) == 0);
}

TEST_CASE("a line table that is cut short anywhere gives lines or none, and no error") {
  const std::vector<std::byte> bytes = read_code_object("v6");
  const loader::LineTable whole = loader::source_lines(bytes);
  CHECK(whole.at(0) == "");
  for (size_t size = 0; size < bytes.size(); size += 61) {
    const std::vector<std::byte> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    loader::source_lines(part).at(0x1500);
  }
}
