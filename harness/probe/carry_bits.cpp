#include "harness/probe/carry_bits.hpp"

#include "harness/device/device_case.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/device/hazards.hpp"
#include "harness/judge/row_sample.hpp"
#include "interface/error.hpp"

#include <cstdlib>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

std::string carry_of_environment() {
  const char* const wanted = std::getenv("FMHA950_CARRY");
  return wanted != nullptr && *wanted != 0 ? wanted : "64";
}

std::optional<std::string> difference_of_runs(CaseRun& run, const std::vector<QueryRow>& rows) {
  std::optional<RowOutputs> with_carry;
  for (const char* bits : {"64", "32"}) {
    set_option("carry", bits);
    RowOutputs outputs = run.run({}, rows).rows;
    if (const auto findings = take_findings(); !findings.empty())
      return fmt::format("carry={}: {}", bits, describe(findings));
    if (with_carry && *with_carry != outputs)
      return "other bits where the carry of a buffer's address is dropped: " +
             difference(*with_carry, outputs);
    with_carry = std::move(outputs);
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> carry_difference(const Implementation& implementation, const Problem& problem,
                                            const Tensors& tensors) {
  if (!hip::runtime().embedded) return std::nullopt;
  CaseRun run(implementation, problem, tensors);
  const auto restore = [] { set_option("carry", carry_of_environment()); };
  try {
    const std::optional<std::string> different = difference_of_runs(run, all_rows(problem));
    restore();
    return different;
  } catch (const DeviceError&) { // options are out of reach while the device has a fault
    clear_fault();
    restore();
    throw;
  }
}

} // namespace fmha950::harness
