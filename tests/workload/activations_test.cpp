#include "interface/case_string.hpp"
#include "interface/npy.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"

#include <cmath>

using namespace fmha950;
using namespace fmha950::workload;

namespace {

const std::string activations = source_path("data/activations/");

// Position of each element of a fp16 case's pool is that of a LINEAR pool of sequential pages:
// token by token.
Tensors recorded_case(const std::string& rest) {
  return make_tensors(parse_case("batch_prefill/q=fp16/kv=fp16/order=sequential/" + rest));
}

} // namespace

TEST_CASE("the recorded chunked prefill comes back as recorded, and attends as recorded") {
  const Tensors t = recorded_case("h=9:3/sq=1024/sk=4096/d=64/causal=1/values=activations:L18");
  const Tensor q = read_npy(activations + "L18_Q_pos3072-4095.npy", ElementType::fp16);
  const Tensor k = read_npy(activations + "L18_K.npy", ElementType::fp16);
  const Tensor v = read_npy(activations + "L18_V.npy", ElementType::fp16);
  bool equal = true;
  for (int64_t i = 0; i < q.elements(); ++i) equal = equal && t.q.value(i) == q.value(i);
  for (int64_t i = 0; i < k.elements(); ++i)
    equal = equal && t.k_pool.value(i) == k.value(i) && t.v_pool.value(i) == v.value(i);
  CHECK(equal);

  // The recorded float64 LSE and output of the last query, from the tensors just made.
  const Tensor lse = read_npy(activations + "L18_LSEref_last128.npy", ElementType::fp32);
  const Tensor output = read_npy(activations + "L18_Oref_last128.npy", ElementType::fp32);
  for (int head = 0; head < 9; ++head) {
    double total = 0, first_column = 0;
    for (int token = 0; token < 4096; ++token) {
      double score = 0;
      const int64_t row = (token * 3 + head / 3) * 64;
      for (int column = 0; column < 64; ++column)
        score += t.q.value((1023 * 9 + head) * 64 + column) * t.k_pool.value(row + column);
      const double weight = std::exp(score / 8);
      total += weight;
      first_column += weight * t.v_pool.value(row);
    }
    CHECK(std::log(total) == Approx(lse.value(127 * 9 + head)).margin(1e-4));
    CHECK(first_column / total == Approx(output.value((127 * 9 + head) * 64)).margin(1e-4));
  }
}

TEST_CASE("a 128-wide head is two recorded heads side by side, and requests differ") {
  const Tensors t = recorded_case("h=8:4/b=2/sq=8/sk=4096/d=128/values=activations:L10");
  const Tensor k = read_npy(activations + "L10_K.npy", ElementType::fp16);
  const auto recorded = [&](int64_t token, int head, int column) {
    return k.value((token * 3 + head) * 64 + column);
  };
  const auto made = [&](int64_t token, int head, int column) {
    return t.k_pool.value((token * 4 + head) * 128 + column);
  };
  for (int column : {0, 17, 63}) {
    CHECK(made(100, 1, column) == recorded(100, 1, column));
    CHECK(made(100, 1, 64 + column) == recorded(100, 2, column));
    CHECK(made(100, 2, 64 + column) == recorded(100, 0, column));
    CHECK(made(100, 3, column) == recorded(100 + 1021, 0, column)); // the fourth head: shifted, heads 0 and 2
    CHECK(made(100, 3, 64 + column) == recorded(100 + 1021, 2, column));
    CHECK(made(4096 + 100, 0, column) == recorded(100 + 613, 0, column)); // request 1
    CHECK(made(4096, 0, column) == recorded(0, 0, column));               // its sink
  }
}

TEST_CASE("activations refuse other layers") {
  CHECK_THROWS_WITH(recorded_case("h=1:1/sq=1/sk=1/d=128/values=activations:L07"),
                    "values = activations:L07: the layer must be one of L00, L10, L18, L28");
}
