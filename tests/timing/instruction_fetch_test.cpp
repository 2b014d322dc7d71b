// Instructions come from the cache that the CU's waves share: a launch before has filled it, and its port has
// a limit.
#include "emulator/rates/latencies.hpp"
#include "tests/timing/replay_case.hpp"

#include "tests/support/catch.hpp"

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

uint64_t fetch_clocks(const std::vector<Op>& ops, int repetitions, bool warm) {
  ReplayCase replay;
  replay.add_wave(ops, repetitions);
  return replay.run({.warm = warm}).spent[static_cast<size_t>(Spent::fetch)];
}

} // namespace

TEST_CASE("timing: code is waited for where the cache has not got it yet") {
  constexpr uint64_t begin = 1 << 20;
  const auto loop = code(16 << 10, begin);
  CHECK(fetch_clocks(loop, 3, true) == 0);
  const uint64_t cold = fetch_clocks(loop, 1, false);
  CHECK(cold > l2_latency);
  CHECK(fetch_clocks(loop, 3, false) < cold + l2_latency); // once
  // A loop that is larger than the cache never finds its begin.
  const auto large = code(instruction_cache_bytes + (32 << 10), begin);
  CHECK(fetch_clocks(large, 2, true) > l2_latency);
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
