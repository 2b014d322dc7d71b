#include "emulator/isa/decode/mc_target.hpp"

#include "numerics/target.hpp"

#include <llvm/Support/TargetSelect.h>

#include <stdexcept>

namespace fmha950::isa {

McTarget::McTarget(const std::string& features) : triple("amdgcn-amd-amdhsa") {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  LLVMInitializeAMDGPUAsmParser();
  std::string error;
#if LLVM_VERSION_MAJOR >= 22
  const llvm::Triple& name = triple;
#else
  const std::string name = triple.str();
#endif
  target = llvm::TargetRegistry::lookupTarget(name, error);
  if (!target) throw std::runtime_error("LLVM has no AMDGPU target: " + error);
  registers.reset(target->createMCRegInfo(name));
  info.reset(target->createMCAsmInfo(*registers, name, options));
  instructions.reset(target->createMCInstrInfo());
  subtarget.reset(target->createMCSubtargetInfo(name, fmha950::target.processor, features));
}

} // namespace fmha950::isa
