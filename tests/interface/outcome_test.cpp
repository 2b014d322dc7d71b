#include "interface/error.hpp"
#include "interface/outcome.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950;

namespace {
constexpr int kinds = 8;
}

TEST_CASE("outcomes have names that read back and exit codes that tell failures apart") {
  std::set<int> codes;
  for (int i = 0; i < kinds; ++i) {
    const auto kind = static_cast<OutcomeKind>(i);
    REQUIRE(outcome_from_string(to_string(kind)) == kind);
    codes.insert(exit_code(kind));
  }
  REQUIRE(codes.size() == kinds - 1); // passed and unsupported are both 0
  REQUIRE(exit_code(OutcomeKind::passed) == 0);
  REQUIRE(exit_code(OutcomeKind::unsupported) == 0);
  REQUIRE_THROWS_WITH(outcome_from_string("ok"),
                      "outcome = ok: must be one of passed, inaccurate, hazard, unsupported, invalid_input, "
                      "device_error, timed_out, not_run");
}

TEST_CASE("an outcome has a time only if it passed and a reason only if it did not") {
  REQUIRE(Outcome::passed(1.5).milliseconds() == 1.5);
  REQUIRE_FALSE(Outcome::passed().is_failure());
  const Outcome failed = Outcome::failed(OutcomeKind::hazard, "vmcnt");
  REQUIRE(failed.reason() == "vmcnt");
  REQUIRE_FALSE(failed.milliseconds());
  REQUIRE(failed.is_failure());
  REQUIRE_FALSE(Outcome::failed(OutcomeKind::unsupported, "head_dim").is_failure());
  REQUIRE_THROWS_AS(Outcome::failed(OutcomeKind::passed, "x"), std::logic_error);
  REQUIRE_THROWS_AS(Outcome::failed(OutcomeKind::hazard, ""), std::logic_error);
}
