#include "interface/operator.hpp"
#include "interface/validate.hpp"
#include "interface/validate_detail.hpp"

#include <fmt/format.h>

namespace fmha950 {

void validate_tensors(const Problem& problem, const Tensors& tensors) {
  const std::type_info* const own = problem.op->facts().own_tensors;
  if (tensors.own.has_value() && (own == nullptr || tensors.own.type() != *own))
    throw InvalidInput(
        "tensors.own", "of another operator",
        fmt::format("must be {} for {}", own == nullptr ? "absent" : "its own", problem.op->name()));
  problem.op->check(problem, tensors);
}

void validate(const Problem& problem, const Tensors& tensors, const DeviceTensors& device) {
  validate_problem(problem);
  validate_tensors(problem, tensors);
  validate_device_tensors(problem, device);
  validation::check_overlap(problem, tensors, device);
}

} // namespace fmha950
