#include "tests/timing/replay_case.hpp"

#include "emulator/rates/latencies.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::timing;

TEST_CASE("timing: a wave issues an instruction every four clocks, and waits for results") {
  CHECK(clocks_per_repetition({valu(1, 2)}) == 4);
  CHECK(clocks_per_repetition({valu(1, 1)}) == valu_result_clocks); // dependent
  CHECK(clocks_per_repetition({valu(1, 2, Kind::transcendental)}) == 8);
  CHECK(clocks_per_repetition({valu(1, 2, Kind::transcendental)}, 1, {.slow_exp = true}) == 16);
}

TEST_CASE("timing: the matrix unit takes an MFMA when it is free, a dependent one when C may be read") {
  CHECK(clocks_per_repetition({mfma(4, 0)}) == 16); // chained: accumulators are forwarded
  CHECK(clocks_per_repetition({mfma(4, 0), mfma(4, 4)}) == 32);
  // A reader that is not the C of the next one waits longer than the passes.
  CHECK(clocks_per_repetition({mfma(4, 0), valu(0, 8)}) == 4 * (1 + 4 + 4) + 4);
}

TEST_CASE("timing: waves of a SIMD share its units, those of different SIMDs do not") {
  // Waves 0 and 4 are on SIMD 0.
  CHECK(clocks_per_repetition({mfma(4, 0)}, 4) == 16);
  CHECK(clocks_per_repetition({mfma(4, 0)}, 5) == 32);
  CHECK(clocks_per_repetition({valu(1, 2)}, 8) == 8);
}

TEST_CASE("timing: VALU runs beside the matrix unit, from another wave or the same one") {
  const std::vector<Op> both = {mfma(4, 0), valu(10, 20), valu(11, 21), valu(12, 22)};
  CHECK(clocks_per_repetition(both) == 16);
  ReplayCase replay;
  for (int wave = 0; wave < 8; ++wave)
    replay.add_wave({wave < 4 ? mfma(4, 0) : valu(1, 2)}, wave < 4 ? 100 : 400);
  CHECK(replay.run().clocks < 100 * 16 + 300);
  CHECK(replay.run({.mfma_in_valu_slot = true}).clocks > 100 * 16 + 350);
}

TEST_CASE("timing: the LDS serves all SIMDs one after the other") {
  const std::vector<Op> read = {lds_read(), wait(63, 0)};
  CHECK(clocks_per_repetition(read) == lds_latency + 4); // 64 + 1, up to the SIMD's next turn
  // Eight waves of sixteen clocks each, all the time.
  const std::vector<Op> reads(8, lds_read());
  CHECK(clocks_per_repetition(reads, 8, {}, 16) == Approx(8 * 8 * 16).epsilon(0.01));
  CHECK(clocks_per_repetition(reads, 8, {.lds_reads_128 = true}, 16) == Approx(2 * 8 * 8 * 16).epsilon(0.01));
}

TEST_CASE("timing: memory comes after the latency of the level that has it, and waits count in order") {
  ReplayCase cold, warm;
  for (ReplayCase* replay : {&cold, &warm}) replay->add_wave({load(), wait(0, 15)});
  CHECK(cold.run({.warm = false}).clocks > hbm_latency);
  CHECK(warm.run().clocks > mall_latency);
  CHECK(warm.run().clocks < hbm_latency);
  // The second load may stay in flight.
  ReplayCase one_left;
  one_left.add_wave({load(), load(), wait(1, 15), valu(1, 2)});
  CHECK(one_left.run().spent[static_cast<size_t>(Spent::vmcnt)] > mall_latency - 20); // the first load
  ReplayCase none_asked;
  none_asked.add_wave({load(), load(), wait(2, 15), valu(1, 2)});
  const Simulation simulation = none_asked.run();
  uint64_t valu_issued = 0;
  for (const Issue& issue : issues_of(simulation))
    if (issue.op == 3) valu_issued = issue.clock;
  CHECK(valu_issued < workgroup_start_clocks + 100u);
}

TEST_CASE("timing: a barrier opens for all when the last wave comes") {
  ReplayCase replay;
  replay.add_wave({valu(1, 1), internal(Kind::barrier), valu(1, 2)});
  std::vector<Op> late(50, valu(1, 1));
  late.push_back(internal(Kind::barrier));
  late.push_back(valu(1, 2));
  replay.add_wave(late);
  const Simulation simulation = replay.run();
  CHECK(simulation.spent[static_cast<size_t>(Spent::barrier)] >= 49 * valu_result_clocks);
  uint64_t first_after = ~uint64_t{0};
  for (const Issue& issue : issues_of(simulation))
    if (issue.wave == 0 && issue.op == 2) first_after = issue.clock;
  CHECK(first_after >= workgroup_start_clocks + 50u * valu_result_clocks);
}

