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

// From which clock on each CU works: one after the other, as places become free in a later round, within a part of what a
// workgroup takes if all begin together.
std::vector<uint64_t> begins_of(const std::vector<CuWork>& cus, int at_once, uint64_t clocks_together) {
  size_t most = 1; // one after the other
  for (const CuWork& work : cus) most = std::max(most, work.size() / static_cast<size_t>(at_once));
  const auto span = static_cast<uint64_t>(starts_apart * static_cast<double>(clocks_together / most));
  std::vector<uint64_t> begins;
  for (size_t cu = 0; cu < cus.size(); ++cu) begins.push_back(span * cu / cus.size());
  return begins;
}

} // namespace

Simulation simulate(const KernelRecord& kernel, const Mall& mall, const std::vector<CuWork>& cus,
                    int busy_cus, int at_once, const Assumptions& assumptions, bool timeline) {
  Simulation result;
  result.cus = static_cast<int>(cus.size());
  result.ops.resize(kernel.ops.size());
  if (cus.empty()) return result;
  std::vector<uint64_t> begins(cus.size());
  if (assumptions.apart && cus.size() > 1) {
    Assumptions together = assumptions;
    together.apart = false;
    begins = begins_of(cus, at_once, simulate(kernel, mall, cus, busy_cus, at_once, together).clocks);
  }
  ChipletMemory memory(static_cast<double>(busy_cus) / static_cast<double>(cus.size()), mall);
  const std::vector<Op> ops = assumed(kernel.ops, assumptions);
  std::deque<ComputeUnit> units;
  for (const CuWork& work : cus)
    units.emplace_back(ops, work, at_once, memory, assumptions, result, static_cast<uint32_t>(units.size()),
                       timeline, begins[units.size()]);
  run_to_the_end(units);
  for (ComputeUnit& unit : units) unit.finish();
  // What was written last is still on its way: whoever comes next waits behind it, and so does the end of the launch.
  const auto written = static_cast<uint64_t>(std::ceil(memory.beyond.free()));
  result.clocks = std::max(result.clocks, written - std::min(written, std::ranges::max(begins)));
  for (const OpTime& op : result.ops)
    for (size_t i = 0; i < op.spent.size(); ++i) result.spent[i] += op.spent[i];
  return result;
}

} // namespace fmha950::timing
