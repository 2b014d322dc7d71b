// The law of the clock: the fit finds what was planted, the constants in use are the fit's, and the judge says no.
#include "harness/perf/clock_data.hpp"
#include "harness/perf/clock_forms.hpp"
#include "tests/harness/program.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

MeasuredLaunch launch_of(const BusyShares& shares, const ClockLaw& law) {
  MeasuredLaunch launch{.series = "d128-planted", .length = 4096, .clocks = 1e6, .shares = shares};
  launch.seconds = 1e-9 * launch.clocks * law.nanoseconds(shares);
  return launch;
}

// Launches of many mixes of work, some of which leave the clock at its highest.
std::vector<MeasuredLaunch> launches_of(const ClockLaw& law) {
  std::vector<MeasuredLaunch> launches;
  for (const double matrix : {0.0, 0.3, 0.6, 0.9})
    for (const double valu : {0.0, 0.2, 0.5, 0.8})
      launches.push_back(launch_of({.matrix_bf16 = matrix, .valu = valu, .lds = valu * matrix}, law));
  return launches;
}

void check_close(const ClockLaw& law, const ClockLaw& expected, double margin) {
  for (const ClockTerm& term :
       {idle_term, bf16_term, fp8_term, f8f6f4_term, valu_term, lds_term, mall_term}) {
    INFO(term.name);
    CHECK(law.*term.constant == Approx(expected.*term.constant).margin(margin));
  }
  CHECK(law.power == expected.power);
}

ClockData with(const char* group, double slower) {
  ClockData data = read_measured_data();
  for (auto* rows : {&data.loaded, &data.v3})
    for (MeasuredLaunch& launch : *rows)
      if (launch.series.starts_with(group)) launch.seconds *= slower;
  return data;
}

} // namespace

TEST_CASE("clock law: time is linear in what is busy, and a clock never shorter than the nominal one") {
  const ClockLaw law{.idle = 0.2, .matrix_bf16 = 0.5, .matrix_fp8 = 0.3, .matrix_f8f6f4 = 0.4, .valu = 0.1};
  CHECK(law.hertz({}) == nominal_hertz);
  CHECK(law.is_capped({.matrix_bf16 = 0.4}));
  CHECK_FALSE(law.is_capped({.matrix_bf16 = 0.5}));
  CHECK(law.hertz({.matrix_bf16 = 0.5}) == Approx(1e9 / 0.45));
  CHECK(law.nanoseconds({.matrix_fp8 = 0.5, .matrix_f8f6f4 = 0.5, .valu = 1}) == Approx(0.65));
  ClockLaw square = law;
  square.power = 2;
  CHECK(square.nanoseconds({.matrix_bf16 = 1}) == Approx(std::sqrt(0.7)));
}

TEST_CASE("clock law: the fit finds planted constants, whatever is held at the highest clock") {
  const ClockLaw planted{.idle = 0.22, .matrix_bf16 = 0.41, .valu = 0.13};
  const std::vector<MeasuredLaunch> launches = launches_of(planted);
  const auto held = std::ranges::count_if(
      launches, [&](const MeasuredLaunch& launch) { return planted.is_capped(launch.shares); });
  REQUIRE(held >= 3);
  check_close(fitted({}, {idle_term, bf16_term, valu_term, lds_term}, launches), planted, 1e-9);
  const ClockLaw square{.idle = 0.1, .matrix_bf16 = 0.3, .valu = 0.05, .power = 2};
  check_close(fitted({.power = 2}, loaded_terms, launches_of(square)), square, 1e-9);
  // One constant of a law whose others are known.
  ClockLaw other = planted;
  other.matrix_fp8 = 0.35;
  check_close(
      fitted(planted, {fp8_term},
             {launch_of({.matrix_fp8 = 0.6, .valu = 0.6}, other), launch_of({.matrix_fp8 = 0.8}, other)}),
      other, 1e-9);
}

