#pragma once
// What the checks need to know of a decoded instruction, derived once and kept with its function.

#include "emulator/observe/in_flight.hpp"
#include "emulator/observe/initialised/initialised_rules.hpp"
#include "emulator/observe/operation/memory_operation.hpp"
#include "emulator/observe/wait_states/wait_state_info.hpp"
#include "emulator/program/memory_facts.hpp"
#include "emulator/program/program.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace fmha950::observe {

// What is looked at for every instruction stands first, in one cache line as a rule.
struct alignas(64) InstructionInfo {
  enum class Role : uint8_t { other, waitcnt, barrier, end, cache, wrong_selection };
  Role role = Role::other;
  isa::CacheControl cache = isa::CacheControl::none;
  uint8_t scalar_units = 0; // what SMEM adds to lgkmcnt (machine_gfx950.md section 1.1)
  InitialisedInfo initialised;
  WaitStateInfo wait_states;
  InFlightInfo in_flight;
  isa::Uses uses;
  MemoryOperation operation;
};

// The instructions of one function, in order.
const std::vector<InstructionInfo>& info_of(const isa::Program::Block& block, uint32_t accum_offset);

// Finds an instruction's info; one per host thread.
class InfoLookup {
 public:
  void start(const isa::Program& program, uint32_t accum_offset) {
    program_ = &program;
    accum_offset_ = accum_offset;
    first_ = last_ = nullptr;
  }
  [[gnu::always_inline]] const InstructionInfo& of(const isa::Instruction& in) {
    if (&in < first_ || &in >= last_) [[unlikely]]
      enter(in);
    const InstructionInfo* info = infos_ + (&in - first_);
    __builtin_prefetch(info + 3); // most instructions follow each other
    return *info;
  }

 private:
  void enter(const isa::Instruction& in);
  const isa::Program* program_ = nullptr;
  uint32_t accum_offset_ = 0;
  const isa::Instruction *first_ = nullptr, *last_ = nullptr;
  const InstructionInfo* infos_ = nullptr;
};

// Instructions whose registers M0 moved, as the checks see them: with the registers that they really use.
class IndexedInstructions {
 public:
  struct Indexed {
    isa::Instruction instruction;
    InstructionInfo info;
  };
  // Null: it does nothing. What is returned stays where it is.
  const Indexed* of(const machine::Wave& wave, const isa::Instruction& in);

 private:
  std::map<std::pair<const isa::Instruction*, uint32_t>, std::unique_ptr<Indexed>> known_; // by what M0 says
};

} // namespace fmha950::observe
