// Modelled time: each launch at its own clock, with ends that span the laws of the clock and sampling.
#include "harness/perf/clock_law.hpp"
#include "harness/perf/modelled_time.hpp"
#include "harness/perf/reference_speeds.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace fmha950::harness;

namespace {

ModelledLaunch launch_of(double clocks, double matrix, double valu, double occupied = 1) {
  ModelledLaunch launch;
  launch.clocks = clocks;
  launch.occupied = occupied;
  launch.sampling_error = 0;
  launch.busy = {{"matrix", matrix}, {"valu", valu}, {"lds", 0}};
  launch.matrix = {{"bf16", matrix}};
  return launch;
}

Modelled modelled_of(std::vector<ModelledLaunch> launches) {
  return {.flops = 1e12, .launches = std::move(launches)};
}

// Of one case.
template <class Other> Range ratio_of(const Modelled& modelled, const Other& other) {
  return mean_of({speed_of(modelled, other)});
}

// At the highest clock in every world; slower under two assumptions by these factors.
Modelled slower_under(double first, double second) {
  Modelled modelled = modelled_of({launch_of(1e6, 0.05, 0.05)});
  ModelledLaunch& launch = modelled.launches[0];
  launch.assumed = {{std::string(assumed_clock_laws[0].words), first, launch.busy, launch.matrix},
                    {std::string(assumed_clock_laws[2].words), second, launch.busy, launch.matrix}};
  return modelled;
}

double seconds_at_highest_clock(double slower) { return slower * 1e6 / nominal_hertz + dispatch_seconds; }

} // namespace

TEST_CASE("modelled time: each launch has the clock that its own work allows") {
  const ModelledLaunch hard = launch_of(1e6, 0.8, 0.6), light = launch_of(3e6, 0.1, 0.1);
  const double hard_hertz = clock_law.hertz({.matrix_bf16 = 0.8, .valu = 0.6});
  REQUIRE(hard_hertz < 1.6e9);
  const Modelled both = modelled_of({hard, light});
  CHECK(seconds_of(both).best == Approx(1e6 / hard_hertz + 3e6 / nominal_hertz + 2 * dispatch_seconds));
  CHECK(hertz_of(both) == Approx(4e6 / (1e6 / hard_hertz + 3e6 / nominal_hertz)));
  CHECK(teraflops_of(both).best == Approx(1 / seconds_of(both).best));
  // CUs without work do not heat: the same launch on a quarter of the GPU.
  CHECK(hertz_of(modelled_of({launch_of(1e6, 0.8, 0.6, 0.25)})) == nominal_hertz);
}

TEST_CASE("modelled time: its ends span other laws of the clock, and two errors of sampling") {
  const Modelled certain = modelled_of({launch_of(1e6, 0.5, 0.8)});
  const BusyShares shares{.matrix_bf16 = 0.5, .valu = 0.8};
  const Range seconds = seconds_of(certain);
  for (const OtherClockLaw& other : other_clock_laws) {
    CHECK(seconds.low <= 1e6 / other.law.hertz(shares) + dispatch_seconds);
    CHECK(seconds.high >= 1e6 / other.law.hertz(shares) + dispatch_seconds);
  }
  CHECK(seconds.low < 0.99 * seconds.best);
  CHECK(seconds.high > 1.01 * seconds.best);
  Modelled sampled = certain;
  sampled.launches[0].sampling_error = 0.05;
  CHECK(seconds_of(sampled).best == seconds.best);
  CHECK(seconds_of(sampled).high == Approx(1.1 * seconds.high));
  CHECK(seconds_of(sampled).low == Approx(seconds.low / 1.1));
  CHECK(teraflops_of(sampled).low == Approx(1 / seconds_of(sampled).high));
  // Where the clock is at its highest under all laws, only sampling is left.
  const Range light = seconds_of(modelled_of({launch_of(1e6, 0.05, 0.05)}));
  CHECK(light.low == light.best);
  CHECK(light.high == light.best);
}

