#include "emulator/isa/decode/mc.hpp"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace fmha950::isa {
namespace {

class Mc {
 public:
  Mc() {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    std::string error;
    const llvm::Triple triple("amdgcn-amd-amdhsa");
#if LLVM_VERSION_MAJOR >= 22
    const llvm::Triple& name = triple;
#else
    const std::string name = triple.str();
#endif
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(name, error);
    if (!target) throw std::runtime_error("LLVM has no AMDGPU target: " + error);
    registers_.reset(target->createMCRegInfo(name));
    info_.reset(target->createMCAsmInfo(*registers_, name, options_));
    instructions_.reset(target->createMCInstrInfo());
    subtarget_.reset(target->createMCSubtargetInfo(name, "gfx950", ""));
    context_ = std::make_unique<llvm::MCContext>(triple, info_.get(), registers_.get(), subtarget_.get());
    disassembler_.reset(target->createMCDisassembler(*subtarget_, *context_));
    printer_.reset(target->createMCInstPrinter(triple, 0, *info_, *instructions_, *registers_));
    printer_->setPrintImmHex(true);
  }

  bool decode(std::span<const uint8_t> bytes, uint64_t address, llvm::MCInst& inst, uint64_t& size) {
    return disassembler_->getInstruction(inst, size, {bytes.data(), bytes.size()}, address, llvm::nulls()) ==
           llvm::MCDisassembler::Success;
  }
  std::string mnemonic(const llvm::MCInst& inst) const {
    const char* text = printer_->getMnemonic(inst).first;
    return text ? text : "";
  }
  std::string print(const llvm::MCInst& inst, uint64_t address) {
    std::string text;
    llvm::raw_string_ostream out(text);
    printer_->printInst(&inst, address, "", *subtarget_, out);
    return text;
  }
  std::mutex mutex; // the disassembler and printer keep state

 private:
  llvm::MCTargetOptions options_;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> info_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

Mc& mc() {
  static Mc instance;
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
