// Copies of a workgroup on a CU share lines as its neighbour does, no more and no less.
#include "emulator/rates/latencies.hpp"
#include "emulator/timing/kernel_time.hpp"
#include "emulator/timing/model/mall.hpp"
#include "emulator/timing/record/neighbour.hpp"
#include "tests/timing/replay_case.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <numeric>

using namespace fmha950::timing;

namespace {

constexpr uint64_t cus = chiplets * cus_per_chiplet;

// A wave of loads, a line each, one after the other.
KernelRecord loads(size_t count, std::optional<std::vector<uint64_t>> shared) {
  ReplayCase replay;
  replay.add_wave({load()}, static_cast<int>(count));
  KernelRecord kernel = replay.kernel();
  WorkgroupRecord& workgroup = kernel.workgroups.front();
  std::iota(workgroup.waves.front().lines.begin(), workgroup.waves.front().lines.end(), 1000);
  workgroup.shared = std::move(shared);
  kernel.workgroups_per_cu = 2;
  kernel.grid_workgroups = 2 * cus;
  return kernel;
}

uint64_t beyond_l1(const KernelRecord& kernel) {
  const KernelTime time = time_of(kernel, Mall(), Placement::samples, Assumptions());
  REQUIRE(time.resident == 2);
  const auto& bytes = time.runs.front().traffic.bytes;
  return bytes[static_cast<size_t>(MemoryLevel::mall)] + bytes[static_cast<size_t>(MemoryLevel::hbm)];
}

} // namespace

TEST_CASE("neighbours: the next workgroup on a CU is as many later as there are CUs") {
  CHECK(neighbour_of(0, 2 * cus) == cus);
  CHECK(neighbour_of(cus, 2 * cus) == 0); // of the last ones the one before
  CHECK(neighbour_of(3, cus + 3) == std::nullopt);
  CHECK(neighbour_of(2, cus + 3) == cus + 2);
  CHECK(with_neighbours({1, 300}, 2 * cus) == std::vector<uint32_t>{1, 300 - cus, 1 + cus, 300});
}

TEST_CASE("neighbours: a copy shares what the neighbour touches, and lies where the original does") {
  const KernelRecord kernel = loads(4, std::vector<uint64_t>{1001, 1003});
  const WorkgroupRecord copy = copy_beside(kernel.workgroups.front(), 1);
  const auto& lines = copy.waves.front().lines;
  CHECK(lines[1] == 1001);
  CHECK(lines[3] == 1003);
  for (const size_t own : {0, 2}) {
    CHECK(lines[own] != 1000 + own);
    CHECK(line_in_memory(lines[own]) == 1000 + own);
  }
  CHECK(lines_of_both(kernel.workgroups.front(), copy) == std::vector<uint64_t>{1001, 1003});
}

TEST_CASE("neighbours: bytes behind L1 are those of both if nothing is shared, of one if all is") {
  constexpr size_t count = 64;
  std::vector<uint64_t> all(count);
  std::iota(all.begin(), all.end(), 1000);
  const uint64_t of_one = count * line_bytes;
  CHECK(beyond_l1(loads(count, std::vector<uint64_t>{})) == 2 * of_one);
  CHECK(beyond_l1(loads(count, all)) == of_one);
  CHECK(beyond_l1(loads(count, std::nullopt)) == of_one); // nobody saw the neighbour
  all.resize(count / 2);
  CHECK(beyond_l1(loads(count, all)) == of_one + of_one / 2);
}
