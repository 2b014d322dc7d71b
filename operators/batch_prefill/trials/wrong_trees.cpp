// Rows of a tree's mask that a node could take for its own. What a node sees stays a node before it, or itself: no key behind
// the diagonal counts.
#include "harness/sabotage/changed_tensors.hpp"
#include "operators/batch_prefill/trials/trials.hpp"
#include "workload/tree_mask.hpp"

#include <algorithm>

namespace fmha950::harness {

namespace {

struct Node {
  int request, number;
};
// The row that node `of` takes, of which only bits below its own count.
using WrongRow = uint64_t (*)(const Problem& problem, const Tensors& right, Node of);

uint64_t row(const Problem& problem, const Tensors& tensors, Node of) {
  const Request& request = problem.requests[static_cast<size_t>(of.request)];
  return tree_bits(tensors, {of.request, request.query_length - problem.tree_nodes_of(request) + of.number});
}

Tensor with_rows(const Problem& problem, const Tensors& right, WrongRow wrong) {
  Tensors changed = right;
  changed.tree_mask = copy_of(right.tree_mask);
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    const int nodes = problem.tree_nodes_of(request);
    for (int node = 0; node < nodes; ++node) {
      const uint64_t own = uint64_t{1} << node;
      workload::set_tree_bits(changed, {r, request.query_length - nodes + node},
                              (wrong(problem, right, {r, node}) & (own - 1)) | own);
    }
  }
  return changed.tree_mask;
}

uint64_t all_before(const Problem&, const Tensors&, Node) { return ~uint64_t{0}; }
uint64_t none_before(const Problem&, const Tensors&, Node) { return 0; }
uint64_t of_node_before(const Problem& problem, const Tensors& right, Node of) {
  return of.number == 0 ? 0 : row(problem, right, {of.request, of.number - 1});
}
uint64_t shifted(const Problem& problem, const Tensors& right, Node of) {
  return row(problem, right, of) << 1;
}
uint64_t reversed(const Problem& problem, const Tensors& right, Node of) { // bits below its own
  const uint64_t bits = row(problem, right, of);
  uint64_t result = 0;
  for (int bit = 0; bit < of.number; ++bit) result |= (bits >> bit & 1) << (of.number - 1 - bit);
  return result;
}
uint64_t of_next_request(const Problem& problem, const Tensors& right, Node of) {
  const int next = (of.request + 1) % static_cast<int>(problem.requests.size());
  const bool has = of.number < problem.tree_nodes_of(problem.requests[static_cast<size_t>(next)]);
  return row(problem, right, has ? Node{next, of.number} : of);
}

bool same(const Tensor& a, const Tensor& b) { return std::equal(a.data(), a.data() + a.bytes(), b.data()); }

} // namespace

std::vector<Defect> wrong_trees(const SabotagedCase& of) {
  std::vector<Defect> defects;
  if (of.problem.tree_nodes == 0) return defects;
  const auto add = [&](const char* kind, WrongRow wrong) {
    if (same(with_rows(of.problem, of.tensors, wrong), of.tensors.tree_mask)) return;
    defects.push_back(
        {.kind = kind, .place = "all nodes", .inputs = [wrong](Problem& problem, Tensors& tensors) {
           tensors.tree_mask = with_rows(problem, tensors, wrong);
         }});
  };
  add("tree_left_out", all_before);
  add("tree_transposed", none_before);
  add("tree_row_of_node_before", of_node_before);
  add("tree_bits_shifted", shifted);
  add("tree_bits_reversed", reversed);
  add("tree_of_next_request", of_next_request);
  return defects;
}

} // namespace fmha950::harness
