#include "harness/accuracy/case_oracle.hpp"
#include "tests/support/sparse_case.hpp"

#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE("original inputs are known when any tensor of them is there, of either operator") {
  std::mt19937 random(3);
  SparseCase c = make_sparse_case(sparse_problem(16, RowFormat::split, 3, 2, {1}, {1}), random);
  harness::CaseOracle oracle(c.problem, c.tensors);
  CHECK_FALSE(oracle.has_original());
  SparseTensors& t = sparse_tensors(c.tensors);
  for (Tensor* original :
       {&t.q.original, &t.pool.original, &t.chunk.original, &c.tensors.q_original, &c.tensors.k_original}) {
    *original = Tensor(ElementType::fp32, {1});
    CHECK(oracle.has_original());
    *original = Tensor();
    CHECK_FALSE(oracle.has_original());
  }
}
