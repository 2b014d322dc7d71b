// Differential instructions: the digests in the program are the embedded device's, and tell one wrong bit.
#include "calibration/differential.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/silicon/silicon_check.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>

using namespace fmha950;
using namespace fmha950::calibration;

TEST_CASE(
    "differential: each instruction gives on the embedded device what its row says, under every schedule") {
  for (const char* schedule : {"eager", "lazy", "random:3", "timed"}) {
    harness::set_option("schedule", schedule);
    for (const DifferentialInstruction& instruction : differential_instructions()) {
      CAPTURE(schedule, instruction.name);
      CHECK(fmt::format("{:#010x}", digest_of(instruction)) == fmt::format("{:#010x}", instruction.digest));
    }
  }
  harness::set_option("schedule", "eager");
}

TEST_CASE("differential: a rounding that the guide leaves open is told") {
  const auto all = differential_instructions();
  const auto open =
      std::ranges::find_if(all, [](const auto& instruction) { return instruction.to_nearest != 0; });
  REQUIRE(open != all.end());
  for (const std::string rounding : {"nearest", "zero"}) {
    harness::set_option("byte_rounding", rounding);
    const harness::MeasuredDifferential measured{std::string(open->name), digest_of(*open)};
    CAPTURE(fmt::format("{:#010x}", measured.digest));
    CHECK(measured.is_as_here());
    CHECK(measured.rounding() == rounding);
  }
  const harness::MeasuredDifferential other{std::string(open->name), open->digest ^ 1};
  CHECK(other.rounding().empty());
  CHECK(harness::MeasuredDifferential{"add_f32", all.front().digest}.rounding().empty());
}

TEST_CASE("differential: no two instructions have one digest, and another digest is not as here") {
  std::set<uint32_t> digests;
  for (const DifferentialInstruction& instruction : differential_instructions()) {
    CHECK(digests.insert(instruction.digest).second);
    const std::string name(instruction.name);
    CHECK(harness::MeasuredDifferential{name, instruction.digest}.is_as_here());
    CHECK_FALSE(harness::MeasuredDifferential{name, instruction.digest ^ 1}.is_as_here());
  }
}
