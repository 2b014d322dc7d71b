#pragma once
// Where an instruction of a function stands: its loop, the barriers around it, the accesses beside it.

#include "emulator/program/control_flow.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::observe {

class FunctionPlaces {
 public:
  // `begin` is what offsets count from.
  FunctionPlaces(const isa::Program::Block& code, uint64_t begin);

  const isa::ControlFlow& flow() const { return flow_; }
  const isa::Instruction& instruction(size_t index) const { return code_.instructions[index]; }
  uint64_t offset(size_t index) const { return instruction(index).address - begin_; }
  std::optional<size_t> index_of(const isa::Instruction& in) const; // of one that control flow reaches
  size_t block_of(size_t index) const { return block_of_[index]; }  // in flow().blocks
  bool is_barrier(size_t index) const;
  std::vector<const isa::Loop*> loops_of(size_t index) const; // the innermost first

  std::string loop(size_t index) const;  // "loop 2"; "" in none
  std::string phase(size_t index) const; // "loop 2 from +0x40, behind the barrier at +0x38"
  using Skeleton = std::shared_ptr<const std::vector<uint32_t>>;
  std::pair<Skeleton, size_t> skeleton(size_t index) const; // ReportedParty's, and the position there

 private:
  std::optional<size_t> innermost(size_t index) const; // number in loops_
  // The nearest barrier on a way straight up or down the code, around the loop if need be.
  std::optional<size_t> barrier_before(size_t index) const, barrier_behind(size_t index) const;

  const isa::Program::Block& code_;
  uint64_t begin_;
  isa::ControlFlow flow_;
  std::vector<size_t> block_of_;
  std::vector<isa::Loop> loops_; // in the order of the code
  // Of each loop what is in none inside it; the last is what is in no loop.
  std::vector<Skeleton> skeletons_;
  std::vector<size_t> positions_;
};

} // namespace fmha950::observe
