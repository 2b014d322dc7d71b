#pragma once
// Hazard class `uninitialised`: values that nobody wrote. They may be loaded, copied, computed with and
// stored; they are reported where they decide something: an address, a branch, EXEC, or bytes the host reads
// (DeviceInitialised::host_read). A value that was reported counts as valid from then on.

#include "emulator/observe/initialised/initialised_memory.hpp"

#include <vector>

namespace fmha950::observe {

// Follows the workgroups that one host thread runs, one after the other.
class Initialised {
 public:
  Initialised(const DeviceInitialised& device, HazardSink& sink) : memory_(device), sink_(sink) {}

  void start(const machine::Workgroup& workgroup); // registers and LDS as the kernel finds them
  // Before each instruction.
  [[gnu::always_inline]] void instruction(const machine::Wave& wave, const isa::Instruction& in,
                                          const isa::Uses& uses, const InitialisedInfo& info) {
    if (waves_[static_cast<size_t>(wave.index)].suspects().intersects(info.touched)) [[unlikely]]
      follow(wave, in, uses, info);
  }
  // Before a VALU instruction whose registers M0 moves.
  void vgpr_index(const machine::Wave& wave, const isa::Instruction& in);
  // At the issue of each memory operation.
  void memory(const MemoryEvent& event, const InitialisedInfo& info) {
    memory_.operation(waves_[static_cast<size_t>(event.wave.index)], event, info);
  }

  RegisterValidity& registers(int wave) { return waves_[static_cast<size_t>(wave)]; }

 private:
  void follow(const machine::Wave& wave, const isa::Instruction& in, const isa::Uses& uses,
              const InitialisedInfo& info);
  void check_address(const machine::Wave& wave, const isa::Instruction& in, const InitialisedInfo& info);
  void check_branch(const machine::Wave& wave, const isa::Instruction& in, const isa::Uses& uses);
  void check_scalar(const machine::Wave& wave, const isa::Instruction& in, int first, int count,
                    const char* use);
  void report(const machine::Wave& wave, const isa::Instruction& in, isa::RegisterRange range, int lane,
              uint64_t origin, const char* use);

  std::vector<RegisterValidity> waves_;
  MemoryFlow memory_;
  HazardSink& sink_;
};

} // namespace fmha950::observe
