#pragma once
// LLVM's MC layer for gfx950: what its disassembler, printer and assembler share.

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>
#include <string>

namespace fmha950::isa {

struct McTarget {
  // `features` as LLVM spells them: "+sramecc,-xnack"; "": those of any gfx950.
  explicit McTarget(const std::string& features = "");

  llvm::Triple triple;
  const llvm::Target* target;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> info;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
};

} // namespace fmha950::isa
