#include "harness/bench/timed_oracle.hpp"

#include "harness/judge/row_sample.hpp"
#include "harness/judge/visible_work.hpp"
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "workload/generate.hpp"

namespace fmha950::harness {

TimedOracle::TimedOracle(const std::string& case_string)
    : problem_(parse_case(case_string)), tensors_(workload::make_tensors(problem_)),
      rows_(all_rows(problem_)),
      rounding_{.type = problem_.kv_type, .shift = problem_.kv_type == ElementType::fp8 ? 8.0f : 0.0f} {
  exact();
  plain_ = oracle().plain(problem_, tensors_, rows_, rounding_);
}

Elapsed TimedOracle::exact() {
  return elapsed([&] { exact_ = oracle().exact(problem_, tensors_, rows_, OracleInput::dequantised); });
}

Elapsed TimedOracle::audit() {
  return elapsed([&] { oracle().audit(problem_, tensors_, exact_, rounding_, plain_, plain_); });
}

double TimedOracle::pairs() const {
  return static_cast<double>(visible_pairs(problem_, tensors_)) * problem_.query_heads;
}

} // namespace fmha950::harness
