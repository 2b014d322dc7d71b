// Random trees: a node sees those on its way to the root, and the rows that nobody reads are poison.
#include "interface/case_string.hpp"
#include "interface/operator.hpp"
#include "interface/validate.hpp"
#include "operators/paged/definition.hpp"
#include "operators/paged/sub_batch.hpp"
#include "workload/generate.hpp"
#include "workload/tree_mask.hpp"

#include "tests/support/catch.hpp"
#include <bit>
#include <set>

using namespace fmha950;

TEST_CASE("ancestors of a node are those of its parent, and itself") {
  CHECK(workload::ancestors({-1, 0, 0, 1, 3, -1}) ==
        std::vector<uint64_t>{0b1, 0b11, 0b101, 0b1011, 0b11011, 0b100000});
  CHECK(workload::ancestors({}).empty());
}

TEST_CASE(
    "every row of a random tree is its parent's and its own bit, and trees differ by seed and request") {
  const Problem problem =
      parse_case("batch_prefill/h=1:1/sq=64,70,20,0,64/sk=64,200,30,9,10/causal=1/tree=64");
  const Tensors tensors = workload::make_tensors(problem);
  REQUIRE_NOTHROW(validate_tensors(problem, tensors));
  CHECK(tensors.tree_mask.shape() == std::vector<int64_t>{218, 2});
  std::set<std::vector<uint64_t>> trees;
  for (const int request : {0, 1}) {
    std::vector<uint64_t> rows;
    for (int node = 0; node < 64; ++node)
      rows.push_back(tree_bits(tensors, {request, (request == 0 ? 0 : 6) + node}));
    int branches = 0;
    for (size_t node = 0; node < 64; ++node) {
      const uint64_t before = rows[node] ^ uint64_t { 1 } << node;
      CHECK(before >> node == 0);
      const int parent = static_cast<int>(std::bit_width(before)) - 1; // the last of the node's ancestors
      if (parent >= 0) CHECK(before == rows[static_cast<size_t>(parent)]);
      branches += parent != static_cast<int>(node) - 1;
    }
    CHECK(branches >= 20);
    trees.insert(rows);
  }
  CHECK(trees.size() == 2);
  CHECK(tree_bits(tensors, {1, 0}) == ~uint64_t{0}); // before the tree
  CHECK(tree_bits(tensors, {1, 1}) == 0);
  Problem other = problem;
  other.seed = 2;
  CHECK_FALSE(std::ranges::equal(workload::make_tensors(other).tree_mask.as<int32_t>(),
                                 tensors.tree_mask.as<int32_t>()));
}

TEST_CASE("a tree hides keys from its nodes alone") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=40,5/sk=50,3/causal=1/tree=8");
  const Tensors tensors = workload::make_tensors(problem);
  for (const auto& [request, query, node] :
       {std::tuple(0, 31, -1), {0, 32, 0}, {0, 39, 7}, {1, 1, -1}, {1, 2, 0}, {1, 4, 2}}) {
    CAPTURE(request, query);
    const Visibility sees = operators::visibility_in_pages(problem, tensors, {request, query});
    CHECK((sees.tree != 0) == (node >= 0));
    if (node < 0) continue;
    CHECK(sees.tree == tree_bits(tensors, {request, query}));
    CHECK(sees.tree_begin == (request == 0 ? 42 : 0));
    CHECK(sees.sees(sees.tree_begin + node));
  }
}

TEST_CASE("a request keeps its tree in a batch of its own, and prefixes of its keys have none") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=40,12,5/sk=50,20,3/causal=1/tree=8/seed=3");
  const Tensors tensors = workload::make_tensors(problem);
  const int only[] = {1};
  const operators::SubBatch alone = operators::sub_batch(problem, tensors, only);
  REQUIRE_NOTHROW(validate_tensors(alone.problem, alone.tensors));
  for (int query = 0; query < 12; ++query)
    CHECK(tree_bits(alone.tensors, {0, query}) == tree_bits(tensors, {1, query}));
  const KeyPrefixes prefixes = problem.op->oracle().key_prefixes(problem, tensors, {0, 39}, 0, {7, 50});
  CHECK(prefixes.problem.tree_nodes == 0);
  CHECK_NOTHROW(validate_tensors(prefixes.problem, prefixes.tensors));
}
