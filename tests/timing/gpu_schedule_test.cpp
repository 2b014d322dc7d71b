#include "emulator/rates/latencies.hpp"
#include "emulator/timing/gpu_schedule.hpp"

#include "tests/support/catch.hpp"

#include <cmath>
#include <functional>
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
  CHECK_FALSE(time.sampling_error); // two samples say nothing of what lies between
}

TEST_CASE("timing: along an axis a workgroup takes what the one at its place takes, whatever its id") {
  // Four blocks of queries of 64 heads in 16 batches: y decides.
  const WorkAxis along_y{.stride = 64, .extent = 4};
  const std::vector<SampledWorkgroup> one_of_each = {{0, 100}, {64, 200}, {128, 300}, {192, 400}};
  std::vector<SampledWorkgroup> all;
  for (uint64_t id = 0; id < 64 * 4 * 16; ++id) all.push_back({id, 100 * (along_y.place(id) + 1)});
  const GpuTime time = gpu_time(one_of_each, all.size(), 1, along_y);
  CHECK(time.clocks == gpu_time(all, all.size(), 1).clocks);
  CHECK(time.occupied == gpu_time(all, all.size(), 1).occupied);
  CHECK(time.sampling_error == 0.0);
  // The same four by their ids: all batches but the first would be as long as its last block.
  CHECK(gpu_time(one_of_each, all.size(), 1).clocks > 1.5 * time.clocks);
  // One of four is missing: what lies between stands for it, and nobody says that it is certain.
  const std::vector<SampledWorkgroup> three = {one_of_each[0], one_of_each[1], one_of_each[3]};
  CHECK(gpu_time(three, all.size(), 1, along_y).clocks == time.clocks);
  CHECK(gpu_time(three, all.size(), 1, along_y).sampling_error.has_value());
}

TEST_CASE("timing: places are occupied for as long as there is a workgroup in them") {
  const std::vector<SampledWorkgroup> even = {{0, 1000}};
  CHECK(gpu_time(even, 256, 1).occupied == 1);
  CHECK(gpu_time(even, 64, 1).occupied == 0.25);
  CHECK(gpu_time(even, 384, 1).occupied == 0.75); // one round and a half
  CHECK(gpu_time(even, 256, 2).occupied == 0.5);
}

TEST_CASE("timing: the sampling error is how far samples lie from the line between their neighbours") {
  CHECK(gpu_time(std::vector<SampledWorkgroup>{{0, 300}, {10, 200}, {20, 100}}, 21, 1).sampling_error ==
        Approx(0));
  // One round: the mean is off by 120 over the root of 3, the end by the 120 that go with the middle one.
  CHECK(*gpu_time(std::vector<SampledWorkgroup>{{0, 100}, {10, 220}, {20, 100}}, 21, 1).sampling_error ==
        Approx(std::hypot(120 / 140.0 / std::sqrt(3.0), 120 / 220.0)));
}

TEST_CASE("timing: there is no sampling error where every workgroup was sampled, an unknown one of two") {
  std::vector<SampledWorkgroup> uneven = {{0, 100}, {1, 220}, {2, 100}, {3, 700}};
  CHECK(gpu_time(uneven, 4, 1).sampling_error == 0.0);
  CHECK(*gpu_time(uneven, 5, 1).sampling_error > 0.1);
  uneven.resize(2);
  CHECK(gpu_time(uneven, 2, 1).sampling_error == 0.0);
  CHECK_FALSE(gpu_time(uneven, 3, 1).sampling_error);
}

// Lengths as grids have them: falling (longest first), a triangle repeated for each head (causal), and
// requests of any length in any order. The error is a standard one: now and then the truth lies outside.
TEST_CASE("timing: what all workgroups take lies within the sampling error of what samples say") {
  const auto falling = [](uint64_t id) { return 40000 - 10 * id; };
  const auto sawtooth = [](uint64_t id) { return 20000 + 100 * (id * 37 % 101); };
  const auto scattered = [](uint64_t id) { return 10000 + id * 2654435761u % 4096; };
  const std::function<uint64_t(uint64_t)> lengths[] = {falling, sawtooth, scattered};
  int grids = 0, within = 0;
  for (const auto& clocks_of : lengths)
    for (const uint64_t grid : {100, 256, 600, 3000}) {
      std::vector<SampledWorkgroup> all;
      for (uint64_t id = 0; id < grid; ++id) all.push_back({id, clocks_of(id)});
      const double whole = gpu_time(all, grid, 1).clocks;
      for (const uint64_t count : {5, 17, 65}) {
        std::vector<SampledWorkgroup> some;
        for (uint64_t i = 0; i < count; ++i) some.push_back(all[i * (grid - 1) / (count - 1)]);
        const GpuTime time = gpu_time(some, grid, 1);
        const double off = std::abs(whole / time.clocks - 1);
        CAPTURE(&clocks_of - lengths, grid, count, whole, time.clocks, *time.sampling_error);
        CHECK(off <= 2 * *time.sampling_error + 1e-9);
        ++grids;
        within += off <= *time.sampling_error + 1e-9;
      }
    }
  CHECK(within >= 9 * grids / 10);
}
