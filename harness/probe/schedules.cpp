#include "harness/probe/schedules.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<std::string> mutation_schedules(size_t count, uint64_t first_seed) {
  std::vector<std::string> schedules = {"eager", "lazy", "lazy,starve:0", "eager,starve:0"};
  for (uint64_t round = 1; schedules.size() < count; ++round) {
    const uint64_t seed = first_seed + round - 1;
    schedules.push_back(fmt::format("random:{0},random:{0}", seed));
    schedules.push_back(fmt::format("pct:{0},pct:{0}", seed));
    schedules.push_back(fmt::format("pct:{0},random:{0}", seed));
    schedules.push_back(fmt::format("lazy,pct:{0}", seed));
    if (round < 8) schedules.push_back(fmt::format("{},starve:{}", round % 2 ? "lazy" : "eager", round));
  }
  schedules.resize(count);
  return schedules;
}

} // namespace fmha950::harness
