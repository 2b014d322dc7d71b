#pragma once
// How far two instructions of one stream must be apart if the first does something to a register that the second wants.
// The running check and the check without running (emulator/static_check) both ask here.

#include "emulator/observe/wait_states/wait_state_info.hpp"

#include <string>

namespace fmha950::observe {

// The registers of `operand` that `other` has too, bit 0 for the first of `operand`.
uint64_t common_registers(const WaitStateInfo::Operand& operand, const WaitStateInfo::Operand& other);

struct WaitStatePair {
  const isa::Instruction* first = nullptr; // null: no such pair
  const WaitStateInfo* first_info = nullptr;
  WaitStateInfo::Operand effect;
  const isa::Instruction* second = nullptr;
  WaitStateInfo::Operand access;

  Requirement required() const;
  // "v_mfma_... writes v[8:11], v_cvt_u32_f32 reads v8 after 1 of 8 wait states (MFMA result)"
  std::string text(int states, uint32_t accum_offset) const;

 private:
  int states_of_shipped_code(int states, uint32_t accesses) const;
};

// A pair and the states that there are between the two.
struct SpacedPair {
  WaitStatePair pair;
  int states = 0;
  Requirement required = {}; // of the pair

  int missing() const { return required.states - states; }
  Severity severity() const { return required.severity(states); }
  bool is_worse_than(const SpacedPair& other) const; // an error is worse than a warning, whatever each misses
};

// What adds so many states: "s_nop 3"; more than 16 take several.
std::string nops(int states);

} // namespace fmha950::observe
