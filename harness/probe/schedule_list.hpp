#pragma once
// Which schedules a sweep explores. `text` is their number (those of harness/probe/schedules.hpp, seeds
// from `seed` on), or the schedules themselves, separated by commas with '+' for a schedule's own comma. ""
// is no sweep. Throws InvalidInput for a number below 2 and for a list of fewer than two.

#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::harness {

std::vector<std::string> schedule_list(const std::string& text, uint64_t seed);

} // namespace fmha950::harness
