#include "harness/probe/schedule_list.hpp"

#include "harness/device/variation.hpp"
#include "interface/error.hpp"

#include <charconv>
#include <fmt/format.h>
#include <sstream>

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

std::vector<std::string> schedule_list(const std::string& text, uint64_t seed) {
  if (text.empty()) return {};
  const auto refuse = [&]() -> InvalidInput {
    return {"schedules", text,
            "must be a number from 2, or at least two schedules such as eager,lazy+starve:3"};
  };
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || count < 2 || count > 1'000'000) throw refuse();
    return mutation_schedules(count, seed);
  }
  std::vector<std::string> schedules;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) schedules.push_back(schedule_of_item(item));
  if (schedules.size() < 2) throw refuse();
  return schedules;
}

} // namespace fmha950::harness
