#include "interface/case_string.hpp"
#include "interface/oracle.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "tests/support/sparse_case.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;

TEST_CASE("the largest V that a request can see, dequantised, NaN of unused slots left out") {
  for (const char* form :
       {"kv=fp8/quant=page/page=64", "kv=fp8/quant=mx/page=32", "kv=fp8/quant=tensor",
        "kv=fp8/layout=vectorized", "page=1", "kv=fp8/quant=page/layout=hnd", "d=192:128/kv=fp8/quant=page",
        "d=192:128/kv=fp8/quant=mx/page=32", "kv=mxfp4/page=32", "d=64/kv=mxfp4/layout=hnd/page=32"}) {
    CAPTURE(form);
    const Problem p = parse_case(std::string("batch_prefill/h=4:2/sq=3,1/sk=70,9/") + form);
    const Tensors tensors = workload::make_tensors(p);
    double expected = 0;
    for (int request = 0; request < 2; ++request)
      for (int token = 0; token < p.requests[static_cast<size_t>(request)].key_length; ++token) {
        const int64_t page = page_of(p, tensors, request, token);
        const int slot = token % p.page_size;
        for (int head = 0; head < p.kv_heads; ++head)
          for (int column = 0; column < p.value_columns(); ++column) {
            double descale = 1;
            if (p.quantisation == Quantisation::per_tensor) descale = tensors.v_descale.value(0);
            if (p.quantisation == Quantisation::page)
              descale = tensors.v_descale.value(page * p.kv_heads + head);
            if (p.quantisation == Quantisation::mx)
              descale = tensors.v_descale.value((page * p.kv_heads + head) * p.value_columns() + column);
            const double value = tensors.v_pool.value(v_index(p, page, slot, head, column));
            expected = std::max(expected, std::fabs(value * descale));
          }
      }
    CHECK(oracle().max_value(p, tensors) == expected);
  }
}

TEST_CASE("the largest value of a listed row, NaN of the others left out") {
  using namespace fmha950::test;
  std::mt19937 random(17);
  for (const auto& format :
       {std::optional<RowFormat>(), std::optional(RowFormat::split), std::optional(RowFormat::packed)})
    for (const bool none : {false, true}) {
      const int rows = none ? 0 : 9;
      const SparseCase c =
          make_sparse_case(sparse_problem(16, format, 30, 20, {rows, 0, rows}, {0, rows, 0}), random);
      double expected = 0;
      for (const auto* values : {&c.pool, &c.chunk})
        for (const double value : *values) expected = std::fmax(expected, std::fabs(value));
      CHECK(oracle().max_value(c.problem, c.tensors) == expected);
    }
}