TEST_CASE(
    "clock law: the host's launch is found in short launches of a synchronised protocol, and only there") {
  const ClockLaw planted{.idle = 0.22, .matrix_bf16 = 0.41, .valu = 0.13};
  ClockData measured;
  measured.loaded = launches_of(planted);
  measured.small = launches_of(planted);
  for (MeasuredLaunch& launch : measured.small) { // a tenth of the others' work
    launch.clocks /= 10;
    launch.seconds /= 10;
  }
  CHECK(fitted_host_launch(measured) == 0);
  constexpr double planted_launch = 6e-6;
  for (auto* launches : {&measured.loaded, &measured.small})
    for (MeasuredLaunch& launch : *launches) {
      launch.synchronised = true;
      launch.seconds += planted_launch;
    }
  CHECK(fitted_host_launch(measured) == Approx(planted_launch));
  const MeasuredLaunch& launch = measured.small.back();
  CHECK(whole_error_of(planted, planted_launch, launch) == Approx(0).margin(1e-9));
  CHECK(whole_error_of(planted, 0, launch) > 0.05);
  CHECK(without_host_launch(measured, planted_launch).small.back().seconds ==
        Approx(launch.seconds - planted_launch));
  for (auto* launches : {&measured.loaded, &measured.small})
    for (MeasuredLaunch& each : *launches) each.synchronised = false;
  CHECK(without_host_launch(measured, planted_launch).small.back().seconds == launch.seconds);
}

TEST_CASE("clock law: the host's launch in use is the fit's, and no longer than the shortest launch leaves") {
  const ClockData measured = read_measured_data();
  CHECK(host_launch_seconds == Approx(fitted_host_launch(measured)).margin(0.06e-6));
  CHECK(std::ranges::all_of(measured.small, &MeasuredLaunch::synchronised));
  CHECK(std::ranges::none_of(measured.v3, &MeasuredLaunch::synchronised));
  ClockData faster = measured; // as if short rows had no such launch
  for (MeasuredLaunch& launch : faster.small) launch.seconds -= host_launch_seconds;
  CHECK(fitted_host_launch(faster) < host_launch_seconds / 2);
}

TEST_CASE("clock law: no constant is negative, whatever the rows say") {
  // VALU work makes these faster.
  const ClockLaw planted{.idle = 0.3, .matrix_bf16 = 0.5, .valu = -0.1};
  const ClockLaw law = fitted({}, loaded_terms, launches_of(planted));
  CHECK(law.valu == 0);
  CHECK(law.idle > 0);
  CHECK(law.matrix_bf16 > 0);
}

TEST_CASE("clock law: the constants in use are those of the fit, and so are the interval's") {
  const ClockData data = read_clock_data();
  CHECK(data.loaded.size() == 24 + 3);
  CHECK(data.small.size() == 16);
  CHECK(data.v3.size() == 10);
  CHECK(data.modelled_fp8_gemms.size() == 2);
  constexpr double rounding = 0.0006;
  check_close(clock_law, fitted_law(data), rounding);
  const std::vector<NamedLaw> others = other_laws(read_measured_data());
  REQUIRE(others.size() == other_clock_laws.size());
  for (size_t i = 0; i < others.size(); ++i) {
    INFO(others[i].name);
    CHECK(other_clock_laws[i].name == others[i].name);
    check_close(other_clock_laws[i].law, others[i].law, rounding);
  }
  for (const AssumedClockLaw& assumed : assumed_clock_laws) {
    INFO(assumed.words);
    CHECK(assumed.words.starts_with(assumed.fitted_under));
    check_close(assumed.law, fitted_law(read_clock_data(std::string(assumed.fitted_under))), rounding);
  }
  // What the facts say of them by other ways (docs/hardware/clock_and_calibration.md, point 3).
  CHECK(std::abs(clock_law.matrix_fp8 - 0.31) <= 0.03);
  CHECK(clock_law.matrix_f8f6f4 >= 0.38);
  CHECK(clock_law.matrix_f8f6f4 <= 0.48);
}

TEST_CASE("clock law: it predicts groups, families and quantisations that it has not seen") {
  const ClockData measured = read_measured_data(), data = without_host_launch(measured);
  CHECK(broken_limits(measured).empty());
  // Attention of all lengths, with its group left out of what sets law and host's launch.
  const Errors all = errors_of(attention_left_out(measured));
  CHECK(all.rows == 40);
  CHECK(all.absolute < 0.029); // docs/timing.md has these figures; the limits are in broken_limits()
  CHECK(all.largest < 0.09);
  // Attention of 4,096 and more, with its group left out.
  const FormErrors errors = errors_of(data, clock_forms().front(), data);
  CHECK(errors.left_out.rows == 24);
  CHECK(errors.left_out.absolute < 0.021);
  CHECK(errors.left_out.largest < 0.07);
  CHECK_FALSE(errors.ruled_out); // it is what the others are compared with
}

