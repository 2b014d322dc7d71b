#include "emulator/rates/latencies.hpp"
#include "emulator/timing/gpu_time.hpp"
#include "emulator/timing/sample_choice.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <vector>

using namespace fmha950::timing;

namespace {

std::vector<uint32_t> ids(uint32_t count) {
  std::vector<uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0u);
  return ids;
}

} // namespace

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

TEST_CASE("timing: even samples leave open what five cannot rule out, uneven ones what their spread allows") {
  // Nothing changes whichever is left out: 1.5 % over the root of 3, and 18 of 21 are open.
  CHECK(*gpu_time(std::vector<SampledWorkgroup>{{0, 100}, {10, 100}, {20, 100}}, 21, 1).sampling_error ==
        Approx(0.015 * std::sqrt(18.0 / 21 / 3)));
  // One round of 220: without the middle one it would be 100. With one degree of freedom a standard error is half of 12.706.
  // The longest of those that were not followed can be at most sqrt(3) of the spread, 120 / sqrt(1.5), above the line.
  const double stated =
      *gpu_time(std::vector<SampledWorkgroup>{{0, 100}, {10, 220}, {20, 100}}, 21, 1).sampling_error;
  CHECK(stated >= 6.353 * 120 / 220);
  CHECK(stated <= 6.354 * std::hypot(120, std::sqrt(3.0) * 120 / std::sqrt(1.5) / 2) / 220);
}

TEST_CASE("timing: where work is known, clocks follow it, in whatever order it comes") {
  // 1000 to start and 300 for each unit, in an order that says nothing. Three samples know it all.
  std::vector<uint32_t> work;
  std::vector<SampledWorkgroup> all;
  for (uint64_t id = 0; id < 600; ++id) {
    work.push_back(static_cast<uint32_t>(1 + id * 37 % 101));
    all.push_back({id, 1000 + 300 * work.back()});
  }
  std::vector<SampledWorkgroup> three;
  for (const uint32_t id : choose_samples(ids(600), work, 3)) three.push_back(all[id]);
  const WorkAxis axis{.work = work};
  CHECK(gpu_time(three, 600, 1, axis).clocks == Approx(gpu_time(all, 600, 1).clocks));
  CHECK(gpu_time(three, 600, 1, axis).occupied == Approx(gpu_time(all, 600, 1).occupied));
  CHECK(*gpu_time(three, 600, 1, axis).sampling_error == Approx(0.015 * std::sqrt(0.995 / 3)).margin(1e-6));
  CHECK(gpu_time(all, 600, 1, axis).clocks == gpu_time(all, 600, 1).clocks);
  CHECK(gpu_time(all, 600, 1, axis).sampling_error == 0.0);
}

TEST_CASE("timing: work without samples of more than one amount, or of none at all, is no trouble") {
  const std::vector<uint32_t> work{0, 0, 0, 7, 7, 7};
  const WorkAxis axis{.work = work};
  CHECK(gpu_time(std::vector<SampledWorkgroup>{{0, 500}}, 6, 1, axis).clocks == 500);
  CHECK(gpu_time(std::vector<SampledWorkgroup>{{1, 500}, {3, 500}, {5, 900}}, 6, 1, axis).clocks == 900);
  CHECK(gpu_time(std::vector<SampledWorkgroup>{{0, 0}, {1, 0}, {4, 900}}, 6, 1, axis).clocks == Approx(900));
}

TEST_CASE(
    "timing: samples are one of each part, the most and the least work among them, and the same every time") {
  for (const size_t count : {1, 5, 17, 65}) {
    CAPTURE(count);
    const std::vector<uint32_t> chosen = choose_samples(1000, count);
    REQUIRE(chosen.size() == count);
    for (size_t i = 0; i < count; ++i)
      CHECK((chosen[i] >= i * 1000 / count && chosen[i] < (i + 1) * 1000 / count));
    CHECK(chosen == choose_samples(1000, count));
    CHECK(chosen == choose_samples(ids(1000), {}, count));
  }
  std::vector<uint32_t> work;
  for (uint32_t id = 0; id < 1000; ++id) work.push_back(id * 37 % 1000);
  std::set<uint32_t> parts;
  for (const uint32_t id : choose_samples(ids(1000), work, 5)) parts.insert(work[id] / 200);
  CHECK(parts.size() == 5);
  const auto of = [&](size_t count) { return choose_samples(ids(1000), work, count); };
  CHECK(std::ranges::is_sorted(of(17)));
  CHECK(std::ranges::count(of(17), 27) == 1); // 27 * 37 = 999, the most
  CHECK(std::ranges::count(of(17), 0) == 1);
  CHECK(of(1) == std::vector<uint32_t>{27});
  CHECK(choose_samples({3, 7, 9}, work, 5) == std::vector<uint32_t>{3, 7, 9});
  CHECK(choose_samples(3, 5) == std::vector<uint32_t>{0, 1, 2});
}

// Sixteen heads of eight blocks of queries under a causal mask, again and again: every 16th workgroup is the first block of
// its head. What equal distances see of it is one block, and that it is always the same.
TEST_CASE("timing: a pattern that equal distances meet in step is stated with an honest error") {
  constexpr uint64_t grid = 1024, period = 16, count = grid / period + 1;
  std::vector<SampledWorkgroup> all;
  for (uint64_t id = 0; id < grid; ++id) all.push_back({id, 4000 + 3000 * (id % period)});
  const double whole = gpu_time(all, grid, 1).clocks;
  std::vector<SampledWorkgroup> in_step, chosen;
  for (uint64_t i = 0; i + 1 < count; ++i) in_step.push_back(all[i * period]);
  for (const uint32_t id : choose_samples(grid, count)) chosen.push_back(all[id]);

  const auto off = [&](const GpuTime& time) { return std::abs(whole / time.clocks - 1); };
  const GpuTime wrong = gpu_time(in_step, grid, 1), right = gpu_time(chosen, grid, 1);
  CHECK(off(wrong) > 1); // and its error says nothing of it:
  CHECK(off(wrong) > 20 * *wrong.sampling_error);
  CHECK(off(right) <= 2 * *right.sampling_error);
  CHECK(*right.sampling_error < 0.5);
}

TEST_CASE("timing: there is no sampling error where every workgroup was sampled, an unknown one of two") {
  std::vector<SampledWorkgroup> uneven = {{0, 100}, {1, 220}, {2, 100}, {3, 700}};
  CHECK(gpu_time(uneven, 4, 1).sampling_error == 0.0);
  CHECK(*gpu_time(uneven, 5, 1).sampling_error > 0.1);
  uneven.resize(2);
  CHECK(gpu_time(uneven, 2, 1).sampling_error == 0.0);
  CHECK_FALSE(gpu_time(uneven, 3, 1).sampling_error);
}

// Lengths as grids have them: falling (longest first), a triangle repeated for each head (causal), and requests of any length in
// any order; nothing known of their work.
TEST_CASE("timing: what all workgroups take lies within two sampling errors of what samples say") {
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
        for (const uint32_t id : choose_samples(grid, count)) some.push_back(all[id]);
        const GpuTime time = gpu_time(some, grid, 1);
        const double off = std::abs(whole / time.clocks - 1);
        CAPTURE(&clocks_of - lengths, grid, count, whole, time.clocks, *time.sampling_error);
        CHECK(off <= 3 * *time.sampling_error);
        ++grids;
        within += off <= 2 * *time.sampling_error;
      }
    }
  CHECK(within >= 19 * grids / 20);
}