TEST_CASE(
    "modelled time: what was replayed under an assumption has that assumption's law, and widens the ends") {
  const Modelled plain = modelled_of({launch_of(1e6, 0.05, 0.05)});
  Modelled assumed = plain;
  // A launch whose clock is at its highest: under `lds128` it takes a fifth more clocks.
  assumed.launches[0].assumed = {
      {std::string(assumed_clock_laws[0].words), 1.2, plain.launches[0].busy, plain.launches[0].matrix}};
  REQUIRE(assumed_clock_laws[0].law.is_capped({.matrix_bf16 = 0.05, .valu = 0.05}));
  CHECK(seconds_of(assumed).best == seconds_of(plain).best);
  CHECK(seconds_of(assumed).low == seconds_of(plain).low);
  CHECK(seconds_of(assumed).high == Approx(1.2e6 / nominal_hertz + dispatch_seconds));
  // A launch that was not replayed leaves the whole without this world, and so does the other side of a ratio.
  Modelled two = assumed;
  two.launches.push_back(plain.launches[0]);
  CHECK(seconds_of(two).high == Approx(seconds_of(two).best));
  CHECK(ratio_of(assumed, plain).high == Approx(1));
  // Both sides are slower in the same world: nothing is open.
  CHECK(ratio_of(assumed, assumed).low == Approx(1));
  CHECK(ratio_of(assumed, assumed).high == Approx(1));
}

TEST_CASE("modelled time: a ratio is of both sides under the same law") {
  // The same mix of work, 5 % more of it: no law can turn that round, though the ranges of time overlap.
  const Modelled one = modelled_of({launch_of(1e6, 0.5, 0.8)}),
                 more = modelled_of({launch_of(1.05e6, 0.5, 0.8)});
  CHECK(seconds_of(one).high > seconds_of(more).low);
  const Range speed = ratio_of(one, more);
  CHECK(speed.low == Approx(1.05).epsilon(0.001));
  CHECK(speed.high == Approx(1.05).epsilon(0.001));
  CHECK(verdict_of(speed) == std::string("ahead"));
  CHECK(verdict_of(ratio_of(more, one)) == std::string("behind"));
  // Other work: fewer clocks, more in each of them.
  const Modelled valu = modelled_of({launch_of(1.22e6, 0.2, 0.98)}),
                 matrix = modelled_of({launch_of(1e6, 0.7, 0.2)});
  CHECK(verdict_of(ratio_of(valu, matrix)) == std::string("undecided"));
  Modelled uncertain = one;
  uncertain.launches[0].sampling_error = 0.04;
  CHECK(verdict_of(ratio_of(uncertain, more)) == std::string("undecided"));
}

TEST_CASE("modelled time: a published figure has its laboratory's spread") {
  const Modelled one = modelled_of({launch_of(1e6, 0.5, 0.8)});
  const Range teraflops = teraflops_of(one), speed = ratio_of(one, 1000.0);
  CHECK(laboratory_spread == 0.10); // clock_and_calibration.md
  CHECK(speed.best == Approx(teraflops.best / 1000));
  CHECK(speed.low == Approx(teraflops.low / 1100));
  CHECK(speed.high == Approx(teraflops.high / 900));
  // What is ahead of the figure alone, and behind it, but by less than the spread, is neither.
  CHECK(verdict_of(ratio_of(one, 0.95 * teraflops.low)) == std::string("undecided"));
  CHECK(verdict_of(ratio_of(one, 0.90 * teraflops.low)) == std::string("ahead"));
  CHECK(verdict_of(ratio_of(one, 1.05 * teraflops.high)) == std::string("undecided"));
  CHECK(verdict_of(ratio_of(one, 1.12 * teraflops.high)) == std::string("behind"));
  // One laboratory measured all cases: it does not average out.
  CHECK(mean_of({speed_of(one, 1000), speed_of(one, 1000)}).low == Approx(speed.low));
}

