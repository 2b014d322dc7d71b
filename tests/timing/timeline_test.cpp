// What a run keeps to be drawn is what it counts: the same clocks, of units and of waves.
#include "emulator/timing/report/perfetto.hpp"
#include "tests/timing/replay_case.hpp"

#include "tests/support/catch.hpp"
#include <map>
#include <nlohmann/json.hpp>

using namespace fmha950::timing;

namespace {

constexpr uint16_t lds_clocks_of_case = 12;

// Every unit at work, 10 waves for 4 SIMDs; barriers, counters, results and taken units to wait for.
ReplayCase of_everything() {
  ReplayCase replay(2);
  for (int wave = 0; wave < 10; ++wave)
    replay.add_wave({mfma(4, 0), valu(0, 8), valu(9, 10, Kind::transcendental), lds_dma(), load(), lds_read(),
                     scalar(), lds_read(), wait(63, 0), wait(0, 0), internal(Kind::barrier)},
                    20, lds_clocks_of_case);
  return replay;
}

// Clocks by unit; no two spans of one row overlap.
std::map<Unit, double> held(const Simulation& run) {
  std::map<Unit, double> clocks;
  std::map<std::tuple<Unit, uint32_t, uint32_t>, double> ends;
  for (const UnitSpan& span : run.timeline.units) {
    const bool of_simd = span.unit != Unit{Pipe::lds} && span.unit != Unit{Pipe::vmem} &&
                         span.unit != Unit{MemoryPort::l2_port};
    double& end = ends[{span.unit, span.by.cu, of_simd ? span.by.simd : 0}];
    CHECK(span.clock >= end);
    CHECK(span.clocks > 0);
    end = span.clock + span.clocks;
    clocks[span.unit] += span.clocks;
  }
  return clocks;
}

double busy(const Simulation& run, Pipe pipe) {
  return static_cast<double>(run.busy[static_cast<size_t>(pipe)]);
}

std::vector<nlohmann::json> slices(const nlohmann::json& trace, const std::string& row) {
  std::vector<nlohmann::json> found;
  for (const auto& named : trace["traceEvents"])
    if (named["ph"] == "M" && named["args"]["name"] == row)
      for (const auto& event : trace["traceEvents"])
        if (event["ph"] == "X" && event["pid"] == named["pid"] && event["tid"] == named["tid"])
          found.push_back(event);
  return found;
}

} // namespace

TEST_CASE("timeline: units are held for the clocks that they are busy, one instruction after the other") {
  const Simulation run = of_everything().run({}, 2);
  auto clocks = held(run);
  for (const Pipe pipe : {Pipe::matrix, Pipe::valu, Pipe::lds, Pipe::vmem}) {
    CAPTURE(name_of(pipe));
    CHECK(busy(run, pipe) > 0);
    CHECK(clocks[pipe] == busy(run, pipe));
  }
  CHECK(clocks[MemoryPort::l2_port] > 0);
  CHECK(clocks[MemoryPort::l2_port] == Approx(run.traffic.busy[static_cast<size_t>(MemoryPort::l2_port)]));
  CHECK(clocks[Pipe::scalar] ==
        clocks_per_issue * static_cast<double>(run.issued[static_cast<size_t>(Pipe::scalar)]));
}

TEST_CASE("timeline: an instruction holds its unit from when that takes it until it is free again") {
  ReplayCase replay;
  replay.add_wave({mfma(4, 0), valu(8, 9, Kind::transcendental), lds_read(), lds_read()}, 1, 12);
  const Simulation run = replay.run();
  std::vector<std::tuple<Unit, double, double>> spans;
  const double start = workgroup_start_clocks;
  for (const UnitSpan& span : run.timeline.units)
    spans.emplace_back(span.unit, span.clock - start, span.clocks);
  CHECK(spans == std::vector<std::tuple<Unit, double, double>>{{Pipe::matrix, 0, 16},
                                                               {Pipe::valu, 4, 8},
                                                               {Pipe::lds, 8, 12},
                                                               {Pipe::lds, 20, 12}}); // issued at 12
  const Simulation slow = replay.run({.lds_reads_128 = true, .slow_exp = true, .mfma_in_valu_slot = true});
  auto clocks = held(slow);
  CHECK(clocks[Pipe::lds] == 48);
  CHECK(clocks[Pipe::valu] ==
        16 + 2 * clocks_per_issue); // with the MFMA's slot, which is no work of the VALU
}

