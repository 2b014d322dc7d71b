#include "harness/report/record_table.hpp"

#include "tests/harness/printed.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

Record judged(const std::string& case_string, const std::string& implementation, double rmse) {
  Record record;
  record.case_string = case_string;
  record.requested = record.resolved = implementation;
  record.outcome = Outcome::passed();
  record.accuracy.emplace().verdict.kernel.rmse = rmse;
  return record;
}

std::string compared(const std::vector<Record>& records) {
  return text_of_file([&](std::FILE* file) {
    Comparison comparison(file);
    for (const Record& record : records) comparison.print(record);
    comparison.close();
  });
}

} // namespace

TEST_CASE(
    "comparison: each case once, ratios to the first that passed, their geometric mean over the cases") {
  const std::string text = compared({judged("case 1", "first", 0.25), judged("case 1", "second", 0.5),
                                     judged("case 2", "first", 0.5), judged("case 2", "second", 4)});
  CHECK(text.find("case 1") == text.rfind("case 1"));
  CHECK(text.find("1.000") < text.find("2.000"));
  CHECK(text.find("2.000") < text.find("case 2"));
  CHECK(text.find("8.000") > text.find("case 2"));
  CHECK_THAT(text, Catch::Contains("rmse of second / first: geometric mean 4.000 over 2 cases\n"));
}

TEST_CASE("comparison: what failed is neither the unit nor in a mean, and says why") {
  Record failed = judged("case", "first", 8);
  failed.outcome = Outcome::failed(OutcomeKind::inaccurate, "rmse 8 of 1");
  Record skipped = judged("case", "second", 0);
  skipped.accuracy.reset();
  skipped.outcome = Outcome::failed(OutcomeKind::unsupported, "no MX");
  const std::string text =
      compared({failed, skipped, judged("case", "third", 2), judged("case", "fourth", 1)});
  CHECK_THAT(text, Catch::Contains("rmse 8 of 1\n") && Catch::Contains("no MX\n"));
  CHECK_THAT(text, Catch::Contains("rmse of fourth / third: geometric mean 0.500 over 1 cases\n"));
  CHECK(text.find(" / first") == text.npos);
  CHECK(text.find("of first") == text.npos);
}

TEST_CASE("comparison: an exact implementation has no ratio") {
  const std::string text = compared({judged("case", "first", 1), judged("case", "second", 0)});
  CHECK(text.find("geometric mean") == text.npos);
}

TEST_CASE("comparison: the reference's error is that of quantisation alone") {
  Record record = judged("case", "first", 1);
  record.accuracy->quantisation.emplace().relative_l2 = 0.0625;
  CHECK_THAT(compared({record}), Catch::Contains("6.25e-02") && Catch::Contains("reference"));
}