TEST_CASE("modelled time: all cases of a mean are under the same assumption") {
  // Each case is a fifth slower under an assumption of its own: in no world both are.
  const Modelled first = slower_under(1.2, 1), second = slower_under(1, 1.2), steady = slower_under(1, 1);
  const double ratio = seconds_at_highest_clock(1) / seconds_at_highest_clock(1.2);
  REQUIRE(ratio_of(first, steady).low == Approx(ratio));
  REQUIRE(ratio_of(second, steady).low == Approx(ratio));
  const Range mean = mean_of({speed_of(first, steady), speed_of(second, steady)});
  CHECK(mean.best == Approx(1));
  CHECK(mean.low == Approx(std::sqrt(ratio)));
  CHECK(mean.high == Approx(1));
  CHECK(mean_of({speed_of(first, steady), speed_of(first, steady)}).low == Approx(ratio));
  const double measured = teraflops_of(steady).best;
  CHECK(mean_of({speed_of(first, measured), speed_of(second, measured)}).low ==
        Approx(std::sqrt(ratio) / (1 + laboratory_spread)));
  // A world that one case was not replayed in is none for the mean.
  const Modelled plain = modelled_of({launch_of(1e6, 0.05, 0.05)});
  CHECK(mean_of({speed_of(first, steady), speed_of(plain, steady)}).low == Approx(1));
  // Sampling errors come on top: the mean of their factors, as all cases may be wrong in the same way.
  Modelled sampled = first;
  sampled.launches[0].sampling_error = 0.05;
  CHECK(mean_of({speed_of(sampled, steady), speed_of(second, steady)}).low ==
        Approx(std::sqrt(ratio) / std::sqrt(1.1)));
}

TEST_CASE("modelled time: ends without a sampling error say so, and decide nothing") {
  const Modelled slow = modelled_of({launch_of(9e6, 0.5, 0.8)});
  Modelled unknown = modelled_of({launch_of(1e6, 0.5, 0.8)});
  REQUIRE(verdict_of(ratio_of(unknown, slow)) == std::string("ahead"));
  CHECK(ends_of({100, 78.06, 134.9}, 1) == "78.1 to 134.9");
  unknown.launches[0].sampling_error.reset();
  CHECK_FALSE(seconds_of(unknown).sampling_known);
  CHECK_FALSE(teraflops_of(unknown).sampling_known);
  CHECK(ends_of({100, 78.06, 134.9, false}, 1) == "78.1 to 134.9 ?");
  CHECK(verdict_of(ratio_of(unknown, slow)) == std::string("undecided"));
  CHECK(verdict_of(ratio_of(slow, unknown)) == std::string("undecided"));
  CHECK(verdict_of(ratio_of(unknown, 1.0)) == std::string("undecided"));
  CHECK(verdict_of(mean_of({speed_of(slow, 1e-3), speed_of(unknown, 1e-3)})) == std::string("undecided"));
}

TEST_CASE("modelled time: what moves it comes first, and each end is one of its worlds") {
  Modelled modelled = modelled_of({launch_of(1e6, 0.5, 0.8)});
  modelled.launches[0].assumed = {{std::string(assumed_clock_laws[0].words), 1.5, modelled.launches[0].busy,
                                   modelled.launches[0].matrix}};
  const Named influences = influences_on(modelled);
  REQUIRE(influences.size() == other_clock_laws.size() + 1);
  CHECK(influences.front().first == assumed_clock_laws[0].words);
  double low = 1, high = 1, last = INFINITY;
  for (const auto& [name, factor] : influences) {
    CAPTURE(name, factor);
    CHECK(std::abs(std::log(factor)) <= last);
    last = std::abs(std::log(factor));
    low = std::min(low, factor), high = std::max(high, factor);
  }
  const Range seconds = seconds_of(modelled);
  CHECK(high == Approx(seconds.high / seconds.best));
  CHECK(low == Approx(seconds.low / seconds.best));
  // Nothing moves what no power holds down.
  for (const auto& [name, factor] : influences_on(modelled_of({launch_of(1e6, 0.05, 0.05)})))
    CHECK(factor == 1);
}

