#include "harness/cure/allowance.hpp"

#include <algorithm>

namespace fmha950::harness::cure {

double Allowance::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

bool Allowance::is_spent() const { return executed() >= limits_.executions || seconds() >= limits_.seconds; }

SearchLimits Allowance::left(size_t findings) const {
  SearchLimits left = limits_;
  left.findings = findings;
  const size_t executed_by_now = executed();
  const double seconds_by_now = seconds();
  left.executions -= std::min(left.executions, executed_by_now);
  left.seconds = std::max(0.0, left.seconds - seconds_by_now);
  if (limits_.go_on)
    left.go_on = [this, executed_by_now, seconds_by_now](const SoFar& of_finding) {
      SoFar so_far = of_finding;
      so_far.executions += executed_by_now;
      so_far.most_executions = limits_.executions;
      so_far.seconds += seconds_by_now;
      return limits_.go_on(so_far);
    };
  return left;
}

} // namespace fmha950::harness::cure
