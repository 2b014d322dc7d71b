// What is recorded of a launch does not depend on the host's threads.
#include "emulator/timing/record/recorder.hpp"
#include "tests/observe/hazard_device.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::timing;

namespace {

class Recording {
 public:
  KernelRecord of(std::vector<uint32_t> workgroups, int threads) {
    machine::Launch launch = device_.launch_of("two_ways");
    launch.grid[0] = 64;
    launch.block[0] = 64;
    launch.options.threads = threads;
    launch.only = &workgroups;
    Recorder recorder(launch, false);
    launch.listener = &recorder;
    machine::run(launch);
    return recorder.take();
  }

 private:
  test::HazardDevice device_{"timing_recorder_kernels"};
};

std::vector<uint64_t> addresses(const KernelRecord& record) {
  std::vector<uint64_t> all;
  for (const Op& op : record.ops) all.push_back(op.address);
  return all;
}

bool same(const KernelRecord& a, const KernelRecord& b) {
  const auto same_wave = [](const WaveRecord& one, const WaveRecord& other) {
    return one.ops == other.ops && one.lines == other.lines;
  };
  return addresses(a) == addresses(b) &&
         std::ranges::equal(a.workgroups, b.workgroups,
                            [&](const WorkgroupRecord& one, const WorkgroupRecord& other) {
                              return one.linear_id == other.linear_id &&
                                     std::ranges::equal(one.waves, other.waves, same_wave);
                            });
}

} // namespace

TEST_CASE("timing: a record is the same whichever workgroup ran first, and on any number of threads") {
  Recording recording;
  const KernelRecord one = recording.of({0, 1}, 1);
  REQUIRE(one.workgroups.size() == 2);
  CHECK(one.workgroups[0].waves[0].ops != one.workgroups[1].waves[0].ops); // two ways
  CHECK(std::ranges::is_sorted(addresses(one)));
  CHECK(same(one, recording.of({1, 0}, 1)));
  std::vector<uint32_t> all(64);
  std::iota(all.begin(), all.end(), 0u);
  const KernelRecord sequential = recording.of(all, 1);
  CHECK(same(sequential, recording.of({all.rbegin(), all.rend()}, 1)));
  for (const int threads : {2, 5}) CHECK(same(sequential, recording.of(all, threads)));
  CHECK_FALSE(same(one, sequential));
}

TEST_CASE("timing: workgroups at different places of the GPU have scratch of their own") {
  Recording recording;
  const KernelRecord record = recording.of({0, 1}, 1);
  const auto scratch = [](const WorkgroupRecord& workgroup) {
    std::vector<uint64_t> lines;
    for (const uint64_t line : workgroup.waves[0].lines)
      if (line * 128 >= machine::private_aperture) lines.push_back(line);
    std::ranges::sort(lines);
    lines.erase(std::ranges::unique(lines).begin(), lines.end());
    return lines;
  };
  const auto first = scratch(record.workgroups[0]), second = scratch(record.workgroups[1]);
  REQUIRE(first.size() == 64); // 32 values of 64 work-items, swizzled by dword
  CHECK(second.front() > first.back());
}
