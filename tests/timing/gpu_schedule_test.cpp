#include "emulator/timing/gpu_schedule.hpp"
#include "emulator/timing/latencies.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace fmha950::timing;

TEST_CASE("timing: a grid takes as many rounds as its workgroups fill places") {
  const std::vector<SampledWorkgroup> samples = {{0, 1000}};
  CHECK(gpu_time(samples, 1, 1).clocks == 1000);
  CHECK(gpu_time(samples, 256, 1).clocks == 1000);
  CHECK(gpu_time(samples, 257, 1).clocks == 2000);
  CHECK(gpu_time(samples, 257, 2).clocks == 1000);
  CHECK(gpu_time(samples, 8 * 32 * 10, 1).clocks == 10000);
}

TEST_CASE("timing: workgroup n is chiplet n mod 8's, so one busy chiplet holds up the rest") {
  // Of 264 workgroups 33 are each chiplet's: 32 run, one waits.
  CHECK(gpu_time(std::vector<SampledWorkgroup>{{0, 500}}, 264, 1).clocks == 1000);
}

TEST_CASE("timing: workgroups between samples take what lies between, and long ones first end evenly") {
  const std::vector<SampledWorkgroup> falling = {{0, 2000}, {511, 0}};
  // The first round has 2000 to 1000, the second 1000 to 0: each place ends at about 2000.
  const GpuTime time = gpu_time(falling, 512, 1);
  CHECK(time.clocks >= 2000);
  CHECK(time.clocks < 2100);
  CHECK(time.sampling_error == 0); // two samples say nothing of what lies between
}

TEST_CASE("timing: the sampling error is how far samples lie from the line between their neighbours") {
  CHECK(gpu_time(std::vector<SampledWorkgroup>{{0, 300}, {10, 200}, {20, 100}}, 21, 1).sampling_error ==
        Approx(0));
  CHECK(gpu_time(std::vector<SampledWorkgroup>{{0, 100}, {10, 220}, {20, 100}}, 21, 1).sampling_error ==
        Approx(120 / 140.0 / std::sqrt(3.0)));
}
