#include "harness/accuracy/case_oracle.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/support/sparse_case.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE("original inputs are known when any tensor of them is there, of either operator") {
  const auto check = [](const Problem& problem, Tensors& tensors, std::initializer_list<Tensor*> originals) {
    harness::CaseOracle oracle(problem, tensors);
    CHECK_FALSE(oracle.has_original());
    for (Tensor* original : originals) {
      *original = Tensor(ElementType::fp32, {1});
      CHECK(oracle.has_original());
      *original = Tensor();
      CHECK_FALSE(oracle.has_original());
    }
  };
  std::mt19937 random(3);
  SparseCase c = make_sparse_case(sparse_problem(16, RowFormat::split, 3, 2, {1}, {1}), random);
  SparseTensors& t = sparse_tensors(c.tensors);
  check(c.problem, c.tensors, {&t.q.original, &t.pool.original, &t.chunk.original});
  Tensors paged;
  check(Problem(), paged, {&paged.q_original, &paged.k_original, &paged.v_original});
}