TEST_CASE("energy stack: its parts are the time of the clocks, of each launch by its own work") {
  const auto sum = [](const Named& stack) {
    double sum = 0;
    for (const auto& [part, nanoseconds] : stack) sum += nanoseconds;
    return sum;
  };
  const auto part = [](const Named& stack, const std::string& name) {
    return std::ranges::find(stack, name, &std::pair<std::string, double>::first)->second;
  };
  Modelled hard = modelled_of({launch_of(1e6, 0.8, 0.6)});
  hard.tile_flops = flops_per_tile * compute_units; // one tile for each CU
  const Named stack = energy_stack_of(hard);
  CHECK(sum(stack) == Approx(1e9 * (seconds_of(hard).best - dispatch_seconds)));
  CHECK(part(stack, "idle") == Approx(1e6 * clock_law.idle));
  CHECK(part(stack, "matrix_bf16") == Approx(1e6 * clock_law.matrix_bf16 * 0.8));
  CHECK(part(stack, "valu") == Approx(1e6 * clock_law.valu * 0.6));
  CHECK(part(stack, "highest_clock") == 0);
  // Idle clocks beyond what the clock's limit allows are no energy.
  Modelled both = modelled_of({launch_of(1e6, 0.8, 0.6), launch_of(3e6, 0.1, 0.1)});
  both.tile_flops = hard.tile_flops;
  const Named of_both = energy_stack_of(both);
  CHECK(sum(of_both) == Approx(1e9 * (seconds_of(both).best - 2 * dispatch_seconds)));
  CHECK(part(of_both, "highest_clock") > 0);
  CHECK(part(of_both, "matrix_bf16") == Approx(1e6 * clock_law.matrix_bf16 * (0.8 + 3 * 0.1)));
}

namespace {

// Of one workgroup on one CU, as the device's line has it: busy in clocks, of four SIMDs.
nlohmann::ordered_json run_of(int clocks, int matrix, int valu) {
  return {{"clocks", clocks},
          {"cus", 1},
          {"workgroups", 1},
          {"spent", {{"issue", clocks}}},
          {"busy", {{"matrix", matrix}, {"valu", valu}, {"lds", 0}}},
          {"matrix", {{"bf16", matrix}}},
          {"ports", {{"l2_port", 0}}},
          {"bytes", {{"l1", 0}}}};
}

// Of a workgroup that is hardly busy and one that is the longest and busiest; this is replayed under an assumption.
ModelledLaunch with_longest(const nlohmann::ordered_json& there) {
  const nlohmann::ordered_json longest = run_of(3000, 4 * 1500, 4 * 2400);
  return modelled_launch_of({{"kernel", "k"},
                             {"grid", 512},
                             {"samples", {{0, 1000}, {1, 3000}}},
                             {"resident", 1},
                             {"gpu_clocks", 100000},
                             {"occupied", 1},
                             {"sampling_error", 0},
                             {"lds", {{"instructions", 0}, {"conflicts", 0}}},
                             {"runs", {run_of(1000, 4 * 100, 4 * 200), longest}},
                             {"longest", longest},
                             {"also", {{{"assume", assumed_clock_laws[0].words}, {"run", there}}}}});
}

} // namespace

TEST_CASE(
    "modelled time: an assumption that changes nothing moves nothing, however unlike the workgroups are") {
  const ModelledLaunch same = with_longest(run_of(3000, 4 * 1500, 4 * 2400));
  CHECK(clock_law.hertz(busy_shares_of(same)) < nominal_hertz); // its shares decide
  REQUIRE(same.assumed.size() == 1);
  CHECK(same.assumed[0].slower == 1);
  CHECK(same.assumed[0].busy == same.busy);
  CHECK(same.assumed[0].matrix == same.matrix);
  // A tenth longer with as much work: a tenth less of each clock.
  const ModelledLaunch slower = with_longest(run_of(3300, 4 * 1500, 4 * 2400));
  CHECK(slower.assumed[0].slower == Approx(1.1));
  for (size_t unit = 0; unit < slower.busy.size(); ++unit)
    CHECK(slower.assumed[0].busy[unit].second == Approx(slower.busy[unit].second / 1.1));
  CHECK(slower.assumed[0].matrix[0].second == Approx(slower.matrix[0].second / 1.1));
}
