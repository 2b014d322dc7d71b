#include "interface/operator.hpp"
#include "interface/validate.hpp"
#include "interface/validate_detail.hpp"

namespace fmha950 {

void validate_tensors(const Problem& problem, const Tensors& tensors) { problem.op->check(problem, tensors); }

void validate(const Problem& problem, const Tensors& tensors, const DeviceTensors& device) {
  validate_problem(problem);
  validate_tensors(problem, tensors);
  validate_device_tensors(problem, device);
  validation::check_overlap(problem, tensors, device);
}

} // namespace fmha950
