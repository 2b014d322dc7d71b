// A launch's clocks by the workgroups of one chiplet together, and by each alone.
#include "emulator/timing/kernel_time.hpp"
#include "tests/timing/replay_case.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::timing;

namespace {

// `ids` recorded of a grid, all with the same work.
KernelRecord recorded(const std::vector<uint64_t>& ids, uint64_t grid) {
  ReplayCase replay(static_cast<int>(ids.size()));
  replay.add_wave({valu(0, 0)}, 500);
  KernelRecord kernel = replay.kernel();
  for (size_t i = 0; i < ids.size(); ++i) kernel.workgroups[i].linear_id = ids[i];
  kernel.grid_workgroups = grid;
  return kernel;
}
std::vector<uint64_t> every(uint64_t step, uint64_t end) {
  std::vector<uint64_t> ids;
  for (uint64_t id = 0; id < end; id += step) ids.push_back(id);
  return ids;
}
KernelTime by_chiplet(const KernelRecord& kernel) { return time_of(kernel, {}, Placement::chiplet, {}); }

} // namespace

TEST_CASE("timing: a chiplet's workgroups together give the clocks of the GPU") {
  for (const uint64_t grid : {8u, 256u, 512u}) {
    CAPTURE(grid);
    const KernelRecord all = recorded(every(1, grid), grid);
    const KernelTime together = by_chiplet(all), apart = time_of(all, {}, Placement::samples, {});
    CHECK(together.gpu.clocks == Approx(apart.gpu.clocks).epsilon(0.05)); // starts of the second round
    CHECK(together.gpu.occupied == apart.gpu.occupied);
    CHECK(together.gpu.sampling_error == 0.0);
  }
}

TEST_CASE("timing: what was not recorded of a chiplet comes in further rounds") {
  const KernelTime all = by_chiplet(recorded(every(8, 2048), 2048)),
                   first = by_chiplet(recorded(every(8, 256), 2048));
  CHECK(first.runs.front().clocks * 8.0 == first.gpu.clocks);
  CHECK(first.gpu.clocks == Approx(all.gpu.clocks).epsilon(0.05));
  CHECK(first.gpu.occupied == 1);
  CHECK(!first.gpu.sampling_error);
  // Half a round more is a whole one, in which half of the places are empty.
  CHECK(by_chiplet(recorded(every(8, 256), 384)).gpu.clocks == 2.0 * first.runs.front().clocks);
  CHECK(by_chiplet(recorded(every(8, 256), 384)).gpu.occupied == 0.75);
}

TEST_CASE("timing: without a workgroup of chiplet 0 there are no clocks, and nobody claims to know them") {
  const KernelTime none = by_chiplet(recorded({1, 2, 3}, 64));
  CHECK(none.gpu.clocks == 0);
  CHECK(!none.gpu.sampling_error);
}