TEST_CASE("timeline: a wave's issues and waits follow each other without a gap and are its CPI stack") {
  const Simulation run = of_everything().run({}, 2);
  REQUIRE(run.timeline.waves.size() == 20);
  SpentClocks spent{};
  for (const WaveTimeline& wave : run.timeline.waves) {
    REQUIRE(!wave.spans.empty());
    CHECK(wave.spans.front().clock == workgroup_start_clocks); // all are resident
    uint64_t end = wave.spans.front().clock;
    for (const WaveSpan& span : wave.spans) {
      REQUIRE(span.clock == end);
      end += span.clocks;
      spent[static_cast<size_t>(span.spent)] += span.clocks;
      if (span.spent == Spent::issue) CHECK(span.clocks == clocks_per_issue);
    }
  }
  CHECK(spent == run.spent);
  for (const Spent reason :
       {Spent::vmcnt, Spent::lgkmcnt, Spent::barrier, Spent::mfma_result, Spent::matrix_busy}) {
    CAPTURE(name_of(reason));
    CHECK(spent[static_cast<size_t>(reason)] > 0);
  }
}

TEST_CASE("timeline: nothing is kept that nobody asked for") {
  ReplayCase replay = of_everything();
  const CuWork work{&replay.kernel().workgroups[0]};
  const Simulation run = simulate(replay.kernel(), {}, {work}, 1, 1, {});
  CHECK(run.timeline.waves.empty());
  CHECK(run.timeline.units.empty());
  CHECK(run.clocks > 0);
}

TEST_CASE("timeline: Perfetto's rows are the units and waves, exp2 and LDS DMA apart, waits by reason") {
  ReplayCase replay = of_everything();
  for (Op& op : replay.kernel().ops) op.text = std::string(name_of(op.pipe)) + "_op \"v0\"";
  const auto trace = nlohmann::json::parse(perfetto("attention", replay.kernel(), replay.run({}, 2)));
  const auto with = [&](const std::string& row, const char* key, const char* value) {
    return std::ranges::count_if(slices(trace, row), [&](const auto& slice) { return slice[key] == value; });
  };
  // SIMD 3 has waves 3 and 7 of one workgroup, three of the other: 20 of each instruction and wave.
  CHECK(with("SIMD 3 matrix", "cat", "matrix") == 20 * 5);
  CHECK(with("SIMD 3 valu", "cat", "valu") == 20 * 5);
  CHECK(with("SIMD 3 valu", "cat", "transcendental") == 20 * 5);
  CHECK(with("SIMD 3 scalar", "cat", "scalar") == 20 * 5);
  CHECK(with("CU lds", "cat", "lds") == 20 * 20 * 2);
  CHECK(with("CU lds", "cat", "lds_dma") == 20 * 19); // the last ones come when nobody uses the LDS any more
  CHECK(with("CU vmem", "cat", "vmem") == 20 * 20);
  CHECK(with("CU vmem", "cat", "lds_dma") == 20 * 20);
  CHECK(with("CU l2_port", "cat", "lds_dma") == 20 * 20);
  CHECK(with("workgroup 1 wave 9 SIMD 3", "cat", "lds_dma") == 20);
  CHECK(with("workgroup 1 wave 9 SIMD 3", "cat", "transcendental") == 20);
  CHECK(with("workgroup 1 wave 9 SIMD 3", "name", "vmcnt") > 0);
  CHECK(with("workgroup 1 wave 9 SIMD 3", "name", "barrier") > 0);
  for (const auto& event : trace["traceEvents"]) CHECK(event["pid"] == 1);
}
