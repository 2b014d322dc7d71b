#include "operators/merge/merge_tensors.hpp"

#include <utility>

namespace fmha950 {

PartStrides output_strides(const Problem& problem) {
  const int64_t heads = problem.query_heads, tokens = problem.total_queries();
  const MergeForm& form = *merge_form(problem);
  if (form.layout == PartLayout::tokens) return {.part = heads, .token = form.parts * heads, .head = 1};
  return {.part = tokens * heads, .token = heads, .head = 1};
}

PartStrides lse_strides(const Problem& problem) {
  if (merge_form(problem)->layout != PartLayout::heads) return output_strides(problem);
  const int64_t heads = problem.query_heads, tokens = problem.total_queries();
  return {.part = tokens * heads, .token = 1, .head = tokens};
}

std::vector<int64_t> shape_of_outputs(const Problem& problem) {
  const int64_t parts = merge_form(problem)->parts, tokens = problem.total_queries();
  if (merge_form(problem)->layout == PartLayout::tokens)
    return {tokens, parts, problem.query_heads, problem.head_dim};
  return {parts, tokens, problem.query_heads, problem.head_dim};
}

std::vector<int64_t> shape_of_lses(const Problem& problem) {
  std::vector<int64_t> shape = shape_of_outputs(problem);
  shape.pop_back();
  if (merge_form(problem)->layout == PartLayout::heads) std::swap(shape[1], shape[2]);
  return shape;
}

} // namespace fmha950
