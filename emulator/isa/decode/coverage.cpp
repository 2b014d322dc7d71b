// Walks every opcode number of every encoding and asks LLVM's disassembler what it is: that is the list of
// opcodes "LLVM knows for gfx950", without a list of our own.
#include "emulator/isa/coverage.hpp"

#include "emulator/isa/decode/mc.hpp"
#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/isa/matrix_products.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/control.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace fmha950::isa {
namespace {

struct EncodingSpace {
  const char* name;
  uint32_t base; // first dword with opcode 0
  int shift;     // of the opcode field
  uint32_t opcodes;
  std::vector<uint32_t> second_dwords; // operand patterns to try; the first that decodes counts
};

constexpr uint32_t v0 = 256;
constexpr uint32_t three(uint32_t a, uint32_t b, uint32_t c) { return a | b << 9 | c << 18; }

const std::vector<EncodingSpace>& spaces() {
  static const auto& operands =
      *new std::vector<uint32_t>{three(v0, v0, v0), three(v0, v0, 0), three(v0, 0, 0),
                                 three(v0, 0, v0),  three(0, 0, 0),   three(v0, v0, 0) | 1u << 29};
  static const auto& all = *new std::vector<EncodingSpace>{
      {"SOP1", 0xBE800000, 8, 256, {0}},
      {"SOP2", 0x80000000, 23, 96, {0}},
      {"SOPK", 0xB0000000, 23, 29, {0}},
      {"SOPC", 0xBF000000, 16, 128, {0}},
      {"SOPP", 0xBF800000, 16, 128, {0}},
      {"SMEM", 0xC0020000, 18, 256, {0}},
      {"VOP1", 0x7E000000 | v0, 9, 256, {0}},
      {"VOP2", v0, 25, 62, {0}},
      {"VOPC", 0x7C000000 | v0, 17, 256, {0}},
      {"VOP3", 0xD0000000, 16, 896, operands},
      {"VOP3P", 0xD3800000, 16, 128, operands},
      {"DS", 0xD8000000, 17, 256, {0}},
      {"FLAT", 0xDC000000, 18, 128, {0}},
      {"GLOBAL", 0xDC008000, 18, 128, {0x007F0000}},
      {"SCRATCH", 0xDC004000, 18, 128, {0x007F0000}},
      {"MUBUF", 0xE0000000, 18, 128, {0}},
      {"MTBUF", 0xE8000000, 15, 16, {0}},
  };
  return all;
}

std::string closing_line(size_t implemented, size_t total) {
  const double share = total ? 100.0 * static_cast<double>(implemented) / static_cast<double>(total) : 100.0;
  return fmt::format("{} of {} opcodes ({:.1f} %)\n", implemented, total, share);
}

// "s_getreg_b32 hwreg(HW_REG_IB_STS)" of a hardware register that the device does not have; empty of all else.
std::string missing_register(const Row& row, std::span<const uint8_t> bytes, uint64_t address) {
  const bool gets = row.control == ControlRole::get_register, sets = row.control == ControlRole::set_register;
  if (!gets && !sets) return "";
  uint16_t field;
  std::memcpy(&field, bytes.data(), sizeof field); // the lower half of SOPK
  if (gets ? machine::can_get_register(field) : machine::can_set_register(field)) return "";
  const std::string text = print(bytes, address);
  const size_t begin = text.find("hwreg("), end = text.find_first_of(",)", begin);
  return fmt::format("{} {})", row.mnemonic, text.substr(begin, end - begin));
}

std::string mnemonic_of(std::array<uint32_t, 5> words) {
  std::array<uint8_t, 20> bytes;
  std::memcpy(bytes.data(), words.data(), bytes.size());
  const McInstruction mc = identify(bytes, 0);
  return mc.bytes ? mc.mnemonic : "";
}

} // namespace