TEST_CASE("clock law: the judge says no to rows that no such law can have made") {
  const auto broken = [](const ClockData& data) {
    std::string text;
    for (const std::string& limit : broken_limits(data)) text += limit + "\n";
    return text;
  };
  CHECK_THAT(broken(with("d128-mha-causal", 1.4)), Catch::Contains("d128-mha-causal 8192"));
  CHECK_THAT(broken(with("d64", 1.5)), Catch::Contains("family d64"));
  CHECK_THAT(broken(with("V3-tensor", 1.4)), Catch::Contains("V3 by quantisation"));
  // A GEMM of one size that is 3 % faster or slower than it was.
  for (const double factor : {0.97, 1.03}) {
    ClockData one = read_measured_data();
    for (MeasuredLaunch& launch : one.loaded)
      if (row_of(launch) == (factor < 1 ? "gemm-bf16 4096" : "gemm-bf16 16384")) launch.seconds *= factor;
    CHECK_THAT(broken(one),
               Catch::Contains(factor < 1 ? "gemm-bf16 4096, left out" : "gemm-bf16 16384, left out"));
  }
  // Rows that scatter by 15 %.
  ClockData random = read_measured_data();
  for (size_t i = 0; i < random.loaded.size(); ++i) random.loaded[i].seconds *= i % 2 ? 1.15 : 0.87;
  CHECK_THAT(broken(random), Catch::Contains("attention of 4,096 and more by groups"));
}

TEST_CASE("clock law: a form of the law is ruled out if it is worse on left-out groups beyond chance") {
  const ClockData data = read_clock_data();
  const std::vector<ClockForm> forms = clock_forms();
  const auto without_matrix = ClockForm{"no matrix", 1, {idle_term, valu_term}};
  CHECK(errors_of(data, without_matrix, data).ruled_out);
  for (const ClockForm& form : forms) CHECK(errors_of(data, form, data).left_out.rows == 24);
}

TEST_CASE("clock law: what attention alone says of GEMMs is wide, and not so wide that it says nothing") {
  const auto within = [](const ClockData& data) {
    const std::vector<DrawnClock> drawn = gemms_by_attention(data);
    CHECK(drawn.size() == 3);
    for (const DrawnClock& each : drawn) CHECK((each.low < each.middle && each.middle < each.high));
    return std::ranges::count_if(drawn, &DrawnClock::is_within);
  };
  const ClockData data = read_clock_data();
  CHECK(within(data) == 3);
  ClockData slower = data, faster = data;
  for (MeasuredLaunch& launch : slower.loaded)
    if (!is_attention(launch)) launch.seconds *= 1.4;
  for (MeasuredLaunch& launch : faster.loaded)
    if (!is_attention(launch)) launch.seconds *= 0.75;
  CHECK(within(slower) == 0);
  CHECK(within(faster) == 0);
}

TEST_CASE("clock law: the command repeats the fit") {
  const Ran ran = run_fmha950("device --calibration --clock");
  INFO(joined(ran.out) << joined(ran.err));
  CHECK(ran.exit_code == 0);
  CHECK_THAT(joined(ran.out), Catch::Contains("the law keeps its limits"));
  CHECK(run_fmha950("device --clock").exit_code != 0);
}

TEST_CASE("clock law: the energy of bytes beyond L2 tells attention's two orders apart") {
  // clock_and_calibration.md, point 7: of bf16 attention with 64 heads L2 has 2.4 % if heads come fastest, 93.6 % if a head's
  // blocks of queries are on one chiplet. Time falls by 9 % (16,384 keys) to 18.5 % (131,072). GEMMs set the energy.
  const ClockData measured = read_measured_data();
  const auto row = std::ranges::find_if(measured.loaded, [](const MeasuredLaunch& launch) {
    return launch.series == "d128-gqa-full" && launch.length == 16384;
  });
  REQUIRE(row != measured.loaded.end());
  const BusyShares& shares = row->shares;
  const double asked = shares.l2 + shares.mall + shares.hbm, bytes = (0.936 - 0.024) * asked;
  const double by_head = clock_law.nanoseconds(shares), heads_fastest = by_head + byte_beyond_l2 * bytes;
  const double less = 1 - by_head / heads_fastest;
  CHECK(less > 0.09);
  CHECK(less < 0.185);
  CHECK(1 - by_head / (by_head + byte_beyond_l2 * bytes / 2) <
        0.09); // half of the energy would be too little
}