TEST_CASE("timing: of two waves that are ready the one of higher priority issues, else the older one") {
  const auto end_of = [](int older, int younger) {
    ReplayCase replay;
    for (int wave = 0; wave < 5; ++wave) {
      std::vector<Op> ops(200, valu(1, 2));
      ops.insert(ops.begin(), priority(wave == 0 ? older : wave == 4 ? younger : 0));
      replay.add_wave(ops);
    }
    uint64_t ends[2] = {};
    for (const Issue& issue : issues_of(replay.run()))
      if (issue.wave == 0 || issue.wave == 4) ends[issue.wave / 4] = issue.clock;
    return std::pair(ends[0], ends[1]);
  };
  const auto [older, younger] = end_of(0, 0);
  CHECK(older < younger);
  const auto [low, high] = end_of(0, 1);
  CHECK(high < low);
}

TEST_CASE("timing: every clock of a wave has a reason") {
  ReplayCase replay;
  for (int wave = 0; wave < 8; ++wave)
    replay.add_wave({mfma(4, 0), valu(0, 8), load(), lds_read(), wait(0, 0), internal(Kind::barrier)}, 20);
  const Simulation simulation = replay.run();
  uint64_t spent = 0;
  for (const uint64_t clocks : simulation.spent) spent += clocks;
  CHECK(spent <= 8 * (simulation.clocks - workgroup_start_clocks));
  CHECK(spent > 8 * (simulation.clocks - workgroup_start_clocks) * 95 / 100);
}

TEST_CASE("timing: instructions' clocks and the reasons' are the same, and of one wave its life's") {
  ReplayCase replay;
  replay.add_wave({mfma(4, 0), valu(0, 8), load(), lds_read(), wait(0, 0)}, 20);
  const Simulation simulation = replay.run();
  uint64_t spent = 0, of_ops = 0;
  for (const uint64_t clocks : simulation.spent) spent += clocks;
  for (const OpTime& op : simulation.ops)
    for (const uint64_t clocks : op.spent) of_ops += clocks;
  CHECK(spent == simulation.clocks - workgroup_start_clocks);
  CHECK(of_ops == spent);
}

TEST_CASE("timing: waves go to the SIMD with the fewest") {
  const auto clocks_of = [](int workgroups) {
    ReplayCase replay(workgroups);
    replay.add_wave({mfma(16, 0)}, 100);
    return replay.run({}, workgroups).clocks;
  };
  CHECK(clocks_of(4) < clocks_of(1) + simds_per_cu); // of one wave each
  CHECK(clocks_of(8) > 3 * clocks_of(4) / 2);
}

TEST_CASE("timing: slower transcendentals hold up those behind them and their readers") {
  const std::vector<Op> exp = {valu(0, 0, Kind::transcendental)};
  CHECK(clocks_per_repetition(exp, 1, {.slow_exp = true}) - clocks_per_repetition(exp) == Approx(8));
}

TEST_CASE("timing: conversions to codes, barriers and LDS DMA take what is assumed of them") {
  std::vector<Op> codes = {valu(0, 0)};
  codes.front().makes_codes = true;
  CHECK(clocks_per_repetition(codes) == clocks_per_repetition({valu(0, 0)}));
  CHECK(clocks_per_repetition(codes, 1, {.code_conversion_clocks = 16}) ==
        clocks_per_repetition(codes) + 16 - clocks_per_issue);
  std::vector<Op> byte = {valu(0, 0)};
  byte.front().makes_byte = true;
  CHECK(clocks_per_repetition(byte, 1, {.byte_conversion_clocks = 8}) ==
        clocks_per_repetition(byte) + 8 - clocks_per_issue);
  CHECK(clocks_per_repetition(byte, 1, {.code_conversion_clocks = 16}) == clocks_per_repetition(byte));
  const std::vector<Op> barrier = {valu(1, 2), internal(Kind::barrier)};
  CHECK(clocks_per_repetition(barrier, 4, {.barrier_clocks = 40}) ==
        clocks_per_repetition(barrier, 4) + 40 - barrier_clocks);
  // So many data that nothing but the LDS limits: a load and a read are 400 clocks each.
  const std::vector<Op> both = {lds_dma(), lds_read(), wait(63, 0)};
  constexpr uint16_t clocks = 400;
  CHECK(clocks_per_repetition(both, 4, {.slow_lds_dma = true}, clocks) ==
        Approx(1.5 * clocks_per_repetition(both, 4, {}, clocks)).epsilon(0.02));
}

TEST_CASE("timing: workgroups run side by side if they are resident, else one after the other") {
  ReplayCase replay(2);
  replay.add_wave({mfma(4, 0)}, 200);
  const uint64_t after = replay.run({}, 1).clocks, beside = replay.run({}, 2).clocks;
  CHECK(after > 2 * 200 * 16);
  CHECK(beside < after);
  CHECK(replay.run({}, 1).workgroups.size() == 2);
}
