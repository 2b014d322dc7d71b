// Differential instructions: the digests in the program are the embedded device's, and tell one wrong bit.
#include "calibration/differential.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/silicon/silicon_check.hpp"
#include "tests/support/catch.hpp"

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

TEST_CASE("differential: no two instructions have one digest, and another digest is not as here") {
  std::set<uint32_t> digests;
  for (const DifferentialInstruction& instruction : differential_instructions()) {
    CHECK(digests.insert(instruction.digest).second);
    const std::string name(instruction.name);
    CHECK(harness::MeasuredDifferential{name, instruction.digest}.is_as_here());
    CHECK_FALSE(harness::MeasuredDifferential{name, instruction.digest ^ 1}.is_as_here());
  }
}
