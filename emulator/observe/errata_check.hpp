#pragma once
// What public trackers report of gfx950 beyond its documents (docs/hardware/errata.md) and an instruction stream can
// decide, but for what is a matter of wait states (wait_states/):
// - v_pk_fma_f32 with op_sel [0,1,0] is intermittently wrong (rocMLIR #2459, merged): an error;
// - a buffer's num_records may reach past its allocation, and the whole range is checked against the page tables (CK
//   #6653, merged); production compilers set it to the most there is: a warning;
// - a buffer atomic out of range is an aperture violation, not dropped (Triton #9855, closed): a warning.

#include "emulator/observe/operation/memory_operation.hpp"
#include "emulator/observe/report/hazard.hpp"

#include <unordered_set>

namespace fmha950::observe {

bool has_wrong_selection(const isa::Instruction& in); // v_pk_fma_f32 as above: its row says so

class ErrataCheck {
 public:
  void wrong_selection(const machine::Wave& wave, const isa::Instruction& in, HazardSink& sink);
  void memory(const MemoryEvent& event, HazardSink& sink);

 private:
  void check_range(const MemoryEvent& event, HazardSink& sink);
  uint64_t last_ = 0; // of inside_
  // Ranges, begin and end folded, that lie in one allocation, and those that were reported, with their instruction.
  // Allocations stay during a launch, and this lives as long.
  std::unordered_set<uint64_t> inside_, reported_;
};

} // namespace fmha950::observe
