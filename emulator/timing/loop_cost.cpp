#include "emulator/timing/loop_cost.hpp"

#include "emulator/rates/rates.hpp"

#include <algorithm>

namespace fmha950::timing {
namespace {

Count* bytes_of(LoopCost& cost, Kind kind) {
  switch (kind) {
  case Kind::lds_read: return &cost.lds_read_bytes;
  case Kind::lds_transpose: return &cost.lds_transpose_bytes;
  case Kind::lds_write: return &cost.lds_write_bytes;
  case Kind::lds_exchange: return &cost.lds_exchange_bytes;
  case Kind::lds_atomic: return &cost.lds_atomic_bytes;
  case Kind::lds_dma: return &cost.dma_bytes;
  case Kind::vmem_load: return &cost.load_bytes;
  case Kind::vmem_store: return &cost.store_bytes;
  case Kind::vmem_atomic: return &cost.atomic_bytes;
  case Kind::smem: return &cost.smem_bytes;
  default: return nullptr;
  }
}

void add(LoopCost& cost, const isa::Instruction& in, bool conditional) {
  const InstructionUse use = use_of(in);
  cost.instructions[static_cast<size_t>(use.kind)].add(1, conditional);
  if (Count* bytes = bytes_of(cost, use.kind))
    bytes->add(use.vmem_bytes ? use.vmem_bytes : use.lds_bytes + use.smem_bytes, conditional);
  cost.issued.add(use.issues, conditional);
  cost.wait_states.add(use.wait_states, conditional);
  cost.matrix_clocks.add(use.matrix_clocks, conditional);
  cost.valu_clocks.add(use.valu_clocks, conditional);
  cost.lds_read_clocks.add(use.lds_read_clocks, conditional);
  cost.lds_write_clocks.add(use.lds_write_clocks, conditional);
  if (use.kind == Kind::mfma) {
    const std::string name = mfma_name(in);
    cost.mfma[name].add(1, conditional);
    cost.passes[name] = use.matrix_clocks / clocks_per_pass;
  } else if (use.kind == Kind::wait) {
    const std::string name = wait_name(in);
    auto same =
        std::find_if(cost.waits.begin(), cost.waits.end(), [&](const auto& w) { return w.first == name; });
    if (same == cost.waits.end()) same = cost.waits.insert(same, {name, {}});
    same->second.add(1, conditional);
  }
}

} // namespace

Count LoopCost::vmem_bytes() const {
  Count sum;
  for (const Count* part : {&dma_bytes, &load_bytes, &store_bytes, &atomic_bytes}) {
    sum.all += part->all;
    sum.conditional += part->conditional;
  }
  return sum;
}

const char* name_of(LoopUnit unit) {
  static constexpr const char* names[] = {"matrix", "VALU", "LDS", "VMEM", "scalar", "branch", "wave issue"};
  return names[static_cast<size_t>(unit)];
}

LoopUnit LoopClocks::binding() const {
  return static_cast<LoopUnit>(std::max_element(clocks.begin(), clocks.end()) - clocks.begin());
}

LoopCost cost_of(const isa::Program::Block& function, const isa::ControlFlow& flow, const isa::Loop& loop,
                 const std::vector<size_t>& own_blocks) {
  LoopCost cost;
  std::vector<size_t> in_code_order = own_blocks;
  std::sort(in_code_order.begin(), in_code_order.end(),
            [&](size_t a, size_t b) { return flow.blocks[a].begin < flow.blocks[b].begin; });
  for (size_t block : in_code_order) {
    // A block that dominates every tail is on every path from the head back to it.
    const bool always = std::all_of(loop.tails.begin(), loop.tails.end(),
                                    [&](size_t tail) { return flow.dominates(block, tail); });
    for (size_t i = flow.blocks[block].begin; i < flow.blocks[block].end; ++i)
      add(cost, function.instructions[i], !always);
  }
  return cost;
}

LoopClocks clocks_of(const LoopCost& cost, int waves_per_simd, Arms arms) {
  LoopClocks result;
  const auto set = [&](LoopUnit unit, double clocks) { result.clocks[static_cast<size_t>(unit)] = clocks; };
  const double simd_waves = waves_per_simd, cu_waves = waves_per_simd * simds_per_cu;
  set(LoopUnit::matrix, simd_waves * cost.matrix_clocks.of(arms));
  // That transcendentals keep plain VALU operations out is a guess; matrix and VALU overlap (6.3, RPC [D]).
  set(LoopUnit::valu, simd_waves * cost.valu_clocks.of(arms));
  // That reads and writes do not overlap is a guess: address and write data share a port (3.3 [D]).
  set(LoopUnit::lds, cu_waves * (cost.lds_read_clocks.of(arms) + cost.lds_write_clocks.of(arms)));
  set(LoopUnit::vmem, cu_waves * cost.vmem_bytes().of(arms) / l1_bytes_per_clock);
  // A SIMD's turn comes every 4 clocks, for one instruction of a class: SALU and SMEM are one, branches
  // another (6.2).
  const int scalar = cost.of(Kind::salu).of(arms) + cost.of(Kind::smem).of(arms);
  set(LoopUnit::scalar, std::max(simd_waves * clocks_per_issue * scalar,
                                 cu_waves * cost.smem_bytes.of(arms) / scalar_cache_bytes_per_clock));
  set(LoopUnit::branch,
      simd_waves * clocks_per_issue * (cost.of(Kind::branch).of(arms) + cost.of(Kind::call).of(arms)));
  // The clocks of one wave, however many there are: its own instructions come one at a time.
  set(LoopUnit::wave_issue,
      clocks_per_issue * cost.issued.of(arms) + clocks_per_pass * cost.wait_states.of(arms));
  return result;
}

} // namespace fmha950::timing
