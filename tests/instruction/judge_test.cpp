// What a probe of instructions makes of what it measured.
#include "harness/instruction/instruction_probe.hpp"

#include "harness/instruction/formats.hpp"
#include "interface/error.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::instruction;

namespace {

Measurement measured(double got, double want) {
  LargestError error;
  error.compare(got, want, [] { return "here"; });
  return error.largest();
}

InstructionProbe probe(double error, double limit) {
  return {"name", "reason", limit, [error] { return Measurement{error, error > 0 ? "where: why" : ""}; }};
}

} // namespace

TEST_CASE("an error is relative, NaN is only right where NaN is expected") {
  CHECK(measured(2, 2).error == 0);
  CHECK(measured(-2.5, -2).error == 0.25);
  CHECK(measured(-2.5, -2).worst == "here: -2.5 instead of -2");
  CHECK(measured(nan_value, nan_value).error == 0);
  for (const auto& [got, want] : {std::pair(nan_value, 1.0), std::pair(1.0, nan_value), std::pair(1e-30, 0.0),
                                  std::pair(HUGE_VAL, 1.0)})
    CHECK(std::isinf(measured(got, want).error));
  LargestError error; // keeps the largest, wherever it comes
  for (const double got : {1.25, 1.5, 1.125}) error.compare(got, 1, [&] { return fmt::format("{}", got); });
  CHECK(error.largest().error == 0.5);
  CHECK(error.largest().worst == "1.5: 1.5 instead of 1");
}

TEST_CASE("an error up to the limit passes, one beyond it is inaccurate and says where and in which form") {
  CHECK(judge(probe(0, 0)).outcome.kind() == OutcomeKind::passed);
  CHECK(judge(probe(5e-5, 5e-5)).outcome.kind() == OutcomeKind::passed);
  const InstructionResult result = judge(probe(6e-5, 5e-5));
  CHECK(result.outcome.kind() == OutcomeKind::inaccurate);
  CHECK(result.outcome.reason() == "fma: where: why");
  CHECK(result.measurements.size() == mfma_forms().size());
}

TEST_CASE("a kernel that cannot run is a device error, not a pass") {
  const InstructionProbe broken{"name", "reason", 0, []() -> Measurement { throw DeviceError("no such"); }};
  CHECK(judge(broken).outcome.kind() == OutcomeKind::device_error);
}

TEST_CASE("formats: the values of the facts") {
  CHECK(value_of_fp8(0x7E) == 448);
  CHECK(value_of_fp8(0xFE) == -448);
  CHECK(value_of_fp8(0x08) == 0x1p-6); // least normal
  CHECK(value_of_fp8(0x01) == 0x1p-9); // least subnormal
  CHECK(value_of_fp8(0x39) == 1.125);
  CHECK(std::isnan(value_of_fp8(0x7F)));
  CHECK(std::isnan(value_of_fp8(0xFF)));
  CHECK(value_of_e8m0(0) == 0x1p-127);
  CHECK(value_of_e8m0(127) == 1);
  CHECK(value_of_e8m0(254) == 0x1p127);
  CHECK(std::isnan(value_of_e8m0(255)));
  CHECK(value_of_bf16(0x3F80) == 1);
  CHECK(value_of_bf16(0xC060) == -3.5);
  CHECK(value_of_bf16(0x0001) == 0x1p-133);
}
