// What the judges ask of a problem's parts: the first ones of a row, and the largest value of any.
#include "operators/merge/definition.hpp"
#include "operators/merge/merge_tensors.hpp"
#include "workload/largest.hpp"

#include <cstring>
#include <limits>

namespace fmha950::operators {

double largest_partial_output(const Problem& p, const Tensors& tensors) {
  const MergeTensors& t = merge_tensors(tensors);
  const PartStrides of_output = output_strides(p), of_lse = lse_strides(p);
  return workload::largest_of(static_cast<size_t>(p.total_queries()), [&](size_t of_token) {
    const auto token = static_cast<int>(of_token);
    double largest = 0;
    for (int part = 0; part < merge_form(p)->parts; ++part)
      for (int head = 0; head < p.query_heads; ++head) {
        if (is_empty_part(t.partial_lse.as<float>()[static_cast<size_t>(of_lse.at(part, token, head))]))
          continue;
        const int64_t row = of_output.at(part, token, head) * p.head_dim;
        for (int column = 0; column < p.head_dim; ++column)
          largest = std::fmax(largest, std::fabs(t.partial_output.value(row + column)));
      }
    return largest;
  });
}

// A token for each length, whose parts from there on are empty.
KeyPrefixes prefixes_of_parts(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                              const std::vector<int>& lengths) {
  const auto count = static_cast<int>(lengths.size());
  KeyPrefixes out{problem, {}, {}, 0};
  Problem& p = out.problem;
  MergeForm& form = *merge_form(p);
  p.query_heads = p.kv_heads = 1;
  p.requests = {{count, form.parts}};
  form.layout = PartLayout::parts;
  const MergeTensors& from = merge_tensors(tensors);
  MergeTensors& to = merge_tensors(out.tensors);
  to.partial_output = Tensor(p.kv_type, {form.parts, count, 1, p.head_dim});
  to.partial_lse = Tensor(ElementType::fp32, {form.parts, count, 1});
  const PartStrides of_output = output_strides(problem), of_lse = lse_strides(problem);
  const auto row_bytes = static_cast<size_t>(p.head_dim) * static_cast<size_t>(element_bytes(p.kv_type));
  for (int i = 0; i < count; ++i) {
    out.rows.push_back({0, i});
    for (int part = 0; part < form.parts; ++part) {
      const auto place = static_cast<size_t>(part) * static_cast<size_t>(count) + static_cast<size_t>(i);
      to.partial_lse.as<float>()[place] =
          part < lengths[static_cast<size_t>(i)]
              ? from.partial_lse.as<float>()[static_cast<size_t>(of_lse.at(part, row.query, head))]
              : -std::numeric_limits<float>::infinity();
      std::memcpy(to.partial_output.data() + place * row_bytes,
                  from.partial_output.data() +
                      static_cast<size_t>(of_output.at(part, row.query, head)) * row_bytes,
                  row_bytes);
    }
  }
  return out;
}

} // namespace fmha950::operators
