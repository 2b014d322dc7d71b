// Instructions come from the cache that the CU's waves share: a launch before has filled it, and its port has
// a limit.
#include "emulator/rates/latencies.hpp"
#include "tests/timing/replay_case.hpp"

#include "tests/support/catch.hpp"
#include <numeric>

using namespace fmha950::timing;

namespace {

// Independent instructions of 8 bytes, one behind the other from `address` on.
std::vector<Op> code(uint32_t bytes, uint64_t address) {
  std::vector<Op> ops;
  for (; bytes >= 8; bytes -= 8, address += 8) {
    ops.push_back(valu(1, 2));
    ops.back().address = address;
    ops.back().bytes = 8;
  }
  return ops;
}

uint64_t fetch_clocks(const std::vector<Op>& ops, int repetitions, const Assumptions& assumptions) {
  ReplayCase replay;
  replay.add_wave(ops, repetitions);
  return replay.run(assumptions).spent[static_cast<size_t>(Spent::fetch)];
}

} // namespace

TEST_CASE("timing: code is waited for where the cache has not got it yet") {
  constexpr uint64_t begin = 1 << 20;
  const auto loop = code(16 << 10, begin);
  CHECK(fetch_clocks(loop, 3, {}) == 0);
  const uint64_t cold = fetch_clocks(loop, 1, {.warm = false});
  CHECK(cold > hbm_latency);
  CHECK(fetch_clocks(loop, 3, {.warm = false}) < cold + l2_latency); // once
}

TEST_CASE("timing: code that the launch before has run asks L2 for nothing, not even behind its end") {
  const auto l2_bytes = [](const Assumptions& assumptions) {
    ReplayCase replay;
    replay.add_wave(code(1 << 10, 1 << 20));
    const MemoryTraffic traffic = replay.run(assumptions).traffic;
    return std::accumulate(traffic.bytes.begin(), traffic.bytes.end(), uint64_t{0});
  };
  CHECK(l2_bytes({}) == 0);
  CHECK(l2_bytes({.warm = false}) > (1 << 10));
}

TEST_CASE("timing: a loop larger than the instruction cache streams through it, if fetch runs ahead of it") {
  const auto large = code(instruction_cache_bytes + (32 << 10), 1 << 20);
  // Of three passes behind three that bring it into L2. Eight instructions of four clocks are a line: sixteen lines last longer
  // than L2 takes.
  const auto later_clocks = [&](const Assumptions& assumptions) {
    return fetch_clocks(large, 6, assumptions) - fetch_clocks(large, 3, assumptions);
  };
  CHECK(later_clocks({}) <= 3 * l2_latency); // each pass jumps to a begin that the cache has lost
  const uint64_t lines = (instruction_cache_bytes + (32 << 10)) / instruction_line_bytes;
  CHECK(later_clocks({.fetch_on_demand = true}) > lines * l2_latency); // a wave's buffer hides some
}

TEST_CASE("timing: a line that one wave has asked for comes to another as late as it comes") {
  const auto loop = code(1 << 10, 1 << 20);
  ReplayCase replay;
  for (int wave = 0; wave < 2; ++wave) replay.add_wave(loop);
  for (auto& wave : replay.kernel().workgroups.front().waves)
    for (uint32_t& op : wave.ops)
      op %= static_cast<uint32_t>(loop.size() + 1); // both run the first one's code
  uint64_t first = ~uint64_t{0};
  for (const Issue& issue : issues_of(replay.run({.warm = false}))) first = std::min(first, issue.clock);
  CHECK(first >= hbm_latency);
}

TEST_CASE("timing: waves of different code share the port of the instruction cache") {
  const auto clocks_of = [](int waves, uint8_t bytes) {
    ReplayCase replay;
    for (int wave = 0; wave < waves; ++wave) {
      std::vector<Op> ops;
      for (int i = 0; i < 200; ++i) {
        Op op = wave / 4 % 2 ? valu(1, 2) : internal(Kind::salu);
        if (wave / 4 % 2 == 0) op.pipe = Pipe::scalar;
        op.address = static_cast<uint64_t>((wave * 200 + i) * bytes);
        op.bytes = bytes;
        ops.push_back(op);
      }
      replay.add_wave(ops);
    }
    return replay.run().clocks - workgroup_start_clocks;
  };
  // Eight waves on two pipes of four SIMDs: two instructions a clock.
  CHECK(clocks_of(8, 8) < 200u * 4 + 50);
  CHECK(clocks_of(8, 16) >= 8 * 200u * 16 / instruction_fetch_bytes - 50);
  CHECK(clocks_of(16, 16) >= 16 * 200u * 16 / instruction_fetch_bytes - 50);
}
