#pragma once
// What one iteration of a loop costs, statically: its instructions counted by kind and set against the rates
// of each unit. `modelled`, nothing here was measured: no bank conflicts, no cache misses, no dependences,
// all lanes active.

#include "emulator/program/control_flow.hpp"
#include "emulator/rates/instruction_use.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace fmha950::timing {

enum class Arms : uint8_t { all, none }; // of the branches inside a loop

struct Count {
  int all = 0;         // both arms of every branch
  int conditional = 0; // of them, not on every path through an iteration
  int of(Arms arms) const { return arms == Arms::all ? all : all - conditional; }
  void add(int amount, bool is_conditional) {
    all += amount;
    if (is_conditional) conditional += amount;
  }
};

// The cost for one wave, per iteration, without the loops inside.
struct LoopCost {
  std::array<Count, kinds> instructions;            // by Kind
  std::map<std::string, Count> mfma;                // by mfma_name
  std::map<std::string, int> passes;                // of one, by mfma_name
  std::vector<std::pair<std::string, Count>> waits; // by wait_name, in the order of the code
  Count lds_read_bytes, lds_transpose_bytes, lds_write_bytes, lds_exchange_bytes, lds_atomic_bytes;
  Count dma_bytes, load_bytes, store_bytes, atomic_bytes, smem_bytes;
  Count issued, wait_states;
  Count matrix_clocks, valu_clocks;        // of its SIMD
  Count lds_read_clocks, lds_write_clocks; // of the CU

  const Count& of(Kind kind) const { return instructions[static_cast<size_t>(kind)]; }
  Count vmem_bytes() const;
};

enum class LoopUnit : uint8_t { matrix, valu, lds, vmem, scalar, branch, wave_issue };
inline constexpr int units = static_cast<int>(LoopUnit::wave_issue) + 1;
// Clocks that each unit needs for one iteration of `waves_per_simd` waves on each of a CU's four SIMDs.
struct LoopClocks {
  std::array<double, units> clocks{}; // by LoopUnit
  double of(LoopUnit unit) const { return clocks[static_cast<size_t>(unit)]; }
  LoopUnit binding() const; // the slowest
};
const char* name_of(LoopUnit unit);

LoopCost cost_of(const isa::Program::Block& function, const isa::ControlFlow& flow, const isa::Loop& loop,
                 const std::vector<size_t>& own_blocks);
LoopClocks clocks_of(const LoopCost& cost, int waves_per_simd, Arms arms = Arms::all);

} // namespace fmha950::timing
