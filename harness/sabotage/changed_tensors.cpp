#include "harness/sabotage/changed_tensors.hpp"

#include "interface/operator.hpp"
#include "workload/page_tables.hpp"
#include "workload/quantise.hpp"

#include <cstring>

namespace fmha950::harness {

Tensor copy_of(const Tensor& tensor) {
  if (tensor.shape().empty()) return {};
  Tensor copy(tensor.type(), tensor.shape());
  if (!tensor.empty()) std::memcpy(copy.data(), tensor.data(), tensor.bytes());
  return copy;
}

std::vector<std::vector<int32_t>> page_lists(const Problem& problem, const Tensors& tensors) {
  std::vector<std::vector<int32_t>> lists;
  for (int request = 0; request < static_cast<int>(problem.requests.size()); ++request) {
    std::vector<int32_t>& pages = lists.emplace_back();
    for (int page = 0; page < problem.pages_of(problem.requests[static_cast<size_t>(request)]); ++page)
      pages.push_back(page_of(problem, tensors, request, page * problem.page_size));
  }
  return lists;
}

int full_pages(const Problem& problem, int request) {
  return old_tokens(problem, problem.requests[static_cast<size_t>(request)]) / problem.page_size;
}

std::set<int32_t> full_pages(const Problem& problem, const Tensors& tensors) {
  const auto lists = page_lists(problem, tensors);
  std::set<int32_t> full;
  for (size_t request = 0; request < lists.size(); ++request)
    full.insert(lists[request].begin(),
                lists[request].begin() + full_pages(problem, static_cast<int>(request)));
  return full;
}

void set_page_lists(const Problem& problem, const std::vector<std::vector<int32_t>>& lists,
                    Tensors& tensors) {
  for (Tensor* table : {&tensors.q_indptr, &tensors.kv_indptr, &tensors.kv_page_indices,
                        &tensors.kv_last_page_lens, &tensors.block_table, &tensors.seqlen_k})
    *table = Tensor();
  workload::fill_page_tables(problem, {tensors.pool_pages(), lists, {}}, {}, tensors);
}

StoredKeys::StoredKeys(const Problem& problem, Tensors& tensors, Stored which)
    : problem_(problem), tensors_(tensors), which_(which) {
  Tensor& pool = which == Stored::k ? tensors.k_pool : tensors.v_pool;
  pool = copy_of(pool);
  if (Tensor* const own = chunk()) *own = copy_of(*own);
}

Tensor* StoredKeys::chunk() {
  const AppendedRows* const rows = problem_.op->facts().appends;
  if (rows == nullptr) return nullptr;
  return &(which_ == Stored::k ? rows->k : rows->v)(tensors_);
}

bool StoredKeys::in_chunk(int request, int token) const {
  return token >= old_tokens(problem_, problem_.requests[static_cast<size_t>(request)]);
}

bool StoredKeys::alike(int request, int token, int other) const {
  return in_chunk(request, token) == in_chunk(request, other);
}

StoredKeys::Place StoredKeys::place(int request, int token, int kv_head, int column) {
  if (in_chunk(request, token)) {
    const Request& lengths = problem_.requests[static_cast<size_t>(request)];
    const int64_t row = int64_t{tensors_.q_indptr.as<int32_t>()[request]} + token -
                        (lengths.key_length - lengths.query_length);
    return {chunk(), (row * problem_.kv_heads + kv_head) * columns() + column};
  }
  const int64_t page = page_of(problem_, tensors_, request, token);
  const int slot = token % problem_.page_size;
  if (which_ == Stored::k) return {&tensors_.k_pool, k_index(problem_, page, slot, kv_head, column)};
  return {&tensors_.v_pool, v_index(problem_, page, slot, kv_head, column)};
}

void StoredKeys::scale(int request, int token, int kv_head, float factor) {
  for (int column = 0; column < columns(); ++column) {
    const Place to = place(request, token, kv_head, column);
    workload::store(*to.tensor, to.index, to.tensor->value(to.index) * factor);
  }
}

void StoredKeys::copy(int request, int from, int from_head, int to, int to_head) {
  for (int column = 0; column < columns(); ++column) {
    const Place source = place(request, from, from_head, column),
                target = place(request, to, to_head, column);
    if (source.tensor->type() == ElementType::mxfp4) { // half a byte
      workload::store(*target.tensor, target.index, source.tensor->value(source.index));
      continue;
    }
    const auto bytes = static_cast<size_t>(element_bytes(source.tensor->type()));
    std::memcpy(target.tensor->data() + static_cast<size_t>(target.index) * bytes,
                source.tensor->data() + static_cast<size_t>(source.index) * bytes, bytes);
  }
}

} // namespace fmha950::harness
