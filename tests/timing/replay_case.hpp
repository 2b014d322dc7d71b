#pragma once
// Kernels made by hand for the cycle model: waves of instructions without code;
// what a run says of their issues.

#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"
#include "emulator/timing/model/chiplet.hpp"

#include <vector>

namespace fmha950::timing {

inline isa::RegisterRange vgprs(int first, int count = 1) {
  return {.first = static_cast<uint16_t>(first), .count = static_cast<uint8_t>(count)};
}

// D = C = registers from `sums` on.
inline Op mfma(int passes, int sums) {
  Op op;
  op.pipe = Pipe::matrix;
  op.kind = Kind::mfma;
  op.clocks = op.chain_clocks = static_cast<int16_t>(clocks_per_pass * passes);
  op.result_clocks = static_cast<int16_t>(clocks_per_pass * (1 + passes + 4));
  op.set_registers(std::array{vgprs(sums, 4)}, std::array{vgprs(sums, 4)});
  op.chain = RegisterSlots(vgprs(sums, 4));
  return op;
}
inline Op valu(int from, int to, Kind kind = Kind::plain_valu) {
  Op op;
  op.pipe = Pipe::valu;
  op.kind = kind;
  op.clocks = kind == Kind::transcendental ? 8 : 4;
  op.result_clocks = static_cast<int16_t>(valu_result_clocks + op.clocks - clocks_per_issue);
  op.set_registers(std::array{vgprs(from)}, std::array{vgprs(to)});
  return op;
}
inline Op lds_read() {
  Op op;
  op.pipe = Pipe::lds;
  op.kind = Kind::lds_read;
  op.lgkm_units = 1;
  return op;
}
inline Op load() {
  Op op;
  op.pipe = Pipe::vmem;
  op.kind = Kind::vmem_load;
  return op;
}
inline Op lds_dma() {
  Op op = load();
  op.kind = Kind::lds_dma;
  return op;
}
inline Op scalar() {
  Op op;
  op.pipe = Pipe::scalar;
  op.kind = Kind::salu;
  op.result_clocks = salu_result_clocks;
  return op;
}
inline Op wait(int vmcnt, int lgkmcnt) {
  Op op;
  op.kind = Kind::wait;
  op.vmcnt = vmcnt;
  op.lgkmcnt = lgkmcnt;
  return op;
}
inline Op internal(Kind kind) {
  Op op;
  op.kind = kind;
  return op;
}
inline Op priority(int value) {
  Op op = internal(Kind::other_internal);
  op.priority = value;
  return op;
}

// One workgroup, its waves' instructions one after the other; each ends with s_endpgm. Memory instructions
// touch a line of their own, or `lds_clocks` of the LDS.
class ReplayCase {
 public:
  explicit ReplayCase(int workgroups = 1) { kernel_.workgroups.resize(static_cast<size_t>(workgroups)); }

  void add_wave(const std::vector<Op>& ops, int repetitions = 1, uint16_t lds_clocks = 1) {
    for (WorkgroupRecord& workgroup : kernel_.workgroups) {
      WaveRecord& wave = workgroup.waves.emplace_back();
      const auto first = static_cast<uint32_t>(kernel_.ops.size());
      for (int i = 0; i < repetitions; ++i)
        for (uint32_t o = 0; o < ops.size(); ++o) add(wave, ops[o], first + o, lds_clocks);
      wave.ops.push_back(first + static_cast<uint32_t>(ops.size()));
    }
    kernel_.ops.insert(kernel_.ops.end(), ops.begin(), ops.end());
    Op end = internal(Kind::branch);
    end.pipe = Pipe::branch;
    end.ends = true;
    kernel_.ops.push_back(end);
  }

  Simulation run(const Assumptions& assumptions = {}, int at_once = 1) const {
    CuWork work;
    for (const WorkgroupRecord& workgroup : kernel_.workgroups) work.push_back(&workgroup);
    return simulate(kernel_, Mall(kernel_, false, assumptions.warm), {work}, 1, at_once, assumptions, true);
  }
  KernelRecord& kernel() { return kernel_; }

 private:
  void add(WaveRecord& wave, const Op& op, uint32_t number, uint16_t lds_clocks) {
    const auto step = static_cast<uint32_t>(wave.ops.size());
    wave.ops.push_back(number);
    if (op.pipe == Pipe::lds)
      wave.accesses.push_back({.step = step, .path = MemoryAccess::Path::lds, .clocks = lds_clocks});
    if (op.pipe != Pipe::vmem) return;
    wave.accesses.push_back({.step = step,
                             .path = MemoryAccess::Path::vector,
                             .clocks = 4,
                             .dma_clocks = op.kind == Kind::lds_dma ? lds_clocks : uint16_t{0},
                             .first_line = static_cast<uint32_t>(wave.lines.size()),
                             .lines = 1});
    wave.lines.push_back(next_line_++);
  }

  KernelRecord kernel_;
  uint64_t next_line_ = 1 << 20; // far from the code, which begins at 0 and is fetched ahead of its end
};

struct Issue {
  uint32_t wave, op;
  uint64_t clock;
};
inline std::vector<Issue> issues_of(const Simulation& simulation) {
  std::vector<Issue> issues;
  for (const WaveTimeline& wave : simulation.timeline.waves)
    for (const WaveSpan& span : wave.spans)
      if (span.spent == Spent::issue) issues.push_back({wave.wave, span.op, span.clock});
  return issues;
}

// Clocks that each further repetition takes.
inline double clocks_per_repetition(const std::vector<Op>& ops, int waves = 1,
                                    const Assumptions& assumptions = {}, uint16_t lds_clocks = 1) {
  const auto clocks = [&](int repetitions) {
    ReplayCase replay;
    for (int w = 0; w < waves; ++w) replay.add_wave(ops, repetitions, lds_clocks);
    return static_cast<double>(replay.run(assumptions).clocks);
  };
  return (clocks(300) - clocks(100)) / 200;
}

} // namespace fmha950::timing
