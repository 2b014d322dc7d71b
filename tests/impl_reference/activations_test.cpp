// The oracle on recorded activations of a real model against references computed elsewhere, in float64 by
// NumPy (data/activations/README.md).
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "interface/npy.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

using namespace fmha950;

namespace {

constexpr int tokens = 4096, queries = 1024, judged = 128, columns = 64, kv_heads = 3;

Tensor recorded(const std::string& layer, const std::string& what, ElementType type) {
  return read_npy(source_path("data/activations/") + layer + "_" + what + ".npy", type);
}

// Lays K or V [tokens, heads, columns] out by the problem's layout; `width` recorded heads stand side by side
// in one.
Tensor paged(const Problem& p, const Tensor& recording, const std::vector<int>& pages, bool is_k) {
  const int64_t P = p.page_size, H = p.kv_heads, D = p.head_dim, x = 8,
                count = static_cast<int64_t>(pages.size());
  using Shape = std::vector<int64_t>;
  const bool linear = p.kv_layout == KvLayout::linear;
  Tensor pool(ElementType::fp16, linear ? Shape{count, P, H, D}
                                 : is_k ? Shape{count, H, D / x, P, x}
                                        : Shape{count, H, P / x, D, x});
  for (int64_t token = 0; token < tokens; ++token)
    for (int64_t head = 0; head < H; ++head)
      for (int64_t column = 0; column < D; ++column) {
        const int64_t source_head = (head + column / columns) % kv_heads;
        const int64_t page = pages[token / P], slot = token % P, block = page * P * H * D + head * P * D;
        const int64_t place = linear ? ((page * P + slot) * H + head) * D + column
                              : is_k ? block + column / x * P * x + slot * x + column % x
                                     : block + slot / x * D * x + column * x + slot % x;
        pool.as<uint16_t>()[place] =
            recording.as<uint16_t>()[(token * kv_heads + source_head) * columns + column % columns];
      }
  return pool;
}

void make_tables(const Problem& p, Tensors& t, const std::vector<int>& pages) {
  const auto vector = [](std::initializer_list<int32_t> values) {
    Tensor tensor(ElementType::int32, {static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensor.as<int32_t>().begin());
    return tensor;
  };
  const auto count = static_cast<int32_t>(pages.size());
  t.q_indptr = vector({0, queries});
  if (p.page_table == PageTable::sglang) {
    t.kv_indptr = vector({0, count});
    t.kv_last_page_lens = vector({p.page_size});
    t.kv_page_indices = Tensor(ElementType::int32, {count});
    std::copy(pages.begin(), pages.end(), t.kv_page_indices.as<int32_t>().begin());
  } else {
    t.seqlen_k = vector({tokens});
    t.block_table = Tensor(ElementType::int32, {1, count});
    std::copy(pages.begin(), pages.end(), t.block_table.as<int32_t>().begin());
  }
}

std::vector<int> shuffled_pages(int page_size) {
  std::vector<int> pages(tokens / page_size);
  std::iota(pages.begin(), pages.end(), 0);
  std::shuffle(pages.begin(), pages.end(), std::mt19937(5));
  return pages;
}

std::vector<QueryRow> last_rows() {
  std::vector<QueryRow> rows;
  for (int i = queries - judged; i < queries; ++i) rows.push_back({0, i});
  return rows;
}

// Q with zeros beyond the recorded columns: a wider head's scores are then the recorded ones.
Tensor widened(const Tensor& q, int width) {
  const int64_t rows = q.elements() / columns;
  Tensor wide(q.type(), {q.shape()[0], q.shape()[1], width});
  for (int64_t row = 0; row < rows; ++row)
    std::copy_n(&q.as<uint16_t>()[row * columns], columns, &wide.as<uint16_t>()[row * width]);
  return wide;
}

} // namespace

TEST_CASE("oracle equals the references on recorded activations of four layers") {
  const std::pair<const char*, const char*> layers[] = {{"L00", "d=64/page=16"},
                                                        {"L10", "d=64/page=64/table=vllm/layout=vectorized"},
                                                        {"L18", "d=128/page=1/table=vllm"},
                                                        {"L28", "d=128/page=1024/layout=vectorized"}};
  for (const auto& [layer, form] : layers) {
    CAPTURE(layer, form);
    const Problem p = parse_case(
        std::string("batch_prefill/h=9:3/sq=1024/sk=4096/q=fp16/kv=fp16/o=fp16/causal=1/lse=1/scale=0.125/") +
        form);
    const auto pages = shuffled_pages(p.page_size);
    Tensors t;
    t.q = widened(recorded(layer, "Q_pos3072-4095", ElementType::fp16), p.head_dim);
    t.k_pool = paged(p, recorded(layer, "K", ElementType::fp16), pages, true);
    t.v_pool = paged(p, recorded(layer, "V", ElementType::fp16), pages, false);
    make_tables(p, t, pages);
    const AttentionRows rows = oracle().exact(p, t, last_rows(), OracleInput::dequantised);
    const Tensor output = recorded(layer, "Oref_last128", ElementType::fp32);
    const Tensor lse = recorded(layer, "LSEref_last128", ElementType::fp32);
    REQUIRE(static_cast<int64_t>(rows.lse.size()) == lse.elements());
    double worst_output = 0, worst_lse = 0;
    for (int64_t i = 0; i < output.elements(); ++i) {
      const double actual = rows.output[i / columns * p.head_dim + i % columns];
      worst_output = std::max(worst_output, std::abs(actual - output.as<float>()[i]));
    }
    for (int64_t i = 0; i < lse.elements(); ++i)
      worst_lse = std::max(worst_lse, std::abs(rows.lse[i] - lse.as<float>()[i]));
    CAPTURE(worst_output, worst_lse);
    CHECK(worst_output < 1e-6);
    CHECK(worst_lse < 2e-6); // the references are fp32: half a step at 20 is 1e-6
  }
}
