#include "workload/tree_mask.hpp"

#include "workload/philox.hpp"

#include <algorithm>

namespace fmha950::workload {
namespace {

void store_bits(Tensor& mask, int64_t row, uint64_t bits) {
  const auto words = mask.as<int32_t>().subspan(static_cast<size_t>(2 * row), 2);
  words[0] = static_cast<int32_t>(static_cast<uint32_t>(bits));
  words[1] = static_cast<int32_t>(static_cast<uint32_t>(bits >> 32));
}

int64_t row_of(const Tensors& tensors, QueryRow row) {
  return int64_t{tensors.q_indptr.as<int32_t>()[static_cast<size_t>(row.request)]} + row.query;
}

std::vector<int> random_parents(const Problem& problem, int request, int nodes) {
  std::vector<int> parents;
  for (int node = 0; node < nodes; ++node) {
    const PhiloxCounter random = philox(
        {static_cast<uint32_t>(Stream::tree), static_cast<uint32_t>(request), static_cast<uint32_t>(node), 0},
        problem.seed);
    const int any = static_cast<int>(random[0] % static_cast<uint32_t>(node + 1)) - 1;
    parents.push_back(random[1] % 4 == 0 ? node - 1 : any);
  }
  return parents;
}

} // namespace

std::vector<uint64_t> ancestors(const std::vector<int>& parents) {
  std::vector<uint64_t> rows;
  for (size_t node = 0; node < parents.size(); ++node)
    rows.push_back((parents[node] < 0 ? 0 : rows[static_cast<size_t>(parents[node])]) | uint64_t{1} << node);
  return rows;
}

void set_tree_bits(Tensors& tensors, QueryRow node, uint64_t bits) {
  store_bits(tensors.tree_mask, row_of(tensors, node), bits);
}

Tensor make_tree_mask(const Problem& problem, const Tensors& tensors) {
  Tensor mask(ElementType::int32, {problem.total_queries(), 2});
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    const int nodes = problem.tree_nodes_of(request), before = request.query_length - nodes;
    const int64_t first = row_of(tensors, {r, 0});
    for (int query = 0; query < before; ++query)
      store_bits(mask, first + query, query % 2 == 0 ? ~uint64_t{0} : 0);
    const std::vector<uint64_t> rows = ancestors(random_parents(problem, r, nodes));
    for (int node = 0; node < nodes; ++node)
      store_bits(mask, first + before + node, rows[static_cast<size_t>(node)]);
  }
  return mask;
}

} // namespace fmha950::workload
