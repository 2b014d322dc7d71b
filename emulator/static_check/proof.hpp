#pragma once
// Whether a kernel without one of its waits or s_nops (observe/mutation) behaves as the kernel does: a proof by its code
// alone, on all paths. What is not proved may still be equivalent.

#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/static_check/buffer_bounds.hpp"
#include "emulator/static_check/removal.hpp"

#include <string>

namespace fmha950::static_check {

struct Proof {
  enum class Verdict : uint8_t {
    proved,    // nothing is touched too soon, on no path
    refuted,   // something is, on a path through the code
    undecided, // it may change an order of memory, or is of a kind that is not judged here
  };
  Verdict verdict = Verdict::undecided;
  std::string reason;
};
const char* name_of(Proof::Verdict verdict);

class Prover {
 public:
  explicit Prover(const loader::Kernel& kernel);
  // With changes in force: a copy of the kernel's code (observe::mutant_code). It must outlive the prover.
  Prover(const loader::Kernel& kernel, const isa::Program::Block& changed);
  const Code& code() const { return code_; }
  Proof judge(const observe::Mutation& mutation) const;

  // By instruction of code(), which is one that execution comes to in code that is followed (Code::leaves):
  Proof judge_wait(size_t index, isa::Waitcnt loosened) const; // the s_waitcnt keeps its own wait state
  Proof judge_barrier(size_t index) const;                     // it is gone
  // The wait states that are needed of an s_nop, an s_waitcnt or a barrier, and why (Missing).
  Missing states_needed(size_t index) const;
  std::string text_of(const Objection& objection) const;
  // Of each s_waitcnt: what may be in flight before it.
  const Flights& flights_before(size_t index) const { return flights_[index]; }

  static constexpr const char* is_not_followed =
      "the kernel calls functions, jumps to where a register says, moves VGPRs by M0, skips vector "
      "instructions, or holds an unknown instruction";

 private:
  Proof judge_nop(size_t index) const;
  Proof judge_bound(const observe::Mutation& mutation) const;
  const Waves& with_premise() const;
  const Waves& with_exact_sums() const;

  const loader::Kernel& kernel_;
  Code code_;
  Waves waves_;
  mutable std::optional<Waves> with_premise_, with_exact_sums_; // these are made when they are asked for
  mutable std::optional<BufferBounds> bounds_;
  std::vector<Flights> flights_;
  std::vector<Distances> distances_;
};

// One line for each mutant of the kernel: that of observe::list_mutants(), then verdict and reason, separated by tabs.
std::string list_mutants(const loader::Kernel& kernel);

} // namespace fmha950::static_check
