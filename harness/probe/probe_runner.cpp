#include "harness/probe/probe_runner.hpp"

#include "harness/cases/single_calls.hpp"
#include "harness/probe/batch_bits.hpp"
#include "harness/probe/carry_bits.hpp"
#include "harness/probe/probe.hpp"
#include "harness/record/record.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr double ratio_factor = 1.25; // of a row to the worst of its pages alone

// Adds a reason to a record; a record that had passed becomes `inaccurate`.
void add_reason(Record& record, const std::string& reason) {
  if (record.outcome.kind() == OutcomeKind::passed)
    record.outcome = Outcome::failed(OutcomeKind::inaccurate, reason);
  else
    record.outcome = Outcome::failed(record.outcome.kind(), record.outcome.reason() + "; " + reason);
}

double ratio_in(const Record& record) {
  const Verdict& verdict = record.accuracy->verdict;
  return verdict.kernel.rmse == 0 ? 0 : verdict.kernel.rmse / verdict.plain.rmse;
}

} // namespace

ProbeResult ProbeRunner::run(const Probe& probe, const Tensors& tensors, CaseOracle& oracle, Record& record) {
  const std::vector<double> got =
      judge_case(implementation_, probe.problem, tensors, options_, oracle, record);
  ProbeResult result{record.accuracy->verdict.kernel.max_abs, ratio_in(record), std::nullopt};
  ratios_.insert_or_assign(probe.name, result.ratio);
  if (!probe.alone.empty()) {
    result.worst_alone = worst_alone(probe);
    expect_ratio(result, record);
  }
  if (probe.in_batches)
    if (const auto different = batch_difference(implementation_, probe.problem, tensors,
                                                batches_of(static_cast<int>(probe.problem.requests.size()))))
      add_reason(record, *different);
  if (probe.pool_place)
    if (const auto different = carry_difference(implementation_, probe.problem, tensors))
      add_reason(record, *different);
  if (record.outcome.kind() != OutcomeKind::passed)
    if (const std::string seen =
            seen_pages(probe, oracle.rows(), oracle.exact(OracleInput::dequantised).output, got);
        !seen.empty())
      add_reason(record, seen);
  return result;
}

void ProbeRunner::expect_ratio(const ProbeResult& result, Record& record) const {
  const double limit = ratio_factor * *result.worst_alone;
  if (!(result.ratio <= limit))
    add_reason(record, fmt::format("kernel/plain rmse {:.3f} over its limit {:.3f}, {} times that of the "
                                   "worst of its pages alone",
                                   result.ratio, limit, ratio_factor));
}

// Runs those that have not been run yet.
double ProbeRunner::worst_alone(const Probe& probe) {
  double worst = 0;
  for (const auto& alone : probe.alone) {
    if (!ratios_.contains(alone->name)) {
      const Tensors tensors = make_tensors(*alone);
      CaseOracle oracle(alone->problem, tensors);
      Record record;
      run(*alone, tensors, oracle, record);
    }
    worst = std::max(worst, ratios_.at(alone->name));
  }
  return worst;
}

std::optional<ProbeFailure> first_failure(const Implementation& implementation,
                                          const std::vector<Probe>& probes, const AccuracyOptions& options) {
  ProbeRunner runner(implementation, options);
  for (const Probe& any : probes) {
    const Probe probe = asked_of(implementation, any);
    if (!implementation.supports(as_single_call(probe.problem))) continue;
    Record record;
    guarded(record, [&] {
      const Tensors tensors = make_tensors(probe);
      CaseOracle oracle(probe.problem, tensors);
      runner.run(probe, tensors, oracle, record);
    });
    if (record.outcome.is_failure()) return ProbeFailure{probe.name, record.outcome};
  }
  return std::nullopt;
}

} // namespace fmha950::harness
