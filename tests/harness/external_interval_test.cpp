// How far a row of `device --calibration --external` is known: which laws and assumptions its interval spans.
#include "harness/perf/external_interval.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr BusyShares shares{.matrix_bf16 = 0.6, .valu = 0.7}; // the clock is below its highest

// As fast as `law` has it.
ExternalResult row_of(const std::string& series, bool fit, const ClockLaw& law = clock_law) {
  ExternalResult result;
  result.row.series = series;
  result.row.fit = fit;
  result.row.flops = 1e12;
  result.best = {1e7, shares};
  result.sampling_error = 0;
  result.row.tflops = 1 / (result.best.clocks / law.hertz(shares) + dispatch_seconds);
  return result;
}

double seconds_at(const ClockLaw& law, double clocks = 1e7) {
  return clocks / law.hertz(shares) + dispatch_seconds;
}

} // namespace

TEST_CASE("external interval: without rows that fit it spans the program's laws") {
  const std::vector<ExternalResult> results{row_of("theirs", false)};
  const SeriesLaws laws = laws_for("theirs", results);
  CHECK(laws.others.size() == other_clock_laws.size());
  CHECK(laws.assumed.empty());
  double fastest = seconds_at(clock_law), slowest = fastest;
  for (const OtherClockLaw& other : other_clock_laws) {
    fastest = std::min(fastest, seconds_at(other.law));
    slowest = std::max(slowest, seconds_at(other.law));
  }
  REQUIRE(fastest < slowest);
  const Range range = teraflops_of(results[0], laws);
  CHECK(range.best == Approx(1 / seconds_at(clock_law)));
  CHECK(range.low == Approx(1 / slowest));
  CHECK(range.high == Approx(1 / fastest));
  CHECK(range.sampling_known);
}

TEST_CASE("external interval: an assumption widens it by what the row is under it, with its own law") {
  ExternalResult row = row_of("theirs", false);
  const AssumedClockLaw& barrier = assumed_clock_laws[3];
  row.assumed[std::string(barrier.words)] = {3e7, shares};
  const SeriesLaws laws = laws_for("theirs", {row});
  REQUIRE(laws.assumed.size() == 1);
  CHECK(laws.assumed[0].second.idle == barrier.law.idle);
  CHECK(teraflops_of(row, laws).low == Approx(1 / seconds_at(barrier.law, 3e7)));
  // One row alone is not enough: a law under an assumption needs all rows under it.
  CHECK(laws_for("theirs", {row, row_of("theirs", false)}).assumed.empty());
}

TEST_CASE(
    "external interval: rows that fit set the laws, also under assumptions, and leave their own series out") {
  ClockLaw costly = clock_law;
  costly.valu += 0.4;
  std::vector<ExternalResult> results{row_of("judged", true), row_of("one", true, costly),
                                      row_of("other", true, costly)};
  const std::string words(assumed_clock_laws[1].words);
  for (ExternalResult& result : results) result.assumed[words] = {1e7, shares};
  const SeriesLaws laws = laws_for("judged", results);
  CHECK(laws.others.size() == 2); // without `one`, without `other`
  CHECK(laws.best.nanoseconds(shares) > clock_law.nanoseconds(shares) * 1.01);
  REQUIRE(laws.assumed.size() == 1);
  CHECK(laws.assumed[0].second.nanoseconds(shares) > assumed_clock_laws[1].law.nanoseconds(shares) * 1.01);
  // What the row itself says is in none of them.
  results[0].row.tflops *= 0.1;
  CHECK(laws_for("judged", results).best.idle == laws.best.idle);
  const Range range = teraflops_of(results[0], laws_for("judged", results));
  CHECK(range.low > results[0].row.tflops);
}

TEST_CASE("external interval: two errors of sampling widen it, and where none is known that is said") {
  ExternalResult row = row_of("theirs", false);
  const SeriesLaws laws = laws_for("theirs", {row});
  const Range exact = teraflops_of(row, laws);
  row.sampling_error = 0.03;
  CHECK(teraflops_of(row, laws).low == Approx(exact.low / 1.06));
  CHECK(teraflops_of(row, laws).high == Approx(exact.high * 1.06));
  row.sampling_error.reset();
  CHECK_FALSE(teraflops_of(row, laws).sampling_known);
}
