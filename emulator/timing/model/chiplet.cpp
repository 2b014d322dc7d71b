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

// From which clock on each place of each CU takes workgroups: one after the other, in dispatch order, as places become free in
// a later round, over a part of what a workgroup takes if all begin together.
std::vector<std::vector<uint64_t>> begins_of(const std::vector<CuWork>& cus, size_t at_once,
                                             uint64_t clocks_together) {
  size_t rounds = 1;
  for (const CuWork& work : cus) rounds = std::max(rounds, (work.size() + at_once - 1) / at_once);
  const double clocks = static_cast<double>(clocks_together) / static_cast<double>(rounds);
  const auto span = static_cast<uint64_t>(starts_apart * clocks);
  std::vector<std::vector<uint64_t>> begins(cus.size());
  for (size_t place = 0; place < at_once; ++place)
    for (size_t cu = 0; cu < cus.size(); ++cu)
      begins[cu].push_back(span * (place * cus.size() + cu) / (at_once * cus.size()));
  return begins;
}

// What the CUs share is not faster than it is because they begin apart.
void wait_for_ports(Simulation& result) {
  for (const MemoryPort port : {MemoryPort::l2_channels, MemoryPort::beyond_l2})
    result.clocks = std::max(
        result.clocks, static_cast<uint64_t>(std::ceil(result.traffic.busy[static_cast<size_t>(port)])));
}

} // namespace

Simulation simulate(const KernelRecord& kernel, const Mall& mall, const std::vector<CuWork>& cus,
                    int busy_cus, int at_once, const Assumptions& assumptions, bool timeline) {
  Simulation result;
  result.cus = static_cast<int>(cus.size());
  result.ops.resize(kernel.ops.size());
  if (cus.empty()) return result;
  const auto places = static_cast<size_t>(at_once);
  std::vector<std::vector<uint64_t>> begins(cus.size(), std::vector<uint64_t>(places));
  const bool apart = assumptions.apart && cus.size() > 1;
  if (apart) {
    Assumptions together = assumptions;
    together.apart = false;
    begins = begins_of(cus, places, simulate(kernel, mall, cus, busy_cus, at_once, together).clocks);
  }
  ChipletMemory memory(static_cast<double>(busy_cus) / static_cast<double>(cus.size()), mall);
  const std::vector<Op> ops = assumed(kernel.ops, assumptions);
  std::deque<ComputeUnit> units;
  for (const CuWork& work : cus)
    units.emplace_back(ops, work, begins[units.size()], memory, assumptions, result,
                       static_cast<uint32_t>(units.size()), timeline);
  run_to_the_end(units);
  for (ComputeUnit& unit : units) unit.finish();
  // What was written last is still on its way: whoever comes next waits behind it, and so does the end of the launch.
  if (apart)
    wait_for_ports(result);
  else
    result.clocks = std::max(result.clocks, static_cast<uint64_t>(std::ceil(memory.beyond.free())));
  for (const OpTime& op : result.ops)
    for (size_t i = 0; i < op.spent.size(); ++i) result.spent[i] += op.spent[i];
  return result;
}

} // namespace fmha950::timing
