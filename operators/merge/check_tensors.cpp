// Tensors of merge: shapes, and values that are read. What empty parts have for an output never is.
#include "interface/validate_detail.hpp"
#include "operators/merge/definition.hpp"
#include "operators/merge/merge_tensors.hpp"
#include "workload/finite.hpp"

namespace fmha950::operators {

void check_merge(const Problem& p, const Tensors& tensors) {
  const MergeTensors& t = merge_tensors(tensors);
  const validation::Expected expected[] = {
      {"partial_output", t.partial_output, p.kv_type, shape_of_outputs(p)},
      {"partial_lse", t.partial_lse, ElementType::fp32, shape_of_lses(p)}};
  validation::check_expected(expected);
}

void check_merge_values(const Problem& p, const Tensors& tensors) {
  const MergeTensors& t = merge_tensors(tensors);
  const PartStrides of_output = output_strides(p), of_lse = lse_strides(p);
  const auto lses = t.partial_lse.as<float>();
  const int tokens = static_cast<int>(p.total_queries());
  for (int part = 0; part < merge_form(p)->parts; ++part)
    for (int token = 0; token < tokens; ++token)
      for (int head = 0; head < p.query_heads; ++head) {
        const auto place = [&] { return fmt::format("part {}, token {}, head {}", part, token, head); };
        const float lse = lses[static_cast<size_t>(of_lse.at(part, token, head))];
        if (std::isnan(lse))
          throw InvalidInput(fmt::format("partial_lse of {}", place()), "nan",
                             "must be a number, or infinite for an empty part");
        if (is_empty_part(lse)) continue;
        const int64_t row = of_output.at(part, token, head) * p.head_dim;
        if (const int64_t index = workload::first_not_finite(t.partial_output, row, p.head_dim); index >= 0)
          workload::refuse_value(fmt::format("partial_output of {}, column {}", place(), index - row),
                                 t.partial_output, index);
      }
}

} // namespace fmha950::operators
