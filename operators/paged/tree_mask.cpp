// The rows of tree_mask that are read: those of nodes.
#include "interface/validate_detail.hpp"
#include "operators/paged/definition.hpp"

namespace fmha950::operators {
namespace {

[[noreturn]] void refuse_node(int request, int query, int node, uint64_t bits, std::string must) {
  throw InvalidInput(fmt::format("tree_mask of request {}, query {} (node {})", request, query, node),
                     fmt::format("{:#x}", bits), std::move(must));
}

} // namespace

Visibility visibility_in_pages(const Problem& problem, const Tensors& tensors, QueryRow row) {
  const Request& request = problem.requests[static_cast<size_t>(row.request)];
  Visibility visibility = visibility_of(problem, request, row.query);
  const int nodes = problem.tree_nodes_of(request);
  if (row.query >= request.query_length - nodes) {
    visibility.tree_begin = request.key_length - nodes;
    visibility.tree = tree_bits(tensors, row);
  }
  return visibility;
}

void check_tree_mask(const Problem& problem, const Tensors& tensors) {
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    const int nodes = problem.tree_nodes_of(request);
    for (int node = 0; node < nodes; ++node) {
      const int query = request.query_length - nodes + node;
      const uint64_t bits = tree_bits(tensors, {r, query});
      if ((bits >> node & 1) == 0)
        refuse_node(r, query, node, bits, fmt::format("must have bit {}: a node sees itself", node));
      if (bits >> node != 1)
        refuse_node(r, query, node, bits,
                    fmt::format("must have no bit above {}: a node sees none that comes after it", node));
    }
  }
}

} // namespace fmha950::operators
