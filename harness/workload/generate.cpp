#include "harness/workload/generate.hpp"

#include "emulator/numerics/threads.hpp"
#include "harness/workload/generate_sparse.hpp"
#include "harness/workload/quantise.hpp"
#include "harness/workload/sink_logits.hpp"
#include "harness/workload/trace.hpp"
#include "interface/error.hpp"
#include "interface/names.hpp"
#include "interface/validate.hpp"

namespace fmha950::workload {
namespace {

void fill_query(const Problem& problem, const ValueSource& source, Tensors& tensors) {
  const int64_t heads = problem.query_heads, d = problem.head_dim;
  tensors.q_original = Tensor(ElementType::fp32, {problem.total_queries(), heads, d});
  const auto indptr = tensors.q_indptr.as<int32_t>();
  for (int request = 0; request < static_cast<int>(problem.requests.size()); ++request)
    numerics::parallel_for(problem.requests[request].query_length, [&](int64_t query) {
      for (int head = 0; head < heads; ++head) {
        auto row = tensors.q_original.as<float>().subspan(((indptr[request] + query) * heads + head) * d, d);
        source.query(request, static_cast<int>(query), head, row);
        for (float& x : row) x = round_to(compute_type(problem), x);
      }
    });
}

void fill_pools(const Problem& problem, const PageAssignment& pages, const ValueSource& source,
                Tensors& tensors) {
  const int64_t heads = problem.kv_heads, d = problem.head_dim;
  const std::vector<int64_t> shape{pages.pool_pages, problem.page_size, heads, d};
  tensors.k_original = Tensor(ElementType::fp32, shape);
  tensors.v_original = Tensor(ElementType::fp32, shape);
  numerics::parallel_for(static_cast<int64_t>(pages.used.size()), [&](int64_t i) {
    const PageUse& use = pages.used[i];
    for (int slot = 0; slot < use.tokens; ++slot)
      for (int head = 0; head < heads; ++head) {
        const int64_t first = ((int64_t{use.page} * problem.page_size + slot) * heads + head) * d;
        auto key = tensors.k_original.as<float>().subspan(first, d);
        auto value = tensors.v_original.as<float>().subspan(first, d);
        source.key(use.request, use.first_token + slot, head, key);
        source.value(use.request, use.first_token + slot, head, value);
        for (float& x : key) x = round_to(compute_type(problem), x);
        for (float& x : value) x = round_to(compute_type(problem), x);
      }
  });
}

} // namespace

Tensors make_tensors(const Problem& unresolved) {
  Problem problem = unresolved;
  resolve_trace(problem);
  validate_problem(problem);
  if (problem.op == Operator::sparse_prefill)
    return make_sparse_tensors(
        problem, {make_prefix_lists(problem), make_extend_lists(problem), make_value_source(problem)});
  return make_tensors(problem, {.pages = assign_pages(problem),
                                .values = make_value_source(problem),
                                .power_of_two_descales = parse_values(problem.values).power_of_two_descales});
}

Tensors make_tensors(const Problem& problem, const Choices& choices) {
  validate_problem(problem);
  if (problem.op != Operator::batch_prefill)
    throw InvalidInput("operator", std::string(name_of(problem.op)),
                       "must be batch_prefill, the operator that has pages to choose");
  const bool power_of_two = choices.power_of_two_descales;
  Tensors tensors;
  fill_page_tables(problem, choices.pages, choices.padding, tensors);
  fill_query(problem, *choices.values, tensors);
  fill_pools(problem, choices.pages, *choices.values, tensors);
  quantise_query(problem, power_of_two, tensors);
  write_pools(problem, choices.pages, power_of_two, choices.page_descale, tensors);
  if (problem.sink_logit) tensors.sink_logit = make_sink_logits(problem);
  if (problem.query_type == compute_type(problem) && problem.kv_type == compute_type(problem))
    tensors.q_original = tensors.k_original = tensors.v_original = Tensor();
  return tensors;
}

} // namespace fmha950::workload
