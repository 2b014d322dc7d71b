// How far apart a chiplet's workgroups run, and what its L2 has for them then: the hits that were counted on a MI355X under two
// orders of workgroups (clock_and_calibration.md, point 7).
#include "emulator/timing/kernel_time.hpp"
#include "tests/timing/replay_case.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <numeric>

using namespace fmha950::timing;

namespace {

constexpr uint32_t tile_lines = 64 * 128 * 2 * 2 / line_bytes; // 64 keys of K and V in bf16
constexpr int16_t tile_clocks = 2376;                          // of HipKittens' forward, 256 rows of queries

// A wave that asks for each tile of a head two tiles ahead, and computes for as long as a forward does.
WaveRecord forward(uint64_t head, uint64_t tiles) {
  WaveRecord wave;
  for (uint64_t tile = 0; tile < tiles; ++tile) {
    wave.accesses.push_back({.step = static_cast<uint32_t>(wave.ops.size()),
                             .path = MemoryAccess::Path::vector,
                             .clocks = 4,
                             .first_line = static_cast<uint32_t>(wave.lines.size()),
                             .lines = tile_lines});
    wave.lines.resize(wave.lines.size() + tile_lines);
    std::iota(wave.lines.end() - tile_lines, wave.lines.end(),
              (1 << 20) + (head * tiles + tile) * tile_lines);
    wave.ops.insert(wave.ops.end(), {0, 1, 2});
  }
  wave.ops.push_back(3);
  return wave;
}

// A round of a chiplet, a workgroup on each CU: of one head, or of eight, which are on it if heads come fastest.
KernelRecord round_of(uint64_t heads, uint64_t tiles) {
  KernelRecord kernel;
  Op product = mfma(4, 0), end = internal(Kind::branch);
  product.clocks = tile_clocks;
  end.pipe = Pipe::branch;
  end.ends = true;
  kernel.ops = {load(), wait(1, -1), product, end};
  for (uint64_t id = 0; id < uint64_t{cus_per_chiplet}; ++id)
    kernel.workgroups.push_back({id * chiplets, {forward(id % heads, tiles)}});
  kernel.grid_workgroups = uint64_t{cus_per_chiplet} * chiplets;
  return kernel;
}

double hits(const Simulation& run) {
  const auto bytes = [&](MemoryLevel level) {
    return static_cast<double>(run.traffic.bytes[static_cast<size_t>(level)]);
  };
  const double all = bytes(MemoryLevel::l2) + bytes(MemoryLevel::mall) + bytes(MemoryLevel::hbm);
  return bytes(MemoryLevel::l2) / all;
}
Simulation run_of(const KernelRecord& kernel, const Assumptions& assumptions) {
  const Mall mall(kernel, true, assumptions.warm);
  return time_of(kernel, mall, Placement::chiplet, assumptions).runs.front();
}

} // namespace

TEST_CASE("timing: L2 hits of workgroups apart are near those that were counted under two orders") {
  constexpr uint64_t tiles = 65536 / 64;
  const KernelRecord one_head = round_of(1, tiles), heads_fastest = round_of(8, tiles);
  for (const bool warm : {true, false}) {
    CAPTURE(warm);
    const Assumptions together{.warm = warm}, apart{.warm = warm, .apart = true};
    const double of_one_head = hits(run_of(one_head, apart));
    CHECK(of_one_head == Approx(0.936).margin(0.034));
    CHECK(of_one_head < 1 - 1.0 / cus_per_chiplet + 1e-6); // each line is missed once
    CHECK(hits(run_of(heads_fastest, apart)) < 0.03);      // 0.024
    CHECK(hits(run_of(heads_fastest, together)) > 0.7);    // they meet at every line
  }
}

TEST_CASE("timing: what CUs begin later is no time of theirs") {
  const KernelRecord kernel = round_of(1, 200);
  const Simulation together = run_of(kernel, {}), apart = run_of(kernel, {.apart = true});
  CHECK(static_cast<double>(apart.clocks) == Approx(together.clocks).epsilon(0.01));
  const auto begins = [](const Simulation& run) {
    return std::ranges::minmax(run.workgroups, {}, &WorkgroupTime::start);
  };
  CHECK(begins(together).max.start == 0);
  const auto [first, last] = begins(apart);
  CHECK(first.start == 0);
  const auto part = static_cast<double>(last.start) / static_cast<double>(together.clocks);
  CHECK(part > 0.9 * starts_apart);
  CHECK(part <= starts_apart);
}

TEST_CASE("timing: each place of a CU begins apart, and those of later rounds follow it") {
  KernelRecord kernel = round_of(1, 50);
  const auto one_round = kernel.workgroups;
  for (const WorkgroupRecord& first : one_round) // three workgroups on each CU, two of them at a time
    for (const uint64_t round : {1u, 2u})
      kernel.workgroups.push_back({first.linear_id + round * one_round.size() * chiplets, first.waves});
  std::ranges::sort(kernel.workgroups, {}, &WorkgroupRecord::linear_id);
  kernel.grid_workgroups *= 3;
  kernel.workgroups_per_cu = 2;
  const Simulation run = run_of(kernel, {.apart = true});
  std::vector<uint64_t> starts;
  for (const WorkgroupTime& workgroup : run.workgroups) starts.push_back(workgroup.start);
  std::ranges::sort(starts);
  REQUIRE(starts.size() == 3 * one_round.size());
  const auto places = starts.begin() + static_cast<ptrdiff_t>(2 * one_round.size());
  CHECK(std::adjacent_find(starts.begin(), places) == places); // no two at one clock
  CHECK(*(places - 1) < *places / 4); // then a workgroup's time until the first is free
}

TEST_CASE("timing: CUs apart are no faster than what they share") {
  KernelRecord kernel = round_of(cus_per_chiplet, 100); // each CU reads lines of its own
  kernel.ops[2].clocks = 4;                             // and computes next to nothing
  const Simulation together = run_of(kernel, {}), apart = run_of(kernel, {.apart = true});
  const double bytes = cus_per_chiplet * 100.0 * tile_lines * line_bytes;
  const double least = bytes / (mall_bytes_per_clock / chiplets);
  CHECK(static_cast<double>(together.clocks) >= least);
  CHECK(static_cast<double>(apart.clocks) >= least);
  CHECK(static_cast<double>(apart.clocks) < 1.02 * static_cast<double>(together.clocks));
}
