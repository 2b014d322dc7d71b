#include "emulator/timing/model/chiplet.hpp"

#include "emulator/rates/latencies.hpp"
#include "emulator/timing/model/assumed_op.hpp"
#include "emulator/timing/model/compute_unit.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace fmha950::timing {

namespace {

std::vector<Op> assumed(std::vector<Op> ops, const Assumptions& assumptions) {
  for (Op& op : ops) op = assumed(std::move(op), assumptions);
  return ops;
}

} // namespace

Simulation simulate(const KernelRecord& kernel, const Mall& mall, const std::vector<CuWork>& cus,
                    int busy_cus, int at_once, const Assumptions& assumptions, bool timeline) {
  Simulation result;
  result.cus = static_cast<int>(cus.size());
  result.ops.resize(kernel.ops.size());
  if (cus.empty()) return result;
  ChipletMemory memory(static_cast<double>(busy_cus) / static_cast<double>(cus.size()), mall);
  const std::vector<Op> ops = assumed(kernel.ops, assumptions);
  std::deque<ComputeUnit> units;
  for (const CuWork& work : cus)
    units.emplace_back(ops, work, at_once, memory, assumptions, result, static_cast<uint32_t>(units.size()),
                       timeline);
  run_to_the_end(units);
  for (ComputeUnit& unit : units) unit.finish();
  // What was written last is still on its way: whoever comes next waits behind it, and so does the end of the launch.
  result.clocks = std::max(result.clocks, static_cast<uint64_t>(std::ceil(memory.beyond.free())));
  for (const OpTime& op : result.ops)
    for (size_t i = 0; i < op.spent.size(); ++i) result.spent[i] += op.spent[i];
  return result;
}

} // namespace fmha950::timing
