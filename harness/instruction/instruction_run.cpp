
#include "harness/device/hazards.hpp"
#include "harness/device/variation.hpp"
#include "harness/instruction/instruction_probe.hpp"
#include "harness/record/record.hpp"
#include "harness/report/printer.hpp"
#include "interface/hip.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <iterator>

namespace fmha950::instruction {

std::vector<InstructionProbe> all_instruction_probes() {
  std::vector<InstructionProbe> all;
  for (const auto family : {mfma_tiles, scale_operands, lds_dma_widths})
    std::ranges::move(family(), std::back_inserter(all));
  return all;
}

namespace {

Outcome judged(const InstructionProbe& probe, const Measurement& measurement, const std::string& form) {
  if (const auto findings = harness::take_findings(); !findings.empty())
    return Outcome::failed(OutcomeKind::hazard, harness::describe(findings));
  if (measurement.error <= probe.limit) return Outcome::passed();
  return Outcome::failed(OutcomeKind::inaccurate,
                         form.empty() ? measurement.worst : fmt::format("{}: {}", form, measurement.worst));
}

} // namespace

std::vector<std::string> mfma_forms() {
  if (hip::api().SetOption == nullptr) return {""};
  return {"fma", "fdpa"};
}

InstructionResult judge(const InstructionProbe& probe) {
  InstructionResult result;
  harness::Record record; // guarded() fills its outcome
  harness::guarded(record, [&] {
    harness::take_hazards(); // of whatever ran before
    record.outcome = Outcome::passed();
    for (const std::string& form : mfma_forms()) {
      harness::apply({.schedule = "", .threads = "", .mfma = form});
      result.measurements.push_back(probe.measure());
      const Outcome outcome = judged(probe, result.measurements.back(), form);
      if (!record.outcome.is_failure()) record.outcome = outcome;
    }
  });
  result.outcome = record.outcome;
  return result;
}

int run_instruction_probes(const std::vector<InstructionProbe>& probes) {
  const std::vector<std::string> forms = mfma_forms();
  harness::Summary summary;
  fmt::print("largest relative error against float64 (lds_dma: wrong bytes){}\n",
             forms.size() > 1 ? ", in each form of MFMA arithmetic" : "");
  fmt::print("{:<38}", "probe");
  for (const std::string& form : forms) fmt::print(" {:>9}", form.empty() ? "error" : form);
  fmt::print(" {:>9}  verdict\n", "limit");
  for (const InstructionProbe& probe : probes) {
    const InstructionResult result = judge(probe);
    fmt::print("{:<38}", probe.name);
    for (size_t i = 0; i < forms.size(); ++i)
      fmt::print(" {:>9}",
                 i < result.measurements.size() ? fmt::format("{:.2g}", result.measurements[i].error) : "-");
    const std::string& reason = result.outcome.reason();
    fmt::print(" {:>9.2g}  {}{}{}\n", probe.limit, to_string(result.outcome.kind()),
               reason.empty() ? "" : ": ", reason);
    std::fflush(stdout);
    summary.count(result.outcome);
  }
  summary.print(stdout);
  return summary.exit_code();
}

} // namespace fmha950::instruction
