#include "interface/validate.hpp"
#include "interface/validate_detail.hpp"

namespace fmha950 {

void validate_tensors(const Problem& problem, const Tensors& tensors) {
  if (problem.op == Operator::append_prefill) return validation::check_append(problem, tensors);
  if (problem.op == Operator::sparse_prefill) return validation::check_sparse(problem, tensors);
  validation::check_shapes(problem, tensors);
  validation::check_tables(problem, tensors);
  validation::check_descales(problem, tensors);
  validation::check_sink_logits(tensors);
}

void validate(const Problem& problem, const Tensors& tensors, const DeviceTensors& device) {
  validate_problem(problem);
  validate_tensors(problem, tensors);
  validate_device_tensors(problem, device);
  if (problem.op == Operator::append_prefill) validation::check_overlap(problem, tensors, device);
}

} // namespace fmha950
