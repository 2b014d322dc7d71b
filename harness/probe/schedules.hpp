#pragma once
// The schedules that explore a kernel: eager and lazy memory with waves in turn, each starved in turn, and
// then seeds of random and pct for memory and waves. Those of a smaller count come first in a larger one.
// Mutants are judged under those with the first seed 1.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::harness {

std::vector<std::string> mutation_schedules(size_t count, uint64_t first_seed = 1);

} // namespace fmha950::harness
