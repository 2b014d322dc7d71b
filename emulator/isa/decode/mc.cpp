#include "emulator/isa/decode/mc.hpp"

#include "emulator/isa/decode/mc_target.hpp"

#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace fmha950::isa {
namespace {

constexpr size_t longest_instruction = 16; // a scaled MFMA and its prefix

// Sources that no instruction of gfx950 has, and with which LLVM 22 looks for bytes, registers or cases that
// are not there: a literal in VOP3 or VOP3P (ISA guide, VOP3), other than registers in f8f6f4 MFMA, plain or
// behind v_mfma_ld_scale_b32 (mfma_gfx950.md sections 2.1 and 3.4).
bool has_impossible_source(std::span<const uint8_t> bytes) {
  uint32_t words[4];
  std::memcpy(words, bytes.data(), sizeof words);
  const auto source = [&](int word, int index) { return words[word] >> 9 * index & 0x1FF; };
  const auto has_literal = [&](int word) {
    constexpr uint32_t literal = 255;
    return source(word, 0) == literal || source(word, 1) == literal || source(word, 2) == literal;
  };
  if (words[0] >> 26 != 0x34) return false;
  const bool is_scaled = words[0] >> 16 == 0xD3AC;
  if (has_literal(1) || (is_scaled && has_literal(3))) return true;
  const int main = is_scaled ? 2 : 0;
  const uint32_t opcode = words[main] >> 16;
  constexpr uint32_t first_vgpr = 256;
  return (opcode == 0xD3AD || opcode == 0xD3AE) &&
         (source(main + 1, 0) < first_vgpr || source(main + 1, 1) < first_vgpr);
}

// SDWA selects and dst_unused have a reserved last value each (ISA guide, SDWA), for which LLVM's printer has
// no case.
bool has_reserved_sdwa_select(std::span<const uint8_t> bytes) {
  uint32_t words[2];
  std::memcpy(words, bytes.data(), sizeof words);
  const bool is_sdwa = words[0] >> 31 == 0 && (words[0] & 0x1FF) == 249;
  const bool is_compare = (words[0] >> 25) == 0x3E; // a scalar destination where others have their selects
  const auto field = [&](int low, uint32_t mask) { return words[1] >> low & mask; };
  return is_sdwa &&
         (field(16, 7) == 7 || field(24, 7) == 7 || (!is_compare && (field(8, 7) == 7 || field(11, 3) == 3)));
}

class Mc {
 public:
  Mc() : context_(llvm_.triple, llvm_.info.get(), llvm_.registers.get(), llvm_.subtarget.get()) {
    disassembler_.reset(llvm_.target->createMCDisassembler(*llvm_.subtarget, context_));
    printer_.reset(llvm_.target->createMCInstPrinter(llvm_.triple, 0, *llvm_.info, *llvm_.instructions,
                                                     *llvm_.registers));
    printer_->setPrintImmHex(true);
  }

  bool decode(std::span<const uint8_t> bytes, uint64_t address, llvm::MCInst& inst, uint64_t& size) {
    // LLVM 22 crashes where a literal is missing, so it gets zeros after the bytes, and what needs them is
    // refused. It takes literals after 64-bit encodings, which have none on gfx9 (ISA guide, VOP3), and
    // crashes when it prints some.
    std::array<uint8_t, longest_instruction + 4> padded{};
    std::copy_n(bytes.begin(), std::min(bytes.size(), padded.size()), padded.begin());
    if (has_impossible_source(padded) || has_reserved_sdwa_select(padded)) return false;
    if (disassembler_->getInstruction(inst, size, padded, address, llvm::nulls()) !=
            llvm::MCDisassembler::Success ||
        size > std::min(bytes.size(), longest_instruction))
      return false;
    const bool is_wide = padded[3] >> 6 == 3;
    return !is_wide || size % 8 == 0;
  }
  std::string mnemonic(const llvm::MCInst& inst) const {
    const char* text = printer_->getMnemonic(inst).first;
    return text ? text : "";
  }
  std::vector<McRegister> registers(const llvm::MCInst& inst) const {
    const llvm::MCInstrDesc& description = llvm_.instructions->get(inst.getOpcode());
    std::vector<McRegister> result;
    for (unsigned i = 0; i < inst.getNumOperands(); ++i)
      if (const llvm::MCOperand& operand = inst.getOperand(i); operand.isReg() && operand.getReg())
        result.push_back({llvm_.registers->getName(operand.getReg()), i < description.getNumDefs(), false});
    for (const auto reg : description.implicit_uses())
      result.push_back({llvm_.registers->getName(reg), false, true});
    for (const auto reg : description.implicit_defs())
      result.push_back({llvm_.registers->getName(reg), true, true});
    return result;
  }
  std::string print(const llvm::MCInst& inst, uint64_t address) {
    std::string text;
    llvm::raw_string_ostream out(text);
    printer_->printInst(&inst, address, "", *llvm_.subtarget, out);
    return text;
  }
  std::mutex mutex; // the disassembler and printer keep state

 private:
  McTarget llvm_;
  llvm::MCContext context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

Mc& mc() {
  static Mc& instance = *new Mc;
  return instance;
}

// "v_add_f32_e32 " -> "v_add_f32", "scratch_store_byte off, " -> "scratch_store_byte"
std::string without_encoding(std::string text) {
  text.resize(std::min(text.find_first_of(" \t"), text.size()));
  for (std::string_view suffix : {"_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"})
    if (text.ends_with(suffix)) return text.substr(0, text.size() - suffix.size());
  return text;
}

} // namespace

McInstruction identify(std::span<const uint8_t> bytes, uint64_t address) {
  std::lock_guard lock(mc().mutex);
  llvm::MCInst inst;
  uint64_t size = 0;
  if (!mc().decode(bytes, address, inst, size)) return {};
  return {static_cast<unsigned>(size), without_encoding(mc().mnemonic(inst))};
}

std::vector<McRegister> registers(std::span<const uint8_t> bytes, uint64_t address) {
  std::lock_guard lock(mc().mutex);
  llvm::MCInst inst;
  uint64_t size = 0;
  if (!mc().decode(bytes, address, inst, size)) return {};
  return mc().registers(inst);
}

std::string print(std::span<const uint8_t> bytes, uint64_t address) {
  std::lock_guard lock(mc().mutex);
  llvm::MCInst inst;
  uint64_t size = 0;
  if (!mc().decode(bytes, address, inst, size)) return "not an instruction";
  std::string text = mc().print(inst, address);
  const size_t begin = text.find_first_not_of(" \t");
  for (char& c : text)
    if (c == '\t') c = ' ';
  return begin == std::string::npos ? text : text.substr(begin);
}

} // namespace fmha950::isa
