#include "operators/paged/generate.hpp"

#include "interface/operator.hpp"
#include "interface/validate.hpp"
#include "numerics/threads.hpp"
#include "workload/quantise.hpp"
#include "workload/sink_logits.hpp"
#include "workload/tree_mask.hpp"

namespace fmha950::operators {
namespace {

using namespace workload;

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
  const int64_t heads = problem.kv_heads, d = problem.head_dim, value_d = problem.value_columns();
  tensors.k_original = Tensor(ElementType::fp32, {pages.pool_pages, problem.page_size, heads, d});
  tensors.v_original = Tensor(ElementType::fp32, {pages.pool_pages, problem.page_size, heads, value_d});
  numerics::parallel_for(static_cast<int64_t>(pages.used.size()), [&](int64_t i) {
    const PageUse& use = pages.used[i];
    for (int slot = 0; slot < use.tokens; ++slot)
      for (int head = 0; head < heads; ++head) {
        const int64_t row = (int64_t{use.page} * problem.page_size + slot) * heads + head;
        auto key = tensors.k_original.as<float>().subspan(row * d, d);
        auto value = tensors.v_original.as<float>().subspan(row * value_d, value_d);
        source.key(use.request, use.first_token + slot, head, key);
        source.value(use.request, use.first_token + slot, head, value);
        for (float& x : key) x = round_to(compute_type(problem), x);
        for (float& x : value) x = round_to(compute_type(problem), x);
      }
  });
}

// The last tokens of each request, out of the unquantised pool.
Tensor chunk_of(const Problem& problem, const PageAssignment& pages, const Tensors& tensors,
                const Tensor& original) {
  const int64_t row = int64_t{problem.kv_heads} * problem.head_dim;
  Tensor chunk(problem.query_type, {problem.total_queries(), problem.kv_heads, problem.head_dim});
  const auto indptr = tensors.q_indptr.as<int32_t>();
  for (size_t b = 0; b < problem.requests.size(); ++b) {
    const Request& request = problem.requests[b];
    for (int i = 0; i < request.query_length; ++i) {
      const int token = request.key_length - request.query_length + i;
      const int64_t page = pages.of_request[b][static_cast<size_t>(token / problem.page_size)];
      const int64_t from = (page * problem.page_size + token % problem.page_size) * row;
      for (int64_t column = 0; column < row; ++column)
        store(chunk, (int64_t{indptr[b]} + i) * row + column, original.as<float>()[from + column]);
    }
  }
  return chunk;
}

} // namespace

Choices choices_of(const Problem& problem) {
  return {.pages = assign_pages(problem),
          .values = make_value_source(problem),
          .power_of_two_descales = parse_values(problem.values).power_of_two_descales};
}

Tensors make_paged_tensors(const Problem& problem, const Choices& choices) {
  validate_problem(problem);
  const bool power_of_two = choices.power_of_two_descales;
  Tensors tensors;
  fill_page_tables(problem, choices.pages, choices.padding, tensors);
  fill_query(problem, *choices.values, tensors);
  fill_pools(problem, choices.pages, *choices.values, tensors);
  quantise_query(problem, power_of_two, tensors);
  write_pools(problem, choices.pages, power_of_two, choices.page_descale, tensors);
  if (const AppendedRows* const rows = problem.op->facts().appends) {
    rows->k(tensors) = chunk_of(problem, choices.pages, tensors, tensors.k_original);
    rows->v(tensors) = chunk_of(problem, choices.pages, tensors, tensors.v_original);
  }
  if (problem.tree_nodes > 0) tensors.tree_mask = make_tree_mask(problem, tensors);
  if (problem.sink_logit) tensors.sink_logit = make_sink_logits(problem);
  if (problem.query_type == compute_type(problem) && problem.kv_type == compute_type(problem))
    tensors.q_original = tensors.k_original = tensors.v_original = Tensor();
  return tensors;
}

} // namespace fmha950::operators
