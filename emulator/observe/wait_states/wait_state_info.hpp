#pragma once
// What an instruction means to the wait-state rules: which registers it touches, and how.

#include "emulator/isa/uses.hpp"
#include "emulator/observe/wait_states/wait_state_rules.hpp"

#include <span>

namespace fmha950::observe {

// One numbering of everything that a rule is about.
namespace resource {
constexpr uint16_t vector = 0;   // VGPRs of the unified file
constexpr uint16_t scalar = 512; // SGPR codes
constexpr uint16_t hwreg = 768;  // ids of s_setreg
constexpr uint16_t vskip = 832;  // MODE.vskip
constexpr uint16_t dgemm = 833;  // the f64 matrix unit, whatever its registers
constexpr uint16_t count = 834;
} // namespace resource

struct WaitStateInfo {
  struct Operand {
    uint32_t bits = 0; // access:: or effect::
    uint16_t first = 0;
    uint8_t count = 0;
    uint8_t longest = 0; // of an effect: longest_requirement
    uint16_t end() const { return static_cast<uint16_t>(first + count); }
  };
  // The 8 reads and 4 writes of isa::Uses, and what is no register of theirs: EXEC, VCC, MODE, the f64 unit.
  static constexpr int max_accesses = 16, max_effects = 8;
  uint8_t states = 1;      // that it lasts: s_nop n is n + 1
  uint8_t passes = 0;      // of an MFMA
  bool looks_back = false; // access::looks_back
  std::span<const Operand> accesses() const { return {access_, access_count_}; }
  std::span<const Operand> effects() const { return {effect_, effect_count_}; }
  void add_access(uint32_t bits, int first, int count);
  void add_effect(uint32_t bits, int first, int count);

 private:
  Operand access_[max_accesses], effect_[max_effects];
  uint8_t access_count_ = 0, effect_count_ = 0;
};

WaitStateInfo wait_state_info_of(const isa::Instruction& in, const isa::Uses& uses);
WaitStateInfo wait_state_info_of_skipped(); // of a vector instruction under vskip

} // namespace fmha950::observe
