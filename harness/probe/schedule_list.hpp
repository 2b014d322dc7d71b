#pragma once
// The schedules under which a kernel is explored: by sweeps, and by judges of mutants.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::harness {

// Eager and lazy memory with waves in turn, each starved in turn, and then seeds of random and pct for memory
// and waves. Those of a smaller count come first in a larger one. Mutants are judged under those with the
// first seed 1.
std::vector<std::string> mutation_schedules(size_t count, uint64_t first_seed = 1);

// Those of a sweep. `text` is their number (of mutation_schedules(), seeds from `seed` on), or the schedules
// themselves, separated by commas with '+' for a schedule's own comma. "" is no sweep. Throws InvalidInput for
// a number below 2 and for a list of fewer than two.
std::vector<std::string> schedule_list(const std::string& text, uint64_t seed);

} // namespace fmha950::harness