std::vector<FamilyCoverage> coverage_by_family() {
  std::vector<FamilyCoverage> families;
  std::set<std::string> seen;
  const auto count = [&](FamilyCoverage& family, const std::string& mnemonic) {
    if (mnemonic.empty() || !seen.insert(mnemonic).second) return;
    const Row* row = find_row(mnemonic);
    (row && row->execute ? family.implemented : family.missing).push_back(mnemonic);
  };
  for (const EncodingSpace& space : spaces()) {
    FamilyCoverage& family = families.emplace_back();
    family.encoding = space.name;
    for (uint32_t opcode = 0; opcode < space.opcodes; ++opcode)
      for (uint32_t second : space.second_dwords) {
        const std::string mnemonic = mnemonic_of({space.base | opcode << space.shift, second, 0, 0, 0});
        count(family, mnemonic);
        if (!mnemonic.empty()) break;
      }
    // The 16-byte scaled forms: prefix, then the MFMA with abid[0] set.
    if (std::strcmp(space.name, "VOP3P") == 0)
      for (uint32_t opcode : {0x2Du, 0x2Eu})
        count(family,
              mnemonic_of({0xD3AC0000, three(v0, v0, 0), 0xD3800800 | opcode << 16, three(v0, v0, v0), 0}));
  }
  return families;
}

std::string coverage() {
  std::string text;
  size_t implemented = 0, total = 0;
  for (const FamilyCoverage& family : coverage_by_family()) {
    const size_t all = family.implemented.size() + family.missing.size();
    implemented += family.implemented.size();
    total += all;
    text += fmt::format("{:8} {:4} of {:4}", family.encoding, family.implemented.size(), all);
    if (!family.missing.empty()) text += fmt::format("  missing: {}", fmt::join(family.missing, " "));
    text += '\n';
  }
  return text + closing_line(implemented, total);
}

FileCoverage coverage_of(const loader::CodeObject& object) {
  FileCoverage coverage;
  std::set<std::string> seen;
  for (const loader::CodeObject::Function& function : object.functions())
    for (uint64_t address = function.begin; address < function.end;) {
      const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(address), function.end - address);
      const McInstruction mc = identify(bytes, address);
      const Row* row = mc.bytes ? find_row(mc.mnemonic) : nullptr;
      const std::string lacks = row ? missing_register(*row, bytes, address) : "";
      const std::string& name = lacks.empty() ? mc.mnemonic : lacks;
      address += mc.bytes ? mc.bytes : 4;
      if (mc.bytes == 0) ++coverage.undecoded;
      if (mc.bytes == 0 || !seen.insert(name).second) continue;
      const bool is_missing = !row || !row->execute || !lacks.empty();
      std::vector<std::string>& of_kind = is_missing           ? coverage.missing
                                          : row->approximation ? coverage.approximate[row->approximation]
                                                               : coverage.exact;
      of_kind.push_back(name);
      if (row && row->matrix.unit != MatrixUnit::none) coverage.matrix_operands.insert(operands_of(*row));
    }
  coverage.products = matrix_products_of(object);
  return coverage;
}

std::string text_of(const FileCoverage& coverage) {
  std::string text;
  size_t implemented = 0;
  const auto add = [&](const char* kind, std::vector<std::string> mnemonics, const std::string& why) {
    if (mnemonics.empty()) return;
    std::ranges::sort(mnemonics);
    text += fmt::format("{:11} {:4}  {}{}\n", kind, mnemonics.size(), fmt::join(mnemonics, " "),
                        why.empty() ? "" : ": " + why);
  };
  add("exact", coverage.exact, "");
  implemented += coverage.exact.size();
  for (const auto& [why, mnemonics] : coverage.approximate) {
    add("approximate", mnemonics, why);
    implemented += mnemonics.size();
  }
  add("missing", coverage.missing, "a launch that comes to one stops");
  if (!coverage.matrix_operands.empty())
    text += fmt::format("{:11} {:4}  {}\n", "multiplies", coverage.matrix_operands.size(),
                        fmt::join(coverage.matrix_operands, " "));
  for (const MatrixProducts& of : coverage.products)
    text += fmt::format("{:11} {:4}  {}, of {} in kernel {}\n", "adds up", of.carried.size(),
                        of.carried.empty() ? "nothing" : fmt::format("{}", fmt::join(of.carried, " ")),
                        fmt::join(of.types, " "), of.kernel);
  if (coverage.undecoded)
    text += fmt::format("{:11} {:4}  dwords that are no instruction of gfx950\n", "undecoded",
                        coverage.undecoded);
  return text + closing_line(implemented, implemented + coverage.missing.size());
}

} // namespace fmha950::isa
