#include "interface/validate_detail.hpp"
#include "operators/paged/definition.hpp"

namespace fmha950::operators {
namespace {

using namespace validation;

void require_vector(const char* name, const Tensor& tensor, int64_t elements, bool at_least = false) {
  const bool fits = tensor.type() == ElementType::int32 && tensor.shape().size() == 1 &&
                    (tensor.shape()[0] == elements || (at_least && tensor.shape()[0] > elements));
  if (!fits)
    throw InvalidInput(name, text_of(tensor.type(), tensor.shape()),
                       fmt::format("must be int32 [{}]{}", elements, at_least ? " or longer" : ""));
}

// Page `page` of the batch, counted from request to request, as a table names it at [index...].
template <class... Index>
void check_page(const Problem& p, const Tensors& t, std::string_view name, int32_t id, int64_t page,
                Index... index) {
  if (id < 0 || id >= t.pool_pages())
    refuse(name, id, fmt::format("must be a page of the pool, 0 to {}", t.pool_pages() - 1), index...);
  if (!p.paged && id != page)
    refuse(name, id, fmt::format("must be {}, as paged=0 needs consecutive pages from 0 on", page), index...);
}

void check_sglang(const Problem& p, const Tensors& t) {
  const int64_t batch = static_cast<int64_t>(p.requests.size());
  require_vector("kv_indptr", t.kv_indptr, batch + 1);
  require_vector("kv_last_page_lens", t.kv_last_page_lens, batch);
  check_indptr(
      "kv_indptr", t.kv_indptr, p, [&](const Request& request) { return p.pages_of(request); }, "pages");
  const auto indptr = t.kv_indptr.as<int32_t>();
  if (indptr[batch] > 0) require_vector("kv_page_indices", t.kv_page_indices, indptr[batch], true);
  const auto indices = t.kv_page_indices.as<int32_t>();
  for (int i = 0; i < indptr[batch]; ++i) check_page(p, t, "kv_page_indices", indices[i], i, i);
  const auto last = t.kv_last_page_lens.as<int32_t>();
  for (int64_t i = 0; i < batch; ++i) {
    const int length = p.requests[i].key_length;
    if (length == 0) continue; // no last page, so whatever stands here is never read
    if (last[i] < 1 || last[i] > p.page_size)
      refuse("kv_last_page_lens", last[i], fmt::format("must be 1 to {}, the page size", p.page_size), i);
    if (const int expected = (length - 1) % p.page_size + 1; last[i] != expected)
      refuse("kv_last_page_lens", last[i],
             fmt::format("must be {}, as request {} has {} keys", expected, i, length), i);
  }
}

void check_vllm(const Problem& p, const Tensors& t) {
  const int64_t batch = static_cast<int64_t>(p.requests.size());
  const auto& shape = t.block_table.shape();
  const int64_t needed = (p.max_key_length() + p.page_size - 1) / p.page_size;
  if (t.block_table.type() != ElementType::int32 || shape.size() != 2 || shape[0] != batch ||
      shape[1] < needed)
    throw InvalidInput("block_table", text_of(t.block_table.type(), shape),
                       fmt::format("must be int32 [{}, {}] or wider", batch, needed));
  require_vector("seqlen_k", t.seqlen_k, batch);
  const auto table = t.block_table.as<int32_t>();
  const auto lengths = t.seqlen_k.as<int32_t>();
  int64_t pages_before = 0;
  for (int64_t i = 0; i < batch; ++i) {
    if (lengths[i] != p.requests[i].key_length)
      refuse("seqlen_k", lengths[i],
             fmt::format("must be {}, the key length of request {}", p.requests[i].key_length, i), i);
    for (int page = 0; page < p.pages_of(p.requests[i]); ++page)
      check_page(p, t, "block_table", table[i * shape[1] + page], pages_before + page, i, page);
    pages_before += p.pages_of(p.requests[i]);
  }
}

} // namespace

void check_tables(const Problem& problem, const Tensors& tensors) {
  check_indptr(
      "q_indptr", tensors.q_indptr, problem, [](const Request& request) { return request.query_length; },
      "queries");
  if (problem.page_table == PageTable::sglang)
    check_sglang(problem, tensors);
  else
    check_vllm(problem, tensors);
}

} // namespace fmha950::operators
