#include "harness/bench/timed_problems.hpp"

#include "harness/cases/dispatch.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/judge/visible_work.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "workload/generate.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

const Implementation& implementation_for(const AttentionForm& form, const Problem& problem) {
  const std::vector<Dispatch> choices = dispatch(form.implementation, problem);
  if (choices.size() != 1)
    throw InvalidInput("implementation", form.implementation, "must be one implementation, or auto");
  const Dispatch& choice = choices.front();
  if (choice.implementation == nullptr) throw InvalidInput("case", form.case_string, choice.why_not);
  return *choice.implementation;
}

} // namespace

TimedAttention::TimedAttention(const AttentionForm& form)
    : form_(form), problem_(parse_case(form.case_string)), tensors_(workload::make_tensors(problem_)),
      run_(implementation_for(form, problem_), problem_, tensors_), rows_(all_rows(problem_)),
      flops_(attention_flops(problem_, tensors_)) {}

Elapsed TimedAttention::run(const Variation& variation) {
  return elapsed([&] { run_.run(variation, rows_); });
}

std::string TimedAttention::text() const {
  return fmt::format("{}: {} {}", form_.name, form_.implementation, print_case(problem_));
}

TimedOracle::TimedOracle(const std::string& case_string)
    : problem_(parse_case(case_string)), tensors_(workload::make_tensors(problem_)),
      rows_(all_rows(problem_)),
      rounding_{.type = problem_.kv_type, .shift = problem_.kv_type == ElementType::fp8 ? 8.0f : 0.0f} {
  exact();
  plain_ = oracle().plain(problem_, tensors_, rows_, rounding_);
}

Elapsed TimedOracle::exact() {
  return elapsed([&] {
    exact_ = oracle().exact(problem_, tensors_, rows_, OracleInput::dequantised, {}, ScoresOfRows::kept);
  });
}

Elapsed TimedOracle::audit() {
  return elapsed([&] { oracle().audit(problem_, tensors_, exact_, rounding_, plain_, plain_); });
}

double TimedOracle::pairs() const {
  return static_cast<double>(visible_pairs(problem_, tensors_)) * problem_.query_heads;
}

} // namespace fmha950::harness
