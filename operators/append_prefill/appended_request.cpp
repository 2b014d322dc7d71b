#include "operators/append_prefill/appended_request.hpp"

#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "workload/page_tables.hpp"
#include "workload/quantise.hpp"

#include <cstring>
#include <numeric>

namespace fmha950::operators {

namespace {

Tensor chunk_rows(const Tensor& all, int64_t first, int64_t count) {
  std::vector<int64_t> shape = all.shape();
  const size_t row_bytes = all.bytes() / static_cast<size_t>(shape[0]);
  shape[0] = count;
  Tensor rows(all.type(), shape);
  std::memcpy(rows.data(), all.data() + static_cast<size_t>(first) * row_bytes, rows.bytes());
  return rows;
}

} // namespace

AppendedRequest appended_request(const Problem& problem, const Tensors& tensors, int request) {
  const Request lengths = problem.requests[static_cast<size_t>(request)];
  const int old = lengths.key_length - lengths.query_length;
  const int64_t first = tensors.q_indptr.as<int32_t>()[request];
  AppendedRequest one{problem, {}};
  Problem& p = one.problem;
  p.op = "batch_prefill";
  p.own = {};
  p.trace.reset();
  p.requests = {lengths};
  p.kv_type = p.query_type;
  p.quantisation = Quantisation::none;
  Tensors& t = one.tensors;
  workload::PageAssignment pages{p.pages_of(lengths), {std::vector<int32_t>(p.pages_of(lengths))}, {}};
  std::iota(pages.of_request[0].begin(), pages.of_request[0].end(), 0);
  workload::fill_page_tables(p, pages, {}, t);
  const bool rotary = rotary_embedding(problem) != nullptr;
  const auto with_embedding = [&](const Tensor& rows) {
    return rotary ? rotated(problem, tensors, rows) : Tensor();
  };
  const Tensor rotated_q = with_embedding(tensors.q),
               rotated_k = with_embedding(append_tensors(tensors).k_new);
  t.q = chunk_rows(rotary ? rotated_q : tensors.q, first, lengths.query_length);
  t.sink_logit = tensors.sink_logit;
  const int64_t row = int64_t{p.kv_heads} * p.head_dim;
  const auto fill = [&](Tensor& into, const Tensor& pool, const Tensor& chunk, float scale) {
    into = Tensor(p.kv_type, {pages.pool_pages, p.page_size, p.kv_heads, p.head_dim});
    for (int token = 0; token < lengths.key_length; ++token)
      for (int64_t column = 0; column < row; ++column) {
        const int64_t slot =
            int64_t{page_of(problem, tensors, request, token)} * p.page_size + token % p.page_size;
        const float value = token < old ? pool.value(slot * row + column) * scale
                                        : chunk.value((first + token - old) * row + column);
        workload::store(into, token * row + column, value);
      }
  };
  fill(t.k_pool, tensors.k_pool, rotary ? rotated_k : append_tensors(tensors).k_new,
       tensor_descale(tensors.k_descale));
  fill(t.v_pool, tensors.v_pool, append_tensors(tensors).v_new, tensor_descale(tensors.v_descale));
  return one;
}

} // namespace fmha950::operators
