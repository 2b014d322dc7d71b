#pragma once
// The code of a kernel or function as the analyses of this folder read it: its control flow, and of every instruction what it does to the
// counters of s_waitcnt and how many wait states it lasts. An analysis reads these steps, never the instruction's own
// fields: so a changed kernel, with a wait loosened or an s_nop gone, is the same code with one step changed.

#include "emulator/isa/waitcnt.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/memory_queue.hpp"
#include "emulator/observe/instruction_info.hpp"
#include "emulator/program/control_flow.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace fmha950::static_check {

// An operation that an instruction gives to one of the wave's queues.
struct Issue {
  machine::Queue queue = machine::Queue::vm;
  uint8_t units = 1; // of its counter, at most
  // Whether it surely takes its turn in the queue: of FLAT and of cache operations a wait above zero says nothing.
  bool in_order = true;
};

// How an instruction leaves what is followed here.
enum class Leaves : uint8_t {
  no,
  call,    // to a function, which is not followed
  jump,    // to where a register says
  returns, // a function to who called it
  unknown, // no instruction that the device knows
  steered, // a vector instruction that vskip may skip, or whose registers M0 may move
};

struct Step {
  isa::Waitcnt limits = no_limits;
  uint8_t states = 1; // wait states that it lasts
  uint8_t issue_count = 0;
  Issue issued[2]; // FLAT issues two
  Leaves leaves = Leaves::no;

  static constexpr isa::Waitcnt no_limits{machine::MemoryQueues::vmcnt_max,
                                          machine::MemoryQueues::lgkmcnt_max};
  std::span<const Issue> issues() const { return {issued, issue_count}; }
};
using Steps = std::vector<Step>;

// A kernel's code. Throws LoadError when the kernel's entry is no code.
const isa::Program::Block& decoded(const loader::Kernel& kernel);

class Code {
 public:
  explicit Code(const loader::Kernel& kernel); // throws LoadError when its entry is no code
  Code(const loader::Kernel& kernel, const isa::Program::Block& changed); // a copy of its code with changes
  // The code of a function that kernels call: a jump through a register is its return. The caller's offset, which is open,
  // says which of its registers are AccVGPRs; here they lie behind all others.
  Code(const loader::CodeObject& object, const loader::CodeObject::Function& function);
  enum class Kind : uint8_t { kernel, function };
  Code(const isa::Program::Block& block, uint32_t accum_offset, Kind kind);
  uint32_t most_waves() const { return most_waves_; } // of a workgroup; 0: not known
  // Whether v0 is a work-item's number: it asks for one dimension, and is launched in one.
  bool is_one_dimensional() const { return one_dimensional_; }
  // The first of the two SGPRs that lead to the kernel's arguments at its entry, and how many SGPRs the launch fills.
  std::optional<int> arguments_register() const { return arguments_register_; }
  int user_registers() const { return user_registers_; }

  const isa::Instruction& instruction(size_t index) const { return block_.instructions[index]; }
  const observe::InstructionInfo& info(size_t index) const { return infos_[index]; }
  size_t size() const { return block_.instructions.size(); }
  size_t index_at(uint64_t address) const; // size() when there is none
  uint32_t accum_offset() const { return accum_offset_; }

  const isa::ControlFlow& flow() const { return flow_; }
  const isa::Loops& loops() const { return loops_; }
  static constexpr size_t none = SIZE_MAX;
  size_t block_of(size_t index) const { return block_of_[index]; } // none: the kernel does not come there
  size_t loop_of(size_t index) const { return loop_of_[index]; }   // the innermost one, or none

  const Steps& steps() const { return steps_; }
  bool leaves() const { return leaves_; } // some step does
  // Whether a wave may be told through LDS that there is data in device memory: on some path a write of device memory
  // comes before a write of LDS or a barrier.
  bool lds_may_announce() const { return lds_may_announce_; }
  // Whether the instruction, or one behind it on some path, reads any of these registers.
  const observe::RegisterSet& read_from(size_t index) const { return read_from_[index]; }
  bool reads_from(size_t index, const isa::RegisterRange& range) const;

 private:
  const isa::Program::Block& block_;
  uint32_t accum_offset_, most_waves_ = 0;
  const std::vector<observe::InstructionInfo>& infos_;
  isa::ControlFlow flow_;
  isa::Loops loops_;
  std::vector<size_t> block_of_, loop_of_;
  Steps steps_;
  std::vector<observe::RegisterSet> read_from_; // by instruction
  std::optional<int> arguments_register_;
  int user_registers_ = 0;
  bool one_dimensional_ = false, leaves_ = false, lds_may_announce_ = false;
};

} // namespace fmha950::static_check
